//! What hands packets to the choice of a path: messages are cut, packets wait, planes have places.
use std::collections::VecDeque;

use metaroce_cores::message_cutter::MessageCutter;
use metaroce_cores::narrow::Narrowing;
use metaroce_cores::packet_queue::PacketQueue;
use metaroce_cores::plane_credit::PlaneCredit;
use metaroce_cosim::model::VerilatedModel;
use metaroce_cosim::words::Packer;
use metaroce_protocol::WqeOpcode;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::datapath::model;
use crate::failures::{Failures, write};
use crate::units::{get, set};

/// A packet as `WaitingPacket` is packed.
fn packed(slot: u64, index: u64, last: bool) -> u64 {
    slot | index << 5 | u64::from(last) << 29
}

fn set_message(dut: &mut VerilatedModel, connection: u64, length: u64, read: bool) {
    let opcode = if read {
        WqeOpcode::Read
    } else {
        WqeOpcode::Write
    };
    let port = dut.port("message").unwrap();
    let message = Packer::default()
        .field(connection, 12)
        .field(0, 32)
        .field(0, 64)
        .field(0, 64)
        .field(0, 32)
        .field(length, 32)
        .field(opcode.code().into(), 8);
    dut.set_bytes(port, message.bytes());
}

/// The message being cut.
struct Cut {
    connection: u64,
    slot: u64,
    index: u64,
    remaining: u64,
}

#[test]
fn messages_are_cut_without_a_gap() {
    const MTU_LOG2: u64 = 9;
    let mut dut = model(MessageCutter::<2>::new(4, &Narrowing::none()), "cutter");
    set(&mut dut, "mtu_log2", MTU_LOG2);
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut cut: Option<Cut> = None;
    let mut failures = Failures::default();
    let (mut pushes, mut lasts, mut steady, mut dropped) = (0, 0, 0, 0);
    for cycle in 0..20_000 {
        // Every other stretch without a stall: a packet a cycle.
        let free = cycle / 100 % 2 == 0;
        let (room, stop) = (free || rng.random_bool(0.6), !free && rng.random_bool(0.2));
        // A connection that fails is soon set up anew.
        let failed = failures.failed();
        let change = match failures.first() {
            Some(connection) => Some((connection, false)),
            None if rng.random_bool(0.02) && !free => Some((rng.random_range(0..4), true)),
            None => None,
        };
        let valid = free || rng.random_bool(0.5);
        let (connection, slot) = (rng.random_range(0..4), rng.random_range(0..32));
        let read = rng.random_bool(0.2);
        let length = match rng.random_range(0..3) {
            0 => rng.random_range(0..=2),
            1 => (rng.random_range(0..4)) << MTU_LOG2,
            _ => rng.random_range(0..3_000),
        };
        set_message(&mut dut, connection, length, read);
        set(&mut dut, "message_slot", slot);
        set(&mut dut, "message_valid", valid.into());
        set(&mut dut, "room", room.into());
        set(&mut dut, "stop", stop.into());
        set(&mut dut, "failure", write(change));
        dut.settle().unwrap();

        let whole = 1 << MTU_LOG2;
        let cuts = room
            && cut
                .as_ref()
                .is_some_and(|cut| failed >> cut.connection & 1 == 0);
        let last = cut.as_ref().is_some_and(|cut| cut.remaining <= whole);
        assert_eq!(get(&dut, "push"), u64::from(cuts), "cycle {cycle}");
        assert_eq!(get(&dut, "busy"), u64::from(cut.is_some()), "cycle {cycle}");
        let ready = (cut.is_none() || cuts && last) && !stop;
        assert_eq!(
            get(&dut, "message_ready"),
            u64::from(ready),
            "cycle {cycle}"
        );
        steady += u32::from(free && cycle % 100 > 1 && !cuts);
        if let Some(now) = &mut cut {
            if cuts {
                let packet = packed(now.slot, now.index, last);
                assert_eq!(get(&dut, "packet"), packet, "cycle {cycle}");
                assert_eq!(get(&dut, "connection"), now.connection, "cycle {cycle}");
                (pushes, lasts) = (pushes + 1, lasts + u32::from(last));
                now.index += 1;
                now.remaining = now.remaining.saturating_sub(whole);
            }
            let fails = failed >> now.connection & 1 == 1;
            dropped += u32::from(fails);
            if fails || cuts && last {
                cut = None;
            }
        }
        if valid && ready {
            cut = Some(Cut {
                connection,
                slot,
                index: 0,
                // A Read is one packet, whatever it asks for.
                remaining: if read { 0 } else { length },
            });
        }
        dut.rise().unwrap();
        failures.apply(change);
    }
    assert_eq!(steady, 0, "a packet a cycle without stalls");
    assert!(
        pushes > 8_000 && lasts > 3_000 && dropped > 20,
        "{pushes} {lasts} {dropped}"
    );
}

#[test]
fn packets_wait_in_order_and_are_taken_only_when_looked_at() {
    /// Cycles from a look to its answer.
    const LOOK: usize = 4;
    let mut dut = model(PacketQueue::<2, 3>::default(), "packet_queue");
    let mut rng = ChaCha8Rng::seed_from_u64(6);
    let mut waiting: VecDeque<(u64, u64)> = VecDeque::new();
    let mut looks: VecDeque<u64> = VecDeque::from([u64::MAX; LOOK]);
    let (mut fails_at, mut swept) = (0, false);
    let (mut taken, mut skipped, mut gaps, mut checks) = (0u64, 0u64, 0, 0);
    let mut failures = Failures::default();
    for number in 0..60_000u64 {
        // By turns: without a stall; with stalls; nothing enters, and what fails is swept.
        let (phase, age) = (number / 200 % 3, number % 200);
        let (free, hold) = (phase == 0, phase == 2 && age > 60);
        swept &= hold;
        // Also a while after `hold`: what was under way may still fail a connection.
        if age == 0 {
            fails_at = rng.random_range(30..=69);
        }
        let change = match failures.first() {
            _ if phase == 2 && age == fails_at => Some((rng.random_range(0..4), true)),
            Some(connection) if swept => Some((connection, false)),
            _ => None,
        };
        let failed = failures.failed();
        let connection = rng.random_range(0..4);
        let wanted = free || phase == 1 && rng.random_bool(0.5) || phase == 2 && age < 60;
        let push = wanted && get(&dut, "room") == 1 && failed >> connection & 1 == 0;
        let packet = packed(number % 16, number & 0xFF_FFFF, number % 3 == 0);
        set(&mut dut, "push", push.into());
        set(&mut dut, "packet", packet);
        set(&mut dut, "connection", connection);
        set(&mut dut, "hold", hold.into());
        set(&mut dut, "failure", write(change));
        set(&mut dut, "take", 0);
        dut.settle().unwrap();
        let visible = get(&dut, "visible") == 1;
        let take = visible && (free || rng.random_bool(0.4));
        set(&mut dut, "take", take.into());
        dut.settle().unwrap();
        looks.push_back(get(&dut, "look"));
        let look = looks.pop_front().unwrap();
        if visible {
            let head = (get(&dut, "head"), get(&dut, "head_connection"));
            // Only packets of failed connections are passed over.
            while waiting.front().is_some_and(|first| *first != head) {
                let (_, owner) = waiting.pop_front().unwrap();
                assert!(failed >> owner & 1 == 1, "cycle {number}: a packet is lost");
                skipped += 1;
            }
            assert!(
                !waiting.is_empty(),
                "cycle {number}: a packet nobody pushed"
            );
            assert_eq!(look, head.1, "cycle {number}: looked at another connection");
        }
        if take {
            waiting.pop_front();
            taken += 1;
        }
        gaps += u32::from(free && age > 20 && !take);
        if push {
            waiting.push_back((packet, connection));
        }
        dut.rise().unwrap();
        failures.apply(change);
        if hold && !swept && get(&dut, "busy") == 0 {
            // Every packet has been checked: those of failed connections never show again.
            swept = true;
            let before = waiting.len();
            waiting.retain(|(_, owner)| failed >> owner & 1 == 0);
            skipped += (before - waiting.len()) as u64;
            checks += 1;
        }
        assert!(swept || age < 199 || !hold, "cycle {number}: it stays busy");
    }
    assert_eq!(gaps, 0, "a packet a cycle without stalls");
    assert!(
        taken > 20_000 && skipped > 50 && checks > 90,
        "{taken} {skipped} {checks}"
    );
}

#[test]
fn places_are_claimed_and_come_back() {
    let mut dut = model(PlaneCredit::default(), "plane_credit");
    let mut rng = ChaCha8Rng::seed_from_u64(7);
    let (mut claimed, mut full) = (0u64, 0);
    for cycle in 0..20_000 {
        assert_eq!(get(&dut, "room"), u64::from(claimed < 4), "cycle {cycle}");
        assert_eq!(get(&dut, "spare"), u64::from(claimed < 3), "cycle {cycle}");
        let busy = if cycle / 50 % 2 == 0 { 0.9 } else { 0.2 };
        let claim = claimed < 4 && rng.random_bool(busy);
        let leave = claimed > 0 && rng.random_bool(0.3);
        let forfeit = claimed > u64::from(leave) && rng.random_bool(0.1);
        set(&mut dut, "claim", claim.into());
        set(&mut dut, "leave", leave.into());
        set(&mut dut, "forfeit", forfeit.into());
        dut.tick().unwrap();
        claimed = claimed + u64::from(claim) - u64::from(leave) - u64::from(forfeit);
        full += u32::from(claimed == 4);
    }
    assert!(full > 2_000, "{full}");
}
