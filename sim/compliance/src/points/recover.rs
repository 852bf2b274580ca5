//! L: what a sender does about loss that acknowledgements show (section 5).
use metaroce_protocol::CompletionStatus::{BadRange, Flushed, Success};
use metaroce_protocol::{Body, Nak, Opcode, RefusalReason};

use super::{Point, point};
use crate::bench::{Bench, Packet, data, of, silent};
use crate::check::{Check, Stop, ensure, ensure_eq};
use crate::heard::Heard;
use crate::setup::Setup;
use crate::target::Lab;

pub const POINTS: &[Point] = &[
    point(
        "L01",
        "A gap makes the sender send exactly the missing packet again, on its path, with its PSN and the next TSN (section 5).",
        exactly,
    ),
    point(
        "L02",
        "A packet that is sent again has the same headers and bytes, and asks for an ACK (section 5).",
        same,
    ),
    point(
        "L03",
        "The loss of a retransmission shows in one round trip: no time-out is needed (section 5).",
        twice,
    ),
    point(
        "L04",
        "Each transmission is resolved once: the same ACK again causes nothing (section 5).",
        once,
    ),
    point(
        "L05",
        "What the echo has not reached is not lost, whatever the bitvector lacks (section 5).",
        patience,
    ),
    point(
        "L06",
        "A quiet tail is probed at once, with the next TSN and the PSN that comes next (section 5).",
        tail,
    ),
    point(
        "L07",
        "A lost tail is found by its probe without a time-out (section 5).",
        lost_tail,
    ),
    point(
        "L08",
        "A REFUSAL fails the connection: its message ends with the reason, the others flushed, and nothing more is sent (section 5).",
        refusal,
    ),
    point(
        "L09",
        "Losses on all paths at once are made good, and every byte is delivered once (section 5).",
        all_paths,
    ),
];

/// Posts packets on one path; the data that comes.
fn sent(b: &mut Bench, packets: u32) -> Check<Vec<Heard>> {
    b.fill(0, packets * b.setup.mtu())?;
    b.post_packets(1, packets)?;
    let heard = b.hear()?;
    let frames: Vec<Heard> = heard.into_iter().filter(Heard::is_data).collect();
    ensure_eq!(frames.len() as u32, packets, "packets");
    Ok(frames)
}

/// The receiver gets all of these but those with these places, and acknowledges.
fn arrive(b: &mut Bench, frames: &[Heard], lost: &[usize]) -> Check {
    for (n, frame) in frames.iter().enumerate() {
        if !lost.contains(&n) {
            b.receivers[0].take(frame);
        }
    }
    b.ack(0)
}

fn exactly(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(
        lab,
        Setup {
            planes: 4,
            paths: 8,
            ..Setup::default()
        },
    )?;
    b.post_packets(1, 80)?;
    let heard = b.hear()?;
    let frames: Vec<Heard> = (heard.into_iter())
        .filter(|f| f.path() == 2 && f.is_data())
        .collect();
    ensure_eq!(frames.len(), 10, "packets on path 2");
    for (n, frame) in frames.iter().enumerate() {
        if n != 3 && n != 6 {
            b.receivers[2].take(frame);
        }
    }
    b.ack(2)?;
    let heard = b.hear()?;
    let again = data(&heard);
    let found: Vec<_> = again.iter().map(|f| (f.path(), f.psn())).collect();
    ensure_eq!(
        found,
        [(2, frames[3].psn()), (2, frames[6].psn())],
        "paths and PSNs sent again"
    );
    // The tail of the ten was probed.
    let next = again[0].tsn();
    ensure!(
        next.is_after(frames[9].tsn()),
        "TSN {next} of a retransmission is not new"
    );
    ensure_eq!(
        again[1].tsn(),
        next.next(),
        "TSN of the second retransmission"
    );
    Ok(())
}

fn same(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::one_path())?;
    let frames = sent(&mut b, 6)?;
    arrive(&mut b, &frames, &[2])?;
    let heard = b.hear()?;
    let again = data(&heard);
    ensure_eq!(again.len(), 1, "packets sent again");
    ensure_eq!(again[0].body(), frames[2].body(), "headers and payload");
    ensure!(
        again[0].frame().bth.ack_request,
        "a retransmission asks for no ACK"
    );
    b.take_all(&heard)?;
    b.run()?;
    b.completed(&[(1, Success)])
}

fn twice(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::one_path())?;
    let frames = sent(&mut b, 6)?;
    arrive(&mut b, &frames, &[4])?;
    let mut newest = frames[5].tsn();
    for _ in 0..3 {
        let heard = b.hear()?;
        let again = data(&heard);
        ensure_eq!(again.len(), 1, "packets sent again");
        ensure_eq!(again[0].psn(), frames[4].psn(), "PSN sent again");
        ensure!(
            again[0].tsn().is_after(newest),
            "TSN {} is not new",
            again[0].tsn()
        );
        newest = again[0].tsn();
        // It is lost again; the probe behind it arrives and shows it.
        let probes = of(&heard, Opcode::Probe);
        let probe = probes
            .last()
            .ok_or_else(|| Stop::fails("no probe behind a retransmission"))?;
        b.receivers[0].take(probe);
        b.ack(0)?;
    }
    b.run()?;
    b.completed(&[(1, Success)])
}

fn once(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::one_path())?;
    let frames = sent(&mut b, 8)?;
    arrive(&mut b, &frames, &[1, 5])?;
    ensure_eq!(data(&b.hear()?).len(), 2, "packets sent again");
    for _ in 0..3 {
        b.ack(0)?;
        silent(&b.hear()?, "after the same ACK again")?;
    }
    Ok(())
}

fn patience(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::one_path())?;
    let frames = sent(&mut b, 8)?;
    // Only the first two are there yet.
    arrive(&mut b, &frames[..2], &[])?;
    silent(&b.hear()?, "while packets are under way")?;
    arrive(&mut b, &frames[2..5], &[0])?;
    let heard = b.hear()?;
    let again: Vec<_> = data(&heard).iter().map(|f| f.psn()).collect();
    ensure_eq!(again, [frames[2].psn()], "PSNs sent again");
    Ok(())
}

fn tail(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::one_path())?;
    b.post_packets(1, 3)?;
    let heard = b.hear()?;
    let found: Vec<_> = heard.iter().map(Heard::opcode).collect();
    let write = Opcode::Write;
    ensure_eq!(found, [write, write, write, Opcode::Probe], "frames");
    let (last, probe) = (&heard[2], &heard[3]);
    ensure_eq!(probe.tsn(), last.tsn().next(), "TSN of the probe");
    ensure_eq!(probe.psn(), last.psn().next(), "PSN of the probe");
    ensure!(probe.frame().bth.ack_request, "a probe asks for no ACK");
    // One probe, and none once all is known.
    silent(&b.hear()?, "after the tail's probe")?;
    b.take_all(&heard)?;
    silent(
        &b.wait(2 * b.setup.rto)?,
        "after everything is acknowledged",
    )?;
    b.completed(&[(1, Success)])
}

fn lost_tail(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::one_path())?;
    b.post_packets(1, 4)?;
    let heard = b.hear()?;
    for frame in heard
        .iter()
        .filter(|f| f.psn() != heard[3].psn() || !f.is_data())
    {
        b.receivers[0].take(frame);
    }
    b.ack(0)?;
    let heard_again = b.hear()?;
    let again: Vec<_> = data(&heard_again).iter().map(|f| f.psn()).collect();
    ensure_eq!(again, [heard[3].psn()], "PSNs sent again");
    b.take_all(&heard_again)?;
    b.completed(&[(1, Success)])
}

fn refusal(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let before = b.counter("rx_refusals")?;
    for id in 1..=3 {
        b.post_packets(id, 2)?;
    }
    let heard = b.hear()?;
    let second = data(&heard)
        .into_iter()
        .find(|f| matches!(f.body(), Body::Write { msg, .. } if msg.message == 1));
    let refused = second.ok_or_else(|| Stop::fails("message 1 was not sent"))?;
    let body = Body::Refusal(Nak {
        reason: RefusalReason::BadRange,
        stream: 0,
        message: 1,
        ..Nak::default()
    });
    let packet = b.packet(refused.path(), refused.psn(), refused.tsn(), body);
    b.send(&Packet {
        timestamp: 0,
        ..packet
    })?;
    silent(&b.wait(3 * b.setup.rto)?, "after a refusal")?;
    b.counted("rx_refusals", before, 1)?;
    b.completed(&[(1, Flushed), (2, BadRange), (3, Flushed)])
}

fn all_paths(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let length = 120 * b.setup.mtu();
    let bytes = b.fill(0, length)?;
    let work = b.write_of(1, 0, length);
    b.post(&work)?;
    let mut there = vec![0_u8; length as usize];
    let (mut frames, mut quiet) = (0_u32, 0);
    while quiet < 2 {
        let heard = b.wait(64)?;
        quiet = if heard.is_empty() { quiet + 1 } else { 0 };
        let mut paths = vec![];
        for frame in &heard {
            frames += 1;
            ensure!(frames < 2_000, "2,000 frames and no end");
            // Every seventh is lost, whatever it is.
            if frames % 7 == 0 {
                continue;
            }
            if frame.is_data() {
                there[frame.offset() as usize..][..frame.payload().len()]
                    .copy_from_slice(frame.payload());
            }
            b.receivers[usize::from(frame.path())].take(frame);
            paths.push(frame.path());
        }
        paths.into_iter().try_for_each(|path| b.ack(path))?;
    }
    // A last tail and its probe may both be lost: then a time-out finds it.
    let rest = b.wait(b.setup.rto + 64)?;
    b.take_all(&rest)?;
    for frame in b.run()?.iter().chain(&rest).filter(|f| f.is_data()) {
        there[frame.offset() as usize..][..frame.payload().len()].copy_from_slice(frame.payload());
    }
    ensure!(there == bytes, "bytes are missing or wrong");
    b.completed(&[(1, Success)])
}
