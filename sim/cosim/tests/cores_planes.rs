//! A plane's two halves with narrow beats, as emitted Verilog, against the codec and plain memory.
mod datapath;

use datapath::frames::{Sample, runs};
use datapath::planes::{BASE, ends_as_the_codec_says, memory, receive, traffic, transmit};
use datapath::{Source, model};
use metaroce_cosim::axis::AxisSink;
use metaroce_cosim::bus::{Stalls, step};
use metaroce_protocol::frame::parse_as;
use metaroce_protocol::{Opcode, Profile};
use metaroce_rtl::plane_rx::PlaneRx;
use metaroce_rtl::plane_tx::PlaneTx;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Largest payload and profile of the planes of 64 bits.
const WIDE: (usize, Profile) = (4096, Profile::Reads);
/// The same of those of 8 bits.
const NARROW: (usize, Profile) = (256, Profile::Write);
const NOWHERE: u64 = 0x9_0000_0000;

#[test]
fn hostile_frames_end_as_the_codec_says_at_64_bits() {
    // Frames of all that `Messages` knows also for one that knows less.
    for profile in [Profile::Reads, Profile::Write] {
        let mut model = model(PlaneRx::<64, 8, 13, 10>::new(4096, profile), "plane_rx");
        let mut random = ChaCha8Rng::seed_from_u64(1);
        for run in 0..runs(4) {
            let frames = traffic(&mut random, 1_500, WIDE, 0.7);
            ends_as_the_codec_says(&mut model, &frames, (4096, profile), run % 4);
        }
    }
}

#[test]
fn hostile_frames_end_as_the_codec_says_at_8_bits() {
    let mut model = model(
        PlaneRx::<8, 1, 104, 9>::new(256, Profile::Write),
        "plane_rx",
    );
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for run in 0..runs(4) {
        let frames = traffic(&mut random, 300, NARROW, 0.7);
        ends_as_the_codec_says(&mut model, &frames, NARROW, run % 4);
    }
}

#[test]
fn a_small_nic_cuts_a_payload_that_it_cannot_hold() {
    let mut model = model(
        PlaneRx::<64, 8, 13, 6>::new(256, Profile::Reads),
        "plane_rx",
    );
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for kind in 0..4 {
        let frames = traffic(&mut random, 300, WIDE, 0.1);
        ends_as_the_codec_says(&mut model, &frames, (256, Profile::Reads), kind);
    }
}

#[test]
fn frames_back_to_back_are_received_at_a_beat_a_cycle() {
    let mut model = model(
        PlaneRx::<64, 8, 13, 10>::new(4096, Profile::Reads),
        "plane_rx",
    );
    let mut random = ChaCha8Rng::seed_from_u64(4);
    for payload in [0, 8, 100, 1024, 4096] {
        let frames: Vec<Vec<u8>> = (0..50)
            .map(|_| Sample::random(&mut random, Opcode::Write, payload).bytes)
            .collect();
        let beats: usize = frames.iter().map(|frame| frame.len().div_ceil(8)).sum();
        let got = receive(&mut model, &frames, WIDE, 0);
        assert_eq!(got.receive.len(), 50);
        assert_eq!(got.cycles, beats as u64, "payload of {payload} bytes");
    }
    let probes: Vec<Vec<u8>> = (0..50)
        .map(|_| Sample::random(&mut random, Opcode::Probe, 0).bytes)
        .collect();
    assert_eq!(receive(&mut model, &probes, WIDE, 0).cycles, 50 * 9);
}

// ---- transmit

#[test]
fn descriptors_become_the_codec_s_frames() {
    let mut wide = model(
        PlaneTx::<64, 8, 13, 10>::new(4096, Profile::Reads),
        "plane_tx",
    );
    let mut narrow = model(
        PlaneTx::<8, 1, 104, 11>::new(1024, Profile::Write),
        "plane_tx",
    );
    let mut random = ChaCha8Rng::seed_from_u64(5);
    for run in 0..runs(4) {
        let mut samples = |count, most, profile| -> Vec<Sample> {
            (0..count)
                .map(|_| Sample::any(&mut random, most, profile))
                .collect()
        };
        transmit(&mut wide, &samples(400, 4096, Profile::Reads), run % 4);
        transmit(&mut narrow, &samples(80, 1024, Profile::Write), run % 4);
    }
}

#[test]
fn frames_leave_back_to_back() {
    let mut model = model(
        PlaneTx::<64, 8, 13, 10>::new(4096, Profile::Reads),
        "plane_tx",
    );
    let mut random = ChaCha8Rng::seed_from_u64(6);
    for (opcode, payload) in [
        (Opcode::Write, 4096),
        (Opcode::Write, 1023),
        (Opcode::Write, 100),
        (Opcode::Probe, 0),
        (Opcode::Ack, 0),
    ] {
        let samples: Vec<Sample> = (0..40)
            .map(|_| Sample::random(&mut random, opcode, payload))
            .collect();
        let frames = transmit(&mut model, &samples, 0);
        let beats = samples[0].bytes.len().div_ceil(8) as u64;
        for (before, after) in frames[5..].iter().zip(&frames[6..]) {
            assert_eq!(
                after.1 - after.0 + 1,
                beats,
                "an idle cycle within a frame of {payload}"
            );
            assert_eq!(
                before.1 + 1,
                after.0,
                "an idle cycle between frames of {payload}"
            );
        }
    }
}

#[test]
fn an_answer_goes_first_at_the_next_boundary() {
    let mut model = model(
        PlaneTx::<64, 8, 13, 10>::new(4096, Profile::Reads),
        "plane_tx",
    );
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let mut memory = memory(&model, 0);
    let mut data = Source::new(&model, "data", Stalls::never());
    let mut answers = Source::new(&model, "answer", Stalls::never());
    let mut sink = AxisSink::new(&model, "m_axis", Stalls::never()).expect("a stream");
    let write = Sample::random(&mut random, Opcode::Write, 1024);
    (0..4).for_each(|_| data.push(write.descriptor(BASE)));
    for cycle in 0..1_000 {
        if cycle == 60 {
            answers.push(Sample::random(&mut random, Opcode::Ack, 0).descriptor(0));
        }
        step(
            &mut model,
            &mut [&mut data, &mut answers, &mut sink, &mut memory],
        )
        .expect("a cycle");
    }
    let opcodes: Vec<u8> = sink
        .frames()
        .iter()
        .map(|frame| frame.frame.data[42])
        .collect();
    assert_eq!(opcodes, [0xC0, 0xD0, 0xC0, 0xC0, 0xC0]);
}

#[test]
fn a_frame_of_unreadable_memory_has_a_broken_icrc_and_the_next_has_not() {
    let mut model = model(
        PlaneTx::<64, 8, 13, 10>::new(4096, Profile::Reads),
        "plane_tx",
    );
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let mut memory = memory(&model, 0);
    let mut data = Source::new(&model, "data", Stalls::never());
    let mut sink = AxisSink::new(&model, "m_axis", Stalls::never()).expect("a stream");
    for payload in [64, 61] {
        let write = Sample::random(&mut random, Opcode::Write, payload);
        data.push(write.descriptor(NOWHERE));
        data.push(write.descriptor(BASE));
    }
    for _ in 0..400 {
        step(&mut model, &mut [&mut data, &mut sink, &mut memory]).expect("a cycle");
    }
    let good: Vec<bool> = sink
        .frames()
        .iter()
        .map(|frame| parse_as(&frame.frame.data, Profile::Reads).is_ok())
        .collect();
    assert_eq!(good, [false, true, false, true]);
}
