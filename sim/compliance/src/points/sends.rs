//! V: Sends, immediates, posted buffers and the order of messages (section 7).
use metaroce_protocol::CompletionStatus::{ReceiverNotReady, Success};
use metaroce_protocol::{Body, Imm, Match, Msg, Nak, Opcode, RefusalReason, Reth, WqeOpcode};

use super::{Point, point};
use crate::bench::{Bench, Packet, data, only, pattern};
use crate::check::{Check, Stop, ensure, ensure_eq};
use crate::setup::{Setup, Whole};
use crate::target::{Arrival, Lab, Work};

pub const POINTS: &[Point] = &[
    point(
        "V01",
        "A Send lands in the buffer that MATCH names, whatever came before it (section 7).",
        lands,
    ),
    point(
        "V02",
        "Messages complete in order in their stream, and independently between streams (section 7).",
        streams,
    ),
    point(
        "V03",
        "An immediate is handed over with its message (section 7).",
        immediate,
    ),
    point(
        "V04",
        "A Send that finds no buffer is refused with receiver_not_ready and not marked; it is taken once there is one (section 7).",
        not_ready,
    ),
    point(
        "V05",
        "A Send longer than its buffer is refused with bad_range (section 7).",
        too_long,
    ),
    point(
        "V06",
        "What breaks a limit of a stream is refused with invalid_request (section 7).",
        limits,
    ),
    point(
        "V07",
        "A sender counts the messages of a stream that take a buffer: MATCH.receive (section 7).",
        receive_numbers,
    ),
    point(
        "V08",
        "A message's immediate is in every one of its packets (section 7).",
        sent_immediate,
    ),
    point(
        "V09",
        "A patient sender sends again what found no buffer (section 7).",
        patient,
    ),
    point(
        "V10",
        "A sender without patience fails with receiver_not_ready (section 7).",
        impatient,
    ),
    point(
        "V11",
        "Messages take buffers in their order: none takes one further ahead than it is itself (section 7).",
        in_turn,
    ),
];

/// A whole Send of a stream.
fn send<'a>(stream: u16, message: u16, receive: u32, payload: &'a [u8]) -> Body<'a> {
    Body::Send {
        msg: Msg {
            stream,
            message,
            offset: 0,
        },
        matching: Match {
            receive,
            length: payload.len() as u32,
        },
        payload,
    }
}

fn imm(immediate: u32) -> Imm {
    Imm {
        immediate,
        ..Imm::default()
    }
}

fn arrival(stream: u16, message: u16, length: u32, wr_id: Option<u64>) -> Arrival {
    Arrival {
        stream,
        message,
        length,
        wr_id,
        immediate: None,
    }
}

/// Sends a data packet and asks for an ACK; the only answer.
fn answered(b: &mut Bench, path: u8, body: Body<'_>, answer: Opcode) -> Check {
    let packet = b.data(path, body);
    b.send(&Packet {
        ack_request: true,
        ..packet.clone()
    })?;
    let heard = only(b.hear()?, answer)?;
    let marked = heard.psn() == packet.psn.next();
    ensure!(
        marked == (answer == Opcode::Ack),
        "cumulative or refused PSN {}",
        heard.psn()
    );
    Ok(())
}

fn lands(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::messages(lab, Setup::default())?;
    for n in 0..3 {
        b.post_receive(2, 1_000 * n, 600, u64::from(n) + 70)?;
    }
    let bytes: Vec<Vec<u8>> = (0..3).map(|n| pattern(n, 500 + n)).collect();
    for n in [2_u16, 0, 1] {
        let payload = &bytes[usize::from(n)];
        answered(&mut b, n as u8, send(2, n, n.into(), payload), Opcode::Ack)?;
        b.expect(1_000 * u32::from(n), payload);
    }
    let found = b.arrivals()?;
    let needed: Vec<_> = (0..3)
        .map(|n| arrival(2, n, 500 + u32::from(n), Some(70 + u64::from(n))))
        .collect();
    ensure_eq!(found, needed, "messages received");
    b.check_region()
}

fn streams(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::messages(lab, Setup::default())?;
    for n in 0..2 {
        b.post_receive(0, 400 * n, 300, u64::from(n) + 1)?;
    }
    b.post_receive(3, 800, 10, 5)?;
    let part = |n: u32| Body::Send {
        msg: Msg {
            offset: 100 * n,
            ..Msg::default()
        },
        matching: Match {
            receive: 0,
            length: 300,
        },
        payload: &[1; 100],
    };
    // Two of three packets of message 0; message 1 whole; another stream whole.
    for n in [0, 2] {
        let packet = b.data(n as u8, part(n));
        b.send(&packet)?;
    }
    answered(&mut b, 3, send(0, 1, 1, &[2; 10]), Opcode::Ack)?;
    let early = b.arrivals()?;
    ensure_eq!(early, [], "messages received while the first is not whole");
    answered(&mut b, 4, send(3, 0, 0, &[3; 10]), Opcode::Ack)?;
    ensure_eq!(
        b.arrivals()?,
        [arrival(3, 0, 10, Some(5))],
        "messages received of stream 3"
    );
    answered(&mut b, 5, part(1), Opcode::Ack)?;
    let needed = [arrival(0, 0, 300, Some(1)), arrival(0, 1, 10, Some(2))];
    ensure_eq!(b.arrivals()?, needed, "messages received of stream 0");
    b.expect(0, &[1; 300]);
    b.expect(400, &[2; 10]);
    b.expect(800, &[3; 10]);
    b.check_region()
}

fn immediate(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::messages(lab, Setup::default())?;
    b.post_receive(0, 0, 16, 1)?;
    b.post_receive(0, 100, 16, 2)?;
    let msg = |message| Msg {
        message,
        ..Msg::default()
    };
    let matching = |receive| Match {
        receive,
        length: 16,
    };
    let write = Body::WriteImm {
        msg: msg(0),
        reth: Reth {
            address: b.id.region + 200,
            r_key: b.id.r_key,
            length: 16,
        },
        matching: matching(0),
        imm: imm(0xDEAD_0001),
        payload: &[1; 16],
    };
    let send = Body::SendImm {
        msg: msg(1),
        matching: matching(1),
        imm: imm(0xDEAD_0002),
        payload: &[2; 16],
    };
    answered(&mut b, 0, write, Opcode::Ack)?;
    answered(&mut b, 1, send, Opcode::Ack)?;
    let found: Vec<_> = b
        .arrivals()?
        .iter()
        .map(|a| (a.wr_id, a.immediate))
        .collect();
    let needed = [(Some(1), Some(0xDEAD_0001)), (Some(2), Some(0xDEAD_0002))];
    ensure_eq!(found, needed, "buffers taken and immediates");
    b.expect(200, &[1; 16]);
    b.expect(100, &[2; 16]);
    b.check_region()
}

/// The target refuses a packet for this reason, and its slot stays free.
fn refused(b: &mut Bench, path: u8, body: Body<'_>, reason: RefusalReason) -> Check {
    let packet = b.data(path, body);
    let psn = packet.psn;
    b.send(&packet)?;
    let answer = only(b.hear()?, Opcode::Refusal)?;
    let found = match answer.body() {
        Body::Refusal(nak) => Some(nak.reason),
        _ => None,
    };
    ensure_eq!(
        (answer.psn(), found),
        (psn, Some(reason)),
        "PSN and reason of the refusal"
    );
    let probe = b.probe(path);
    b.send(&probe)?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    ensure_eq!(ack.psn(), psn, "cumulative PSN after a refusal");
    Ok(())
}

fn not_ready(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::messages(lab, Setup::default())?;
    let before = b.counter("rx_not_ready")?;
    let body = send(0, 0, 0, &[6; 20]);
    refused(&mut b, 3, body, RefusalReason::ReceiverNotReady)?;
    b.counted("rx_not_ready", before, 1)?;
    ensure_eq!(b.arrivals()?, [], "messages received");
    b.post_receive(0, 64, 20, 8)?;
    let again = b.again(3, b.setup.first_psn, body);
    b.send(&Packet {
        ack_request: true,
        ..again
    })?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    ensure_eq!(ack.psn(), b.setup.first_psn.next(), "cumulative PSN");
    ensure_eq!(
        b.arrivals()?,
        [arrival(0, 0, 20, Some(8))],
        "messages received"
    );
    b.expect(64, &[6; 20]);
    b.check_region()
}

fn too_long(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::messages(lab, Setup::default())?;
    b.post_receive(0, 0, 20, 1)?;
    refused(&mut b, 0, send(0, 0, 0, &[1; 21]), RefusalReason::BadRange)?;
    answered(&mut b, 1, send(0, 0, 0, &[2; 20]), Opcode::Ack)?;
    b.expect(0, &[2; 20]);
    b.check_region()
}

fn limits(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::messages(lab, Setup::default())?;
    b.post_receive(0, 0, 20, 1)?;
    let before = b.counter("rx_invalid_request")?;
    let reason = RefusalReason::InvalidRequest;
    refused(&mut b, 0, send(0, 16, 0, &[1; 8]), reason)?;
    refused(&mut b, 1, send(64, 0, 0, &[1; 8]), reason)?;
    // Bytes past the message's end.
    let past = b.part(0, 0, 10, 8, &[1; 8]);
    refused(&mut b, 2, past, reason)?;
    // A message that says another length than before; a buffer that another message took.
    let part = b.part(1, 100, 20, 0, &[2; 8]);
    answered(&mut b, 3, part, Opcode::Ack)?;
    let other = b.part(1, 100, 30, 8, &[1; 8]);
    refused(&mut b, 3, other, reason)?;
    answered(&mut b, 4, send(0, 0, 0, &[3; 8]), Opcode::Ack)?;
    refused(&mut b, 5, send(0, 2, 0, &[1; 8]), reason)?;
    b.counted("rx_invalid_request", before, 5)?;
    b.expect(100, &[2; 8]);
    b.expect(0, &[3; 8]);
    b.check_region()
}

fn in_turn(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::messages(lab, Setup::default())?;
    for n in 0..3 {
        b.post_receive(0, 100 * n, 20, u64::from(n) + 1)?;
    }
    let reason = RefusalReason::InvalidRequest;
    refused(&mut b, 0, send(0, 0, 1, &[1; 8]), reason)?;
    refused(&mut b, 1, send(0, 1, 2, &[1; 8]), reason)?;
    answered(&mut b, 2, send(0, 1, 1, &[2; 8]), Opcode::Ack)?;
    answered(&mut b, 3, send(0, 0, 0, &[3; 8]), Opcode::Ack)?;
    let needed = [arrival(0, 0, 8, Some(1)), arrival(0, 1, 8, Some(2))];
    ensure_eq!(b.arrivals()?, needed, "messages received");
    b.expect(100, &[2; 8]);
    b.expect(0, &[3; 8]);
    b.check_region()
}

/// Posts requests on stream 3.
fn post(b: &mut Bench, verbs: &[WqeOpcode], length: u32) -> Check {
    for (id, &verb) in (0..).zip(verbs) {
        let work = Work {
            verb,
            stream: 3,
            immediate: 0xC0DE_0000 + id,
            ..b.write_of(id.into(), 0, length)
        };
        b.post(&work)?;
    }
    Ok(())
}

fn receive_numbers(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::messages(lab, Setup::default())?;
    use WqeOpcode::{Send, SendImm, Write, WriteImm};
    post(&mut b, &[Send, Write, WriteImm, SendImm, Write, Send], 8)?;
    let heard = b.run()?;
    let mut found: Vec<_> = (data(&heard).iter())
        .map(|f| match f.body() {
            Body::Send { msg, matching, .. }
            | Body::SendImm { msg, matching, .. }
            | Body::WriteImm { msg, matching, .. } => (msg.message, Some(matching.receive)),
            Body::Write { msg, .. } => (msg.message, None),
            _ => (u16::MAX, None),
        })
        .collect();
    found.sort_unstable();
    let needed = [
        (0, Some(0)),
        (1, None),
        (2, Some(1)),
        (3, Some(2)),
        (4, None),
        (5, Some(3)),
    ];
    ensure_eq!(found, needed, "message and buffer");
    let all: Vec<_> = (0..6).map(|id| (id, Success)).collect();
    b.completed(&all)
}

fn sent_immediate(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::messages(lab, Setup::default())?;
    let length = 2 * b.setup.mtu() + 1;
    let bytes = b.fill(0, length)?;
    post(&mut b, &[WqeOpcode::SendImm, WqeOpcode::WriteImm], length)?;
    let heard = b.run()?;
    let packets = data(&heard);
    ensure_eq!(packets.len(), 6, "packets");
    for packet in packets {
        let (msg, matching, imm) = match packet.body() {
            Body::SendImm {
                msg, matching, imm, ..
            } if msg.message == 0 => (msg, matching, imm),
            Body::WriteImm {
                msg, matching, imm, ..
            } if msg.message == 1 => (msg, matching, imm),
            other => return Err(Stop::fails(format!("an unasked {:?}", other.opcode()))),
        };
        ensure_eq!(
            imm.immediate,
            0xC0DE_0000 + u32::from(msg.message),
            "immediate"
        );
        ensure_eq!(
            (matching.length, msg.stream),
            (length, 3),
            "length of the message and stream"
        );
        let there = &bytes[msg.offset as usize..][..packet.payload().len()];
        ensure!(
            there == packet.payload(),
            "payload at {} differs",
            msg.offset
        );
    }
    b.completed(&[(0, Success), (1, Success)])
}

/// A Send is refused: there is no buffer. The PSN refused.
fn no_buffer(b: &mut Bench) -> Check<metaroce_protocol::Psn> {
    post(b, &[WqeOpcode::Send], 40)?;
    let heard = b.hear()?;
    let packets = data(&heard);
    ensure_eq!(packets.len(), 1, "packets");
    let (psn, tsn) = (packets[0].psn(), packets[0].tsn());
    let body = Body::Refusal(Nak {
        reason: RefusalReason::ReceiverNotReady,
        stream: 3,
        message: 0,
        ..Nak::default()
    });
    let packet = b.packet(0, psn, tsn, body);
    b.send(&packet)?;
    // It arrived, but was not taken.
    heard.iter().for_each(|f| b.receivers[0].see(f));
    b.ack(0)?;
    Ok(psn)
}

fn patient(lab: &mut dyn Lab) -> Check {
    let whole = Whole {
        not_ready_ticks: 50_000,
        ..Whole::default()
    };
    let setup = Setup {
        whole,
        ..Setup::one_path()
    };
    let mut b = Bench::messages(lab, setup)?;
    let psn = no_buffer(&mut b)?;
    let heard = b.run()?;
    let again: Vec<_> = data(&heard).iter().map(|f| f.psn()).collect();
    ensure_eq!(again, [psn], "PSNs sent again");
    b.completed(&[(0, Success)])
}

fn impatient(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::messages(lab, Setup::one_path())?;
    no_buffer(&mut b)?;
    let heard = b.hear()?;
    ensure!(data(&heard).is_empty(), "data after the connection failed");
    b.completed(&[(0, ReceiverNotReady)])
}
