//! `metaroce fabric`: sweeps, parts and their merge, and what is refused before anything runs.
mod support;

use std::path::Path;
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use support::{folder, json, metaroce, stderr};

const FLOW: &str = "sim/fabric/scenarios/one-flow.toml";

fn fabric(words: &[&str]) -> Output {
    let mut command = metaroce();
    command.arg("fabric").args(words);
    command.output().expect("the command runs")
}

fn sweep(more: &[&str]) -> Output {
    let words = ["--json", "--sweep", "loss.0.rate=0,0.01"];
    let size = "workload.0.flows.list.0.size=1MB";
    let words = [
        &[FLOW],
        &words[..],
        &["--sweep", size, "--sweep", "seed=1..3"],
    ]
    .concat();
    fabric(&[&words, more].concat())
}

/// Wrong use, and the text names it.
fn is_refused(output: &Output, code: i32, text: &str) {
    let error = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{error}");
    assert!(error.contains(text), "`{text}` is missing in: {error}");
    assert!(output.stdout.is_empty());
}

fn path_in(folder: &Path, name: &str) -> String {
    folder.join(name).display().to_string()
}

#[test]
fn parts_of_a_sweep_merge_into_what_the_whole_prints() {
    let whole = sweep(&["--threads", "1"]);
    assert_eq!(sweep(&[]).stdout, whole.stdout);
    let runs = json(&whole);
    let runs = runs["runs"].as_array().expect("runs");
    assert_eq!(runs.len(), 6);
    assert_eq!(
        runs[5]["case"],
        "loss.0.rate=0.01 workload.0.flows.list.0.size=1MB"
    );
    assert_eq!(runs[5]["summary"]["seed"], 3);
    let folder = folder();
    let [one, two] = ["1", "2"].map(|part| {
        let file = path_in(folder.path(), part);
        let output = sweep(&["--shard", &format!("{part}/2")]);
        std::fs::write(&file, output.stdout).expect("a file");
        file
    });
    let merged = fabric(&["--json", "--merge", &two, &one]);
    assert_eq!(merged.stdout, whole.stdout);
    let text = std::fs::read_to_string(&two).expect("a part");
    let relabelled = path_in(folder.path(), "relabelled");
    let text = text.replace("loss.0.rate=0.01 ", "loss.0.rate=0.02 ");
    std::fs::write(&relabelled, text).expect("a file");
    is_refused(
        &fabric(&["--merge", &one, &relabelled]),
        2,
        "is none of this shard's",
    );
    is_refused(&fabric(&["--merge", &two]), 2, "shard 1/2 is missing");
    is_refused(&fabric(&["--merge", &two, &two]), 2, "does not go with");
    is_refused(
        &fabric(&["--merge", FLOW]),
        2,
        "no runs of a sweep or suite",
    );
    is_refused(&fabric(&["--merge", "no/file"]), 1, "can't read no/file");
}

#[test]
fn a_suite_and_its_merged_parts_have_the_same_rows() {
    let whole = fabric(&["--suite", "rates", "--json"]);
    let folder = folder();
    let parts = ["1/2", "2/2"].map(|part| {
        let file = path_in(folder.path(), &part[..1]);
        let output = fabric(&["--suite", "rates", "--json", "--shard", part]);
        std::fs::write(&file, output.stdout).expect("a file");
        file
    });
    let results = path_in(folder.path(), "rates.json");
    let words = [
        "--json",
        "--merge",
        &parts[0],
        &parts[1],
        "--results",
        &results,
    ];
    let merged = fabric(&words);
    assert_eq!(json(&merged), json(&whole));
    let page = std::fs::read_to_string(folder.path().join("rates.md")).expect("a page");
    assert!(page.contains("`links_100g_loss_0pct_share`"));
    assert_eq!(
        json(&fabric(&["--json", "--merge", &results])),
        json(&whole)
    );
}

#[test]
fn wrong_words_are_named_before_anything_runs() {
    let refused = |words: &[&str], text: &str| {
        is_refused(&fabric(&[&[FLOW], words].concat()), 2, text);
    };
    refused(&["--shard", "3/2"], "shard `3/2`");
    refused(&["--sweep", "seed"], "sweep `seed`");
    refused(
        &["--sweep", "loss.0.rate=0,2"],
        "loss[0].rate: is 2, must be 0 to 1",
    );
    refused(&["--sweep", "loss.1.rate=0"], "the scenario has no loss.1");
    refused(
        &["--sweep", "slow.0.rate=1Gbps"],
        "the scenario has no slow",
    );
    refused(&["--sweep", "seed=5..1"], "`5..1` is no range");
    refused(&["--sweep", "transport.path=4"], "unknown field `path`");
    refused(&["--sweep", "seed=1,2", "--seed", "3"], "--seed");
    refused(&["--shard", "1/2", "--seed", "3"], "--seed");
    is_refused(
        &fabric(&["--suite", "all", "--results", "page.md"]),
        2,
        "must end in .json",
    );
}

#[test]
fn a_place_that_can_not_be_written_is_named_before_the_run() {
    for words in [["--trace", "/dev/null"], ["--report", "Cargo.toml/report"]] {
        let output = fabric(&[&[FLOW], &words[..]].concat());
        is_refused(&output, 1, words[1]);
    }
    let words = ["--suite", "all", "--results", "Cargo.toml/x.json"];
    is_refused(&fabric(&words), 1, "Cargo.toml/x.json");
}

#[test]
fn an_interrupt_ends_even_the_set_up_of_a_giant() {
    let folder = folder();
    let giant = path_in(folder.path(), "giant.toml");
    let text = "name = 'giant'\n[fabric]\ntopology = 'leaf-spine'\nleaves = 64\nhosts_per_leaf = 16\nspines = 64\n[[workload]]\nall-to-all = { size = '1B' }\n";
    std::fs::write(&giant, text).expect("a file");
    let mut command = metaroce();
    let command = command.args(["fabric", &giant]).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the command runs");
    std::thread::sleep(Duration::from_millis(500));
    let asked = Instant::now();
    let id = child.id().to_string();
    let kill = std::process::Command::new("kill")
        .args(["-INT", &id])
        .status();
    assert!(kill.expect("kill runs").success());
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
    assert!(
        asked.elapsed() < Duration::from_secs(10),
        "{:?}",
        asked.elapsed()
    );
}
