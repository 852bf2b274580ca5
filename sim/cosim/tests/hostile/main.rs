//! Hostile frames through a whole NIC, in lockstep with the model: each ends in the counter that the model says, nothing is
//! written outside the regions, and afterwards ordinary traffic works to its end.
//!
//! 100,000 frames; with METAROCE_LONG=1 a million.
mod forge;
mod forged_ack;
mod target;

use std::time::Instant;

use forge::Forge;
use metaroce_cosim::bus::Pace;
use metaroce_cosim::lab::NicLab;
use metaroce_protocol::CompletionStatus;
use metaroce_rtl::sizes::Size as Built;
use target::{Target, ends};

/// Frames between two settlements.
const ROUND: u64 = 1_500;
/// Frames that wait to enter a plane.
const WAITING: usize = 2;

const PACES: [Pace; 4] = [
    Pace::Full,
    Pace::Random(0.2),
    Pace::OneIn(2),
    Pace::Random(0.5),
];

fn frames(short: u64) -> u64 {
    match std::env::var_os("METAROCE_LONG") {
        Some(_) => 10 * short,
        None => short,
    }
}

/// Frames into all planes as fast as they go in, while the NIC sends messages that nobody answers but the forger.
fn round(target: &mut Target, forge: &mut Forge, frames: u64) {
    target.connect(forge.epoch, false);
    let planes = target.size.planes as usize;
    let mut left = frames;
    while left > 0 {
        for plane in 0..planes {
            if left > 0 && target.station.pending(plane) < WAITING {
                let frame = forge.frame(target.station.lockstep().nic());
                target.station.deliver(plane, frame);
                left -= 1;
            }
        }
        target.cycle();
        if target.cycles.is_multiple_of(256) {
            target.hold_some();
        }
        if target.cycles.is_multiple_of(64) {
            target.completions();
            target.post();
            target.post_buffer();
        }
    }
    target.station.hold(0);
    target.settle();
    target.completions();
    while target.in_flight() > 0 {
        target.settle();
        let ended = target.completions();
        assert!(!ended.is_empty(), "a message never completes");
    }
    target.check_counters();
}

fn hostile_frames(built: Built, rto: u32, total: u64, seed: u64) {
    let lab = NicLab::new(built).expect("Verilog");
    let mut forge = Forge::new(seed, lab.size(), built.profile(), built.largest_payload());
    let ends = ends(built.profile());
    let (began, mut cycles, mut seen) = (Instant::now(), 0, vec![0u64; ends.len()]);
    for (pace, seed) in PACES.into_iter().zip(seed..) {
        let mut target = Target::new(&lab, pace, rto, seed);
        let mut left = total / PACES.len() as u64;
        while left > 0 {
            let frames = left.min(ROUND);
            round(&mut target, &mut forge, frames);
            left -= frames;
            forge.epoch = forge.epoch.wrapping_add(1);
            target.ordinary_traffic(forge.epoch);
            target.check_counters();
            forge.epoch = forge.epoch.wrapping_add(1);
        }
        cycles += target.cycles;
        let counters = target.station.lockstep().nic().counters();
        for (seen, &counter) in seen.iter_mut().zip(&ends) {
            *seen += u64::from(counters.get(counter));
        }
    }
    let seconds = began.elapsed().as_secs_f64();
    let ends: Vec<(&str, u64)> = ends.iter().map(|c| c.name()).zip(seen).collect();
    println!("{}: {:?}\n{ends:?}", built.name(), forge.made);
    println!(
        "{total} frames, {cycles} cycles, {seconds:.1} s: {:.0} frames/s, {:.0} cycles/s",
        total as f64 / seconds,
        cycles as f64 / seconds
    );
    for (name, count) in ends {
        assert!(count > 0, "no frame ended as {name}");
    }
}

/// RTO 0 is below its range: a path times out at once, again and again, and the NIC does not hang.
#[test]
fn a_time_out_of_0_ends_a_message_and_hangs_nothing() {
    for built in [Built::Small, Built::Tiny] {
        let lab = NicLab::new(built).expect("Verilog");
        let mut target = Target::new(&lab, Pace::Full, 0, 5);
        target.connect(1, false);
        target.post().expect("room");
        target.settle();
        let ended: Vec<_> = target.completions().iter().map(|cqe| cqe.status).collect();
        assert_eq!(ended, [CompletionStatus::RetryExceeded]);
        target.check_counters();
    }
}

#[test]
fn hostile_frames_end_as_the_model_says_in_a_small_nic() {
    hostile_frames(Built::Small, 600, frames(88_000), 1);
}

#[test]
fn hostile_frames_end_as_the_model_says_in_a_tiny_nic() {
    hostile_frames(Built::Tiny, 4_800, frames(12_000), 2);
}
