//! The board's self-test in Verilator: it passes, and it fails when something is wrong.

use metaroce_bsp::board::alchitry_cu;
use metaroce_bsp::self_test;
use metaroce_cosim::model::{Options, Sources, VerilatedModel};

/// LEDs of a good end, but for the heartbeat: completions, memory, sent again, no errors, passed.
const PASSED: u64 = 0b1011_1100;
const HEARTBEAT: u64 = 1;
const RUNNING: u64 = 1 << 1;
const COMPLETED: u64 = 1 << 2;
const EQUAL: u64 = 1 << 3;
const AGAIN: u64 = 1 << 4;
const NO_ERRORS: u64 = 1 << 5;
const LATE: u64 = 1 << 6;
const PASS: u64 = 1 << 7;

fn model() -> VerilatedModel {
    let design = self_test::emit().unwrap();
    let folder = tempfile::tempdir().unwrap();
    design.write_to(&folder.path().join("v")).unwrap();
    let sources = Sources::from_folder(&design.top, &folder.path().join("v")).unwrap();
    VerilatedModel::build(&sources, &Options::small()).unwrap()
}

/// Runs until the test is over; returns its LEDs and the cycles taken.
fn run(model: &mut VerilatedModel, plant: u64) -> (u64, u64) {
    let [reset, plant_port, leds] = ["reset", "plant", "leds"].map(|name| model.port(name).unwrap());
    model.set_u64(plant_port, plant);
    model.set_u64(reset, 1);
    for _ in 0..4 {
        model.tick().unwrap();
    }
    model.set_u64(reset, 0);
    let began = model.cycle();
    loop {
        model.tick().unwrap();
        let shown = model.get_u64(leds);
        let cycles = model.cycle() - began;
        if shown & RUNNING == 0 {
            return (shown & !HEARTBEAT, cycles);
        }
        assert!(cycles < 1 << 23, "no end: LEDs {shown:08b}");
    }
}

#[test]
fn it_passes_with_lost_frames() {
    let mut model = model();
    let (leds, cycles) = run(&mut model, 0);
    assert_eq!(leds, PASSED, "{leds:08b} after {cycles} cycles");
    println!("passed after {cycles} cycles");
    // The button begins it again.
    assert_eq!(run(&mut model, 0), (PASSED, cycles));
}

#[test]
fn spoilt_memory_fails_it() {
    let (leds, _) = run(&mut model(), 1);
    assert_eq!(leds & (EQUAL | PASS), 0, "{leds:08b}");
    assert_eq!(leds & (COMPLETED | NO_ERRORS), COMPLETED | NO_ERRORS, "{leds:08b}");
}

#[test]
fn spoilt_frames_fail_it() {
    let (leds, _) = run(&mut model(), 2);
    assert_eq!(leds & (PASS | EQUAL | NO_ERRORS), 0, "{leds:08b}");
    let _ = (AGAIN, LATE);
}

#[test]
#[ignore]
fn debug_trace() {
    let design = self_test::emit().unwrap();
    let folder = tempfile::tempdir().unwrap();
    design.write_to(&folder.path().join("v")).unwrap();
    let sources = Sources::from_folder(&design.top, &folder.path().join("v")).unwrap();
    let mut m = VerilatedModel::build(&sources, &Options::small().with_trace()).unwrap();
    m.trace_open(std::path::Path::new("/tmp/bsp-try/t.fst")).unwrap();
    let reset = m.port("reset").unwrap();
    m.set_u64(reset, 1);
    for _ in 0..4 { m.tick().unwrap(); }
    m.set_u64(reset, 0);
    for _ in 0..16000 { m.tick().unwrap(); }
}
