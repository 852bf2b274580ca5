//! The rows of measurements that the project holds itself to: scenario, seeds, goal.
mod contrasts;
mod goal;
mod rows;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::outcome::Summary;
use crate::runs::{Job, Run, Stopped, Watch, cores, run_all};
use crate::scenario::Scenario;
use crate::sweep::Variant;

use goal::Goal;
pub use goal::{Over, Side};

/// A group of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// Ring all-reduce traffic under loss.
    Ring,
    /// One long flow under loss.
    Loss,
    /// Everyone to one other.
    Permutation,
    /// Many to one.
    Incast,
    /// Unequal spines.
    Asymmetry,
    /// A long round trip.
    LongRtt,
    /// One to eight planes; one fails and returns.
    Planes,
    /// Switches that choose by packet.
    Reorder,
    /// All-reduce and all-to-all under loss, beside go-back-N.
    Collectives,
    /// Links of 100 and of 400 Gb/s.
    Rates,
    /// Short and long round trips at once.
    Sites,
    /// Thousands of connections at one host.
    Connections,
    /// A slow receiver beside fast ones.
    Victims,
}

impl Group {
    /// Every one.
    pub const ALL: [Self; 13] = [
        Self::Ring,
        Self::Loss,
        Self::Permutation,
        Self::Incast,
        Self::Asymmetry,
        Self::LongRtt,
        Self::Planes,
        Self::Reorder,
        Self::Collectives,
        Self::Rates,
        Self::Sites,
        Self::Connections,
        Self::Victims,
    ];

    /// Name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Loss => "loss",
            Self::Permutation => "permutation",
            Self::Incast => "incast",
            Self::Asymmetry => "asymmetry",
            Self::LongRtt => "long-rtt",
            Self::Planes => "planes",
            Self::Reorder => "reorder",
            Self::Collectives => "collectives",
            Self::Rates => "rates",
            Self::Sites => "sites",
            Self::Connections => "connections",
            Self::Victims => "victims",
        }
    }
}

/// One row, measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub key: String,
    /// What was measured; `null`: at least one run did not finish.
    pub value: Option<f64>,
    /// What is to be reached, if anything.
    pub goal: Option<f64>,
    /// On which side.
    pub side: Option<Side>,
    /// It is.
    pub met: Option<bool>,
    /// How the seeds' values are put together.
    pub over: Over,
    /// Smallest value of a seed.
    pub min: f64,
    /// Largest.
    pub max: f64,
    /// From 1 to this.
    pub seeds: u64,
    /// What limits it or how it is measured.
    pub note: String,
}

/// Rows, measured.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// In the order of measuring.
    pub rows: Vec<Row>,
}

impl Serialize for Report {
    /// One key a row, `goal` and `met` by the same keys, and `rows` with everything.
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let by_key = |value: fn(&Row) -> Value| {
            let pairs = self.rows.iter().map(|row| (row.key.clone(), value(row)));
            pairs.collect::<Map<_, _>>()
        };
        let mut all = by_key(|row| row.value.into());
        all.insert("goal".into(), by_key(|row| row.goal.into()).into());
        all.insert("met".into(), by_key(|row| row.met.into()).into());
        let rows = serde_json::to_value(&self.rows).map_err(serde::ser::Error::custom)?;
        all.insert("rows".into(), rows);
        all.serialize(to)
    }
}

/// A scenario of the suite with fields set: what `metaroce fabric FILE --sweep FIELD=VALUE` runs.
#[derive(Clone, Debug)]
struct Case {
    name: &'static str,
    variant: Variant,
}

impl Case {
    fn of(name: &'static str) -> Self {
        let path = format!("{name}.toml");
        let variant = Variant::of(text_of(name), Path::new(&path));
        let variant = variant.unwrap_or_else(|error| panic!("{error}"));
        Self { name, variant }
    }

    fn with(&self, field: &str, value: &str) -> Self {
        let variant = self.variant.clone().with(field, value);
        Self {
            name: self.name,
            variant: variant.unwrap_or_else(|error| panic!("{error}")),
        }
    }

    fn with_loss(&self, rate: f64) -> Self {
        self.with("loss.0.rate", &rate.to_string())
    }

    fn key(&self) -> String {
        format!("{} {}", self.name, self.variant.case())
            .trim()
            .into()
    }

    fn scenario(&self) -> Scenario {
        let scenario = self.variant.scenario();
        scenario.unwrap_or_else(|error| panic!("{error}"))
    }
}

/// A run that rows need and that is not there.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the run of `{case}` with seed {seed} is missing: the suite is another than the one that was run"
)]
pub struct MissingRun {
    /// What was to be run.
    pub case: String,
    /// With which seed.
    pub seed: u64,
}

/// The runs that groups of rows need, each once.
pub fn jobs(groups: &[Group]) -> Vec<Job> {
    let mut bench = Bench {
        rows: Vec::new(),
        runs: BTreeMap::new(),
        needed: Vec::new(),
    };
    groups.iter().for_each(|group| bench.measure(*group));
    bench.needed
}

/// The rows of these runs.
pub fn rows(groups: &[Group], runs: &[Run]) -> Result<Report, MissingRun> {
    let key = |run: &Run| (run.case.clone(), run.summary.seed);
    let mut bench = Bench {
        rows: Vec::new(),
        runs: runs.iter().map(|r| (key(r), r.summary.clone())).collect(),
        needed: Vec::new(),
    };
    groups.iter().for_each(|group| bench.measure(*group));
    match bench.needed.first() {
        Some(Job { case, seed, .. }) => Err(MissingRun {
            case: case.clone(),
            seed: *seed,
        }),
        None => Ok(Report { rows: bench.rows }),
    }
}

/// Runs what groups of rows need, and measures them.
pub fn measure(groups: &[Group], watch: Watch<'_>) -> Result<Report, Stopped> {
    let runs = run_all(&jobs(groups), cores(), watch)?;
    Ok(rows(groups, &runs).unwrap_or_else(|error| panic!("{error}")))
}

/// Makes rows of runs, and notes the runs that it lacks: first all of them.
struct Bench {
    rows: Vec<Row>,
    /// By case and seed.
    runs: BTreeMap<(String, u64), Summary>,
    needed: Vec<Job>,
}

impl Bench {
    /// What a case ended in with these seeds: 1 and up.
    fn run(&mut self, case: &Case, seeds: u64) -> Vec<Summary> {
        let name = case.key();
        let known = (1..=seeds).map(|seed| self.runs.get(&(name.clone(), seed)).cloned());
        if let Some(known) = known.collect::<Option<Vec<_>>>() {
            return known;
        }
        let scenario = Arc::new(case.scenario());
        let digest = case.variant.digest();
        for seed in 1..=seeds {
            let planned = self.needed.iter().any(|j| j.case == name && j.seed == seed);
            if !planned && !self.runs.contains_key(&(name.clone(), seed)) {
                self.needed.push(Job {
                    case: name.clone(),
                    digest: digest.clone(),
                    scenario: scenario.clone(),
                    seed,
                });
            }
        }
        // The rows that come of these are thrown away.
        vec![Summary::empty(); seeds as usize]
    }

    fn row(
        &mut self,
        key: impl Into<String>,
        goal: Goal,
        runs: &[Summary],
        note: impl Into<String>,
        value: impl Fn(&Summary) -> f64,
    ) {
        let values: Vec<f64> = runs.iter().map(value).collect();
        let all = runs.iter().all(|run| run.finished) && values.iter().all(|v| v.is_finite());
        let value = all.then(|| goal.of(&values));
        self.rows.push(Row {
            key: key.into(),
            value,
            goal: goal.value,
            side: goal.value.map(|_| goal.side),
            met: goal.is_met(value),
            over: goal.over,
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            seeds: runs.len() as u64,
            note: note.into(),
        });
    }
}

fn text_of(name: &str) -> &'static str {
    let text = SCENARIOS.iter().find(|(n, _)| *n == name);
    text.unwrap_or_else(|| panic!("no scenario {name}")).1
}

/// A scenario of the suite.
pub fn scenario(name: &str) -> Scenario {
    let path = format!("{name}.toml");
    Scenario::parse(text_of(name), Path::new(&path)).unwrap_or_else(|error| panic!("{error}"))
}

macro_rules! scenarios {
    ($($name:literal),+ $(,)?) => {
        /// The suite's scenarios: name and text.
        pub const SCENARIOS: &[(&str, &str)] =
            &[$(($name, include_str!(concat!("../../scenarios/", $name, ".toml")))),+];
    };
}

scenarios!(
    "ring-2mb",
    "ring-16mb",
    "one-flow",
    "permutation",
    "incast-32x1mb",
    "incast-8x8mb",
    "asymmetry",
    "long-rtt",
    "planes",
    "plane-failure",
    "reorder",
    "reorder-2mb",
    "all-reduce-loss",
    "all-to-all-loss",
    "link-rates",
    "two-sites",
    "connections-4000",
    "slow-receiver",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scenario_of_the_suite_can_be() {
        for (name, _) in SCENARIOS {
            assert_eq!(scenario(name).name, *name);
        }
    }

    #[test]
    fn a_report_is_one_key_a_row_with_goal_and_met() {
        let mut bench = Bench {
            rows: Vec::new(),
            runs: BTreeMap::new(),
            needed: Vec::new(),
        };
        let unfinished = Summary {
            finished: false,
            ..Summary::empty()
        };
        bench.row(
            "a_share",
            Goal::at_least(0.5),
            &[Summary::empty()],
            "",
            |_| 0.7,
        );
        bench.row("b_us", Goal::at_most(9.0), &[unfinished], "", |_| 7.0);
        bench.row("c", Goal::none(), &[Summary::empty()], "", |_| 3.0);
        let json = serde_json::to_value(Report { rows: bench.rows }).unwrap();
        assert_eq!(json["a_share"], 0.7);
        assert_eq!(
            (&json["goal"]["a_share"], &json["met"]["a_share"]),
            (&0.5.into(), &true.into())
        );
        assert!(json["b_us"].is_null() && json["met"]["b_us"] == false);
        assert!(json["c"] == 3.0 && json["goal"]["c"].is_null() && json["met"]["c"].is_null());
    }

    #[test]
    fn no_run_is_planned_twice_and_a_missing_one_is_named() {
        let jobs = jobs(&[Group::Permutation, Group::Permutation]);
        assert_eq!(jobs.len(), 10);
        let missing = rows(&[Group::Permutation], &[]).unwrap_err();
        assert_eq!((missing.case.as_str(), missing.seed), ("permutation", 1));
    }
}
