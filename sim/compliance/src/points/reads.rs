//! Q: Reads, on both sides (section 7).
use metaroce_protocol::CompletionStatus::Success;
use metaroce_protocol::{Body, Msg, Opcode, RefusalReason, Reth, Tag, WqeOpcode};

use super::{Point, point};
use crate::bench::{Bench, Packet, REMOTE, REMOTE_KEY, data, of, only, pattern, silent};
use crate::check::{Check, Stop, ensure, ensure_eq};
use crate::heard::Heard;
use crate::setup::{REGION_BYTES, Setup};
use crate::target::{Lab, Work};

pub const POINTS: &[Point] = &[
    point(
        "Q01",
        "A READ_REQUEST is answered by the bytes asked for, each packet with its offset and the request's tag (section 7).",
        answer,
    ),
    point(
        "Q02",
        "A response is a message of the responder: what is lost of it is sent again (section 7).",
        lost_answer,
    ),
    point(
        "Q03",
        "A Read outside its region or with a bad key is refused (sections 4, 7).",
        refused,
    ),
    point(
        "Q04",
        "A Read sees what came before it in its stream: it waits for it (section 7).",
        ordered,
    ),
    point(
        "Q05",
        "A requester asks in one packet, and completes when every byte is placed where its offset says (section 7).",
        request,
    ),
    point(
        "Q06",
        "A response that no open request asked for is accepted and ignored (section 7).",
        stray,
    ),
];

/// A request of message 0 of stream 1.
fn asking(b: &Bench, offset: u32, length: u32) -> Body<'static> {
    Body::ReadRequest {
        msg: Msg {
            stream: 1,
            ..Msg::default()
        },
        reth: Reth {
            address: b.id.region + u64::from(offset),
            r_key: b.id.r_key,
            length,
        },
        tag: Tag {
            tag: 0xBEEF,
            length,
            ..Tag::default()
        },
    }
}

/// The packets of a response, put together; each must name its request.
fn together(heard: &[Heard], length: u32) -> Check<Vec<u8>> {
    let mut bytes = vec![0; length as usize];
    for frame in data(heard) {
        let Body::ReadResponse { msg, tag, payload } = frame.body() else {
            return Err(Stop::fails(format!("an unasked {:?}", frame.opcode())));
        };
        ensure_eq!((tag.tag, tag.length), (0xBEEF, length), "tag and length");
        ensure_eq!((msg.stream, msg.message), (1, 0), "stream and message");
        let place = bytes
            .get_mut(msg.offset as usize..)
            .and_then(|b| b.get_mut(..payload.len()));
        let place =
            place.ok_or_else(|| Stop::fails(format!("offset {} is too far", msg.offset)))?;
        place.copy_from_slice(payload);
    }
    Ok(bytes)
}

fn answer(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::reads(lab, Setup::default())?;
    let length = 20 * b.setup.mtu() + 3;
    let bytes = b.fill(77, length)?;
    let packet = b.data(2, asking(&b, 77, length));
    b.send(&packet)?;
    let heard = b.run()?;
    ensure_eq!(data(&heard).len(), 21, "packets of the response");
    ensure!(
        together(&heard, length)? == bytes,
        "the response's bytes differ"
    );
    // No bytes at all is one packet.
    let mut b = Bench::reads(lab, Setup::default())?;
    let packet = b.data(2, asking(&b, 0, 0));
    b.send(&packet)?;
    let heard = b.run()?;
    ensure_eq!(data(&heard).len(), 1, "packets of an empty response");
    together(&heard, 0)?;
    b.check_region()
}

fn lost_answer(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::reads(lab, Setup::one_path())?;
    if b.id.real_time {
        return Err(Stop::lacks("its time-outs don't wait for the tester"));
    }
    let length = 6 * b.setup.mtu();
    let bytes = b.fill(0, length)?;
    let packet = b.data(0, asking(&b, 0, length));
    b.send(&packet)?;
    let mut heard = b.hear()?;
    let lost = data(&heard).get(2).map(|f| f.psn());
    let lost = lost.ok_or_else(|| Stop::fails("a response of less than 3 packets"))?;
    heard.retain(|f| !(f.is_data() && f.psn() == lost));
    b.take_all(&heard)?;
    let again = b.run()?;
    let found: Vec<_> = data(&again).iter().map(|f| f.psn()).collect();
    ensure_eq!(found, [lost], "PSNs sent again");
    heard.extend(again);
    ensure!(
        together(&heard, length)? == bytes,
        "the response's bytes differ"
    );
    Ok(())
}

fn refused(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::reads(lab, Setup::default())?;
    let Body::ReadRequest { msg, reth, tag } = asking(&b, REGION_BYTES - 100, 101) else {
        unreachable!("a request is a request")
    };
    let bad_key = Reth {
        r_key: reth.r_key ^ 0x1_0000,
        length: 1,
        ..reth
    };
    for (reth, reason) in [
        (reth, RefusalReason::BadRange),
        (bad_key, RefusalReason::BadKey),
    ] {
        let packet = b.data(0, Body::ReadRequest { msg, reth, tag });
        b.send(&packet)?;
        let answer = only(b.hear()?, Opcode::Refusal)?;
        let found = matches!(answer.body(), Body::Refusal(nak) if nak.reason == reason);
        ensure!(found, "the reason is not {}", reason.name());
    }
    Ok(())
}

fn ordered(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::reads(lab, Setup::default())?;
    let write = |b: &Bench, offset: u32, payload| match b.part(0, 500, 16, offset, payload) {
        Body::Write { msg, reth, payload } => Body::Write {
            msg: Msg { stream: 1, ..msg },
            reth,
            payload,
        },
        other => other,
    };
    let Body::ReadRequest { msg, reth, tag } = asking(&b, 500, 16) else {
        unreachable!("a request is a request")
    };
    let msg = Msg { message: 1, ..msg };
    let first = b.data(0, write(&b, 0, &[1; 8]));
    b.send(&first)?;
    let packet = b.data(1, Body::ReadRequest { msg, reth, tag });
    b.send(&packet)?;
    let heard = b.hear()?;
    ensure!(
        data(&heard).is_empty(),
        "a response before the message before it was whole"
    );
    let second = b.data(2, write(&b, 8, &[2; 8]));
    b.send(&second)?;
    let heard = b.run()?;
    let found = data(&heard).first().map(|f| f.payload().to_vec());
    let needed = [[1; 8], [2; 8]].concat();
    ensure_eq!(found, Some(needed), "bytes of the response");
    Ok(())
}

/// The target reads from the tester: its request, acknowledged.
fn requested(b: &mut Bench, offset: u32, length: u32) -> Check<(Msg, Tag)> {
    let work = Work {
        verb: WqeOpcode::Read,
        stream: 3,
        ..b.write_of(6, offset, length)
    };
    b.post(&work)?;
    let heard = b.run()?;
    let requests = of(&heard, Opcode::ReadRequest);
    ensure_eq!(data(&heard).len(), 1, "data packets of a Read");
    let Some(Body::ReadRequest { msg, reth, tag }) = requests.first().map(|f| f.body()) else {
        return Err(Stop::fails("no READ_REQUEST"));
    };
    ensure_eq!((msg.stream, msg.message, msg.offset), (3, 0, 0), "MSG");
    ensure_eq!(
        (reth.r_key, reth.length),
        (REMOTE_KEY, length),
        "key and length"
    );
    ensure_eq!(reth.address, REMOTE + u64::from(offset), "address");
    Ok((msg, tag))
}

fn request(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::reads(lab, Setup::default())?;
    let length = 2_500;
    let (msg, tag) = requested(&mut b, 900, length)?;
    b.completed(&[])?;
    let bytes = pattern(5, length);
    let tag = Tag { length, ..tag };
    for n in [2_u32, 0, 1] {
        let offset = 1_000 * n;
        let payload = &bytes[offset as usize..(offset + 1_000).min(length) as usize];
        let packet = b.data(
            n as u8,
            Body::ReadResponse {
                msg: Msg { offset, ..msg },
                tag,
                payload,
            },
        );
        b.completed(&[])?;
        b.expect(900 + offset, payload);
        b.send(&Packet {
            ack_request: true,
            ..packet
        })?;
        only(b.hear()?, Opcode::Ack)?;
    }
    b.completed(&[(6, Success)])?;
    b.check_region()
}

fn stray(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::reads(lab, Setup::default())?;
    let (msg, tag) = requested(&mut b, 0, 8)?;
    let before = b.counter("rx_stray_response")?;
    let wrong = [
        (
            msg,
            Tag {
                tag: tag.tag ^ 1,
                ..tag
            },
        ),
        (Msg { message: 1, ..msg }, tag),
        (Msg { stream: 5, ..msg }, tag),
        (msg, Tag { length: 9, ..tag }),
        (Msg { offset: 1, ..msg }, tag),
    ];
    for (msg, tag) in wrong {
        let packet = b.data(
            0,
            Body::ReadResponse {
                msg,
                tag,
                payload: &[0xEE; 8],
            },
        );
        b.send(&Packet {
            ack_request: true,
            ..packet.clone()
        })?;
        let ack = only(b.hear()?, Opcode::Ack)?;
        ensure_eq!(ack.psn(), packet.psn.next(), "cumulative PSN");
    }
    b.counted("rx_stray_response", before, 5)?;
    silent(&b.hear()?, "after responses that nobody asked for")?;
    b.completed(&[])?;
    b.check_region()
}
