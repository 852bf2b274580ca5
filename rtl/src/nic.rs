//! The NIC: N planes, the engine and the host's side.
use crate::bus::{AxiLite, AxiManager, AxisIn, AxisOut, Trace};
use crate::engine::Engine;
use crate::host_side::HostSide;
use crate::plane_rx::PlaneRx;
use crate::plane_tx::PlaneTx;
use crate::receive_host::ReceiveHost;
use crate::responder::Responder;
use metaroce_cores::event_arbiter::EventArbiter;
use metaroce_cores::narrow::{NarrowFrame, Narrowing};
use metaroce_cores::prim::Dff;
use metaroce_cores::stream_fifo::StreamFifo;
use metaroce_cores::types::Placement;
use metaroce_protocol::Profile;
use metaroce_protocol::table::host::Capabilities;
use rust_hdl::prelude::*;

/// The NIC. Names of emitted ports: `rx_axis_0_tdata`, `m_axi_0_araddr`, `m_axi_ctl_araddr`, `s_axil_awaddr`, `trace_now`, ...
///
/// `N` planes, `D` stream and AXI data bits, `K` = D / 8, `H` = 104 / K, `A` log2 of a plane's payload FIFO; `P` paths a
/// connection; `CA`, `GA`, `RA` address bits of connections, of all paths, of regions; `WA` of words of 32 connections; `W`
/// window, `IW` = log2 W, `G` = W / 16, `FA` = GA + IW, `TA` = GA + 8; `QA` log2 of a retransmit queue; `M` message
/// slots, `MA` = log2 M; `SA` = GA + IW - 4, `EA` = GA + 1. `NB`, `WB`: 1 and 0 for planes of 8 or 64 bits, 0 and 1 for 256 or 512.
#[derive(LogicBlock)]
pub struct Nic<
    const N: usize,
    const D: usize,
    const K: usize,
    const H: usize,
    const A: usize,
    const P: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const WA: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const M: usize,
    const MA: usize,
    const SA: usize,
    const EA: usize,
    const XA: usize,
    const XM: usize,
    const XP: usize,
    const XE: usize,
    const XB: usize,
    const NB: usize = 1,
    const WB: usize = 0,
> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// What the clock of all time stamps starts from at reset: 0 on a board.
    pub start_time: Signal<In, Bits<32>>,
    /// Frames from each plane's MAC.
    pub rx_axis: [AxisIn<D, K>; N],
    /// Frames to each plane's MAC.
    pub tx_axis: [AxisOut<D, K>; N],
    /// Payload of each plane.
    pub m_axi: [AxiManager<D, K>; N],
    /// WQEs and completions.
    pub m_axi_ctl: AxiManager<64, 8>,
    /// Registers.
    pub s_axil: AxiLite,
    /// One cycle: host memory answered a plane's access with an error.
    pub memory_error: Signal<Out, Bits<8>>,
    /// What the engines do, for the lockstep.
    pub trace: Trace,
    host: HostSide<N, CA, XA, WA, M, MA>,
    engine: Engine<N, P, CA, GA, RA, W, IW, G, FA, TA, QA, MA, SA, EA, XA, XM, XP, XE, XB>,
    plane_rx: [PlaneRx<D, K, H, A, NB, WB>; N],
    plane_tx: [PlaneTx<D, K, H, A, NB, WB>; N],
    responder: Responder<N, CA, GA>,
    receive_turn: EventArbiter<N>,
    acknowledge_turn: EventArbiter<N>,
    /// Verdicts on their way: the receive side wants to know that six fit.
    placements: [StreamFifo<Placement, 3>; N],
    received: [NarrowFrame; N],
    acknowledged: [NarrowFrame; N],
    time_mask: Constant<Bits<32>>,
    clock_now: Dff<Bits<32>>,
    errors: Signal<Local, Bits<8>>,
    drops: Signal<Local, Bits<8>>,
    six: Constant<Bits<3>>,
}

impl<
    const N: usize,
    const D: usize,
    const K: usize,
    const H: usize,
    const A: usize,
    const P: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const WA: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const M: usize,
    const MA: usize,
    const SA: usize,
    const EA: usize,
    const XA: usize,
    const XM: usize,
    const XP: usize,
    const XE: usize,
    const XB: usize,
    const NB: usize,
    const WB: usize,
>
    Nic<
        N,
        D,
        K,
        H,
        A,
        P,
        CA,
        GA,
        RA,
        WA,
        W,
        IW,
        G,
        FA,
        TA,
        QA,
        M,
        MA,
        SA,
        EA,
        XA,
        XM,
        XP,
        XE,
        XB,
        NB,
        WB,
    >
{
    /// What register CAPABILITIES says.
    pub fn capabilities(max_payload: usize, profile: Profile) -> Capabilities {
        let receives = profile.tracks_messages();
        let of_messages = |log2: usize| if receives { log2 as u8 } else { 0 };
        Capabilities {
            connections_log2: CA as u8,
            paths_log2: (GA - CA) as u8,
            window_log2: IW as u8,
            planes: N as u8,
            stream_bits: 16,
            regions_log2: RA as u8,
            messages_log2: MA as u8,
            reserved0: 0,
            largest_mtu_log2: max_payload.ilog2() as u8,
            speaks_messages: receives,
            streams_log2: of_messages(XA - CA),
            in_flight_log2: of_messages(XM),
            buffers_log2: of_messages(XP),
            posts_log2: of_messages(ReceiveHost::<N, CA>::POSTS_LOG2 as usize),
            answers_reads: profile.answers_reads(),
        }
    }

    /// A NIC of this size; `max_payload`: largest MTU in bytes.
    pub fn new(max_payload: usize, profile: Profile) -> Self {
        Self::narrowed(max_payload, profile, &Narrowing::none())
    }

    /// One that keeps fewer bits.
    pub fn narrowed(max_payload: usize, profile: Profile, narrowing: &Narrowing) -> Self {
        assert!(
            !profile.tracks_messages() || XM == 4,
            "as many messages of a stream in flight as a sender has slots"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            start_time: Default::default(),
            rx_axis: std::array::from_fn(|_| Default::default()),
            tx_axis: std::array::from_fn(|_| Default::default()),
            m_axi: std::array::from_fn(|_| Default::default()),
            m_axi_ctl: Default::default(),
            s_axil: Default::default(),
            memory_error: Default::default(),
            trace: Default::default(),
            host: HostSide::new(&Self::capabilities(max_payload, profile), narrowing),
            engine: Engine::new(profile, narrowing),
            plane_rx: std::array::from_fn(|_| PlaneRx::of(max_payload, profile)),
            plane_tx: std::array::from_fn(|_| PlaneTx::of(max_payload, profile)),
            responder: Responder::new(XA - CA, profile.answers_reads()),
            receive_turn: Default::default(),
            acknowledge_turn: Default::default(),
            placements: std::array::from_fn(|_| Default::default()),
            received: std::array::from_fn(|_| NarrowFrame::receive(narrowing)),
            acknowledged: std::array::from_fn(|_| NarrowFrame::acknowledge(narrowing)),
            time_mask: Constant::new(Narrowing::low(narrowing.time_bits)),
            clock_now: Default::default(),
            errors: Default::default(),
            drops: Default::default(),
            six: Constant::new(bits(6)),
        }
    }
}

impl<
    const N: usize,
    const D: usize,
    const K: usize,
    const H: usize,
    const A: usize,
    const P: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const WA: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const M: usize,
    const MA: usize,
    const SA: usize,
    const EA: usize,
    const XA: usize,
    const XM: usize,
    const XP: usize,
    const XE: usize,
    const XB: usize,
    const NB: usize,
    const WB: usize,
> Logic
    for Nic<
        N,
        D,
        K,
        H,
        A,
        P,
        CA,
        GA,
        RA,
        WA,
        W,
        IW,
        G,
        FA,
        TA,
        QA,
        M,
        MA,
        SA,
        EA,
        XA,
        XM,
        XP,
        XE,
        XB,
        NB,
        WB,
    >
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, clock_now);
        self.clock_now.d.next = (self.clock_now.q.val() + 1) & self.time_mask.val();
        if self.reset.val() {
            self.clock_now.d.next = self.start_time.val();
        }

        // The host.
        self.host.clock.next = self.clock.val();
        self.host.reset.next = self.reset.val();
        self.host.s_axil_awaddr.next = self.s_axil.awaddr.val();
        self.host.s_axil_awvalid.next = self.s_axil.awvalid.val();
        self.host.s_axil_wdata.next = self.s_axil.wdata.val();
        self.host.s_axil_wstrb.next = self.s_axil.wstrb.val();
        self.host.s_axil_wvalid.next = self.s_axil.wvalid.val();
        self.host.s_axil_bready.next = self.s_axil.bready.val();
        self.host.s_axil_araddr.next = self.s_axil.araddr.val();
        self.host.s_axil_arvalid.next = self.s_axil.arvalid.val();
        self.host.s_axil_rready.next = self.s_axil.rready.val();
        self.s_axil.awready.next = self.host.s_axil_awready.val();
        self.s_axil.wready.next = self.host.s_axil_wready.val();
        self.s_axil.bresp.next = self.host.s_axil_bresp.val();
        self.s_axil.bvalid.next = self.host.s_axil_bvalid.val();
        self.s_axil.arready.next = self.host.s_axil_arready.val();
        self.s_axil.rdata.next = self.host.s_axil_rdata.val();
        self.s_axil.rresp.next = self.host.s_axil_rresp.val();
        self.s_axil.rvalid.next = self.host.s_axil_rvalid.val();
        self.m_axi_ctl.araddr.next = self.host.m_axi_ctl_araddr.val();
        self.m_axi_ctl.arlen.next = self.host.m_axi_ctl_arlen.val();
        self.m_axi_ctl.arsize.next = self.host.m_axi_ctl_arsize.val();
        self.m_axi_ctl.arburst.next = self.host.m_axi_ctl_arburst.val();
        self.m_axi_ctl.arvalid.next = self.host.m_axi_ctl_arvalid.val();
        self.m_axi_ctl.rready.next = self.host.m_axi_ctl_rready.val();
        self.m_axi_ctl.awaddr.next = self.host.m_axi_ctl_awaddr.val();
        self.m_axi_ctl.awlen.next = self.host.m_axi_ctl_awlen.val();
        self.m_axi_ctl.awsize.next = self.host.m_axi_ctl_awsize.val();
        self.m_axi_ctl.awburst.next = self.host.m_axi_ctl_awburst.val();
        self.m_axi_ctl.awvalid.next = self.host.m_axi_ctl_awvalid.val();
        self.m_axi_ctl.wdata.next = self.host.m_axi_ctl_wdata.val();
        self.m_axi_ctl.wstrb.next = self.host.m_axi_ctl_wstrb.val();
        self.m_axi_ctl.wlast.next = self.host.m_axi_ctl_wlast.val();
        self.m_axi_ctl.wvalid.next = self.host.m_axi_ctl_wvalid.val();
        self.m_axi_ctl.bready.next = self.host.m_axi_ctl_bready.val();
        self.host.m_axi_ctl_arready.next = self.m_axi_ctl.arready.val();
        self.host.m_axi_ctl_rdata.next = self.m_axi_ctl.rdata.val();
        self.host.m_axi_ctl_rresp.next = self.m_axi_ctl.rresp.val();
        self.host.m_axi_ctl_rlast.next = self.m_axi_ctl.rlast.val();
        self.host.m_axi_ctl_rvalid.next = self.m_axi_ctl.rvalid.val();
        self.host.m_axi_ctl_awready.next = self.m_axi_ctl.awready.val();
        self.host.m_axi_ctl_wready.next = self.m_axi_ctl.wready.val();
        self.host.m_axi_ctl_bresp.next = self.m_axi_ctl.bresp.val();
        self.host.m_axi_ctl_bvalid.next = self.m_axi_ctl.bvalid.val();
        self.host.engines_idle.next = self.engine.idle.val() & !self.responder.busy.val();
        self.host.message_ready.next = self.engine.message_ready.val();
        self.host.delivered_valid.next = self.engine.delivered_valid.val();
        self.host.delivered_slot.next = self.engine.delivered_slot.val();
        self.host.failure.next = self.engine.failure.val();
        self.host.failure_write.next = self.engine.failure_write.val();
        self.host.receive_counts.next = self.engine.receive_counts.val();
        self.host.transmit_counts.next = self.engine.transmit_counts.val();

        // The engine.
        self.engine.clock.next = self.clock.val();
        self.engine.reset.next = self.host.transport_reset.val();
        self.engine.config_write.next = self.host.config_write.val();
        self.engine.hold.next = self.host.hold.val();
        self.engine.ack_every.next = self.host.ack_every.val();
        self.engine.now.next = self.clock_now.q.val();
        self.engine.window.next = self.host.window.val();
        self.engine.congestion.next = self.host.congestion.val();
        self.engine.not_ready_ticks.next = self.host.not_ready_ticks.val();
        self.engine.rto.next = self.host.rto.val();
        self.engine.max_retries.next = self.host.max_retries.val();
        self.engine.mtu_log2.next = self.host.mtu_log2.val();
        self.engine.message.next = self.host.message.val();
        self.engine.message_slot.next = self.host.message_slot.val();
        self.engine.message_valid.next = self.host.message_valid.val();
        self.engine.sq_idle.next = self.host.sq_idle.val();
        self.engine.failure_connection.next = self.host.failure_connection.val();
        self.engine.post.next = self.host.post.val();
        self.engine.post_valid.next = self.host.post_valid.val();
        self.host.post_ready.next = self.engine.post_ready.val();
        self.host.vanished.next = self.engine.vanished.val();
        self.host.whole.next = self.engine.whole.val();
        self.host.whole_valid.next = self.engine.whole_valid.val();
        self.engine.read_open.next = self.host.read_open.val();
        self.engine.read_close.next = self.host.read_close.val();
        self.host.read_reply.next = self.engine.read_reply.val();

        // Responses.
        self.responder.clock.next = self.clock.val();
        self.responder.reset.next = self.host.transport_reset.val();
        self.responder.config_write.next = self.host.config_write.val();
        self.responder.mtu_log2.next = self.host.mtu_log2.val();
        self.responder.asked.next = self.engine.asked.val();
        self.responder.asked_valid.next = self.engine.asked_valid.val();
        self.engine.asked_stop.next = self.responder.asked_stop.val();
        self.engine.response.next = self.responder.response.val();
        self.engine.response_slot.next = self.responder.response_slot.val();
        self.engine.response_valid.next = self.responder.response_valid.val();
        self.responder.response_ready.next = self.engine.response_ready.val();
        self.engine.response_idle.next = self.responder.response_idle.val();
        self.engine.response_next.next = self.responder.coming.val();
        self.engine.response_loaded.next = self.responder.loaded.val();
        self.responder.delivered_valid.next = self.engine.delivered_valid.val();
        self.responder.delivered_slot.next = self.engine.delivered_slot.val();
        self.responder.failure.next = self.engine.failure_write.val();
        self.receive_turn.clock.next = self.clock.val();
        self.receive_turn.reset.next = self.host.transport_reset.val();
        self.engine.receive.next = self.receive_turn.out.val();
        self.engine.receive_plane.next = self.receive_turn.out_plane.val();
        self.engine.receive_valid.next = self.receive_turn.out_valid.val();
        self.receive_turn.out_ready.next = self.engine.receive_ready.val();
        self.acknowledge_turn.clock.next = self.clock.val();
        self.acknowledge_turn.reset.next = self.host.transport_reset.val();
        self.engine.acknowledge.next = self.acknowledge_turn.out.val();
        self.engine.acknowledge_plane.next = self.acknowledge_turn.out_plane.val();
        self.engine.acknowledge_valid.next = self.acknowledge_turn.out_valid.val();
        self.acknowledge_turn.out_ready.next = self.engine.acknowledge_ready.val();

        // The planes.
        self.errors.next = bits::<8>(0);
        self.drops.next = bits::<8>(0);
        for k in 0..N {
            self.plane_rx[k].clock.next = self.clock.val();
            self.plane_rx[k].reset.next = self.host.transport_reset.val();
            self.plane_tx[k].clock.next = self.clock.val();
            self.plane_tx[k].reset.next = self.host.transport_reset.val();
            self.placements[k].clock.next = self.clock.val();
            self.placements[k].reset.next = self.host.transport_reset.val();
            self.plane_rx[k].s_axis_tdata.next = self.rx_axis[k].tdata.val();
            self.tx_axis[k].tdata.next = self.plane_tx[k].m_axis_tdata.val();
            self.plane_rx[k].s_axis_tkeep.next = self.rx_axis[k].tkeep.val();
            self.tx_axis[k].tkeep.next = self.plane_tx[k].m_axis_tkeep.val();
            self.plane_rx[k].s_axis_tvalid.next = self.rx_axis[k].tvalid.val();
            self.tx_axis[k].tvalid.next = self.plane_tx[k].m_axis_tvalid.val();
            self.plane_rx[k].s_axis_tlast.next = self.rx_axis[k].tlast.val();
            self.tx_axis[k].tlast.next = self.plane_tx[k].m_axis_tlast.val();
            self.rx_axis[k].tready.next = self.plane_rx[k].s_axis_tready.val();
            self.plane_tx[k].m_axis_tready.next = self.tx_axis[k].tready.val();
            self.m_axi[k].araddr.next = self.plane_tx[k].m_axi_araddr.val();
            self.m_axi[k].arlen.next = self.plane_tx[k].m_axi_arlen.val();
            self.m_axi[k].arsize.next = self.plane_tx[k].m_axi_arsize.val();
            self.m_axi[k].arburst.next = self.plane_tx[k].m_axi_arburst.val();
            self.m_axi[k].arvalid.next = self.plane_tx[k].m_axi_arvalid.val();
            self.m_axi[k].rready.next = self.plane_tx[k].m_axi_rready.val();
            self.plane_tx[k].m_axi_arready.next = self.m_axi[k].arready.val();
            self.plane_tx[k].m_axi_rdata.next = self.m_axi[k].rdata.val();
            self.plane_tx[k].m_axi_rresp.next = self.m_axi[k].rresp.val();
            self.plane_tx[k].m_axi_rlast.next = self.m_axi[k].rlast.val();
            self.plane_tx[k].m_axi_rvalid.next = self.m_axi[k].rvalid.val();
            self.m_axi[k].awaddr.next = self.plane_rx[k].m_axi_awaddr.val();
            self.m_axi[k].awlen.next = self.plane_rx[k].m_axi_awlen.val();
            self.m_axi[k].awsize.next = self.plane_rx[k].m_axi_awsize.val();
            self.m_axi[k].awburst.next = self.plane_rx[k].m_axi_awburst.val();
            self.m_axi[k].awvalid.next = self.plane_rx[k].m_axi_awvalid.val();
            self.m_axi[k].wdata.next = self.plane_rx[k].m_axi_wdata.val();
            self.m_axi[k].wstrb.next = self.plane_rx[k].m_axi_wstrb.val();
            self.m_axi[k].wlast.next = self.plane_rx[k].m_axi_wlast.val();
            self.m_axi[k].wvalid.next = self.plane_rx[k].m_axi_wvalid.val();
            self.m_axi[k].bready.next = self.plane_rx[k].m_axi_bready.val();
            self.plane_rx[k].m_axi_awready.next = self.m_axi[k].awready.val();
            self.plane_rx[k].m_axi_wready.next = self.m_axi[k].wready.val();
            self.plane_rx[k].m_axi_bresp.next = self.m_axi[k].bresp.val();
            self.plane_rx[k].m_axi_bvalid.next = self.m_axi[k].bvalid.val();
            self.received[k].wide.next = self.plane_rx[k].receive.val();
            self.receive_turn.frame[k].next = self.received[k].narrow.val();
            self.receive_turn.frame_valid[k].next = self.plane_rx[k].receive_valid.val();
            self.plane_rx[k].receive_ready.next = self.receive_turn.frame_ready[k].val();
            self.acknowledged[k].wide.next = self.plane_rx[k].acknowledge.val();
            self.acknowledge_turn.frame[k].next = self.acknowledged[k].narrow.val();
            self.acknowledge_turn.frame_valid[k].next = self.plane_rx[k].acknowledge_valid.val();
            self.plane_rx[k].acknowledge_ready.next = self.acknowledge_turn.frame_ready[k].val();
            self.placements[k].push.next = self.engine.placement.val();
            self.placements[k].push_valid.next = self.engine.placement_valid[k].val();
            self.host.placed[k].next = self.engine.placement_valid[k].val()
                & self.engine.placement.val().accept
                & self.engine.placement.val().length.any();
            self.host.progress[k].next = self.plane_rx[k].progress.val();
            self.responder.placed[k].next = self.host.placed[k].val();
            self.responder.progress[k].next = self.plane_rx[k].progress.val();
            self.engine.placement_ready[k].next = self.placements[k].space.val() >= self.six.val();
            self.plane_rx[k].placement.next = self.placements[k].pop.val();
            self.plane_rx[k].placement_valid.next = self.placements[k].pop_valid.val();
            self.placements[k].pop_ready.next = self.plane_rx[k].placement_ready.val();
            self.plane_tx[k].answer.next = self.engine.answer.val();
            self.plane_tx[k].answer_valid.next = self.engine.answer_valid[k].val();
            self.engine.answer_ready[k].next = self.plane_tx[k].answer_ready.val();
            self.plane_tx[k].data.next = self.engine.data.val();
            self.plane_tx[k].data_valid.next = self.engine.data_valid[k].val();
            self.engine.data_ready[k].next = self.plane_tx[k].data_ready.val();
            self.host.drop_foreign[k].next = self.plane_rx[k].drop_foreign.val();
            self.host.drop_malformed[k].next = self.plane_rx[k].drop_malformed.val();
            self.host.drop_bad_icrc[k].next = self.plane_rx[k].drop_bad_icrc.val();
            self.host.drop_unknown_opcode[k].next = self.plane_rx[k].drop_unknown_opcode.val();
            if self.plane_rx[k].drop_foreign.val()
                | self.plane_rx[k].drop_malformed.val()
                | self.plane_rx[k].drop_bad_icrc.val()
                | self.plane_rx[k].drop_unknown_opcode.val()
            {
                self.drops.next = self.drops.val().replace_bit(k, true);
            }
            if self.plane_rx[k].write_error.val() | self.plane_tx[k].read_error.val() {
                self.errors.next = self.errors.val().replace_bit(k, true);
            }
        }
        self.memory_error.next = self.errors.val();

        // The trace.
        self.trace.now.next = self.clock_now.q.val();
        self.trace.drop.next = self.drops.val();
        self.trace.ack_build_valid.next = self.engine.trace_ack_build_valid.val();
        self.trace.ack_build_path.next = self.engine.trace_ack_build_path.val();
        self.trace.refusal_build_valid.next = self.engine.trace_refusal_build_valid.val();
        self.trace.receive_valid.next = self.engine.trace_receive_valid.val();
        self.trace.receive_plane.next = self.engine.trace_receive_plane.val();
        self.trace.receive_refusal_room.next = self.engine.trace_receive_refusal_room.val();
        self.trace.advance_valid.next = self.engine.trace_advance_valid.val();
        self.trace.advance_path.next = self.engine.trace_advance_path.val();
        self.trace.transmit_valid.next = self.engine.trace_transmit_valid.val();
        self.trace.transmit_kind.next = self.engine.trace_transmit_kind.val();
        self.trace.transmit_path.next = self.engine.trace_transmit_path.val();
        self.trace.transmit_able.next = self.engine.trace_transmit_able.val();
        self.trace.transmit_ack_request.next = self.engine.trace_transmit_ack_request.val();
        self.trace.offer_room.next = self.engine.trace_offer.val().room;
        self.trace.offer_spare.next = self.engine.trace_offer.val().spare;
        self.trace.offer_retransmit.next = self.engine.trace_offer.val().retransmit;
        self.trace.offer_packet.next = self.engine.trace_offer.val().packet;
        self.trace.offer_connection.next = self.engine.trace_offer.val().connection;
        self.trace.offer_response.next = self.engine.trace_offer.val().response;
        self.trace.load_response.next = self.responder.trace_load.val();
        self.trace.retire_response.next = self.responder.trace_retire.val();
        self.trace.judge_valid.next = self.engine.trace_judge_valid.val();
        self.trace.judge_path.next = self.engine.trace_judge_path.val();
        self.trace.judge_idle.next = self.engine.trace_judge_idle.val();
        self.trace.resolve_valid.next = self.engine.trace_resolve_valid.val();
        self.trace.resolve_path.next = self.engine.trace_resolve_path.val();
        self.trace.resolve_tsn.next = self.engine.trace_resolve_tsn.val();
        self.trace.acknowledge_valid.next = self.engine.trace_acknowledge_valid.val();
        self.trace.acknowledge_plane.next = self.engine.trace_acknowledge_plane.val();
        self.trace.window_valid.next = self.engine.trace_window.val().valid;
        self.trace.window_path.next = self.engine.trace_window.val().path;
        self.trace.window_packets.next = self.engine.trace_window.val().window;
        self.trace.give_up_valid.next = self.engine.trace_give_up_valid.val();
        self.trace.give_up_connection.next = self.engine.trace_give_up_connection.val();
        self.trace.configure_valid.next = self.host.trace_configure_valid.val();
        self.trace.configure_table.next = self.host.config_write.val().table;
        self.trace.configure_index.next = self.host.config_write.val().index;
        self.trace.message_valid.next = self.host.trace_message_valid.val();
        self.trace.retire_valid.next = self.host.trace_retire_valid.val();
        self.trace.retire_receive_valid.next = self.engine.trace_retire_receive.val().valid;
        self.trace.retire_receive_stream.next = self.engine.trace_retire_receive.val().stream;
        self.trace.post_valid.next = self.engine.trace_post.val().valid;
        self.trace.post_stream.next = self.engine.trace_post.val().stream;
        self.trace.tell_valid.next = self.host.trace_tell_valid.val();
        self.trace.tell_refused.next = self.host.trace_tell_refused.val();
    }
}
