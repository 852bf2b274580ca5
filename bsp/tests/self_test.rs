//! The board's self-test in Verilator: it passes, and it fails when something is wrong.

use metaroce_bsp::FlowError;
use metaroce_bsp::self_test::{self, Outcome, PASSED, Simulation};

const COMPLETED: u64 = 1 << 2;
const EQUAL: u64 = 1 << 3;
const NO_ERRORS: u64 = 1 << 5;
const PASS: u64 = 1 << 7;

/// Faults that can be planted.
const SPOIL_MEMORY: u64 = 1;
const SPOIL_FRAMES: u64 = 2;

fn simulation() -> Simulation {
    Simulation::build(&self_test::emit().unwrap()).unwrap()
}

fn assert_failed(outcome: Outcome) {
    let error = outcome.check().unwrap_err();
    assert!(matches!(error, FlowError::SelfTestFailed { .. }), "{error}");
}

#[test]
fn it_passes_with_lost_frames_and_begins_again_at_the_button() {
    let mut simulation = simulation();
    let outcome = simulation.run(0).unwrap();
    assert_eq!(outcome.leds, PASSED, "{:08b}", outcome.leds);
    println!("passed after {} cycles", outcome.cycles);
    assert_eq!(simulation.run(0).unwrap(), outcome);
}

#[test]
fn spoilt_memory_fails_it() {
    let outcome = simulation().run(SPOIL_MEMORY).unwrap();
    assert_eq!(outcome.leds & (EQUAL | PASS), 0, "{:08b}", outcome.leds);
    let others = COMPLETED | NO_ERRORS;
    assert_eq!(outcome.leds & others, others, "{:08b}", outcome.leds);
    assert_failed(outcome);
}

#[test]
fn spoilt_frames_fail_it() {
    let outcome = simulation().run(SPOIL_FRAMES).unwrap();
    let good = EQUAL | PASS | NO_ERRORS;
    assert_eq!(outcome.leds & good, 0, "{:08b}", outcome.leds);
    assert_failed(outcome);
}

#[test]
fn a_fault_that_is_gone_leaves_no_trace() {
    let mut simulation = simulation();
    for fault in [SPOIL_MEMORY, SPOIL_FRAMES] {
        assert_failed(simulation.run(fault).unwrap());
        simulation.run(0).unwrap().check().unwrap();
    }
}
