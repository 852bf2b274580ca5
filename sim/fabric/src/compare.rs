//! MetaRoCE and the baselines side by side under loss: one flow of 64 MB.
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::plot::{PlotError, colour, svg};
use crate::suite::Report;

/// Shares of packets lost.
pub const LOSSES: [f64; 4] = [0.0, 0.001, 0.01, 0.1];
/// A baseline of the curves.
#[derive(Clone, Copy, Debug)]
pub struct Baseline {
    /// `transport.kind`.
    pub kind: &'static str,
    /// What rows call it.
    pub infix: &'static str,
    /// Fields in which it differs from the scenario.
    pub settings: &'static [(&'static str, &'static str)],
    /// Why these.
    pub chosen: &'static str,
}

/// The baselines.
pub const BASELINES: [Baseline; 2] = [
    Baseline {
        kind: "selective-repeat",
        infix: "_selective_repeat",
        settings: &[("transport.window", "128"), ("transport.rto", "10us")],
        chosen: "; window 128 of 4 paths, rto 10us: its best of 16 to 128 and 10 to 50 us",
    },
    Baseline {
        kind: "go-back-n",
        infix: "_go_back_n",
        settings: &[],
        chosen: "",
    },
];
const NAMES: [(&str, &str); 3] = [
    ("MetaRoCE", ""),
    ("RoCEv2, selective repeat", "_selective_repeat"),
    ("RoCEv2, go-back-N", "_go_back_n"),
];

/// One transport's goodput as a share of its own limit, by loss; mean over seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name.
    pub name: &'static str,
    /// By loss; 0 where a run did not finish.
    pub shares: [f64; LOSSES.len()],
}

/// The row of a transport's goodput at a loss.
pub fn key(infix: &str, loss: f64) -> String {
    let percent = (loss * 1e6).round() / 1e4;
    format!("flow_64mb{infix}_loss_{percent}pct_share")
}

/// The curves that a report holds; `None`: it has no such rows.
pub fn curves(report: &Report) -> Option<Vec<Curve>> {
    let share = |infix, loss| {
        let row = report.rows.iter().find(|row| row.key == key(infix, loss))?;
        Some(row.value.unwrap_or(0.0))
    };
    let curve = |(name, infix)| {
        let shares: Option<Vec<f64>> = LOSSES.iter().map(|&loss| share(infix, loss)).collect();
        let shares = shares?.try_into().ok()?;
        Some(Curve { name, shares })
    };
    NAMES.into_iter().map(curve).collect()
}

/// The curves as an SVG.
pub fn plot(curves: &[Curve]) -> Result<String, PlotError> {
    svg((720, 360), |area| draw(area, curves))
}

/// A loss as people write it.
pub fn percent(loss: f64) -> String {
    format!("{} %", (loss * 1e6).round() / 1e4)
}

fn draw(
    area: &DrawingArea<SVGBackend<'_>, Shift>,
    curves: &[Curve],
) -> Result<(), Box<dyn std::error::Error>> {
    let mut chart = ChartBuilder::on(area)
        .margin(12)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(60)
        .build_cartesian_2d(0.0..(LOSSES.len() - 1) as f64, 0.0..1.05)?;
    chart
        .configure_mesh()
        .x_labels(LOSSES.len())
        .x_label_formatter(&|&place| {
            LOSSES
                .get(place.round() as usize)
                .map_or(String::new(), |&l| percent(l))
        })
        .x_desc("packets lost between leaf and host, data and ACKs")
        .y_desc("goodput, share of the limit")
        .light_line_style(TRANSPARENT)
        .draw()?;
    for (n, curve) in curves.iter().enumerate() {
        let color = colour(n);
        let points = curve.shares.iter().enumerate();
        let points: Vec<_> = points.map(|(x, &y)| (x as f64, y)).collect();
        let dots = points
            .iter()
            .map(|&point| Circle::new(point, 4, color.filled()));
        chart.draw_series(dots)?;
        chart
            .draw_series(LineSeries::new(points, color.stroke_width(2)))?
            .label(curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 12, y)], color.stroke_width(3)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.9))
        .draw()?;
    Ok(())
}
