//! `metaroce fabric`: a network of hosts that run the model.
mod batch;
mod hybrid;
mod one;

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use metaroce_fabric::scenario::Scenario;
use metaroce_fabric::shard::Shard;
use metaroce_fabric::suite::Group;
use metaroce_fabric::sweep::Sweep;

use crate::output::{Output, Stop, usage};

/// Simulate a network whose hosts run the model: switches, ECN, losses, failures; and baselines.
#[derive(Args, Clone, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Fabric {
    /// What to simulate (docs/fabric.md has the fields).
    #[arg(required_unless_present_any = ["suite", "merge"])]
    scenario: Option<PathBuf>,
    /// Measures the rows of a suite against their goals instead.
    #[arg(long, conflicts_with_all = ["scenario", "seed", "report", "trace", "sweep"])]
    suite: Option<Suite>,
    /// Runs the scenario with each value of a field: `loss.0.rate=0,0.01`, `seed=1..10`. More than one: every combination.
    #[arg(long, value_name = "FIELD=VALUES", conflicts_with_all = ["seed", "report", "trace"])]
    sweep: Vec<Sweep>,
    /// Only part I of N of a sweep or suite; `--json` of all parts goes into `--merge`.
    #[arg(long, value_name = "I/N", conflicts_with_all = ["seed", "report", "trace"])]
    shard: Option<Shard>,
    /// Puts the parts of a sweep or suite together, from the JSON of each.
    #[arg(long, value_name = "FILE", num_args = 1.., conflicts_with_all = ["scenario", "suite", "seed", "report", "trace", "sweep", "shard"])]
    merge: Vec<PathBuf>,
    /// Writes every run of the suite to this JSON file, and a Markdown page of the rows and a plot beside it.
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["scenario", "shard"])]
    results: Option<PathBuf>,
    /// Simulations of a sweep or suite at a time; one a core without it. Results are the same.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Decides every random choice, instead of the scenario's.
    #[arg(long)]
    seed: Option<u64>,
    /// Writes a page with plots here: `index.html`.
    #[arg(long)]
    report: Option<PathBuf>,
    /// Writes the first flow's events to this file, for Perfetto.
    #[arg(long)]
    trace: Option<PathBuf>,
    #[command(flatten)]
    hybrid: hybrid::Hybrid,
}

const EXAMPLES: &str = "Examples:
  metaroce fabric sim/fabric/scenarios/permutation.toml
  metaroce fabric sim/fabric/scenarios/one-flow.toml --sweep loss.0.rate=0,0.001,0.01 --sweep seed=1..10
  metaroce fabric --suite ring --shard 1/2 --json > 1.json
  metaroce fabric --merge 1.json 2.json
  metaroce fabric sim/fabric/scenarios/hybrid-incast.toml --hardware 0,3";

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Suite {
    Ring,
    Loss,
    Permutation,
    Incast,
    Asymmetry,
    LongRtt,
    Planes,
    Reorder,
    Collectives,
    Rates,
    Sites,
    Connections,
    Victims,
    All,
}

impl Suite {
    fn groups(self) -> Vec<Group> {
        let name = self.to_possible_value().expect("none is hidden");
        let all = Group::ALL.into_iter();
        all.filter(|group| matches!(self, Self::All) || group.name() == name.get_name())
            .collect()
    }
}

impl Fabric {
    /// Simulates, and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        if !self.merge.is_empty() {
            return batch::merge(self, output);
        }
        match (&self.suite, &self.scenario) {
            (Some(suite), _) => batch::suite(self, suite.groups(), output, stop),
            (None, Some(path)) => {
                let mut scenario = Scenario::read(path)?;
                self.hybrid.apply(&mut scenario)?;
                self.start(path, &scenario, output, stop)
            }
            (None, None) => bail!("name a scenario or a suite"),
        }
    }

    fn start(&self, path: &Path, scenario: &Scenario, output: &Output, stop: &Stop) -> Result<()> {
        match (scenario.hardware.is_empty(), self.is_sweep()) {
            (true, true) => batch::sweep(self, path, output, stop),
            (true, false) => one::simulate(self, scenario, output, stop),
            (false, _) => self.run_hybrid(scenario, output, stop),
        }
    }

    fn run_hybrid(&self, scenario: &Scenario, output: &Output, stop: &Stop) -> Result<()> {
        if self.report.is_some() || self.trace.is_some() || self.is_sweep() {
            return Err(usage(
                "a run with hardware has no --report, no --trace, no --sweep and no --shard: leave them out",
            ));
        }
        let seed = self.seed.unwrap_or(scenario.seed);
        self.hybrid.run(scenario, seed, output, stop)
    }

    fn is_sweep(&self) -> bool {
        !self.sweep.is_empty() || self.shard.is_some()
    }
}
