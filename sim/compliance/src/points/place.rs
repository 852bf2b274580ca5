//! P: what a receiver places, and what it refuses (section 4).
use metaroce_model::window::first_missing;
use metaroce_protocol::{Body, Nak, Opcode, RefusalReason, Reth};

use super::{Point, point};
use crate::bench::{Bench, Packet, only, pattern, silent};
use crate::check::{Check, ensure_eq};
use crate::heard::Receiver;
use crate::setup::{REGION_BYTES, Setup};
use crate::target::Lab;

pub const POINTS: &[Point] = &[
    point(
        "P01",
        "A WRITE's payload lies at its address, and neither its pad nor anything else is written (section 4).",
        payload,
    ),
    point(
        "P02",
        "A WRITE of no bytes takes its slot and places nothing (section 4).",
        empty,
    ),
    point(
        "P03",
        "A packet received before is counted, placed no second time and acknowledged at once (section 4).",
        duplicate,
    ),
    point(
        "P04",
        "PSNs cum .. cum + W are accepted; cum + W is counted and answered by nothing (sections 3, 4).",
        window,
    ),
    point(
        "P05",
        "A PSN one window behind is a duplicate, although its slot is free again (sections 3, 4).",
        lap,
    ),
    point(
        "P06",
        "PSNs are compared modulo 2^24: a path goes on across the roll-over (section 3).",
        roll_over,
    ),
    point(
        "P07",
        "Every path has a sequence of its own (sections 1, 4).",
        paths,
    ),
    point(
        "P08",
        "A WRITE with an R_Key that names no region is refused with bad_key and leaves its slot free (section 4).",
        key,
    ),
    point(
        "P09",
        "A WRITE must lie inside its region to its last byte: else bad_range (section 4).",
        range,
    ),
    point(
        "P10",
        "A message is placed whatever the order of its packets (sections 4, 7).",
        order,
    ),
    point(
        "P11",
        "A payload is 4,096 bytes at most, and that many are taken (section 4).",
        largest,
    ),
];

/// The largest payload.
const LARGEST: [u8; 4096] = [0xA5; 4096];

fn payload(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    // Something that a pad would spoil, and every length over it. Paths keep no order among each other.
    for n in 0..8 {
        b.send_write(n, u32::from(n) * 1024, &pattern(7, 1024))?;
    }
    b.hear()?;
    let lengths = [1, 2, 3, 4, 5, 6, 7, 9, 63, 255, 257];
    for (n, length) in (0..).zip(lengths) {
        b.send_write(n as u8 % 8, 100 + 301 * n, &pattern(n, length))?;
    }
    b.send_write(3, 5_001, &pattern(1, 1023))?;
    b.send_write(4, 6_030, &pattern(2, 1024))?;
    b.hear()?;
    b.check_region()
}

/// The largest payload of a packet, at the region's very end.
fn largest(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let body = b.write(REGION_BYTES - 4096, &LARGEST);
    let packet = b.data(1, body);
    b.expect(REGION_BYTES - 4096, &LARGEST);
    b.send(&Packet {
        ack_request: true,
        ..packet.clone()
    })?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    ensure_eq!(ack.psn(), packet.psn.next(), "cumulative PSN");
    b.check_region()
}

fn empty(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let body = b.write(10, &[]);
    let packet = b.data(3, body);
    b.send(&Packet {
        ack_request: true,
        ..packet.clone()
    })?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    ensure_eq!(ack.psn(), packet.psn.next(), "cumulative PSN");
    b.check_region()
}

fn duplicate(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let before = b.counter("rx_duplicate")?;
    let first = b.setup.first_psn;
    b.send_write(0, 0, &[1; 8])?;
    b.hear()?;
    // A hole, then one that is marked inside the window.
    let other = b.write(16, &[2; 8]);
    let ahead = b.again(0, first.plus(2), other);
    b.expect(16, &[2; 8]);
    b.send(&ahead)?;
    b.hear()?;
    for (psn, offset) in [(first, 0), (first.plus(2), 16)] {
        let message = 0;
        let body = b.part(message, offset, 8, 0, &[0xEE; 8]);
        let again = b.again(0, psn, body);
        b.send(&again)?;
        let ack = only(b.hear()?, Opcode::Ack)?;
        ensure_eq!(ack.psn(), first.next(), "cumulative PSN");
        ensure_eq!(ack.tsn(), again.tsn, "a duplicate moves the echoed TSN");
    }
    b.counted("rx_duplicate", before, 2)?;
    b.check_region()
}

fn window(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let before = b.counter("rx_out_of_window")?;
    let (first, window) = (b.setup.first_psn, b.window());
    let message = b.message(0);
    let length = 8 * (window + 1);
    // The first PSN stays missing.
    let last = b.part(message, 0, length, 8 * (window - 1), &[3; 8]);
    let last = b.again(1, first.plus(window - 1), last);
    b.expect(8 * (window - 1), &[3; 8]);
    b.send(&last)?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    ensure_eq!(ack.psn(), first, "cumulative PSN");
    let beyond = b.part(message, 0, length, 8 * window, &[4; 8]);
    let beyond = b.again(1, first.plus(window), beyond);
    b.send(&Packet {
        ack_request: true,
        ..beyond.clone()
    })?;
    silent(&b.hear()?, "after a packet beyond the window")?;
    b.counted("rx_out_of_window", before, 1)?;
    // It has been seen all the same.
    let probe = b.probe(1);
    b.send(&probe)?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    ensure_eq!(ack.sack().map(|s| s.received), Some(3), "packets received");
    b.check_region()
}

fn lap(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let (first, window) = (b.setup.first_psn, b.window());
    let message = b.message(0);
    let length = 8 * (window + 8);
    for n in 0..window + 4 {
        let bytes = pattern(8 * n, 8);
        let body = b.part(message, 0, length, 8 * n, &bytes);
        let packet = b.data(0, body);
        b.expect(8 * n, &bytes);
        b.send(&packet)?;
    }
    b.hear()?;
    let before = b.counter("rx_duplicate")?;
    // Its slot is that of first + window + 6, which has not come.
    let body = b.part(message, 0, length, 48, &[0xEE; 8]);
    let behind = b.again(0, first.plus(6), body);
    b.send(&behind)?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    ensure_eq!(ack.psn(), first.plus(window + 4), "cumulative PSN");
    b.counted("rx_duplicate", before, 1)?;
    b.check_region()
}

fn roll_over(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let message = b.message(0);
    // Neighbours change places, so one of each pair comes ahead, also at the roll-over: 0, 2, 1, 4, 3 ...
    let count = 601;
    let swapped = |n: u32| if n % 2 == 1 { n + 1 } else { n - n.min(1) };
    let (first, window_log2) = (b.setup.first_psn, b.id.window_log2);
    let mut mirror = Receiver::new(first, b.setup.first_tsn, window_log2);
    for n in 0..count {
        let place = swapped(n);
        let bytes = pattern(8 * place, 8);
        let body = b.part(message, 0, 8 * count, 8 * place, &bytes);
        let packet = b.again(5, first.plus(place), body);
        b.expect(8 * place, &bytes);
        mirror.mark(packet.psn);
        // Not every answer is waited for where that takes time.
        let look = n % 37 == 0 || n + 1 == count;
        b.send(&Packet {
            ack_request: look,
            ..packet
        })?;
        if look {
            let heard = b.hear()?;
            let ack = heard.last().filter(|f| f.opcode() == Opcode::Ack);
            let bits = ack.and_then(|f| f.sack()).map(|s| s.bitvector);
            // The cumulative PSN may follow the bitvector: together they say what is missing.
            let missing = ack.zip(bits);
            let missing = missing.map(|(f, bits)| first_missing(&bits, f.psn(), window_log2));
            ensure_eq!(
                missing,
                Some(mirror.cum),
                "first PSN missing after {n} packets"
            );
            ensure_eq!(bits, Some(mirror.bits), "bitvector after {n} packets");
        }
    }
    b.check_region()
}

fn paths(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let first = b.setup.first_psn;
    for path in 0..8_u8 {
        let bytes = [path + 1; 4];
        let body = b.write(64 * u32::from(path), &bytes);
        let packet = b.data(path, body);
        b.expect(64 * u32::from(path), &bytes);
        b.send(&Packet {
            ack_request: true,
            ..packet
        })?;
        let ack = only(b.hear()?, Opcode::Ack)?;
        ensure_eq!(
            (ack.path(), ack.psn()),
            (path, first.next()),
            "path and cumulative PSN"
        );
        ensure_eq!(
            ack.sack().map(|s| s.received),
            Some(1),
            "packets received on path {path}"
        );
    }
    b.check_region()
}

/// Sends a WRITE that must be refused for a reason: its slot stays free, and takes a good one afterwards.
fn refused(b: &mut Bench, reth: Reth, payload: &[u8], reason: RefusalReason) -> Check {
    let Body::Write { msg, .. } = b.write(0, payload) else {
        unreachable!("a write is a write")
    };
    let packet = b.data(2, Body::Write { msg, reth, payload });
    b.send(&packet)?;
    let answer = only(b.hear()?, Opcode::Refusal)?;
    let needed = Nak {
        reason,
        stream: msg.stream,
        message: msg.message,
        ..Nak::default()
    };
    ensure_eq!(answer.body(), Body::Refusal(needed), "refusal");
    ensure_eq!(
        (answer.psn(), answer.tsn()),
        (packet.psn, packet.tsn),
        "PSN and TSN refused"
    );
    let body = b.part(msg.message, 0, 4, 0, &[9; 4]);
    let good = b.again(2, packet.psn, body);
    b.expect(0, &[9; 4]);
    b.send(&Packet {
        ack_request: true,
        ..good
    })?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    ensure_eq!(
        ack.psn(),
        packet.psn.next(),
        "cumulative PSN once a good packet took the slot"
    );
    Ok(())
}

fn key(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let before = b.counter("rx_bad_key")?;
    // Low bits that name the entry, and others.
    let keys = [b.id.r_key ^ 0x8000_0000, b.id.r_key ^ 1];
    for r_key in keys {
        let reth = Reth {
            address: b.id.region,
            r_key,
            length: 4,
        };
        refused(&mut b, reth, &[0xEE; 4], RefusalReason::BadKey)?;
    }
    b.counted("rx_bad_key", before, 2)?;
    b.check_region()
}

fn range(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let before = b.counter("rx_bad_range")?;
    let (base, r_key) = (b.id.region, b.id.r_key);
    let end = base + u64::from(REGION_BYTES);
    b.send_write(0, REGION_BYTES - 5, &[7; 5])?;
    b.hear()?;
    for address in [end - 4, base - 1, end, u64::MAX - 1, end - (1 << 32)] {
        let reth = Reth {
            address,
            r_key,
            length: 5,
        };
        refused(&mut b, reth, &[0xEE; 5], RefusalReason::BadRange)?;
    }
    b.counted("rx_bad_range", before, 5)?;
    b.check_region()
}

fn order(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let message = b.message(0);
    let count = 24_u32;
    for n in 0..count {
        // 7 and 24 have no common divisor: every place comes once.
        let place = n * 7 % count;
        let bytes = pattern(place * 100, 100);
        let body = b.part(message, 50, 100 * count, 100 * place, &bytes);
        let packet = b.data((n % 8) as u8, body);
        b.expect(50 + 100 * place, &bytes);
        b.send(&packet)?;
    }
    b.hear()?;
    b.check_region()
}
