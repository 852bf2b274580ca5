//! A scenario: what a TOML file says. docs/fabric.md has the table of fields.
mod check;
mod fabric;
mod hardware;
mod locate;
mod transport;
mod workload;

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::packet::HostId;
use crate::units::Duration;

pub use check::Problem;
pub use fabric::*;
pub use transport::*;
pub use workload::*;

/// Why a scenario can't be run.
#[derive(Debug, thiserror::Error)]
pub enum ScenarioError {
    /// The file can't be read.
    #[error("can't read {path}")]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It is no TOML, or a field is unknown, missing or of another kind.
    #[error("{path}: {text}")]
    Syntax {
        /// Which file.
        path: PathBuf,
        /// Line, column and reason.
        text: String,
    },
    /// Its fields contradict each other or can't be.
    #[error("{path}: line {line}: {field}: {problem}")]
    Check {
        /// Which file.
        path: PathBuf,
        /// Line of the field.
        line: usize,
        /// The field.
        field: String,
        /// What is wrong.
        problem: Problem,
    },
}

/// A whole scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// What it is called in results.
    pub name: String,
    /// What it shows.
    #[serde(default)]
    pub about: String,
    /// Decides every random choice.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Simulated time after which what is unfinished counts as hanging.
    #[serde(default = "limit")]
    pub limit: Duration,
    /// Switches and links.
    pub fabric: Fabric,
    /// What the hosts speak.
    #[serde(default)]
    pub transport: Transport,
    /// What they do.
    pub workload: Vec<Workload>,
    /// Random losses.
    #[serde(default)]
    pub loss: Vec<Loss>,
    /// Links and planes that fail.
    #[serde(default)]
    pub failure: Vec<Failure>,
    /// Links slower than the others.
    #[serde(default)]
    pub slow: Vec<Slow>,
    /// Hosts that are hardware in a hybrid run.
    #[serde(default)]
    pub hardware: Vec<HostId>,
}

/// The seed of a scenario that names none.
pub const DEFAULT_SEED: u64 = 1;

fn default_seed() -> u64 {
    DEFAULT_SEED
}

fn limit() -> Duration {
    Duration(crate::units::SECOND)
}

impl Scenario {
    /// Reads and checks a file.
    pub fn read(path: &Path) -> Result<Self, ScenarioError> {
        let text = std::fs::read_to_string(path).map_err(|source| ScenarioError::Read {
            path: path.into(),
            source,
        })?;
        Self::parse(&text, path)
    }

    /// Reads and checks a text; `path` is what errors call it, and where files that it names lie.
    pub fn parse(text: &str, path: &Path) -> Result<Self, ScenarioError> {
        let scenario = toml::from_str(text).map_err(|error| syntax(path, &error))?;
        Self::checked(scenario, text, path)
    }

    /// A text as a table, for fields to be set before [`Self::of_table`].
    pub fn table(text: &str, path: &Path) -> Result<toml::Table, ScenarioError> {
        text.parse().map_err(|error| syntax(path, &error))
    }

    /// Reads and checks a table; `text` is what it came from, where errors look for lines.
    pub fn of_table(table: toml::Table, text: &str, path: &Path) -> Result<Self, ScenarioError> {
        let scenario = table.try_into().map_err(|error| syntax(path, &error))?;
        Self::checked(scenario, text, path)
    }

    fn checked(mut scenario: Self, text: &str, path: &Path) -> Result<Self, ScenarioError> {
        let folder = path.parent().unwrap_or(Path::new("."));
        let read = scenario.read_flows(folder);
        read.and_then(|()| scenario.check())
            .map_err(|found| ScenarioError::Check {
                path: path.into(),
                line: locate::line_of(text, &found.field),
                field: found.field.to_string(),
                problem: found.problem,
            })?;
        Ok(scenario)
    }
}

fn syntax(path: &Path, error: &toml::de::Error) -> ScenarioError {
    ScenarioError::Syntax {
        path: path.into(),
        text: error.to_string().trim_end().into(),
    }
}
