//! The words that travel between blocks. Index widths are the largest of any size; small sizes leave upper bits zero.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// Bits of everything that follows the 64 bytes common to all frames, up to the longest header (SACK).
pub const TAIL_BITS: usize = 320;

/// A checked frame, from a plane's parser to the engines.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct FrameEvent {
    /// BTH opcode.
    pub opcode: Bits<8>,
    /// IP header says congestion experienced.
    pub ce: Bit,
    /// BTH acknowledgement request.
    pub ack_request: Bit,
    /// BTH destination QP.
    pub dest_qp: Bits<24>,
    /// BTH PSN.
    pub psn: Bits<24>,
    /// PATH: path number in its connection.
    pub path: Bits<8>,
    /// PATH: epoch.
    pub epoch: Bits<8>,
    /// PATH: transmit sequence number.
    pub tsn: Bits<24>,
    /// PATH: sender's clock.
    pub timestamp: Bits<32>,
    /// Payload bytes without pad, 0..=4096.
    pub payload: Bits<16>,
    /// MSG and RETH, SACK, or NAK: first byte of the wire in the uppermost bits.
    pub tail: Bits<320>,
}

/// What a plane's transmit pipeline needs to make one frame.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct TxDescriptor {
    /// BTH opcode; it also names the headers that follow.
    pub opcode: Bits<8>,
    /// BTH acknowledgement request.
    pub ack_request: Bit,
    /// BTH destination QP.
    pub dest_qp: Bits<24>,
    /// BTH PSN.
    pub psn: Bits<24>,
    /// PATH: path number in its connection.
    pub path: Bits<8>,
    /// PATH: epoch.
    pub epoch: Bits<8>,
    /// PATH: transmit sequence number.
    pub tsn: Bits<24>,
    /// PATH: sender's clock.
    pub timestamp: Bits<32>,
    /// UDP source port.
    pub entropy: Bits<16>,
    /// Ethernet destination.
    pub dst_mac: Bits<48>,
    /// Ethernet source.
    pub src_mac: Bits<48>,
    /// IPv4 source.
    pub src_ip: Bits<32>,
    /// IPv4 destination.
    pub dst_ip: Bits<32>,
    /// Ones' complement sum of the IPv4 header without its total length, folded to 16 bits, not inverted.
    pub ip_sum: Bits<16>,
    /// Payload bytes, 0..=4096.
    pub payload: Bits<16>,
    /// Host address of the payload.
    pub local_address: Bits<64>,
    /// MSG and RETH, SACK, or NAK: first byte of the wire in the uppermost bits.
    pub tail: Bits<320>,
}

/// The receive engine's word about one WRITE's payload.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Placement {
    /// Write it (else throw it away).
    pub accept: Bit,
    /// Host address of the first byte.
    pub address: Bits<64>,
    /// Payload bytes, 0..=4096.
    pub length: Bits<16>,
}

/// One table entry from the host, broadcast to the engines.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ConfigWrite {
    /// One cycle, while `hold` keeps every stage empty.
    pub valid: Bit,
    /// Which table: see the register map.
    pub table: Bits<4>,
    /// Entry.
    pub index: Bits<16>,
    /// The entry, least significant word first.
    pub data: Bits<256>,
}

/// A message on its way: a WQE's fields in their slot, or what a response is made of.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Message {
    /// Connection index.
    pub connection: Bits<12>,
    /// Stream in the connection.
    pub stream: Bits<16>,
    /// Message number in the stream.
    pub message: Bits<16>,
    /// Host address of the first byte.
    pub local_address: Bits<64>,
    /// Remote address of the first byte.
    pub remote_address: Bits<64>,
    /// R_Key of the remote region.
    pub r_key: Bits<32>,
    /// Bytes.
    pub length: Bits<32>,
    /// The WQE's, or READ_RESPONSE's in a frame; in profile `Write` this and what follows is 0.
    pub opcode: Bits<8>,
    /// The posted buffer that it takes, where its opcode says so; of a response the request's tag.
    pub receive: Bits<32>,
    /// The immediate that it hands over; 0 without one.
    pub immediate: Bits<32>,
}

/// What a plane's writer does in this cycle, for whoever wants to know when bytes are in memory.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct WriteProgress {
    /// It begins a write of a byte at least.
    pub started: Bit,
    /// It could begin one: memory took all addresses of the last.
    pub ready: Bit,
    /// Memory takes an address.
    pub asked: Bit,
    /// Memory answers a write.
    pub answered: Bit,
}
