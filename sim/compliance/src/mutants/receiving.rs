//! Wrong receivers and responders: they take what they must not, or lose what they must keep.
use std::collections::HashSet;

use metaroce_model::nic::Operation;
use metaroce_model::wire::{Body, Incoming, Verb};
use metaroce_protocol::{Icrc, Psn};

use super::{Mutant, Mutation, mutant};
use crate::setup::{R_KEY, TARGET_QP};
use crate::targets::settings::Settings;

pub const MUTANTS: &[Mutant] = &[
    mutant(
        "icrc_not_checked",
        "H01",
        "A frame with a wrong ICRC is taken.",
        icrc_not_checked,
    ),
    mutant(
        "queue_pair_by_low_bits",
        "H05",
        "Only the low bits of the destination QP are looked at.",
        || {
            Mutation::hears(|f| {
                f.dest_qp = TARGET_QP | f.dest_qp & 1;
                true
            })
        },
    ),
    mutant(
        "pad_placed",
        "P01",
        "Pad bytes are placed behind the payload.",
        pad_placed,
    ),
    mutant(
        "key_not_checked",
        "P08",
        "Any R_Key opens the region.",
        key_not_checked,
    ),
    mutant(
        "key_by_low_bits",
        "P08",
        "Only the low bits of the R_Key are compared.",
        key_by_low_bits,
    ),
    mutant(
        "range_end_off_by_one",
        "P09",
        "A byte past the end of the region may be written.",
        || Mutation::settings(|s: &mut Settings| s.region.length += 1),
    ),
    mutant(
        "range_start_off_by_one",
        "P09",
        "A byte before the region may be written.",
        || {
            Mutation::settings(|s: &mut Settings| {
                s.region.base -= 1;
                s.region.length += 1;
            })
        },
    ),
    mutant(
        "empty_write_dropped",
        "P02",
        "A WRITE of no bytes is dropped.",
        || Mutation::hears(|f| !matches!(f.body, Body::Write(w) if w.payload == 0)),
    ),
    mutant(
        "paths_share_a_sequence",
        "P07",
        "A packet of any path takes a slot of path 0.",
        || {
            Mutation::hears(|f| {
                f.path = if f.body.is_data() { 0 } else { f.path };
                true
            })
        },
    ),
    mutant(
        "sends_by_arrival",
        "V01",
        "A Send takes the next buffer in the order of arrival.",
        sends_by_arrival,
    ),
    mutant(
        "immediate_dropped",
        "V03",
        "The immediate is not handed over.",
        immediate_dropped,
    ),
    mutant(
        "not_ready_not_told",
        "V04",
        "A Send that finds no buffer is dropped without a word.",
        || {
            Mutation::says(
                |o| !matches!(o.frame.body, Body::Refusal(nak) if nak.reason.code() == 3),
            )
        },
    ),
    mutant(
        "streams_share_an_order",
        "V02",
        "Messages of all streams are handed over as if they were one.",
        streams_share_an_order,
    ),
    mutant(
        "stream_limit_ignored",
        "V06",
        "A message is taken for the next one, however far ahead it is.",
        stream_limit_ignored,
    ),
    mutant(
        "read_answered_at_wrong_offset",
        "Q01",
        "Packets of a response name offset 0.",
        read_at_zero,
    ),
    mutant(
        "read_placed_in_order_of_arrival",
        "Q05",
        "Bytes that were read are placed in the order of their arrival.",
        read_in_order_of_arrival,
    ),
    mutant(
        "atomic_executed_again",
        "F03",
        "An atomic that comes again under another PSN is executed again.",
        atomic_executed_again,
    ),
    mutant(
        "swap_without_compare",
        "F02",
        "COMPARE_SWAP swaps any word.",
        swap_without_compare,
    ),
    mutant(
        "unaligned_atomic_rounded",
        "F05",
        "An atomic's address is rounded down to a word.",
        unaligned_atomic_rounded,
    ),
    mutant("sync_ignored", "E01", "SYNC is dropped.", || {
        Mutation::hears(|f| !matches!(f.body, Body::Sync(_)))
    }),
    mutant(
        "sync_answered_once",
        "E03",
        "A SYNC that comes again is not answered.",
        sync_answered_once,
    ),
];

fn icrc_not_checked() -> Mutation {
    Mutation {
        hears_bytes: Some(Box::new(|bytes| {
            Icrc::seal(bytes);
        })),
        ..Mutation::default()
    }
}

fn pad_placed() -> Mutation {
    Mutation {
        places: Some(|payload| payload.resize(payload.len().next_multiple_of(4), 0)),
        ..Mutation::default()
    }
}

/// Changes the key of what a requester asks for.
fn with_key(frame: &mut Incoming, change: impl Fn(&mut u32)) {
    match &mut frame.body {
        Body::Write(write) => change(&mut write.reth.r_key),
        Body::Verb(packet) => match &mut packet.verb {
            Verb::WriteImm { reth, .. } | Verb::ReadRequest { reth, .. } => change(&mut reth.r_key),
            Verb::FetchAdd(atomic) | Verb::CompareSwap(atomic) => change(&mut atomic.r_key),
            _ => {}
        },
        _ => {}
    }
}

fn key_not_checked() -> Mutation {
    Mutation::hears(|f| {
        with_key(f, |key| *key = R_KEY);
        true
    })
}

fn key_by_low_bits() -> Mutation {
    Mutation::hears(|f| {
        with_key(f, |key| *key = R_KEY & !0xF | *key & 0xF);
        true
    })
}

fn sends_by_arrival() -> Mutation {
    let mut next = 0;
    Mutation::hears(move |f| {
        if let Body::Verb(packet) = &mut f.body
            && let Verb::Send { matching, .. } = &mut packet.verb
        {
            matching.receive = next;
            next += 1;
        }
        true
    })
}

fn immediate_dropped() -> Mutation {
    Mutation {
        arrives: Some(Box::new(|arrivals| {
            arrivals.iter_mut().for_each(|a| a.immediate = None);
        })),
        ..Mutation::default()
    }
}

/// Nothing of another stream is handed over while one is not through: here, none but stream 0.
fn streams_share_an_order() -> Mutation {
    Mutation {
        arrives: Some(Box::new(|arrivals| {
            let mut waits = Vec::new();
            std::mem::swap(arrivals, &mut waits);
            arrivals.extend(waits.into_iter().filter(|a| a.stream == 0));
        })),
        ..Mutation::default()
    }
}

fn stream_limit_ignored() -> Mutation {
    Mutation::hears(|f| {
        if let Body::Verb(packet) = &mut f.body {
            packet.msg.message %= 16;
        }
        true
    })
}

fn read_at_zero() -> Mutation {
    Mutation::says(|o| {
        if let Body::Verb(packet) = &mut o.frame.body
            && let Verb::ReadResponse { .. } = packet.verb
        {
            packet.msg.offset = 0;
        }
        true
    })
}

fn read_in_order_of_arrival() -> Mutation {
    let mut there = 0;
    Mutation::hears(move |f| {
        if let Body::Verb(packet) = &mut f.body
            && let Verb::ReadResponse { .. } = packet.verb
        {
            packet.msg.offset = there;
            there += packet.payload;
        }
        true
    })
}

/// Every atomic that arrives is the next message with the next sequence: none is found in the record.
fn atomic_executed_again() -> Mutation {
    let (mut next, mut seen) = (0, HashSet::<(u8, Psn)>::new());
    Mutation::hears(move |f| {
        if let Body::Verb(packet) = &mut f.body
            && let Verb::FetchAdd(atomic) | Verb::CompareSwap(atomic) = &mut packet.verb
            && seen.insert((f.path, f.psn))
        {
            (packet.msg.message, atomic.sequence) = (next, next);
            next += 1;
        }
        true
    })
}

fn swap_without_compare() -> Mutation {
    Mutation {
        executes: Some(|operation| {
            if let Operation::CompareSwap { swap, .. } = *operation {
                *operation = Operation::Store(swap);
            }
        }),
        ..Mutation::default()
    }
}

fn unaligned_atomic_rounded() -> Mutation {
    Mutation::hears(|f| {
        if let Body::Verb(packet) = &mut f.body
            && let Verb::FetchAdd(atomic) | Verb::CompareSwap(atomic) = &mut packet.verb
        {
            atomic.address &= !7;
        }
        true
    })
}

fn sync_answered_once() -> Mutation {
    let mut answered = false;
    Mutation::says(move |o| {
        let answer = matches!(o.frame.body, Body::SyncAck(_));
        !(answer && std::mem::replace(&mut answered, true))
    })
}
