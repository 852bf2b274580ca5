//! `metaroce bench engine`: events a cycle of the verilated engine.
use anyhow::{Context, Result};
use clap::Args;
use metaroce_cosim::engine_bench::{Load, Paths, Rates, TUNABLES, bench_engine};
use metaroce_cosim::model::Sources;
use metaroce_model::config::Size;
use metaroce_rtl::sizes;
use serde::Serialize;

use crate::output::{Ending, Output, Stop};

/// Settings of `metaroce bench engine`.
#[derive(Args, Clone, Debug)]
pub struct Engine {
    /// Size of the engine.
    #[arg(long, default_value = "small", value_parser = crate::emit::sizes())]
    size: sizes::Size,
    /// Cycles of each load that count.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    cycles: u64,
    /// Packets of a message at most; each has one at least.
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(1..=65_536))]
    longest: u32,
    /// Probability of a stall, a plane and a source of events a cycle, in the loads with stalls.
    #[arg(long, default_value_t = 0.3, value_parser = probability)]
    stalls: f64,
    /// Seed of lengths and stalls.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// What is printed.
#[derive(Serialize)]
struct Report {
    size: &'static str,
    planes: u32,
    connections: u32,
    paths_of_a_connection: u32,
    message_slots: u32,
    window_packets: u32,
    ack_every_packets: u32,
    mtu_bytes: u32,
    full: Vec<Rates>,
    stalled: Vec<Rates>,
}

fn probability(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "not a number".to_string())?;
    if (0.0..1.0).contains(&value) {
        Ok(value)
    } else {
        Err("a probability below 1".into())
    }
}

impl Engine {
    /// Measures all loads, and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        let built = self.size;
        let design = sizes::emit_engine(built).context("can't emit the engine")?;
        let folder = tempfile::tempdir().context("can't make a folder for the engine's Verilog")?;
        design.write_to(folder.path())?;
        let sources = Sources::from_folder(&design.top, folder.path())?;
        let size = Size::from(&built.capabilities());
        let mut progress = output.progress(4 * self.cycles, "cycles");
        let mut done = 0;
        let mut rates = |paths, stalls| -> Result<Rates> {
            let load = Load {
                paths,
                longest: self.longest,
                stalls,
                cycles: self.cycles,
                seed: self.seed,
            };
            let rates = bench_engine(&sources, size, load, |cycle| {
                progress.set(done + cycle);
                stop.check().is_ok()
            })?;
            done += self.cycles;
            Ok(rates.ok_or(Ending::Interrupted)?)
        };
        let mut both = |stalls| -> Result<Vec<Rates>> {
            Ok(vec![
                rates(Paths::Many, stalls)?,
                rates(Paths::One, stalls)?,
            ])
        };
        let (full, stalled) = (both(0.0)?, both(self.stalls)?);
        drop(progress);
        let report = Report {
            size: built.name(),
            planes: size.planes,
            connections: size.connections,
            paths_of_a_connection: size.paths,
            message_slots: size.slots,
            window_packets: TUNABLES.window,
            ack_every_packets: TUNABLES.ack_every,
            mtu_bytes: 1 << TUNABLES.mtu_log2,
            full,
            stalled,
        };
        output.print(&report, || report.rows())
    }
}

impl Report {
    fn rows(&self) -> Vec<(&'static str, String)> {
        let mut rows = vec![(
            "events a cycle",
            "transmit, receive, ACK; packets delivered, ACKs built".into(),
        )];
        let names = [
            ("many paths", "one path"),
            ("many paths, stalls", "one path, stalls"),
        ];
        for ((many, one), rates) in names.into_iter().zip([&self.full, &self.stalled]) {
            rows.push((many, line(&rates[0])));
            rows.push((one, line(&rates[1])));
        }
        rows.push(("on the path of the event before", {
            let share = |rates: &Rates| rates.same_path.map(|s| format!("{s:.2}")).join(", ");
            format!(
                "{} (many), {} (one)",
                share(&self.full[0]),
                share(&self.full[1])
            )
        }));
        let load = &self.full[0].load;
        rows.push((
            "settings",
            format!(
                "{} planes, {} connections of {} paths, {} message slots of 1 to {} packets, window {}, an ACK every {} packet",
                self.planes,
                self.connections,
                self.paths_of_a_connection,
                self.message_slots,
                load.longest,
                self.window_packets,
                self.ack_every_packets,
            ),
        ));
        rows.push(("cycles of each", load.cycles.to_string()));
        rows.push((
            "cycles a second: engine alone, with its peer",
            format!(
                "{:.0}, {:.0}",
                self.full[0].engine_cycles_per_second, self.full[0].cycles_per_second
            ),
        ));
        rows
    }
}

fn line(rates: &Rates) -> String {
    format!(
        "{:.4}, {:.4}, {:.4}; {:.4}, {:.4}",
        rates.transmit, rates.receive, rates.acknowledge, rates.delivered_a_cycle, rates.answers
    )
}
