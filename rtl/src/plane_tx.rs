//! One plane's transmit half: descriptors in, payload from host memory, frames out.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use metaroce_cores::axi_reader::{AxiReader, ReadCommand};
use metaroce_cores::deparser::Deparser;
use metaroce_cores::prim::Dff;
use metaroce_cores::skid_buffer::SkidBuffer;
use metaroce_cores::types::TxDescriptor;
use metaroce_protocol::Profile;
use rust_hdl::prelude::*;

/// Beats of the longest read burst: long enough to hide an address, short enough to share a memory.
const BURST_BEATS: usize = 16;

/// One plane's transmit half: a beat a cycle, no idle cycle between frames whose payload is there.
///
/// Payload is read as soon as its descriptor is taken, so the next frame's while this one leaves. A frame without payload
/// begins three cycles after its descriptor is taken.
///
/// `D` stream and AXI data bits (8 or 64), `K` = D / 8, `H` = 104 / K header beats, `A` = log2 of the payload FIFO's beats.
#[derive(LogicBlock)]
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
    answers: SkidBuffer<TxDescriptor>,
    frames: SkidBuffer<TxDescriptor>,
    reads: SkidBuffer<ReadCommand>,
    reader: AxiReader<D, K, A>,
    deparser: Deparser<D, K, H>,
    /// The frame under way is an answer.
    answering: Dff<Bit>,
    take_answer: Signal<Local, Bit>,
}

impl<const D: usize, const K: usize, const H: usize, const A: usize> PlaneTx<D, K, H, A> {
    /// `max_payload`: largest MTU in bytes; the payload FIFO must hold two of them.
    pub fn new(max_payload: usize, profile: Profile) -> Self {
        assert!(D == 8 * K && H * K == 104, "K is D / 8, H is 104 / K");
        assert!(
            K << A >= 2 * max_payload,
            "the payload FIFO holds two payloads of {max_payload} bytes"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            answer: Default::default(),
            answer_valid: Default::default(),
            answer_ready: Default::default(),
            data: Default::default(),
            data_valid: Default::default(),
            data_ready: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tkeep: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            m_axis_tlast: Default::default(),
            idle: Default::default(),
            read_error: Default::default(),
            m_axi_araddr: Default::default(),
            m_axi_arlen: Default::default(),
            m_axi_arsize: Default::default(),
            m_axi_arburst: Default::default(),
            m_axi_arvalid: Default::default(),
            m_axi_arready: Default::default(),
            m_axi_rdata: Default::default(),
            m_axi_rresp: Default::default(),
            m_axi_rlast: Default::default(),
            m_axi_rvalid: Default::default(),
            m_axi_rready: Default::default(),
            answers: Default::default(),
            frames: Default::default(),
            reads: Default::default(),
            reader: AxiReader::new(BURST_BEATS),
            deparser: Deparser::new(profile.tracks_messages(), profile.answers_reads()),
            answering: Default::default(),
            take_answer: Default::default(),
        }
    }
}

impl<const D: usize, const K: usize, const H: usize, const A: usize> Logic for PlaneTx<D, K, H, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, answering);
        self.answers.clock.next = self.clock.val();
        self.answers.reset.next = self.reset.val();
        self.frames.clock.next = self.clock.val();
        self.frames.reset.next = self.reset.val();
        self.reads.clock.next = self.clock.val();
        self.reads.reset.next = self.reset.val();
        self.reader.clock.next = self.clock.val();
        self.reader.reset.next = self.reset.val();
        self.deparser.clock.next = self.clock.val();
        self.deparser.reset.next = self.reset.val();

        // Descriptors; an answer has no payload, so needs no registers for it.
        self.answers.push.next = self.answer.val();
        self.answers.push.next.payload = 0.into();
        self.answers.push.next.local_address = 0.into();
        self.answers.push_valid.next = self.answer_valid.val();
        self.answer_ready.next = self.answers.push_ready.val();
        self.data_ready.next = self.frames.push_ready.val() && self.reads.push_ready.val();
        self.frames.push.next = self.data.val();
        self.frames.push.next.local_address = 0.into();
        self.frames.push_valid.next = self.data_valid.val() && self.data_ready.val();
        self.reads.push.next.address = self.data.val().local_address;
        self.reads.push.next.length = self.data.val().payload;
        self.reads.push_valid.next =
            self.data_valid.val() && self.data_ready.val() && self.data.val().payload.any();

        // Payload.
        self.reader.command.next = self.reads.pop.val();
        self.reader.command_valid.next = self.reads.pop_valid.val();
        self.reads.pop_ready.next = self.reader.command_ready.val();
        self.deparser.beat.next = self.reader.beat.val();
        self.deparser.beat_valid.next = self.reader.beat_valid.val();
        self.reader.beat_ready.next = self.deparser.beat_ready.val();
        self.read_error.next = self.reader.error.val();

        // Which frame: decided until its first beat has passed.
        self.take_answer.next = self.answers.pop_valid.val();
        if self.deparser.in_frame.val() {
            self.take_answer.next = self.answering.q.val();
        }
        self.answering.d.next = self.take_answer.val();
        self.deparser.descriptor.next = self.frames.pop.val();
        self.deparser.descriptor_valid.next = self.frames.pop_valid.val();
        self.answers.pop_ready.next = false;
        self.frames.pop_ready.next = self.deparser.descriptor_ready.val();
        if self.take_answer.val() {
            self.deparser.descriptor.next = self.answers.pop.val();
            self.deparser.descriptor_valid.next = self.answers.pop_valid.val();
            self.answers.pop_ready.next = self.deparser.descriptor_ready.val();
            self.frames.pop_ready.next = false;
        }
        self.idle.next = self.deparser.idle.val()
            && !self.answers.pop_valid.val()
            && !self.frames.pop_valid.val();

        self.m_axis_tdata.next = self.deparser.m_axis_tdata.val();
        self.m_axis_tkeep.next = self.deparser.m_axis_tkeep.val();
        self.m_axis_tvalid.next = self.deparser.m_axis_tvalid.val();
        self.m_axis_tlast.next = self.deparser.m_axis_tlast.val();
        self.deparser.m_axis_tready.next = self.m_axis_tready.val();
        self.m_axi_araddr.next = self.reader.m_axi_araddr.val();
        self.m_axi_arlen.next = self.reader.m_axi_arlen.val();
        self.m_axi_arsize.next = self.reader.m_axi_arsize.val();
        self.m_axi_arburst.next = self.reader.m_axi_arburst.val();
        self.m_axi_arvalid.next = self.reader.m_axi_arvalid.val();
        self.reader.m_axi_arready.next = self.m_axi_arready.val();
        self.reader.m_axi_rdata.next = self.m_axi_rdata.val();
        self.reader.m_axi_rresp.next = self.m_axi_rresp.val();
        self.reader.m_axi_rlast.next = self.m_axi_rlast.val();
        self.reader.m_axi_rvalid.next = self.m_axi_rvalid.val();
        self.m_axi_rready.next = self.reader.m_axi_rready.val();
    }
}
