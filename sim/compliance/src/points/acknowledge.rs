//! A: when a receiver acknowledges, and what it says (section 4).
use metaroce_protocol::{Opcode, Psn, Tsn};

use super::{Point, point};
use crate::bench::{Bench, Packet, of, only, silent};
use crate::check::{Check, Stop, ensure_eq};
use crate::heard::{Heard, Receiver};
use crate::setup::Setup;
use crate::target::Lab;

pub const POINTS: &[Point] = &[
    point(
        "A01",
        "An ACK names path, cumulative PSN, highest TSN with its timestamp, both counts, the hint and the bitvector (section 4).",
        content,
    ),
    point(
        "A02",
        "Every ACK_EVERY-th accepted packet is acknowledged, and none before it without a reason (section 4).",
        every,
    ),
    point(
        "A03",
        "A packet with the acknowledgement-request bit is acknowledged at once (section 4).",
        request,
    ),
    point(
        "A04",
        "A PROBE is acknowledged at once, counts as received and takes no slot (section 4).",
        probe,
    ),
    point(
        "A05",
        "A gap is acknowledged at once: the ACK shows what came behind it (sections 3, 4).",
        gap,
    ),
    point(
        "A06",
        "A change of CE is acknowledged at once (section 4).",
        mark_change,
    ),
    point(
        "A07",
        "SACK.marked counts every WRITE with CE (section 4).",
        marks,
    ),
    point(
        "A08",
        "Only a higher TSN moves the echoed TSN and timestamp (section 4).",
        echo,
    ),
    point(
        "A09",
        "Duplicates, refused packets and such beyond the window count as received (section 4).",
        counts,
    ),
];

/// A WRITE of 4 bytes on a path, with the next numbers.
fn next(b: &mut Bench, path: u8, offset: u32) -> Packet<'static> {
    let body = b.write(offset, &[1; 4]);
    b.expect(offset, &[1; 4]);
    b.data(path, body)
}

/// Sends WRITEs; how many ACKs come after each.
fn acks(b: &mut Bench, marks: &[bool]) -> Check<Vec<usize>> {
    let mut found = Vec::new();
    for &ce in marks {
        let packet = next(b, 0, 0);
        b.send(&Packet { ce, ..packet })?;
        found.push(of(&b.hear()?, Opcode::Ack).len());
    }
    Ok(found)
}

fn content(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let packet = next(&mut b, 6, 0);
    let timestamp = 0x8765_4321;
    b.send(&Packet {
        ack_request: true,
        timestamp,
        ..packet.clone()
    })?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    let mut mirror = Receiver::new(packet.psn, packet.tsn, b.id.window_log2);
    mirror.mark(packet.psn);
    mirror.received = 1;
    ensure_eq!(
        (ack.path(), ack.psn()),
        (6, mirror.cum),
        "path and cumulative PSN"
    );
    let path = ack.frame().path;
    ensure_eq!(
        (path.tsn, path.timestamp),
        (packet.tsn, timestamp),
        "TSN and timestamp"
    );
    ensure_eq!(path.epoch, b.setup.epoch, "epoch");
    ensure_eq!(ack.sack(), Some(mirror.sack()), "SACK");
    Ok(())
}

fn every(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let n = b.setup.ack_every as usize;
    let found = acks(&mut b, &vec![false; 3 * n + 1])?;
    let needed: Vec<usize> = (1..=3 * n + 1).map(|k| usize::from(k % n == 0)).collect();
    ensure_eq!(found, needed, "ACKs after each packet");
    Ok(())
}

fn request(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    for _ in 0..3 {
        let packet = next(&mut b, 0, 0);
        b.send(&Packet {
            ack_request: true,
            ..packet.clone()
        })?;
        let ack = only(b.hear()?, Opcode::Ack)?;
        ensure_eq!(ack.psn(), packet.psn.next(), "cumulative PSN");
    }
    Ok(())
}

fn probe(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let first = b.setup.first_psn;
    for received in 1..=3 {
        let probe = b.probe(4);
        b.send(&Packet {
            timestamp: 77 + u32::from(received),
            ..probe.clone()
        })?;
        let ack = only(b.hear()?, Opcode::Ack)?;
        ensure_eq!(
            (ack.psn(), ack.tsn()),
            (first, probe.tsn),
            "cumulative PSN and TSN"
        );
        ensure_eq!(
            ack.frame().path.timestamp,
            77 + u32::from(received),
            "timestamp"
        );
        ensure_eq!(
            ack.sack().map(|s| s.received),
            Some(received),
            "packets received"
        );
    }
    Ok(())
}

fn gap(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let first = b.setup.first_psn;
    let mut mirror = Receiver::new(first, b.setup.first_tsn, b.id.window_log2);
    for ahead in [1, 2, 5, b.window() - 1] {
        let body = b.write(4 * ahead, &[1; 4]);
        let packet = b.again(0, first.plus(ahead), body);
        b.send(&packet)?;
        let ack = only(b.hear()?, Opcode::Ack)?;
        mirror.mark(packet.psn);
        ensure_eq!(ack.psn(), first, "cumulative PSN");
        ensure_eq!(
            ack.sack().map(|s| s.bitvector),
            Some(mirror.bits),
            "bitvector"
        );
    }
    // The hole is filled: that is no gap.
    let packet = next(&mut b, 0, 0);
    b.send(&packet)?;
    silent(&b.hear()?, "after the packet that fills the gap")?;
    let probe = b.probe(0);
    b.send(&probe)?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    ensure_eq!(ack.psn(), first.plus(3), "cumulative PSN");
    Ok(())
}

fn mark_change(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    // Up to an ACK, so that the count to the next one starts at 0.
    let every = b.setup.ack_every as usize;
    acks(&mut b, &vec![false; every])?;
    ensure_eq!(
        acks(&mut b, &[true, false, true])?,
        [1, 1, 1],
        "ACKs after each change"
    );
    Ok(())
}

fn marks(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let before = b.counter("rx_marked")?;
    acks(&mut b, &[true, true, true, true, false, true, true, false])?;
    // A PROBE's mark does not count.
    let probe = b.probe(0);
    b.send(&Packet { ce: true, ..probe })?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    let counts = ack.sack().map(|s| (s.received, s.marked));
    ensure_eq!(counts, Some((9, 6)), "packets received and marked");
    b.counted("rx_marked", before, 6)
}

fn echo(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let first: Tsn = b.setup.first_tsn;
    // Across the roll-over, which is 6 transmissions away.
    for (ahead, highest) in [(3, 3), (1, 3), (9, 9), (7, 9), (8, 9), (10, 10)] {
        let packet = next(&mut b, 0, 0);
        let packet = Packet {
            tsn: first.plus(ahead),
            timestamp: 1_000 + ahead,
            ack_request: true,
            ..packet
        };
        b.send(&packet)?;
        let path = only(b.hear()?, Opcode::Ack)?.frame().path;
        let found = (path.tsn, path.timestamp);
        ensure_eq!(
            found,
            (first.plus(highest), 1_000 + highest),
            "TSN and timestamp"
        );
    }
    Ok(())
}

fn counts(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let first: Psn = b.setup.first_psn;
    let packet = next(&mut b, 0, 0);
    b.send(&packet)?;
    let again = b.again(0, first, packet.body);
    b.send(&again)?;
    let beyond = b.window() + 1;
    let beyond = b.again(0, first.plus(beyond), packet.body);
    b.send(&beyond)?;
    let body = b.write(crate::setup::REGION_BYTES, &[1; 4]);
    let refused = b.data(0, body);
    b.send(&refused)?;
    b.hear()?;
    let probe = b.probe(0);
    b.send(&probe)?;
    let heard = b.hear()?;
    let ack: Option<&Heard> = heard.last();
    let ack = ack.ok_or_else(|| Stop::fails("a probe is not answered"))?;
    ensure_eq!(ack.sack().map(|s| s.received), Some(5), "packets received");
    ensure_eq!(ack.psn(), first.next(), "cumulative PSN");
    Ok(())
}
