//! Frames and the generated dissector against tshark.
mod support;

use metaroce_protocol::{
    Atomic, Body, Frame, Icrc, Imm, Ip, Match, Msg, Original, Profile, Reth, Sack, Sync, Tag,
    frame, generate,
};
use std::fmt::Write;
use support::{addressed, capture, for_each_frame, tshark};

/// RDMA Write Only of the reliable connection: the layout that comes nearest to WRITE and that tshark knows.
const RC_WRITE_ONLY: u8 = 0x0A;

fn frames() -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    for_each_frame(|frame| frames.push(frame.encode().unwrap()));
    frames
}

fn parsed(bytes: &[u8]) -> Frame<'_> {
    frame::parse_as(bytes, Profile::Whole)
        .or(frame::parse_ipv6(bytes))
        .unwrap()
}

fn outer_fields(frame: &Frame<'_>, pad: u8, frame_bytes: usize) -> String {
    let (version, checksum) = match frame.ip {
        Ip::V4(_) => ("4", "1"), // 1: good
        Ip::V6(_) => ("6", ""),
    };
    let flag = |set: bool| if set { "1" } else { "0" };
    format!(
        "{version}|{checksum}|{}|4791|{}|{}|{}|{pad}|0x{:06x}|{}|{}",
        frame.udp.source_port,
        frame_bytes - 14 - frame.ip.bytes(),
        frame.body.opcode().code(),
        frame.bth.p_key,
        frame.bth.dest_qp,
        flag(frame.bth.ack_request),
        frame.bth.psn,
    )
}

#[test]
fn tshark_reads_our_outer_headers() {
    let folder = tempfile::tempdir().unwrap();
    let frames = frames();
    let path = capture(folder.path(), &frames);
    let names = [
        "ip.version",
        "ip.checksum.status",
        "udp.srcport",
        "udp.dstport",
        "udp.length",
        "infiniband.bth.opcode",
        "infiniband.bth.p_key",
        "infiniband.bth.padcnt",
        "infiniband.bth.destqp",
        "infiniband.bth.a",
        "infiniband.bth.psn",
    ];
    let found = tshark(&path, &["-o", "ip.check_checksum:TRUE"], &names);
    for (bytes, found) in frames.iter().zip(&found) {
        let frame = parsed(bytes);
        assert_eq!(*found, outer_fields(&frame, frame.bth.pad, bytes.len()));
    }
    assert_eq!(found.len(), frames.len());
}

#[test]
fn tshark_finds_the_icrc_where_we_put_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut frames = frames();
    // Those that are long enough for what is taken out below.
    frames.retain(|bytes| bytes.len() >= 112 || bytes[12] == 0x08 && bytes.len() >= 92);
    for bytes in &mut frames {
        let bth = if bytes[12] == 0x08 { 42 } else { 62 };
        bytes[bth] = RC_WRITE_ONLY;
        // Only known to tshark: RETH at once after BTH. PATH and MSG are taken out.
        bytes.drain(bth + 12..bth + 30);
    }
    for bytes in &mut frames {
        set_lengths(bytes);
        assert!(Icrc::seal(bytes));
    }
    let path = capture(folder.path(), &frames);
    let found = tshark(
        &path,
        &[],
        &["infiniband.reth.va", "infiniband.invariant.crc"],
    );
    assert_eq!(found.len(), frames.len());
    for (bytes, found) in frames.iter().zip(found) {
        let icrc = u32::from_be_bytes(*bytes.last_chunk().unwrap());
        let (_, crc) = found.split_once('|').unwrap();
        assert_eq!(crc, format!("0x{icrc:08x}"));
    }
}

fn set_lengths(bytes: &mut [u8]) {
    if bytes[12] == 0x08 {
        let total = (bytes.len() - 14) as u16;
        bytes[16..18].copy_from_slice(&total.to_be_bytes());
        bytes[38..40].copy_from_slice(&(total - 20).to_be_bytes());
    } else {
        let length = (bytes.len() - 54) as u16;
        bytes[18..20].copy_from_slice(&length.to_be_bytes());
        bytes[58..60].copy_from_slice(&length.to_be_bytes());
    }
}

/// The other verbs' own headers have a test of their own.
fn is_of_hardware(frame: &Frame<'_>) -> bool {
    use Body::{Ack, Probe, Refusal, Write};
    matches!(frame.body, Write { .. } | Ack(_) | Refusal(_) | Probe)
}

/// What the dissector should show of a frame.
fn inner_fields(frame: &Frame<'_>, icrc: u32, good: bool) -> String {
    let path = &frame.path;
    let mut text = format!(
        "{}|{}|{}|{}|{}",
        frame.body.opcode().name(),
        path.path,
        path.epoch,
        path.tsn,
        path.timestamp
    );
    let _ = match &frame.body {
        Body::Write { msg, reth, payload } => {
            let address = format!(
                "0x{:016x}|0x{:08x}|{}",
                reth.address, reth.r_key, reth.length
            );
            let payload: String = payload.iter().map(|byte| format!("{byte:02x}")).collect();
            write!(
                text,
                "|{}|{}|{}|{address}|||||||{payload}",
                msg.stream, msg.message, msg.offset
            )
        }
        Body::Ack(sack) => {
            let bits: String = frame.body.tail()[8..]
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect();
            // PSN 0xFFFFFD is missing; 0xFFFFFE, 0xFFFFFF and 2 are there.
            write!(
                text,
                "|||||||{}|{}|{bits}|3|16777213, 0..1||",
                sack.received, sack.marked
            )
        }
        Body::Refusal(nak) => write!(text, "||||||||||||{}|", nak.reason.code()),
        Body::Probe => write!(text, "|||||||||||||"),
        other => unreachable!("{other:?} has a test of its own"),
    };
    format!("{text}|0x{icrc:08x}|{}", u8::from(good))
}

#[test]
fn dissector_shows_every_header_by_name_and_judges_the_icrc() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("metaroce.lua");
    std::fs::write(&script, generate::dissector()).unwrap();
    let mut frames = frames();
    frames.retain(|bytes| is_of_hardware(&parsed(bytes)));
    let good = frames.len();
    // The same with the last byte damaged.
    for index in 0..good {
        let mut bytes = frames[index].clone();
        *bytes.last_mut().unwrap() ^= 0x80;
        frames.push(bytes);
    }
    let path = capture(folder.path(), &frames);
    let names = [
        "opcode",
        "path.path",
        "path.epoch",
        "path.tsn",
        "path.timestamp",
        "msg.stream",
        "msg.message",
        "msg.offset",
        "reth.address",
        "reth.r_key",
        "reth.length",
        "sack.received",
        "sack.marked",
        "sack.bitvector",
        "sack.beyond",
        "sack.missing",
        "nak.reason",
        "payload",
        "icrc",
        "icrc.status",
    ]
    .map(|name| format!("metaroce.{name}"));
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let found = tshark(
        &path,
        &["-X", &format!("lua_script:{}", script.display())],
        &names,
    );
    assert_eq!(found.len(), frames.len());
    for (index, (bytes, found)) in frames.iter().zip(&found).enumerate() {
        let sound = &frames[index % good];
        let frame = parsed(sound);
        let icrc = Icrc::from_wire(*bytes.last_chunk().unwrap()).value();
        assert_eq!(*found, inner_fields(&frame, icrc, index < good));
    }
}

/// One frame of every opcode beyond the hardware's, and what the dissector should show of its own headers.
fn other_verbs(payload: &[u8]) -> Vec<(Body<'_>, &'static str)> {
    let msg = Msg {
        stream: 3,
        message: 0xFFFF,
        offset: 8,
    };
    let reth = Reth {
        address: 1,
        r_key: 2,
        length: 9,
    };
    let matching = Match {
        receive: 0xFFFF_FFFF,
        length: 9,
    };
    let imm = Imm {
        immediate: 0x0102_0304,
        ..Imm::default()
    };
    let tag = Tag {
        tag: 0xFFFE,
        length: 10,
        ..Tag::default()
    };
    let atomic = Atomic {
        address: 8,
        r_key: 1,
        tag: 2,
        sequence: 3,
        operand: 4,
        compare: 5,
    };
    let original = Original { value: 77 };
    let sync = Sync {
        via: 255,
        epoch: 1,
        ..Sync::default()
    };
    vec![
        (
            Body::WriteImm {
                msg,
                reth,
                matching,
                imm,
                payload,
            },
            "WRITE_IMM|3|4294967295|9|16909060|||||||||a5a5a5",
        ),
        (
            Body::Send {
                msg,
                matching,
                payload,
            },
            "SEND|3|4294967295|9||||||||||a5a5a5",
        ),
        (
            Body::SendImm {
                msg,
                matching,
                imm,
                payload,
            },
            "SEND_IMM|3|4294967295|9|16909060|||||||||a5a5a5",
        ),
        (
            Body::ReadRequest { msg, reth, tag },
            "READ_REQUEST|3||||65534|10|||||||",
        ),
        (
            Body::ReadResponse { msg, tag, payload },
            "READ_RESPONSE|3||||65534|10|||||||a5a5a5",
        ),
        (Body::FetchAdd { msg, atomic }, "FETCH_ADD|3||||||3|4|5||||"),
        (
            Body::CompareSwap { msg, atomic },
            "COMPARE_SWAP|3||||||3|4|5||||",
        ),
        (
            Body::AtomicResponse { msg, tag, original },
            "ATOMIC_RESPONSE|3||||65534|10||||77|||",
        ),
        (Body::Sync(sync), "SYNC|||||||||||255|1|"),
        (Body::SyncAck(Sack::default()), "SYNC_ACK|||||||||||||"),
    ]
}

#[test]
fn dissector_shows_the_headers_of_every_verb() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("metaroce.lua");
    std::fs::write(&script, generate::dissector()).unwrap();
    let (mut frames, mut expected) = (Vec::new(), Vec::new());
    for (body, text) in other_verbs(&[0xA5; 3]) {
        frames.push(addressed(body).encode().unwrap());
        expected.push(format!("{text}|1"));
    }
    let path = capture(folder.path(), &frames);
    let names = [
        "opcode",
        "msg.stream",
        "match.receive",
        "match.length",
        "imm.immediate",
        "tag.tag",
        "tag.length",
        "atomic.sequence",
        "atomic.operand",
        "atomic.compare",
        "original.value",
        "sync.via",
        "sync.epoch",
        "payload",
        "icrc.status",
    ]
    .map(|name| format!("metaroce.{name}"));
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    let script = format!("lua_script:{}", script.display());
    assert_eq!(tshark(&path, &["-X", &script], &names), expected);
}
