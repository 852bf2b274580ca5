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
    let many = small("[[workload]]\nall-to-all = { size = '1B' }\n");
    refuses(
        &many.replace("hosts_per_leaf = 2", "hosts_per_leaf = 1024"),
        &["4192256 flows"],
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

#[test]
fn a_plane_that_dies_and_returns_costs_no_flow() {
    let text = small(
        "[transport]\npaths = 8\nwindow = 48\nrto_floor = '15us'\nsuspect_paths = 2\n[[workload]]\nflows = { list = [{ from = 0, to = 3, size = '250MB' }] }\n[[failure]]\nat = '200us'\nuntil = '500us'\nplane = 1\n",
    )
    .replace("spines = 4", "spines = 4\nplanes = 4");
    let summary = run(&text, 1);
    assert!(summary.finished && summary.dead > 0);
    let recovery = summary.recovery.expect("there was a failure");
    assert!(
        recovery.noticed_last_us.is_some_and(|us| us < 200.0),
        "{recovery:?}"
    );
    assert!(recovery.all_at_line_rate_us.is_some(), "{recovery:?}");
}

#[test]
fn a_page_and_a_trace_tell_what_happened() {
    let text = small(&format!("{FLOW}[[loss]]\nrate = 0.02\n"));
    let scenario = parse(&text).unwrap();
    let mut simulation = Simulation::new(&scenario, 1);
    simulation.record_samples();
    simulation.record_trace();
    let summary = simulation.run(|_| true);
    let page = metaroce_fabric::report::page(&scenario, &summary, &simulation).unwrap();
    assert_eq!(page.matches("<svg").count(), 5);
    assert!(
        !page.contains("src=") && !page.contains("href="),
        "readable without a network"
    );
    let trace = metaroce_fabric::trace::chrome(simulation.trace()).unwrap();
    let trace: serde_json::Value = serde_json::from_slice(&trace).unwrap();
    let events = trace["traceEvents"].as_array().unwrap();
    let again = events
        .iter()
        .filter(|e| e["name"] == "data again sent")
        .count();
    assert_eq!(again as u64, summary.retransmissions);
}

#[test]
fn a_flow_list_comes_from_a_file_beside_the_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = folder.path().join("listed.toml");
    let text = small("[[workload]]\nflows = { file = 'flows.csv' }\n");
    std::fs::write(&scenario, text).unwrap();
    let error = Scenario::read(&scenario).unwrap_err().to_string();
    assert!(
        error.contains("line 10") && error.contains("flows.csv"),
        "{error}"
    );
    std::fs::write(
        folder.path().join("flows.csv"),
        "from,to,size,start\n0,3,1B,0us\n1,2,20kB,3us\n",
    )
    .unwrap();
    let summary = Simulation::new(&Scenario::read(&scenario).unwrap(), 1).run(|_| true);
    assert!(summary.finished);
    assert_eq!(summary.packets, 1 + 5);
}
