//! The register map: AXI4-Lite, 32-bit words, byte offsets.
use crate::constants::{
    self, ACK_EVERY as T_ACK_EVERY, MAX_RETRIES as T_MAX_RETRIES, MTU_LOG2 as T_MTU_LOG2,
};
use crate::constants::{RTO as T_RTO, WINDOW as T_WINDOW};
use crate::table::Layout;
use crate::table::host::{Capabilities, ConfigCommit, Control};

/// What software may do with a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Read only; a write is ignored.
    ReadOnly,
    /// Read and write.
    ReadWrite,
}

/// One register, or a row of them.
#[derive(Clone, Copy, Debug)]
pub struct Register {
    /// Name, upper case.
    pub name: &'static str,
    /// Byte offset of the first word, a multiple of 4.
    pub offset: u32,
    /// Words.
    pub count: u32,
    /// What software may do.
    pub access: Access,
    /// Value after reset.
    pub reset: u32,
    doc: &'static str,
}

impl Register {
    /// One line of meaning.
    pub fn meaning(&self) -> &'static str {
        self.doc.trim()
    }

    /// Byte offset of word `index`, 0..count.
    pub const fn word(&self, index: u32) -> u32 {
        assert!(index < self.count, "no such word of this register");
        self.offset + 4 * index
    }
}

macro_rules! registers {
    ($($(#[doc = $doc:literal])+ $name:ident = $offset:literal, $access:ident, $reset:expr $(, $count:literal words)?;)+) => {
        $($(#[doc = $doc])+ pub const $name: Register = Register {
            name: stringify!($name),
            offset: $offset,
            count: 1 $(- 1 + $count)?,
            access: Access::$access,
            reset: $reset,
            doc: concat!($($doc),+),
        };)+

        /// Every register but the counters, in the order of their offsets.
        pub const ALL: &[Register] = &[$($name),+];
    };
}

/// Bits of a byte offset: 4 KiB of registers.
pub const ADDRESS_BITS: u32 = 12;
/// ID's value: "MRCE" in ASCII, first letter uppermost.
pub const ID_VALUE: u32 = 0x4D52_4345;
/// VERSION's value: major 16, minor 16. A new major breaks drivers.
pub const VERSION_VALUE: u32 = 0x0000_0003;

registers! {
    /// "MRCE" in ASCII.
    ID = 0x000, ReadOnly, ID_VALUE;
    /// Version of this map: major 16, minor 16.
    VERSION = 0x004, ReadOnly, VERSION_VALUE;
    /// What this size holds; set by the build.
    CAPABILITIES = 0x008, ReadOnly, 0, 2 words;
    /// Enable, reset.
    CONTROL = 0x010, ReadWrite, 0;
    /// Send queue's host address, lower half; a multiple of 64.
    SQ_BASE_LO = 0x020, ReadWrite, 0;
    /// Send queue's host address, upper half.
    SQ_BASE_HI = 0x024, ReadWrite, 0;
    /// WQEs in the send queue, log2, 0..=16.
    SQ_SIZE_LOG2 = 0x028, ReadWrite, 0;
    /// WQEs ever posted, wraps: the producer index, not reduced by the queue's size.
    SQ_DOORBELL = 0x02C, ReadWrite, 0;
    /// Completion queue's host address, lower half; a multiple of 64.
    CQ_BASE_LO = 0x030, ReadWrite, 0;
    /// Completion queue's host address, upper half.
    CQ_BASE_HI = 0x034, ReadWrite, 0;
    /// CQEs in the completion queue, log2, 0..=16.
    CQ_SIZE_LOG2 = 0x038, ReadWrite, 0;
    /// CQEs ever taken by software, wraps: the hardware never runs more than the queue's size ahead.
    CQ_CONSUMER = 0x03C, ReadWrite, 0;
    /// Packets of a path that may be unresolved.
    WINDOW = 0x040, ReadWrite, T_WINDOW.default;
    /// Ticks of silence after which a path is probed.
    RTO = 0x044, ReadWrite, T_RTO.default;
    /// Time-outs in a row after which a connection fails.
    MAX_RETRIES = 0x048, ReadWrite, T_MAX_RETRIES.default;
    /// Accepted packets of a path to an ACK.
    ACK_EVERY = 0x04C, ReadWrite, T_ACK_EVERY.default;
    /// Payload of a full packet, log2 of bytes.
    MTU_LOG2 = 0x050, ReadWrite, T_MTU_LOG2.default;
    /// Which 32 connections FAILED_BITMAP shows: connection number / 32.
    FAILED_SELECT = 0x060, ReadWrite, 0;
    /// Bit i: connection 32 x FAILED_SELECT + i has failed. Writing its CONNECTION entry clears it.
    FAILED_BITMAP = 0x064, ReadOnly, 0;
    /// Receive queue's host address, lower half; a multiple of 64. These four are there where CAPABILITIES says `speaks_messages`.
    RQ_BASE_LO = 0x070, ReadWrite, 0;
    /// Receive queue's host address, upper half.
    RQ_BASE_HI = 0x074, ReadWrite, 0;
    /// RQEs in the receive queue, log2, 0..=16.
    RQ_SIZE_LOG2 = 0x078, ReadWrite, 0;
    /// RQEs ever posted, wraps: the producer index, not reduced by the queue's size.
    RQ_DOORBELL = 0x07C, ReadWrite, 0;
    /// The entry to write, least significant word first.
    CONFIG_DATA = 0x080, ReadWrite, 0, 8 words;
    /// Writes CONFIG_DATA to an entry of a table.
    CONFIG_COMMIT = 0x0A0, ReadWrite, 0;
    /// Law of congestion: 0 `Fixed`, 1 `Aimd`, 2 `Delay`.
    CONGESTION_LAW = 0x0C0, ReadWrite, constants::CONGESTION_LAW.default;
    /// First window of a path under a law; at most WINDOW_CAP.
    WINDOW_FIRST = 0x0C4, ReadWrite, constants::WINDOW_FIRST.default;
    /// Largest window of a path under a law.
    WINDOW_CAP = 0x0C8, ReadWrite, constants::WINDOW_CAP.default;
    /// What a round trip adds to the windows of a connection together.
    INCREASE = 0x0CC, ReadWrite, constants::INCREASE.default;
    /// `Aimd`: what a mark takes from its path's window.
    DECREASE = 0x0D0, ReadWrite, constants::DECREASE.default;
    /// `Delay`: queueing that is not yet congestion, the shortest round trip shifted right.
    DELAY_MARGIN_LOG2 = 0x0D4, ReadWrite, constants::DELAY_MARGIN_LOG2.default;
    /// `Delay`: part of the excess share of a round trip that each delivery takes.
    DELAY_GAIN = 0x0D8, ReadWrite, constants::DELAY_GAIN.default;
    /// Shortest measured time-out; 0: not measured, a time-out is RTO.
    RTO_FLOOR = 0x0DC, ReadWrite, constants::RTO_FLOOR.default;
    /// Ticks for which a connection bears that its peer has no buffer; 0: it fails at once. There where CAPABILITIES says `speaks_messages`; for
    /// refusals that come from then on.
    NOT_READY_TICKS = 0x0E0, ReadWrite, constants::NOT_READY_TICKS.default;
}

/// Registers of congestion control, in the order of their offsets.
pub const CONGESTION: [Register; 8] = [
    CONGESTION_LAW,
    WINDOW_FIRST,
    WINDOW_CAP,
    INCREASE,
    DECREASE,
    DELAY_MARGIN_LOG2,
    DELAY_GAIN,
    RTO_FLOOR,
];

/// Registers that have fields.
pub const WITH_FIELDS: &[Layout] = &[Capabilities::LAYOUT, Control::LAYOUT, ConfigCommit::LAYOUT];

/// Byte offset of the first counter.
pub const COUNTERS_OFFSET: u32 = 0x200;

macro_rules! counters {
    ($($(#[doc = $doc:literal])+ $variant:ident = $name:literal;)+) => {
        /// Events counted, each in a read-only register of 32 bits that starts at 0 and wraps.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(usize)]
        pub enum Counter {
            $($(#[doc = $doc])+ $variant,)+
        }

        impl Counter {
            /// Every counter, in the order of the offsets.
            pub const ALL: &[Self] = &[$(Self::$variant),+];
            /// How many there are.
            pub const COUNT: usize = Self::ALL.len();

            /// Name, snake case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// One line of meaning.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),+).trim(),)+ }
            }

            /// Byte offset of the register.
            pub const fn offset(self) -> u32 {
                COUNTERS_OFFSET + 4 * self as u32
            }
        }
    };
}

counters! {
    /// Frames that ended at a plane, whatever became of them.
    RxFrames = "rx_frames";
    /// Frames that are not RoCEv2 over IPv4.
    RxForeign = "rx_foreign";
    /// Frames whose lengths or versions are wrong.
    RxMalformed = "rx_malformed";
    /// Frames with a wrong ICRC.
    RxBadIcrc = "rx_bad_icrc";
    /// Frames with an unknown opcode.
    RxUnknownOpcode = "rx_unknown_opcode";
    /// Frames whose queue pair or path does not exist.
    RxUnknownConnection = "rx_unknown_connection";
    /// Frames of another epoch.
    RxClosedEpoch = "rx_closed_epoch";
    /// WRITEs received before.
    RxDuplicate = "rx_duplicate";
    /// WRITEs beyond the window.
    RxOutOfWindow = "rx_out_of_window";
    /// WRITEs whose R_Key names no region.
    RxBadKey = "rx_bad_key";
    /// WRITEs that reach outside their region.
    RxBadRange = "rx_bad_range";
    /// WRITEs accepted.
    RxWrites = "rx_writes";
    /// Payload bytes of accepted WRITEs.
    RxWriteBytes = "rx_write_bytes";
    /// PROBEs received.
    RxProbes = "rx_probes";
    /// WRITEs that reached the PSN check with congestion experienced.
    RxMarked = "rx_marked";
    /// ACKs applied.
    RxAcks = "rx_acks";
    /// ACKs older than the snapshot.
    RxAckStale = "rx_ack_stale";
    /// ACKs of what was never sent.
    RxAckInvalid = "rx_ack_invalid";
    /// ACKs and REFUSALs for a failed connection.
    RxOnFailedConnection = "rx_on_failed_connection";
    /// REFUSALs applied.
    RxRefusals = "rx_refusals";
    /// New WRITEs sent; retransmissions count apart.
    TxWrites = "tx_writes";
    /// Payload bytes of new WRITEs sent.
    TxWriteBytes = "tx_write_bytes";
    /// WRITEs sent again.
    TxRetransmissions = "tx_retransmissions";
    /// PROBEs sent on a quiet tail.
    TxTailProbes = "tx_tail_probes";
    /// PROBEs sent by a time-out.
    TxTimeoutProbes = "tx_timeout_probes";
    /// Retransmissions of failed connections thrown away.
    TxDiscarded = "tx_discarded";
    /// ACKs sent.
    TxAcks = "tx_acks";
    /// REFUSALs sent.
    TxRefusals = "tx_refusals";
    /// REFUSALs not sent for want of room.
    RefusalsDropped = "refusals_dropped";
    /// Transmissions of data resolved as delivered.
    ResolvedDelivered = "resolved_delivered";
    /// Transmissions of data resolved as lost.
    ResolvedLost = "resolved_lost";
    /// WQEs taken as messages.
    Messages = "messages";
    /// CQEs written.
    Completions = "completions";
    /// Packets of other verbs than WRITE accepted.
    RxVerbs = "rx_verbs";
    /// The same, sent: new ones, not retransmissions.
    TxVerbs = "tx_verbs";
    /// Messages placed whole, in the order of their stream.
    RxMessages = "rx_messages";
    /// Packets that found no posted buffer.
    RxNotReady = "rx_not_ready";
    /// Packets that break a stated limit.
    RxInvalidRequest = "rx_invalid_request";
    /// Responses that no open request asked for.
    RxStrayResponse = "rx_stray_response";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_are_in_order_and_do_not_overlap() {
        for pair in ALL.windows(2) {
            assert!(
                pair[0].offset + 4 * pair[0].count <= pair[1].offset,
                "{}",
                pair[1].name
            );
        }
        let last = ALL.last().unwrap();
        assert!(last.offset + 4 * last.count <= COUNTERS_OFFSET);
        assert!(COUNTERS_OFFSET + 4 * Counter::COUNT as u32 <= 1 << ADDRESS_BITS);
        assert!(ALL.iter().all(|register| register.offset % 4 == 0));
    }

    #[test]
    fn every_tunable_has_its_register_and_its_default_in_range() {
        for tunable in crate::constants::TUNABLES {
            let register = ALL
                .iter()
                .find(|register| register.name == tunable.name)
                .unwrap();
            assert_eq!(register.reset, tunable.default);
            assert!((tunable.min..=tunable.max).contains(&tunable.default));
        }
    }
}
