//! One plane's transmit half: descriptors in, payload from host memory, frames out.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use metaroce_cores::axi_reader::{AxiReader, ReadCommand};
use metaroce_cores::deparser::Deparser;
use metaroce_cores::frame_kind::FrameKind;
use metaroce_cores::lut_fifo::LutFifo;
use metaroce_cores::prim::Dff;
use metaroce_cores::skid_buffer::SkidBuffer;
use metaroce_cores::types::TxDescriptor;
use metaroce_cores::wide_deparser::WideDeparser;
use metaroce_cores::wide_reader::{PlacedRead, WideReader};
use metaroce_protocol::Profile;
use rust_hdl::prelude::*;

/// Beats of the longest read burst: long enough to hide an address, short enough to share a memory.
const BURST_BEATS: usize = 16;

/// One plane's transmit half: a beat a cycle, no idle cycle between frames whose payload is there.
///
/// Payload is read as soon as its descriptor is taken, so the next frame's while this one leaves. A frame without payload
/// begins three cycles after its descriptor is taken, 16 with wide beats.
///
/// `D` stream and AXI data bits (8, 64, 256, 512), `K` = D / 8, `H` = 104 / K header beats, rounded up, `A` = log2 of the
/// payload FIFO's beats. `NB`, `WB`: 1 and 0 for narrow beats (8, 64), 0 and 1 for wide ones.
#[derive(LogicBlock)]
pub struct PlaneTx<
    const D: usize,
    const K: usize,
    const H: usize,
    const A: usize,
    const NB: usize = 1,
    const WB: usize = 0,
> {
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
    frames: [SkidBuffer<TxDescriptor>; NB],
    /// Deep enough for memory to bring the payload of short frames in time.
    wide_frames: [LutFifo<TxDescriptor, 4>; WB],
    reads: [SkidBuffer<ReadCommand>; NB],
    reader: [AxiReader<D, K, A>; NB],
    deparser: [Deparser<D, K, H>; NB],
    wide_kind: [FrameKind; WB],
    wide_reads: [SkidBuffer<PlacedRead>; WB],
    wide_reader: [WideReader<D, K, A>; WB],
    wide_deparser: [WideDeparser<D, K>; WB],
    /// The frame under way is an answer.
    answering: Dff<Bit>,
    take_answer: Signal<Local, Bit>,
    frame: Signal<Local, TxDescriptor>,
    frame_valid: Signal<Local, Bit>,
    frames_ready: Signal<Local, Bit>,
    oldest: Signal<Local, TxDescriptor>,
    oldest_valid: Signal<Local, Bit>,
    oldest_ready: Signal<Local, Bit>,
    chosen: Signal<Local, TxDescriptor>,
    chosen_valid: Signal<Local, Bit>,
    chosen_ready: Signal<Local, Bit>,
    stays: Signal<Local, Bit>,
    read: Signal<Local, ReadCommand>,
    placed_read: Signal<Local, PlacedRead>,
    header_bytes: Signal<Local, Bits<7>>,
    reads_ready: Signal<Local, Bit>,
    frames_idle: Signal<Local, Bit>,
    lane_mask: Constant<Bits<7>>,
}

impl<const D: usize, const K: usize, const H: usize, const A: usize> PlaneTx<D, K, H, A> {
    /// With narrow beats. `max_payload`: largest MTU in bytes; the payload FIFO must hold two of them.
    pub fn new(max_payload: usize, profile: Profile) -> Self {
        Self::of(max_payload, profile)
    }
}

impl<const D: usize, const K: usize, const H: usize, const A: usize> PlaneTx<D, K, H, A, 0, 1> {
    /// With wide beats.
    pub fn wide(max_payload: usize, profile: Profile) -> Self {
        Self::of(max_payload, profile)
    }
}

impl<
    const D: usize,
    const K: usize,
    const H: usize,
    const A: usize,
    const NB: usize,
    const WB: usize,
> PlaneTx<D, K, H, A, NB, WB>
{
    /// With beats of either kind.
    pub fn of(max_payload: usize, profile: Profile) -> Self {
        assert!(NB + WB == 1, "beats are narrow or wide");
        assert!(
            D == 8 * K && H == 104usize.div_ceil(K),
            "K is D / 8, H is 104 / K"
        );
        let (messages, reads) = (profile.tracks_messages(), profile.answers_reads());
        assert!(NB == 1 || !reads, "wide planes know no Reads yet");
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
            frames: std::array::from_fn(|_| Default::default()),
            wide_frames: std::array::from_fn(|_| Default::default()),
            reads: std::array::from_fn(|_| Default::default()),
            reader: std::array::from_fn(|_| AxiReader::new(BURST_BEATS)),
            deparser: std::array::from_fn(|_| Deparser::new(messages, reads)),
            wide_kind: std::array::from_fn(|_| FrameKind::new(messages)),
            wide_reads: std::array::from_fn(|_| Default::default()),
            wide_reader: std::array::from_fn(|_| WideReader::new(BURST_BEATS)),
            wide_deparser: std::array::from_fn(|_| WideDeparser::new(messages)),
            answering: Default::default(),
            take_answer: Default::default(),
            frame: Default::default(),
            frame_valid: Default::default(),
            frames_ready: Default::default(),
            oldest: Default::default(),
            oldest_valid: Default::default(),
            oldest_ready: Default::default(),
            chosen: Default::default(),
            chosen_valid: Default::default(),
            chosen_ready: Default::default(),
            stays: Default::default(),
            read: Default::default(),
            placed_read: Default::default(),
            header_bytes: Default::default(),
            reads_ready: Default::default(),
            frames_idle: Default::default(),
            lane_mask: Constant::new((K as u64 - 1).into()),
        }
    }
}

impl<
    const D: usize,
    const K: usize,
    const H: usize,
    const A: usize,
    const NB: usize,
    const WB: usize,
> Logic for PlaneTx<D, K, H, A, NB, WB>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, answering);
        self.answers.clock.next = self.clock.val();
        self.answers.reset.next = self.reset.val();

        // Descriptors; an answer has no payload, so needs no registers for it.
        self.answers.push.next = self.answer.val();
        self.answers.push.next.payload = 0.into();
        self.answers.push.next.local_address = 0.into();
        self.answers.push_valid.next = self.answer_valid.val();
        self.answer_ready.next = self.answers.push_ready.val();
        self.data_ready.next = self.frames_ready.val() && self.reads_ready.val();
        self.frame.next = self.data.val();
        self.frame.next.local_address = 0.into();
        self.frame_valid.next = self.data_valid.val() && self.data_ready.val();

        // Which frame: decided until its first beat has passed, or until a wide deparser has taken it.
        self.take_answer.next = self.answers.pop_valid.val();
        if self.stays.val() {
            self.take_answer.next = self.answering.q.val();
        }
        self.answering.d.next = self.take_answer.val();
        self.chosen.next = self.oldest.val();
        self.chosen_valid.next = self.oldest_valid.val();
        self.answers.pop_ready.next = false;
        self.oldest_ready.next = self.chosen_ready.val();
        if self.take_answer.val() {
            self.chosen.next = self.answers.pop.val();
            self.chosen_valid.next = self.answers.pop_valid.val();
            self.answers.pop_ready.next = self.chosen_ready.val();
            self.oldest_ready.next = false;
        }
        self.idle.next =
            self.frames_idle.val() && !self.answers.pop_valid.val() && !self.oldest_valid.val();

        // Narrow beats.
        for i in 0..NB {
            self.frames[i].clock.next = self.clock.val();
            self.frames[i].reset.next = self.reset.val();
            self.frames[i].push.next = self.frame.val();
            self.frames[i].push_valid.next = self.frame_valid.val();
            self.frames_ready.next = self.frames[i].push_ready.val();
            self.oldest.next = self.frames[i].pop.val();
            self.oldest_valid.next = self.frames[i].pop_valid.val();
            self.frames[i].pop_ready.next = self.oldest_ready.val();
            self.reads[i].clock.next = self.clock.val();
            self.reads[i].reset.next = self.reset.val();
            self.reader[i].clock.next = self.clock.val();
            self.reader[i].reset.next = self.reset.val();
            self.deparser[i].clock.next = self.clock.val();
            self.deparser[i].reset.next = self.reset.val();
            self.reads_ready.next = self.reads[i].push_ready.val();
            self.read.next.address = self.data.val().local_address;
            self.read.next.length = self.data.val().payload;
            self.reads[i].push.next = self.read.val();
            self.reads[i].push_valid.next =
                self.data_valid.val() && self.data_ready.val() && self.data.val().payload.any();
            self.reader[i].command.next = self.reads[i].pop.val();
            self.reader[i].command_valid.next = self.reads[i].pop_valid.val();
            self.reads[i].pop_ready.next = self.reader[i].command_ready.val();
            self.deparser[i].descriptor.next = self.chosen.val();
            self.deparser[i].descriptor_valid.next = self.chosen_valid.val();
            self.chosen_ready.next = self.deparser[i].descriptor_ready.val();
            self.deparser[i].beat.next = self.reader[i].beat.val();
            self.deparser[i].beat_valid.next = self.reader[i].beat_valid.val();
            self.reader[i].beat_ready.next = self.deparser[i].beat_ready.val();
            self.read_error.next = self.reader[i].error.val();
            self.stays.next = self.deparser[i].in_frame.val();
            self.frames_idle.next = self.deparser[i].idle.val();
            self.m_axis_tdata.next = self.deparser[i].m_axis_tdata.val();
            self.m_axis_tkeep.next = self.deparser[i].m_axis_tkeep.val();
            self.m_axis_tvalid.next = self.deparser[i].m_axis_tvalid.val();
            self.m_axis_tlast.next = self.deparser[i].m_axis_tlast.val();
            self.deparser[i].m_axis_tready.next = self.m_axis_tready.val();
            self.m_axi_araddr.next = self.reader[i].m_axi_araddr.val();
            self.m_axi_arlen.next = self.reader[i].m_axi_arlen.val();
            self.m_axi_arsize.next = self.reader[i].m_axi_arsize.val();
            self.m_axi_arburst.next = self.reader[i].m_axi_arburst.val();
            self.m_axi_arvalid.next = self.reader[i].m_axi_arvalid.val();
            self.reader[i].m_axi_arready.next = self.m_axi_arready.val();
            self.reader[i].m_axi_rdata.next = self.m_axi_rdata.val();
            self.reader[i].m_axi_rresp.next = self.m_axi_rresp.val();
            self.reader[i].m_axi_rlast.next = self.m_axi_rlast.val();
            self.reader[i].m_axi_rvalid.next = self.m_axi_rvalid.val();
            self.m_axi_rready.next = self.reader[i].m_axi_rready.val();
        }

        // Wide ones: payload comes as it lies in its frame.
        for i in 0..WB {
            self.wide_frames[i].clock.next = self.clock.val();
            self.wide_frames[i].reset.next = self.reset.val();
            self.wide_frames[i].push.next = self.frame.val();
            self.wide_frames[i].push_valid.next = self.frame_valid.val();
            self.frames_ready.next = self.wide_frames[i].push_ready.val();
            self.oldest.next = self.wide_frames[i].pop.val();
            self.oldest_valid.next = self.wide_frames[i].pop_valid.val();
            self.wide_frames[i].pop_ready.next = self.oldest_ready.val();
            self.wide_reads[i].clock.next = self.clock.val();
            self.wide_reads[i].reset.next = self.reset.val();
            self.wide_reader[i].clock.next = self.clock.val();
            self.wide_reader[i].reset.next = self.reset.val();
            self.wide_deparser[i].clock.next = self.clock.val();
            self.wide_deparser[i].reset.next = self.reset.val();
            self.reads_ready.next = self.wide_reads[i].push_ready.val();
            self.wide_kind[i].opcode.next = self.data.val().opcode;
            self.placed_read.next.address = self.data.val().local_address;
            self.placed_read.next.length = self.data.val().payload;
            self.header_bytes.next = self.wide_kind[i].header_bytes.val();
            self.placed_read.next.lane =
                bit_cast::<6, 7>(self.header_bytes.val() & self.lane_mask.val());
            self.wide_reads[i].push.next = self.placed_read.val();
            self.wide_reads[i].push_valid.next =
                self.data_valid.val() && self.data_ready.val() && self.data.val().payload.any();
            self.wide_reader[i].command.next = self.wide_reads[i].pop.val();
            self.wide_reader[i].command_valid.next = self.wide_reads[i].pop_valid.val();
            self.wide_reads[i].pop_ready.next = self.wide_reader[i].command_ready.val();
            self.wide_deparser[i].descriptor.next = self.chosen.val();
            self.wide_deparser[i].descriptor_valid.next = self.chosen_valid.val();
            self.chosen_ready.next = self.wide_deparser[i].descriptor_ready.val();
            self.wide_deparser[i].beat.next = self.wide_reader[i].beat.val();
            self.wide_deparser[i].beat_valid.next = self.wide_reader[i].beat_valid.val();
            self.wide_reader[i].beat_ready.next = self.wide_deparser[i].beat_ready.val();
            self.read_error.next = self.wide_reader[i].error.val();
            self.stays.next = self.wide_deparser[i].in_frame.val();
            self.frames_idle.next = self.wide_deparser[i].idle.val();
            self.m_axis_tdata.next = self.wide_deparser[i].m_axis_tdata.val();
            self.m_axis_tkeep.next = self.wide_deparser[i].m_axis_tkeep.val();
            self.m_axis_tvalid.next = self.wide_deparser[i].m_axis_tvalid.val();
            self.m_axis_tlast.next = self.wide_deparser[i].m_axis_tlast.val();
            self.wide_deparser[i].m_axis_tready.next = self.m_axis_tready.val();
            self.m_axi_araddr.next = self.wide_reader[i].m_axi_araddr.val();
            self.m_axi_arlen.next = self.wide_reader[i].m_axi_arlen.val();
            self.m_axi_arsize.next = self.wide_reader[i].m_axi_arsize.val();
            self.m_axi_arburst.next = self.wide_reader[i].m_axi_arburst.val();
            self.m_axi_arvalid.next = self.wide_reader[i].m_axi_arvalid.val();
            self.wide_reader[i].m_axi_arready.next = self.m_axi_arready.val();
            self.wide_reader[i].m_axi_rdata.next = self.m_axi_rdata.val();
            self.wide_reader[i].m_axi_rresp.next = self.m_axi_rresp.val();
            self.wide_reader[i].m_axi_rlast.next = self.m_axi_rlast.val();
            self.wide_reader[i].m_axi_rvalid.next = self.m_axi_rvalid.val();
            self.m_axi_rready.next = self.wide_reader[i].m_axi_rready.val();
        }
    }
}
