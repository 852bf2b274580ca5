//! Whole frames, Ethernet to ICRC.
mod build;
mod checksum;
mod parse;

pub use build::Addresses;
pub use checksum::{checksum, ip_sum};
pub use parse::{DropReason, parse, parse_as, parse_ipv6, parse_up_to};

use crate::codes::Opcode;
use crate::constants::ECN_MARKED;
use crate::table::wire::{
    Atomic, Bth, Ethernet, Imm, Ipv4, Ipv6, Match, Msg, Nak, Original, Path, Reth, Sack, Sync, Tag,
    Udp,
};

/// The IP header. The NIC speaks version 4; version 6 is for tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ip {
    /// Version 4, 20 bytes.
    V4(Ipv4),
    /// Version 6, 40 bytes.
    V6(Ipv6),
}

impl Ip {
    /// Explicit congestion notification, 0..=3.
    pub const fn ecn(&self) -> u8 {
        match self {
            Self::V4(ip) => ip.ecn,
            Self::V6(ip) => ip.ecn,
        }
    }

    /// Bytes of the header.
    pub const fn bytes(&self) -> usize {
        match self {
            Self::V4(_) => Ipv4::BYTES,
            Self::V6(_) => Ipv6::BYTES,
        }
    }
}

/// What follows the common headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// RDMA Write.
    Write {
        /// Which message.
        msg: Msg,
        /// Where to.
        reth: Reth,
        /// The bytes, without pad, 0..=4096.
        payload: &'a [u8],
    },
    /// Acknowledgement.
    Ack(Sack),
    /// Refusal.
    Refusal(Nak),
    /// Probe.
    Probe,
    /// RDMA Write with an immediate.
    WriteImm {
        /// Which message.
        msg: Msg,
        /// Where to.
        reth: Reth,
        /// Which posted receive it takes.
        matching: Match,
        /// The immediate.
        imm: Imm,
        /// The bytes.
        payload: &'a [u8],
    },
    /// Send.
    Send {
        /// Which message.
        msg: Msg,
        /// Which posted buffer.
        matching: Match,
        /// The bytes.
        payload: &'a [u8],
    },
    /// Send with an immediate.
    SendImm {
        /// Which message.
        msg: Msg,
        /// Which posted buffer.
        matching: Match,
        /// The immediate.
        imm: Imm,
        /// The bytes.
        payload: &'a [u8],
    },
    /// Request of an RDMA Read.
    ReadRequest {
        /// Which message.
        msg: Msg,
        /// Where from.
        reth: Reth,
        /// What the response must say.
        tag: Tag,
    },
    /// Data of an RDMA Read.
    ReadResponse {
        /// Which message asked, and where in it.
        msg: Msg,
        /// The request's.
        tag: Tag,
        /// The bytes.
        payload: &'a [u8],
    },
    /// Fetch-and-add.
    FetchAdd {
        /// Which message.
        msg: Msg,
        /// What to do.
        atomic: Atomic,
    },
    /// Compare-and-swap.
    CompareSwap {
        /// Which message.
        msg: Msg,
        /// What to do.
        atomic: Atomic,
    },
    /// Result of an atomic.
    AtomicResponse {
        /// Which message asked.
        msg: Msg,
        /// The request's.
        tag: Tag,
        /// The result.
        original: Original,
    },
    /// End of an epoch.
    Sync(Sync),
    /// Answer to it.
    SyncAck(Sack),
}

impl<'a> Body<'a> {
    /// The opcode that announces it.
    pub const fn opcode(&self) -> Opcode {
        match self {
            Self::Write { .. } => Opcode::Write,
            Self::Ack(_) => Opcode::Ack,
            Self::Refusal(_) => Opcode::Refusal,
            Self::Probe => Opcode::Probe,
            Self::WriteImm { .. } => Opcode::WriteImm,
            Self::Send { .. } => Opcode::Send,
            Self::SendImm { .. } => Opcode::SendImm,
            Self::ReadRequest { .. } => Opcode::ReadRequest,
            Self::ReadResponse { .. } => Opcode::ReadResponse,
            Self::FetchAdd { .. } => Opcode::FetchAdd,
            Self::CompareSwap { .. } => Opcode::CompareSwap,
            Self::AtomicResponse { .. } => Opcode::AtomicResponse,
            Self::Sync(_) => Opcode::Sync,
            Self::SyncAck(_) => Opcode::SyncAck,
        }
    }

    /// Its payload, if it has one.
    pub const fn payload(&self) -> Option<&'a [u8]> {
        match self {
            Self::Write { payload, .. }
            | Self::WriteImm { payload, .. }
            | Self::Send { payload, .. }
            | Self::SendImm { payload, .. }
            | Self::ReadResponse { payload, .. } => Some(payload),
            _ => None,
        }
    }

    /// The headers after PATH as hardware carries them: first byte of the wire first, zeros behind.
    pub fn tail(&self) -> [u8; 40] {
        match self {
            Self::Write { msg, reth, .. } => join(&[&msg.encode(), &reth.encode()]),
            Self::WriteImm {
                msg,
                reth,
                matching,
                imm,
                ..
            } => join(&[
                &msg.encode(),
                &reth.encode(),
                &matching.encode(),
                &imm.encode(),
            ]),
            Self::Send { msg, matching, .. } => join(&[&msg.encode(), &matching.encode()]),
            Self::SendImm {
                msg, matching, imm, ..
            } => join(&[&msg.encode(), &matching.encode(), &imm.encode()]),
            Self::ReadRequest { msg, reth, tag } => {
                join(&[&msg.encode(), &reth.encode(), &tag.encode()])
            }
            Self::ReadResponse { msg, tag, .. } => join(&[&msg.encode(), &tag.encode()]),
            Self::FetchAdd { msg, atomic } | Self::CompareSwap { msg, atomic } => {
                join(&[&msg.encode(), &atomic.encode()])
            }
            Self::AtomicResponse { msg, tag, original } => {
                join(&[&msg.encode(), &tag.encode(), &original.encode()])
            }
            Self::Ack(sack) | Self::SyncAck(sack) => sack.encode(),
            Self::Refusal(nak) => join(&[&nak.encode()]),
            Self::Sync(sync) => join(&[&sync.encode()]),
            Self::Probe => [0; 40],
        }
    }
}

/// Headers one behind the other, zeros behind.
fn join(headers: &[&[u8]]) -> [u8; 40] {
    let mut tail = [0; 40];
    let mut at = 0;
    for header in headers {
        tail[at..at + header.len()].copy_from_slice(header);
        at += header.len();
    }
    tail
}

/// A frame, taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// Ethernet.
    pub ethernet: Ethernet,
    /// IP.
    pub ip: Ip,
    /// UDP.
    pub udp: Udp,
    /// BTH.
    pub bth: Bth,
    /// PATH.
    pub path: Path,
    /// The rest.
    pub body: Body<'a>,
}

impl Frame<'_> {
    /// Whether a switch marked congestion.
    pub const fn is_marked(&self) -> bool {
        self.ip.ecn() == ECN_MARKED
    }
}
