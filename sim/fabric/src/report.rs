//! One page with plots, readable without a network.
use std::fmt::Write;

use crate::outcome::{Summary, microseconds};
use crate::plot::{Line, PlotError, lines};
use crate::record::Sample;
use crate::scenario::Scenario;
use crate::simulation::Simulation;

/// More lines than this are a blot.
const MOST_PATHS: usize = 8;

/// The page, HTML.
pub fn page(
    scenario: &Scenario,
    summary: &Summary,
    simulation: &Simulation,
) -> Result<String, PlotError> {
    let samples = simulation.samples();
    let first = "the first flow's paths";
    let plots = [
        (
            "Received by plane, whole frames of data",
            "Gb/s",
            received(samples),
        ),
        ("Windows of ", "packets", paths(samples, |path| path.0)),
        ("Under way on ", "packets", paths(samples, |path| path.1)),
        ("Longest queue of a switch", "packets", queue(samples)),
    ];
    let mut html = String::from(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>metaroce fabric</title>\n<style>body { font: 15px sans-serif; max-width: 60em; margin: 2em auto } td { padding-right: 2em }</style></head><body>\n",
    );
    let _ = writeln!(
        html,
        "<h1>{}</h1>\n<p>{}</p>\n{}",
        escape(&scenario.name),
        escape(&scenario.about),
        table(summary)
    );
    for (title, unit, data) in plots {
        let title = match title.strip_suffix(' ') {
            Some(of_paths) => format!("{of_paths} {first}{}", only_some(samples)),
            None => title.into(),
        };
        let plot = lines(("time, us", unit), &data)?;
        let _ = writeln!(html, "<h2>{title}</h2>\n{plot}");
    }
    let axes = ("flow completion time, us", "share of flows");
    let plot = lines(axes, &[(String::new(), cdf(simulation))])?;
    let _ = writeln!(
        html,
        "<h2>Share of flows that took at most so long</h2>\n{plot}\n<p>Where lines coincide the last is on top.</p>\n</body></html>",
    );
    Ok(html)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

fn table(s: &Summary) -> String {
    let rows = [
        ("seed", s.seed.to_string()),
        ("finished", s.finished.to_string()),
        (
            "flow completion time p50, p99, max",
            format!(
                "{:.2}, {:.2}, {:.2} us",
                s.fct_us.p50, s.fct_us.p99, s.fct_us.max
            ),
        ),
        (
            "share of the limit by wire bytes",
            format!("{:.4}", s.goodput_share),
        ),
        (
            "retransmissions, of them needless",
            format!("{}, {}", s.retransmissions, s.spurious_retransmissions),
        ),
        (
            "lost, dropped, into dead links",
            format!("{}, {}, {}", s.lost, s.dropped, s.dead),
        ),
        ("marks", s.marks.to_string()),
        ("Jain's index", format!("{:.4}", s.jain)),
    ];
    let rows = rows.map(|(name, value)| format!("<tr><td>{name}</td><td>{value}</td></tr>"));
    format!("<table>{}</table>", rows.join("\n"))
}

fn received(samples: &[Sample]) -> Vec<Line> {
    let planes = samples.first().map_or(0, |s| s.received.len());
    let line = |plane: usize| {
        let points = samples.windows(2).map(|pair| {
            // Bits a picosecond are 10^12 bits a second.
            let bits = 8.0 * pair[1].received[plane] as f64;
            let gigabits = 1_000.0 * bits / (pair[1].at - pair[0].at) as f64;
            (microseconds(pair[1].at), gigabits)
        });
        (format!("plane {plane}"), points.collect())
    };
    (0..planes).map(line).collect()
}

fn paths(samples: &[Sample], value: fn(&(u32, u32)) -> u32) -> Vec<Line> {
    let count = samples.first().map_or(0, |s| s.paths.len());
    let line = |path: usize| {
        let points = samples.iter().map(|s| {
            let value = s.paths.get(path).map_or(0, value);
            (microseconds(s.at), f64::from(value.min(256)))
        });
        (format!("path {path}"), points.collect())
    };
    (0..count.min(MOST_PATHS)).map(line).collect()
}

/// What a title adds where not all paths are drawn.
fn only_some(samples: &[Sample]) -> String {
    match samples.first().map_or(0, |s| s.paths.len()) {
        count if count > MOST_PATHS => format!(", the first {MOST_PATHS} of {count}"),
        _ => String::new(),
    }
}

fn queue(samples: &[Sample]) -> Vec<Line> {
    let points = samples.iter().map(|s| (microseconds(s.at), s.queue as f64));
    vec![(String::new(), points.collect())]
}

/// Steps: a flow's share counts from the time at which it ends.
fn cdf(simulation: &Simulation) -> Vec<(f64, f64)> {
    let mut times: Vec<_> = simulation.completion_times().iter().map(|t| t.1).collect();
    times.sort_unstable();
    let count = times.len() as f64;
    let ends = times.iter().zip(0..);
    ends.flat_map(|(&time, before)| {
        let at = microseconds(time);
        [before, before + 1].map(|flows| (at, f64::from(flows) / count))
    })
    .collect()
}
