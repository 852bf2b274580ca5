//! The committed results: the page is what they render to, and runs give the same again. In the short form a run of almost
//! every case, with `METAROCE_LONG=1` every run.
use std::collections::BTreeMap;
use std::path::PathBuf;

use metaroce_fabric::batch::{Batch, Study};
use metaroce_fabric::runs::{Job, Run, cores, run_all};
use metaroce_fabric::suite::{Group, Report, SCENARIOS, jobs, measure, rows};
use metaroce_fabric::{compare, results};

/// Rows known to fall short (docs/fabric.md says why); a row that joins or leaves them is news.
const SHORT: &[&str] = &[
    "asymmetry_2x64mb_us",
    "long_rtt_256mb_copies_loss_1pct_share",
];

/// The scenario with by far the most events.
const HEAVY: &str = "ring-16mb";

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
    let page = results::page(&Group::ALL, "fabric-results.json", &report);
    assert_eq!(docs("fabric-results.md"), page);
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

/// Runs of the short form: the first seed of every case; of [`HEAVY`] only its first case, a run of which takes six seconds.
fn repeated(jobs: Vec<Job>) -> Vec<Job> {
    let heavy = |job: &Job| job.scenario.name == HEAVY;
    let first = jobs.iter().find(|job| heavy(job)).expect("it is run");
    let first = first.case.clone();
    let kept = |job: &Job| job.seed == 1 && (!heavy(job) || job.case == first);
    jobs.into_iter().filter(kept).collect()
}

#[test]
fn the_short_form_repeats_a_run_of_every_group_and_scenario() {
    let all = repeated(jobs(&Group::ALL));
    for (name, _) in SCENARIOS {
        assert!(all.iter().any(|job| job.scenario.name == *name), "{name}");
    }
    for group in Group::ALL {
        let some = |job: &Job| all.iter().any(|again| again.case == job.case);
        assert!(jobs(&[group]).iter().any(some), "{group:?}");
    }
}

#[test]
fn every_committed_run_is_one_that_the_suite_lists_now() {
    let (batch, _) = committed();
    let merged = Batch::merge(vec![("fabric-results.json".into(), batch.clone())]);
    assert_eq!(merged.unwrap_or_else(|error| panic!("{error}")), batch);
}

#[test]
fn runs_give_the_committed_results_again() {
    let (batch, _) = committed();
    let known: BTreeMap<_, _> = (batch.runs.iter())
        .map(|run| ((run.case.as_str(), run.summary.seed), run))
        .collect();
    let all = jobs(&Group::ALL);
    let long = std::env::var_os("METAROCE_LONG").is_some();
    let again = if long { all } else { repeated(all) };
    // What a connection takes of memory is the model's layout, not a result of the run.
    let result = |run: &Run| {
        let mut run = run.clone();
        run.summary.bytes_per_connection = 0;
        run
    };
    for run in run_all(&again, cores(), &mut |_| true).expect("nothing stops it") {
        let committed = known[&(run.case.as_str(), run.summary.seed)];
        assert_eq!(result(&run), result(committed), "{}", run.case);
    }
}

#[test]
fn who_watches_can_stop_it() {
    assert!(measure(&Group::ALL, &mut |_| false).is_err());
}
