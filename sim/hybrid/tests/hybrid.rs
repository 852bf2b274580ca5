//! Networks with verilated NICs in them: every frame on every link is that of the run with models only.
use std::path::Path;

use metaroce_cosim::station::Plant;
use metaroce_fabric::scenario::{Loss, Scenario};
use metaroce_hybrid::lab::NicLab;
use metaroce_hybrid::report::Report;
use metaroce_hybrid::run;

const INCAST: &str = include_str!("../../fabric/scenarios/hybrid-incast.toml");
const PERMUTATION: &str = include_str!("../../fabric/scenarios/hybrid-permutation.toml");

fn scenario(text: &str, hardware: &[u32], loss: f64) -> Scenario {
    let mut scenario = Scenario::parse(text, Path::new("hybrid.toml")).unwrap();
    scenario.set_hardware(hardware.to_vec()).unwrap();
    scenario.loss = match loss {
        0.0 => Vec::new(),
        rate => vec![Loss {
            rate,
            ..incast_loss()
        }],
    };
    scenario
}

fn incast_loss() -> Loss {
    let scenario = Scenario::parse(INCAST, Path::new("hybrid.toml")).unwrap();
    scenario.loss[0].clone()
}

fn seeds() -> std::ops::RangeInclusive<u64> {
    match std::env::var_os("METAROCE_LONG") {
        Some(_) => 1..=10,
        None => 1..=1,
    }
}

fn report(scenario: &Scenario, seed: u64, plant: Option<Plant>, out: &Path) -> Report {
    run::run(scenario, seed, plant, out, &mut |_| true).unwrap()
}

fn text_of(report: &Report) -> String {
    serde_json::to_string_pretty(report).unwrap()
}

fn assert_equal(text: &str, hardware: &[u32], loss: f64) {
    let folder = tempfile::tempdir().unwrap();
    let scenario = scenario(text, hardware, loss);
    for seed in seeds() {
        let report = report(&scenario, seed, None, folder.path());
        assert!(
            report.is_good(),
            "{hardware:?}, {loss}: {}",
            text_of(&report)
        );
        assert!(report.frames_compared > 1_000, "{}", text_of(&report));
        assert!(report.whole_frames_compared > 50, "{}", text_of(&report));
        assert_eq!(report.summary.lost > 0, loss > 0.0);
        assert_eq!(report.summary.retransmissions > 0, loss > 0.0);
    }
}

#[test]
fn an_incast_into_one_nic_is_that_of_the_models() {
    assert_equal(INCAST, &[0], 0.0);
    assert_equal(INCAST, &[0], 0.01);
}

#[test]
fn an_incast_from_a_nic_into_another_is_that_of_the_models() {
    assert_equal(INCAST, &[0, 3], 0.0);
    assert_equal(INCAST, &[0, 3], 0.01);
}

#[test]
fn a_permutation_over_two_planes_with_one_and_two_nics_is_that_of_the_models() {
    for hardware in [&[1][..], &[1, 5]] {
        assert_equal(PERMUTATION, hardware, 0.0);
        assert_equal(PERMUTATION, hardware, 0.01);
    }
}

#[test]
fn without_a_schedule_a_single_path_carries_the_same_in_nearly_the_same_time() {
    let folder = tempfile::tempdir().unwrap();
    let mut scenario = scenario(PERMUTATION, &[1, 5], 0.0);
    scenario.fabric.planes = 1;
    (scenario.transport.paths, scenario.transport.window) = (1, 32);
    let report = report(&scenario, 1, None, folder.path());
    let natural = report.natural.as_ref().expect("nothing differed");
    assert!(natural.sequences_equal, "{}", text_of(&report));
    assert!(natural.fct_difference_share < 0.05, "{}", text_of(&report));
}

#[test]
fn a_schedule_survives_its_file_and_a_fault_that_never_comes_is_told() {
    let scenario = scenario(INCAST, &[0], 0.0);
    let lab = NicLab::new().unwrap();
    // Host 0 only receives: its NIC reads no payload.
    let plant = Some(Plant { cycle: 0 });
    let hardware = run::with_nics(&lab, &scenario, 1, plant, &mut |_| true).unwrap();
    assert!(hardware.planted);
    let file = serde_json::to_vec(&hardware.schedule).unwrap();
    let schedule = serde_json::from_slice(&file).unwrap();
    let models = run::with_schedule(&scenario, 1, &schedule, &mut |_| true).unwrap();
    assert_eq!(hardware.packets(), models.packets());
}

#[test]
fn a_bit_that_turns_in_a_nic_is_found_shown_and_waved() {
    let folder = tempfile::tempdir().unwrap();
    let scenario = scenario(PERMUTATION, &[5], 0.0);
    let plant = Some(Plant { cycle: 2_000 });
    let report = report(&scenario, 1, plant, folder.path());
    assert!(!report.trace_equal && !report.is_good());
    let difference = report.first_difference.expect("there is one");
    assert!(difference.what.contains("payload byte"), "{difference:#?}");
    for frame in [&difference.hardware, &difference.models] {
        assert!(frame.contains("PSN") && frame.contains("Write"), "{frame}");
    }
    assert!(report.waves.expect("there are some").is_file());
}

#[test]
fn models_that_ack_by_another_rule_are_found() {
    let good = scenario(PERMUTATION, &[1], 0.0);
    let lab = NicLab::new().unwrap();
    let hardware = run::with_nics(&lab, &good, 1, None, &mut |_| true).unwrap();
    let mut other = good.clone();
    other.transport.ack_every += 1;
    let models = run::with_schedule(&other, 1, &hardware.schedule, &mut |_| true).unwrap();
    let report = Report::new(&good, hardware, &models);
    assert!(!report.trace_equal);
    let difference = report.first_difference.expect("there is one");
    assert!(
        difference.what.contains("trace_ack_build"),
        "{difference:#?}"
    );
    assert!(difference.hardware.contains("ACK"), "{difference:#?}");
}

#[test]
fn a_schedule_of_another_run_is_refused() {
    let scenario = scenario(PERMUTATION, &[1], 0.0);
    let schedule = metaroce_hybrid::schedule::Schedule {
        scenario: scenario.name.clone(),
        seed: 2,
        ..Default::default()
    };
    let refused = run::with_schedule(&scenario, 1, &schedule, &mut |_| true);
    let text = refused.unwrap_err().to_string();
    assert!(text.contains("seed 2"), "{text}");
}
