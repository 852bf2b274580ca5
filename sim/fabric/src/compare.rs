//! MetaRoCE and the baselines side by side under loss: one flow of 64 MB.
use plotters::prelude::*;

use crate::report::ReportError;
use crate::scenario::Kind;
use crate::simulation::Simulation;
use crate::suite::{Stopped, Watch, scenario};

/// Shares of packets lost.
pub const LOSSES: [f64; 4] = [0.0, 0.001, 0.01, 0.1];
/// Runs of each point.
pub const SEEDS: u64 = 5;

/// One transport's goodput as a share of its own limit, by loss; mean over seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// Its name.
    pub name: &'static str,
    /// By loss; 0 where a run did not finish.
    pub shares: [f64; LOSSES.len()],
}

/// Measures all of them.
pub fn curves(watch: Watch<'_>) -> Result<Vec<Curve>, Stopped> {
    let kinds = [
        (Kind::Metaroce, "MetaRoCE"),
        (Kind::SelectiveRepeat, "RoCEv2, selective repeat"),
        (Kind::GoBackN, "RoCEv2, go-back-N"),
    ];
    let mut curves = Vec::new();
    for (kind, name) in kinds {
        let mut shares = [0.0; LOSSES.len()];
        for (share, loss) in shares.iter_mut().zip(LOSSES) {
            let mut flow = scenario("one-flow");
            flow.transport.kind = kind;
            flow.loss[0].rate = loss;
            for seed in 1..=SEEDS {
                if !watch(0, name) {
                    return Err(Stopped);
                }
                let summary = Simulation::new(&flow, seed).run(|_| true);
                *share += summary.goodput_share / SEEDS as f64;
            }
        }
        curves.push(Curve { name, shares });
    }
    Ok(curves)
}

/// The curves as an SVG.
pub fn plot(curves: &[Curve]) -> Result<String, ReportError> {
    let mut svg = String::new();
    draw(&mut svg, curves).map_err(|error| ReportError(error.to_string()))?;
    Ok(svg)
}

/// A loss as people write it.
pub fn percent(loss: f64) -> String {
    format!("{} %", (loss * 1e6).round() / 1e4)
}

fn draw(svg: &mut String, curves: &[Curve]) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, (720, 360)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(12)
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
        let color = Palette99::pick(n).to_rgba();
        let points = curve.shares.iter().enumerate();
        let points: Vec<_> = points.map(|(x, &y)| (x as f64, y)).collect();
        let dots = points
            .iter()
            .map(|&point| Circle::new(point, 4, color.filled()));
        chart.draw_series(dots)?;
        chart
            .draw_series(LineSeries::new(points, color.stroke_width(2)))?
            .label(curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 12, y)], color));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerLeft)
        .background_style(WHITE.mix(0.8))
        .draw()?;
    area.present()?;
    Ok(())
}
