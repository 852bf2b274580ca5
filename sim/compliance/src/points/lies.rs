//! X: acknowledgements that can't be true, and old ones (section 5).
use metaroce_protocol::CompletionStatus::Success;

use super::{Point, point};
use crate::bench::{Bench, data, silent};
use crate::check::{Check, ensure, ensure_eq};
use crate::heard::{Heard, Receiver};
use crate::setup::Setup;
use crate::target::Lab;

pub const POINTS: &[Point] = &[
    point(
        "X01",
        "An ACK whose echo was never sent is counted as rx_ack_invalid and changes nothing (section 5).",
        echo,
    ),
    point(
        "X02",
        "An ACK whose cumulative PSN was never sent is counted as rx_ack_invalid and changes nothing (section 5).",
        cumulative,
    ),
    point(
        "X03",
        "An ACK more than W behind is counted as rx_ack_invalid or rx_ack_stale and changes nothing (section 5).",
        behind,
    ),
    point(
        "X04",
        "A bit says nothing of a transmission that the echo has not reached (section 5).",
        bits,
    ),
    point(
        "X05",
        "An ACK older than the newest one is counted as rx_ack_stale and changes nothing (section 5).",
        stale,
    ),
    point(
        "X06",
        "An ACK of another epoch or queue pair is dropped (section 4).",
        foreign,
    ),
];

/// One path with these packets sent; the tester has received none.
fn sent(lab: &mut dyn Lab, window: u32, packets: u32) -> Check<(Bench, Vec<Heard>)> {
    let setup = Setup {
        window,
        ..Setup::one_path()
    };
    let mut b = Bench::start(lab, setup)?;
    b.post_packets(1, packets)?;
    let heard = b.hear()?;
    let frames: Vec<Heard> = heard.into_iter().filter(Heard::is_data).collect();
    ensure_eq!(frames.len() as u32, packets.min(window), "packets");
    Ok((b, frames))
}

/// Says something that must change nothing; then the truth, which must complete the message.
fn ignored(b: &mut Bench, frames: &[Heard], lie: &Receiver, what: &str) -> Check {
    let before = b.counter("rx_ack_invalid")?;
    b.ack_as(0, lie)?;
    silent(&b.hear()?, what)?;
    b.completed(&[])?;
    b.counted("rx_ack_invalid", before, 1)?;
    frames.iter().for_each(|f| b.receivers[0].take(f));
    b.ack(0)?;
    b.run()?;
    b.completed(&[(1, Success)])
}

/// Everything received.
fn all(b: &Bench, frames: &[Heard]) -> Receiver {
    let mut receiver = b.receivers[0].clone();
    frames.iter().for_each(|f| receiver.take(f));
    receiver
}

fn echo(lab: &mut dyn Lab) -> Check {
    for ahead in [2, 200, 1 << 22] {
        let (mut b, frames) = sent(lab, 16, 4)?;
        let mut lie = all(&b, &frames);
        // One more was sent: the tail's probe.
        lie.max_tsn = lie.max_tsn.plus(ahead);
        ignored(&mut b, &frames, &lie, "after an echo of what was not sent")?;
    }
    Ok(())
}

fn cumulative(lab: &mut dyn Lab) -> Check {
    for ahead in [1, 256, 1 << 22] {
        let (mut b, frames) = sent(lab, 16, 4)?;
        let mut lie = all(&b, &frames);
        lie.cum = lie.cum.plus(ahead);
        ignored(
            &mut b,
            &frames,
            &lie,
            "after a cumulative PSN that was not sent",
        )?;
    }
    Ok(())
}

fn behind(lab: &mut dyn Lab) -> Check {
    let (mut b, frames) = sent(lab, 16, 4)?;
    let mut lie = all(&b, &frames);
    lie.cum = b.id.first_psn.minus(b.window());
    let before = (b.counter("rx_ack_invalid")?, b.counter("rx_ack_stale")?);
    b.ack_as(0, &lie)?;
    silent(&b.hear()?, "after a cumulative PSN far behind")?;
    b.completed(&[])?;
    if let (Some(invalid), Some(old)) = before {
        let after = (b.counter("rx_ack_invalid")?, b.counter("rx_ack_stale")?);
        let both = after.0.unwrap_or(0) + after.1.unwrap_or(0);
        ensure_eq!(both, invalid + old + 1, "rx_ack_invalid and rx_ack_stale");
    }
    Ok(())
}

fn bits(lab: &mut dyn Lab) -> Check {
    let (mut b, frames) = sent(lab, 4, 9)?;
    // The first packet arrived; the bits of all others are set as well, also of those not yet sent.
    let mut lie = b.receivers[0].clone();
    lie.take(&frames[0]);
    let cum = lie.cum;
    (1..9).for_each(|n| lie.mark(b.id.first_psn.plus(n)));
    lie.cum = cum;
    b.ack_as(0, &lie)?;
    let heard = b.hear()?;
    ensure_eq!(data(&heard).len(), 1, "packets for which there is room");
    b.completed(&[])
}

fn stale(lab: &mut dyn Lab) -> Check {
    let (mut b, frames) = sent(lab, 16, 8)?;
    b.receivers[0].take(&frames[0]);
    b.receivers[0].take(&frames[1]);
    let old = b.receivers[0].clone();
    frames[3..6].iter().for_each(|f| b.receivers[0].take(f));
    b.ack(0)?;
    ensure_eq!(data(&b.hear()?).len(), 1, "packets sent again");
    let before = b.counter("rx_ack_stale")?;
    b.ack_as(0, &old)?;
    silent(&b.hear()?, "after an older ACK")?;
    b.counted("rx_ack_stale", before, 1)?;
    // An older cumulative PSN with a newer echo is stale as well: nothing may be taken back.
    let mut mixed = b.receivers[0].clone();
    (mixed.cum, mixed.max_tsn) = (old.cum.minus(1), frames[6].tsn());
    b.ack_as(0, &mixed)?;
    let heard = b.hear()?;
    ensure!(
        data(&heard).is_empty(),
        "an ACK with an older cumulative PSN was believed"
    );
    b.counted("rx_ack_stale", before, 2)
}

fn foreign(lab: &mut dyn Lab) -> Check {
    let (mut b, frames) = sent(lab, 16, 4)?;
    let right = all(&b, &frames);
    b.epochs[0] ^= 1;
    b.ack_as(0, &right)?;
    b.epochs[0] ^= 1;
    let body = metaroce_protocol::Body::Ack(right.sack());
    let mut packet = b.packet(0, right.cum, right.max_tsn, body);
    packet.qp ^= 0x40_0000;
    b.send(&packet)?;
    silent(&b.hear()?, "after ACKs that are not for it")?;
    b.completed(&[])?;
    b.ack_as(0, &right)?;
    b.run()?;
    b.completed(&[(1, Success)])
}
