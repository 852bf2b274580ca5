//! What blocks tell the register file to count, one word a block a cycle.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// Pulses of the receive side, under their counters' names.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ReceiveCounts {
    /// A frame ended here.
    pub rx_frames: Bit,
    /// No such connection, or the path is not valid on it.
    pub rx_unknown_connection: Bit,
    /// The epoch is not the path's.
    pub rx_closed_epoch: Bit,
    /// The slot was received before.
    pub rx_duplicate: Bit,
    /// The PSN is beyond the window.
    pub rx_out_of_window: Bit,
    /// The R_Key names no region.
    pub rx_bad_key: Bit,
    /// Not inside the region.
    pub rx_bad_range: Bit,
    /// An accepted WRITE.
    pub rx_writes: Bit,
    /// Payload bytes of it, 0..=4096.
    pub rx_write_bytes: Bits<16>,
    /// A PROBE of a live path.
    pub rx_probes: Bit,
    /// A WRITE with CE that reached the PSN check.
    pub rx_marked: Bit,
    /// An ACK is built.
    pub tx_acks: Bit,
    /// A REFUSAL is built.
    pub tx_refusals: Bit,
    /// A refusal found no room and is not sent.
    pub refusals_dropped: Bit,
    /// An accepted data packet that is no WRITE.
    pub rx_verbs: Bit,
    /// No posted buffer.
    pub rx_not_ready: Bit,
    /// It breaks a limit of its stream.
    pub rx_invalid_request: Bit,
    /// A message is placed whole.
    pub rx_messages: Bit,
    /// A response that no open request asked for.
    pub rx_stray_response: Bit,
}

/// How a connection failed, if it did: the answer of the transmit side to the host side.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ConnectionFailure {
    /// It failed.
    pub failed: Bit,
    /// Completion status: the refusal's name, or `retry_exceeded`.
    pub status: Bits<8>,
    /// The refused message's stream, where a refusal failed it.
    pub refused_stream: Bits<16>,
    /// The refused message.
    pub refused_message: Bits<16>,
}

/// Pulses of the transmit side, under their counters' names.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct TransmitCounts {
    /// A frame ended here (an ACK or REFUSAL was committed, whatever became of it).
    pub rx_frames: Bit,
    /// An ACK or REFUSAL for no such connection or path.
    pub rx_unknown_connection: Bit,
    /// An ACK or REFUSAL of another epoch.
    pub rx_closed_epoch: Bit,
    /// An ACK that replaced the snapshot.
    pub rx_acks: Bit,
    /// A REFUSAL that was heard.
    pub rx_refusals: Bit,
    /// An ACK that can't be true.
    pub rx_ack_invalid: Bit,
    /// An ACK older than the snapshot.
    pub rx_ack_stale: Bit,
    /// An ACK or REFUSAL for a failed connection.
    pub rx_on_failed_connection: Bit,
    /// A new WRITE.
    pub tx_writes: Bit,
    /// Payload bytes of it, 0..=4096.
    pub tx_write_bytes: Bits<16>,
    /// A lost packet again.
    pub tx_retransmissions: Bit,
    /// A probe of a quiet tail.
    pub tx_tail_probes: Bit,
    /// A probe after silence.
    pub tx_timeout_probes: Bit,
    /// A retransmission of a failed connection thrown away.
    pub tx_discarded: Bit,
    /// Data resolved as delivered.
    pub resolved_delivered: Bit,
    /// Data resolved as lost.
    pub resolved_lost: Bit,
    /// A new packet of another verb.
    pub tx_verbs: Bit,
}
