//! `metaroce fabric`: a network of hosts that run the model.
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};
use metaroce_fabric::outcome::Summary;
use metaroce_fabric::scenario::Scenario;
use metaroce_fabric::simulation::Simulation;
use metaroce_fabric::suite::{self, Group};
use metaroce_fabric::{compare, report, results, trace};

use crate::output::{Ending, Output, Stop, reported, usage, write_whole};

mod hybrid;

/// Simulate a network whose hosts run the model: switches, ECN, losses, failures; and baselines.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  metaroce fabric sim/fabric/scenarios/permutation.toml\n  metaroce fabric --suite ring --json\n  metaroce fabric sim/fabric/scenarios/hybrid-incast.toml --hardware 0,3"
)]
pub struct Fabric {
    /// What to simulate (docs/fabric.md has the fields).
    #[arg(required_unless_present = "suite")]
    scenario: Option<PathBuf>,
    /// Measures the rows of a suite against their goals instead.
    #[arg(long, conflicts_with_all = ["scenario", "seed", "report", "trace"])]
    suite: Option<Suite>,
    /// Also compares with the baselines, and writes all to this Markdown file and a plot beside it.
    #[arg(long, requires = "suite", conflicts_with = "scenario")]
    results: Option<PathBuf>,
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
        match (&self.suite, &self.scenario) {
            (Some(suite), _) => self.measure(*suite, output, stop),
            (None, Some(path)) => {
                let mut scenario = Scenario::read(path)?;
                self.hybrid.apply(&mut scenario)?;
                self.start(&scenario, output, stop)
            }
            (None, None) => bail!("name a scenario or a suite"),
        }
    }

    fn start(&self, scenario: &Scenario, output: &Output, stop: &Stop) -> Result<()> {
        if scenario.hardware.is_empty() {
            return self.simulate(scenario, output, stop);
        }
        if self.report.is_some() || self.trace.is_some() {
            return Err(usage(
                "a run with hardware has no --report and no --trace: leave them out",
            ));
        }
        let seed = self.seed.unwrap_or(scenario.seed);
        self.hybrid.run(scenario, seed, output, stop)
    }

    fn simulate(&self, scenario: &Scenario, output: &Output, stop: &Stop) -> Result<()> {
        let mut progress = output.progress(1_000, &scenario.name);
        let mut simulation = Simulation::new(scenario, self.seed.unwrap_or(scenario.seed));
        if self.report.is_some() {
            simulation.record_samples();
        }
        if self.trace.is_some() {
            simulation.record_trace();
        }
        let summary = simulation.run(|simulation| {
            progress.set((1_000.0 * simulation.done()) as u64);
            stop.check().is_ok()
        });
        drop(progress);
        stop.check()?;
        if let Some(folder) = &self.report {
            let page = report::page(scenario, &summary, &simulation)?;
            write_whole(&folder.join("index.html"), page.as_bytes())?;
        }
        if let Some(file) = &self.trace {
            write_whole(file, &trace::chrome(simulation.trace())?)?;
        }
        output.print_lines(&summary, || lines(&summary))?;
        if summary.finished {
            return Ok(());
        }
        for open in &summary.unfinished {
            eprintln!(
                "flow {} from {} to {}: {}",
                open.flow, open.from, open.to, open.reason
            );
            open.paths.iter().for_each(|path| eprintln!("  {path}"));
        }
        let count = summary.unfinished.len();
        Err(reported(&format!("{count} flows did not complete")))
    }

    fn measure(&self, suite: Suite, output: &Output, stop: &Stop) -> Result<()> {
        let mut progress = output.progress(0, "suite");
        let report = suite::measure(&suite.groups(), &mut |runs, _| {
            progress.set(runs);
            stop.check().is_ok()
        });
        drop(progress);
        let Ok(report) = report else {
            return Err(Ending::Interrupted.into());
        };
        if let Some(file) = &self.results {
            write_results(file, &report, stop)?;
        }
        output.print_lines(&report, || results::lines(&report))?;
        if report.rows.iter().all(|row| row.value.is_some()) {
            Ok(())
        } else {
            Err(reported("runs did not finish"))
        }
    }
}

/// The page, and beside it in `img` the plot that it shows.
fn write_results(file: &Path, report: &suite::Report, stop: &Stop) -> Result<()> {
    const PLOT: &str = "img/fabric-loss.svg";
    let Ok(curves) = compare::curves(&mut |_, _| stop.check().is_ok()) else {
        return Err(Ending::Interrupted.into());
    };
    let folder = file.parent().unwrap_or(Path::new("."));
    write_whole(&folder.join(PLOT), compare::plot(&curves)?.as_bytes())?;
    write_whole(file, results::page(report, &curves, PLOT).as_bytes())
}

fn lines(s: &Summary) -> Vec<String> {
    let number = |value: f64| format!("{value:.2}");
    let mut rows = vec![
        ("scenario", format!("{}, seed {}", s.scenario, s.seed)),
        ("finished", s.finished.to_string()),
        (
            "FCT p50, p99, max [us]",
            format!(
                "{:.2}, {:.2}, {:.2}",
                s.fct_us.p50, s.fct_us.p99, s.fct_us.max
            ),
        ),
        (
            "all done, limit by wire bytes [us]",
            format!("{:.2}, {:.2}", s.makespan_us, s.limit_us),
        ),
        (
            "goodput, share of the limit",
            format!("{:.4}", s.goodput_share),
        ),
        (
            "retransmissions, needless",
            format!("{}, {}", s.retransmissions, s.spurious_retransmissions),
        ),
        ("second copies", s.idle_copies.to_string()),
        ("data packets", s.packets.to_string()),
        (
            "lost at random, no buffer, dead link",
            format!("{}, {}, {}", s.lost, s.dropped, s.dead),
        ),
        ("marks", s.marks.to_string()),
        (
            "longest queue [packets], [bytes]",
            format!("{}, {}", s.peak_queue_packets, s.peak_queue_bytes),
        ),
        ("Jain's index", format!("{:.4}", s.jain)),
        ("time-outs", s.timeouts.to_string()),
    ];
    if let Some(recovery) = &s.recovery {
        let time = |value: Option<f64>| value.map_or("never".into(), number);
        rows.extend([
            ("failure noticed [us]", time(recovery.noticed_last_us)),
            (
                "others at line rate [us]",
                time(recovery.rest_at_line_rate_us),
            ),
            (
                "all at line rate again [us]",
                time(recovery.all_at_line_rate_us),
            ),
        ]);
    }
    aligned(&rows)
}

fn aligned(rows: &[(&str, String)]) -> Vec<String> {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter()
        .map(|(name, value)| format!("{name:width$}  {value}"))
        .collect()
}
