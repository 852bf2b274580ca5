//! The host side: registers, work queue, completion queue.
use metaroce_cores::counts::{ConnectionFailure, ReceiveCounts, TransmitCounts};
use metaroce_cores::types::{ConfigWrite, Message};
use rust_hdl::prelude::*;

/// Register file (AXI4-Lite), WQE fetch and completion writer (AXI4 control port), for N planes.
///
/// `CA`: address bits of connections; `M` message slots, `MA`: log2 M.
#[derive(LogicBlock)]
pub struct HostSide<const N: usize, const CA: usize, const M: usize, const MA: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,

    /// AXI4-Lite, 32 bits: write address.
    pub s_axil_awaddr: Signal<In, Bits<16>>,
    /// Write address valid.
    pub s_axil_awvalid: Signal<In, Bit>,
    /// Write address ready.
    pub s_axil_awready: Signal<Out, Bit>,
    /// Write data.
    pub s_axil_wdata: Signal<In, Bits<32>>,
    /// Write strobes: a write of less than all four bytes is refused.
    pub s_axil_wstrb: Signal<In, Bits<4>>,
    /// Write data valid.
    pub s_axil_wvalid: Signal<In, Bit>,
    /// Write data ready.
    pub s_axil_wready: Signal<Out, Bit>,
    /// Write response.
    pub s_axil_bresp: Signal<Out, Bits<2>>,
    /// Write response valid.
    pub s_axil_bvalid: Signal<Out, Bit>,
    /// Write response ready.
    pub s_axil_bready: Signal<In, Bit>,
    /// Read address.
    pub s_axil_araddr: Signal<In, Bits<16>>,
    /// Read address valid.
    pub s_axil_arvalid: Signal<In, Bit>,
    /// Read address ready.
    pub s_axil_arready: Signal<Out, Bit>,
    /// Read data.
    pub s_axil_rdata: Signal<Out, Bits<32>>,
    /// Read response.
    pub s_axil_rresp: Signal<Out, Bits<2>>,
    /// Read data valid.
    pub s_axil_rvalid: Signal<Out, Bit>,
    /// Read data ready.
    pub s_axil_rready: Signal<In, Bit>,

    /// AXI4 control port, 64 bits: read address.
    pub m_axi_ctl_araddr: Signal<Out, Bits<64>>,
    /// Beats less one.
    pub m_axi_ctl_arlen: Signal<Out, Bits<8>>,
    /// log2 of a beat's bytes.
    pub m_axi_ctl_arsize: Signal<Out, Bits<3>>,
    /// INCR.
    pub m_axi_ctl_arburst: Signal<Out, Bits<2>>,
    /// Read address valid.
    pub m_axi_ctl_arvalid: Signal<Out, Bit>,
    /// Read address ready.
    pub m_axi_ctl_arready: Signal<In, Bit>,
    /// Read data.
    pub m_axi_ctl_rdata: Signal<In, Bits<64>>,
    /// Read response.
    pub m_axi_ctl_rresp: Signal<In, Bits<2>>,
    /// Last beat.
    pub m_axi_ctl_rlast: Signal<In, Bit>,
    /// Read data valid.
    pub m_axi_ctl_rvalid: Signal<In, Bit>,
    /// Read data ready.
    pub m_axi_ctl_rready: Signal<Out, Bit>,
    /// Write address.
    pub m_axi_ctl_awaddr: Signal<Out, Bits<64>>,
    /// Beats less one.
    pub m_axi_ctl_awlen: Signal<Out, Bits<8>>,
    /// log2 of a beat's bytes.
    pub m_axi_ctl_awsize: Signal<Out, Bits<3>>,
    /// INCR.
    pub m_axi_ctl_awburst: Signal<Out, Bits<2>>,
    /// Write address valid.
    pub m_axi_ctl_awvalid: Signal<Out, Bit>,
    /// Write address ready.
    pub m_axi_ctl_awready: Signal<In, Bit>,
    /// Write data.
    pub m_axi_ctl_wdata: Signal<Out, Bits<64>>,
    /// All bytes.
    pub m_axi_ctl_wstrb: Signal<Out, Bits<8>>,
    /// Last beat.
    pub m_axi_ctl_wlast: Signal<Out, Bit>,
    /// Write data valid.
    pub m_axi_ctl_wvalid: Signal<Out, Bit>,
    /// Write data ready.
    pub m_axi_ctl_wready: Signal<In, Bit>,
    /// Write response.
    pub m_axi_ctl_bresp: Signal<In, Bits<2>>,
    /// Write response valid.
    pub m_axi_ctl_bvalid: Signal<In, Bit>,
    /// Write response ready.
    pub m_axi_ctl_bready: Signal<Out, Bit>,

    /// One table entry to the engines.
    pub config_write: Signal<Out, ConfigWrite>,
    /// Nothing may enter an engine.
    pub hold: Signal<Out, Bit>,
    /// All stages of all engines are empty (AND of their `idle`); may rise a cycle after `hold` at the earliest.
    pub engines_idle: Signal<In, Bit>,

    /// WINDOW, packets.
    pub window: Signal<Out, Bits<8>>,
    /// RTO, ticks.
    pub rto: Signal<Out, Bits<32>>,
    /// MAX_RETRIES.
    pub max_retries: Signal<Out, Bits<4>>,
    /// ACK_EVERY, packets.
    pub ack_every: Signal<Out, Bits<8>>,
    /// log2 MTU, 8..=12.
    pub mtu_log2: Signal<Out, Bits<4>>,

    /// The next message; holds still until taken.
    pub message: Signal<Out, Message>,
    /// Its slot.
    pub message_slot: Signal<Out, Bits<4>>,
    /// Valid.
    pub message_valid: Signal<Out, Bit>,
    /// The transmit side takes it: it has no current message, or finishes it in this cycle.
    pub message_ready: Signal<In, Bit>,
    /// No WQE is posted that was not handed over.
    pub sq_idle: Signal<Out, Bit>,

    /// A packet is delivered (never one of a failed connection).
    pub delivered_valid: Signal<In, Bit>,
    /// Its message's slot.
    pub delivered_slot: Signal<In, Bits<4>>,
    /// The connection whose state the host side wants to know.
    pub failure_connection: Signal<Out, Bits<12>>,
    /// Its state, in the same cycle or the next: registers, or a RAM with bypass.
    pub failure: Signal<In, ConnectionFailure>,

    /// From the receive side.
    pub receive_counts: Signal<In, ReceiveCounts>,
    /// From the transmit side.
    pub transmit_counts: Signal<In, TransmitCounts>,
    /// One cycle each, by plane: a parser dropped a frame under this name.
    pub drop_foreign: [Signal<In, Bit>; N],
    /// Under this name.
    pub drop_malformed: [Signal<In, Bit>; N],
    /// Under this name.
    pub drop_bad_icrc: [Signal<In, Bit>; N],
    /// Under this name.
    pub drop_unknown_opcode: [Signal<In, Bit>; N],

    /// Commit trace: the next WQE is taken: it becomes the current message, or it is bad and ends at once.
    pub trace_message_valid: Signal<Out, Bit>,
    /// Commit trace: the oldest message completes.
    pub trace_retire_valid: Signal<Out, Bit>,
}

impl<const N: usize, const CA: usize, const M: usize, const MA: usize> HostSide<N, CA, M, MA> {
    /// `window`: W; `path_bits`: bits of a path number in its connection; `region_bits`: address bits of regions.
    pub fn new(window: usize, path_bits: usize, region_bits: usize) -> Self {
        assert!((1..=8).contains(&N), "1 to 8 planes");
        assert!(
            M == 1 << MA && (1..=4).contains(&MA),
            "2 to 16 message slots, a power of two"
        );
        let _ = (window, path_bits, region_bits);
        Self {
            clock: Default::default(),
            reset: Default::default(),
            s_axil_awaddr: Default::default(),
            s_axil_awvalid: Default::default(),
            s_axil_awready: Default::default(),
            s_axil_wdata: Default::default(),
            s_axil_wstrb: Default::default(),
            s_axil_wvalid: Default::default(),
            s_axil_wready: Default::default(),
            s_axil_bresp: Default::default(),
            s_axil_bvalid: Default::default(),
            s_axil_bready: Default::default(),
            s_axil_araddr: Default::default(),
            s_axil_arvalid: Default::default(),
            s_axil_arready: Default::default(),
            s_axil_rdata: Default::default(),
            s_axil_rresp: Default::default(),
            s_axil_rvalid: Default::default(),
            s_axil_rready: Default::default(),
            m_axi_ctl_araddr: Default::default(),
            m_axi_ctl_arlen: Default::default(),
            m_axi_ctl_arsize: Default::default(),
            m_axi_ctl_arburst: Default::default(),
            m_axi_ctl_arvalid: Default::default(),
            m_axi_ctl_arready: Default::default(),
            m_axi_ctl_rdata: Default::default(),
            m_axi_ctl_rresp: Default::default(),
            m_axi_ctl_rlast: Default::default(),
            m_axi_ctl_rvalid: Default::default(),
            m_axi_ctl_rready: Default::default(),
            m_axi_ctl_awaddr: Default::default(),
            m_axi_ctl_awlen: Default::default(),
            m_axi_ctl_awsize: Default::default(),
            m_axi_ctl_awburst: Default::default(),
            m_axi_ctl_awvalid: Default::default(),
            m_axi_ctl_awready: Default::default(),
            m_axi_ctl_wdata: Default::default(),
            m_axi_ctl_wstrb: Default::default(),
            m_axi_ctl_wlast: Default::default(),
            m_axi_ctl_wvalid: Default::default(),
            m_axi_ctl_wready: Default::default(),
            m_axi_ctl_bresp: Default::default(),
            m_axi_ctl_bvalid: Default::default(),
            m_axi_ctl_bready: Default::default(),
            config_write: Default::default(),
            hold: Default::default(),
            engines_idle: Default::default(),
            window: Default::default(),
            rto: Default::default(),
            max_retries: Default::default(),
            ack_every: Default::default(),
            mtu_log2: Default::default(),
            message: Default::default(),
            message_slot: Default::default(),
            message_valid: Default::default(),
            message_ready: Default::default(),
            sq_idle: Default::default(),
            delivered_valid: Default::default(),
            delivered_slot: Default::default(),
            failure_connection: Default::default(),
            failure: Default::default(),
            receive_counts: Default::default(),
            transmit_counts: Default::default(),
            drop_foreign: std::array::from_fn(|_| Default::default()),
            drop_malformed: std::array::from_fn(|_| Default::default()),
            drop_bad_icrc: std::array::from_fn(|_| Default::default()),
            drop_unknown_opcode: std::array::from_fn(|_| Default::default()),
            trace_message_valid: Default::default(),
            trace_retire_valid: Default::default(),
        }
    }
}

impl<const N: usize, const CA: usize, const M: usize, const MA: usize> Logic
    for HostSide<N, CA, M, MA>
{
    fn update(&mut self) {}
}
