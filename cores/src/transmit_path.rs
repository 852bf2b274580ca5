//! What the transmit side's engines tell each other about a path. Message slots: requests from 0, responses from 16. Each word has one author and is written into the copy
//! that every reader keeps: a reader's RAM shows it to reads of the same cycle.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// The transmit engine's record of a path, as it becomes in this cycle.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct TransmitWrite {
    /// One cycle.
    pub valid: Bit,
    /// Global path number.
    pub path: Bits<16>,
    /// PSN of the next new packet.
    pub next_psn: Bits<24>,
    /// TSN of the next transmission.
    pub next_tsn: Bits<24>,
    /// Time of the last transmission.
    pub last_tx: Bits<32>,
    /// It was a probe.
    pub last_was_probe: Bit,
    /// It asked for an acknowledgement.
    pub last_asked: Bit,
    /// Time-outs since the last applied ACK; meant for `retries_valid` only.
    pub retries: Bits<4>,
    /// `last_ack` when `retries` was counted: another one now means that `retries` is 0 again.
    pub retries_at: Bits<32>,
    /// The two above change.
    pub retries_valid: Bit,
}

/// The ACK engine's snapshot of a path.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct SnapshotWrite {
    /// One cycle.
    pub valid: Bit,
    /// Global path number.
    pub path: Bits<16>,
    /// First PSN not received.
    pub cum: Bits<24>,
    /// Echoed TSN.
    pub echo: Bits<24>,
    /// Time of the ACK.
    pub last_ack: Bits<32>,
}

/// A connection fails, or is set up anew.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct FailureWrite {
    /// One cycle.
    pub valid: Bit,
    /// Which.
    pub connection: Bits<12>,
    /// It has failed from the next cycle on; else it has not.
    pub failed: Bit,
}

/// The resolver's word: every TSN before `resolved` is resolved.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ResolvedWrite {
    /// One cycle.
    pub valid: Bit,
    /// Global path number.
    pub path: Bits<16>,
    /// First TSN not resolved.
    pub resolved: Bits<24>,
}

/// A path's entry of the configuration table, as far as the transmit side needs it.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct PathWrite {
    /// One cycle.
    pub valid: Bit,
    /// Global path number.
    pub path: Bits<16>,
    /// The path may be used.
    pub live: Bit,
    /// Its plane.
    pub plane: Bits<3>,
    /// Its epoch.
    pub epoch: Bits<8>,
    /// Its UDP source port.
    pub entropy: Bits<16>,
    /// Its first PSN.
    pub first_psn: Bits<24>,
    /// Its first TSN.
    pub first_tsn: Bits<24>,
}

/// A PSN and a TSN of a path that change together.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Numbers {
    /// The PSN.
    pub psn: Bits<24>,
    /// The TSN.
    pub tsn: Bits<24>,
}

/// Whether frames of a path are welcome.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct PathConfig {
    /// The path may be used.
    pub live: Bit,
    /// Its epoch.
    pub epoch: Bits<8>,
}

/// A packet that must be sent again, named whole: by the time it is sent, its place in the in-flight table may be another's.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct LostPacket {
    /// Global path number.
    pub path: Bits<16>,
    /// Its PSN.
    pub psn: Bits<24>,
    /// Its message's slot.
    pub slot: Bits<5>,
    /// Its number in the message.
    pub index: Bits<24>,
}

/// What the ring holds of a transmission.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct RingEntry {
    /// PSN's low bits.
    pub psn: Bits<10>,
    /// Message slot.
    pub slot: Bits<5>,
    /// A probe: the other two mean nothing.
    pub probe: Bit,
}

/// What the walk found out about a path.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Judgement {
    /// A probe is wanted, or the path gives up.
    pub valid: Bit,
    /// Global path number.
    pub path: Bits<16>,
    /// A time-out probe.
    pub timeout: Bit,
    /// The path gives up.
    pub give_up: Bit,
    /// Its retries after a time-out probe.
    pub retries: Bits<4>,
    /// The time of its last ACK.
    pub last_ack: Bits<32>,
}

/// The newest transmission of a path.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct LastSent {
    /// Low bits of the next TSN.
    pub next_tsn: Bits<8>,
    /// Time of the last transmission.
    pub time: Bits<32>,
    /// It was a probe.
    pub probe: Bit,
    /// It asked for an acknowledgement.
    pub asked: Bit,
}

/// Time-outs of a path.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Retries {
    /// How many.
    pub count: Bits<4>,
    /// `last_ack` when they were counted.
    pub at: Bits<32>,
}

/// Where a path's packets go.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Carrier {
    /// The path may be used.
    pub live: Bit,
    /// Its plane.
    pub plane: Bits<3>,
}

/// Low bits of a path's next PSN and TSN.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct LowNumbers {
    /// Of the PSN.
    pub psn: Bits<9>,
    /// Of the TSN.
    pub tsn: Bits<8>,
}

/// The limits of a path's unresolved transmissions.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Limits {
    /// A packet may be sent below it.
    pub cap: Bits<8>,
    /// `cap` - 1: the last one.
    pub last: Bits<8>,
    /// As many may be sent below it as are chosen before a choice shows.
    pub roomy: Bits<8>,
}

/// The limits that a path's congestion window sets, as they become in this cycle.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct LimitsWrite {
    /// One cycle.
    pub valid: Bit,
    /// Global path number.
    pub path: Bits<16>,
    /// As of [`Limits`].
    pub cap: Bits<8>,
    /// As of [`Limits`].
    pub last: Bits<8>,
    /// As of [`Limits`].
    pub roomy: Bits<8>,
}

/// A packet of a message that waits for its path.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct WaitingPacket {
    /// Its message's slot.
    pub slot: Bits<5>,
    /// Its number in the message.
    pub index: Bits<24>,
    /// The message's last.
    pub last: Bit,
}

/// What timing offers to a choice, for the trace: the rest follows from the records.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Offer {
    /// Planes with room for a transmission.
    pub room: Bits<8>,
    /// Planes with room for two.
    pub spare: Bits<8>,
    /// The plane whose oldest lost packet can be taken, one hot.
    pub retransmit: Bits<8>,
    /// A new packet can be taken,
    pub packet: Bit,
    /// of this connection,
    pub connection: Bits<12>,
    /// of a response.
    pub response: Bit,
}

/// A choice, on its way to its numbers.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Choice {
    /// 0 tail probe, 1 time-out probe, 2 retransmission, 3 new data, 5 gives up.
    pub kind: Bits<3>,
    /// Global path number.
    pub path: Bits<16>,
    /// A retransmission's PSN.
    pub psn: Bits<24>,
    /// The packet.
    pub packet: WaitingPacket,
    /// It asks for an acknowledgement.
    pub ack_request: Bit,
}

/// A decision, waiting to become a descriptor.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Transmission {
    /// Global path number.
    pub path: Bits<16>,
    /// PSN.
    pub psn: Bits<24>,
    /// TSN.
    pub tsn: Bits<24>,
    /// Clock at the decision.
    pub timestamp: Bits<32>,
    /// Message slot.
    pub slot: Bits<5>,
    /// Packet number in the message.
    pub packet: Bits<24>,
    /// A probe.
    pub probe: Bit,
    /// A retransmission.
    pub again: Bit,
    /// Acknowledgement request.
    pub ack_request: Bit,
}

/// What frames of a connection are made of, and checked against.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ConnectionEntry {
    /// It may be used.
    pub live: Bit,
    /// Queue pair here.
    pub local_qp: Bits<24>,
    /// Queue pair at the peer.
    pub remote_qp: Bits<24>,
    /// Ethernet address of the next hop.
    pub dst_mac: Bits<48>,
    /// Own Ethernet address.
    pub src_mac: Bits<48>,
    /// Own IPv4 address.
    pub src_ip: Bits<32>,
    /// The peer's IPv4 address.
    pub dst_ip: Bits<32>,
    /// Ones' complement sum of the IPv4 header without total length and checksum.
    pub ip_sum: Bits<16>,
}
