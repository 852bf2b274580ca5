//! Sweeps and suites: many runs, whole or in parts, and parts put together.
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use metaroce_fabric::batch::{Batch, Study};
use metaroce_fabric::runs::{Job, Run, cores, run_all};
use metaroce_fabric::shard::Shard;
use metaroce_fabric::suite::{self, Group, Report};
use metaroce_fabric::sweep::{self, SweepError, Variant};
use metaroce_fabric::{compare, results};

use super::Fabric;
use crate::output::{Ending, Output, Stop, check_writable, reported, usage, write_whole};

/// Progress is shown in so many steps.
const STEPS: u64 = 1_000;

/// Runs a suite, or a part of it.
pub fn suite(options: &Fabric, groups: Vec<Group>, output: &Output, stop: &Stop) -> Result<()> {
    check_results(options)?;
    let jobs = suite::jobs(&groups);
    let batch = run(options, Study::Suite(groups), jobs, output, stop)?;
    conclude(options, &batch, output)
}

/// Runs a scenario with fields set, or a part of those runs.
pub fn sweep(options: &Fabric, path: &Path, output: &Output, stop: &Stop) -> Result<()> {
    let text = std::fs::read_to_string(path);
    let text = text.with_context(|| format!("can't read {}", path.display()))?;
    let jobs = Variant::of(&text, path).map_err(SweepError::Base);
    let jobs = jobs.and_then(|base| sweep::jobs(&base, &options.sweep));
    let jobs = jobs.map_err(|error| usage(&error.to_string()))?;
    let study = Study::Sweep {
        scenario: text,
        fields: options.sweep.clone(),
    };
    let batch = run(options, study, jobs, output, stop)?;
    conclude(options, &batch, output)
}

/// Puts parts together.
pub fn merge(options: &Fabric, output: &Output) -> Result<()> {
    check_results(options)?;
    let read = |path: &PathBuf| {
        let file = path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(|| format!("can't read {file}"))?;
        let batch = Batch::parse(&file, &text).map_err(|error| usage(&error.to_string()))?;
        Ok((file, batch))
    };
    let parts = options.merge.iter().map(read).collect::<Result<Vec<_>>>()?;
    let batch = Batch::merge(parts).map_err(|error| usage(&error.to_string()))?;
    if options.results.is_some() && !matches!(batch.study, Study::Suite(_)) {
        return Err(usage("results: only a suite has a page of rows"));
    }
    conclude(options, &batch, output)
}

fn run(
    options: &Fabric,
    study: Study,
    jobs: Vec<Job>,
    output: &Output,
    stop: &Stop,
) -> Result<Batch> {
    let shard = options.shard.unwrap_or(Shard::WHOLE);
    let jobs = shard.of(jobs);
    let threads = options.threads.map_or_else(cores, usize::from);
    let mut progress = output.progress(STEPS, &format!("{} runs", jobs.len()));
    let runs = run_all(&jobs, threads, &mut |share| {
        progress.set((share * STEPS as f64) as u64);
        stop.check().is_ok()
    });
    drop(progress);
    let runs = runs.map_err(|_| Ending::Interrupted)?;
    Ok(Batch { study, shard, runs })
}

/// Prints and writes what a batch says.
fn conclude(options: &Fabric, batch: &Batch, output: &Output) -> Result<()> {
    match &batch.study {
        Study::Suite(groups) if batch.shard == Shard::WHOLE => {
            let report = suite::rows(groups, &batch.runs)?;
            if let Some(file) = &options.results {
                write_results(file, batch, groups, &report)?;
            }
            output.print_lines(&report, || results::lines(&report))?;
        }
        _ => output.print_lines(batch, || lines(&batch.runs))?,
    }
    let open = batch.runs.iter().filter(|run| !run.summary.finished);
    match open.count() {
        0 => Ok(()),
        count => Err(reported(&format!("{count} runs did not finish"))),
    }
}

/// The page and the plot of a results file.
fn beside(file: &Path) -> (PathBuf, PathBuf) {
    let folder = file.parent().unwrap_or(Path::new("."));
    (file.with_extension("md"), folder.join(results::PLOT))
}

/// Before hours of work.
fn check_results(options: &Fabric) -> Result<()> {
    let Some(file) = &options.results else {
        return Ok(());
    };
    if file.extension().is_none_or(|extension| extension != "json") {
        let file = file.display();
        return Err(usage(&format!(
            "results: {file} must end in .json; the page stands beside it"
        )));
    }
    let (page, plot) = beside(file);
    [file, &page, &plot]
        .into_iter()
        .try_for_each(|f| check_writable(f))
}

fn write_results(file: &Path, batch: &Batch, groups: &[Group], report: &Report) -> Result<()> {
    let (page, plot) = beside(file);
    write_whole(file, batch.to_text()?.as_bytes())?;
    if let Some(curves) = compare::curves(report) {
        write_whole(&plot, compare::plot(&curves)?.as_bytes())?;
    }
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    write_whole(&page, results::page(groups, &name, report).as_bytes())
}

/// A line a run.
fn lines(runs: &[Run]) -> Vec<String> {
    let width = |name: &str| {
        runs.iter()
            .map(|run| run.case.len())
            .fold(name.len(), usize::max)
    };
    let width = width("case");
    let head = format!(
        "{:width$}  {:>6} {:>12} {:>12} {:>12} {:>9} {:>8} {:>8}",
        "case", "seed", "FCT p50 [us]", "p99 [us]", "all [us]", "of limit", "again", "Jain"
    );
    let line = |run: &Run| {
        let s = &run.summary;
        format!(
            "{:width$}  {:>6} {:>12.2} {:>12.2} {:>12.2} {:>9.4} {:>8} {:>8.4}{}",
            run.case,
            s.seed,
            s.fct_us.p50,
            s.fct_us.p99,
            s.makespan_us,
            s.goodput_share,
            s.retransmissions,
            s.jain,
            if s.finished { "" } else { "  unfinished" }
        )
    };
    std::iter::once(head).chain(runs.iter().map(line)).collect()
}
