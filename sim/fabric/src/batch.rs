//! What a batch of runs was and what it ended in, as a file: a whole sweep or suite, or a part of one.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::runs::{Job, Run};
use crate::shard::Shard;
use crate::suite::{Group, jobs};
use crate::sweep::{Sweep, SweepError, Variant, variants};

/// What was to be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Study {
    /// These groups of the suite.
    Suite(Vec<Group>),
    /// A scenario with fields set.
    Sweep {
        /// The scenario's text.
        scenario: String,
        /// The fields.
        fields: Vec<Sweep>,
    },
}

/// The runs of a study, or of a part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// What was to be run.
    pub study: Study,
    /// Which part.
    pub shard: Shard,
    /// In the study's order.
    pub runs: Vec<Run>,
}

/// Why parts can't be put together.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// Nothing to put together.
    #[error("no file to merge")]
    Nothing,
    /// Not written by us.
    #[error("{file}: no runs of a sweep or suite: {source}")]
    Json {
        /// Which file.
        file: String,
        /// Why.
        source: serde_json::Error,
    },
    /// Of another study.
    #[error("{file}: its study is another than that of {first}")]
    Another {
        /// Which file.
        file: String,
        /// The first file.
        first: String,
    },
    /// A part came twice, or of another division.
    #[error("{file}: shard {shard} does not go with shard {first}")]
    Shard {
        /// Which file.
        file: String,
        /// Its part.
        shard: Shard,
        /// A part read before.
        first: Shard,
    },
    /// A part is not there.
    #[error("shard {0} is missing")]
    Missing(Shard),
    /// The study can't be: its runs are not known.
    #[error("{file}: {source}")]
    Study {
        /// Which file.
        file: String,
        /// Why.
        source: Box<SweepError>,
    },
    /// A part's runs are others than its study lists for it.
    #[error("{file}: shard {shard}: the run of `{case}` with seed {seed} {wrong}")]
    Run {
        /// Which file.
        file: String,
        /// Which part.
        shard: Shard,
        /// The first run that is wrong.
        case: String,
        /// Its seed.
        seed: u64,
        /// What is.
        wrong: Wrong,
    },
}

/// What is wrong with a run of a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// The study lists no such run for this part.
    #[error("is none of this shard's")]
    Extra,
    /// It came before.
    #[error("came twice")]
    Doubled,
    /// The study lists it, the part lacks it.
    #[error("is missing")]
    Missing,
    /// Its case or its scenario is not what it was when it ran.
    #[error("is of another scenario than the study's")]
    Relabelled,
    /// It stands where another is listed.
    #[error("is not in its place")]
    Order,
}

/// A run that a study lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// What is run.
    pub case: String,
    /// Of its scenario.
    pub digest: String,
    /// Decides every random choice.
    pub seed: u64,
}

impl Study {
    /// Its runs, in order.
    pub fn planned(&self) -> Result<Vec<Planned>, SweepError> {
        match self {
            Self::Suite(groups) => Ok(jobs(groups).into_iter().map(Planned::from).collect()),
            Self::Sweep { scenario, fields } => {
                let base = Variant::of(scenario, Path::new("scenario"))?;
                let variants = variants(&base, fields)?;
                variants.iter().map(Planned::of).collect()
            }
        }
    }
}

impl From<Job> for Planned {
    fn from(job: Job) -> Self {
        Self {
            case: job.case,
            digest: job.digest,
            seed: job.seed,
        }
    }
}

impl Planned {
    fn of(variant: &Variant) -> Result<Self, SweepError> {
        let seed = match variant.seed() {
            Some(seed) => seed,
            // It says why not.
            None => variant.scenario()?.seed,
        };
        Ok(Self {
            case: variant.case(),
            digest: variant.digest(),
            seed,
        })
    }

    fn is(&self, run: &Run) -> bool {
        (&self.case, &self.digest, self.seed) == (&run.case, &run.digest, run.summary.seed)
    }
}

impl Batch {
    /// Reads a file's text.
    pub fn parse(file: &str, text: &str) -> Result<Self, MergeError> {
        serde_json::from_str(text).map_err(|source| MergeError::Json {
            file: file.into(),
            source,
        })
    }

    /// As text, a line a run: what differs between two files shows in their diff.
    pub fn to_text(&self) -> serde_json::Result<String> {
        let mut text = format!(
            "{{\n\"study\": {},\n\"shard\": {},\n\"runs\": [\n",
            serde_json::to_string(&self.study)?,
            serde_json::to_string(&self.shard)?
        );
        for (n, run) in self.runs.iter().enumerate() {
            let comma = if n + 1 < self.runs.len() { "," } else { "" };
            let _ = writeln!(text, "{}{comma}", serde_json::to_string(run)?);
        }
        text.push_str("]\n}\n");
        Ok(text)
    }

    /// Puts all parts of one study together; with each the name of its file.
    pub fn merge(mut parts: Vec<(String, Self)>) -> Result<Self, MergeError> {
        parts.sort_by_key(|(_, part)| part.shard);
        let (first, study, of) = match parts.first() {
            Some((file, part)) => (file.clone(), part.study.clone(), part.shard.of),
            None => return Err(MergeError::Nothing),
        };
        let mut before = None;
        for (file, part) in &parts {
            let shard = part.shard;
            if part.study != study {
                let file = file.clone();
                return Err(MergeError::Another { file, first });
            }
            if let Some(first) = before
                && (shard.of != of || shard == first)
            {
                let file = file.clone();
                return Err(MergeError::Shard { file, shard, first });
            }
            before = Some(shard);
        }
        for index in 1..=of {
            if parts.get(index - 1).map(|(_, part)| part.shard.index) != Some(index) {
                return Err(MergeError::Missing(Shard { index, of }));
            }
        }
        let planned = study.planned().map_err(|error| MergeError::Study {
            file: first,
            source: error.into(),
        })?;
        for (file, part) in &parts {
            part.check(file, &planned)?;
        }
        let runs = interleave(parts.into_iter().map(|(_, part)| part).collect());
        let shard = Shard::WHOLE;
        Ok(Self { study, shard, runs })
    }

    /// Its runs are those of its part of what is planned, one for one.
    fn check(&self, file: &str, planned: &[Planned]) -> Result<(), MergeError> {
        let planned = self.shard.of(planned.iter().collect());
        let wrong = first_wrong(&planned, &self.runs);
        wrong.map_or(Ok(()), |(case, seed, wrong)| {
            Err(MergeError::Run {
                file: file.into(),
                shard: self.shard,
                case: case.into(),
                seed,
                wrong,
            })
        })
    }
}

/// The first run that is not as planned: case, seed, and why.
fn first_wrong<'a>(planned: &[&'a Planned], runs: &'a [Run]) -> Option<(&'a str, u64, Wrong)> {
    let out_of_place = planned.iter().zip(runs).find(|(plan, run)| !plan.is(run));
    if out_of_place.is_none() && planned.len() == runs.len() {
        return None;
    }
    let listed = planned.iter().map(|p| ((p.case.as_str(), p.seed), *p));
    let listed: BTreeMap<_, _> = listed.collect();
    let mut seen = BTreeSet::new();
    for run in runs {
        let key = (run.case.as_str(), run.summary.seed);
        let wrong = match listed.get(&key) {
            None => Wrong::Extra,
            Some(plan) if !plan.is(run) => Wrong::Relabelled,
            Some(_) if !seen.insert(key) => Wrong::Doubled,
            Some(_) => continue,
        };
        return Some((key.0, key.1, wrong));
    }
    let missing = listed.keys().find(|key| !seen.contains(*key));
    let missing = missing.map(|key| (key.0, key.1, Wrong::Missing));
    missing.or_else(|| {
        let run = out_of_place.map_or(runs.last(), |(_, run)| Some(run))?;
        Some((&run.case, run.summary.seed, Wrong::Order))
    })
}

/// The first of each part, the second of each part ...
fn interleave(parts: Vec<Batch>) -> Vec<Run> {
    let total: usize = parts.iter().map(|part| part.runs.len()).sum();
    let mut parts: Vec<_> = parts.into_iter().map(|p| p.runs.into_iter()).collect();
    let count = parts.len();
    (0..total).filter_map(|n| parts[n % count].next()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Summary;

    const TEXT: &str = "name = 'x'\n[[loss]]\nrate = 0.5\n";

    /// A part of a sweep of a scenario over so many seeds.
    fn batch_of(text: &str, shard: &str, seeds: u64) -> Batch {
        let fields = ["loss.0.rate=0,0.1".into(), format!("seed=1..{seeds}")];
        let study = Study::Sweep {
            scenario: text.into(),
            fields: fields.map(|field: String| field.parse().unwrap()).into(),
        };
        let run = |plan: Planned| Run {
            case: plan.case,
            digest: plan.digest,
            summary: Summary {
                seed: plan.seed,
                ..Summary::empty()
            },
        };
        let runs = study.planned().unwrap().into_iter().map(run).collect();
        let shard: Shard = shard.parse().unwrap();
        Batch {
            study,
            shard,
            runs: shard.of(runs),
        }
    }

    fn batch(shard: &str) -> Batch {
        batch_of(TEXT, shard, 4)
    }

    fn merged(parts: Vec<Batch>) -> Result<Batch, MergeError> {
        let named = parts.into_iter().enumerate();
        Batch::merge(named.map(|(n, p)| (format!("{n}.json"), p)).collect())
    }

    #[test]
    fn parts_in_any_order_make_the_whole() {
        let parts = ["3/3", "1/3", "2/3"].map(batch);
        assert_eq!(merged(parts.into()).unwrap(), batch("1/1"));
    }

    #[test]
    fn a_file_reads_back_as_it_was() {
        let batch = batch("2/2");
        let text = batch.to_text().unwrap();
        assert_eq!(text.lines().count(), 6 + 4);
        assert_eq!(Batch::parse("x", &text).unwrap(), batch);
    }

    #[test]
    fn parts_that_do_not_go_together_are_named() {
        let fails = |parts: Vec<Batch>| merged(parts).unwrap_err().to_string();
        assert_eq!(fails(vec![]), "no file to merge");
        assert_eq!(fails(vec![batch("2/2")]), "shard 1/2 is missing");
        let twice = fails(vec![batch("1/2"), batch("1/2")]);
        assert_eq!(twice, "1.json: shard 1/2 does not go with shard 1/2");
        let other = fails(vec![batch("1/2"), batch("2/3")]);
        assert_eq!(other, "1.json: shard 2/3 does not go with shard 1/2");
        let edited = TEXT.replace("'x'", "'y'");
        for another in [batch_of(TEXT, "2/2", 5), batch_of(&edited, "2/2", 4)] {
            let another = fails(vec![batch("1/2"), another]);
            assert_eq!(another, "1.json: its study is another than that of 0.json");
        }
        let error = Batch::parse("a.json", "{}").unwrap_err().to_string();
        assert!(error.starts_with("a.json: no runs"), "{error}");
    }

    #[test]
    fn runs_that_are_not_the_part_s_are_named() {
        let fails = |change: fn(&mut Vec<Run>), expected: &str| {
            let mut part = batch("1/2");
            change(&mut part.runs);
            let error = merged(vec![part, batch("2/2")]).unwrap_err().to_string();
            assert_eq!(error, format!("0.json: shard 1/2: the run of {expected}"));
        };
        fails(
            |runs| drop(runs.remove(1)),
            "`loss.0.rate=0` with seed 3 is missing",
        );
        fails(
            |runs| runs[1] = runs[0].clone(),
            "`loss.0.rate=0` with seed 1 came twice",
        );
        fails(
            |runs| runs.push(runs[3].clone()),
            "`loss.0.rate=0.1` with seed 3 came twice",
        );
        fails(
            |runs| runs[2].summary.seed = 2,
            "`loss.0.rate=0.1` with seed 2 is none of this shard's",
        );
        fails(
            |runs| runs[2].case = "loss.0.rate=1".into(),
            "`loss.0.rate=1` with seed 1 is none of this shard's",
        );
        fails(
            |runs| {
                let case = runs[0].case.clone();
                runs[0].case = std::mem::replace(&mut runs[2].case, case);
            },
            "`loss.0.rate=0.1` with seed 1 is of another scenario than the study's",
        );
        fails(
            |runs| runs.swap(0, 1),
            "`loss.0.rate=0` with seed 3 is not in its place",
        );
    }
}
