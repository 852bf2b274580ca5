//! Numbers of the protocol, each with its source.
use crate::table::wire;

/// UDP destination port of RoCEv2 (IANA; InfiniBand annex A17).
pub const UDP_PORT: u16 = 4791;
/// Ethernet type of IPv4 (RFC 894).
pub const ETHERTYPE_IPV4: u16 = 0x0800;
/// Ethernet type of IPv6 (RFC 2464).
pub const ETHERTYPE_IPV6: u16 = 0x86DD;
/// IP protocol number of UDP (RFC 768).
pub const IP_PROTOCOL_UDP: u8 = 17;
/// ECN codepoint ECT(0): the sender understands marks (RFC 3168, section 5).
pub const ECN_CAPABLE: u8 = 2;
/// ECN codepoint CE: congestion experienced (RFC 3168, section 5).
pub const ECN_MARKED: u8 = 3;
/// IPv4 flag "do not fragment" (RFC 791). Ours to set: a fragment could not be checked on its own.
pub const IPV4_DO_NOT_FRAGMENT: u8 = 2;
/// Time to live of what we send (RFC 1700 names 64).
pub const TTL: u8 = 64;
/// Default partition (InfiniBand specification volume 1, 10.9.1.2).
pub const P_KEY: u16 = 0xFFFF;
/// Version of PATH (ours).
pub const PATH_VERSION: u8 = 1;
/// Rate hint "the whole line" (ours).
pub const RATE_HINT_FULL: u16 = 0xFFFF;

/// Bytes of ICRC.
pub const ICRC_BYTES: usize = 4;
/// Bytes that all frames over IPv4 share: Ethernet .. PATH.
pub const COMMON_BYTES: usize = wire::Ethernet::BYTES
    + wire::Ipv4::BYTES
    + wire::Udp::BYTES
    + wire::Bth::BYTES
    + wire::Path::BYTES;
/// Shortest frame of any opcode: the common bytes and ICRC.
pub const MIN_FRAME_BYTES: usize = COMMON_BYTES + ICRC_BYTES;
/// A WRITE's frame without payload and pad.
pub const WRITE_OVERHEAD_BYTES: usize = MIN_FRAME_BYTES + wire::Msg::BYTES + wire::Reth::BYTES;
/// The same of a WRITE_IMM.
pub const WRITE_IMM_OVERHEAD_BYTES: usize =
    WRITE_OVERHEAD_BYTES + wire::Match::BYTES + wire::Imm::BYTES;
/// The same of a SEND.
pub const SEND_OVERHEAD_BYTES: usize = MIN_FRAME_BYTES + wire::Msg::BYTES + wire::Match::BYTES;
/// The same of a SEND_IMM.
pub const SEND_IMM_OVERHEAD_BYTES: usize = SEND_OVERHEAD_BYTES + wire::Imm::BYTES;
/// Bytes of a READ_REQUEST.
pub const READ_REQUEST_FRAME_BYTES: usize = WRITE_OVERHEAD_BYTES + wire::Tag::BYTES;
/// Bytes of a READ_RESPONSE without payload and pad.
pub const READ_RESPONSE_OVERHEAD_BYTES: usize =
    MIN_FRAME_BYTES + wire::Msg::BYTES + wire::Tag::BYTES;
/// An ACK's frame.
pub const ACK_FRAME_BYTES: usize = MIN_FRAME_BYTES + wire::Sack::BYTES;
/// A REFUSAL's frame.
pub const REFUSAL_FRAME_BYTES: usize = MIN_FRAME_BYTES + wire::Nak::BYTES;
/// A PROBE's frame.
pub const PROBE_FRAME_BYTES: usize = MIN_FRAME_BYTES;
/// Largest payload of a packet in bytes (InfiniBand's largest path MTU).
pub const MAX_PAYLOAD_BYTES: usize = 4096;
/// Bits of SACK's bitvector, and the largest window W (MetaRoCE: 256-bit selective acknowledgement).
pub const MAX_WINDOW: u32 = 256;
/// Back-off stops doubling after this many time-outs (ours: 64 RTO between probes is slow enough).
pub const MAX_BACKOFF_SHIFT: u32 = 6;
/// Transmissions a path may have unresolved (ours): TSNs index a ring of 256, and full must differ from empty.
pub const MAX_UNRESOLVED: u32 = 255;

/// Of those the ones that data may take (ours): the other 16 are for probes.
pub const MAX_UNRESOLVED_DATA: u32 = 239;

/// A number that software sets.
#[derive(Clone, Copy, Debug)]
pub struct Tunable {
    /// Name of its register.
    pub name: &'static str,
    /// After reset.
    pub default: u32,
    /// Smallest legal value.
    pub min: u32,
    /// Largest legal value.
    pub max: u32,
    /// What is counted.
    pub unit: &'static str,
    /// Why this default.
    pub reason: &'static str,
}

/// Packets of a path that may be unresolved.
pub const WINDOW: Tunable = Tunable {
    name: "WINDOW",
    default: 16,
    min: 1,
    max: MAX_UNRESOLVED_DATA,
    unit: "packets a path",
    reason: "16 paths x 16 = 256 packets: several times the bandwidth-delay product of the simulated planes",
};
/// Silence after which a path is probed.
pub const RTO: Tunable = Tunable {
    name: "RTO",
    default: 4_096,
    min: 64,
    max: 1 << 25,
    unit: "ticks",
    reason: "several simulated round trips; it only ever costs a probe",
};
/// Time-outs in a row after which a connection fails.
pub const MAX_RETRIES: Tunable = Tunable {
    name: "MAX_RETRIES",
    default: 7,
    min: 1,
    max: 15,
    unit: "time-outs",
    reason: "RoCE's usual retry count",
};
/// Accepted packets of a path to an ACK.
pub const ACK_EVERY: Tunable = Tunable {
    name: "ACK_EVERY",
    default: 2,
    min: 1,
    max: 255,
    unit: "packets",
    reason: "half the reverse bytes of an ACK a packet, spread of arrivals hardly later",
};
/// Payload of a full packet, log2 of bytes.
pub const MTU_LOG2: Tunable = Tunable {
    name: "MTU_LOG2",
    default: 10,
    min: 8,
    max: 12,
    unit: "log2 of bytes",
    reason: "payload of a full packet: 1,024 bytes; InfiniBand's MTUs are 256 to 4,096",
};
/// Law of congestion: 0 `Fixed`, 1 `Aimd`, 2 `Delay`.
pub const CONGESTION_LAW: Tunable = Tunable {
    name: "CONGESTION_LAW",
    default: 0,
    min: 0,
    max: 2,
    unit: "law",
    reason: "the window is WINDOW: a law needs a fabric that marks, or round trips that tell",
};
/// First window of a path under a law; at most WINDOW_CAP.
pub const WINDOW_FIRST: Tunable = Tunable {
    name: "WINDOW_FIRST",
    default: 2,
    min: 1,
    max: 256,
    unit: "packets a path",
    reason: "32 unknown senders do not overrun a receiver",
};
/// Largest window of a path under a law.
pub const WINDOW_CAP: Tunable = Tunable {
    name: "WINDOW_CAP",
    default: 32,
    min: 1,
    max: 256,
    unit: "packets a path",
    reason: "the trial simulation wanted 32 or more",
};
/// What a round trip adds to the windows of a connection together.
pub const INCREASE: Tunable = Tunable {
    name: "INCREASE",
    default: 256,
    min: 1,
    max: 16384,
    unit: "1/256 packet",
    reason: "one packet a round trip, all paths of a connection together",
};
/// `Aimd`: what a mark takes from its path's window.
pub const DECREASE: Tunable = Tunable {
    name: "DECREASE",
    default: 64,
    min: 0,
    max: 256,
    unit: "1/256 packet",
    reason: "a quarter: 1/4 to 1/2 did equally well in the trial, and a quarter keeps a line busy",
};
/// `Delay`: queueing that is not yet congestion, the shortest round trip shifted right.
pub const DELAY_MARGIN_LOG2: Tunable = Tunable {
    name: "DELAY_MARGIN_LOG2",
    default: 2,
    min: 1,
    max: 8,
    unit: "shift",
    reason: "a quarter of the shortest round trip is not yet a queue",
};
/// `Delay`: part of the excess share of a round trip that each delivery takes.
pub const DELAY_GAIN: Tunable = Tunable {
    name: "DELAY_GAIN",
    default: 205,
    min: 0,
    max: 256,
    unit: "1/256",
    reason: "0.8: a queue is drained in two rounds",
};
/// Shortest measured time-out; 0: not measured, a time-out is RTO.
pub const RTO_FLOOR: Tunable = Tunable {
    name: "RTO_FLOOR",
    default: 0,
    min: 0,
    max: 1 << 25,
    unit: "ticks",
    reason: "0: a time-out is RTO",
};

/// Patience with a receiver that has no buffer; 0: a Send that finds none fails its connection.
pub const NOT_READY_TICKS: Tunable = Tunable {
    name: "NOT_READY_TICKS",
    default: 0,
    min: 0,
    max: 1 << 30,
    unit: "ticks",
    reason: "0: a Send that finds no buffer fails its connection",
};

/// Every tunable.
pub const TUNABLES: &[Tunable] = &[
    WINDOW,
    RTO,
    MAX_RETRIES,
    ACK_EVERY,
    MTU_LOG2,
    CONGESTION_LAW,
    WINDOW_FIRST,
    WINDOW_CAP,
    INCREASE,
    DECREASE,
    DELAY_MARGIN_LOG2,
    DELAY_GAIN,
    RTO_FLOOR,
    NOT_READY_TICKS,
];
