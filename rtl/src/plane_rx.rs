//! One plane's receive half: frames in, events out, payload to host memory.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use metaroce_cores::types::{FrameEvent, Placement};
use rust_hdl::prelude::*;

/// One plane's receive half.
///
/// `D` stream and AXI data bits (8 or 64), `K` = D / 8, `H` = 104 / K header beats, `A` = log2 of the payload FIFO's beats.
#[derive(LogicBlock, Default)]
pub struct PlaneRx<const D: usize, const K: usize, const H: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Frames from the MAC: data.
    pub s_axis_tdata: Signal<In, Bits<D>>,
    /// Bytes that count, from bit 0 up.
    pub s_axis_tkeep: Signal<In, Bits<K>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tready: Signal<Out, Bit>,
    /// Last beat of the frame.
    pub s_axis_tlast: Signal<In, Bit>,
    /// A checked WRITE or PROBE, for the receive engine.
    pub receive: Signal<Out, FrameEvent>,
    pub receive_valid: Signal<Out, Bit>,
    pub receive_ready: Signal<In, Bit>,
    /// A checked ACK or REFUSAL, for the ACK engine.
    pub acknowledge: Signal<Out, FrameEvent>,
    pub acknowledge_valid: Signal<Out, Bit>,
    pub acknowledge_ready: Signal<In, Bit>,
    /// What becomes of each WRITE's payload, one for each WRITE event (also of an empty one), in their order;
    /// `length` is the event's `payload` also if it is not accepted.
    pub placement: Signal<In, Placement>,
    pub placement_valid: Signal<In, Bit>,
    pub placement_ready: Signal<Out, Bit>,
    /// One cycle each: a frame ended here, under this name.
    pub drop_foreign: Signal<Out, Bit>,
    pub drop_malformed: Signal<Out, Bit>,
    pub drop_bad_icrc: Signal<Out, Bit>,
    pub drop_unknown_opcode: Signal<Out, Bit>,
    /// No placement waits and every write was answered.
    pub idle: Signal<Out, Bit>,
    /// One cycle: memory answered a write with an error.
    pub write_error: Signal<Out, Bit>,
    pub m_axi_awaddr: Signal<Out, Bits<64>>,
    pub m_axi_awlen: Signal<Out, Bits<8>>,
    pub m_axi_awsize: Signal<Out, Bits<3>>,
    pub m_axi_awburst: Signal<Out, Bits<2>>,
    pub m_axi_awvalid: Signal<Out, Bit>,
    pub m_axi_awready: Signal<In, Bit>,
    pub m_axi_wdata: Signal<Out, Bits<D>>,
    pub m_axi_wstrb: Signal<Out, Bits<K>>,
    pub m_axi_wlast: Signal<Out, Bit>,
    pub m_axi_wvalid: Signal<Out, Bit>,
    pub m_axi_wready: Signal<In, Bit>,
    pub m_axi_bresp: Signal<In, Bits<2>>,
    pub m_axi_bvalid: Signal<In, Bit>,
    pub m_axi_bready: Signal<Out, Bit>,
}

impl<const D: usize, const K: usize, const H: usize, const A: usize> PlaneRx<D, K, H, A> {
    /// `max_payload`: largest MTU in bytes; the payload FIFO must hold two of them.
    pub fn new(max_payload: usize) -> Self {
        assert!(D == 8 * K && H * K == 104, "K is D / 8, H is 104 / K");
        assert!(
            K << A >= 2 * max_payload,
            "the payload FIFO holds two payloads of {max_payload} bytes"
        );
        Self::default()
    }
}

impl<const D: usize, const K: usize, const H: usize, const A: usize> Logic for PlaneRx<D, K, H, A> {
    fn update(&mut self) {}
}
