//! A scenario with fields set from outside: one value each, or a row of values.
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use toml::{Table, Value};

use crate::runs::Job;
use crate::scenario::{DEFAULT_SEED, Scenario, ScenarioError};

/// Most runs of a sweep (ours): its results are kept in memory.
const MOST: u64 = 100_000;

/// Why a sweep can't be.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// No `FIELD=VALUES`.
    #[error(
        "sweep `{0}` must be FIELD=VALUE,VALUE... or FIELD=FIRST..LAST, for example loss.0.rate=0,0.01 or seed=1..10"
    )]
    Syntax(String),
    /// `5..1`, `1..`.
    #[error(
        "sweep {field}: `{range}` is no range: must be FIRST..LAST, whole numbers, FIRST at most LAST"
    )]
    Range {
        /// The field.
        field: String,
        /// What is written.
        range: String,
    },
    /// The same field twice.
    #[error("sweep {0}: this field is swept already")]
    Twice(String),
    /// Too many runs.
    #[error("sweep {field}: {runs} runs, must be at most {MOST}")]
    TooMany {
        /// The field at which it became too many.
        field: String,
        /// How many.
        runs: u64,
    },
    /// The scenario has no such place.
    #[error("sweep {field}: the scenario has no {part}")]
    NoPlace {
        /// The field.
        field: String,
        /// The part of it that is missing.
        part: String,
    },
    /// With this value the scenario can't be.
    #[error("sweep {case}: {source}")]
    Scenario {
        /// The values.
        case: String,
        /// Why.
        source: Box<ScenarioError>,
    },
    /// The scenario itself can't be.
    #[error(transparent)]
    Base(#[from] ScenarioError),
}

/// A field and its values, as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sweep {
    /// Names and places of arrays with dots between: `loss.0.rate`.
    pub field: String,
    /// In the order of running.
    pub values: Vec<String>,
}

impl FromStr for Sweep {
    type Err = SweepError;

    fn from_str(text: &str) -> Result<Self, SweepError> {
        let bad = || SweepError::Syntax(text.into());
        let (field, values) = text.split_once('=').ok_or_else(bad)?;
        let (field, values) = (field.trim().to_string(), values.trim());
        let values = match range(values) {
            Some(None) => {
                let range = values.into();
                return Err(SweepError::Range { field, range });
            }
            Some(Some((first, last))) => {
                let runs = (last - first).saturating_add(1);
                if runs > MOST {
                    return Err(SweepError::TooMany { field, runs });
                }
                (first..=last).map(|n| n.to_string()).collect()
            }
            None => split(values),
        };
        let whole = !field.is_empty() && values.iter().all(|v: &String| !v.is_empty());
        whole.then_some(Self { field, values }).ok_or_else(bad)
    }
}

/// `1..10`, both ends included; `Some(None)`: meant as one, and none. `../flows.csv` is not meant as one.
fn range(text: &str) -> Option<Option<(u64, u64)>> {
    let (first, last) = text.split_once("..")?;
    let number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let meant = number(first) || first.is_empty() && number(last);
    if !meant {
        return None;
    }
    let ends = first.parse().ok().zip(last.parse().ok());
    Some(ends.filter(|(first, last)| first <= last))
}

/// At the commas that are in no brackets.
fn split(text: &str) -> Vec<String> {
    let mut depth = 0;
    let parts = text.split(|c| {
        match c {
            '[' | '{' => depth += 1,
            ']' | '}' => depth -= 1,
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(|part| part.trim().to_string()).collect()
}

/// A scenario's text, and fields that are set on top.
#[derive(Clone, Debug)]
pub struct Variant {
    text: Arc<str>,
    path: PathBuf,
    table: Table,
    set: Vec<(String, String)>,
}

impl Variant {
    /// Nothing set.
    pub fn of(text: &str, path: &Path) -> Result<Self, ScenarioError> {
        Ok(Self {
            text: text.into(),
            path: path.into(),
            table: Scenario::table(text, path)?,
            set: Vec::new(),
        })
    }

    /// The same with a field set. A value is TOML, or else a text: `0.01`, `400Gbps`, `{ at = "100kB" }`.
    pub fn with(mut self, field: &str, value: &str) -> Result<Self, SweepError> {
        *place(&mut self.table, field)? = read(value);
        self.set.push((field.into(), value.into()));
        Ok(self)
    }

    /// What is set, the seed left out.
    pub fn case(&self) -> String {
        let set = self.set.iter().filter(|(field, _)| field != "seed");
        let set: Vec<_> = set.map(|(f, v)| format!("{f}={v}")).collect();
        set.join(" ")
    }

    /// Sixteen digits of the SHA-256 of the scenario's fields: other fields, other digits; comments and spaces don't count.
    pub fn digest(&self) -> String {
        let hash = Sha256::digest(self.table.to_string());
        hash[..8].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The scenario's seed.
    pub fn seed(&self) -> Option<u64> {
        let seed = self.table.get("seed").map(Value::as_integer);
        seed.map_or(Some(DEFAULT_SEED), |seed| seed?.try_into().ok())
    }

    /// The scenario.
    pub fn scenario(&self) -> Result<Scenario, SweepError> {
        let scenario = Scenario::of_table(self.table.clone(), &self.text, &self.path);
        scenario.map_err(|source| match self.set.is_empty() {
            true => SweepError::Base(source),
            false => SweepError::Scenario {
                case: self.to_string(),
                source: source.into(),
            },
        })
    }
}

impl fmt::Display for Variant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let set: Vec<_> = self.set.iter().map(|(f, v)| format!("{f}={v}")).collect();
        f.write_str(&set.join(" "))
    }
}

fn read(value: &str) -> Value {
    let parsed = format!("value = {value}").parse::<Table>();
    let parsed = parsed.ok().and_then(|mut table| table.remove("value"));
    parsed.unwrap_or_else(|| Value::String(value.into()))
}

/// Where a field stands; tables on the way that stand at their default appear.
fn place<'a>(table: &'a mut Table, field: &str) -> Result<&'a mut Value, SweepError> {
    let mut steps = field.split('.');
    let first = steps.next().unwrap_or_default();
    let missing = |part: &str| SweepError::NoPlace {
        field: field.into(),
        part: part.into(),
    };
    let mut so_far = first.to_string();
    let mut value = table.entry(first).or_insert(Value::Table(Table::new()));
    for step in steps {
        let here = format!("{so_far}.{step}");
        value = match value {
            Value::Table(table) if table.is_empty() && step.parse::<usize>().is_ok() => {
                return Err(missing(&so_far));
            }
            Value::Table(table) => table.entry(step).or_insert(Value::Table(Table::new())),
            Value::Array(array) => {
                let entry = step.parse::<usize>().ok().and_then(|n| array.get_mut(n));
                entry.ok_or_else(|| missing(&here))?
            }
            _ => return Err(missing(&here)),
        };
        so_far = here;
    }
    Ok(value)
}

/// Every combination, the last field's values next to each other.
pub fn variants(base: &Variant, sweeps: &[Sweep]) -> Result<Vec<Variant>, SweepError> {
    let mut variants = vec![base.clone()];
    for (n, sweep) in sweeps.iter().enumerate() {
        let field = &sweep.field;
        if sweeps[..n].iter().any(|before| before.field == *field) {
            return Err(SweepError::Twice(field.clone()));
        }
        let runs = variants.len() as u64 * sweep.values.len() as u64;
        if runs > MOST {
            let field = field.clone();
            return Err(SweepError::TooMany { field, runs });
        }
        let each = variants.iter().flat_map(|variant| {
            let values = sweep.values.iter();
            values.map(|value| variant.clone().with(field, value))
        });
        variants = each.collect::<Result<_, _>>()?;
    }
    Ok(variants)
}

/// The runs of every combination.
pub fn jobs(base: &Variant, sweeps: &[Sweep]) -> Result<Vec<Job>, SweepError> {
    let variants = variants(base, sweeps)?;
    let jobs = variants.iter().map(|variant| {
        let scenario = variant.scenario()?;
        Ok(Job {
            case: variant.case(),
            digest: variant.digest(),
            seed: scenario.seed,
            scenario: Arc::new(scenario),
        })
    });
    jobs.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name = 'x'\n[fabric]\ntopology = 'leaf-spine'\nleaves = 2\nhosts_per_leaf = 2\nspines = 1\n[[workload]]\npermutation = { size = '1kB' }\n[[loss]]\nrate = 0.5\n";

    fn jobs_of(sweeps: &[&str]) -> Result<Vec<Job>, SweepError> {
        let sweeps: Result<Vec<Sweep>, _> = sweeps.iter().map(|text| text.parse()).collect();
        jobs(&Variant::of(TEXT, Path::new("x.toml"))?, &sweeps?)
    }

    #[test]
    fn every_combination_is_run_once_in_order() {
        let jobs = jobs_of(&[
            "loss.0.rate=0, 0.01",
            "fabric.link.rate=100Gbps",
            "seed=4..6",
        ]);
        let jobs = jobs.unwrap_or_else(|error| panic!("{error}"));
        let seen: Vec<_> = jobs
            .iter()
            .map(|j| (j.scenario.loss[0].rate, j.seed))
            .collect();
        let expected = [
            (0.0, 4),
            (0.0, 5),
            (0.0, 6),
            (0.01, 4),
            (0.01, 5),
            (0.01, 6),
        ];
        assert_eq!(seen, expected);
        assert_eq!(jobs[3].case, "loss.0.rate=0.01 fabric.link.rate=100Gbps");
        assert_eq!(jobs[0].scenario.fabric.link.rate.0, 100_000_000_000);
    }

    #[test]
    fn a_digest_is_of_the_fields_and_not_of_how_they_are_written() {
        let variant = |text: &str| Variant::of(text, Path::new("x.toml")).unwrap();
        let plain = variant(TEXT);
        assert_eq!(plain.digest(), variant(&format!("# x\n{TEXT}")).digest());
        let set = plain.clone().with("loss.0.rate", "0.25").unwrap();
        assert_ne!(plain.digest(), set.digest());
        assert_eq!(set.digest(), variant(&TEXT.replace("0.5", "0.25")).digest());
    }

    #[test]
    fn commas_in_brackets_belong_to_a_value() {
        let sweep: Sweep =
            "fabric.ecn=off,{ red = { min = '1kB', max = '2kB', probability = 0.5 } }"
                .parse()
                .unwrap();
        assert_eq!(sweep.values.len(), 2);
        assert_eq!(
            jobs_of(&["fabric.ecn=off,{ threshold = { at = '1kB' } }"])
                .unwrap()
                .len(),
            2
        );
    }

    #[test]
    fn what_is_wrong_names_its_field() {
        let cases: [(&[&str], &str); 13] = [
            (&["loss.0.rate"], "sweep `loss.0.rate` must be FIELD=VALUE"),
            (&["seed="], "sweep `seed=` must be"),
            (&["=1"], "sweep `=1` must be"),
            (
                &["seed=1,2", "seed=3"],
                "sweep seed: this field is swept already",
            ),
            (
                &["seed=1..200000"],
                "sweep seed: 200000 runs, must be at most 100000",
            ),
            (
                &["loss.3.rate=0"],
                "sweep loss.3.rate: the scenario has no loss.3",
            ),
            (
                &["slow.0.rate=1Gbps"],
                "sweep slow.0.rate: the scenario has no slow",
            ),
            (&["seed=5..1"], "sweep seed: `5..1` is no range"),
            (&["seed=1.."], "sweep seed: `1..` is no range"),
            (&["seed=..5"], "sweep seed: `..5` is no range"),
            (&["name.x=0"], "the scenario has no name.x"),
            (
                &["loss.0.rate=0,1.5"],
                "loss.0.rate=1.5: x.toml: line 10: loss[0].rate: is 1.5, must be 0 to 1",
            ),
            (&["loss.0.rates=0"], "unknown field `rates`"),
        ];
        for (sweeps, expected) in cases {
            let error = jobs_of(sweeps).expect_err(expected).to_string();
            assert!(
                error.contains(expected),
                "`{expected}` is missing in: {error}"
            );
        }
    }
}
