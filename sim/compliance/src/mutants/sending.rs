//! Wrong senders and requesters.
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use metaroce_model::wire::{Body, Incoming, Outgoing, Verb, Write};
use metaroce_protocol::{Icrc, Psn, Sack, Tsn};

use super::{Mutant, Mutation, mutant};
use crate::targets::settings::Settings;

pub const MUTANTS: &[Mutant] = &[
    mutant(
        "send_window_too_wide",
        "T04",
        "A path has one packet more unresolved than WINDOW.",
        || Mutation::settings(|s: &mut Settings| s.tunables.window += 1),
    ),
    mutant(
        "send_window_too_narrow",
        "T04",
        "A path has one packet less unresolved than WINDOW.",
        || Mutation::settings(|s: &mut Settings| s.tunables.window -= 1),
    ),
    mutant(
        "tsn_kept_on_retransmission",
        "L01",
        "A retransmission carries the TSN of the first transmission.",
        tsn_kept,
    ),
    mutant(
        "psn_not_masked",
        "T11",
        "A PSN past 2^24 spills into the bits before it.",
        psn_not_masked,
    ),
    mutant(
        "address_of_the_message",
        "T01",
        "Every packet names the address of its message.",
        address_of_the_message,
    ),
    mutant(
        "length_of_the_packet",
        "T01",
        "RETH.length is that of the packet.",
        || says_write(|w| w.reth.length = w.payload),
    ),
    mutant(
        "last_packet_asks_not",
        "T06",
        "No new packet asks for an ACK.",
        || {
            Mutation::says(|o| {
                if o.frame.body.is_data() {
                    o.frame.ack_request = false;
                }
                true
            })
        },
    ),
    mutant(
        "time_out_sends_data",
        "O02",
        "A time-out sends the last packet again instead of a probe.",
        time_out_sends_data,
    ),
    mutant(
        "retries_without_limit",
        "O04",
        "A connection never gives up.",
        || Mutation::settings(|s: &mut Settings| s.tunables.max_retries = u32::MAX),
    ),
    mutant(
        "one_retry_less",
        "O04",
        "A connection gives up one time-out too early.",
        || Mutation::settings(|s: &mut Settings| s.tunables.max_retries -= 1),
    ),
    mutant(
        "completes_twice",
        "T08",
        "A message completes twice.",
        completes_twice,
    ),
    mutant(
        "empty_write_never_completes",
        "T10",
        "A Write of no bytes does not complete.",
        empty_write_never_completes,
    ),
    mutant(
        "lying_echo_believed",
        "X01",
        "An echo of what was never sent counts as the newest transmission.",
        lying_echo_believed,
    ),
    mutant(
        "lying_cumulative_believed",
        "X02",
        "A cumulative PSN that was never sent counts as all that was.",
        lying_cumulative_believed,
    ),
    mutant(
        "cumulative_modulo_window",
        "X03",
        "The cumulative PSN of an ACK is compared modulo W.",
        cumulative_modulo_window,
    ),
    mutant(
        "every_second_ack_lost",
        "T05",
        "Every second ACK is dropped.",
        every_second_ack_lost,
    ),
    mutant(
        "messages_numbered_together",
        "T13",
        "Messages are numbered over all streams of the connection.",
        messages_numbered_together,
    ),
    mutant("refusal_ignored", "L08", "A REFUSAL is dropped.", || {
        Mutation::hears(|f| !matches!(f.body, Body::Refusal(_)))
    }),
    mutant(
        "not_ready_ends_in_success",
        "V10",
        "A Send that found no buffer is taken for delivered.",
        not_ready_is_success,
    ),
    mutant(
        "no_patience",
        "V09",
        "The first receiver_not_ready fails the connection, however patient it should be.",
        || Mutation::settings(|s: &mut Settings| s.options.not_ready_ticks = 0),
    ),
    mutant(
        "first_window_too_wide",
        "C01",
        "Aimd starts with 10 packets.",
        || Mutation::settings(|s: &mut Settings| s.law.first = 10),
    ),
    mutant(
        "increase_too_fast",
        "C01",
        "Aimd gains two packets a round trip.",
        || Mutation::settings(|s: &mut Settings| s.law.increase *= 2),
    ),
    mutant(
        "window_without_cap",
        "C04",
        "Aimd's window has no cap.",
        || Mutation::settings(|s: &mut Settings| s.law.cap = 256),
    ),
    mutant(
        "marks_ignored",
        "C02",
        "The sender does not look at SACK.marked.",
        || hears_sack(|s| s.marked = 0),
    ),
    mutant(
        "connection_window_ignored",
        "C05",
        "Only the windows of paths bind.",
        || Mutation::settings(|s: &mut Settings| s.options.connection_window = 0),
    ),
    mutant(
        "hint_ignored",
        "C06",
        "The sender does not look at the rate hint.",
        || hears_sack(|s| s.rate_hint = 0xFFFF),
    ),
    mutant(
        "bucket_ignored",
        "C06",
        "The sender knows its share and does not keep to it.",
        || Mutation::settings(|s: &mut Settings| s.options.line_rate = 0),
    ),
    mutant(
        "immediate_in_last_packet_only",
        "V08",
        "Packets before the last carry no immediate.",
        immediate_in_last,
    ),
    mutant(
        "buffers_counted_by_message",
        "V07",
        "MATCH.receive is the message's number.",
        buffers_by_message,
    ),
    mutant(
        "icrc_of_the_old_port",
        "E07",
        "The ICRC is not computed anew for a path's new source port.",
        icrc_of_the_old_port,
    ),
    mutant(
        "old_port_kept",
        "E07",
        "A rerouted path goes on with its old source port.",
        old_port_kept,
    ),
    mutant(
        "dead_plane_used",
        "D01",
        "A plane that is silent is used on.",
        || Mutation::settings(|s: &mut Settings| s.options.suspect_paths = 0),
    ),
    mutant(
        "no_ramp",
        "D02",
        "A plane that comes back is used at once as before.",
        || Mutation::settings(|s: &mut Settings| s.options.ramp_ticks = 1),
    ),
];

fn says_write(mut change: impl FnMut(&mut Write) + 'static) -> Mutation {
    Mutation::says(move |o| {
        if let Body::Write(write) = &mut o.frame.body {
            change(write);
        }
        true
    })
}

fn hears_sack(change: impl Fn(&mut Sack) + 'static) -> Mutation {
    Mutation::hears(move |f| {
        if let Body::Ack(sack) = &mut f.body {
            change(sack);
        }
        true
    })
}

fn address_of_the_message() -> Mutation {
    says_write(|w| w.reth.address -= u64::from(w.msg.offset))
}

fn tsn_kept() -> Mutation {
    let mut first = HashMap::<(u8, Psn), Tsn>::new();
    Mutation::says(move |o| {
        if o.frame.body.is_data() {
            o.frame.tsn = *first
                .entry((o.frame.path, o.frame.psn))
                .or_insert(o.frame.tsn);
        }
        true
    })
}

/// A PSN below the first one of its path went through the roll-over.
fn psn_not_masked() -> Mutation {
    let mut first = HashMap::<u8, [u8; 3]>::new();
    Mutation {
        says_bytes: Some(Box::new(move |bytes| {
            let psn = [bytes[51], bytes[52], bytes[53]];
            if psn < *first.entry(bytes[55]).or_insert(psn) {
                // The bit before the PSN is an unused one.
                bytes[50] |= 1;
                Icrc::seal(bytes);
            }
        })),
        ..Mutation::default()
    }
}

/// The second probe in a row on a path is a time-out's.
fn time_out_sends_data() -> Mutation {
    let mut last = HashMap::<u8, (Outgoing, u32)>::new();
    Mutation::says(move |o| {
        if o.frame.body.is_data() {
            last.insert(o.frame.path, (*o, 0));
        } else if o.frame.body == Body::Probe
            && let Some((data, probes)) = last.get_mut(&o.frame.path)
        {
            *probes += 1;
            if *probes > 1 {
                (data.frame.tsn, data.frame.timestamp) = (o.frame.tsn, o.frame.timestamp);
                *o = *data;
            }
        }
        true
    })
}

fn completes_twice() -> Mutation {
    Mutation {
        completes: Some(Box::new(|list| {
            *list = list.iter().flat_map(|&done| [done, done]).collect();
        })),
        ..Mutation::default()
    }
}

/// Once a Write of no bytes was sent nothing completes any more.
fn empty_write_never_completes() -> Mutation {
    let sent = Rc::new(Cell::new(false));
    let was_sent = sent.clone();
    let says = Mutation::says(move |o| {
        let empty = matches!(o.frame.body, Body::Write(w) if w.reth.length == 0);
        sent.set(sent.get() || empty);
        true
    });
    Mutation {
        completes: Some(Box::new(move |list| list.retain(|_| !was_sent.get()))),
        ..says
    }
}

/// Remembers what was sent on each path, and lets an ACK claim no more than that.
fn clamped(change: impl Fn(&mut Incoming, Psn, Tsn) + 'static) -> Mutation {
    let sent = Rc::new(RefCell::new(HashMap::<u8, (Psn, Tsn)>::new()));
    let known = sent.clone();
    Mutation::hears(move |f| {
        if let (Body::Ack(_), Some(&(psn, tsn))) = (f.body, known.borrow().get(&f.path)) {
            change(f, psn, tsn);
        }
        true
    })
    .and_says(move |o| {
        let mut sent = sent.borrow_mut();
        let newest = sent
            .entry(o.frame.path)
            .or_insert((o.frame.psn, o.frame.tsn));
        if o.frame.body.is_data() && o.frame.psn.is_after(newest.0) {
            newest.0 = o.frame.psn;
        }
        newest.1 = o.frame.tsn;
        true
    })
}

fn lying_echo_believed() -> Mutation {
    clamped(|f, _, tsn| {
        if f.tsn.is_after(tsn) {
            f.tsn = tsn;
        }
    })
}

fn lying_cumulative_believed() -> Mutation {
    clamped(|f, psn, _| {
        if f.psn.is_after(psn.next()) {
            f.psn = psn.next();
        }
    })
}

fn cumulative_modulo_window() -> Mutation {
    clamped(|f, psn, _| {
        let behind = psn.next().distance_from(f.psn) % 256;
        f.psn = psn.next().minus(behind);
    })
}

fn every_second_ack_lost() -> Mutation {
    let mut odd = false;
    Mutation::hears(move |f| {
        odd ^= matches!(f.body, Body::Ack(_));
        odd || !matches!(f.body, Body::Ack(_))
    })
}

fn messages_numbered_together() -> Mutation {
    let mut numbers = HashMap::new();
    says_write(move |w| {
        let next = numbers.len() as u16;
        w.msg.message = *numbers.entry((w.msg.stream, w.msg.message)).or_insert(next);
    })
}

fn not_ready_is_success() -> Mutation {
    let mut refused = HashMap::<u8, Psn>::new();
    Mutation::hears(move |f| {
        if let Body::Refusal(_) = f.body {
            refused.insert(f.path, f.psn);
            return false;
        }
        if let (Body::Ack(sack), Some(&psn)) = (&mut f.body, refused.get(&f.path)) {
            sack.bitvector.mark(psn, 8);
        }
        true
    })
}

fn immediate_in_last() -> Mutation {
    Mutation::says(|o| {
        if let Body::Verb(packet) = &mut o.frame.body {
            let end = packet.msg.offset + packet.payload;
            if let Verb::Send {
                matching,
                imm: Some(imm),
            }
            | Verb::WriteImm { matching, imm, .. } = &mut packet.verb
                && end < matching.length
            {
                imm.immediate = 0;
            }
        }
        true
    })
}

fn buffers_by_message() -> Mutation {
    Mutation::says(|o| {
        if let Body::Verb(packet) = &mut o.frame.body
            && let Verb::Send { matching, .. } | Verb::WriteImm { matching, .. } = &mut packet.verb
        {
            matching.receive = packet.msg.message.into();
        }
        true
    })
}

fn old_port_kept() -> Mutation {
    let mut first = HashMap::<u8, u16>::new();
    Mutation::says(move |o| {
        // SYNC and its answer name another path than the one whose port they have.
        if !matches!(o.frame.body, Body::Sync(_) | Body::SyncAck(_)) {
            o.entropy = *first.entry(o.frame.path).or_insert(o.entropy);
        }
        true
    })
}

/// A path's ICRC is that of its frame under the first port that it had.
fn icrc_of_the_old_port() -> Mutation {
    let mut first = HashMap::<u8, [u8; 2]>::new();
    Mutation {
        says_bytes: Some(Box::new(move |bytes| {
            // SYNC and its answer name another path than the one whose port they have.
            if bytes[42] >= 0xD3 {
                return;
            }
            let port = [bytes[34], bytes[35]];
            let old = *first.entry(bytes[55]).or_insert(port);
            bytes[34..36].copy_from_slice(&old);
            Icrc::seal(bytes);
            bytes[34..36].copy_from_slice(&port);
        })),
        ..Mutation::default()
    }
}
