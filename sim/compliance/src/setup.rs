//! What a point asks of its target before anything is sent, and who the target then is.
use metaroce_protocol::constants::{ACK_EVERY, MAX_RETRIES, MTU_LOG2, RTO, WINDOW};
use metaroce_protocol::frame::Addresses;
use metaroce_protocol::{Profile, Psn, Tsn};

/// Queue pair of the tester's first connection, where it is free to choose.
pub const TESTER_QP: u32 = 0x20;
/// Queue pair of a target's first connection, where the suite may choose it: its low bits find the connection's entry, and
/// the bits above must count too.
pub(crate) const TARGET_QP: u32 = 0x0A_0002;
/// Key of a target's region, where the suite may choose it: its low bits find the region's entry.
pub(crate) const R_KEY: u32 = 0x0040_5103;
/// Bytes of the target's memory that the tester may name.
pub const REGION_BYTES: u32 = 1 << 17;
/// UDP source port of path 0; the others follow. Above the range from which Linux takes ports by itself.
pub const FIRST_ENTROPY: u16 = 62_000;

/// How a connection starts. The default starts next to every wrap, with the protocol's default constants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Connections, 1 or 2; all paths of each look the same.
    pub connections: u32,
    /// Paths of a connection, 1..=8, over the planes in turn.
    pub paths: u8,
    /// Planes, 1..=4.
    pub planes: u8,
    /// Epoch of every path.
    pub epoch: u8,
    /// First PSN of every path, both directions: a multiple of 256.
    pub first_psn: Psn,
    /// First TSN of every path, both directions.
    pub first_tsn: Tsn,
    /// WINDOW, packets.
    pub window: u32,
    /// RTO, ticks.
    pub rto: u32,
    /// MAX_RETRIES.
    pub max_retries: u32,
    /// ACK_EVERY, packets.
    pub ack_every: u32,
    /// MTU_LOG2.
    pub mtu_log2: u32,
    /// What only the whole profile has.
    pub whole: Whole,
}

/// Switches of the whole profile, all off.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Whole {
    /// Ticks for which a sender goes on after `receiver_not_ready`.
    pub not_ready_ticks: u32,
    /// Packets that all paths of a connection may have unresolved; 0: no bound.
    pub connection_window: u32,
    /// Bytes a tick of the line in 1/256; 0: hints hold nobody back.
    pub line_rate: u32,
    /// Bytes that may be sent at once under a hint.
    pub burst: u32,
    /// Silent paths that make a plane suspect; 0: never.
    pub suspect_paths: u32,
    /// Answered probes that bring a plane back.
    pub recovery_probes: u32,
    /// Ticks between two doublings of a recovering plane's windows.
    pub ramp_ticks: u32,
    /// The law `Aimd`, instead of a fixed window.
    pub aimd: bool,
    /// Rate hints count connections with posted buffers.
    pub hints: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            connections: 1,
            paths: 8,
            planes: 4,
            epoch: 0,
            first_psn: Psn::truncate(0xFF_FF00),
            first_tsn: Tsn::truncate(0xFF_FFFA),
            window: WINDOW.default,
            rto: RTO.default,
            max_retries: MAX_RETRIES.default,
            ack_every: ACK_EVERY.default,
            mtu_log2: MTU_LOG2.default,
            whole: Whole::default(),
        }
    }
}

impl Setup {
    /// A connection of one path.
    pub fn one_path() -> Self {
        Self {
            paths: 1,
            planes: 1,
            ..Self::default()
        }
    }

    /// The default with these switches.
    pub fn whole(whole: Whole) -> Self {
        Self {
            whole,
            ..Self::default()
        }
    }

    /// Bytes of a full packet's payload.
    pub fn mtu(&self) -> u32 {
        1 << self.mtu_log2
    }

    /// Plane of a path.
    pub fn plane(&self, path: u8) -> u8 {
        path % self.planes
    }

    /// UDP source port of a path.
    pub fn entropy(&self, path: u8) -> u16 {
        FIRST_ENTROPY + u16::from(path)
    }
}

/// Who the target is, for this connection.
#[derive(Clone, Debug)]
pub struct Identity {
    /// Queue pair of the target's first connection; the others follow.
    pub qp: u32,
    /// Queue pair of the tester's first connection; the others follow.
    pub tester_qp: u32,
    /// First PSN of the target's own sequences.
    pub first_psn: Psn,
    /// First TSN of the target's own sequences.
    pub first_tsn: Tsn,
    /// Address of the region's first byte.
    pub region: u64,
    /// Key of the region.
    pub r_key: u32,
    /// W: bits of the bitvector, log2.
    pub window_log2: u32,
    /// From the tester to the target, by plane.
    pub addresses: Vec<Addresses>,
    /// What it speaks.
    pub profile: Profile,
    /// Its clock can't be moved.
    pub real_time: bool,
}
