//! What a batch of runs was and what it ended in, as a file: a whole sweep or suite, or a part of one.
use std::fmt::Write;

use serde::{Deserialize, Serialize};

use crate::runs::Run;
use crate::shard::Shard;
use crate::suite::Group;
use crate::sweep::Sweep;

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
    /// A part is too short or too long for its place.
    #[error("shard {shard}: {found} runs, must be {wanted}")]
    Count {
        /// Which part.
        shard: Shard,
        /// What it has.
        found: usize,
        /// What it must have.
        wanted: usize,
    },
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
        let runs = interleave(parts.into_iter().map(|(_, part)| part).collect())?;
        let shard = Shard::WHOLE;
        Ok(Self { study, shard, runs })
    }
}

/// The first of each part, the second of each part ...
fn interleave(parts: Vec<Batch>) -> Result<Vec<Run>, MergeError> {
    let total: usize = parts.iter().map(|part| part.runs.len()).sum();
    for part in &parts {
        let (shard, found) = (part.shard, part.runs.len());
        let wanted = shard.of((0..total).collect()).len();
        if found != wanted {
            return Err(MergeError::Count {
                shard,
                found,
                wanted,
            });
        }
    }
    let mut parts: Vec<_> = parts.into_iter().map(|p| p.runs.into_iter()).collect();
    let count = parts.len();
    Ok((0..total).filter_map(|n| parts[n % count].next()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Summary;

    fn batch(shard: &str, cases: std::ops::Range<u32>) -> Batch {
        let runs: Vec<Run> = cases
            .map(|n| Run {
                case: n.to_string(),
                summary: Summary::empty(),
            })
            .collect();
        let shard: Shard = shard.parse().unwrap();
        Batch {
            study: Study::Suite(vec![Group::Ring]),
            shard,
            runs: shard.of(runs),
        }
    }

    fn merged(parts: Vec<Batch>) -> Result<Batch, MergeError> {
        let named = parts.into_iter().enumerate();
        Batch::merge(named.map(|(n, p)| (format!("{n}.json"), p)).collect())
    }

    #[test]
    fn parts_in_any_order_make_the_whole() {
        let parts = ["3/3", "1/3", "2/3"].map(|shard| batch(shard, 0..8));
        assert_eq!(merged(parts.into()).unwrap(), batch("1/1", 0..8));
    }

    #[test]
    fn a_file_reads_back_as_it_was() {
        let batch = batch("2/2", 0..5);
        let text = batch.to_text().unwrap();
        assert_eq!(text.lines().count(), 6 + 2);
        assert_eq!(Batch::parse("x", &text).unwrap(), batch);
    }

    #[test]
    fn parts_that_do_not_go_together_are_named() {
        let fails = |parts: Vec<Batch>| merged(parts).unwrap_err().to_string();
        assert_eq!(fails(vec![]), "no file to merge");
        assert_eq!(fails(vec![batch("2/2", 0..4)]), "shard 1/2 is missing");
        let twice = fails(vec![batch("1/2", 0..4), batch("1/2", 0..4)]);
        assert_eq!(twice, "1.json: shard 1/2 does not go with shard 1/2");
        let other = fails(vec![batch("1/2", 0..4), batch("2/3", 0..4)]);
        assert_eq!(other, "1.json: shard 2/3 does not go with shard 1/2");
        let short = fails(vec![batch("1/2", 0..4), batch("2/2", 0..9)]);
        assert_eq!(short, "shard 1/2: 2 runs, must be 3");
        let mut another = batch("2/2", 0..4);
        another.study = Study::Suite(vec![Group::Loss]);
        let another = fails(vec![batch("1/2", 0..4), another]);
        assert_eq!(another, "1.json: its study is another than that of 0.json");
        let error = Batch::parse("a.json", "{}").unwrap_err().to_string();
        assert!(error.starts_with("a.json: no runs"), "{error}");
    }
}
