//! From bytes to headers: the receiver's checks up to "opcode known" (docs/protocol.md, section 4).
use super::{Body, Frame, Ip};
use crate::codes::{Opcode, Profile};
use crate::constants::{
    ETHERTYPE_IPV4, ETHERTYPE_IPV6, ICRC_BYTES, IP_PROTOCOL_UDP, MAX_PAYLOAD_BYTES,
    MIN_FRAME_BYTES, PATH_VERSION, UDP_PORT,
};
use crate::error::TooShort;
use crate::icrc::Icrc;
use crate::registers::Counter;
use crate::table::Layout;
use crate::table::wire::{
    Atomic, Bth, Ethernet, Imm, Ipv4, Ipv6, Match, Msg, Nak, Original, Path, Reth, Sack, Sync, Tag,
    Udp,
};

/// Why a plane drops a frame. In the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DropReason {
    /// Not RoCEv2 over the IP version that was asked for.
    Foreign,
    /// Lengths or PATH's version are wrong.
    Malformed,
    /// The ICRC is wrong.
    BadIcrc,
    /// The opcode has no meaning here.
    UnknownOpcode,
}

impl DropReason {
    /// Where it is counted.
    pub const fn counter(self) -> Counter {
        match self {
            Self::Foreign => Counter::RxForeign,
            Self::Malformed => Counter::RxMalformed,
            Self::BadIcrc => Counter::RxBadIcrc,
            Self::UnknownOpcode => Counter::RxUnknownOpcode,
        }
    }
}

impl Opcode {
    /// Headers between PATH and payload or ICRC; none for an unknown opcode.
    pub const fn headers(self) -> &'static [Layout] {
        match self {
            Self::Write => &[Msg::LAYOUT, Reth::LAYOUT],
            Self::WriteImm => &[Msg::LAYOUT, Reth::LAYOUT, Match::LAYOUT, Imm::LAYOUT],
            Self::Send => &[Msg::LAYOUT, Match::LAYOUT],
            Self::SendImm => &[Msg::LAYOUT, Match::LAYOUT, Imm::LAYOUT],
            Self::ReadRequest => &[Msg::LAYOUT, Reth::LAYOUT, Tag::LAYOUT],
            Self::ReadResponse => &[Msg::LAYOUT, Tag::LAYOUT],
            Self::FetchAdd | Self::CompareSwap => &[Msg::LAYOUT, Atomic::LAYOUT],
            Self::AtomicResponse => &[Msg::LAYOUT, Tag::LAYOUT, Original::LAYOUT],
            Self::Ack | Self::SyncAck => &[Sack::LAYOUT],
            Self::Refusal => &[Nak::LAYOUT],
            Self::Sync => &[Sync::LAYOUT],
            Self::Probe | Self::Unknown(_) => &[],
        }
    }

    /// Whether a payload and a pad follow them.
    pub const fn has_payload(self) -> bool {
        matches!(
            self,
            Self::Write | Self::WriteImm | Self::Send | Self::SendImm | Self::ReadResponse
        )
    }

    /// Bytes of those headers.
    pub const fn header_bytes(self) -> usize {
        let (headers, mut at, mut bytes) = (self.headers(), 0, 0);
        while at < headers.len() {
            bytes += headers[at].bytes();
            at += 1;
        }
        bytes
    }
}

/// Takes a frame over IPv4 apart, as the hardware does, or says why it is dropped. `frame` is what a MAC hands over:
/// no preamble, no frame check sequence. The first check that fails decides; L is the frame's length in bytes.
///
/// 1. L < 68: `Malformed`, whatever the frame holds.
/// 2. Ethernet type 0x0800, IP version 4, IHL 5, "more fragments" 0 and fragment offset 0, protocol 17, UDP destination
///    port 4791: else `Foreign`.
/// 3. IP total length = L - 14, UDP length = IP total length - 20, and L a multiple of 4, as InfiniBand pads every packet
///    before its ICRC: else `Malformed`.
/// 4. For a known opcode: PATH version 1, and for ACK L = 108, REFUSAL L = 76, PROBE L = 68; for WRITE
///    L - 92 >= 0, a multiple of 4, not less than BTH's pad, and payload = L - 92 - pad <= 4096: else `Malformed`.
///    (Pad is two bits, so < 4. It is not looked at for the other opcodes.) An unknown opcode meets none of this.
/// 5. The last four bytes are the ICRC of the rest: else `BadIcrc`.
/// 6. The opcode is known: else `UnknownOpcode`.
///
/// Not looked at: Ethernet addresses, DSCP, TTL, IPv4 header checksum (the ICRC covers what it would protect but the
/// fields that routers change), UDP checksum, reserved bits, P_Key, BTH version, PATH flags, IP addresses, and pad
/// bytes other than through the ICRC.
pub fn parse(frame: &[u8]) -> Result<Frame<'_>, DropReason> {
    parse_as(frame, Profile::Write)
}

/// The same for a party that speaks `profile`. Whatever carries a payload meets WRITE's rule of lengths, whatever
/// carries none ACK's, each with the bytes of its own headers.
pub fn parse_as(frame: &[u8], profile: Profile) -> Result<Frame<'_>, DropReason> {
    parse_up_to(frame, profile, MAX_PAYLOAD_BYTES)
}

/// The same for a party that holds no payload longer than `largest`, 4096 at most: a longer one is `Malformed`.
pub fn parse_up_to(
    frame: &[u8],
    profile: Profile,
    largest: usize,
) -> Result<Frame<'_>, DropReason> {
    if frame.len() < MIN_FRAME_BYTES {
        return Err(DropReason::Malformed);
    }
    let mut at = Cursor {
        rest: frame,
        largest: largest.min(MAX_PAYLOAD_BYTES),
    };
    let ethernet = at.take(Ethernet::BYTES, Ethernet::decode)?;
    let ip = at.take(Ipv4::BYTES, Ipv4::decode)?;
    let udp = at.take(Udp::BYTES, Udp::decode)?;
    let ours = ethernet.ethertype == ETHERTYPE_IPV4
        && ip.version == 4
        && ip.ihl == 5
        && ip.flags & 1 == 0
        && ip.fragment_offset == 0
        && ip.protocol == IP_PROTOCOL_UDP
        && udp.destination_port == UDP_PORT;
    if !ours {
        return Err(DropReason::Foreign);
    }
    let total = usize::from(ip.total_length);
    let lengths_agree =
        total == frame.len() - Ethernet::BYTES && usize::from(udp.length) == total - Ipv4::BYTES;
    parse_transport(
        frame,
        at,
        Frame {
            ethernet,
            ip: Ip::V4(ip),
            udp,
            bth: Bth::default(),
            path: Path::default(),
            body: Body::Probe,
        },
        lengths_agree.then_some(profile),
    )
}

/// The same over IPv6, for tools, whole profile: 20 bytes more in every length, no fragment header, payload length in place of total.
pub fn parse_ipv6(frame: &[u8]) -> Result<Frame<'_>, DropReason> {
    if frame.len() < MIN_FRAME_BYTES + Ipv6::BYTES - Ipv4::BYTES {
        return Err(DropReason::Malformed);
    }
    let mut at = Cursor {
        rest: frame,
        largest: MAX_PAYLOAD_BYTES,
    };
    let ethernet = at.take(Ethernet::BYTES, Ethernet::decode)?;
    let ip = at.take(Ipv6::BYTES, Ipv6::decode)?;
    let udp = at.take(Udp::BYTES, Udp::decode)?;
    let ours = ethernet.ethertype == ETHERTYPE_IPV6
        && ip.version == 6
        && ip.next_header == IP_PROTOCOL_UDP
        && udp.destination_port == UDP_PORT;
    if !ours {
        return Err(DropReason::Foreign);
    }
    let payload = usize::from(ip.payload_length);
    let lengths_agree =
        payload == frame.len() - Ethernet::BYTES - Ipv6::BYTES && udp.length == ip.payload_length;
    parse_transport(
        frame,
        at,
        Frame {
            ethernet,
            ip: Ip::V6(ip),
            udp,
            bth: Bth::default(),
            path: Path::default(),
            body: Body::Probe,
        },
        lengths_agree.then_some(Profile::Whole),
    )
}

/// Checks 3 to 6. `at` stands at BTH. No profile: the lengths disagree.
fn parse_transport<'a>(
    frame: &'a [u8],
    mut at: Cursor<'a>,
    outer: Frame<'a>,
    profile: Option<Profile>,
) -> Result<Frame<'a>, DropReason> {
    let bth = at.take(Bth::BYTES, Bth::decode)?;
    let path = at.take(Path::BYTES, Path::decode)?;
    let Some(profile) = profile.filter(|_| frame.len().is_multiple_of(4)) else {
        return Err(DropReason::Malformed);
    };
    let body = match bth.opcode {
        opcode if !profile.knows(opcode) => None,
        _ if path.version != PATH_VERSION => return Err(DropReason::Malformed),
        opcode => Some(at.body(opcode, bth.pad)?),
    };
    let found = frame.last_chunk().map(|bytes| Icrc::from_wire(*bytes));
    if Icrc::of_frame(frame) != found {
        return Err(DropReason::BadIcrc);
    }
    let body = body.ok_or(DropReason::UnknownOpcode)?;
    Ok(Frame {
        bth,
        path,
        body,
        ..outer
    })
}

/// Where in a frame the parser stands.
struct Cursor<'a> {
    /// What is not read yet.
    rest: &'a [u8],
    /// Longest payload that is taken.
    largest: usize,
}

impl<'a> Cursor<'a> {
    /// What an opcode that is known announces.
    fn body(&mut self, opcode: Opcode, pad: u8) -> Result<Body<'a>, DropReason> {
        match opcode {
            Opcode::Ack => Ok(Body::Ack(self.take_last(Sack::BYTES, Sack::decode)?)),
            Opcode::SyncAck => Ok(Body::SyncAck(self.take_last(Sack::BYTES, Sack::decode)?)),
            Opcode::Refusal => Ok(Body::Refusal(self.take_last(Nak::BYTES, Nak::decode)?)),
            Opcode::Sync => Ok(Body::Sync(self.take_last(Sync::BYTES, Sync::decode)?)),
            Opcode::Probe | Opcode::Unknown(_) => self.take_last(0, |_| Ok(Body::Probe)),
            _ => {
                let msg = self.take(Msg::BYTES, Msg::decode)?;
                self.message_body(opcode, msg, pad)
            }
        }
    }

    /// What follows MSG.
    fn message_body(&mut self, opcode: Opcode, msg: Msg, pad: u8) -> Result<Body<'a>, DropReason> {
        Ok(match opcode {
            Opcode::WriteImm => Body::WriteImm {
                msg,
                reth: self.take(Reth::BYTES, Reth::decode)?,
                matching: self.take(Match::BYTES, Match::decode)?,
                imm: self.take(Imm::BYTES, Imm::decode)?,
                payload: self.payload(pad)?,
            },
            Opcode::Send => Body::Send {
                msg,
                matching: self.take(Match::BYTES, Match::decode)?,
                payload: self.payload(pad)?,
            },
            Opcode::SendImm => Body::SendImm {
                msg,
                matching: self.take(Match::BYTES, Match::decode)?,
                imm: self.take(Imm::BYTES, Imm::decode)?,
                payload: self.payload(pad)?,
            },
            Opcode::ReadRequest => Body::ReadRequest {
                msg,
                reth: self.take(Reth::BYTES, Reth::decode)?,
                tag: self.take_last(Tag::BYTES, Tag::decode)?,
            },
            Opcode::ReadResponse => Body::ReadResponse {
                msg,
                tag: self.take(Tag::BYTES, Tag::decode)?,
                payload: self.payload(pad)?,
            },
            Opcode::FetchAdd => Body::FetchAdd {
                msg,
                atomic: self.take_last(Atomic::BYTES, Atomic::decode)?,
            },
            Opcode::CompareSwap => Body::CompareSwap {
                msg,
                atomic: self.take_last(Atomic::BYTES, Atomic::decode)?,
            },
            Opcode::AtomicResponse => Body::AtomicResponse {
                msg,
                tag: self.take(Tag::BYTES, Tag::decode)?,
                original: self.take_last(Original::BYTES, Original::decode)?,
            },
            // WRITE; what has no MSG does not come here.
            _ => Body::Write {
                msg,
                reth: self.take(Reth::BYTES, Reth::decode)?,
                payload: self.payload(pad)?,
            },
        })
    }

    /// Reads a header of `BYTES` bytes. It may be missing only where a WRITE is shorter than its headers.
    fn take<T>(
        &mut self,
        bytes: usize,
        decode: fn(&[u8]) -> Result<T, TooShort>,
    ) -> Result<T, DropReason> {
        let (header, rest) = self
            .rest
            .split_at_checked(bytes)
            .ok_or(DropReason::Malformed)?;
        self.rest = rest;
        decode(header).map_err(|TooShort { .. }| DropReason::Malformed)
    }

    /// The same for the last header: nothing but the ICRC may follow.
    fn take_last<T>(
        &mut self,
        bytes: usize,
        decode: fn(&[u8]) -> Result<T, TooShort>,
    ) -> Result<T, DropReason> {
        let value = self.take(bytes, decode)?;
        if self.rest.len() == ICRC_BYTES {
            Ok(value)
        } else {
            Err(DropReason::Malformed)
        }
    }

    /// What lies between here and pad and ICRC.
    fn payload(&self, pad: u8) -> Result<&'a [u8], DropReason> {
        let padded = self
            .rest
            .len()
            .checked_sub(ICRC_BYTES)
            .ok_or(DropReason::Malformed)?;
        let length = padded
            .checked_sub(usize::from(pad))
            .ok_or(DropReason::Malformed)?;
        if !padded.is_multiple_of(4) || length > self.largest {
            return Err(DropReason::Malformed);
        }
        Ok(&self.rest[..length])
    }
}

#[cfg(test)]
#[path = "parse_tests.rs"]
mod tests;
