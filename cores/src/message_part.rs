//! What travels to, in and from the message tracker.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// What a data packet says about its message (docs/protocol.md, section 7).
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct MessagePart {
    /// Stream, counted over all connections: connection << stream bits | stream.
    pub stream: Bits<16>,
    /// Its connection has no such stream.
    pub beyond: Bit,
    /// Number in the stream.
    pub message: Bits<16>,
    /// First byte.
    pub offset: Bits<32>,
    /// Bytes.
    pub payload: Bits<16>,
    /// Bytes of the whole message.
    pub length: Bits<32>,
    /// The message takes a posted buffer.
    pub takes: Bit,
    /// Which one of its stream; 0 without one.
    pub receive: Bits<32>,
    /// The bytes go into that buffer: a Send.
    pub into_buffer: Bit,
    /// The message hands over an immediate.
    pub has_immediate: Bit,
    /// Which one.
    pub immediate: Bits<32>,
}

/// A message of which a packet was accepted.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct MessageEntry {
    /// The other lap of the message's number: so a place that is not yet taken again needs no clearing.
    pub lap: Bit,
    /// No byte is missing.
    pub whole: Bit,
    /// It takes a posted buffer.
    pub takes: Bit,
    /// Which one.
    pub receive: Bits<32>,
    /// Bytes.
    pub length: Bits<32>,
    /// Bytes still missing.
    pub left: Bits<32>,
}

/// Who takes a posted buffer.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Taker {
    /// The other lap of the buffer's number.
    pub lap: Bit,
    /// The message: its number's low bits tell it.
    pub message: Bits<8>,
}

/// How far a stream has come at its receiver.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct StreamProgress {
    /// Number of the next message.
    pub message: Bits<16>,
    /// The oldest posted buffer that no ended message took.
    pub first: Bits<32>,
}

/// Where a posted buffer is.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct PostedBuffer {
    /// Host address.
    pub address: Bits<64>,
    /// Bytes.
    pub length: Bits<32>,
}

/// A buffer as it is posted.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ReceivePost {
    /// Stream, counted over all connections.
    pub stream: Bits<16>,
    /// Host address.
    pub address: Bits<64>,
    /// Bytes.
    pub length: Bits<32>,
    /// Comes back with the message.
    pub wr_id: Bits<64>,
}

/// An immediate, if there is one.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Immediate {
    /// There is.
    pub valid: Bit,
    /// It.
    pub value: Bits<32>,
}

/// A message that is placed whole.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct WholeMessage {
    /// Stream, counted over all connections.
    pub stream: Bits<16>,
    /// Number in the stream.
    pub message: Bits<16>,
    /// Bytes.
    pub length: Bits<32>,
    /// It hands over an immediate.
    pub has_immediate: Bit,
    /// Which one.
    pub immediate: Bits<32>,
    /// It took a posted buffer.
    pub took: Bit,
    /// That buffer's.
    pub wr_id: Bits<64>,
}

/// What a Read asks for, in its packet.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ReadAsk {
    /// The packet is a READ_REQUEST.
    pub valid: Bit,
    /// Comes back with the response.
    pub tag: Bits<16>,
    /// Host address of the first byte.
    pub address: Bits<64>,
    /// Bytes.
    pub length: Bits<32>,
}

/// A Read whose turn in its stream has come.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct AskedRead {
    /// Stream, counted over all connections.
    pub stream: Bits<16>,
    /// Number in the stream.
    pub message: Bits<16>,
    /// Comes back with the response.
    pub tag: Bits<16>,
    /// Host address of the first byte.
    pub address: Bits<64>,
    /// Bytes.
    pub length: Bits<32>,
}

/// A message that took a buffer, or a buffer that can't be posted, as its completion tells of it.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ReceiveEnd {
    /// Connection.
    pub connection: Bits<16>,
    /// Stream in the connection.
    pub stream: Bits<16>,
    /// Number in the stream.
    pub message: Bits<16>,
    /// Bytes.
    pub length: Bits<32>,
    /// It hands over an immediate.
    pub has_immediate: Bit,
    /// Which one.
    pub immediate: Bits<32>,
    /// The buffer's.
    pub wr_id: Bits<64>,
    /// It can't be posted.
    pub bad: Bit,
}

/// Why a packet was refused, the first that is up, or where it goes.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct MessageVerdict {
    /// `invalid_request`.
    pub invalid: Bit,
    /// `receiver_not_ready`.
    pub not_ready: Bit,
    /// `bad_range`: longer than its buffer.
    pub too_long: Bit,
    /// Host address in its buffer, of one that takes a buffer.
    pub address: Bits<64>,
}

/// Something was done to a stream.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct StreamCommit {
    /// It was.
    pub valid: Bit,
    /// Stream, counted over all connections.
    pub stream: Bits<16>,
}
