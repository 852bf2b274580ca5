//! The suite's rows as text.
use std::fmt::Write;

use crate::compare::{self, Curve};
use crate::suite::{Group, Report, Row, Side};

/// What a page says first; `file` holds its runs and stands beside it.
fn head(groups: &[Group], file: &str) -> String {
    let suite = if groups == Group::ALL {
        "all".into()
    } else {
        groups
            .iter()
            .map(|g| g.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    format!(
        "# What the fabric simulation measured

The rows of `metaroce fabric --suite`: {suite}. `{file}` beside this page holds every run: `metaroce fabric --merge` of it
prints these rows again. Seeds are 1 to the number named; \"mean\" and \"worst\" say how the value comes from its seeds.
How rows are measured, and how this page is written: `docs/fabric.md`.

"
    )
}

/// A line a row.
pub fn lines(report: &Report) -> Vec<String> {
    let rows = &report.rows;
    let width = rows.iter().map(|row| row.key.len()).max().unwrap_or(0);
    let line = |row: &Row| {
        format!(
            "{:6} {:width$}  {:>12} {:<15} {:>12} to {:<12} seeds 1 to {}",
            verdict(row, ["met", "MISSED", ""]),
            row.key,
            value(row),
            goal(row),
            number(row.min),
            number(row.max),
            row.seeds
        )
    };
    rows.iter().map(line).collect()
}

/// Where the plot of the curves stands, relative to the page.
pub const PLOT: &str = "img/fabric-loss.svg";

/// A page in Markdown, of these groups' rows and of the file that holds their runs.
pub fn page(groups: &[Group], file: &str, report: &Report) -> String {
    let mut text = head(groups, file);
    let with_goal = || report.rows.iter().filter_map(|row| row.met);
    let (met, goals) = (with_goal().filter(|met| *met).count(), with_goal().count());
    let _ = writeln!(
        text,
        "{met} of {goals} goals are met; rows without a goal say what is.\n"
    );
    text.push_str("| row | value | goal | met | over seeds | smallest, largest | note |\n| --- | --- | --- | --- | --- | --- | --- |\n");
    for row in &report.rows {
        let over = match row.over {
            crate::suite::Over::Mean => "mean",
            crate::suite::Over::Worst => "worst",
        };
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {} | {over} of {} | {}, {} | {} |",
            row.key,
            value(row),
            goal(row),
            verdict(row, ["yes", "**no**", "-"]),
            row.seeds,
            number(row.min),
            number(row.max),
            row.note
        );
    }
    if let Some(curves) = compare::curves(report) {
        text.push_str(&comparison(&curves));
    }
    text
}

fn comparison(curves: &[Curve]) -> String {
    let losses = compare::LOSSES.map(compare::percent).join(" | ");
    let mut text = format!(
        "\n## Against the baselines\n\nOne flow of 64 MB, loss between leaf and host: goodput as a share of each transport's own limit, mean over the seeds of the rows `flow_64mb...`.\n\n![goodput by loss]({PLOT})\n\n| transport | {losses} |\n| --- | --- | --- | --- | --- |\n"
    );
    for curve in curves {
        let shares = curve.shares.map(|share| format!("{share:.4}")).join(" | ");
        let _ = writeln!(text, "| {} | {shares} |", curve.name);
    }
    text
}

fn goal(row: &Row) -> String {
    let Some(goal) = row.goal else {
        return "-".into();
    };
    let sign = match row.side {
        Some(Side::AtMost) => "<=",
        _ => ">=",
    };
    format!("{sign} {}", number(goal))
}

/// Words for met, missed, no goal.
fn verdict(row: &Row, words: [&'static str; 3]) -> &'static str {
    match row.met {
        Some(true) => words[0],
        Some(false) => words[1],
        None => words[2],
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
