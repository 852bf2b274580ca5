//! `metaroce bench plane`: beats a cycle of a plane, verilated.
use anyhow::{Context, Result};
use clap::Args;
use metaroce_cosim::plane_bench::{PlaneBench, PlaneRates, StreamRate};
use metaroce_rtl::planes::Width;
use serde::Serialize;

use crate::output::{Output, Stop};

/// Settings of `metaroce bench plane`.
#[derive(Args, Clone, Debug)]
#[command(
    after_help = "Example:\n  metaroce bench plane --width 512 --payload 36,4096 --latency 40 --json"
)]
pub struct Plane {
    /// Bits of a beat.
    #[arg(long, default_value = "512", value_parser = widths())]
    width: Width,
    /// Payload of each frame in bytes; 0: PROBEs.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 36, 100, 256, 1024, 4096],
          value_parser = clap::value_parser!(u16).range(0..=4096))]
    payload: Vec<u16>,
    /// Frames of each payload that count.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(2..=1_000_000))]
    frames: u32,
    /// Cycles from an address to its first beat of data, less one.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=100_000))]
    latency: u64,
}

/// What is printed.
#[derive(Serialize)]
struct Report {
    loads: Vec<PlaneRates>,
}

/// Widths by their bits.
fn widths() -> impl clap::builder::TypedValueParser<Value = Width> {
    use clap::builder::{PossibleValuesParser, TypedValueParser};
    let name = |width: &Width| match width {
        Width::W64 => "64",
        Width::W256 => "256",
        Width::W512 => "512",
    };
    PossibleValuesParser::new(Width::ALL.iter().map(name)).try_map(move |text| {
        let found = Width::ALL.iter().find(|width| name(width) == text);
        found.copied().ok_or("no such width")
    })
}

impl Plane {
    /// Measures all loads, and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        let mut bench = PlaneBench::new(self.width).context("can't verilate the plane")?;
        let mut progress = output.progress(self.payload.len() as u64, "loads");
        let mut report = Report { loads: vec![] };
        for &payload in &self.payload {
            stop.check()?;
            let rates = bench.run(payload.into(), self.frames as usize, self.latency)?;
            report.loads.push(rates);
            progress.set(report.loads.len() as u64);
        }
        drop(progress);
        output.print(&report, || report.rows())
    }
}

impl Report {
    fn rows(&self) -> Vec<(&'static str, String)> {
        let head = "beats a cycle (cycles idle within, between frames) sent; received";
        let line = |rates: &PlaneRates| {
            format!(
                "{} B: {}; {}",
                rates.load.payload,
                rate(&rates.send),
                rate(&rates.receive)
            )
        };
        let lines = self.loads.iter().map(|rates| ("payload", line(rates)));
        std::iter::once(("each", head.into()))
            .chain(lines)
            .collect()
    }
}

fn rate(stream: &StreamRate) -> String {
    format!(
        "{:.4} ({}, {})",
        stream.beats_per_cycle, stream.gaps_within, stream.gaps_between
    )
}
