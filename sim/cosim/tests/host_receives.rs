//! The host's part of received messages: the receive queue, its wrap, and completions that wait for memory and for the queue.
mod engines;
mod writers;

use std::collections::VecDeque;

use engines::{Word, model};
use metaroce_cores::receive_completions::ReceiveCompletions;
use metaroce_cores::receive_fetch::ReceiveFetch;
use metaroce_cosim::model::VerilatedModel;
use metaroce_protocol::Rqe;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use writers::Plane;

const PLANES: usize = 3;

fn set(dut: &mut VerilatedModel, name: &str, value: u64) {
    let port = dut.port(name).unwrap_or_else(|error| panic!("{error}"));
    dut.set_u64(port, value);
}

fn get(dut: &VerilatedModel, name: &str) -> u64 {
    dut.get_u64(dut.port(name).unwrap_or_else(|error| panic!("{error}")))
}

fn set_word(dut: &mut VerilatedModel, name: &str, word: &[u8]) {
    let port = dut.port(name).unwrap();
    dut.set_bytes(port, word);
}

fn bytes(dut: &VerilatedModel, name: &str) -> Vec<u8> {
    let port = dut.port(name).unwrap();
    let mut bytes = vec![0; dut.width(port).div_ceil(8) as usize];
    dut.get_bytes(port, &mut bytes);
    bytes
}

/// Posts through a ring of 4 RQEs; 8 posts at most without their completion.
#[test]
fn buffers_come_in_order_through_a_small_ring_and_no_more_than_completions_have_place_for() {
    const BASE: u64 = 0x1_0000_0FE0;
    const RING: usize = 4;
    let mut dut = model(ReceiveFetch::<2, 3>::new(1), "receive_fetch");
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    (0..3).for_each(|connection| configure(&mut dut, connection, true));
    for (name, value) in [("enable", 1), ("base", BASE), ("size_log2", 2)] {
        set(&mut dut, name, value);
    }
    // The doorbell is near its wrap only after many posts: indices of the ring wrap all the time.
    let mut ring = [[0_u8; 32]; RING];
    let mut posts = VecDeque::new();
    let (mut doorbell, mut outstanding, mut posted, mut refused) = (0_u32, 0, 0, 0);
    let (mut full, mut vanished) = (0, 0);
    let mut burst: Option<(usize, usize, bool)> = None;
    for _ in 0..20_000 {
        if doorbell - (posted + refused) < RING as u32 && rng.random_bool(0.2) {
            let rqe = Rqe {
                connection: rng.random_range(0..5),
                stream: rng.random_range(0..3),
                length: rng.random(),
                address: rng.random(),
                wr_id: rng.random(),
            };
            ring[doorbell as usize % RING].copy_from_slice(&rqe.encode());
            posts.push_back((rqe, false));
            doorbell += 1;
        }
        set(&mut dut, "doorbell", doorbell.into());
        let freed = outstanding > 0 && rng.random_bool(0.02);
        set(&mut dut, "freed", freed.into());
        let gone = match outstanding - u32::from(freed) {
            0 => 0,
            most if rng.random_bool(0.001) => rng.random_range(1..=most),
            _ => 0,
        };
        set(&mut dut, "vanished", gone.into());
        vanished += gone;
        let hold = rng.random_bool(0.1);
        set(&mut dut, "hold", hold.into());
        for name in ["arready", "post_ready", "bad_ready"] {
            let ready = rng.random_bool(0.5);
            set(&mut dut, name, ready.into());
        }
        let gives = burst.is_some() && rng.random_bool(0.6);
        if let Some((place, beat, error)) = burst.filter(|_| gives) {
            let word = &ring[place][8 * beat..8 * beat + 8];
            set(
                &mut dut,
                "rdata",
                u64::from_le_bytes(word.try_into().unwrap()),
            );
            set(&mut dut, "rresp", if error && beat == 2 { 2 } else { 0 });
            set(&mut dut, "rlast", (beat == 3).into());
        }
        set(&mut dut, "rvalid", gives.into());
        dut.settle().unwrap();
        if get(&dut, "arvalid") == 1 && get(&dut, "arready") == 1 {
            let offset = get(&dut, "araddr") - BASE;
            assert_eq!(
                offset / 32 % RING as u64,
                u64::from((posted + refused) % RING as u32)
            );
            let error = rng.random_bool(0.05);
            burst = Some((offset as usize / 32, 0, error));
            if error {
                // Memory gives nothing that could be believed.
                posts[0].1 = true;
            }
        } else if gives && get(&dut, "rready") == 1 {
            burst = burst.map(|(place, beat, error)| (place, beat + 1, error));
            burst = burst.filter(|&(_, beat, _)| beat < 4);
        }
        let valid = get(&dut, "post_valid") == 1;
        assert!(
            !valid || outstanding < 8,
            "each post has a place for its completion"
        );
        full += u32::from(outstanding == 8);
        if valid && get(&dut, "post_ready") == 1 {
            let (rqe, error) = posts.pop_front().expect("a post");
            assert!(!error && rqe.connection < 3 && rqe.stream < 2, "{rqe:?}");
            let word = Word::default()
                .field(u64::from(rqe.connection) << 1 | u64::from(rqe.stream), 16)
                .field(rqe.address, 64)
                .field(rqe.length.into(), 32)
                .field(rqe.wr_id, 64);
            assert_eq!(bytes(&dut, "post"), word.finish());
            outstanding += 1;
            posted += 1;
        }
        let bad = get(&dut, "bad_valid") == 1;
        assert!(
            !bad || !hold,
            "what is bad is said while nothing is configured"
        );
        if bad && get(&dut, "bad_ready") == 1 {
            let (rqe, error) = posts.pop_front().expect("a post");
            assert!(error || rqe.connection >= 3 || rqe.stream >= 2, "{rqe:?}");
            assert_eq!(bytes(&dut, "bad"), refusal(&rqe));
            refused += 1;
        }
        outstanding -= u32::from(freed) + gone;
        dut.rise().unwrap();
    }
    assert!(
        posted > 300 && refused > 100 && full > 1_000 && vanished > 10,
        "{posted} {refused} {full} {vanished}"
    );
}

/// What is said of an RQE that can't be posted.
fn refusal(rqe: &Rqe) -> Vec<u8> {
    Word::default()
        .field(rqe.connection.into(), 16)
        .field(rqe.stream.into(), 16)
        .field(0, 48)
        .field(0, 33)
        .field(rqe.wr_id, 64)
        .field(1, 1)
        .finish()
}

fn configure(dut: &mut VerilatedModel, connection: u64, valid: bool) {
    let head = Word::default()
        .field(1, 1)
        .field(1, 4)
        .field(connection, 16);
    set_word(dut, "config_write", &head.field(valid.into(), 64).finish());
    dut.tick().unwrap();
    set_word(dut, "config_write", &[0]);
}

/// An RQE waits for room in its stream; its connection is taken down: it is handed back, and the next one is posted.
#[test]
fn a_connection_that_is_taken_down_holds_nobody_up() {
    let mut dut = model(ReceiveFetch::<2, 3>::new(1), "receive_fetch");
    (0..2).for_each(|connection| configure(&mut dut, connection, true));
    let rqes = [0, 1].map(|connection| Rqe {
        connection,
        wr_id: 7 + u64::from(connection),
        ..Rqe::default()
    });
    for (name, value) in [("enable", 1), ("size_log2", 2), ("doorbell", 2)] {
        set(&mut dut, name, value);
    }
    for name in ["arready", "rvalid", "bad_ready"] {
        set(&mut dut, name, 1);
    }
    let (mut beat, mut next, mut said) = (0, 0, Vec::new());
    for cycle in 0..60 {
        if cycle == 30 {
            configure(&mut dut, 0, false);
        }
        let word = &rqes[next % 2].encode()[8 * beat..8 * beat + 8];
        set(
            &mut dut,
            "rdata",
            u64::from_le_bytes(word.try_into().unwrap()),
        );
        set(&mut dut, "rlast", (beat == 3).into());
        // Stream 0 is full; stream 2, of the other connection, is not.
        dut.settle().unwrap();
        let stream = bytes(&dut, "post")[0];
        set(&mut dut, "post_ready", (stream == 2).into());
        dut.settle().unwrap();
        if get(&dut, "rready") == 1 {
            (beat, next) = ((beat + 1) % 4, next + usize::from(beat == 3));
        }
        if get(&dut, "bad_valid") == 1 {
            assert_eq!(bytes(&dut, "bad"), refusal(&rqes[0]));
            said.push((cycle, "bad"));
        }
        if get(&dut, "post_valid") == 1 && stream == 2 {
            said.push((cycle, "posted"));
        }
        dut.rise().unwrap();
    }
    let [(refused, "bad"), (posted, "posted")] = said[..] else {
        panic!("{said:?}");
    };
    assert!(30 <= refused && refused < posted, "{said:?}");
}

#[test]
fn a_message_is_told_once_its_bytes_are_in_memory_and_a_full_queue_holds_nothing_else() {
    let mut dut = model(
        ReceiveCompletions::<PLANES, 4>::new(1),
        "receive_completions",
    );
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let mut planes: [Plane; PLANES] = Default::default();
    // Ended and not told: how much must be written, and the word.
    let mut ended: VecDeque<([u64; PLANES], Vec<u8>)> = VecDeque::new();
    let (mut told, mut waited, mut silent) = (0, 0, 0);
    for cycle in 0..40_000_u32 {
        // Longer than the others, nobody takes a completion.
        let takes = cycle % 4_000 < 3_000 && rng.random_bool(0.5);
        set(&mut dut, "out_ready", takes.into());
        for (k, plane) in planes.iter_mut().enumerate() {
            plane.drive(&mut dut, k, &mut rng, true);
        }
        let ends = ended.len() < 15 && rng.random_bool(0.05);
        let took = rng.random_bool(0.8);
        if ends {
            let fields = [
                (rng.random_range(0..8), 16),
                (rng.random::<u16>().into(), 16),
                (rng.random::<u32>().into(), 32),
                (rng.random_range(0..2), 1),
                (rng.random::<u32>().into(), 32),
                (took.into(), 1),
                (rng.random(), 64),
            ];
            let word = fields.iter().fold(Word::default(), |word, &(value, bits)| {
                word.field(value, bits)
            });
            set_word(&mut dut, "whole", &word.finish());
            let [stream, message, length, has_immediate, immediate, _, wr_id] = fields;
            let told = Word::default()
                .field(stream.0 >> 1, 16)
                .field(stream.0 & 1, 16);
            let told = [message, length, has_immediate, immediate, wr_id]
                .iter()
                .fold(told, |word, &(value, bits)| word.field(value, bits));
            if took {
                let told = told.field(0, 1);
                let marks = std::array::from_fn(|k| planes[k].ordered);
                ended.push_back((marks, told.finish()));
            }
        }
        set(&mut dut, "whole_valid", ends.into());
        dut.settle().unwrap();
        if get(&dut, "out_valid") == 1 {
            let (marks, word) = ended.front().expect("it tells of what ended");
            for (plane, mark) in planes.iter().zip(marks) {
                assert!(plane.written >= *mark, "told before it is in memory");
            }
            assert_eq!(&bytes(&dut, "out"), word);
            if takes {
                ended.pop_front();
                told += 1;
            }
        } else if let Some((marks, _)) = ended.front() {
            let written = planes
                .iter()
                .zip(marks)
                .all(|(plane, mark)| plane.written >= *mark);
            waited += u32::from(!written);
            silent = if written && takes { silent + 1 } else { 0 };
            assert!(silent < 60, "it says nothing of what is written");
        }
        dut.rise().unwrap();
    }
    assert!(
        told > 500 && waited > 500,
        "{told} told, {waited} cycles for memory"
    );
}
