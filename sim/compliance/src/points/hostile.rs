//! H: frames that no good peer sends: each is counted under its name, changes nothing, and traffic goes on (section 4).
use metaroce_protocol::{Icrc, Opcode};

use super::{Point, point};
use crate::bench::{Bench, Packet, only, silent};
use crate::check::{Check, ensure_eq};
use crate::setup::Setup;
use crate::target::Lab;

pub const POINTS: &[Point] = &[
    point(
        "H01",
        "A frame with a wrong ICRC is counted as rx_bad_icrc and dropped (sections 2, 4).",
        icrc,
    ),
    point(
        "H02",
        "A frame whose lengths disagree is counted as rx_malformed and dropped (section 4).",
        malformed,
    ),
    point(
        "H03",
        "What is not RoCEv2 over IPv4 is counted as rx_foreign and dropped (section 4).",
        foreign,
    ),
    point(
        "H04",
        "A frame with an unknown opcode is counted as rx_unknown_opcode and dropped (section 4).",
        opcode,
    ),
    point(
        "H05",
        "A frame for another queue pair or path is counted as rx_unknown_connection and dropped (section 4).",
        connection,
    ),
    point(
        "H06",
        "A frame of another epoch is counted as rx_closed_epoch and dropped (section 4).",
        epoch,
    ),
    point(
        "H07",
        "A frame of another PATH version is counted as rx_malformed and dropped (section 4).",
        version,
    ),
    point(
        "H08",
        "Fields that routers change do not enter the ICRC (section 2).",
        mutable,
    ),
    point(
        "H09",
        "A frame whose length does not fit its opcode or its pad is counted as rx_malformed and dropped (section 4).",
        lengths,
    ),
];

/// Byte offsets in a frame (section 2).
mod at {
    pub const ETHERTYPE: usize = 12;
    pub const IHL: usize = 14;
    pub const TOS: usize = 15;
    pub const TOTAL_LENGTH: usize = 17;
    pub const FRAGMENT: usize = 20;
    pub const TTL: usize = 22;
    pub const PROTOCOL: usize = 23;
    pub const IP_CHECKSUM: usize = 24;
    pub const DESTINATION_PORT: usize = 37;
    pub const UDP_LENGTH: usize = 39;
    pub const UDP_CHECKSUM: usize = 40;
    pub const OPCODE: usize = 42;
    pub const PAD: usize = 43;
    pub const RESERVED: usize = 46;
    pub const PATH_VERSION: usize = 54;
}

/// A good WRITE's bytes with the acknowledgement-request bit. It would be placed; each of a point says another number.
fn good(b: &mut Bench, payload: &[u8]) -> Vec<u8> {
    let packet = b.packet(
        0,
        b.setup.first_psn,
        b.setup.first_tsn,
        b.part(0, 0, 4096, 0, payload),
    );
    b.bytes(&Packet {
        ack_request: true,
        ..packet
    })
}

/// Sends bytes that must be dropped without a word.
fn dropped(b: &mut Bench, counter: &str, what: &str, bytes: &[u8]) -> Check {
    let before = b.counter(counter)?;
    b.send_bytes(bytes)?;
    silent(&b.hear()?, what)?;
    b.counted(counter, before, 1)
}

/// Traffic goes on as if nothing had been.
fn goes_on(b: &mut Bench) -> Check {
    let body = b.write(8, &[5; 8]);
    let packet = b.data(0, body);
    b.expect(8, &[5; 8]);
    b.send(&Packet {
        ack_request: true,
        ..packet.clone()
    })?;
    let ack = only(b.hear()?, Opcode::Ack)?;
    ensure_eq!(
        (ack.psn(), ack.tsn()),
        (packet.psn.next(), packet.tsn),
        "cumulative PSN and TSN"
    );
    ensure_eq!(ack.sack().map(|s| s.received), Some(1), "packets received");
    b.check_region()
}

/// Sends a good frame with one byte changed and a right ICRC.
fn changed(b: &mut Bench, counter: &str, at: usize, value: u8) -> Check {
    let mut bytes = good(b, &[0xEE; 16]);
    bytes[at] = value;
    Icrc::seal(&mut bytes);
    dropped(b, counter, &format!("byte {at} is {value:#x}"), &bytes)
}

fn icrc(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let bytes = good(&mut b, &[0xEE; 16]);
    // One bit in each header from BTH on, in the payload, and in the ICRC itself.
    for at in [45, 53, 58, 63, 71, 79, 90, bytes.len() - 6, bytes.len() - 1] {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        dropped(
            &mut b,
            "rx_bad_icrc",
            &format!("byte {at} is spoilt"),
            &bytes,
        )?;
    }
    goes_on(&mut b)
}

fn malformed(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let bytes = good(&mut b, &[0xEE; 16]);
    dropped(&mut b, "rx_malformed", "a frame of 60 bytes", &bytes[..60])?;
    dropped(
        &mut b,
        "rx_malformed",
        "a frame that was cut",
        &bytes[..bytes.len() - 4],
    )?;
    changed(
        &mut b,
        "rx_malformed",
        at::TOTAL_LENGTH,
        bytes[at::TOTAL_LENGTH] ^ 4,
    )?;
    changed(
        &mut b,
        "rx_malformed",
        at::UDP_LENGTH,
        bytes[at::UDP_LENGTH] ^ 4,
    )?;
    goes_on(&mut b)
}

fn lengths(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    // A WRITE of no bytes with a pad.
    let mut empty = good(&mut b, &[]);
    empty[at::PAD] |= 0x30;
    Icrc::seal(&mut empty);
    dropped(&mut b, "rx_malformed", "a pad without payload", &empty)?;
    // Opcodes without payload with a WRITE's length.
    for opcode in [Opcode::Refusal, Opcode::Probe] {
        changed(&mut b, "rx_malformed", at::OPCODE, opcode.code())?;
    }
    goes_on(&mut b)
}

fn foreign(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let bytes = [
        (at::ETHERTYPE, 0x09),
        (at::IHL, 0x46),
        (at::IHL, 0x65),
        (at::FRAGMENT, 0x60),
        (at::PROTOCOL, 6),
        (at::DESTINATION_PORT, 0xB8),
    ];
    for (at, value) in bytes {
        changed(&mut b, "rx_foreign", at, value)?;
    }
    goes_on(&mut b)
}

fn opcode(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    // InfiniBand's RC WRITE ONLY, and holes of our own range.
    for code in [0x0A, 0xBF, 0xC9, 0xCF, 0xD5, 0xFF] {
        changed(&mut b, "rx_unknown_opcode", at::OPCODE, code)?;
    }
    goes_on(&mut b)
}

fn connection(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let body = b.part(0, 0, 8, 0, &[0xEE; 8]);
    let right = b.packet(0, b.setup.first_psn, b.setup.first_tsn, body);
    let right = Packet {
        ack_request: true,
        ..right
    };
    // Other upper bits, whose low bits find the connection's entry; and another connection's entry.
    for qp in [b.id.qp ^ 0x80_0000, b.id.qp ^ 0x00_1000, b.id.qp ^ 1] {
        let bytes = b.bytes(&Packet {
            qp,
            ..right.clone()
        });
        dropped(
            &mut b,
            "rx_unknown_connection",
            &format!("queue pair {qp:#x}"),
            &bytes,
        )?;
    }
    let mut bytes = b.bytes(&right);
    for path in [b.setup.paths, 0xFF] {
        bytes[55] = path;
        Icrc::seal(&mut bytes);
        dropped(
            &mut b,
            "rx_unknown_connection",
            &format!("path {path}"),
            &bytes,
        )?;
    }
    goes_on(&mut b)
}

fn epoch(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let body = b.part(0, 0, 8, 0, &[0xEE; 8]);
    let right = b.packet(0, b.setup.first_psn, b.setup.first_tsn, body);
    let own = right.epoch;
    for epoch in [own.wrapping_add(1), own.wrapping_sub(1), own ^ 0x80] {
        let late = Packet {
            epoch,
            ack_request: true,
            ..right.clone()
        };
        let bytes = b.bytes(&late);
        dropped(&mut b, "rx_closed_epoch", &format!("epoch {epoch}"), &bytes)?;
    }
    goes_on(&mut b)
}

fn version(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    for version in [0x00, 0x20, 0xF0] {
        changed(&mut b, "rx_malformed", at::PATH_VERSION, version)?;
    }
    goes_on(&mut b)
}

fn mutable(lab: &mut dyn Lab) -> Check {
    let mut b = Bench::start(lab, Setup::default())?;
    let message = b.message(0);
    let fields = [
        at::TOS,
        at::TTL,
        at::IP_CHECKSUM,
        at::UDP_CHECKSUM,
        at::RESERVED,
    ];
    for (n, at) in (0..).zip(fields) {
        let payload = [n as u8 + 1; 4];
        let body = b.part(message, 0, 4 * fields.len() as u32, 4 * n, &payload);
        let packet = b.data(0, body);
        let mut bytes = b.bytes(&Packet {
            ack_request: true,
            ..packet.clone()
        });
        // ECN, the lowest two bits of TOS, stays as it is.
        bytes[at] ^= 0x10;
        b.expect(4 * n, &payload);
        b.send_bytes(&bytes)?;
        let ack = only(b.hear()?, Opcode::Ack)?;
        ensure_eq!(
            ack.psn(),
            packet.psn.next(),
            "cumulative PSN after byte {at} changed"
        );
    }
    b.check_region()
}
