//! `metaroce fabric --hardware`: some hosts are verilated NICs; the same run with models only must be equal.
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use metaroce_cosim::station::Plant;
use metaroce_fabric::scenario::Scenario;
use metaroce_hybrid::report::Report;
use metaroce_hybrid::run::{self, HybridError, Run};
use metaroce_hybrid::schedule::Schedule;

use crate::output::{Ending, Output, Stop, reported, usage, write_whole};

/// Hybrid runs.
#[derive(Args, Clone, Debug)]
pub struct Hybrid {
    /// Hosts whose NICs are verilated, instead of the scenario's; then the same with models only, frame by frame.
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "HOST",
        requires = "scenario"
    )]
    hardware: Option<Vec<u32>>,
    /// Writes when the NICs' engines committed: what the run with models only follows (docs/fabric.md).
    #[arg(long, value_name = "FILE", requires = "scenario")]
    schedule: Option<PathBuf>,
    /// Models only: those in the place of hardware follow the schedule in this file.
    #[arg(long, value_name = "FILE", requires = "scenario", conflicts_with_all = ["schedule", "plant_fault"])]
    follow: Option<PathBuf>,
    /// Also writes the packet trace: a line for each frame on each link.
    #[arg(long, value_name = "FILE", requires = "scenario")]
    packets: Option<PathBuf>,
    /// Plant a fault: from this cycle on, the first payload bit that the first NIC reads from its host turns.
    #[arg(long, value_name = "CYCLE", requires = "scenario")]
    plant_fault: Option<u64>,
    /// Folder for the waves of a difference.
    #[arg(long, default_value = "out/fabric")]
    out: PathBuf,
}

impl Hybrid {
    /// Hosts that the command names take the place of the scenario's.
    pub fn apply(&self, scenario: &mut Scenario) -> Result<()> {
        if let Some(hosts) = &self.hardware {
            let set = scenario.set_hardware(hosts.clone());
            set.map_err(|(field, problem)| usage(&format!("--hardware: {field}: {problem}")))?;
        }
        let needs = [
            ("--schedule", self.schedule.is_some()),
            ("--follow", self.follow.is_some()),
            ("--packets", self.packets.is_some()),
            ("--plant-fault", self.plant_fault.is_some()),
        ];
        match needs.into_iter().find(|&(_, given)| given) {
            Some((name, _)) if scenario.hardware.is_empty() => {
                Err(usage(&format!("{name} needs hosts that are hardware")))
            }
            _ => Ok(()),
        }
    }

    /// Runs, compares, prints; fails if anything differs.
    pub fn run(&self, scenario: &Scenario, seed: u64, output: &Output, stop: &Stop) -> Result<()> {
        if let Some(file) = &self.follow {
            return self.follow(file, scenario, seed, output, stop);
        }
        let mut progress = output.progress(1_000, &scenario.name);
        let plant = self.plant_fault.map(|cycle| Plant { cycle });
        let report = run::run(scenario, seed, plant, &self.out, &mut |done| {
            progress.set((1_000.0 * done) as u64);
            stop.check().is_ok()
        });
        drop(progress);
        let report = report.map_err(ending)?;
        if let Some(file) = &self.schedule {
            write_schedule(file, &report)?;
        }
        self.write_packets(&report.run)?;
        output.print_lines(&report, || lines(&report))?;
        match report.is_good() {
            true => Ok(()),
            false => Err(reported(&verdict(&report))),
        }
    }

    fn follow(
        &self,
        file: &Path,
        scenario: &Scenario,
        seed: u64,
        output: &Output,
        stop: &Stop,
    ) -> Result<()> {
        let read = || -> Result<Schedule> { Ok(serde_json::from_slice(&std::fs::read(file)?)?) };
        let schedule = read().with_context(|| format!("can't read {}", file.display()))?;
        let run = run::with_schedule(scenario, seed, &schedule, &mut |_| stop.check().is_ok());
        let run = run.map_err(ending)?;
        self.write_packets(&run)?;
        output.print_lines(&run.summary, || super::one::lines(&run.summary))?;
        match run.stops.values().next() {
            Some(stop) => Err(reported(&stop.text)),
            None if run.summary.finished => Ok(()),
            None => Err(reported("flows did not complete")),
        }
    }

    fn write_packets(&self, run: &Run) -> Result<()> {
        match &self.packets {
            Some(file) => write_whole(file, run.packets().as_bytes()),
            None => Ok(()),
        }
    }
}

fn ending(error: HybridError) -> anyhow::Error {
    match error {
        HybridError::Interrupted => Ending::Interrupted.into(),
        HybridError::SetUp(_) | HybridError::OtherSchedule { .. } => usage(&error.to_string()),
        other => other.into(),
    }
}

fn write_schedule(file: &Path, report: &Report) -> Result<()> {
    let text =
        serde_json::to_vec(&report.run.schedule).context("can't write the schedule as JSON")?;
    write_whole(file, &text)
}

fn verdict(report: &Report) -> String {
    match &report.first_difference {
        Some(difference) => format!("the runs differ: {}", difference.what),
        None if report.planted => {
            "the fault was not planted: the first NIC read no payload on plane 0 from that cycle on"
                .into()
        }
        None if !report.memory_equal => "host memory is not what was sent".into(),
        None if !report.flows_equal => "flows end at other times".into(),
        None => format!("{} flows did not complete", report.summary.unfinished.len()),
    }
}

fn lines(report: &Report) -> Vec<String> {
    let yes = |is: bool| if is { "yes" } else { "NO" }.to_string();
    let hosts: Vec<_> = report.hardware.iter().map(u32::to_string).collect();
    let mut rows = vec![
        ("verilated NICs", format!("hosts {}", hosts.join(", "))),
        ("packet traces equal", yes(report.trace_equal)),
        (
            "frames on links, whole frames of NICs",
            format!(
                "{}, {}",
                report.frames_compared, report.whole_frames_compared
            ),
        ),
        (
            "flows, host memory equal",
            format!("{}, {}", yes(report.flows_equal), yes(report.memory_equal)),
        ),
        ("NIC cycles", report.nic_cycles.to_string()),
    ];
    if let Some(natural) = &report.natural {
        rows.push((
            "without schedule: packets of paths equal",
            yes(natural.sequences_equal),
        ));
        rows.push((
            "without schedule: largest difference of an FCT",
            format!("{:.1} %", 100.0 * natural.fct_difference_share),
        ));
    }
    if let Some(difference) = &report.first_difference {
        rows.extend([
            ("FIRST DIFFERENCE", difference.what.clone()),
            ("  hardware", difference.hardware.clone()),
            ("  models", difference.models.clone()),
        ]);
    }
    if let Some(waves) = &report.waves {
        rows.push(("waves", waves.display().to_string()));
    }
    let mut lines = super::one::lines(&report.summary);
    lines.extend(super::one::aligned(&rows));
    lines
}
