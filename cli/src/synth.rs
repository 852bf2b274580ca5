//! `metaroce synth`: a board's bitstream.
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use metaroce_bsp::synth::{BOARDS, SynthOptions};
use metaroce_bsp::tool::Toolbox;

use crate::output::{Output, Stop};

/// Build the self-test's bitstream for a board.
///
/// The self-test (a small NIC that sends to itself over a lossy wire) first passes in Verilator; then it is synthesised,
/// placed and packed. A missed clock is an error and leaves no bitstream.
#[derive(Args)]
#[command(after_help = "Example:\n  metaroce synth --board alchitry-cu --json")]
pub struct Synth {
    /// Board, by name.
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(BOARDS))]
    board: String,
    /// Folder for the bitstream; logs of the tools go to `logs` in it.
    #[arg(long, default_value = "out/synth")]
    out: PathBuf,
    /// Clock that must be met, MHz; the design's own without it. It changes no clock: a higher one asks for a margin.
    #[arg(long, value_parser = clock)]
    clock: Option<f64>,
    /// Seeds to try in turn until the clock is met.
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4")]
    seeds: Vec<u32>,
}

fn clock(text: &str) -> Result<f64, String> {
    let mhz: f64 = text.parse().map_err(|_| format!("`{text}` is no number"))?;
    let reachable = mhz.is_finite() && mhz > 0.0;
    reachable
        .then_some(mhz)
        .ok_or(format!("a clock is more than 0 MHz, not {mhz}"))
}

impl Synth {
    /// Builds it and prints what it cost.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        let options = SynthOptions {
            clock_mhz: self.clock,
            seeds: self.seeds.clone(),
            toolbox: Toolbox::default().with_stop(stop.flag()),
        };
        let work = || metaroce_bsp::synth(&self.board, &self.out, &options);
        let report = output.wait(&format!("building {}", self.board), work);
        let report = report.map_err(crate::output::flow_error)?;
        output.print(&report, || {
            let of = |used: u64, all: u64| format!("{used} of {all}");
            let mut rows = vec![
                ("board", report.board.clone()),
                ("bitstream", report.bitstream.display().to_string()),
                (
                    "self-test",
                    format!(
                        "passed in Verilator after {} cycles",
                        report.self_test_cycles
                    ),
                ),
                ("clock", format!("{} MHz, met", report.clock_mhz)),
                (
                    "reached",
                    format!("{:.2} MHz with seed {}", report.fmax_mhz, report.seed),
                ),
                ("cells", of(report.cells, report.cells_available)),
                ("rams", of(report.rams, report.rams_available)),
                ("size", report.size.clone()),
            ];
            rows.extend(report.tools.values().map(|tool| ("tool", tool.clone())));
            rows
        })
    }
}
