//! The standard doors of the NIC, as bundles of ports. Directions are the NIC's.
use rust_hdl::prelude::*;

/// AXI4-Stream in: `D` data bits, `K` = D / 8.
#[derive(LogicInterface, Default)]
pub struct AxisIn<const D: usize, const K: usize> {
    /// Data, first byte in the low bits.
    pub tdata: Signal<In, Bits<D>>,
    /// Bytes that count, from bit 0 up.
    pub tkeep: Signal<In, Bits<K>>,
    /// Valid.
    pub tvalid: Signal<In, Bit>,
    /// Ready.
    pub tready: Signal<Out, Bit>,
    /// Last beat of the frame.
    pub tlast: Signal<In, Bit>,
}

/// AXI4-Stream out: `D` data bits, `K` = D / 8.
#[derive(LogicInterface, Default)]
pub struct AxisOut<const D: usize, const K: usize> {
    /// Data, first byte in the low bits.
    pub tdata: Signal<Out, Bits<D>>,
    /// Bytes that count, from bit 0 up.
    pub tkeep: Signal<Out, Bits<K>>,
    /// Valid.
    pub tvalid: Signal<Out, Bit>,
    /// Ready.
    pub tready: Signal<In, Bit>,
    /// Last beat of the frame.
    pub tlast: Signal<Out, Bit>,
}

/// AXI4 manager, reads and writes, one ID: `D` data bits, `K` = D / 8.
#[derive(LogicInterface, Default)]
pub struct AxiManager<const D: usize, const K: usize> {
    /// Read address.
    pub araddr: Signal<Out, Bits<64>>,
    /// Beats less one.
    pub arlen: Signal<Out, Bits<8>>,
    /// log2 of a beat's bytes.
    pub arsize: Signal<Out, Bits<3>>,
    /// INCR.
    pub arburst: Signal<Out, Bits<2>>,
    /// Read address valid.
    pub arvalid: Signal<Out, Bit>,
    /// Read address ready.
    pub arready: Signal<In, Bit>,
    /// Read data.
    pub rdata: Signal<In, Bits<D>>,
    /// Read response.
    pub rresp: Signal<In, Bits<2>>,
    /// Last beat.
    pub rlast: Signal<In, Bit>,
    /// Read data valid.
    pub rvalid: Signal<In, Bit>,
    /// Read data ready.
    pub rready: Signal<Out, Bit>,
    /// Write address.
    pub awaddr: Signal<Out, Bits<64>>,
    /// Beats less one.
    pub awlen: Signal<Out, Bits<8>>,
    /// log2 of a beat's bytes.
    pub awsize: Signal<Out, Bits<3>>,
    /// INCR.
    pub awburst: Signal<Out, Bits<2>>,
    /// Write address valid.
    pub awvalid: Signal<Out, Bit>,
    /// Write address ready.
    pub awready: Signal<In, Bit>,
    /// Write data.
    pub wdata: Signal<Out, Bits<D>>,
    /// Bytes written.
    pub wstrb: Signal<Out, Bits<K>>,
    /// Last beat.
    pub wlast: Signal<Out, Bit>,
    /// Write data valid.
    pub wvalid: Signal<Out, Bit>,
    /// Write data ready.
    pub wready: Signal<In, Bit>,
    /// Write response.
    pub bresp: Signal<In, Bits<2>>,
    /// Write response valid.
    pub bvalid: Signal<In, Bit>,
    /// Write response ready.
    pub bready: Signal<Out, Bit>,
}

/// AXI4-Lite subordinate, 32 bits.
#[derive(LogicInterface, Default)]
pub struct AxiLite {
    /// Write address.
    pub awaddr: Signal<In, Bits<16>>,
    /// Write address valid.
    pub awvalid: Signal<In, Bit>,
    /// Write address ready.
    pub awready: Signal<Out, Bit>,
    /// Write data.
    pub wdata: Signal<In, Bits<32>>,
    /// Bytes written.
    pub wstrb: Signal<In, Bits<4>>,
    /// Write data valid.
    pub wvalid: Signal<In, Bit>,
    /// Write data ready.
    pub wready: Signal<Out, Bit>,
    /// Write response.
    pub bresp: Signal<Out, Bits<2>>,
    /// Write response valid.
    pub bvalid: Signal<Out, Bit>,
    /// Write response ready.
    pub bready: Signal<In, Bit>,
    /// Read address.
    pub araddr: Signal<In, Bits<16>>,
    /// Read address valid.
    pub arvalid: Signal<In, Bit>,
    /// Read address ready.
    pub arready: Signal<Out, Bit>,
    /// Read data.
    pub rdata: Signal<Out, Bits<32>>,
    /// Read response.
    pub rresp: Signal<Out, Bits<2>>,
    /// Read data valid.
    pub rvalid: Signal<Out, Bit>,
    /// Read data ready.
    pub rready: Signal<In, Bit>,
}

/// The commit trace (docs/architecture.md).
#[derive(LogicInterface, Default)]
pub struct Trace {
    /// The clock of every time stamp.
    pub now: Signal<Out, Bits<32>>,
    /// An ACK is built.
    pub ack_build_valid: Signal<Out, Bit>,
    /// Its path.
    pub ack_build_path: Signal<Out, Bits<16>>,
    /// The oldest waiting refusal is built.
    pub refusal_build_valid: Signal<Out, Bit>,
    /// A decision.
    pub transmit_valid: Signal<Out, Bit>,
    /// 0 tail probe, 1 time-out probe, 2 retransmission, 3 new data, 4 retransmission thrown away, 5 connection gives up,
    /// 6 new data not sent because its connection failed, 7 probe not sent for that reason.
    pub transmit_kind: Signal<Out, Bits<3>>,
    /// Its path.
    pub transmit_path: Signal<Out, Bits<16>>,
    /// The plane's paths that it could have taken.
    pub transmit_able: Signal<Out, Bits<16>>,
    /// It asks for an acknowledgement.
    pub transmit_ack_request: Signal<Out, Bit>,
    /// Planes with room for a transmission, as the choice that commits now, or none, saw it.
    pub offer_room: Signal<Out, Bits<8>>,
    /// Planes with room for two.
    pub offer_spare: Signal<Out, Bits<8>>,
    /// The plane whose oldest lost packet could be taken.
    pub offer_retransmit: Signal<Out, Bits<8>>,
    /// A new packet could be taken.
    pub offer_packet: Signal<Out, Bit>,
    /// Its connection.
    pub offer_connection: Signal<Out, Bits<12>>,
    /// It is a response's.
    pub offer_response: Signal<Out, Bit>,
    /// A path is judged by what its records were before this cycle.
    pub judge_valid: Signal<Out, Bit>,
    /// Its path.
    pub judge_path: Signal<Out, Bits<16>>,
    /// There is no message to send.
    pub judge_idle: Signal<Out, Bit>,
    /// A transmission is resolved.
    pub resolve_valid: Signal<Out, Bit>,
    /// Its path.
    pub resolve_path: Signal<Out, Bits<16>>,
    /// Its TSN.
    pub resolve_tsn: Signal<Out, Bits<24>>,
    /// A WRITE or PROBE.
    pub receive_valid: Signal<Out, Bit>,
    /// Its plane.
    pub receive_plane: Signal<Out, Bits<3>>,
    /// A refusal could be queued.
    pub receive_refusal_room: Signal<Out, Bit>,
    /// A cumulative point moves on by one accepted packet.
    pub advance_valid: Signal<Out, Bit>,
    /// Its path.
    pub advance_path: Signal<Out, Bits<16>>,
    /// An ACK or REFUSAL.
    pub acknowledge_valid: Signal<Out, Bit>,
    /// Its plane.
    pub acknowledge_plane: Signal<Out, Bits<3>>,
    /// The window of a path changes, by the oldest of its events that has not changed it.
    pub window_valid: Signal<Out, Bit>,
    /// Its path.
    pub window_path: Signal<Out, Bits<16>>,
    /// The window, whole packets.
    pub window_packets: Signal<Out, Bits<9>>,
    /// A connection that gave up fails.
    pub give_up_valid: Signal<Out, Bit>,
    /// Which.
    pub give_up_connection: Signal<Out, Bits<12>>,
    /// Planes whose parser drops a frame now.
    pub drop: Signal<Out, Bits<8>>,
    /// An entry of a table is written, while nothing is inside the engines.
    pub configure_valid: Signal<Out, Bit>,
    /// Its table.
    pub configure_table: Signal<Out, Bits<4>>,
    /// Which entry.
    pub configure_index: Signal<Out, Bits<16>>,
    /// The next WQE is taken.
    pub message_valid: Signal<Out, Bit>,
    /// The oldest message completes.
    pub retire_valid: Signal<Out, Bit>,
    /// The next message of a stream ends at its receiver.
    pub retire_receive_valid: Signal<Out, Bit>,
    /// Its stream, counted over all connections.
    pub retire_receive_stream: Signal<Out, Bits<16>>,
    /// The oldest RQE is posted.
    pub post_valid: Signal<Out, Bit>,
    /// Its stream, counted over all connections.
    pub post_stream: Signal<Out, Bits<16>>,
    /// The oldest message that came and took a buffer is told of; or the oldest RQE, that can't be posted.
    pub tell_valid: Signal<Out, Bit>,
    /// The latter.
    pub tell_refused: Signal<Out, Bit>,
    /// The oldest response that waits takes a slot.
    pub load_response: Signal<Out, Bit>,
    /// The oldest response that holds one frees it.
    pub retire_response: Signal<Out, Bit>,
}
