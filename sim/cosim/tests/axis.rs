//! The stream agents against a register slice, right and broken.

use std::path::Path;

use metaroce_cosim::axis::{AxisMonitor, AxisSink, AxisSource, Frame};
use metaroce_cosim::bus::{Stalls, step};
use metaroce_cosim::model::{Options, Sources, VerilatedModel};

fn slice(bytes: usize, broken: u32) -> VerilatedModel {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/axis_register.v");
    let options = Options::small()
        .with_parameter("BYTES", bytes)
        .with_parameter("BROKEN", broken);
    let sources = Sources::new("axis_register", [file]);
    let mut model =
        VerilatedModel::build(&sources, &options).unwrap_or_else(|error| panic!("{error}"));
    let reset = model.input("reset", 1).unwrap();
    model.set_u64(reset, 1);
    model.tick().unwrap();
    model.set_u64(reset, 0);
    model
}

/// Frames of 1 to `count` bytes, so that every length of a last beat occurs.
fn frames(count: usize) -> Vec<Frame> {
    (1..=count)
        .map(|n| Frame {
            data: (0..n).map(|i| (i * 7 + n) as u8).collect(),
            user: n as u64 & 0xff,
        })
        .collect()
}

fn run(model: &mut VerilatedModel, source: Stalls, sink: Stalls, count: usize) -> AxisSink {
    let mut source = AxisSource::new(model, "rx", source).unwrap();
    let mut sink = AxisSink::new(model, "tx", sink).unwrap();
    frames(count)
        .into_iter()
        .for_each(|frame| source.push(frame));
    while sink.frames().len() < count && model.cycle() < 100_000 {
        step(model, &mut [&mut source, &mut sink]).unwrap();
    }
    sink
}

#[test]
fn frames_pass_unchanged_at_every_width_and_load() {
    for bytes in [1, 3, 4, 8, 16, 64] {
        let loads = [
            (Stalls::never(), Stalls::never()),
            (Stalls::random(0.4, 1), Stalls::random(0.6, 2)),
            (Stalls::every_other(), Stalls::never()),
            (Stalls::never(), Stalls::pattern([true, true, false])),
        ];
        for (source, sink) in loads {
            let sink = run(&mut slice(bytes, 0), source, sink, 100);
            let found: Vec<_> = sink.frames().iter().map(|t| t.frame.clone()).collect();
            assert_eq!(found, frames(100), "{bytes} bytes");
            assert_eq!(sink.violations(), [], "{bytes} bytes");
        }
    }
}

#[test]
fn full_load_takes_a_cycle_a_beat() {
    let sink = run(&mut slice(4, 0), Stalls::never(), Stalls::never(), 40);
    let first = sink.frames()[0].first_cycle;
    let last = sink.frames()[39].last_cycle;
    assert_eq!(last - first + 1, sink.beats());
}

#[test]
fn idle_cycle_between_any_two_beats_halves_the_rate() {
    let sink = run(&mut slice(4, 0), Stalls::every_other(), Stalls::never(), 40);
    let (first, last) = (sink.frames()[0].first_cycle, sink.frames()[39].last_cycle);
    assert_eq!(last - first + 1, 2 * sink.beats() - 1);
}

#[test]
fn every_broken_rule_is_caught_by_name() {
    let rules = [
        (1, "stable while stalled"),
        (2, "stable while stalled"),
        (3, "tkeep contiguous"),
        (4, "tkeep not empty"),
        (5, "tkeep full before the last beat"),
    ];
    for (broken, rule) in rules {
        let sink = run(
            &mut slice(4, broken),
            Stalls::never(),
            Stalls::random(0.5, 3),
            60,
        );
        let violations = sink.violations();
        assert!(
            violations.iter().any(|v| v.rule == rule),
            "{broken}: {violations:?}"
        );
    }
}

#[test]
fn monitor_sees_what_source_and_sink_see() {
    let mut model = slice(8, 0);
    let mut source = AxisSource::new(&model, "rx", Stalls::random(0.2, 4)).unwrap();
    let mut sink = AxisSink::new(&model, "tx", Stalls::random(0.2, 5)).unwrap();
    let mut before = AxisMonitor::of_input(&model, "rx").unwrap();
    frames(30).into_iter().for_each(|frame| source.push(frame));
    while sink.frames().len() < 30 {
        step(&mut model, &mut [&mut source, &mut sink, &mut before]).unwrap();
    }
    assert_eq!(*before.frames(), source.sent());
    assert_eq!(before.violations(), []);
}

#[test]
fn missing_and_unfit_ports_are_named() {
    let model = slice(4, 0);
    let error = AxisSource::new(&model, "nope", Stalls::never())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("nope_tdata") && error.contains("rx_tdata"),
        "{error}"
    );
    let error = AxisSink::new(&model, "rx", Stalls::never())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("rx_tdata") && error.contains("Input"),
        "{error}"
    );
}
