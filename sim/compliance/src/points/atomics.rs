//! F: atomics, on both sides (section 7).
use metaroce_protocol::CompletionStatus::Success;
use metaroce_protocol::{Atomic, Body, Msg, Opcode, Original, RefusalReason, Tag, WqeOpcode};

use super::{Point, point};
use crate::bench::{Bench, Packet, REMOTE, REMOTE_KEY, data, of, only};
use crate::check::{Check, Stop, ensure, ensure_eq};
use crate::heard::Heard;
use crate::setup::Setup;
use crate::target::{Lab, Work};

pub const POINTS: &[Point] = &[
    point(
        "F01",
        "FETCH_ADD adds once, modulo 2^64, and answers with the word before (section 7).",
        add,
    ),
    point(
        "F02",
        "COMPARE_SWAP swaps only a word that is as expected, and answers with the word before (section 7).",
        swap,
    ),
    point(
        "F03",
        "An atomic that comes again under another PSN is answered from the record, not executed (section 7).",
        again,
    ),
    point(
        "F04",
        "An atomic that comes again under its own PSN is a duplicate (sections 4, 7).",
        duplicate,
    ),
    point(
        "F05",
        "An atomic's address is a multiple of 8: else bad_range (sections 2, 7).",
        unaligned,
    ),
    point(
        "F06",
        "A requester names tag and sequence, stores the result and completes with it (section 7).",
        request,
    ),
];

/// The word that atomics work on.
const WORD: u32 = 256;

/// A bench whose word holds this.
fn start(lab: &mut dyn Lab, word: u64) -> Check<Bench> {
    let mut b = Bench::whole(lab, Setup::default())?;
    b.store(WORD, &word.to_le_bytes())?;
    Ok(b)
}

/// The word holds this in the end. Before, each response has said what it held.
fn ends(mut b: Bench, word: u64) -> Check {
    b.expect(WORD, &word.to_le_bytes());
    b.check_region()
}

/// Message `n` of stream 0 as an atomic with sequence `n`.
fn atomic(b: &Bench, n: u16, operand: u64, compare: u64) -> (Msg, Atomic) {
    let msg = Msg {
        message: n,
        ..Msg::default()
    };
    let atomic = Atomic {
        address: b.id.region + u64::from(WORD),
        r_key: b.id.r_key,
        tag: 0x4000 + n,
        sequence: n,
        operand,
        compare,
    };
    (msg, atomic)
}

/// The only response that was heard: its tag and the word before.
fn response(heard: &[Heard]) -> Check<(u16, u64)> {
    let found = data(heard);
    ensure_eq!(found.len(), 1, "responses");
    match found[0].body() {
        Body::AtomicResponse { tag, original, .. } => Ok((tag.tag, original.value)),
        other => Err(Stop::fails(format!("an unasked {:?}", other.opcode()))),
    }
}

fn add(lab: &mut dyn Lab) -> Check {
    let mut word = u64::MAX - 3;
    let mut b = start(lab, word)?;
    for n in 0..20_u16 {
        let operand = 0x0001_0000_0000_0003;
        let (msg, atomic) = atomic(&b, n, operand, 0);
        let packet = b.data((n % 8) as u8, Body::FetchAdd { msg, atomic });
        b.send(&packet)?;
        let heard = b.run()?;
        ensure_eq!(response(&heard)?, (0x4000 + n, word), "tag and word before");
        word = word.wrapping_add(operand);
    }
    ends(b, word)
}

fn swap(lab: &mut dyn Lab) -> Check {
    let mut word = 5;
    let mut b = start(lab, word)?;
    for (n, compare, swap) in [(0, 4, 100), (1, 5, 6), (2, 5, 7), (3, 6, u64::MAX)] {
        let (msg, atomic) = atomic(&b, n, swap, compare);
        let packet = b.data(0, Body::CompareSwap { msg, atomic });
        b.send(&packet)?;
        let heard = b.run()?;
        ensure_eq!(response(&heard)?, (0x4000 + n, word), "tag and word before");
        word = if word == compare { swap } else { word };
    }
    ends(b, word)
}

fn again(lab: &mut dyn Lab) -> Check {
    let mut b = start(lab, 70)?;
    let (msg, atomic) = atomic(&b, 0, 1, 0);
    for path in [0, 3, 3] {
        let packet = b.data(path, Body::FetchAdd { msg, atomic });
        b.send(&packet)?;
        let heard = b.run()?;
        ensure_eq!(response(&heard)?, (0x4000, 70), "tag and word before");
    }
    ends(b, 71)
}

fn duplicate(lab: &mut dyn Lab) -> Check {
    let mut b = start(lab, 70)?;
    let (msg, atomic) = atomic(&b, 0, 1, 0);
    let packet = b.data(0, Body::FetchAdd { msg, atomic });
    b.send(&packet)?;
    b.run()?;
    b.send(&packet)?;
    only(b.hear()?, Opcode::Ack)?;
    ends(b, 71)
}

fn unaligned(lab: &mut dyn Lab) -> Check {
    let mut b = start(lab, 70)?;
    let (msg, atomic) = atomic(&b, 0, 1, 0);
    let atomic = Atomic {
        address: atomic.address + 4,
        ..atomic
    };
    let packet = b.data(0, Body::FetchAdd { msg, atomic });
    b.send(&packet)?;
    let answer = only(b.hear()?, Opcode::Refusal)?;
    let right =
        matches!(answer.body(), Body::Refusal(nak) if nak.reason == RefusalReason::BadRange);
    ensure!(right, "the reason is not bad_range");
    ends(b, 70)
}

fn request(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::whole(lab, Setup::default())?;
    for n in 0..3_u16 {
        let work = Work {
            verb: if n == 1 {
                WqeOpcode::CompareSwap
            } else {
                WqeOpcode::FetchAdd
            },
            operand: 11,
            compare: 22,
            ..b.write_of(n.into(), 8 * u32::from(n), 8)
        };
        b.post(&work)?;
        let heard = b.run()?;
        let opcode = if n == 1 {
            Opcode::CompareSwap
        } else {
            Opcode::FetchAdd
        };
        let (msg, atomic) = match of(&heard, opcode).first().map(|f| f.body()) {
            Some(Body::CompareSwap { msg, atomic } | Body::FetchAdd { msg, atomic }) => {
                (msg, atomic)
            }
            _ => return Err(Stop::fails("no atomic was sent")),
        };
        ensure_eq!(
            (msg.stream, msg.message, atomic.sequence),
            (0, n, n),
            "message and sequence"
        );
        ensure_eq!(
            (atomic.address, atomic.r_key),
            (REMOTE + 8 * u64::from(n), REMOTE_KEY),
            "address and key"
        );
        ensure_eq!(atomic.operand, 11, "operand");
        ensure!(
            n != 1 || atomic.compare == 22,
            "compare is {}",
            atomic.compare
        );
        b.completed(&[])?;
        let body = Body::AtomicResponse {
            msg,
            tag: Tag {
                tag: atomic.tag,
                length: 8,
                ..Tag::default()
            },
            original: Original {
                value: 0xF00D_0000_0000_0000 + u64::from(n),
            },
        };
        let packet = b.data(0, body);
        b.send(&Packet {
            ack_request: true,
            ..packet
        })?;
        only(b.hear()?, Opcode::Ack)?;
        ensure_eq!(
            b.word(8 * u32::from(n))?,
            0xF00D_0000_0000_0000 + u64::from(n),
            "result"
        );
        b.completed(&[(n.into(), Success)])?;
    }
    Ok(())
}
