//! One run of a scenario.
use anyhow::Result;
use metaroce_fabric::outcome::Summary;
use metaroce_fabric::scenario::Scenario;
use metaroce_fabric::simulation::Simulation;
use metaroce_fabric::{report, trace};

use super::Fabric;
use crate::output::{Ending, Output, Stop, check_writable, reported, write_whole};

/// Simulates, writes what was asked for, and prints.
pub fn simulate(options: &Fabric, scenario: &Scenario, output: &Output, stop: &Stop) -> Result<()> {
    let page = options
        .report
        .as_ref()
        .map(|folder| folder.join("index.html"));
    for file in page.iter().chain(&options.trace) {
        check_writable(file)?;
    }
    let mut progress = output.progress(1_000, &scenario.name);
    let seed = options.seed.unwrap_or(scenario.seed);
    let goes_on = &mut || stop.check().is_ok();
    let Ok(mut simulation) = Simulation::set_up(scenario, seed, goes_on) else {
        return Err(Ending::Interrupted.into());
    };
    if page.is_some() {
        simulation.record_samples();
    }
    if options.trace.is_some() {
        simulation.record_trace();
    }
    let summary = simulation.run(|simulation| {
        progress.set((1_000.0 * simulation.done()) as u64);
        stop.check().is_ok()
    });
    drop(progress);
    stop.check()?;
    if let Some(file) = &page {
        let page = report::page(scenario, &summary, &simulation)?;
        write_whole(file, page.as_bytes())?;
    }
    if let Some(file) = &options.trace {
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

/// A run as a table.
pub fn lines(s: &Summary) -> Vec<String> {
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

/// Names and values, a line each.
pub fn aligned(rows: &[(&str, String)]) -> Vec<String> {
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter()
        .map(|(name, value)| format!("{name:width$}  {value}"))
        .collect()
}
