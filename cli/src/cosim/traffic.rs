//! `metaroce cosim --packets`: random traffic both ways, as long as one likes.
use std::time::Instant;

use anyhow::Result;
use metaroce_cosim::bus::Pace;
use metaroce_cosim::lab::NicLab;
use metaroce_cosim::traffic::{Setting, Traffic, TrafficError};
use metaroce_model::config::Congestion;
use serde::Serialize;

use super::{Cosim, Law};
use crate::output::{Output, Stop, usage};

/// Cycles between two looks at ^C.
const SLICE: u64 = 512;

#[derive(Serialize)]
struct Report {
    /// Hardware and model never differed, and every message arrived.
    identical: bool,
    failure: Option<String>,
    size: &'static str,
    seed: u64,
    law: Law,
    /// Data packets on the wire, retransmissions too.
    packets: u64,
    messages: u64,
    retransmissions: u64,
    spurious_retransmissions: u64,
    /// Of each NIC, with the set-up and the rest at the end.
    cycles: u64,
    seconds: f64,
    /// Simulated cycles of both NICs together in a second of real time.
    cycles_per_second: f64,
}

/// Runs, prints the report, and fails if anything differed.
pub fn run(options: &Cosim, packets: u64, output: &Output, stop: &Stop) -> Result<()> {
    if options.law != Law::Fixed && !options.size.narrowing().laws {
        return Err(usage("--law: this size has no congestion laws"));
    }
    if options.patience > 0 && !options.size.profile().tracks_messages() {
        return Err(usage(
            "--patience: this size sends nothing that needs a buffer",
        ));
    }
    let lab = output.wait("building the NIC", || NicLab::new(options.size))?;
    let rough = Setting::rough(options.seed, lab.size());
    let setting = Setting {
        faults: options.faults(),
        pace: Pace::Random(options.stall),
        patience: options.patience,
        congestion: Congestion {
            law: options.law as u32,
            ..Congestion::default()
        },
        ..rough
    };
    let mut traffic = output.wait("building and connecting the NICs", || {
        Traffic::new(&lab, setting).map_err(anyhow::Error::from)
    })?;
    let began = Instant::now();
    let end = drive(&mut traffic, packets, output, stop)?;
    let report = report(options, &traffic, began, end.err());
    output.print(&report, || table(&report))?;
    match &report.failure {
        None => Ok(()),
        Some(failure) => Err(crate::output::reported(failure)),
    }
}

/// The inner result: how the traffic ended.
fn drive(
    traffic: &mut Traffic,
    packets: u64,
    output: &Output,
    stop: &Stop,
) -> Result<Result<(), TrafficError>> {
    let mut progress = output.progress(packets, "simulating");
    while traffic.bed.packets < packets {
        stop.check()?;
        if let Err(error) = traffic.run(SLICE) {
            return Ok(Err(error));
        }
        progress.set(traffic.bed.packets.min(packets));
    }
    Ok(traffic.finish())
}

fn report(
    options: &Cosim,
    traffic: &Traffic,
    began: Instant,
    failure: Option<TrafficError>,
) -> Report {
    let (cycles, seconds) = (traffic.bed.cycle(), began.elapsed().as_secs_f64());
    Report {
        identical: failure.is_none(),
        failure: failure.map(|error| error.to_string()),
        size: options.size.name(),
        seed: options.seed,
        law: options.law,
        packets: traffic.bed.packets,
        messages: traffic.completed(),
        retransmissions: traffic.bed.retransmissions.all,
        spurious_retransmissions: traffic.bed.retransmissions.spurious,
        cycles,
        seconds,
        cycles_per_second: 2.0 * cycles as f64 / seconds,
    }
}

fn table(report: &Report) -> Vec<(&'static str, String)> {
    let mut rows = vec![
        ("size, seed", format!("{}, {}", report.size, report.seed)),
        (
            "memory and lockstep identical",
            if report.identical { "yes" } else { "NO" }.into(),
        ),
        ("data packets", report.packets.to_string()),
        ("messages", report.messages.to_string()),
        (
            "retransmissions (needless)",
            format!(
                "{} ({})",
                report.retransmissions, report.spurious_retransmissions
            ),
        ),
        ("cycles", report.cycles.to_string()),
        ("seconds", format!("{:.1}", report.seconds)),
        (
            "simulated cycles a second",
            format!("{:.0}", report.cycles_per_second),
        ),
    ];
    if let Some(failure) = &report.failure {
        rows.push(("FAILED", failure.clone()));
    }
    rows
}
