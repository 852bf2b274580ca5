//! T: how a sender cuts messages, numbers packets, spreads them and keeps its windows (sections 3, 5).
use metaroce_protocol::CompletionStatus::{BadRequest, Success};
use metaroce_protocol::{Body, Opcode, Psn, WqeOpcode};

use super::{Point, point};
use crate::bench::{Bench, REMOTE, REMOTE_KEY, data, silent};
use crate::check::{Check, ensure, ensure_eq};
use crate::heard::Heard;
use crate::setup::Setup;
use crate::target::{Lab, Work};

pub const POINTS: &[Point] = &[
    point(
        "T01",
        "A Write is cut into full packets and a rest; each names its own address, offset, key and the message's length (sections 2, 5).",
        segments,
    ),
    point(
        "T02",
        "On a path PSNs count packets and TSNs count transmissions, each by one (sections 1, 5).",
        numbers,
    ),
    point(
        "T03",
        "New packets go to the planes in turn, and evenly to the paths of a plane (section 5).",
        spray,
    ),
    point(
        "T04",
        "A path has WINDOW unresolved packets, and never more (section 5).",
        window,
    ),
    point(
        "T05",
        "Each resolved transmission makes room for one (section 5).",
        room,
    ),
    point(
        "T06",
        "The acknowledgement request is set on a message's last packet and where none is left of the headroom that its sender knew when it chose the path, and on no other new packet (section 5).",
        ack_request,
    ),
    point(
        "T07",
        "A PSN is W behind the first one not received at most (section 5).",
        bitvector,
    ),
    point(
        "T08",
        "A message completes once, when all of its packets are acknowledged and not before (section 5).",
        completion,
    ),
    point(
        "T09",
        "Messages of a stream complete in the order of their posting (section 5).",
        order,
    ),
    point(
        "T10",
        "A Write of no bytes is one packet and completes like any other (section 5).",
        empty,
    ),
    point(
        "T11",
        "PSN and TSN wrap at 2^24, and the path goes on (sections 3, 5).",
        wrap,
    ),
    point(
        "T12",
        "A request of an unknown opcode ends with bad_request, and nothing is sent (section 5).",
        bad_request,
    ),
    point(
        "T13",
        "Messages are numbered within their stream from 0 (section 7).",
        message_numbers,
    ),
];

fn segments(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let (mtu, offset) = (b.setup.mtu(), 333);
    let length = 3 * mtu + 5;
    let bytes = b.fill(offset, length)?;
    let work = b.write_of(1, offset, length);
    b.post(&work)?;
    let heard = b.run()?;
    let mut packets = data(&heard);
    packets.sort_by_key(|f| f.offset());
    let lengths: Vec<_> = packets.iter().map(|f| f.payload().len() as u32).collect();
    ensure_eq!(lengths, [mtu, mtu, mtu, 5], "payload bytes");
    for (n, packet) in (0..).zip(packets) {
        let Body::Write { msg, reth, payload } = packet.body() else {
            continue;
        };
        let at = n * mtu;
        ensure_eq!(
            (msg.stream, msg.message, msg.offset),
            (0, 0, at),
            "MSG of packet {n}"
        );
        ensure_eq!(
            reth.address,
            work.remote + u64::from(at),
            "address of packet {n}"
        );
        ensure_eq!(
            (reth.r_key, reth.length),
            (REMOTE_KEY, length),
            "key and length of packet {n}"
        );
        ensure!(
            payload == &bytes[at as usize..][..payload.len()],
            "payload of packet {n} differs"
        );
    }
    b.completed(&[(1, Success)])?;
    b.check_region()
}

fn numbers(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    b.post_packets(1, 100)?;
    let heard = b.run()?;
    for path in 0..b.setup.paths {
        let (mut psn, mut tsn) = (b.id.first_psn, b.id.first_tsn);
        for frame in heard.iter().filter(|f| f.path() == path) {
            ensure_eq!(
                (frame.psn(), frame.tsn()),
                (psn, tsn),
                "PSN and TSN on path {path}"
            );
            ensure_eq!(frame.frame().path.epoch, b.setup.epoch, "epoch");
            tsn = tsn.next();
            psn = if frame.is_data() { psn.next() } else { psn };
        }
    }
    b.completed(&[(1, Success)])
}

fn spray(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    b.post_packets(1, 96)?;
    let heard = b.hear()?;
    let packets = data(&heard);
    let planes: Vec<u8> = packets.iter().map(|f| f.plane).collect();
    let in_turn = planes
        .windows(2)
        .all(|w| w[1] == (w[0] + 1) % b.setup.planes);
    ensure!(in_turn, "planes are not taken in turn: {planes:?}");
    for path in 0..b.setup.paths {
        let count = packets.iter().filter(|f| f.path() == path).count();
        ensure_eq!(
            count,
            96 / usize::from(b.setup.paths),
            "packets on path {path}"
        );
    }
    Ok(())
}

fn window(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let (paths, window) = (u32::from(b.setup.paths), b.setup.window);
    b.post_packets(1, paths * window + 8)?;
    let heard = b.hear()?;
    for path in 0..b.setup.paths {
        let count = heard.iter().filter(|f| f.path() == path).count();
        ensure_eq!(
            count as u32,
            window,
            "transmissions on path {path} without an ACK"
        );
    }
    silent(&b.hear()?, "with all windows full")
}

fn room(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::one_path())?;
    b.post_packets(1, 4 * b.setup.window)?;
    let mut waiting: Vec<Heard> = b.hear()?;
    for step in [1_usize, 3, 1, 7] {
        let rest = waiting.split_off(step);
        waiting.iter().for_each(|f| b.receivers[0].take(f));
        b.ack(0)?;
        let heard = b.hear()?;
        ensure_eq!(heard.len(), step, "packets after {step} were acknowledged");
        waiting = rest.into_iter().chain(heard).collect();
    }
    Ok(())
}

fn ack_request(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::one_path())?;
    let (window, mtu) = (b.setup.window, b.setup.mtu());
    // A short message, and one that fills the window.
    for (id, packets) in [(1, 3), (2, window)] {
        let work = b.write_of(id, 0, packets * mtu);
        b.post(&work)?;
    }
    let heard = b.hear()?;
    let asks: Vec<u32> = (0..)
        .zip(&heard)
        .filter(|(_, f)| f.frame().bth.ack_request)
        .map(|(n, _)| n)
        .collect();
    ensure_eq!(asks, [2, window - 1], "packets that ask for an ACK");
    Ok(())
}

fn bitvector(lab: &mut dyn Lab) -> Check {
    let setup = Setup {
        window: 239,
        mtu_log2: 8,
        ..Setup::one_path()
    };
    let mut b = Bench::start(lab, setup)?;
    let (window, first) = (b.window(), b.id.first_psn);
    b.post_packets(1, window + 40)?;
    let mut newest = first;
    loop {
        let heard = b.hear()?;
        let packets = data(&heard);
        let mut news = packets
            .iter()
            .filter(|f| f.psn().is_after(newest))
            .peekable();
        if news.peek().is_none() && newest != first {
            break;
        }
        newest = news.map(|f| f.psn()).next_back().unwrap_or(newest);
        for frame in &heard {
            // The first packet never arrives.
            if frame.is_data() && frame.psn() != first {
                b.receivers[0].take(frame);
            }
        }
        b.ack(0)?;
    }
    ensure_eq!(
        newest,
        first.plus(window - 1),
        "highest PSN while the first one is missing"
    );
    Ok(())
}

fn completion(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    b.post_packets(9, 12)?;
    let heard = b.hear()?;
    let packets: Vec<Heard> = heard.into_iter().filter(Heard::is_data).collect();
    ensure_eq!(packets.len(), 12, "packets");
    for packet in packets {
        b.completed(&[])?;
        b.receivers[usize::from(packet.path())].take(&packet);
        b.ack(packet.path())?;
    }
    b.completed(&[(9, Success)])?;
    // The same word again completes nothing.
    (0..b.setup.paths).try_for_each(|path| b.ack(path))?;
    b.run()?;
    b.completed(&[])
}

fn order(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    for id in 1..=3 {
        b.post_packets(id, 1)?;
    }
    let heard = b.hear()?;
    let packets: Vec<Heard> = heard.into_iter().filter(Heard::is_data).collect();
    ensure_eq!(packets.len(), 3, "packets");
    for (n, done) in [
        (2, vec![]),
        (0, vec![(1, Success)]),
        (1, vec![(2, Success), (3, Success)]),
    ] {
        b.receivers[usize::from(packets[n].path())].take(&packets[n]);
        b.ack(packets[n].path())?;
        b.completed(&done)?;
    }
    Ok(())
}

fn empty(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let work = b.write_of(5, 0, 0);
    b.post(&work)?;
    let heard = b.run()?;
    let packets = data(&heard);
    ensure_eq!(packets.len(), 1, "packets");
    ensure_eq!(packets[0].payload().len(), 0, "payload bytes");
    ensure!(
        packets[0].frame().bth.ack_request,
        "the last packet asks for no ACK"
    );
    b.completed(&[(5, Success)])
}

fn wrap(lab: &mut dyn Lab) -> Check {
    let setup = Setup {
        mtu_log2: 8,
        ..Setup::one_path()
    };
    let mut b = Bench::start(lab, setup)?;
    let before_wrap = (1 << 24) - b.id.first_psn.get();
    if before_wrap > 256 {
        return Err(crate::check::Stop::lacks(
            "its PSNs don't start next to their roll-over",
        ));
    }
    b.post_packets(1, 300)?;
    let heard = b.run()?;
    let packets = data(&heard);
    let psns: Vec<Psn> = packets.iter().map(|f| f.psn()).collect();
    let needed: Vec<Psn> = (0..300).map(|n| b.id.first_psn.plus(n)).collect();
    ensure!(
        psns == needed,
        "PSNs do not go on from {} to 0",
        Psn::default().minus(1)
    );
    b.completed(&[(1, Success)])
}

fn bad_request(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let work = Work {
        verb: WqeOpcode::from(99),
        ..b.write_of(4, 0, 8)
    };
    b.post(&work)?;
    silent(&b.hear()?, "after a request of an unknown opcode")?;
    b.completed(&[(4, BadRequest)])
}

fn message_numbers(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let streams = [0, 2, 2, 0, 3, 2];
    for (id, &stream) in (0..).zip(&streams) {
        let work = Work {
            stream,
            remote: REMOTE + id,
            ..b.write_of(id, 0, 1)
        };
        b.post(&work)?;
    }
    let heard = b.run()?;
    let mut found: Vec<_> = (data(&heard).iter())
        .filter(|f| f.opcode() == Opcode::Write)
        .filter_map(|f| match f.body() {
            Body::Write { msg, reth, .. } => Some((reth.address - REMOTE, msg.stream, msg.message)),
            _ => None,
        })
        .collect();
    found.sort_unstable();
    let needed = [
        (0, 0, 0),
        (1, 2, 0),
        (2, 2, 1),
        (3, 0, 1),
        (4, 3, 0),
        (5, 2, 2),
    ];
    ensure_eq!(found, needed, "request, stream and message");
    Ok(())
}
