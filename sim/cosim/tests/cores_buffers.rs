//! FIFOs and the RAM with bypass, as emitted Verilog, against plain queues and arrays.
mod datapath;

use std::collections::VecDeque;

use datapath::{Sink, Source, model, reset, stalls};
use metaroce_cores::ram_bypass::RamBypass;
use metaroce_cores::skid_buffer::SkidBuffer;
use metaroce_cores::stream_fifo::{FrameFifo, StreamFifo};
use metaroce_cosim::bus::step;
use metaroce_cosim::model::VerilatedModel;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

const WORDS: usize = 2_000;

/// Words come out as they went in, whatever stalls; returns the cycles of the run without stalls.
fn passes_words(model: &mut VerilatedModel) -> u64 {
    let mut fastest = 0;
    for (fill, drain) in [
        (0, 0),
        (1, 0),
        (0, 1),
        (1, 1),
        (2, 2),
        (3, 0),
        (0, 3),
        (3, 3),
    ] {
        reset(model);
        let seed = (fill * 10 + drain) as u64;
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut source = Source::new(model, "push", stalls(fill, seed));
        let mut sink = Sink::new(model, "pop", stalls(drain, seed + 1));
        let words: Vec<Vec<u8>> = (0..WORDS)
            .map(|_| random.random::<[u8; 2]>().to_vec())
            .collect();
        words.iter().for_each(|word| source.push(word.clone()));
        let mut cycles = 0;
        while sink.got.len() < WORDS {
            step(model, &mut [&mut source, &mut sink]).expect("a cycle");
            cycles += 1;
            assert!(
                cycles < 20 * WORDS as u64,
                "it hangs with stalls {fill}, {drain}"
            );
        }
        assert!(
            sink.got.iter().map(|(_, word)| word).eq(words.iter()),
            "stalls {fill}, {drain}"
        );
        if (fill, drain) == (0, 0) {
            fastest = cycles;
        }
    }
    fastest
}

#[test]
fn a_stream_fifo_passes_a_word_a_cycle() {
    let mut model = model(StreamFifo::<Bits<16>, 3>::default(), "stream_fifo");
    assert_eq!(passes_words(&mut model), WORDS as u64 + 2);
}

#[test]
fn a_skid_buffer_passes_a_word_a_cycle() {
    let mut model = model(SkidBuffer::<Bits<16>>::default(), "skid_buffer");
    assert_eq!(passes_words(&mut model), WORDS as u64 + 1);
}

#[test]
fn a_stream_fifo_counts_what_it_holds() {
    let mut model = model(StreamFifo::<Bits<16>, 3>::default(), "stream_fifo");
    let port = |name: &str| model.port(name).expect(name);
    let (level, space) = (port("level"), port("space"));
    let mut source = Source::new(&model, "push", stalls(0, 0));
    (0..10).for_each(|word| source.push(vec![word, 0]));
    for cycle in 0..20 {
        step(&mut model, &mut [&mut source]).expect("a cycle");
        model.eval().expect("settled");
        let held = model.get_u64(level);
        assert_eq!(held, (cycle + 1).min(7));
        assert_eq!(model.get_u64(space), 7 - held);
    }
    assert_eq!(source.queue.len(), 3);
}

#[test]
fn a_frame_fifo_gives_only_what_was_committed() {
    let mut model = model(FrameFifo::<Bits<16>, 4>::default(), "frame_fifo");
    let port = |name: &str| model.port(name).expect(name);
    let ports = ["push", "push_valid", "push_ready", "commit", "rollback"].map(port);
    let [push, push_valid, push_ready, commit, rollback] = ports;
    for drain in 0..4 {
        reset(&mut model);
        let mut random = ChaCha8Rng::seed_from_u64(drain as u64);
        let mut sink = Sink::new(&model, "pop", stalls(drain, 7));
        let (mut tentative, mut expected) = (Vec::new(), VecDeque::new());
        for _ in 0..5_000 {
            let word: u16 = random.random();
            // A frame that fills the FIFO can only be ended.
            let full = tentative.len() >= 12;
            let (commits, rolls) = (random.random_bool(0.15), full || random.random_bool(0.1));
            let pushes = random.random_bool(0.8);
            for (port, value) in [(push, word.into()), (push_valid, pushes.into())] {
                model.set_u64(port, value);
            }
            model.set_u64(commit, commits.into());
            model.set_u64(rollback, rolls.into());
            model.settle().expect("settled");
            if pushes && model.is_set(push_ready) {
                tentative.push(word);
            }
            if rolls {
                tentative.clear();
            } else if commits {
                expected.extend(tentative.drain(..));
            }
            step(&mut model, &mut [&mut sink]).expect("a cycle");
            for (_, word) in sink.got.drain(..) {
                assert_eq!(
                    Some(u16::from_le_bytes([word[0], word[1]])),
                    expected.pop_front()
                );
            }
        }
        assert!(expected.len() <= 16, "{} words are lost", expected.len());
    }
}

#[test]
fn a_read_holds_every_write_up_to_its_cycle() {
    let mut model = model(RamBypass::<Bits<40>, 3>::default(), "ram_bypass");
    let port = |name: &str| model.port(name).expect(name);
    let names = [
        "write_enable",
        "write_address",
        "write_data",
        "read_address",
        "read_data",
    ];
    let [enable, to, data, from, read] = names.map(port);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut table = [0; 8];
    for cycle in 0..20_000 {
        let (writes, at, word) = (
            random.random_bool(0.7),
            random.random_range(0..8),
            random.random_range(0..1 << 40),
        );
        let asked = random.random_range(0..8);
        for (port, value) in [
            (enable, writes.into()),
            (to, at as u64),
            (data, word),
            (from, asked as u64),
        ] {
            model.set_u64(port, value);
        }
        model.tick().expect("a cycle");
        if writes {
            table[at] = word;
        }
        model.eval().expect("settled");
        assert_eq!(model.get_u64(read), table[asked], "cycle {cycle}");
    }
}
