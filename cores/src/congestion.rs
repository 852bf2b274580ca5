//! What the parts of the window engine tell each other.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// Something that a path's window hears of.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct CongestionEvent {
    /// One cycle.
    pub valid: Bit,
    /// Global path number.
    pub path: Bits<16>,
    /// A time-out, and nothing below; else an ACK that was applied.
    pub timeout: Bit,
    /// SACK.received.
    pub received: Bits<16>,
    /// SACK.marked.
    pub marked: Bits<16>,
    /// The ACK echoes something new.
    pub rtt_valid: Bit,
    /// Its round trip, ticks.
    pub rtt: Bits<32>,
}

/// Registers of congestion control (docs/registers.md).
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct CongestionSettings {
    /// CONGESTION_LAW: 0 `Fixed`, 1 `Aimd`, 2 `Delay`.
    pub law: Bits<2>,
    /// WINDOW_FIRST, packets.
    pub first: Bits<9>,
    /// WINDOW_CAP, packets.
    pub cap: Bits<9>,
    /// INCREASE, in 1/256 packet.
    pub increase: Bits<15>,
    /// DECREASE, in 1/256 packet.
    pub decrease: Bits<9>,
    /// DELAY_MARGIN_LOG2.
    pub margin_log2: Bits<4>,
    /// DELAY_GAIN, in 1/256 packet.
    pub gain: Bits<9>,
    /// RTO_FLOOR, ticks; 0: time-outs are RTO.
    pub rto_floor: Bits<26>,
}

/// What a law hears: an ACK, in the numbers of its path.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct LawEvent {
    /// Packets delivered since the last ACK, at most 255.
    pub delivered: Bits<8>,
    /// Of those the ones with congestion experienced.
    pub marked: Bits<8>,
    /// There is a round trip.
    pub rtt_valid: Bit,
    /// It, ticks.
    pub rtt: Bits<25>,
    /// The path's shortest one, this included.
    pub shortest: Bits<25>,
}

/// What a law answers.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct LawChange {
    /// Deliveries that count towards a step up.
    pub grown: Bits<8>,
    /// What the window loses, in 1/4,096 packet.
    pub loss: Bits<20>,
}

/// A path's window, as it becomes in this cycle.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct WindowWrite {
    /// One cycle.
    pub valid: Bit,
    /// Global path number.
    pub path: Bits<16>,
    /// Whole packets, 1..=256.
    pub window: Bits<9>,
}

/// A path's measured time-out, as it becomes in this cycle.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct TimeoutWrite {
    /// One cycle.
    pub valid: Bit,
    /// Global path number.
    pub path: Bits<16>,
    /// There is a sample.
    pub measured: Bit,
    /// Mean and four deviations of the round trip, ticks, at most 2^25.
    pub timeout: Bits<26>,
}
