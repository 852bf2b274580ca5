//! One page with plots, readable without a network.
use std::fmt::Write;

use plotters::prelude::*;

use crate::outcome::{Summary, microseconds};
use crate::record::Sample;
use crate::scenario::Scenario;
use crate::simulation::Simulation;

/// Why no page could be made.
#[derive(Debug, thiserror::Error)]
#[error("can't draw a plot: {0}")]
pub struct ReportError(pub(crate) String);

/// A named line.
type Line = (String, Vec<(f64, f64)>);

/// The page, HTML.
pub fn page(
    scenario: &Scenario,
    summary: &Summary,
    simulation: &Simulation,
) -> Result<String, ReportError> {
    let samples = simulation.samples();
    let plots = [
        ("Goodput by plane, Gb/s", throughput(samples)),
        (
            "Window and packets under way of the first flow's paths",
            windows(samples),
        ),
        ("Longest queue of a switch, packets", queue(samples)),
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
    for (title, lines) in plots {
        let _ = writeln!(html, "<h2>{title}</h2>\n{}", plot("time, us", &lines)?);
    }
    let cdf = vec![("flows".to_string(), cdf(simulation))];
    let _ = writeln!(
        html,
        "<h2>Share of flows that took at most so long</h2>\n{}\n</body></html>",
        plot("flow completion time, us", &cdf)?
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

fn throughput(samples: &[Sample]) -> Vec<Line> {
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

fn windows(samples: &[Sample]) -> Vec<Line> {
    // More lines than this are a blot.
    let paths = samples.first().map_or(0, |s| s.paths.len()).min(8);
    let line = |path: usize, what: &str, value: fn(&(u32, u32)) -> u32| {
        let points = samples.iter().map(|s| {
            let value = s.paths.get(path).map_or(0, value);
            (microseconds(s.at), f64::from(value.min(256)))
        });
        (format!("path {path}, {what}"), points.collect())
    };
    let both = |path| {
        [
            line(path, "window", |p| p.0),
            line(path, "under way", |p| p.1),
        ]
    };
    (0..paths).flat_map(both).collect()
}

fn queue(samples: &[Sample]) -> Vec<Line> {
    let points = samples.iter().map(|s| (microseconds(s.at), s.queue as f64));
    vec![("longest".into(), points.collect())]
}

fn cdf(simulation: &Simulation) -> Vec<(f64, f64)> {
    let mut times: Vec<_> = simulation.completion_times().iter().map(|t| t.1).collect();
    times.sort_unstable();
    let count = times.len() as f64;
    let points = times.iter().zip(1..);
    points
        .map(|(&time, n)| (microseconds(time), f64::from(n) / count))
        .collect()
}

/// An SVG of lines.
pub fn plot(x: &str, lines: &[Line]) -> Result<String, ReportError> {
    let points = || lines.iter().flat_map(|line| &line.1);
    let (left, right) = points().fold((f64::INFINITY, 0.0_f64), |(a, b), p| {
        (a.min(p.0), b.max(p.0))
    });
    let top = points().fold(0.0_f64, |top, p| top.max(p.1));
    if !left.is_finite() {
        return Ok("<p>Nothing was sampled.</p>".into());
    }
    let mut svg = String::new();
    draw(
        &mut svg,
        x,
        lines,
        (left, right.max(left + 1.0)),
        top.max(1e-9),
    )
    .map_err(|error| ReportError(error.to_string()))?;
    Ok(svg)
}

fn draw(
    svg: &mut String,
    x: &str,
    lines: &[Line],
    (left, right): (f64, f64),
    top: f64,
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, (900, 320)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(10)
        .x_label_area_size(40)
        .y_label_area_size(60)
        .build_cartesian_2d(left..right, 0.0..top * 1.05)?;
    chart
        .configure_mesh()
        .x_desc(x)
        .light_line_style(TRANSPARENT)
        .draw()?;
    for (n, (name, points)) in lines.iter().enumerate() {
        let color = Palette99::pick(n).to_rgba();
        let series = LineSeries::new(points.iter().copied(), color.stroke_width(2));
        chart
            .draw_series(series)?
            .label(name.as_str())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 12, y)], color));
    }
    if lines.len() > 1 {
        let labels = chart.configure_series_labels();
        { labels }.background_style(WHITE.mix(0.8)).draw()?;
    }
    area.present()?;
    drop(chart);
    Ok(())
}
