//! Scenarios in short form: what is refused, and how runs end.
use std::path::Path;

use metaroce_fabric::outcome::Summary;
use metaroce_fabric::scenario::{Scenario, ScenarioError};
use metaroce_fabric::simulation::Simulation;

/// Two leaves of two hosts; `more` comes behind.
fn small(more: &str) -> String {
    format!(
        "name = 'small'\n\n[fabric]\ntopology = 'leaf-spine'\nleaves = 2\nhosts_per_leaf = 2\nspines = 4\n\n{more}"
    )
}

const FLOW: &str = "[[workload]]\nflows = { list = [{ from = 0, to = 3, size = '1MB' }] }\n";

fn parse(text: &str) -> Result<Scenario, ScenarioError> {
    Scenario::parse(text, Path::new("small.toml"))
}

fn run(text: &str, seed: u64) -> Summary {
    let scenario = parse(text).unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scenario, seed).run(|_| true)
}

#[track_caller]
fn refuses(text: &str, expected: &[&str]) {
    let error = parse(text).expect_err("it is refused").to_string();
    for part in expected {
        assert!(error.contains(part), "`{part}` is missing in: {error}");
    }
}

#[test]
fn what_is_wrong_is_named_with_line_and_field() {
    let flow = |f: &str| small(&FLOW.replace("from = 0, to = 3, size = '1MB'", f));
    refuses(
        &small(&format!("{FLOW}[[loss]]\nrates = 0.1\n")),
        &["line 12", "rates"],
    );
    refuses(&small(""), &["workload"]);
    refuses(
        &small(&format!("{FLOW}[[loss]]\nrate = 1.5\n")),
        &["line 12", "loss[0].rate", "0 to 1"],
    );
    refuses(
        &flow("from = 1, to = 1, size = '1MB'"),
        &["line 10", "from host 1 to itself"],
    );
    refuses(
        &flow("from = 1, to = 9, size = '1MB'"),
        &["line 10", "no host 9"],
    );
    refuses(
        &flow("from = 1, to = 2, size = '0B'"),
        &["size", "1B to 1GiB"],
    );
    refuses(
        &flow("from = 1, to = 2, size = '1 parsec'"),
        &["line 10", "size = '1 parsec'", "no size"],
    );
    let fabric = |from: &str, to: &str| small(FLOW).replace(from, to);
    refuses(
        &fabric("spines = 4", "spines = 0"),
        &["line 7", "disconnected"],
    );
    refuses(
        &fabric("hosts_per_leaf = 2", "hosts_per_leaf = 0"),
        &["line 6", "hosts_per_leaf"],
    );
    refuses(
        &fabric("spines = 4", "spines = 4\nlink = { rate = '0bps' }"),
        &["line 8", "rate"],
    );
    refuses(
        &fabric("spines = 4", "spines = 4\nplanes = 9"),
        &["line 8", "1 to 8"],
    );
}

#[test]
fn a_run_is_decided_by_its_seed() {
    let text = small("[[workload]]\nall-to-all = { size = '300kB' }\n[[loss]]\nrate = 0.02\n");
    let json = |seed| serde_json::to_string(&run(&text, seed)).unwrap();
    assert_eq!(json(7), json(7));
    assert_ne!(json(7), json(8));
}

#[test]
fn a_lossless_flow_reaches_the_limit() {
    let summary = run(&small(FLOW), 1);
    assert!(summary.finished);
    assert!(
        (0.99..=1.0).contains(&summary.goodput_share),
        "{}",
        summary.goodput_share
    );
    assert_eq!(
        (summary.retransmissions, summary.lost, summary.dropped),
        (0, 0, 0)
    );
}

#[test]
fn every_lost_packet_is_sent_again_and_no_other() {
    let summary = run(
        &small(&format!("{FLOW}[[loss]]\nrate = 0.05\nframes = 'data'\n")),
        1,
    );
    assert!(summary.finished && summary.lost > 0);
    assert_eq!(summary.retransmissions, summary.lost);
    assert_eq!(summary.spurious_retransmissions, 0);
}

#[test]
fn where_nothing_arrives_the_run_ends_and_says_why() {
    let summary = run(
        &small(&format!("{FLOW}[[loss]]\nrate = 1.0\nlinks = 'all'\n")),
        1,
    );
    assert!(!summary.finished);
    assert_eq!(summary.unfinished[0].reason, "retry_exceeded");
    assert!(summary.unfinished[0].paths[0].contains("time-outs in a row"));
}

#[test]
fn three_tiers_carry_traffic_between_pods() {
    let text = small("[[workload]]\npermutation = { size = '200kB' }\n").replace(
        "topology = 'leaf-spine'",
        "topology = 'three-tier'\npods = 3\ncores_per_spine = 2",
    );
    let summary = run(&text, 2);
    assert!(
        summary.finished && summary.goodput_share > 0.8,
        "{}",
        summary.goodput_share
    );
}
