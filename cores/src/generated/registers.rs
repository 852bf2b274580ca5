//! Byte offsets of registers, and their values after reset.
//!
//! Generated from the table of `metaroce-protocol`: don't edit, run `cargo run -p metaroce-protocol --bin generate`.
/// Bits of a byte offset.
pub const ADDRESS_BITS: u64 = 12;
/// What ID reads.
pub const ID_VALUE: u64 = 0x4D524345;
/// What VERSION reads.
pub const VERSION_VALUE: u64 = 0x003;
/// "MRCE" in ASCII.
pub const ID: u64 = 0x000;
/// Version of this map: major 16, minor 16.
pub const VERSION: u64 = 0x004;
/// What this size holds; set by the build.
pub const CAPABILITIES: u64 = 0x008;
/// Enable, reset.
pub const CONTROL: u64 = 0x010;
/// Send queue's host address, lower half; a multiple of 64.
pub const SQ_BASE_LO: u64 = 0x020;
/// Send queue's host address, upper half.
pub const SQ_BASE_HI: u64 = 0x024;
/// WQEs in the send queue, log2, 0..=16.
pub const SQ_SIZE_LOG2: u64 = 0x028;
/// WQEs ever posted, wraps: the producer index, not reduced by the queue's size.
pub const SQ_DOORBELL: u64 = 0x02C;
/// Completion queue's host address, lower half; a multiple of 64.
pub const CQ_BASE_LO: u64 = 0x030;
/// Completion queue's host address, upper half.
pub const CQ_BASE_HI: u64 = 0x034;
/// CQEs in the completion queue, log2, 0..=16.
pub const CQ_SIZE_LOG2: u64 = 0x038;
/// CQEs ever taken by software, wraps: the hardware never runs more than the queue's size ahead.
pub const CQ_CONSUMER: u64 = 0x03C;
/// Packets of a path that may be unresolved.
pub const WINDOW: u64 = 0x040;
/// Ticks of silence after which a path is probed.
pub const RTO: u64 = 0x044;
/// Time-outs in a row after which a connection fails.
pub const MAX_RETRIES: u64 = 0x048;
/// Accepted packets of a path to an ACK.
pub const ACK_EVERY: u64 = 0x04C;
/// Payload of a full packet, log2 of bytes.
pub const MTU_LOG2: u64 = 0x050;
/// Which 32 connections FAILED_BITMAP shows: connection number / 32.
pub const FAILED_SELECT: u64 = 0x060;
/// Bit i: connection 32 x FAILED_SELECT + i has failed. Writing its CONNECTION entry clears it.
pub const FAILED_BITMAP: u64 = 0x064;
/// Receive queue's host address, lower half; a multiple of 64. These four are there where CAPABILITIES says `speaks_messages`.
pub const RQ_BASE_LO: u64 = 0x070;
/// Receive queue's host address, upper half.
pub const RQ_BASE_HI: u64 = 0x074;
/// RQEs in the receive queue, log2, 0..=16.
pub const RQ_SIZE_LOG2: u64 = 0x078;
/// RQEs ever posted, wraps: the producer index, not reduced by the queue's size.
pub const RQ_DOORBELL: u64 = 0x07C;
/// The entry to write, least significant word first.
pub const CONFIG_DATA: u64 = 0x080;
/// Writes CONFIG_DATA to an entry of a table.
pub const CONFIG_COMMIT: u64 = 0x0A0;
/// Law of congestion: 0 `Fixed`, 1 `Aimd`, 2 `Delay`.
pub const CONGESTION_LAW: u64 = 0x0C0;
/// First window of a path under a law; at most WINDOW_CAP.
pub const WINDOW_FIRST: u64 = 0x0C4;
/// Largest window of a path under a law.
pub const WINDOW_CAP: u64 = 0x0C8;
/// What a round trip adds to the windows of a connection together.
pub const INCREASE: u64 = 0x0CC;
/// `Aimd`: what a mark takes from its path's window.
pub const DECREASE: u64 = 0x0D0;
/// `Delay`: queueing that is not yet congestion, the shortest round trip shifted right.
pub const DELAY_MARGIN_LOG2: u64 = 0x0D4;
/// `Delay`: part of the excess share of a round trip that each delivery takes.
pub const DELAY_GAIN: u64 = 0x0D8;
/// Shortest measured time-out; 0: not measured, a time-out is RTO.
pub const RTO_FLOOR: u64 = 0x0DC;
/// Ticks for which a connection bears that its peer has no buffer; 0: it fails at once. There where CAPABILITIES says `speaks_messages`; for refusals that come from then on.
pub const NOT_READY_TICKS: u64 = 0x0E0;
/// After reset, in packets a path; 1..=239.
pub const WINDOW_RESET: u64 = 16;
/// After reset, in ticks; 64..=33554432.
pub const RTO_RESET: u64 = 4096;
/// After reset, in time-outs; 1..=15.
pub const MAX_RETRIES_RESET: u64 = 7;
/// After reset, in packets; 1..=255.
pub const ACK_EVERY_RESET: u64 = 2;
/// After reset, in log2 of bytes; 8..=12.
pub const MTU_LOG2_RESET: u64 = 10;
/// After reset, in law; 0..=2.
pub const CONGESTION_LAW_RESET: u64 = 0;
/// After reset, in packets a path; 1..=256.
pub const WINDOW_FIRST_RESET: u64 = 2;
/// After reset, in packets a path; 1..=256.
pub const WINDOW_CAP_RESET: u64 = 32;
/// After reset, in 1/256 packet; 1..=16384.
pub const INCREASE_RESET: u64 = 256;
/// After reset, in 1/256 packet; 0..=256.
pub const DECREASE_RESET: u64 = 64;
/// After reset, in shift; 1..=8.
pub const DELAY_MARGIN_LOG2_RESET: u64 = 2;
/// After reset, in 1/256; 0..=256.
pub const DELAY_GAIN_RESET: u64 = 205;
/// After reset, in ticks; 0..=33554432.
pub const RTO_FLOOR_RESET: u64 = 0;
/// After reset, in ticks; 0..=1073741824.
pub const NOT_READY_TICKS_RESET: u64 = 0;

/// Byte offsets of counters.
pub mod counters {
    /// How many there are.
    pub const COUNT: u64 = 39;
    /// Frames that ended at a plane, whatever became of them.
    pub const RX_FRAMES: u64 = 0x200;
    /// Frames that are not RoCEv2 over IPv4.
    pub const RX_FOREIGN: u64 = 0x204;
    /// Frames whose lengths or versions are wrong.
    pub const RX_MALFORMED: u64 = 0x208;
    /// Frames with a wrong ICRC.
    pub const RX_BAD_ICRC: u64 = 0x20C;
    /// Frames with an unknown opcode.
    pub const RX_UNKNOWN_OPCODE: u64 = 0x210;
    /// Frames whose queue pair or path does not exist.
    pub const RX_UNKNOWN_CONNECTION: u64 = 0x214;
    /// Frames of another epoch.
    pub const RX_CLOSED_EPOCH: u64 = 0x218;
    /// WRITEs received before.
    pub const RX_DUPLICATE: u64 = 0x21C;
    /// WRITEs beyond the window.
    pub const RX_OUT_OF_WINDOW: u64 = 0x220;
    /// WRITEs whose R_Key names no region.
    pub const RX_BAD_KEY: u64 = 0x224;
    /// WRITEs that reach outside their region.
    pub const RX_BAD_RANGE: u64 = 0x228;
    /// WRITEs accepted.
    pub const RX_WRITES: u64 = 0x22C;
    /// Payload bytes of accepted WRITEs.
    pub const RX_WRITE_BYTES: u64 = 0x230;
    /// PROBEs received.
    pub const RX_PROBES: u64 = 0x234;
    /// WRITEs that reached the PSN check with congestion experienced.
    pub const RX_MARKED: u64 = 0x238;
    /// ACKs applied.
    pub const RX_ACKS: u64 = 0x23C;
    /// ACKs older than the snapshot.
    pub const RX_ACK_STALE: u64 = 0x240;
    /// ACKs of what was never sent.
    pub const RX_ACK_INVALID: u64 = 0x244;
    /// ACKs and REFUSALs for a failed connection.
    pub const RX_ON_FAILED_CONNECTION: u64 = 0x248;
    /// REFUSALs applied.
    pub const RX_REFUSALS: u64 = 0x24C;
    /// New WRITEs sent; retransmissions count apart.
    pub const TX_WRITES: u64 = 0x250;
    /// Payload bytes of new WRITEs sent.
    pub const TX_WRITE_BYTES: u64 = 0x254;
    /// WRITEs sent again.
    pub const TX_RETRANSMISSIONS: u64 = 0x258;
    /// PROBEs sent on a quiet tail.
    pub const TX_TAIL_PROBES: u64 = 0x25C;
    /// PROBEs sent by a time-out.
    pub const TX_TIMEOUT_PROBES: u64 = 0x260;
    /// Retransmissions of failed connections thrown away.
    pub const TX_DISCARDED: u64 = 0x264;
    /// ACKs sent.
    pub const TX_ACKS: u64 = 0x268;
    /// REFUSALs sent.
    pub const TX_REFUSALS: u64 = 0x26C;
    /// REFUSALs not sent for want of room.
    pub const REFUSALS_DROPPED: u64 = 0x270;
    /// Transmissions of data resolved as delivered.
    pub const RESOLVED_DELIVERED: u64 = 0x274;
    /// Transmissions of data resolved as lost.
    pub const RESOLVED_LOST: u64 = 0x278;
    /// WQEs taken as messages.
    pub const MESSAGES: u64 = 0x27C;
    /// CQEs written.
    pub const COMPLETIONS: u64 = 0x280;
    /// Packets of other verbs than WRITE accepted.
    pub const RX_VERBS: u64 = 0x284;
    /// The same, sent: new ones, not retransmissions.
    pub const TX_VERBS: u64 = 0x288;
    /// Messages placed whole, in the order of their stream.
    pub const RX_MESSAGES: u64 = 0x28C;
    /// Packets that found no posted buffer.
    pub const RX_NOT_READY: u64 = 0x290;
    /// Packets that break a stated limit.
    pub const RX_INVALID_REQUEST: u64 = 0x294;
    /// Responses that no open request asked for.
    pub const RX_STRAY_RESPONSE: u64 = 0x298;
}
