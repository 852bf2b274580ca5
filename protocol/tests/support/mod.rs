//! What the tests against other people's tools share.
#![allow(dead_code)] // each test binary uses a part
use metaroce_protocol::frame::Addresses;
use metaroce_protocol::{
    Atomic, Bitvector, Body, Frame, Imm, Ip, MacAddr, Match, Msg, Nak, Original, Psn,
    RefusalReason, Reth, Sack, Sync, Tag, Tsn,
};
use std::io::Write;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Payload lengths in bytes: every pad, and around the default and the largest MTU.
pub fn payload_lengths() -> impl Iterator<Item = usize> {
    (0..10).chain(1023..=1025).chain(4095..=4096)
}

/// Opcode x IP version x payload length, with fields next to their roll-over.
pub fn for_each_frame(mut each: impl FnMut(&Frame<'_>)) {
    let data: Vec<u8> = (0..4096u32)
        .map(|index| (index.wrapping_mul(0x9E37_79B9) >> 24) as u8)
        .collect();
    for six in [false, true] {
        for (index, length) in payload_lengths().enumerate() {
            for body in bodies_with_payload(&data[..length]) {
                each(&frame(body, six, index as u32));
            }
        }
        for (index, body) in bodies_without_payload().into_iter().enumerate() {
            each(&frame(body, six, index as u32));
        }
    }
}

const MSG: Msg = Msg {
    stream: 0xFFFF,
    message: 7,
    offset: 0x0102_0304,
};
const RETH: Reth = Reth {
    address: 0x0123_4567_89AB_CDEF,
    r_key: 0xFEDC_BA98,
    length: 0xFFFF_FFFF,
};
const TAG: Tag = Tag {
    tag: 0xFFFE,
    reserved0: 0,
    length: 0xFFFF_FFFF,
};

fn bodies_with_payload(payload: &[u8]) -> [Body<'_>; 5] {
    let (msg, reth, tag) = (MSG, RETH, TAG);
    let matching = Match {
        receive: 0xFFFF_FFFF,
        length: 0x8000_0001,
    };
    let imm = Imm {
        immediate: 0x0102_0304,
        ..Imm::default()
    };
    [
        Body::Write { msg, reth, payload },
        Body::WriteImm {
            msg,
            reth,
            matching,
            imm,
            payload,
        },
        Body::Send {
            msg,
            matching,
            payload,
        },
        Body::SendImm {
            msg,
            matching,
            imm,
            payload,
        },
        Body::ReadResponse { msg, tag, payload },
    ]
}

fn bodies_without_payload() -> [Body<'static>; 9] {
    let (msg, reth, tag) = (MSG, RETH, TAG);
    let atomic = Atomic {
        address: 8,
        r_key: 1,
        tag: 2,
        sequence: 0xFFFF,
        operand: u64::MAX,
        compare: 5,
    };
    let sync = Sync {
        via: 255,
        epoch: 1,
        ..Sync::default()
    };
    [
        Body::Ack(sack()),
        Body::Refusal(Nak {
            reason: RefusalReason::BadRange,
            reserved0: 0,
            stream: 9,
            message: 0xFFFF,
        }),
        Body::Probe,
        Body::ReadRequest { msg, reth, tag },
        Body::FetchAdd { msg, atomic },
        Body::CompareSwap { msg, atomic },
        Body::AtomicResponse {
            msg,
            tag,
            original: Original { value: 1 << 63 },
        },
        Body::Sync(sync),
        Body::SyncAck(sack()),
    ]
}

/// PSN 0xFFFFFD is missing; 0xFFFFFE, 0xFFFFFF and 2 are there.
fn sack() -> Sack {
    let mut bitvector = Bitvector::nothing_received(Psn::truncate(0xFF_FF00), 8);
    for ahead in (0..0xFD).chain([0xFE, 0xFF, 0x102]) {
        bitvector.mark(Psn::truncate(0xFF_FF00).plus(ahead), 8);
    }
    Sack {
        received: 0xFFFE,
        marked: 3,
        rate_hint: 0xFFFF,
        reserved0: 0,
        bitvector,
    }
}

/// A frame over IPv4 with some numbers.
pub fn addressed(body: Body<'_>) -> Frame<'_> {
    frame(body, false, 1)
}

fn frame(body: Body<'_>, six: bool, variant: u32) -> Frame<'_> {
    let addresses = Addresses {
        dst_mac: MacAddr([2, 0, 0, 0, 0, 1]),
        src_mac: MacAddr([2, 0, 0, 0, 0, 2]),
        src_ip: Ipv4Addr::new(10, 0, 0, 2),
        dst_ip: Ipv4Addr::new(192, 168, 255, 254),
    };
    let mut frame = addresses.frame(0xC000 + variant as u16, body);
    frame.bth.dest_qp = 0xAB_CDEF;
    frame.bth.ack_request = variant % 2 == 1;
    frame.bth.psn = Psn::truncate(0xFF_FFFD);
    frame.path.path = 5;
    frame.path.epoch = 255;
    frame.path.tsn = Tsn::truncate(0xFF_FFFF).plus(variant);
    frame.path.timestamp = 0xFFFF_FFFF - variant;
    if six {
        frame.ip = Ip::v6(
            Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 2),
            Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, 1),
        );
    }
    match &mut frame.ip {
        Ip::V4(ip) => (ip.dscp, ip.ecn) = (variant as u8 * 3 % 64, variant as u8 % 4),
        Ip::V6(ip) => {
            (ip.dscp, ip.ecn, ip.flow_label) = (variant as u8 * 3 % 64, variant as u8 % 4, 0xF_FFFF)
        }
    }
    frame
}

/// Lines that a program prints for what it is given. A tool that is missing or fails is a failed test, never a pass.
pub fn run(mut command: Command, input: &str) -> Vec<String> {
    let setup = "is it installed? ./setup brings what the tests need";
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("cannot start {command:?} ({error}): {setup}"));
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_owned();
    // In a thread of its own: the tool may print before it has read all.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let _ = writer.join();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "{command:?} failed ({}): {errors}\n{setup}",
        output.status
    );
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(str::to_owned)
        .collect()
}

/// METAROCE_PYTHON, or what ./setup made, or the system's.
pub fn python() -> Command {
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../.venv/bin/python");
    let named = std::env::var_os("METAROCE_PYTHON").map(PathBuf::from);
    Command::new(named.unwrap_or(if ours.exists() {
        ours
    } else {
        "python3".into()
    }))
}

/// A capture file of Ethernet frames (pcap, microseconds).
pub fn capture<'a>(folder: &Path, frames: impl IntoIterator<Item = &'a Vec<u8>>) -> PathBuf {
    let mut bytes = Vec::new();
    for word in [0xA1B2_C3D4_u32, 0x0004_0002, 0, 0, 65_535, 1] {
        bytes.extend(word.to_le_bytes());
    }
    for (index, frame) in frames.into_iter().enumerate() {
        for word in [0, index as u32, frame.len() as u32, frame.len() as u32] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(frame);
    }
    let path = folder.join("frames.pcap");
    std::fs::write(&path, bytes).unwrap();
    path
}

/// tshark's values of fields, a line a frame, separated by `|`.
pub fn tshark(capture: &Path, options: &[&str], fields: &[&str]) -> Vec<String> {
    let mut command = Command::new(std::env::var_os("METAROCE_TSHARK").unwrap_or("tshark".into()));
    command.arg("-r").arg(capture).args(options).args([
        "-T",
        "fields",
        "-E",
        "separator=|",
        "-E",
        "occurrence=l",
    ]);
    for field in fields {
        command.args(["-e", field]);
    }
    run(command, "")
}
