//! C: windows that follow marks, the connection's window, and rate hints (sections 8, 9).
use metaroce_protocol::constants::WRITE_OVERHEAD_BYTES;
use metaroce_protocol::{Body, Match, Msg, Opcode};

use super::{Point, point};
use crate::bench::{Bench, data, of, only};
use crate::check::{Check, ensure, ensure_eq};
use crate::heard::Heard;
use crate::setup::{Setup, Whole};
use crate::target::Lab;

pub const POINTS: &[Point] = &[
    point(
        "C01",
        "Aimd starts with 2 packets, and each window of deliveries adds a packet (section 8).",
        increase,
    ),
    point(
        "C02",
        "Each mark takes a quarter of a packet: a wholly marked round trip a quarter of the window (section 8).",
        decrease,
    ),
    point(
        "C03",
        "In proportion: a quarter of the packets marked takes a sixteenth (section 8).",
        proportion,
    ),
    point(
        "C04",
        "Aimd's window is 32 packets at most (section 8).",
        cap,
    ),
    point(
        "C05",
        "All paths of a connection together have connection_window unresolved (section 8).",
        connection_window,
    ),
    point(
        "C06",
        "A sender keeps to the share of the line that the newest ACK allots it (section 9).",
        hint,
    ),
    point(
        "C07",
        "A receiver allots 65535 / active connections, and tells all of them at once when the count rises (section 9).",
        allot,
    ),
];

/// Ticks of a round trip.
const ROUND: u32 = 96;

/// A sender under Aimd on one path, with more to send than any point takes.
fn aimd(lab: &mut dyn Lab) -> Check<Bench> {
    let setup = Setup {
        window: 239,
        mtu_log2: 8,
        whole: Whole {
            aimd: true,
            ..Whole::default()
        },
        ..Setup::one_path()
    };
    let mut b = Bench::start(lab, setup)?;
    (0..6).try_for_each(|id| b.post_packets(id, 400))?;
    Ok(b)
}

/// Round trips: one ACK each, with so many sixteenths of the packets marked. The packets sent in each.
fn rounds(b: &mut Bench, sixteenths: &[u16]) -> Check<Vec<usize>> {
    let mut found = Vec::new();
    for share in sixteenths {
        let heard = b.wait(ROUND)?;
        let packets: Vec<&Heard> = data(&heard);
        found.push(packets.len());
        packets.iter().for_each(|f| b.receivers[0].take(f));
        b.receivers[0].marked += packets.len() as u16 * share / 16;
        b.ack(0)?;
    }
    Ok(found)
}

fn increase(lab: &mut dyn Lab) -> Check {
    let mut b = aimd(lab)?;
    let first: u32 = b.hear()?.len() as u32;
    ensure_eq!(first, 2, "packets before the first ACK");
    let mut b = aimd(lab)?;
    ensure_eq!(
        rounds(&mut b, &[0; 8])?,
        [2, 3, 4, 5, 6, 7, 8, 9],
        "packets a round trip"
    );
    Ok(())
}

fn decrease(lab: &mut dyn Lab) -> Check {
    let mut b = aimd(lab)?;
    let grown = rounds(&mut b, &[0; 22])?;
    ensure_eq!(
        grown.last(),
        Some(&23),
        "packets a round trip after 21 without marks"
    );
    // 24 + 1 - 24/4 = 19; 19 + 1 - 19/4 = 15.25; 15 deliveries are not yet a window: they add in the next.
    let found = rounds(&mut b, &[16, 16, 0, 0, 0])?;
    ensure_eq!(
        found,
        [24, 19, 15, 15, 16],
        "packets a round trip, the first two marked"
    );
    Ok(())
}

fn proportion(lab: &mut dyn Lab) -> Check {
    let mut b = aimd(lab)?;
    rounds(&mut b, &[0; 22])?;
    // 24 + 1 - 6/4 = 23.5; 23 deliveries do not add yet: 23.5 - 5/4 = 22.25; 45 do: 23.25.
    let found = rounds(&mut b, &[4, 4, 0, 0])?;
    ensure_eq!(
        found,
        [24, 23, 22, 23],
        "packets a round trip, a quarter marked"
    );
    Ok(())
}

fn cap(lab: &mut dyn Lab) -> Check {
    let mut b = aimd(lab)?;
    let found = rounds(&mut b, &[0; 45])?;
    ensure_eq!(found[35..], [32; 10], "packets a round trip after 35");
    Ok(())
}

fn connection_window(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(
        lab,
        Setup::whole(Whole {
            connection_window: 10,
            ..Whole::default()
        }),
    )?;
    b.post_packets(1, 60)?;
    let heard = b.hear()?;
    ensure_eq!(heard.len(), 10, "packets without an ACK");
    for frame in &heard[..3] {
        b.receivers[usize::from(frame.path())].take(frame);
        b.ack(frame.path())?;
    }
    ensure_eq!(b.hear()?.len(), 3, "packets after three were acknowledged");
    Ok(())
}

/// Bytes that a connection spends within some ticks; every ACK allots this share.
fn spent(b: &mut Bench, ticks: u32, rate_hint: u16) -> Check<u32> {
    let mut bytes = 0;
    b.receivers.iter_mut().for_each(|r| r.rate_hint = rate_hint);
    for _ in 0..ticks / 64 {
        let heard = b.wait(64)?;
        for frame in data(&heard) {
            bytes += (frame.payload().len() + WRITE_OVERHEAD_BYTES) as u32;
        }
        b.take_all(&heard)?;
    }
    Ok(bytes)
}

fn hint(lab: &mut dyn Lab) -> Check {
    let burst = 4_000;
    // A byte a tick.
    let whole = Whole {
        line_rate: 256,
        burst,
        ..Whole::default()
    };
    let mut b = Bench::start(lab, Setup::whole(whole))?;
    (1..=2).try_for_each(|id| b.post_packets(id, 100))?;
    let packet = b.setup.mtu() + WRITE_OVERHEAD_BYTES as u32;
    let ticks = 32_000;
    for (hint, share, first) in [
        (0xFFFF, 1, burst),
        (0x3FFF, 4, 0),
        (0x7FFF, 2, 0),
        (0x0FFF, 16, 0),
    ] {
        let bytes = spent(&mut b, ticks, hint)?;
        let due = ticks / share;
        let range = due.saturating_sub(packet)..=due + first + 2 * packet;
        ensure!(
            range.contains(&bytes),
            "{bytes} bytes in {ticks} ticks at hint {hint:#x}, due are {due}"
        );
    }
    Ok(())
}

fn allot(lab: &mut dyn Lab) -> Check {
    let whole = Whole {
        hints: true,
        ..Whole::default()
    };
    let setup = Setup {
        connections: 2,
        ..Setup::whole(whole)
    };
    let mut b = Bench::start(lab, setup)?;
    for (active, hint) in [(1, 65_535), (2, 32_767)] {
        b.post_receive_on(active - 1, 0, 64 * active, 8, active.into())?;
        let heard = b.hear()?;
        let mut told: Vec<_> = (of(&heard, Opcode::Ack).iter())
            .map(|f| (f.frame().bth.dest_qp, f.sack().map(|s| s.rate_hint)))
            .collect();
        told.sort_unstable();
        let qp = b.id.tester_qp;
        let needed = [(qp, Some(hint)), (qp + 1, Some(hint))];
        ensure_eq!(told, needed, "hints with {active} active");
    }
    // A Send takes the buffer of the first connection: one is left.
    let body = Body::Send {
        msg: Msg::default(),
        matching: Match {
            receive: 0,
            length: 4,
        },
        payload: &[1; 4],
    };
    let packet = b.data(0, body);
    b.send(&packet)?;
    b.hear()?;
    let probe = b.probe(0);
    b.send(&probe)?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    ensure_eq!(
        ack.sack().map(|s| s.rate_hint),
        Some(65_535),
        "hint with one active"
    );
    Ok(())
}
