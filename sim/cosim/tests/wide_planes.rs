//! A plane's two halves with wide beats, as emitted Verilog, against the codec and plain memory.
mod datapath;

use datapath::frames::{Sample, runs};
use datapath::planes::{BASE, ends_as_the_codec_says, memory, receive, traffic, transmit};
use datapath::{Source, model_of, reset};
use metaroce_cosim::axis::AxisSink;
use metaroce_cosim::bus::{Stalls, step};
use metaroce_cosim::model::VerilatedModel;
use metaroce_protocol::frame::parse_as;
use metaroce_protocol::{Opcode, Profile};
use metaroce_rtl::planes::{Width, emit_receiver, emit_sender};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const NOWHERE: u64 = 0x9_0000_0000;
/// Largest payload and profile.
const WHOLE: (usize, Profile) = (4096, Profile::Messages);
/// Opcodes whose frames carry payload, one of each length of headers.
const DATA: [Opcode; 3] = [Opcode::Write, Opcode::Send, Opcode::WriteImm];

fn receiver(width: Width) -> VerilatedModel {
    model_of(&emit_receiver(width).expect("Verilog"))
}

/// Good frames of every payload from 0 to 600 bytes, and random ones up to the largest.
fn every_length(random: &mut ChaCha8Rng) -> Vec<Vec<u8>> {
    let longer: Vec<usize> = (0..40).map(|_| random.random_range(601..=4096)).collect();
    let lengths = longer.into_iter().chain(0..=600).enumerate();
    let frame = |(i, length)| Sample::random(random, DATA[i % 3], length).bytes;
    lengths.map(frame).collect()
}

/// A frame cut at every byte.
fn every_cut(random: &mut ChaCha8Rng) -> Vec<Vec<u8>> {
    let frames = [(Opcode::Write, 60), (Opcode::Ack, 0), (Opcode::Probe, 0)];
    let whole = frames.map(|(opcode, payload)| Sample::random(random, opcode, payload).bytes);
    let cuts = whole
        .iter()
        .flat_map(|frame| (1..=frame.len()).map(|length| frame[..length].to_vec()));
    cuts.collect()
}

/// Every beat goes in the cycle after the one before.
fn back_to_back(model: &mut VerilatedModel, beat: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let mut sample = |opcode, payload| Sample::random(&mut random, opcode, payload).bytes;
    let mut streams: Vec<Vec<Vec<u8>>> = [0, 8, 36, 100, 1024, 4096]
        .map(|payload| (0..50).map(|_| sample(Opcode::Write, payload)).collect())
        .into();
    streams.push((0..200).map(|_| sample(Opcode::Probe, 0)).collect());
    streams.push((0..200).map(|i| sample(DATA[i % 3], i)).collect());
    // Runts, a beat each.
    streams.push((0..200).map(|i| vec![7; 1 + i % beat]).collect());
    for (number, frames) in streams.iter().enumerate() {
        let beats: usize = frames.iter().map(|frame| frame.len().div_ceil(beat)).sum();
        let got = receive(model, frames, WHOLE, 0);
        assert_eq!(got.cycles, beats as u64, "stream {number}");
    }
}

/// Every length with a stall after each beat, on a plane that has seen no frame; every cut; hostile traffic with stalls of
/// all kinds.
fn receives(mut model: VerilatedModel, beat: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(beat as u64);
    let frames = every_length(&mut random);
    ends_as_the_codec_says(&mut model, &frames, WHOLE, 1);
    let frames = every_cut(&mut random);
    ends_as_the_codec_says(&mut model, &frames, WHOLE, 2);
    for run in 0..runs(4) {
        let frames = traffic(&mut random, 250, WHOLE, 0.7);
        ends_as_the_codec_says(&mut model, &frames, WHOLE, run % 4);
    }
    back_to_back(&mut model, beat);
}

#[test]
fn frames_of_512_bits_a_cycle_end_as_the_codec_says() {
    receives(receiver(Width::W512), 64);
}

#[test]
fn frames_of_256_bits_a_cycle_end_as_the_codec_says() {
    receives(receiver(Width::W256), 32);
}

fn sender(width: Width) -> VerilatedModel {
    model_of(&emit_sender(width).expect("Verilog"))
}

/// Once the pipeline is full no cycle is idle, within frames or between them.
fn leave_back_to_back(model: &mut VerilatedModel, beat: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    for (opcode, payload) in [
        (Opcode::Write, 4096),
        (Opcode::Write, 1023),
        (Opcode::Send, 100),
        (Opcode::WriteImm, 64),
        (Opcode::Write, 36),
        (Opcode::Probe, 0),
        (Opcode::Ack, 0),
    ] {
        let samples: Vec<Sample> = (0..40)
            .map(|_| Sample::random(&mut random, opcode, payload))
            .collect();
        let frames = transmit(model, &samples, 0);
        let beats = samples[0].bytes.len().div_ceil(beat) as u64;
        let cycles = frames[39].1 - frames[9].1;
        assert_eq!(cycles, 30 * beats, "30 {opcode:?} of {payload} bytes");
        for (first, last) in frames {
            assert_eq!(last - first + 1, beats, "{opcode:?} of {payload} bytes");
        }
    }
}

/// Every length with stalls now and then, on a plane that has sent no frame; all kinds of frames with stalls of all kinds.
fn sends(mut model: VerilatedModel, beat: usize) {
    let mut random = ChaCha8Rng::seed_from_u64(beat as u64);
    let samples: Vec<Sample> = (0..=600)
        .map(|i| Sample::random(&mut random, DATA[i % 3], i))
        .collect();
    transmit(&mut model, &samples, 2);
    for run in 0..runs(4) {
        let samples: Vec<Sample> = (0..150)
            .map(|_| Sample::any(&mut random, 4096, Profile::Messages))
            .collect();
        transmit(&mut model, &samples, run % 4);
    }
    leave_back_to_back(&mut model, beat);
    unreadable_memory(&mut model);
}

/// A frame whose payload can't be read goes out with a wrong ICRC, the next one is good again.
fn unreadable_memory(model: &mut VerilatedModel) {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    reset(model);
    let mut memory = memory(model, 0);
    let mut data = Source::new(model, "data", Stalls::never());
    let mut sink = AxisSink::new(model, "m_axis", Stalls::never()).expect("a stream");
    for payload in [64, 61, 400] {
        let write = Sample::random(&mut random, Opcode::Write, payload);
        data.push(write.descriptor(NOWHERE));
        data.push(write.descriptor(BASE));
    }
    for _ in 0..400 {
        step(model, &mut [&mut data, &mut sink, &mut memory]).expect("a cycle");
    }
    let frames = sink.frames().iter();
    let good: Vec<bool> = frames
        .map(|frame| parse_as(&frame.frame.data, Profile::Messages).is_ok())
        .collect();
    assert_eq!(good, [false, true, false, true, false, true]);
}

#[test]
fn descriptors_become_the_codec_s_frames_at_512_bits_a_cycle() {
    sends(sender(Width::W512), 64);
}

#[test]
fn descriptors_become_the_codec_s_frames_at_256_bits_a_cycle() {
    sends(sender(Width::W256), 32);
}
