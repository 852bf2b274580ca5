//! The window engine against the model's laws and its estimate of round trips.
mod engines;

use std::collections::VecDeque;

use engines::{Fields, Word, model};
use metaroce_cores::window_engine::WindowEngine;
use metaroce_cosim::model::VerilatedModel;
use metaroce_model::congestion::{
    AckEvent, AimdSettings, DelaySettings, Fixed, LONGEST, Law, LawSettings, ONE, RttEstimate,
};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Two connections of four paths.
const PATHS: usize = 8;
/// Paths of each connection as its law counts them.
const COUNTED: [u32; 2] = [4, 3];
/// Packets that a round trip adds, in 1/256.
const INCREASE: u32 = 256;
/// Cycles from an event to its window, and to its time-out.
const WINDOW_AFTER: usize = 13;
const TIMEOUT_AFTER: usize = 3;

fn set(dut: &mut VerilatedModel, name: &str, value: u64) {
    let port = dut.port(name).unwrap_or_else(|error| panic!("{error}"));
    dut.set_u64(port, value);
}

fn set_word(dut: &mut VerilatedModel, name: &str, word: Word) {
    let port = dut.port(name).unwrap_or_else(|error| panic!("{error}"));
    dut.set_bytes(port, &word.finish());
}

fn get(dut: &VerilatedModel, name: &str) -> Vec<u8> {
    let port = dut.port(name).unwrap_or_else(|error| panic!("{error}"));
    let mut bytes = vec![0; 8];
    dut.get_bytes(port, &mut bytes);
    bytes
}

/// What an ACK or a time-out says.
#[derive(Clone, Copy)]
enum Event {
    Timeout,
    Ack {
        received: u16,
        marked: u16,
        rtt: Option<u32>,
    },
}

/// A path in the model.
struct Path {
    law: Box<dyn Law>,
    rtt: RttEstimate,
    counted: (u16, u16),
    paths: u32,
}

impl Path {
    fn hear(&mut self, event: Event, now: u32) {
        let Event::Ack {
            received,
            marked,
            rtt,
        } = event
        else {
            return self.law.on_timeout(now);
        };
        let delivered = u32::from(received.wrapping_sub(self.counted.0));
        let marks = u32::from(marked.wrapping_sub(self.counted.1));
        self.counted = (received, marked);
        if let Some(rtt) = rtt {
            self.rtt.on_sample(rtt);
        }
        self.law.on_ack(&AckEvent {
            delivered,
            marked: marks.min(delivered),
            rtt,
            paths: self.paths,
            windows: 0,
            now,
        });
    }

    fn window(&self) -> u64 {
        u64::from(self.law.window() / ONE).min(256)
    }
}

/// Events of some paths: long and short round trips, few and many marks, silence.
fn event(rng: &mut ChaCha8Rng, path: &Path, now: u32) -> Event {
    let calm = (now / 3_000).is_multiple_of(2);
    if rng.random_bool(if calm { 0.001 } else { 0.02 }) {
        return Event::Timeout;
    }
    let delivered = match rng.random_range(0..20) {
        0 => rng.random(),
        1 => rng.random_range(0..400),
        _ => rng.random_range(0..4),
    };
    let marked = match rng.random_range(0..20) {
        0 if !calm => rng.random(),
        1..4 if !calm || rng.random_bool(0.1) => rng.random_range(0..=delivered),
        _ => 0,
    };
    let rtt = match rng.random_range(0..20) {
        0 => rng.random(),
        // The shortest one is never forgotten: such samples come late.
        1 if now > 45_000 => rng.random_range(0..2),
        2 => LONGEST + rng.random_range(0..3) - 1,
        _ if calm && rng.random_bool(0.95) => 900 + rng.random_range(0..3),
        _ => rng.random_range(900..2_500),
    };
    Event::Ack {
        received: path.counted.0.wrapping_add(delivered),
        marked: path.counted.1.wrapping_add(marked),
        rtt: rng.random_bool(0.8).then_some(rtt),
    }
}

fn configure(dut: &mut VerilatedModel, ports: &[(&str, u32)]) {
    for &(name, value) in ports {
        set(dut, name, value.into());
    }
    for (connection, paths) in COUNTED.into_iter().enumerate() {
        set(dut, "step_valid", 1);
        set(dut, "step_connection", connection as u64);
        set(dut, "step", u64::from(INCREASE * (ONE / 256) / paths));
        dut.settle().unwrap();
        dut.rise().unwrap();
    }
    set(dut, "step_valid", 0);
}

/// A path begins; the engine says its first window.
fn begin(dut: &mut VerilatedModel, path: usize, window: u64) {
    let word = |valid: u64| {
        let word = Word::default().field(valid, 1).field(path as u64, 16);
        // live, plane, epoch, entropy, first PSN and TSN.
        [1, 3, 8, 16, 24, 24]
            .iter()
            .fold(word, |w, &b| w.field(0, b))
    };
    set_word(dut, "path_write", word(1));
    dut.settle().unwrap();
    let bytes = get(dut, "window");
    let mut said = Fields::new(&bytes);
    assert_eq!((said.field(1), said.field(16)), (1, path as u64));
    assert_eq!(said.field(9), window, "first window");
    dut.rise().unwrap();
    set_word(dut, "path_write", word(0));
    dut.settle().unwrap();
    check_timeout(dut, Some((path as u64, None)), 0);
    dut.rise().unwrap();
}

fn word(path: usize, event: Option<Event>) -> Word {
    let valid = Word::default().field(event.is_some().into(), 1);
    let (timeout, received, marked, rtt) = match event {
        Some(Event::Ack {
            received,
            marked,
            rtt,
        }) => (0, received, marked, rtt),
        Some(Event::Timeout) => (1, 0xABCD, 0x1234, Some(7)),
        None => (0, 0xFFFF, 0xFFFF, Some(1)),
    };
    valid
        .field(path as u64, 16)
        .field(timeout, 1)
        .field(received.into(), 16)
        .field(marked.into(), 16)
        .field(rtt.is_some().into(), 1)
        .field(rtt.unwrap_or(0).into(), 32)
}

/// Runs a law over random events; the smallest and largest windows seen.
fn run(law: &dyn LawSettings, ports: &[(&str, u32)], seed: u64) -> (u64, u64) {
    let mut dut = model(WindowEngine::<1, 3>::default(), "window_engine");
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    configure(&mut dut, ports);
    let mut paths: Vec<Path> = (0..PATHS)
        .map(|path| Path {
            law: law.start(0),
            rtt: RttEstimate::default(),
            counted: (0, 0),
            paths: COUNTED[path / 4],
        })
        .collect();
    for (index, path) in paths.iter().enumerate() {
        begin(&mut dut, index, path.window());
    }
    let mut windows = VecDeque::from(vec![None; WINDOW_AFTER]);
    let mut timeouts = VecDeque::from(vec![None; TIMEOUT_AFTER]);
    let (mut least, mut most) = (u64::MAX, 0);
    for now in 0..60_000u32 {
        // Phases with one path back to back, and calm ones in which windows grow.
        let path = match now / 500 % 4 {
            0 => 5,
            _ => rng.random_range(0..PATHS),
        };
        let chosen = rng
            .random_bool(if now / 1_000 % 2 == 0 { 1.0 } else { 0.7 })
            .then(|| event(&mut rng, &paths[path], now));
        set_word(&mut dut, "happened", word(path, chosen));
        if let Some(event) = chosen {
            paths[path].hear(event, now);
        }
        windows.push_back(chosen.map(|_| (path as u64, paths[path].window())));
        let sampled = matches!(chosen, Some(Event::Ack { rtt: Some(_), .. }));
        timeouts.push_back(sampled.then(|| (path as u64, paths[path].rtt.timeout())));
        dut.settle().unwrap();
        check_window(&dut, windows.pop_front().unwrap(), now);
        check_timeout(&dut, timeouts.pop_front().unwrap(), now);
        least = least.min(paths[path].window());
        most = most.max(paths[path].window());
        dut.rise().unwrap();
    }
    (least, most)
}

fn check_window(dut: &VerilatedModel, expected: Option<(u64, u64)>, now: u32) {
    let bytes = get(dut, "window");
    let mut said = Fields::new(&bytes);
    let valid = said.field(1) == 1;
    let window = (said.field(16), said.field(9));
    assert_eq!(valid.then_some(window), expected, "window, cycle {now}");
}

fn check_timeout(dut: &VerilatedModel, expected: Option<(u64, Option<u32>)>, now: u32) {
    let bytes = get(dut, "timeout");
    let mut said = Fields::new(&bytes);
    let valid = said.field(1) == 1;
    let (path, measured) = (said.field(16), said.field(1) == 1);
    let timeout = measured.then(|| said.field(26) as u32);
    let found = valid.then_some((path, timeout));
    assert_eq!(found, expected, "time-out, cycle {now}");
}

#[test]
fn aimd_follows_the_model_on_every_ack() {
    for (seed, cap) in [(1, 32), (2, 256), (3, 1)] {
        let settings = AimdSettings {
            first: cap.min(2),
            cap,
            increase: INCREASE,
            ..AimdSettings::default()
        };
        let ports = [
            ("law", 1),
            ("first", settings.first),
            ("cap", settings.cap),
            ("decrease", settings.decrease),
        ];
        let (least, most) = run(&settings, &ports, seed);
        assert_eq!(least, 1, "marks and time-outs bring it down");
        assert!(most == u64::from(cap) || cap > 32 && most > 32, "{most}");
    }
}

#[test]
fn delay_follows_the_model_on_every_ack() {
    for (seed, margin_log2) in [(4, 2), (5, 8)] {
        let settings = DelaySettings {
            increase: INCREASE,
            margin_log2,
            ..DelaySettings::default()
        };
        let ports = [
            ("law", 2),
            ("first", settings.first),
            ("cap", settings.cap),
            ("margin_log2", settings.margin_log2),
            ("gain", settings.gain),
        ];
        let (least, most) = run(&settings, &ports, seed);
        assert_eq!(least, 1, "long round trips bring it down");
        assert!(most > 2, "short ones let it grow: {most}");
    }
}

#[test]
fn a_fixed_window_is_the_largest_whatever_happens() {
    let ports = [("law", 0), ("first", 2), ("cap", 32)];
    assert_eq!(run(&Fixed, &ports, 6), (256, 256));
}
