//! One plane's transmit half: descriptors in, payload from host memory, frames out.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use metaroce_cores::types::TxDescriptor;
use rust_hdl::prelude::*;

/// One plane's transmit half.
///
/// `D` stream and AXI data bits (8 or 64), `K` = D / 8, `H` = 104 / K header beats, `A` = log2 of the payload FIFO's beats.
#[derive(LogicBlock, Default)]
pub struct PlaneTx<const D: usize, const K: usize, const H: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A frame without payload that goes before `data` at the next frame boundary (ACK, REFUSAL).
    pub answer: Signal<In, TxDescriptor>,
    pub answer_valid: Signal<In, Bit>,
    /// A whole descriptor can be taken now; falls only by a transfer.
    pub answer_ready: Signal<Out, Bit>,
    /// A frame with or without payload (WRITE, PROBE).
    pub data: Signal<In, TxDescriptor>,
    pub data_valid: Signal<In, Bit>,
    /// A whole descriptor can be taken now; falls only by a transfer.
    pub data_ready: Signal<Out, Bit>,
    /// Frames to the MAC: data.
    pub m_axis_tdata: Signal<Out, Bits<D>>,
    /// Bytes that count, from bit 0 up.
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    /// Last beat of the frame.
    pub m_axis_tlast: Signal<Out, Bit>,
    /// Nothing waits and nothing is under way.
    pub idle: Signal<Out, Bit>,
    /// One cycle: memory answered a read with an error; the frame goes out with a broken ICRC.
    pub read_error: Signal<Out, Bit>,
    pub m_axi_araddr: Signal<Out, Bits<64>>,
    pub m_axi_arlen: Signal<Out, Bits<8>>,
    pub m_axi_arsize: Signal<Out, Bits<3>>,
    pub m_axi_arburst: Signal<Out, Bits<2>>,
    pub m_axi_arvalid: Signal<Out, Bit>,
    pub m_axi_arready: Signal<In, Bit>,
    pub m_axi_rdata: Signal<In, Bits<D>>,
    pub m_axi_rresp: Signal<In, Bits<2>>,
    pub m_axi_rlast: Signal<In, Bit>,
    pub m_axi_rvalid: Signal<In, Bit>,
    pub m_axi_rready: Signal<Out, Bit>,
}

impl<const D: usize, const K: usize, const H: usize, const A: usize> PlaneTx<D, K, H, A> {
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

impl<const D: usize, const K: usize, const H: usize, const A: usize> Logic for PlaneTx<D, K, H, A> {
    fn update(&mut self) {}
}
