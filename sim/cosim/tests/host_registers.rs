//! The host side in Verilator: registers, configuration, counters.
mod engines;
mod host_bench;

use engines::Word;
use host_bench::{Bench, PLANES, capabilities};
use metaroce_cosim::axi_lite::Access;
use metaroce_protocol::registers as map;
use metaroce_protocol::{ConfigTable, Counter};

/// Writable bits of a register.
fn mask(name: &str) -> u32 {
    match name {
        "CONTROL" => 1,
        "SQ_BASE_LO" | "RQ_BASE_LO" | "CQ_BASE_LO" => !63,
        "SQ_SIZE_LOG2" | "RQ_SIZE_LOG2" | "CQ_SIZE_LOG2" => 0x1F,
        "WINDOW" | "ACK_EVERY" => 0xFF,
        "MAX_RETRIES" | "MTU_LOG2" | "DELAY_MARGIN_LOG2" => 0xF,
        "CONGESTION_LAW" => 0x3,
        "WINDOW_FIRST" | "WINDOW_CAP" | "DECREASE" | "DELAY_GAIN" => 0x1FF,
        "INCREASE" => 0x7FFF,
        "RTO_FLOOR" => 0x3FF_FFFF,
        "NOT_READY_TICKS" => 0x7FFF_FFFF,
        "CONFIG_COMMIT" => 0xF000_FFFF,
        _ => u32::MAX,
    }
}

#[test]
fn every_register_keeps_what_it_may_and_no_more() {
    let mut bench = Bench::new(0.3, 1);
    // Tables are cleared after the reset: reads of CONFIG_COMMIT say busy until then.
    while bench.read(map::CONFIG_COMMIT.offset) != 0 {}
    let words = |register: &metaroce_protocol::Register| {
        (0..register.count)
            .map(|i| register.word(i))
            .collect::<Vec<_>>()
    };
    let capabilities = capabilities().to_words();
    let reset = |register: &metaroce_protocol::Register, offset: u32| match register.name {
        "CAPABILITIES" => capabilities[(offset - register.offset) as usize / 4],
        _ => register.reset,
    };
    for register in map::ALL {
        for offset in words(register) {
            assert_eq!(
                bench.read(offset),
                reset(register, offset),
                "{}",
                register.name
            );
        }
    }
    for register in map::ALL {
        for offset in words(register) {
            // Not CONTROL.reset.
            let value = if register.name == "CONTROL" {
                1
            } else {
                0xA5C3_9669 ^ offset.rotate_left(13)
            };
            bench.write(offset, value);
            (0..20).for_each(|_| bench.cycle());
            let kept = if register.access == map::Access::ReadWrite {
                value & mask(register.name)
            } else {
                reset(register, offset)
            };
            assert_eq!(bench.read(offset), kept, "{}", register.name);
            if register.name == "CONTROL" {
                // Nothing is fetched while queues are written at random.
                bench.write(offset, 0);
            }
        }
    }
    for (port, name) in [
        ("window", "WINDOW"),
        ("rto", "RTO"),
        ("max_retries", "MAX_RETRIES"),
        ("ack_every", "ACK_EVERY"),
        ("mtu_log2", "MTU_LOG2"),
    ] {
        let register = map::ALL
            .iter()
            .find(|register| register.name == name)
            .unwrap();
        let value = bench.read(register.offset);
        assert_eq!(bench.get(port), u64::from(value), "{name}");
    }
    for offset in [0x018, 0x0FC, 0x1FC, 0xFFC, 0x1000, 0x8040] {
        bench.write(offset, u32::MAX);
        assert_eq!(bench.read(offset), 0, "offset {offset:#x} is no register");
    }
    // Unaligned offsets name the word that they lie in.
    assert_eq!(bench.read(map::ID.offset + 3), map::ID_VALUE);
    // Software's reset brings all back.
    bench.write(map::CONTROL.offset, 3);
    while bench.read(map::CONFIG_COMMIT.offset) != 0 {}
    for register in map::ALL {
        for offset in words(register) {
            assert_eq!(
                bench.read(offset),
                reset(register, offset),
                "{}",
                register.name
            );
        }
    }
}

#[test]
fn an_entry_is_written_while_engines_are_held_and_empty() {
    let mut bench = Bench::new(0.0, 2);
    (0..300).for_each(|_| bench.cycle());
    // After a reset every entry of every table is zero: paths have the longest table here.
    let cleared: Vec<_> = bench
        .configured
        .drain(..)
        .map(|(_, table, index, entry)| (table, index, entry))
        .collect();
    let wanted: Vec<_> = (1..=3)
        .flat_map(|table| (0..64).map(move |index| (table, index, vec![0; 32])))
        .collect();
    assert!(cleared == wanted, "{} entries cleared", cleared.len());
    assert_eq!(bench.get("hold"), 1, "not enabled");
    bench.write(map::CONTROL.offset, 1);
    assert_eq!(bench.get("hold"), 0);
    bench.set("engines_idle", 0);
    bench.commit(ConfigTable::Path, 0x2A, &[1, 2, 3, 4, 5, 6, 7, 0x8000_0008]);
    (0..50).for_each(|_| bench.cycle());
    assert!(
        bench.configured.is_empty() && bench.get("hold") == 1,
        "the engines are not empty yet"
    );
    assert_ne!(bench.read(map::CONFIG_COMMIT.offset) & 1 << 27, 0, "busy");
    // A write that comes too early waits and harms nothing.
    bench
        .bus
        .push(Access::Write(map::CONFIG_DATA.offset, 0xFFFF_FFFF));
    (0..20).for_each(|_| bench.cycle());
    bench.set("engines_idle", 1);
    (0..20).for_each(|_| bench.cycle());
    let (held, table, index, entry) = bench.configured.pop().expect("the entry is written");
    assert_eq!((table, index), (2, 0x2A));
    assert!(held > 4, "held before an entry is written");
    let words: Vec<u8> = [1u32, 2, 3, 4, 5, 6, 7, 0x8000_0008]
        .iter()
        .flat_map(|word| word.to_le_bytes())
        .collect();
    assert_eq!(entry, words);
    assert_eq!((bench.get("hold"), bench.configured.len()), (0, 0));
    assert_eq!(bench.bus.pop().map(|answer| answer.response), Some(0));
    assert_eq!(bench.read(map::CONFIG_DATA.offset), 0xFFFF_FFFF);
}

#[test]
fn counters_count_what_the_sides_and_planes_say() {
    let mut bench = Bench::new(0.0, 3);
    // Receive: frames, duplicate, writes with 4000 bytes; transmit: frames, unknown connection, 96 bytes.
    let receive = Word::default().field(0b10_0000_1001 & 0xFF, 8);
    let receive = receive.field(4000, 16).field(0, 5);
    bench.set_word("receive_counts", receive);
    let transmit = Word::default()
        .field(0b11, 3)
        .field(0, 5)
        .field(1, 1)
        .field(96, 16)
        .field(0, 6)
        .field(1, 1);
    bench.set_word("transmit_counts", transmit);
    for plane in 0..PLANES {
        bench.set(&format!("drop_bad_icrc_{plane}"), 1);
    }
    bench.set("drop_foreign_1", 1);
    (0..10).for_each(|_| bench.cycle());
    bench.set_word("receive_counts", Word::default().field(0, 29));
    bench.set_word("transmit_counts", Word::default().field(0, 32));
    for name in ["drop_bad_icrc_0", "drop_bad_icrc_1", "drop_foreign_1"] {
        bench.set(name, 0);
    }
    for &counter in Counter::ALL {
        let wanted = match counter {
            Counter::RxFrames => 10 * (1 + 1 + 2 + 1),
            Counter::RxForeign => 10,
            Counter::RxBadIcrc => 20,
            Counter::RxUnknownConnection => 10,
            Counter::RxDuplicate => 10,
            Counter::RxWriteBytes => 40_000,
            Counter::TxWrites => 10,
            Counter::TxWriteBytes => 960,
            Counter::TxVerbs => 10,
            _ => 0,
        };
        assert_eq!(bench.counter(counter), wanted, "{}", counter.name());
    }
}
