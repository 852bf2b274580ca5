//! A plane's two halves, as emitted Verilog, against the codec and plain memory.
mod datapath;

use std::collections::VecDeque;

use datapath::frames::{Event, Outcome, Sample, drops, outcome, runs, spoil};
use datapath::{Packed, Sink, Source, model, reset, stalls};
use metaroce_cosim::axi_mem::{Access, AxiMemory, Memory, Timing};
use metaroce_cosim::axis::{AxisSink, AxisSource};
use metaroce_cosim::bus::{Stalls, step};
use metaroce_cosim::model::VerilatedModel;
use metaroce_protocol::frame::parse_as;
use metaroce_protocol::{DropReason, Opcode, Profile};
use metaroce_rtl::plane_rx::PlaneRx;
use metaroce_rtl::plane_tx::PlaneTx;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const BASE: u64 = 0x3_0000_0000;
const BYTES: usize = 1 << 16;
/// Largest payload and profile of the planes of 64 bits.
const WIDE: (usize, Profile) = (4096, Profile::Reads);
/// The same of those of 8 bits.
const NARROW: (usize, Profile) = (256, Profile::Write);
const NOWHERE: u64 = 0x9_0000_0000;

fn timing(kind: usize) -> Timing {
    match kind {
        0 => Timing::ideal(),
        _ => Timing::random(0.2, 0..=40, kind as u64),
    }
}

fn memory(model: &VerilatedModel, kind: usize) -> AxiMemory {
    let mut memory = Memory::new();
    memory.add("host", BASE, BYTES, Access::ReadWrite);
    AxiMemory::new(model, "m_axi", memory, timing(kind)).expect("an AXI4 port")
}

// ---- receive

struct Received {
    drops: Vec<DropReason>,
    receive: Vec<Event>,
    acknowledge: Vec<Event>,
    cycles: u64,
}

/// Sends frames, answers all data with a placement, compares memory.
fn receive(
    model: &mut VerilatedModel,
    frames: &[Vec<u8>],
    (most, profile): (usize, Profile),
    kind: usize,
) -> Received {
    reset(model);
    let mut random = ChaCha8Rng::seed_from_u64(kind as u64);
    let mut memory = memory(model, kind);
    let mut image = vec![0; BYTES];
    let mut source = AxisSource::new(model, "s_axis", stalls(kind, 1)).expect("a stream");
    let mut receive = Sink::new(model, "receive", stalls(kind, 2));
    let mut acknowledge = Sink::new(model, "acknowledge", stalls(kind, 3));
    let mut placements = Source::new(model, "placement", stalls(kind, 4));
    let idle = model.port("idle").expect("idle");
    let mut payloads = VecDeque::new();
    let mut bytes = 0;
    for frame in frames {
        source.push(frame.clone());
        bytes += frame.len() as u64;
        if let (Ok(frame), Outcome::Receive(event)) =
            (parse_as(frame, profile), outcome(frame, most, profile))
            && let Some(payload) = frame.body.payload()
        {
            payloads.push_back((event.payload, payload.to_vec()));
        }
    }
    let mut got = Received {
        drops: vec![],
        receive: vec![],
        acknowledge: vec![],
        cycles: 0,
    };
    let mut quiet = 0;
    while quiet < 200 {
        step(
            model,
            &mut [
                &mut source,
                &mut receive,
                &mut acknowledge,
                &mut placements,
                &mut memory,
            ],
        )
        .expect("a cycle");
        model.eval().expect("settled");
        got.drops.extend(drops(model));
        for (_, word) in receive.got.drain(..) {
            let event = Event::of_port(&word);
            if event.opcode != Opcode::Probe.code() {
                let (length, payload) = payloads.pop_front().expect("data was sent");
                assert_eq!(event.payload, length);
                let accept = random.random_bool(0.8);
                let at = random.random_range(0..BYTES - length);
                if accept {
                    image[at..at + length].copy_from_slice(&payload);
                }
                let placement = Packed::default().put(accept.into(), 1);
                placements.push(
                    placement
                        .put(BASE + at as u64, 64)
                        .put(length as u64, 16)
                        .bytes(),
                );
            }
            got.receive.push(event);
        }
        let words = acknowledge.got.drain(..);
        got.acknowledge
            .extend(words.map(|(_, word)| Event::of_port(&word)));
        got.cycles += 1;
        let done = source.pending() == 0 && placements.queue.is_empty() && model.is_set(idle);
        quiet = if done { quiet + 1 } else { 0 };
        assert!(
            got.cycles < 40 * bytes + 10_000,
            "it hangs with stalls {kind}"
        );
    }
    assert_eq!(memory.violations(), [], "stalls {kind}");
    assert!(
        memory.memory().bytes(BASE, BYTES) == Some(&image[..]),
        "memory differs, stalls {kind}"
    );
    let sent = source.take_sent();
    got.cycles = sent.last().expect("frames").last_cycle - sent[0].first_cycle + 1;
    got
}

/// Every frame ends once, as the codec says, in order.
fn ends_as_the_codec_says(
    model: &mut VerilatedModel,
    frames: &[Vec<u8>],
    (most, profile): (usize, Profile),
    kind: usize,
) {
    let got = receive(model, frames, (most, profile), kind);
    let (mut drops, mut receive, mut acknowledge) = (vec![], vec![], vec![]);
    for frame in frames {
        match outcome(frame, most, profile) {
            Outcome::Drop(reason) => drops.push(reason),
            Outcome::Receive(event) => receive.push(event),
            Outcome::Acknowledge(event) => acknowledge.push(event),
        }
    }
    let first = |a: &[Event], b: &[Event]| a.iter().zip(b).position(|(a, b)| a != b);
    assert_eq!(got.drops, drops, "stalls {kind}");
    assert_eq!(
        first(&got.receive, &receive),
        None,
        "receive event, stalls {kind}"
    );
    assert_eq!(
        got.receive.len(),
        receive.len(),
        "receive events, stalls {kind}"
    );
    assert_eq!(
        first(&got.acknowledge, &acknowledge),
        None,
        "ACK event, stalls {kind}"
    );
    assert_eq!(
        got.acknowledge.len(),
        acknowledge.len(),
        "ACK events, stalls {kind}"
    );
}

fn traffic(
    random: &mut ChaCha8Rng,
    count: usize,
    (most, profile): (usize, Profile),
    hostile: f64,
) -> Vec<Vec<u8>> {
    let mut frame = || {
        let mut frame = Sample::any(random, most, profile).bytes;
        if random.random_bool(hostile) {
            spoil(random, &mut frame);
        }
        frame
    };
    (0..count).map(|_| frame()).collect()
}

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

/// Sends samples; returns the cycles of each frame's first and last beat.
fn transmit(model: &mut VerilatedModel, samples: &[Sample], kind: usize) -> Vec<(u64, u64)> {
    reset(model);
    let mut random = ChaCha8Rng::seed_from_u64(kind as u64);
    let mut memory = memory(model, kind);
    let mut answers = Source::new(model, "answer", stalls(kind, 1));
    let mut data = Source::new(model, "data", stalls(kind, 2));
    let mut sink = AxisSink::new(model, "m_axis", stalls(kind, 3)).expect("a stream");
    let idle = model.port("idle").expect("idle");
    let mut expected = [VecDeque::new(), VecDeque::new()];
    let mut at = 0;
    let mut waiting = VecDeque::new();
    for sample in samples {
        let answer = matches!(sample.opcode, Opcode::Ack | Opcode::Refusal);
        expected[usize::from(answer)].push_back(&sample.bytes);
        waiting.push_back((answer, sample));
    }
    let (mut frames, mut cycles, mut done) = (Vec::new(), 0u64, false);
    // Memory is written just before a descriptor is queued, and not again while it is read.
    while !done {
        while data.queue.len() + answers.queue.len() < 4 {
            let Some((answer, sample)) = waiting.pop_front() else {
                break;
            };
            let length = sample.payload.len();
            if at + length + 16 > BYTES / 8 * 7 {
                at = 0;
            }
            at += random.random_range(0..16);
            let address = BASE + at as u64;
            memory
                .memory_mut()
                .bytes_mut(address, length)
                .expect("inside")
                .copy_from_slice(&sample.payload);
            at += length;
            let queue = if answer { &mut answers } else { &mut data };
            queue.push(sample.descriptor(address));
        }
        step(
            model,
            &mut [&mut answers, &mut data, &mut sink, &mut memory],
        )
        .expect("a cycle");
        while let Some(frame) = sink.pop() {
            let answer = matches!(frame.frame.data[42], 0xD0 | 0xD1);
            let expected = expected[usize::from(answer)]
                .pop_front()
                .expect("a frame was asked for");
            assert!(
                frame.frame.data == *expected,
                "frame {}, stalls {kind}",
                frames.len()
            );
            frames.push((frame.first_cycle, frame.last_cycle));
        }
        model.eval().expect("settled");
        done = frames.len() == samples.len() && model.is_set(idle);
        cycles += 1;
        assert!(
            cycles < 100_000 * samples.len() as u64,
            "it hangs with stalls {kind}"
        );
    }
    assert_eq!(sink.violations(), [], "stalls {kind}");
    assert_eq!(memory.violations(), [], "stalls {kind}");
    frames
}

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
