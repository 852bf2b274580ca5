//! The suite's rows as text.
use std::fmt::Write;

use crate::compare::{self, Curve};
use crate::suite::{Report, Row, Side};

/// A line a row.
pub fn lines(report: &Report) -> Vec<String> {
    let rows = &report.rows;
    let width = rows.iter().map(|row| row.key.len()).max().unwrap_or(0);
    let line = |row: &Row| {
        format!(
            "{:6} {:width$}  {:>12} {} {:<12} {:>12} to {:<12} seeds 1 to {}",
            if row.met { "met" } else { "MISSED" },
            row.key,
            value(row),
            sign(row),
            number(row.goal),
            number(row.min),
            number(row.max),
            row.seeds
        )
    };
    rows.iter().map(line).collect()
}

/// A page in Markdown; `plot`: where the curves are drawn, relative to it.
pub fn page(report: &Report, curves: &[Curve], plot: &str) -> String {
    let met = report.rows.iter().filter(|row| row.met).count();
    let mut text = String::from(
        "# What the fabric simulation measured\n\nWritten by `metaroce fabric --suite all --results docs/fabric-results.md`. Seeds are 1 to the number named; \"mean\" and\n\"worst\" say how the value comes from its seeds. How rows are measured: [fabric.md](fabric.md).\n\n",
    );
    let _ = writeln!(text, "{met} of {} goals are met.\n", report.rows.len());
    text.push_str("| row | value | goal | met | over seeds | smallest, largest | note |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for row in &report.rows {
        let over = match row.over {
            crate::suite::Over::Mean => "mean",
            crate::suite::Over::Worst => "worst",
        };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} {} | {} | {over} of {} | {}, {} | {} |",
            row.key,
            value(row),
            sign(row),
            number(row.goal),
            if row.met { "yes" } else { "**no**" },
            row.seeds,
            number(row.min),
            number(row.max),
            row.note
        );
    }
    text.push_str(&comparison(curves, plot));
    text
}

fn comparison(curves: &[Curve], plot: &str) -> String {
    let losses = compare::LOSSES.map(compare::percent).join(" | ");
    let mut text = format!(
        "\n## Against the baselines\n\nOne flow of 64 MB, loss between leaf and host: goodput as a share of each transport's own limit, mean of {} seeds.\n\n![goodput by loss]({plot})\n\n| transport | {losses} |\n| --- | --- | --- | --- | --- |\n",
        compare::SEEDS
    );
    for curve in curves {
        let shares = curve.shares.map(|share| format!("{share:.4}")).join(" | ");
        let _ = writeln!(text, "| {} | {shares} |", curve.name);
    }
    text
}

fn sign(row: &Row) -> &'static str {
    match row.side {
        Side::AtLeast => ">=",
        Side::AtMost => "<=",
    }
}

fn value(row: &Row) -> String {
    row.value.map_or("unfinished".into(), number)
}

fn number(value: f64) -> String {
    if value.abs() >= 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.5}")
    }
}
