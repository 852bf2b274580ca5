//! The baselines do what their descriptions say, where MetaRoCE does better.
use std::path::Path;

use metaroce_fabric::outcome::Summary;
use metaroce_fabric::scenario::Scenario;
use metaroce_fabric::simulation::Simulation;

fn run(kind: &str, fabric: &str, rest: &str) -> Summary {
    let text = format!(
        "name = 'baseline'\n[fabric]\ntopology = 'leaf-spine'\nleaves = 2\nhosts_per_leaf = 4\nspines = 1\n{fabric}\n[transport]\nkind = '{kind}'\n{rest}"
    );
    let scenario = Scenario::parse(&text, Path::new("baseline.toml"));
    let scenario = scenario.unwrap_or_else(|error| panic!("{error}"));
    Simulation::new(&scenario, 1).run(|_| true)
}

const FLOW: &str = "[[workload]]\nflows = { list = [{ from = 0, to = 4, size = '8MB' }] }\n";

#[test]
fn under_loss_selective_beats_go_back_n_and_many_paths_beat_both() {
    let loss = format!("{FLOW}[[loss]]\nrate = 0.01\n");
    let kinds = ["go-back-n", "selective-repeat", "metaroce"];
    let [back, selective, ours] = kinds.map(|kind| run(kind, "", &loss));
    assert!(back.finished && selective.finished && ours.finished);
    assert!(back.goodput_share < selective.goodput_share);
    assert!(selective.goodput_share < ours.goodput_share);
    assert!(back.retransmissions > 10 * back.lost, "a window a loss");
    assert!(selective.retransmissions < 3 * selective.lost);
}

#[test]
fn without_loss_each_reaches_its_limit() {
    for kind in ["go-back-n", "selective-repeat"] {
        let summary = run(kind, "", FLOW);
        assert!(
            summary.goodput_share > 0.99,
            "{kind}: {}",
            summary.goodput_share
        );
        assert_eq!(summary.retransmissions, 0);
    }
}

/// Hosts 1 to 3 send to host 4; host 0 sends to host 5, over the same leaf and spine.
const VICTIM: &str = "dcqcn = false\n[[workload]]\nflows = { list = [
    { from = 1, to = 4, size = '4MB' }, { from = 2, to = 4, size = '4MB' }, { from = 3, to = 4, size = '4MB' },
    { from = 0, to = 5, size = '1MB' }] }\n";
const FAST: &str = "uplink = { rate = '1600Gbps' }";

#[test]
fn pauses_prevent_drops_and_hold_up_a_flow_that_goes_elsewhere() {
    let buffer = "buffer = { size = '1MB' }";
    let lossy = run("go-back-n", &format!("{FAST}\n{buffer}"), VICTIM);
    assert!(lossy.dropped > 0 && lossy.pauses == 0);
    let pfc = "buffer = { size = '8MB' }\npfc = { stop = '300kB', go = '250kB' }";
    let paused = run("go-back-n", &format!("{FAST}\n{pfc}"), VICTIM);
    assert!(paused.finished && paused.pauses > 0);
    assert_eq!((paused.dropped, paused.retransmissions), (0, 0));
    // The victim is the shortest; alone it takes 25 us.
    assert!(
        paused.fct_us.min > 2.0 * lossy.fct_us.min.min(30.0),
        "{:?}",
        paused.fct_us
    );
}

#[test]
fn dcqcn_slows_senders_down_before_a_buffer_overflows() {
    let buffer = "buffer = { size = '4MB' }\necn = { red = { min = '50kB', max = '400kB', probability = 0.2 } }";
    let two = "[[workload]]\nflows = { list = [{ from = 0, to = 4, size = '8MB' }, { from = 1, to = 4, size = '8MB' }] }\n";
    let with = |dcqcn: bool| run("go-back-n", buffer, &format!("dcqcn = {dcqcn}\n{two}"));
    let (with, without) = (with(true), with(false));
    assert!(with.finished && with.peak_queue_bytes < without.peak_queue_bytes);
}

#[test]
fn total_loss_ends_with_a_name() {
    let summary = run("go-back-n", "", &format!("{FLOW}[[loss]]\nrate = 1.0\n"));
    assert_eq!(summary.unfinished[0].reason, "retry_exceeded");
}
