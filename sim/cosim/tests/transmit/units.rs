//! The small cores by themselves, each against a few lines of Rust.
use std::collections::VecDeque;

use metaroce_cores::narrow::Narrowing;
use metaroce_cores::next_in_turn::NextInTurn;
use metaroce_cores::resolve_queue::ResolveQueue;
use metaroce_cores::retransmit_queue::RetransmitQueue;
use metaroce_cores::selector::PathSelector;
use metaroce_cosim::model::VerilatedModel;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::datapath::model;

pub fn set(model: &mut VerilatedModel, name: &str, value: u64) {
    let port = model.port(name).unwrap();
    model.set_u64(port, value);
}

pub fn get(model: &VerilatedModel, name: &str) -> u64 {
    model.get_u64(model.port(name).unwrap())
}

#[test]
fn turns_go_round() {
    let mut dut = model(NextInTurn::<5>::default(), "next_in_turn");
    for request in 0..32u64 {
        for last in 0..8u64 {
            set(&mut dut, "request", request);
            set(&mut dut, "last", last);
            dut.eval().unwrap();
            let next = (1..=8)
                .map(|n| (last + n) % 8)
                .find(|k| request >> k & 1 == 1);
            assert_eq!(get(&dut, "found"), u64::from(next.is_some()));
            assert_eq!(
                get(&dut, "pick"),
                next.unwrap_or(0),
                "{request:05b} after {last}"
            );
            assert_eq!(get(&dut, "grant"), next.map_or(0, |k| 1 << k));
        }
    }
}

#[test]
fn the_path_is_the_next_of_its_round() {
    const PATHS: usize = 11;
    let mut dut = model(PathSelector::<PATHS>::default(), "path_selector");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut rounds = 0;
    for _ in 0..20_000 {
        let mut mask = || rng.random::<u64>() & rng.random::<u64>() & ((1 << PATHS) - 1);
        let (able, served) = (mask(), !mask() & ((1 << PATHS) - 1));
        let there = able | mask();
        set(&mut dut, "able", able);
        set(&mut dut, "there", there);
        set(&mut dut, "served", served);
        dut.eval().unwrap();
        let over = able & !served == 0;
        rounds += u32::from(over);
        let before = if over { served & !there } else { served };
        let path = match able & !before {
            0 => 0,
            candidates => 1 << candidates.trailing_zeros(),
        };
        assert_eq!(get(&dut, "path"), path, "able {able:b} served {served:b}");
        if path != 0 {
            assert_eq!(get(&dut, "served_next"), before | path, "there {there:b}");
        }
    }
    assert!((2_000..18_000).contains(&rounds), "{rounds} new rounds");
}

#[test]
fn a_retransmit_queue_keeps_order_and_says_when_it_is_full() {
    let mut dut = model(
        RetransmitQueue::<4>::new(&Narrowing::none()),
        "retransmit_queue",
    );
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut queue = VecDeque::new();
    let (mut deepest, mut pushes) = (0, 0);
    // Like the resolver: a push comes four cycles after room was seen.
    let mut may = VecDeque::from([false; 4]);
    for cycle in 0..30_000 {
        let busy = if cycle / 300 % 2 == 0 { 0.9 } else { 0.3 };
        let push = may.pop_front().unwrap() && rng.random_bool(busy);
        let packet = rng.random::<u64>() & 0x1FFF_FFFF;
        set(&mut dut, "push", push.into());
        set(&mut dut, "packet", packet);
        let pop = !queue.is_empty() && rng.random_bool(0.5);
        set(&mut dut, "pop", pop.into());
        dut.settle().unwrap();
        assert_eq!(
            get(&dut, "valid"),
            u64::from(!queue.is_empty()),
            "cycle {cycle}"
        );
        if let Some(head) = queue.front() {
            assert_eq!(get(&dut, "head"), *head, "cycle {cycle}");
        }
        may.push_back(get(&dut, "room") == 1);
        if pop {
            queue.pop_front();
        }
        if push {
            queue.push_back(packet);
            pushes += 1;
        }
        deepest = deepest.max(queue.len());
        dut.rise().unwrap();
    }
    assert!(
        pushes > 10_000 && (11..16).contains(&deepest),
        "{pushes} pushes, {deepest} deep"
    );
}

#[test]
fn a_path_waits_for_the_resolver_once() {
    let mut dut = model(ResolveQueue::<3>::default(), "resolve_queue");
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut clear = 0;
    while get(&dut, "busy") == 1 {
        dut.tick().unwrap();
        dut.settle().unwrap();
        clear += 1;
    }
    assert_eq!(clear, 8, "a cycle a path");
    let mut queue: VecDeque<u64> = VecDeque::new();
    let mut asked = None;
    for cycle in 0..30_000 {
        let (push, path) = (rng.random_bool(0.7), rng.random_range(0..8));
        set(&mut dut, "push", push.into());
        set(&mut dut, "path", path);
        let pop =
            !queue.is_empty() && rng.random_bool(if cycle / 200 % 2 == 0 { 0.2 } else { 0.9 });
        set(&mut dut, "pop", pop.into());
        dut.settle().unwrap();
        assert_eq!(
            get(&dut, "valid"),
            u64::from(!queue.is_empty()),
            "cycle {cycle}"
        );
        if let Some(head) = queue.front() {
            assert_eq!(get(&dut, "head"), *head, "cycle {cycle}");
        }
        let entering = asked.filter(|path| !queue.contains(path));
        asked = push.then_some(path);
        if pop {
            queue.pop_front();
        }
        queue.extend(entering);
        dut.rise().unwrap();
    }
}
