//! The wide datapath's cores against the frame codec.
mod engines;

use std::collections::VecDeque;

use engines::model;
use metaroce_cores::wide_icrc::{LATENCY, WideIcrc};
use metaroce_cosim::model::VerilatedModel;
use metaroce_protocol::Icrc;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Ethernet's header; the ICRC needs a byte of IP's to be told from it.
const SHORTEST: usize = 15;

/// Every length up to 300 bytes once in random order, and as many random ones up to 4,300; in a dense run without a gap between beats, else with
/// gaps everywhere.
fn icrc_follows_the_codec(mut dut: VerilatedModel, width: usize, latency: usize, dense: bool) {
    let mut random = ChaCha8Rng::seed_from_u64(width as u64);
    let mut lengths: Vec<usize> = (SHORTEST..300).collect();
    lengths.extend((0..300).map(|_| random.random_range(SHORTEST..4300)));
    let ports = ["data", "valid", "last", "missing", "state", "done"];
    let [data, valid, last, missing, state, done] =
        ports.map(|name| dut.port(name).unwrap_or_else(|e| panic!("{e}")));
    // Cycle and state of each frame that has ended.
    let mut due = VecDeque::new();
    let (mut beats, mut cycle) = (VecDeque::new(), 0);
    while !lengths.is_empty() || !beats.is_empty() || !due.is_empty() {
        if beats.is_empty() && !lengths.is_empty() {
            let length = lengths.swap_remove(random.random_range(0..lengths.len()));
            let mut frame = vec![0; length];
            random.fill(&mut frame[..]);
            frame[14] = 0x45;
            beats.extend(frame.chunks(width).map(<[u8]>::to_vec));
            beats.push_back(frame);
        }
        let goes = !beats.is_empty() && (dense || random.random_bool(0.6));
        dut.set_u64(valid, goes.into());
        // Without `valid` nothing counts.
        let mut word = vec![0; width];
        random.fill(&mut word[..]);
        let is_last = beats.len() == 2;
        dut.set_u64(
            last,
            if goes {
                is_last.into()
            } else {
                random.random_range(0..2)
            },
        );
        if goes && let Some(beat) = beats.pop_front() {
            word[..beat.len()].copy_from_slice(&beat);
            dut.set_u64(missing, (width - beat.len()) as u64);
            if is_last && let Some(frame) = beats.pop_front() {
                due.push_back((cycle + latency, !Icrc::of_packet(&frame[14..]).value()));
            }
        }
        dut.set_bytes(data, &word);
        dut.settle().expect("a cycle");
        match due.front() {
            Some(&(at, needed)) if at == cycle => {
                assert!(dut.is_set(done), "no state in cycle {cycle}");
                assert_eq!(dut.get_u64(state) as u32, needed, "in cycle {cycle}");
                due.pop_front();
            }
            _ => assert!(!dut.is_set(done), "a state in cycle {cycle}"),
        }
        dut.rise().expect("a cycle");
        cycle += 1;
    }
}

#[test]
fn icrc_of_frames_of_any_length_at_256_bits_a_cycle() {
    for dense in [true, false] {
        let dut = model(WideIcrc::<256, 32>::default(), "wide_icrc");
        icrc_follows_the_codec(dut, 32, LATENCY, dense);
    }
}

#[test]
fn icrc_of_frames_of_any_length_at_512_bits_a_cycle() {
    for dense in [true, false] {
        let dut = model(WideIcrc::<512, 64>::default(), "wide_icrc");
        icrc_follows_the_codec(dut, 64, LATENCY, dense);
    }
}
