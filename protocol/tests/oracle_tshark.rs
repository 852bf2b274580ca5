//! Frames and the generated dissector against tshark.
mod support;

use metaroce_protocol::{Body, Icrc, Ip, frame, generate};
use std::fmt::Write;
use support::{capture, for_each_frame, tshark};

/// RDMA Write Only of the reliable connection: the layout that comes nearest to WRITE and that tshark knows.
const RC_WRITE_ONLY: u8 = 0x0A;

fn frames() -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    for_each_frame(|frame| frames.push(frame.encode().unwrap()));
    frames
}

fn outer_fields(frame: &metaroce_protocol::Frame<'_>, pad: u8, frame_bytes: usize) -> String {
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
        let frame = frame::parse(bytes).or(frame::parse_ipv6(bytes)).unwrap();
        assert_eq!(*found, outer_fields(&frame, frame.bth.pad, bytes.len()));
    }
    assert_eq!(found.len(), frames.len());
}

#[test]
fn tshark_finds_the_icrc_where_we_put_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut frames = frames();
    // WRITE and ACK are long enough.
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

/// What the dissector should show of a frame.
fn inner_fields(frame: &metaroce_protocol::Frame<'_>, icrc: u32, good: bool) -> String {
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
    };
    format!("{text}|0x{icrc:08x}|{}", u8::from(good))
}

#[test]
fn dissector_shows_every_header_by_name_and_judges_the_icrc() {
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("metaroce.lua");
    std::fs::write(&script, generate::dissector()).unwrap();
    let mut frames = frames();
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
        let frame = frame::parse(sound).or(frame::parse_ipv6(sound)).unwrap();
        let icrc = Icrc::from_wire(*bytes.last_chunk().unwrap()).value();
        assert_eq!(*found, inner_fields(&frame, icrc, index < good));
    }
}
