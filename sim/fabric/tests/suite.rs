//! The committed results: the page is what they render to, and runs give the same again. In the short form a few runs of
//! each quick case, with `METAROCE_LONG=1` every one.
use std::collections::BTreeMap;
use std::path::PathBuf;

use metaroce_fabric::batch::{Batch, Study};
use metaroce_fabric::runs::{Job, cores, run_all};
use metaroce_fabric::suite::{Group, Report, jobs, measure, rows};
use metaroce_fabric::{compare, results};

/// Rows known to fall short (docs/fabric.md says why); a row that joins or leaves them is news.
const SHORT: &[&str] = &[
    "asymmetry_2x64mb_us",
    "long_rtt_256mb_copies_loss_1pct_share",
];

/// Events of a run that the short form does again: less than a second each.
const QUICK: u64 = 1_500_000;

fn docs(file: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let path = path.join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn committed() -> (Batch, Report) {
    let batch = Batch::parse("fabric-results.json", &docs("fabric-results.json"));
    let batch = batch.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(batch.study, Study::Suite(Group::ALL.into()));
    let report = rows(&Group::ALL, &batch.runs).unwrap_or_else(|error| panic!("{error}"));
    (batch, report)
}

#[test]
fn the_page_and_its_plot_are_what_the_committed_runs_render_to() {
    let (_, report) = committed();
    assert_eq!(docs("fabric-results.md"), results::page(&report));
    let curves = compare::curves(&report).expect("the suite has their rows");
    assert_eq!(docs(results::PLOT), compare::plot(&curves).unwrap());
}

#[test]
fn every_row_meets_its_goal_but_those_known() {
    for row in committed().1.rows {
        if let Some(met) = row.met {
            assert_eq!(met, !SHORT.contains(&row.key.as_str()), "{row:?}");
        }
    }
}

#[test]
fn runs_give_the_committed_results_again_and_no_run_is_left_over() {
    let (batch, _) = committed();
    let jobs = jobs(&Group::ALL);
    assert_eq!(jobs.len(), batch.runs.len());
    let known: BTreeMap<_, _> = (batch.runs.iter())
        .map(|run| ((run.case.as_str(), run.summary.seed), &run.summary))
        .collect();
    let long = std::env::var_os("METAROCE_LONG").is_some();
    let again = |job: &Job| {
        let quick = known[&(job.case.as_str(), job.seed)].events <= QUICK;
        long || (quick && job.seed == 1)
    };
    let again: Vec<Job> = jobs.into_iter().filter(again).collect();
    assert!(again.len() >= 20, "{} runs", again.len());
    for run in run_all(&again, cores(), &mut |_| true).expect("nothing stops it") {
        let committed = known[&(run.case.as_str(), run.summary.seed)];
        assert_eq!(&run.summary, committed, "{}", run.case);
    }
}

#[test]
fn who_watches_can_stop_it() {
    assert!(measure(&Group::ALL, &mut |_| false).is_err());
}
