//! One plane's receive half: frames in, events out, payload to host memory.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use metaroce_cores::axi_writer::AxiWriter;
use metaroce_cores::parser::Parser;
use metaroce_cores::skid_buffer::SkidBuffer;
use metaroce_cores::stream_fifo::FrameFifo;
use metaroce_cores::types::{FrameEvent, Placement, WriteProgress};
use metaroce_cores::wide_parser::WideParser;
use metaroce_cores::wide_writer::WideWriter;
use metaroce_protocol::Profile;
use rust_hdl::prelude::*;

/// Beats of the longest write burst: long enough to hide an address, short enough to share a memory.
const BURST_BEATS: usize = 16;
/// Beats for which a wide parser needs room when it opens its door.
const MARGIN_BEATS: usize = 16;

/// One plane's receive half: a beat a cycle, frames back to back.
///
/// A frame's event comes three cycles after its last beat (14 with wide beats); the first address of its write two cycles after its placement,
/// or after the write before it. Payload waits in the FIFO until then: nothing unverified reaches memory.
///
/// `D` stream and AXI data bits (8, 64, 256, 512), `K` = D / 8, `H` = 104 / K header beats, rounded up, `A` = log2 of the
/// payload FIFO's beats. `NB`, `WB`: 1 and 0 for narrow beats (8, 64), 0 and 1 for wide ones.
#[derive(LogicBlock)]
pub struct PlaneRx<
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
    /// Frames from the MAC: data.
    pub s_axis_tdata: Signal<In, Bits<D>>,
    /// Bytes that count, from bit 0 up.
    pub s_axis_tkeep: Signal<In, Bits<K>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    pub s_axis_tready: Signal<Out, Bit>,
    /// Last beat of the frame.
    pub s_axis_tlast: Signal<In, Bit>,
    /// A checked Data or PROBE, for the receive engine.
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
    /// What its writer does.
    pub progress: Signal<Out, WriteProgress>,
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
    parser: [Parser<D, K, H>; NB],
    wide_parser: [WideParser<D, K, H>; WB],
    fifo: FrameFifo<Bits<D>, A>,
    placements: SkidBuffer<Placement>,
    writer: [AxiWriter<D, K>; NB],
    wide_writer: [WideWriter<D, K>; WB],
    margin: Constant<Bits<A>>,
}

impl<const D: usize, const K: usize, const H: usize, const A: usize> PlaneRx<D, K, H, A> {
    /// With narrow beats. `max_payload`: largest MTU in bytes; the payload FIFO must hold two of them.
    pub fn new(max_payload: usize, profile: Profile) -> Self {
        Self::of(max_payload, profile)
    }
}

impl<const D: usize, const K: usize, const H: usize, const A: usize> PlaneRx<D, K, H, A, 0, 1> {
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
> PlaneRx<D, K, H, A, NB, WB>
{
    /// With beats of either kind.
    pub fn of(max_payload: usize, profile: Profile) -> Self {
        assert!(NB + WB == 1, "beats are narrow or wide");
        assert!(
            D == 8 * K && H == 104usize.div_ceil(K),
            "K is D / 8, H is 104 / K"
        );
        assert!(
            K << A >= 2 * max_payload
                && (WB == 0 || (1 << A) > max_payload.div_ceil(K) + MARGIN_BEATS),
            "the payload FIFO holds two payloads of {max_payload} bytes, and what is on its way"
        );
        let (messages, reads) = (profile.tracks_messages(), profile.answers_reads());
        assert!(NB == 1 || !reads, "wide planes know no Reads yet");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            s_axis_tdata: Default::default(),
            s_axis_tkeep: Default::default(),
            s_axis_tvalid: Default::default(),
            s_axis_tready: Default::default(),
            s_axis_tlast: Default::default(),
            receive: Default::default(),
            receive_valid: Default::default(),
            receive_ready: Default::default(),
            acknowledge: Default::default(),
            acknowledge_valid: Default::default(),
            acknowledge_ready: Default::default(),
            placement: Default::default(),
            placement_valid: Default::default(),
            placement_ready: Default::default(),
            drop_foreign: Default::default(),
            drop_malformed: Default::default(),
            drop_bad_icrc: Default::default(),
            drop_unknown_opcode: Default::default(),
            progress: Default::default(),
            idle: Default::default(),
            write_error: Default::default(),
            m_axi_awaddr: Default::default(),
            m_axi_awlen: Default::default(),
            m_axi_awsize: Default::default(),
            m_axi_awburst: Default::default(),
            m_axi_awvalid: Default::default(),
            m_axi_awready: Default::default(),
            m_axi_wdata: Default::default(),
            m_axi_wstrb: Default::default(),
            m_axi_wlast: Default::default(),
            m_axi_wvalid: Default::default(),
            m_axi_wready: Default::default(),
            m_axi_bresp: Default::default(),
            m_axi_bvalid: Default::default(),
            m_axi_bready: Default::default(),
            parser: std::array::from_fn(|_| Parser::new(max_payload, messages, reads)),
            wide_parser: std::array::from_fn(|_| WideParser::new(max_payload, messages)),
            fifo: Default::default(),
            placements: Default::default(),
            writer: std::array::from_fn(|_| AxiWriter::new(BURST_BEATS)),
            wide_writer: std::array::from_fn(|_| WideWriter::new(BURST_BEATS)),
            margin: Constant::new((MARGIN_BEATS as u64).into()),
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
> Logic for PlaneRx<D, K, H, A, NB, WB>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.fifo.clock.next = self.clock.val();
        self.fifo.reset.next = self.reset.val();
        self.placements.clock.next = self.clock.val();
        self.placements.reset.next = self.reset.val();
        self.placements.push.next = self.placement.val();
        self.placements.push_valid.next = self.placement_valid.val();
        self.placement_ready.next = self.placements.push_ready.val();

        // Narrow beats.
        for i in 0..NB {
            self.parser[i].clock.next = self.clock.val();
            self.parser[i].reset.next = self.reset.val();
            self.parser[i].s_axis_tdata.next = self.s_axis_tdata.val();
            self.parser[i].s_axis_tkeep.next = self.s_axis_tkeep.val();
            self.parser[i].s_axis_tvalid.next = self.s_axis_tvalid.val();
            self.parser[i].s_axis_tlast.next = self.s_axis_tlast.val();
            self.s_axis_tready.next = self.parser[i].s_axis_tready.val();
            self.receive.next = self.parser[i].frame_event.val();
            self.receive_valid.next = self.parser[i].receive_valid.val();
            self.parser[i].receive_ready.next = self.receive_ready.val();
            self.acknowledge.next = self.parser[i].frame_event.val();
            self.acknowledge_valid.next = self.parser[i].acknowledge_valid.val();
            self.parser[i].acknowledge_ready.next = self.acknowledge_ready.val();
            self.drop_foreign.next = self.parser[i].drop_foreign.val();
            self.drop_malformed.next = self.parser[i].drop_malformed.val();
            self.drop_bad_icrc.next = self.parser[i].drop_bad_icrc.val();
            self.drop_unknown_opcode.next = self.parser[i].drop_unknown_opcode.val();
            self.fifo.push.next = self.parser[i].payload.val();
            self.fifo.push_valid.next = self.parser[i].payload_valid.val();
            self.parser[i].payload_ready.next = self.fifo.push_ready.val();
            self.fifo.commit.next = self.parser[i].payload_commit.val();
            self.fifo.rollback.next = self.parser[i].payload_rollback.val();
            self.writer[i].clock.next = self.clock.val();
            self.writer[i].reset.next = self.reset.val();
            self.writer[i].command_write.next = self.placements.pop.val().accept;
            self.writer[i].command_address.next = self.placements.pop.val().address;
            self.writer[i].command_length.next = self.placements.pop.val().length;
            self.writer[i].command_valid.next = self.placements.pop_valid.val();
            self.placements.pop_ready.next = self.writer[i].command_ready.val();
            self.writer[i].beat.next = self.fifo.pop.val();
            self.writer[i].beat_valid.next = self.fifo.pop_valid.val();
            self.fifo.pop_ready.next = self.writer[i].beat_ready.val();
            self.progress.next = self.writer[i].progress.val();
            self.write_error.next = self.writer[i].error.val();
            self.m_axi_awaddr.next = self.writer[i].m_axi_awaddr.val();
            self.m_axi_awlen.next = self.writer[i].m_axi_awlen.val();
            self.m_axi_awsize.next = self.writer[i].m_axi_awsize.val();
            self.m_axi_awburst.next = self.writer[i].m_axi_awburst.val();
            self.m_axi_awvalid.next = self.writer[i].m_axi_awvalid.val();
            self.writer[i].m_axi_awready.next = self.m_axi_awready.val();
            self.m_axi_wdata.next = self.writer[i].m_axi_wdata.val();
            self.m_axi_wstrb.next = self.writer[i].m_axi_wstrb.val();
            self.m_axi_wlast.next = self.writer[i].m_axi_wlast.val();
            self.m_axi_wvalid.next = self.writer[i].m_axi_wvalid.val();
            self.writer[i].m_axi_wready.next = self.m_axi_wready.val();
            self.writer[i].m_axi_bresp.next = self.m_axi_bresp.val();
            self.writer[i].m_axi_bvalid.next = self.m_axi_bvalid.val();
            self.m_axi_bready.next = self.writer[i].m_axi_bready.val();
            self.idle.next = self.writer[i].idle.val() && !self.placements.pop_valid.val();
        }

        // Wide ones.
        for i in 0..WB {
            self.wide_parser[i].clock.next = self.clock.val();
            self.wide_parser[i].reset.next = self.reset.val();
            self.wide_parser[i].s_axis_tdata.next = self.s_axis_tdata.val();
            self.wide_parser[i].s_axis_tkeep.next = self.s_axis_tkeep.val();
            self.wide_parser[i].s_axis_tvalid.next = self.s_axis_tvalid.val();
            self.wide_parser[i].s_axis_tlast.next = self.s_axis_tlast.val();
            self.s_axis_tready.next = self.wide_parser[i].s_axis_tready.val();
            self.receive.next = self.wide_parser[i].frame_event.val();
            self.receive_valid.next = self.wide_parser[i].receive_valid.val();
            self.wide_parser[i].receive_ready.next = self.receive_ready.val();
            self.acknowledge.next = self.wide_parser[i].frame_event.val();
            self.acknowledge_valid.next = self.wide_parser[i].acknowledge_valid.val();
            self.wide_parser[i].acknowledge_ready.next = self.acknowledge_ready.val();
            self.drop_foreign.next = self.wide_parser[i].drop_foreign.val();
            self.drop_malformed.next = self.wide_parser[i].drop_malformed.val();
            self.drop_bad_icrc.next = self.wide_parser[i].drop_bad_icrc.val();
            self.drop_unknown_opcode.next = self.wide_parser[i].drop_unknown_opcode.val();
            self.fifo.push.next = self.wide_parser[i].payload.val();
            self.fifo.push_valid.next = self.wide_parser[i].payload_valid.val();
            self.wide_parser[i].payload_ready.next = !self.fifo.level.val() >= self.margin.val();
            self.fifo.commit.next = self.wide_parser[i].payload_commit.val();
            self.fifo.rollback.next = self.wide_parser[i].payload_rollback.val();
            self.wide_writer[i].clock.next = self.clock.val();
            self.wide_writer[i].reset.next = self.reset.val();
            self.wide_writer[i].command_write.next = self.placements.pop.val().accept;
            self.wide_writer[i].command_address.next = self.placements.pop.val().address;
            self.wide_writer[i].command_length.next = self.placements.pop.val().length;
            self.wide_writer[i].command_valid.next = self.placements.pop_valid.val();
            self.placements.pop_ready.next = self.wide_writer[i].command_ready.val();
            self.wide_writer[i].beat.next = self.fifo.pop.val();
            self.wide_writer[i].beat_valid.next = self.fifo.pop_valid.val();
            self.fifo.pop_ready.next = self.wide_writer[i].beat_ready.val();
            self.progress.next = self.wide_writer[i].progress.val();
            self.write_error.next = self.wide_writer[i].error.val();
            self.m_axi_awaddr.next = self.wide_writer[i].m_axi_awaddr.val();
            self.m_axi_awlen.next = self.wide_writer[i].m_axi_awlen.val();
            self.m_axi_awsize.next = self.wide_writer[i].m_axi_awsize.val();
            self.m_axi_awburst.next = self.wide_writer[i].m_axi_awburst.val();
            self.m_axi_awvalid.next = self.wide_writer[i].m_axi_awvalid.val();
            self.wide_writer[i].m_axi_awready.next = self.m_axi_awready.val();
            self.m_axi_wdata.next = self.wide_writer[i].m_axi_wdata.val();
            self.m_axi_wstrb.next = self.wide_writer[i].m_axi_wstrb.val();
            self.m_axi_wlast.next = self.wide_writer[i].m_axi_wlast.val();
            self.m_axi_wvalid.next = self.wide_writer[i].m_axi_wvalid.val();
            self.wide_writer[i].m_axi_wready.next = self.m_axi_wready.val();
            self.wide_writer[i].m_axi_bresp.next = self.m_axi_bresp.val();
            self.wide_writer[i].m_axi_bvalid.next = self.m_axi_bvalid.val();
            self.m_axi_bready.next = self.wide_writer[i].m_axi_bready.val();
            self.idle.next = self.wide_writer[i].idle.val() && !self.placements.pop_valid.val();
        }
    }
}
