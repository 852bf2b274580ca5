//! E: path epochs (section 11).
use metaroce_protocol::CompletionStatus::Success;
use metaroce_protocol::{Body, Opcode, Psn, Sync, Tsn};

use super::{Point, point};
use crate::bench::{Bench, Packet, data, of, only, silent};
use crate::check::{Check, Stop, ensure, ensure_eq};
use crate::heard::Heard;
use crate::setup::Setup;
use crate::target::Lab;

pub const POINTS: &[Point] = &[
    point(
        "E01",
        "A SYNC is answered with the last word on the epoch, on the path that it names (section 11).",
        last_word,
    ),
    point(
        "E02",
        "After a SYNC the old epoch's packets are dropped as rx_closed_epoch, and the new one begins with the SYNC's numbers (section 11).",
        next_epoch,
    ),
    point(
        "E03",
        "The same SYNC again gets the same word (section 11).",
        again,
    ),
    point(
        "E04",
        "A sender that changes a path's port sends SYNC on another path, with the next epoch and its first numbers (section 11).",
        sync,
    ),
    point(
        "E05",
        "A closing path sends nothing; SYNC comes again after RTO << tries, each time on another path (section 11).",
        closing,
    ),
    point(
        "E06",
        "What the last word lacks goes to other paths with PSNs of their own, and everything counts once (section 11).",
        moved,
    ),
    point(
        "E07",
        "The next epoch speaks with its new UDP source port, and a right ICRC (sections 2, 11).",
        port,
    ),
    point(
        "E08",
        "The epoch after 255 is 0 (sections 2, 11).",
        epoch_wraps,
    ),
];

/// The tester's SYNC of path 1, on path 2.
fn syncing(b: &Bench, psn: Psn, tsn: Tsn) -> Packet<'static> {
    let sync = Sync {
        via: 2,
        epoch: b.setup.epoch.wrapping_add(1),
        ..Sync::default()
    };
    Packet {
        carrier: 2,
        ack_request: true,
        ..b.packet(1, psn, tsn, Body::Sync(sync))
    }
}

/// Three packets on path 1, the second missing; then SYNC, and its answer.
fn closed(lab: &mut dyn Lab, epoch: u8) -> Check<(Bench, Heard, Packet<'static>)> {
    let setup = Setup {
        epoch,
        ..Setup::default()
    };
    let mut b = Bench::whole(lab, setup)?;
    let first = b.setup.first_psn;
    for n in [0, 2] {
        let body = b.part(0, 0, 24, 8 * n, &[1; 8]);
        b.expect(8 * n, &[1; 8]);
        let packet = b.again(1, first.plus(n), body);
        b.send(&packet)?;
    }
    b.hear()?;
    let sync = syncing(&b, first.plus(256), b.setup.first_tsn.plus(3));
    b.send(&sync)?;
    let answer = only(b.hear()?, Opcode::SyncAck)?;
    Ok((b, answer, sync))
}

fn last_word(lab: &mut dyn Lab) -> Check {
    let (b, answer, _) = closed(lab, 0)?;
    let (first, tsn) = (b.setup.first_psn, b.setup.first_tsn);
    let mut mirror = crate::heard::Receiver::new(first, tsn, b.id.window_log2);
    mirror.mark(first);
    mirror.mark(first.plus(2));
    mirror.received = 2;
    ensure_eq!(
        answer.frame().path.epoch,
        b.setup.epoch,
        "epoch of the answer"
    );
    ensure_eq!(
        (answer.path(), answer.psn(), answer.tsn()),
        (1, mirror.cum, tsn.next()),
        "path, PSN and TSN"
    );
    ensure_eq!(answer.sack(), Some(mirror.sack()), "SACK");
    ensure_eq!(answer.plane, b.setup.plane(2), "plane");
    ensure_eq!(
        answer.frame().udp.source_port,
        b.setup.entropy(2),
        "UDP source port"
    );
    Ok(())
}

fn next_epoch(lab: &mut dyn Lab) -> Check {
    goes_on(closed(lab, 0)?)
}

fn epoch_wraps(lab: &mut dyn Lab) -> Check {
    goes_on(closed(lab, 0xFF)?)
}

/// A late packet of the closed epoch, and one of the next.
fn goes_on((mut b, _, sync): (Bench, Heard, Packet<'static>)) -> Check {
    let before = b.counter("rx_closed_epoch")?;
    let first = b.setup.first_psn;
    let body = b.part(0, 0, 24, 8, &[0xEE; 8]);
    let late = b.packet(1, first.next(), b.setup.first_tsn.plus(1), body);
    b.send(&late)?;
    silent(&b.hear()?, "after a late packet of the closed epoch")?;
    b.counted("rx_closed_epoch", before, 1)?;
    let body = b.part(0, 0, 24, 8, &[2; 8]);
    b.expect(8, &[2; 8]);
    let packet = Packet {
        epoch: b.setup.epoch.wrapping_add(1),
        ack_request: true,
        ..b.packet(1, sync.psn, sync.tsn, body)
    };
    b.send(&packet)?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    ensure_eq!(
        (ack.psn(), ack.tsn()),
        (sync.psn.next(), sync.tsn),
        "cumulative PSN and TSN"
    );
    ensure_eq!(ack.frame().path.epoch, packet.epoch, "epoch");
    ensure_eq!(ack.sack().map(|s| s.received), Some(1), "packets received");
    b.check_region()
}

fn again(lab: &mut dyn Lab) -> Check {
    let (mut b, answer, sync) = closed(lab, 0)?;
    let body = b.part(0, 0, 24, 8, &[2; 8]);
    let packet = b.packet(1, sync.psn, sync.tsn, body);
    b.send(&Packet {
        epoch: packet.epoch.wrapping_add(1),
        ..packet
    })?;
    b.hear()?;
    b.send(&sync)?;
    let same = only(b.hear()?, Opcode::SyncAck)?;
    ensure_eq!(
        (same.psn(), same.tsn()),
        (answer.psn(), answer.tsn()),
        "PSN and TSN"
    );
    ensure_eq!(same.body(), answer.body(), "SACK");
    Ok(())
}

/// The port that a rerouted path takes.
const PORT: u16 = 0xE123;

/// The target has sent 4 packets on each path and reroutes path 3; the packets.
fn rerouted(lab: &mut dyn Lab) -> Check<(Bench, Vec<Heard>)> {
    let mut b = Bench::whole(lab, Setup::default())?;
    b.post_packets(1, 32)?;
    let heard = b.hear()?;
    let frames = heard.into_iter().filter(|f| f.is_data() || f.path() == 3);
    let frames: Vec<Heard> = frames.collect();
    b.reroute(3, PORT)?;
    Ok((b, frames))
}

fn sync(lab: &mut dyn Lab) -> Check {
    let (mut b, frames) = rerouted(lab)?;
    let heard = b.hear()?;
    let syncs = of(&heard, Opcode::Sync);
    ensure_eq!(syncs.len(), 1, "SYNCs");
    let (found, Body::Sync(sync)) = (syncs[0], syncs[0].body()) else {
        return Err(Stop::fails("no SYNC"));
    };
    let sent = frames.iter().filter(|f| f.path() == 3);
    let newest = sent
        .map(|f| f.tsn())
        .reduce(|a, b| if b.is_after(a) { b } else { a });
    ensure_eq!(
        (found.path(), found.frame().path.epoch),
        (3, b.setup.epoch),
        "path and epoch that end"
    );
    ensure_eq!(sync.epoch, b.setup.epoch.wrapping_add(1), "next epoch");
    ensure_eq!(found.psn().get() % 256, 0, "first PSN modulo 256");
    ensure!(
        found.psn().is_at_or_after(b.id.first_psn.plus(4)),
        "first PSN {} was used",
        found.psn()
    );
    ensure_eq!(Some(found.tsn()), newest.map(|tsn| tsn.next()), "first TSN");
    ensure!(sync.via != 3, "SYNC is carried by the path that it ends");
    ensure_eq!(found.plane, b.setup.plane(sync.via), "plane");
    ensure_eq!(
        found.frame().udp.source_port,
        b.setup.entropy(sync.via),
        "UDP source port"
    );
    Ok(())
}

fn closing(lab: &mut dyn Lab) -> Check {
    let (mut b, frames) = rerouted(lab)?;
    // All other paths go on.
    let others: Vec<Heard> = frames.into_iter().filter(|f| f.path() != 3).collect();
    b.take_all(&others)?;
    let heard = b.wait(6 * b.setup.rto + 64)?;
    let (syncs, rest): (Vec<_>, Vec<_>) = (heard.iter())
        .filter(|f| f.path() == 3)
        .partition(|f| f.opcode() == Opcode::Sync);
    ensure!(
        rest.is_empty(),
        "a closing path sends {:?}",
        rest.first().map(|f| f.opcode())
    );
    let rtos: Vec<u32> = syncs.iter().map(|f| f.at / b.setup.rto).collect();
    ensure_eq!(rtos, [0, 2, 6], "SYNCs, in RTOs");
    let carriers: Vec<u16> = syncs.iter().map(|f| f.frame().udp.source_port).collect();
    ensure!(
        carriers.windows(2).all(|w| w[0] != w[1]),
        "SYNCs all take the same path"
    );
    Ok(())
}

fn moved(lab: &mut dyn Lab) -> Check {
    let (mut b, frames) = rerouted(lab)?;
    let on_three: Vec<&Heard> = frames
        .iter()
        .filter(|f| f.path() == 3 && f.is_data())
        .collect();
    ensure_eq!(on_three.len(), 4, "packets on path 3");
    // Two of path 3's packets are there; everything of the other paths.
    for frame in frames.iter().filter(|f| f.is_data()) {
        if frame.path() != 3 || [on_three[0].psn(), on_three[2].psn()].contains(&frame.psn()) {
            b.receivers[usize::from(frame.path())].take(frame);
        }
    }
    for path in (0..b.setup.paths).filter(|&path| path != 3) {
        b.ack(path)?;
    }
    b.completed(&[])?;
    b.entropies[3] = PORT;
    let heard = b.run()?;
    let mut offsets: Vec<u32> = data(&heard).iter().map(|f| f.offset()).collect();
    offsets.sort_unstable();
    let mut lacking = [on_three[1].offset(), on_three[3].offset()];
    lacking.sort_unstable();
    ensure_eq!(offsets, lacking, "offsets sent again");
    for frame in data(&heard) {
        // Four packets went before it, wherever it goes.
        let fresh = frame.psn().is_at_or_after(b.id.first_psn.plus(4));
        ensure!(
            frame.path() == 3 || fresh,
            "PSN {} was used before",
            frame.psn()
        );
    }
    b.completed(&[(1, Success)])
}

fn port(lab: &mut dyn Lab) -> Check {
    let (mut b, frames) = rerouted(lab)?;
    b.take_all(&frames)?;
    b.run()?;
    b.entropies[3] = PORT;
    b.post_packets(2, 64)?;
    let heard = b.run()?;
    let packets = data(&heard);
    let on_three: Vec<_> = packets.iter().filter(|f| f.path() == 3).collect();
    ensure!(!on_three.is_empty(), "the path is not used any more");
    for frame in &on_three {
        ensure_eq!(frame.frame().udp.source_port, PORT, "UDP source port");
        ensure_eq!(
            frame.frame().path.epoch,
            b.setup.epoch.wrapping_add(1),
            "epoch"
        );
    }
    ensure_eq!(on_three[0].psn().get() % 256, 0, "first PSN modulo 256");
    b.completed(&[(1, Success), (2, Success)])
}
