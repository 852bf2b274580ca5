//! Small cores of receive and host side, each against a line or two of plain Rust.
mod engines;

use std::collections::VecDeque;

use engines::model;
use metaroce_cores::axi_lite::AxiLite;
use metaroce_cores::forwarded_table::ForwardedTable;
use metaroce_cores::round_robin::RoundRobin;
use metaroce_cores::shift_queue::ShiftQueue;
use metaroce_cosim::model::VerilatedModel;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

fn set(dut: &mut VerilatedModel, name: &str, value: u64) {
    let port = dut.port(name).unwrap_or_else(|error| panic!("{error}"));
    dut.set_u64(port, value);
}

fn get(dut: &VerilatedModel, name: &str) -> u64 {
    dut.get_u64(dut.port(name).unwrap_or_else(|error| panic!("{error}")))
}

#[test]
fn shift_queue_keeps_order_and_refuses_what_has_no_room() {
    let mut dut = model(ShiftQueue::<Bits<16>, 4>::default(), "shift_queue");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut queue = VecDeque::new();
    let mut full = 0;
    for turn in 0..5_000u64 {
        // Phases in which it fills, and in which it drains.
        let (push, pop) = if turn / 50 % 2 == 0 {
            (0.7, 0.4)
        } else {
            (0.4, 0.7)
        };
        let (push, pop) = (rng.random_bool(push), rng.random_bool(pop));
        let word: u16 = rng.random();
        set(&mut dut, "push", push.into());
        set(&mut dut, "data", word.into());
        set(&mut dut, "pop", pop.into());
        dut.settle().unwrap();
        let room = queue.len() < 4;
        assert_eq!(get(&dut, "room"), u64::from(room));
        assert_eq!(get(&dut, "valid"), u64::from(!queue.is_empty()));
        if let Some(&head) = queue.front() {
            assert_eq!(get(&dut, "head"), u64::from(head));
        }
        if pop {
            queue.pop_front();
        }
        if push && room {
            queue.push_back(word);
        }
        full += u32::from(!room);
        dut.rise().unwrap();
    }
    assert!(full > 100, "it was full");
}

#[test]
fn forwarded_table_holds_every_write_of_the_cycles_before() {
    let mut dut = model(ForwardedTable::<Bits<16>, 3>::default(), "forwarded_table");
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut words = [0u16; 8];
    let mut asked = VecDeque::from([0, 0]);
    let mut forwarded = 0;
    for turn in 0..10_000 {
        // Few words, so that reads and writes meet at every distance.
        let read: usize = rng.random_range(0..3);
        let write = (rng.random_range(0..3), rng.random::<u16>());
        let enable = rng.random_bool(0.5);
        set(&mut dut, "read_address", read as u64);
        set(&mut dut, "write_address", write.0 as u64);
        set(&mut dut, "write_data", write.1.into());
        set(&mut dut, "write_enable", enable.into());
        dut.settle().unwrap();
        let shown = asked.pop_front().unwrap();
        assert_eq!(
            get(&dut, "read_data"),
            u64::from(words[shown]),
            "turn {turn}"
        );
        asked.push_back(read);
        if enable {
            forwarded += u32::from(asked.contains(&write.0));
            words[write.0] = write.1;
        }
        dut.rise().unwrap();
    }
    assert!(forwarded > 1_000, "writes met words under way");
}

#[test]
fn turns_go_round_from_any_last_one() {
    let mut dut = model(RoundRobin::<5>::default(), "round_robin");
    for wants in 0..32u64 {
        for last in 0..8u64 {
            (0..5).for_each(|i| set(&mut dut, &format!("wants_{i}"), wants >> i & 1));
            set(&mut dut, "last", last);
            dut.eval().unwrap();
            let order = (last + 1..5).chain(0..5);
            let turn = order.clone().find(|i| wants >> i & 1 == 1);
            assert_eq!(get(&dut, "any"), u64::from(turn.is_some()));
            assert_eq!(
                get(&dut, "turn"),
                turn.unwrap_or(0),
                "wants {wants:05b} last {last}"
            );
        }
    }
}

/// Performs one write, its address `skew` cycles after its data; what came of it, and the answer.
fn write(dut: &mut VerilatedModel, strobe: u64, skew: i32, wait: u32) -> (Option<(u64, u64)>, u64) {
    let (mut address_sent, mut data_sent, mut effect) = (false, false, None);
    for cycle in 0..100 {
        let address = cycle >= skew.max(0) && !address_sent;
        let data = cycle >= (-skew).max(0) && !data_sent;
        set(dut, "awvalid", address.into());
        set(dut, "awaddr", 0x47);
        set(dut, "wvalid", data.into());
        set(dut, "wdata", 0xCAFE_F00D);
        set(dut, "wstrb", strobe);
        set(dut, "bready", 1);
        set(dut, "write_wait", u64::from(cycle < wait as i32));
        dut.settle().unwrap();
        address_sent |= address && get(dut, "awready") == 1;
        data_sent |= data && get(dut, "wready") == 1;
        if get(dut, "write") == 1 {
            assert!(
                effect.is_none() && cycle >= wait as i32,
                "one write, not before its time"
            );
            effect = Some((get(dut, "write_address"), get(dut, "write_data")));
        }
        let answered = get(dut, "bvalid") == 1;
        let response = get(dut, "bresp");
        dut.rise().unwrap();
        if answered {
            return (effect, response);
        }
    }
    panic!("no answer");
}

#[test]
fn a_write_of_less_than_a_word_is_refused_and_halves_may_come_apart() {
    const OKAY: u64 = 0;
    const SLVERR: u64 = 2;
    let mut dut = model(AxiLite::default(), "axi_lite");
    for skew in [-5, 0, 5] {
        for wait in [0, 20] {
            let whole = write(&mut dut, 0xF, skew, wait);
            assert_eq!(
                whole,
                (Some((0x44, 0xCAFE_F00D)), OKAY),
                "skew {skew} wait {wait}"
            );
            for strobe in [0x0, 0x1, 0x7, 0xE] {
                assert_eq!(write(&mut dut, strobe, skew, wait), (None, SLVERR));
            }
        }
    }
}
