//! The rows of measurements that the project holds itself to: scenario, seeds, goal.
mod rows;

use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::outcome::Summary;
use crate::scenario::Scenario;
use crate::simulation::Simulation;

/// A group of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
}

impl Group {
    /// Every one.
    pub const ALL: [Self; 8] = [
        Self::Ring,
        Self::Loss,
        Self::Permutation,
        Self::Incast,
        Self::Asymmetry,
        Self::LongRtt,
        Self::Planes,
        Self::Reorder,
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
        }
    }
}

/// Which side of its goal a value must be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The goal or more.
    AtLeast,
    /// The goal or less.
    AtMost,
}

/// How a row's value comes from its seeds' values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// Their mean.
    Mean,
    /// The worst of them: every seed must do.
    Worst,
}

/// One row, measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its name.
    pub key: String,
    /// What was measured; `null`: at least one run did not finish.
    pub value: Option<f64>,
    /// What is to be reached.
    pub goal: f64,
    /// On which side.
    pub side: Side,
    /// It is.
    pub met: bool,
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

/// What is told while rows are measured: runs done, what comes next. `false` ends it.
pub type Watch<'a> = &'a mut dyn FnMut(u64, &str) -> bool;

/// The caller ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("stopped")]
pub struct Stopped;

/// Measures groups of rows.
pub fn measure(groups: &[Group], watch: Watch<'_>) -> Result<Report, Stopped> {
    let mut bench = Bench {
        rows: Vec::new(),
        runs: 0,
        watch,
    };
    for group in groups {
        bench.measure(*group)?;
    }
    Ok(Report { rows: bench.rows })
}

/// Runs scenarios and keeps rows.
struct Bench<'a> {
    rows: Vec<Row>,
    runs: u64,
    watch: Watch<'a>,
}

/// What is to be reached.
#[derive(Clone, Copy, Debug)]
struct Goal {
    side: Side,
    over: Over,
    value: f64,
}

impl Goal {
    fn at_least(value: f64) -> Self {
        Self {
            side: Side::AtLeast,
            over: Over::Mean,
            value,
        }
    }

    fn at_most(value: f64) -> Self {
        Self {
            side: Side::AtMost,
            over: Over::Mean,
            value,
        }
    }

    fn for_every_seed(self) -> Self {
        Self {
            over: Over::Worst,
            ..self
        }
    }

    fn of(&self, values: &[f64]) -> f64 {
        match (self.over, self.side) {
            (Over::Mean, _) => values.iter().sum::<f64>() / values.len() as f64,
            (Over::Worst, Side::AtLeast) => values.iter().copied().fold(f64::INFINITY, f64::min),
            (Over::Worst, Side::AtMost) => values.iter().copied().fold(0.0, f64::max),
        }
    }

    fn is_met(&self, value: f64) -> bool {
        match self.side {
            Side::AtLeast => value >= self.value,
            Side::AtMost => value <= self.value,
        }
    }
}

impl Bench<'_> {
    /// A scenario with these seeds: 1 and up.
    fn run(&mut self, scenario: &Scenario, seeds: u64) -> Result<Vec<Summary>, Stopped> {
        (1..=seeds)
            .map(|seed| {
                self.runs += 1;
                let (runs, watch) = (self.runs, &mut self.watch);
                let mut stopped = false;
                let summary = Simulation::new(scenario, seed).run(|_| {
                    stopped = !watch(runs, &scenario.name);
                    !stopped
                });
                if stopped { Err(Stopped) } else { Ok(summary) }
            })
            .collect()
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
            side: goal.side,
            met: value.is_some_and(|value| goal.is_met(value)),
            over: goal.over,
            min: values.iter().copied().fold(f64::INFINITY, f64::min),
            max: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            seeds: runs.len() as u64,
            note: note.into(),
        });
    }
}

/// A scenario of the suite.
pub fn scenario(name: &str) -> Scenario {
    let text = SCENARIOS.iter().find(|(n, _)| *n == name);
    let text = text.unwrap_or_else(|| panic!("no scenario {name}")).1;
    let path = format!("{name}.toml");
    Scenario::parse(text, Path::new(&path)).unwrap_or_else(|error| panic!("{error}"))
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
    fn a_goal_looks_at_its_side_and_its_seeds() {
        let least = Goal::at_least(0.9);
        assert!(least.is_met(least.of(&[0.8, 1.0])));
        let least = least.for_every_seed();
        assert!(!least.is_met(least.of(&[0.8, 1.0])));
        let most = Goal::at_most(5.0).for_every_seed();
        assert_eq!(most.of(&[1.0, 6.0]), 6.0);
        assert!(!most.is_met(6.0) && most.is_met(5.0));
    }

    #[test]
    fn a_report_is_one_key_a_row_with_goal_and_met() {
        let mut watch = |_: u64, _: &str| true;
        let mut bench = Bench {
            rows: Vec::new(),
            runs: 0,
            watch: &mut watch,
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
        let json = serde_json::to_value(Report { rows: bench.rows }).unwrap();
        assert_eq!(json["a_share"], 0.7);
        assert_eq!(
            (&json["goal"]["a_share"], &json["met"]["a_share"]),
            (&0.5.into(), &true.into())
        );
        assert!(json["b_us"].is_null() && json["met"]["b_us"] == false);
    }
}
