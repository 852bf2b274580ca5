//! The AXI4 reader and writer, as emitted Verilog, against plain copies of bytes.
mod datapath;

use datapath::{Packed, Sink, Source, model, reset, stalls};
use metaroce_cores::axi_reader::AxiReader;
use metaroce_cores::axi_writer::AxiWriter;
use metaroce_cosim::axi_mem::{Access, AxiMemory, Memory, Timing};
use metaroce_cosim::bus::{Stalls, step};
use metaroce_cosim::model::VerilatedModel;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const BASE: u64 = 0x7_0000_0000;
const BYTES: usize = 0x4000;
const NOWHERE: u64 = 0x9_0000_0000;

fn memory(model: &VerilatedModel, timing: Timing) -> AxiMemory {
    let mut memory = Memory::new();
    memory.add("host", BASE, BYTES, Access::ReadWrite);
    let bytes = memory.bytes_mut(BASE, BYTES).expect("the region");
    let mut random = ChaCha8Rng::seed_from_u64(5);
    bytes.iter_mut().for_each(|byte| *byte = random.random());
    AxiMemory::new(model, "m_axi", memory, timing).expect("an AXI4 port")
}

/// Every alignment around each multiple of 4 KiB, and random places; lengths up to `most`.
fn transfers(random: &mut ChaCha8Rng, most: usize) -> Vec<(u64, usize)> {
    let mut all: Vec<(u64, usize)> = Vec::new();
    for boundary in [0x1000, 0x2000, 0x3000] {
        for before in 0..18 {
            for length in [0, 1, 2, 7, 8, 9, 16, 17, 25, most] {
                all.push((BASE + boundary - before, length));
            }
        }
    }
    for _ in 0..600 {
        let length = random.random_range(0..=most);
        all.push((BASE + random.random_range(0..BYTES - length) as u64, length));
    }
    all
}

fn command(address: u64, length: usize) -> Vec<u8> {
    Packed::default()
        .put(address, 64)
        .put(length as u64, 16)
        .bytes()
}

/// Reads everything; returns the cycles it took.
fn reads(model: &mut VerilatedModel, lanes: usize, transfers: &[(u64, usize)], kind: usize) -> u64 {
    reset(model);
    let timing = match kind {
        0 => Timing::ideal(),
        _ => Timing::random(0.3, 0..=30, kind as u64),
    };
    let mut memory = memory(model, timing);
    let mut commands = Source::new(model, "command", stalls(kind, 1));
    let mut beats = Sink::new(model, "beat", stalls(kind, 2));
    let mut expected = Vec::new();
    for &(address, length) in transfers {
        commands.push(command(address, length));
        let bytes = memory
            .memory()
            .bytes(address, length)
            .expect("inside")
            .to_vec();
        expected.extend(bytes.chunks(lanes).map(<[u8]>::to_vec));
    }
    let mut cycles = 0;
    while beats.got.len() < expected.len() || !commands.queue.is_empty() {
        step(model, &mut [&mut commands, &mut beats, &mut memory]).expect("a cycle");
        cycles += 1;
        assert!(
            cycles < 40 * expected.len() as u64 + 1000,
            "it hangs with stalls {kind}"
        );
    }
    for (number, ((_, got), expected)) in beats.got.iter().zip(&expected).enumerate() {
        assert_eq!(
            &got[..expected.len()],
            expected,
            "beat {number} with stalls {kind}"
        );
        assert_eq!(got[lanes] & 1, 0, "beat {number} is called bad");
    }
    assert_eq!(memory.violations(), [], "stalls {kind}");
    cycles
}

#[test]
fn a_reader_packs_any_bytes() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut wide = model(AxiReader::<64, 8, 7>::new(16), "axi_reader");
    let mut narrow = model(AxiReader::<8, 1, 8>::new(16), "axi_reader");
    for kind in 0..4 {
        reads(&mut wide, 8, &transfers(&mut random, 127 * 8), kind);
        reads(&mut narrow, 1, &transfers(&mut random, 255), kind);
    }
}

#[test]
fn a_reader_gives_a_beat_a_cycle() {
    let mut model = model(AxiReader::<64, 8, 8>::new(16), "axi_reader");
    for (offset, lost) in [(0, 1), (3, 2)] {
        let all = vec![(BASE + offset, 512); 50];
        let cycles = reads(&mut model, 8, &all, 0);
        let most = 50 * (64 + lost) + 12;
        assert!(
            cycles <= most,
            "{cycles} cycles for 50 reads of 64 beats at +{offset}, at most {most}"
        );
    }
}

#[test]
fn a_failed_read_is_called_bad_and_the_next_is_not() {
    let mut model = model(AxiReader::<64, 8, 7>::new(16), "axi_reader");
    let mut memory = memory(&model, Timing::ideal());
    let mut commands = Source::new(&model, "command", Stalls::never());
    let mut beats = Sink::new(&model, "beat", Stalls::never());
    let error = model.port("error").expect("the pulse");
    for (address, length) in [(NOWHERE + 3, 16), (BASE + 5, 16), (NOWHERE, 5), (BASE, 8)] {
        commands.push(command(address, length));
    }
    let mut errors = 0;
    for _ in 0..200 {
        step(&mut model, &mut [&mut commands, &mut beats, &mut memory]).expect("a cycle");
        model.eval().expect("settled");
        errors += model.get_u64(error);
    }
    let bad: Vec<u8> = beats.got.iter().map(|(_, beat)| beat[8] & 1).collect();
    assert_eq!(bad, [1, 1, 0, 0, 1, 0]);
    assert!(errors > 0);
}

/// Writes everything and compares memory; returns the cycles it took.
fn writes(
    model: &mut VerilatedModel,
    lanes: usize,
    transfers: &[(u64, usize)],
    kind: usize,
) -> u64 {
    reset(model);
    let timing = match kind {
        0 => Timing::ideal(),
        _ => Timing::random(0.3, 0..=30, kind as u64),
    };
    let mut memory = memory(model, timing);
    let mut image = memory
        .memory()
        .bytes(BASE, BYTES)
        .expect("the region")
        .to_vec();
    let ports = ["command_write", "command_address", "command_length"];
    let mut commands = Source::of(model, "command", &ports, stalls(kind, 1));
    let mut beats = Source::new(model, "beat", stalls(kind, 2));
    let mut random = ChaCha8Rng::seed_from_u64(kind as u64);
    for &(address, length) in transfers {
        // Some are thrown away, except where speed is measured.
        let keep = kind == 0 || random.random_bool(0.8);
        let bytes: Vec<u8> = (0..length).map(|_| random.random()).collect();
        commands.queue.push_back(vec![
            vec![keep.into()],
            address.to_le_bytes().to_vec(),
            (length as u16).to_le_bytes().to_vec(),
        ]);
        for chunk in bytes.chunks(lanes) {
            // What lies beyond the end is garbage.
            let mut beat = vec![0xEE; lanes];
            beat[..chunk.len()].copy_from_slice(chunk);
            beats.push(beat);
        }
        if keep {
            let at = (address - BASE) as usize;
            image[at..at + length].copy_from_slice(&bytes);
        }
    }
    let idle = model.port("idle").expect("idle");
    let total = beats.queue.len() as u64;
    let mut cycles = 0;
    loop {
        step(model, &mut [&mut commands, &mut beats, &mut memory]).expect("a cycle");
        cycles += 1;
        model.eval().expect("settled");
        if commands.queue.is_empty() && beats.queue.is_empty() && model.is_set(idle) {
            break;
        }
        assert!(cycles < 60 * total + 1000, "it hangs with stalls {kind}");
    }
    assert_eq!(memory.violations(), [], "stalls {kind}");
    assert!(
        memory.memory().bytes(BASE, BYTES) == Some(&image[..]),
        "memory differs, stalls {kind}"
    );
    cycles
}

#[test]
fn a_writer_places_any_bytes_and_touches_no_other() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut wide = model(AxiWriter::<64, 8>::new(16), "axi_writer");
    let mut narrow = model(AxiWriter::<8, 1>::new(16), "axi_writer");
    for kind in 0..4 {
        writes(&mut wide, 8, &transfers(&mut random, 1024), kind);
        writes(&mut narrow, 1, &transfers(&mut random, 300), kind);
    }
}

#[test]
fn a_writer_takes_a_beat_a_cycle() {
    let mut model = model(AxiWriter::<64, 8>::new(16), "axi_writer");
    for (offset, lost) in [(0, 1), (3, 2)] {
        let all = vec![(BASE + offset, 512); 50];
        let cycles = writes(&mut model, 8, &all, 0);
        let most = 50 * (64 + lost) + 12;
        assert!(
            cycles <= most,
            "{cycles} cycles for 50 writes of 64 beats at +{offset}, at most {most}"
        );
    }
}
