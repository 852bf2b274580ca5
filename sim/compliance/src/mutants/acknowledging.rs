//! Wrong acknowledgements: said at the wrong time, or saying the wrong thing.
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use metaroce_model::wire::Body;
use metaroce_protocol::{Bitvector, Psn, Sack};

use super::{Mutant, Mutation, mutant};
use crate::targets::settings::Settings;

pub const MUTANTS: &[Mutant] = &[
    mutant(
        "bits_reversed",
        "P06",
        "The bitvector goes out with bit 255 first.",
        || says_sack(|s, _| s.bitvector = reversed(s.bitvector)),
    ),
    mutant(
        "bits_by_distance",
        "A05",
        "The bitvector is indexed by the distance from the cumulative PSN.",
        || says_sack(|s, cum| s.bitvector = by_distance(s.bitvector, cum)),
    ),
    mutant(
        "marks_not_echoed",
        "A07",
        "CE that arrives is not counted.",
        || says_sack(|s, _| s.marked = 0),
    ),
    mutant(
        "marks_counted_by_ack",
        "A07",
        "SACK.marked counts the ACKs that had marks to tell.",
        marks_by_ack,
    ),
    mutant(
        "mark_change_not_told",
        "A06",
        "A change of CE waits for the next ACK.",
        || {
            Mutation::hears(|f| {
                f.ce = false;
                true
            })
        },
    ),
    mutant(
        "acks_for_ever_later",
        "A02",
        "Packets are acknowledged only when something forces an ACK.",
        || Mutation::settings(|s: &mut Settings| s.tunables.ack_every = u32::MAX),
    ),
    mutant(
        "ack_of_every_packet",
        "A02",
        "Every packet is acknowledged.",
        || Mutation::settings(|s: &mut Settings| s.tunables.ack_every = 1),
    ),
    mutant(
        "ack_request_ignored",
        "A03",
        "The acknowledgement-request bit is not looked at.",
        || {
            Mutation::hears(|f| {
                f.ack_request = false;
                true
            })
        },
    ),
    mutant("probe_not_answered", "A04", "A PROBE is dropped.", || {
        Mutation::hears(|f| f.body != Body::Probe)
    }),
    mutant(
        "echo_of_the_last",
        "A08",
        "An ACK echoes the TSN that came last, not the highest.",
        echo_of_the_last,
    ),
    mutant(
        "timestamp_not_echoed",
        "A01",
        "An ACK carries no timestamp.",
        || {
            Mutation::says(|o| {
                if let Body::Ack(_) = o.frame.body {
                    o.frame.timestamp = 0;
                }
                true
            })
        },
    ),
    mutant(
        "duplicate_not_answered",
        "P03",
        "A duplicate is dropped without a word.",
        duplicate_not_answered,
    ),
    mutant(
        "hint_always_the_line",
        "C07",
        "Every sender is allotted the whole line.",
        || says_sack(|s, _| s.rate_hint = 0xFFFF),
    ),
    mutant(
        "last_word_without_bits",
        "E01",
        "The last word on an epoch knows only the cumulative PSN.",
        last_word_without_bits,
    ),
];

/// Changes the SACK of ACKs; the second argument is the cumulative PSN.
fn says_sack(change: impl Fn(&mut Sack, Psn) + 'static) -> Mutation {
    Mutation::says(move |o| {
        let cum = o.frame.psn;
        if let Body::Ack(sack) = &mut o.frame.body {
            change(sack, cum);
        }
        true
    })
}

fn reversed(bits: Bitvector) -> Bitvector {
    let [a, b, c, d] = bits.0.map(u64::reverse_bits);
    Bitvector([d, c, b, a])
}

fn by_distance(bits: Bitvector, cum: Psn) -> Bitvector {
    let mut other = Bitvector::default();
    for n in 0..256 {
        other.set(n, bits.is_received(cum.plus(n as u32), 8));
    }
    other
}

fn marks_by_ack() -> Mutation {
    let (mut last, mut acks) = (0, 0);
    Mutation::says(move |o| {
        if let Body::Ack(sack) = &mut o.frame.body {
            acks += u16::from(sack.marked != last);
            last = sack.marked;
            sack.marked = acks;
        }
        true
    })
}

fn echo_of_the_last() -> Mutation {
    let last = Rc::new(RefCell::new(HashMap::new()));
    let heard = last.clone();
    Mutation::hears(move |f| {
        if f.body.is_data() || f.body == Body::Probe {
            heard.borrow_mut().insert(f.path, (f.tsn, f.timestamp));
        }
        true
    })
    .and_says(move |o| {
        if let Body::Ack(_) = o.frame.body
            && let Some(&echo) = last.borrow().get(&o.frame.path)
        {
            (o.frame.tsn, o.frame.timestamp) = echo;
        }
        true
    })
}

fn duplicate_not_answered() -> Mutation {
    let mut seen = HashSet::new();
    Mutation::hears(move |f| !f.body.is_data() || seen.insert((f.path, f.epoch, f.psn)))
}

fn last_word_without_bits() -> Mutation {
    Mutation::says(|o| {
        let cum = o.frame.psn;
        if let Body::SyncAck(sack) = &mut o.frame.body {
            for n in 0..256 {
                let psn = cum.plus(n);
                sack.bitvector.set(psn.slot(8), psn.lap(8));
            }
        }
        true
    })
}
