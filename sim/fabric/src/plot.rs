//! Plots as SVG.
use plotters::coord::Shift;
use plotters::prelude::*;

/// Why a plot could not be drawn.
#[derive(Debug, thiserror::Error)]
#[error("can't draw a plot: {0}")]
pub struct PlotError(String);

/// A line and its name; a line without one is alone.
pub type Line = (String, Vec<(f64, f64)>);

type Drawn = Result<(), Box<dyn std::error::Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const SIZE: (u32, u32) = (900, 320);
/// Width of the names beside a plot.
const NAMES: u32 = 110;
/// Colours that people who see fewer tell apart (Okabe, Ito 2008), and grey.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(140, 140, 140),
];

/// The colour of the n-th line.
pub fn colour(n: usize) -> RGBColor {
    COLOURS[n % COLOURS.len()]
}

/// What is drawn into a text.
pub fn svg(
    size: (u32, u32),
    draw: impl FnOnce(&DrawingArea<SVGBackend<'_>, Shift>) -> Drawn,
) -> Result<String, PlotError> {
    let mut svg = String::new();
    let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
    let drawn = area.fill(&WHITE).map_err(Into::into);
    let drawn = drawn.and_then(|()| draw(&area));
    let drawn = drawn.and_then(|()| Ok(area.present()?));
    drawn.map_err(|error| PlotError(error.to_string()))?;
    drop(area);
    Ok(svg)
}

/// Lines over two axes, whose names hold their units; their names stand beside them.
pub fn lines(axes: (&str, &str), lines: &[Line]) -> Result<String, PlotError> {
    let points = || lines.iter().flat_map(|line| &line.1);
    if points().next().is_none() {
        return Ok("<p>Nothing was sampled.</p>".into());
    }
    let right = points().fold(0.0_f64, |right, p| right.max(p.0));
    let top = points().fold(0.0_f64, |top, p| top.max(p.1));
    svg(SIZE, |area| {
        let (plot, names) = area.split_horizontally(SIZE.0 - NAMES);
        draw_lines(&plot, axes, lines, (right.max(1e-3), top.max(1e-9)))?;
        draw_names(&names, lines)
    })
}

fn draw_lines(area: &Area<'_>, axes: (&str, &str), lines: &[Line], most: (f64, f64)) -> Drawn {
    let mut chart = ChartBuilder::on(area)
        .margin(10)
        .margin_right(24)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..most.0 * 1.02, 0.0..most.1 * 1.05)?;
    chart
        .configure_mesh()
        .x_desc(axes.0)
        .y_desc(axes.1)
        .x_label_formatter(&|x| number(*x))
        .y_label_formatter(&|y| number(*y))
        .light_line_style(TRANSPARENT)
        .draw()?;
    for (n, (_, points)) in lines.iter().enumerate() {
        let style = colour(n).stroke_width(2);
        chart.draw_series(LineSeries::new(points.iter().copied(), style))?;
    }
    Ok(())
}

fn draw_names(area: &Area<'_>, lines: &[Line]) -> Drawn {
    let named = lines
        .iter()
        .enumerate()
        .filter(|(_, line)| !line.0.is_empty());
    for (n, (name, _)) in named {
        let y = 20 + 20 * n as i32;
        let stroke = PathElement::new([(4, y), (24, y)], colour(n).stroke_width(3));
        area.draw(&stroke)?;
        area.draw(&Text::new(name.as_str(), (30, y - 6), ("sans-serif", 12)))?;
    }
    Ok(())
}

/// Without a fraction where there is none to speak of.
fn number(value: f64) -> String {
    let rounded = (value * 1_000.0).round() / 1_000.0;
    format!("{rounded}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_and_both_axes_are_written_and_nothing_is_no_plot() {
        let line = |name: &str| (name.to_string(), vec![(0.0, 1.0), (2_000.0, 3.0)]);
        let svg = lines(("time, us", "packets"), &[line("a"), line("b")]).unwrap();
        for text in ["time, us", "packets", "\na\n", "\nb\n", "2000"] {
            assert!(svg.contains(text), "`{text}` is missing in {svg}");
        }
        assert!(!svg.contains("2000.0"));
        assert!(!lines(("", ""), &[]).unwrap().contains("<svg"));
    }

    #[test]
    fn eight_lines_have_eight_colours() {
        let colours: std::collections::BTreeSet<_> = (0..8).map(|n| colour(n).rgb()).collect();
        assert_eq!(colours.len(), 8);
    }
}
