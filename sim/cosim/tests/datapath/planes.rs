//! Drives a plane's halves: frames in, placements; descriptors in, frames out; host memory behind both.

use std::collections::VecDeque;

use metaroce_cosim::axi_mem::{Access, AxiMemory, Memory, Timing};
use metaroce_cosim::axis::{AxisSink, AxisSource};
use metaroce_cosim::bus::step;
use metaroce_cosim::model::VerilatedModel;
use metaroce_protocol::frame::parse_as;
use metaroce_protocol::{DropReason, Opcode, Profile};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::frames::{Event, Outcome, Sample, drops, outcome, spoil};
use super::{Packed, Sink, Source, reset, stalls};

/// Where host memory begins.
pub const BASE: u64 = 0x3_0000_0000;
/// More than all payloads that a plane may have taken and not read.
const BYTES: usize = 1 << 18;
fn timing(kind: usize) -> Timing {
    match kind {
        0 => Timing::ideal(),
        _ => Timing::random(0.2, 0..=40, kind as u64),
    }
}

pub fn memory(model: &VerilatedModel, kind: usize) -> AxiMemory {
    let mut memory = Memory::new();
    memory.add("host", BASE, BYTES, Access::ReadWrite);
    AxiMemory::new(model, "m_axi", memory, timing(kind)).expect("an AXI4 port")
}

// ---- receive

/// What a plane made of frames.
pub struct Received {
    pub drops: Vec<DropReason>,
    pub receive: Vec<Event>,
    pub acknowledge: Vec<Event>,
    /// From the first beat of the first frame to the last beat of the last.
    pub cycles: u64,
}

/// Sends frames, answers all data with a placement, compares memory.
pub fn receive(
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
            && frame.body.opcode() != Opcode::Probe
        {
            let payload = frame.body.payload().unwrap_or_default();
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
pub fn ends_as_the_codec_says(
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

pub fn traffic(
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

// ---- transmit

/// Sends samples; returns the cycles of each frame's first and last beat.
pub fn transmit(model: &mut VerilatedModel, samples: &[Sample], kind: usize) -> Vec<(u64, u64)> {
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
            let differs = frame
                .frame
                .data
                .iter()
                .zip(expected)
                .position(|(a, b)| a != b);
            assert!(
                frame.frame.data == *expected,
                "frame {} of {} bytes for {} differs at {differs:?}, stalls {kind}",
                frames.len(),
                frame.frame.data.len(),
                expected.len()
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
