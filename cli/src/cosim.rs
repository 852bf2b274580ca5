//! `metaroce cosim`: a file, or random traffic, crosses lossy planes between two verilated NICs, in lockstep with the model.
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::Args;
use metaroce_cosim::planes::Faults;
use metaroce_protocol::constants::NOT_READY_TICKS;
use metaroce_rtl::sizes::Size;
use serde::Serialize;

use crate::output::{Output, Stop, write_whole};

mod lab;
mod replay;
mod run;
mod traffic;

/// Planes of the verilated NIC.
const MAX_PLANES: u32 = 4;

/// A file, or random traffic, crosses lossy planes between two verilated NICs, in lockstep with the model.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Examples:\n  metaroce cosim --file README.md --planes 4 --loss 0.01 --seed 7\n  metaroce cosim --file README.md --read --loss 0.01\n  metaroce cosim --packets 10000000 --size small --loss 0.005 --duplicate 0.01 --corrupt 0.005 --stall 0.1\n  metaroce cosim --packets 20000 --law aimd --mark 0.05"
)]
pub struct Cosim {
    /// File to write from NIC A to NIC B, or to read (--read).
    #[arg(long, required_unless_present = "packets")]
    file: Option<PathBuf>,
    /// In place of a file: random messages both ways, until so many data packets have crossed.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..),
          conflicts_with_all = ["file", "planes", "message", "plant_fault", "waves", "no_pcap"])]
    packets: Option<u64>,
    /// Size of both NICs, with --packets.
    #[arg(long, default_value = "small", value_parser = crate::emit::sizes(), requires = "packets")]
    size: Size,
    /// What windows of paths follow, with --packets: WINDOW alone, marks, or round trips (docs/protocol.md, section 8).
    #[arg(long, value_enum, default_value_t = Law::Fixed, requires = "packets")]
    law: Law,
    /// Ticks for which a sender bears that its receiver has no buffer, with --packets; then messages are sent before their buffers are posted too.
    #[arg(long, default_value_t = 0, requires = "packets", 
          value_parser = clap::value_parser!(u32).range(0..=i64::from(NOT_READY_TICKS.max)))]
    patience: u32,
    /// Planes between the NICs, 1 to 4.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_PLANES)))]
    planes: u32,
    /// Share of frames that each plane loses, 0 to 1.
    #[arg(long, default_value_t = 0.0, value_parser = probability)]
    loss: f64,
    /// Share of data frames that arrive marked with congestion experienced, 0 to 1.
    #[arg(long, default_value_t = 0.02, value_parser = probability)]
    mark: f64,
    /// Share of frames that arrive twice, 0 to 1.
    #[arg(long, default_value_t = 0.0, value_parser = probability)]
    duplicate: f64,
    /// Share of frames of which a copy arrives up to 50,000 cycles later, as from another life of the connection.
    #[arg(long, default_value_t = 0.0, value_parser = probability)]
    late: f64,
    /// Share of frames that arrive with a turned bit, 0 to 1.
    #[arg(long, default_value_t = 0.0, value_parser = probability)]
    corrupt: f64,
    /// Cycles that every frame is on its way.
    #[arg(long, default_value_t = 200)]
    delay: u64,
    /// Cycles by which one path may be longer than another: paths overtake each other.
    #[arg(long, default_value_t = 200)]
    path_spread: u64,
    /// Cycles by which one frame may be later than another of its path: frames of a path overtake each other.
    #[arg(long, default_value_t = 0)]
    jitter: u64,
    /// Probability that a bus waits, in each cycle and channel, 0 to below 1.
    #[arg(long, default_value_t = 0.05, value_parser = probability)]
    stall: f64,
    /// Decides losses, marks, delays and stalls: the same seed is the same run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Bytes of a message; the file is cut into so many.
    #[arg(long, default_value_t = 65_536, value_parser = clap::value_parser!(u32).range(1..))]
    message: u32,
    /// Folder for the capture, and for the waves of a failure.
    #[arg(long, default_value = "out/cosim")]
    out: PathBuf,
    /// NIC A reads the file from NIC B instead of writing it there.
    #[arg(long, conflicts_with_all = ["packets", "plant_fault"])]
    read: bool,
    /// Plant a fault: from this cycle on, the first payload bit that NIC A reads from its host turns.
    #[arg(long, value_name = "CYCLE")]
    plant_fault: Option<u64>,
    /// Also record waves of NIC A around its first retransmission (its first packet, if nothing was lost).
    #[arg(long)]
    waves: bool,
    /// Write no capture.
    #[arg(long)]
    no_pcap: bool,
}

/// A law of congestion.
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Law {
    Fixed,
    Aimd,
    Delay,
}

/// What a run reports.
#[derive(Debug, Serialize)]
pub struct Report {
    /// Memory is equal byte for byte, and hardware and model never differed.
    identical: bool,
    /// 1 if the run ended at a difference: it goes no further.
    lockstep_mismatches: u32,
    /// The difference, or why the transfer failed.
    failure: Option<String>,
    file: PathBuf,
    bytes: u64,
    planes: u32,
    loss: f64,
    seed: u64,
    stall: f64,
    /// Data packets on the wire, retransmissions too.
    packets: u64,
    retransmissions: u64,
    spurious_retransmissions: u64,
    probes: u64,
    acknowledgements: u64,
    marked: u64,
    /// From the first doorbell to the last completion.
    cycles: u64,
    /// Packet events (transmit, receive, acknowledge) of both NICs in a cycle.
    events_per_cycle: f64,
    /// Payload a cycle, against what the planes could carry at this loss and stall.
    goodput_share: f64,
    /// Simulated cycles of both NICs together in a second of real time.
    cycles_per_second: f64,
    pcap: Option<PathBuf>,
    waves: Option<PathBuf>,
    /// GTKWave's save file and the picture, beside the waves.
    gtkwave: Option<PathBuf>,
    picture: Option<PathBuf>,
    /// This report, as a file.
    report: Option<PathBuf>,
}

fn probability(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    (0.0..=1.0)
        .contains(&value)
        .then_some(value)
        .ok_or(format!("a share is 0 to 1, not {value}"))
}

impl Cosim {
    /// What each plane does to frames.
    fn faults(&self) -> Faults {
        Faults {
            loss: self.loss,
            duplicate: self.duplicate,
            late: self.late,
            corrupt: self.corrupt,
            mark: self.mark,
            delay: self.delay,
            path_spread: self.path_spread,
            jitter: self.jitter,
        }
    }

    /// Runs, prints the report, and fails if anything differed.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        if self.stall >= 1.0 {
            return Err(crate::output::usage(
                "--stall must be below 1: a bus that always waits never ends",
            ));
        }
        if let Some(packets) = self.packets {
            return traffic::run(self, packets, output, stop);
        }
        let path = self.file.clone().unwrap_or_default();
        let file =
            std::fs::read(&path).with_context(|| format!("can't read {}", path.display()))?;
        make_folder(&self.out)?;
        let mut report = run::run(self, &file, output, stop)?;
        if report.moment.is_some() {
            replay::replay(self, &file, &mut report, output, stop)?;
        }
        let mut report = report.report;
        report.report = Some(self.out.join("report.json"));
        let text =
            serde_json::to_string_pretty(&report).context("can't write the report as JSON")?;
        write_whole(&self.out.join("report.json"), text.as_bytes())
            .context("can't write the report")?;
        output.print(&report, || table(&report))?;
        match &report.failure {
            None => Ok(()),
            Some(failure) => Err(crate::output::reported(failure)),
        }
    }
}

/// The folder must take a file before hours of simulation go into it.
fn make_folder(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("can't make {}", folder.display()))?;
    tempfile::tempfile_in(folder)
        .with_context(|| format!("can't write into {}", folder.display()))?;
    Ok(())
}

fn table(report: &Report) -> Vec<(&'static str, String)> {
    let path = |path: &Option<PathBuf>| {
        path.as_ref()
            .map_or("-".into(), |p| p.display().to_string())
    };
    let mut rows = vec![
        (
            "file",
            format!("{} ({} bytes)", report.file.display(), report.bytes),
        ),
        (
            "planes, loss, seed",
            format!("{}, {}, {}", report.planes, report.loss, report.seed),
        ),
        (
            "memory and lockstep identical",
            if report.identical { "yes" } else { "NO" }.into(),
        ),
        ("data packets", report.packets.to_string()),
        (
            "retransmissions (needless)",
            format!(
                "{} ({})",
                report.retransmissions, report.spurious_retransmissions
            ),
        ),
        (
            "ACKs, probes, marks",
            format!(
                "{}, {}, {}",
                report.acknowledgements, report.probes, report.marked
            ),
        ),
        ("cycles", report.cycles.to_string()),
        (
            "packet events per cycle",
            format!("{:.3}", report.events_per_cycle),
        ),
        (
            "goodput against the limit",
            format!("{:.1} %", 100.0 * report.goodput_share),
        ),
        (
            "simulated cycles a second",
            format!("{:.0}", report.cycles_per_second),
        ),
        ("capture", path(&report.pcap)),
    ];
    if report.waves.is_some() {
        rows.extend([
            ("waves", path(&report.waves)),
            ("GTKWave", path(&report.gtkwave)),
            ("picture", path(&report.picture)),
        ]);
    }
    rows.push(("report", path(&report.report)));
    if let Some(failure) = &report.failure {
        rows.push(("FAILED", failure.clone()));
    }
    rows
}
