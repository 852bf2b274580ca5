//! Whole frames, Ethernet to ICRC.
mod build;
mod checksum;
mod parse;

pub use build::Addresses;
pub use checksum::{checksum, ip_sum};
pub use parse::{DropReason, parse, parse_ipv6};

use crate::codes::Opcode;
use crate::constants::ECN_MARKED;
use crate::table::wire::{Bth, Ethernet, Ipv4, Ipv6, Msg, Nak, Path, Reth, Sack, Udp};

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
}

impl Body<'_> {
    /// The opcode that announces it.
    pub const fn opcode(&self) -> Opcode {
        match self {
            Self::Write { .. } => Opcode::Write,
            Self::Ack(_) => Opcode::Ack,
            Self::Refusal(_) => Opcode::Refusal,
            Self::Probe => Opcode::Probe,
        }
    }

    /// MSG and RETH, SACK, or NAK as hardware carries them: first byte of the wire first, zeros behind.
    pub fn tail(&self) -> [u8; 40] {
        let mut tail = [0; 40];
        match self {
            Self::Write { msg, reth, .. } => {
                tail[..8].copy_from_slice(&msg.encode());
                tail[8..24].copy_from_slice(&reth.encode());
            }
            Self::Ack(sack) => tail = sack.encode(),
            Self::Refusal(nak) => tail[..8].copy_from_slice(&nak.encode()),
            Self::Probe => {}
        }
        tail
    }
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
