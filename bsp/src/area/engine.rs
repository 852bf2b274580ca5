//! The transport engine alone: both sides, without planes and host.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use metaroce_cores::counts::{ConnectionFailure, ReceiveCounts, TransmitCounts};
use metaroce_cores::narrow::Narrowing;
use metaroce_cores::types::{ConfigWrite, FrameEvent, Message, Placement, TxDescriptor};
use metaroce_rtl::receive_side::ReceiveSide;
use metaroce_rtl::transmit_side::TransmitSide;
use rust_hdl::prelude::*;

/// Both sides as a NIC joins them, less the trace; constants as of `Nic`.
#[derive(LogicBlock)]
pub struct Engine<
    const N: usize,
    const P: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const C: usize,
    const F: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const MA: usize,
    const SA: usize,
    const EA: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub now: Signal<In, Bits<32>>,
    pub hold: Signal<In, Bit>,
    pub idle: Signal<Out, Bit>,
    pub config_write: Signal<In, ConfigWrite>,
    pub ack_every: Signal<In, Bits<8>>,
    pub window: Signal<In, Bits<8>>,
    pub rto: Signal<In, Bits<32>>,
    pub max_retries: Signal<In, Bits<4>>,
    pub mtu_log2: Signal<In, Bits<4>>,
    pub receive: Signal<In, FrameEvent>,
    pub receive_plane: Signal<In, Bits<3>>,
    pub receive_valid: Signal<In, Bit>,
    pub receive_ready: Signal<Out, Bit>,
    pub acknowledge: Signal<In, FrameEvent>,
    pub acknowledge_plane: Signal<In, Bits<3>>,
    pub acknowledge_valid: Signal<In, Bit>,
    pub acknowledge_ready: Signal<Out, Bit>,
    pub placement: Signal<Out, Placement>,
    pub placement_valid: [Signal<Out, Bit>; N],
    pub placement_ready: [Signal<In, Bit>; N],
    pub answer: Signal<Out, TxDescriptor>,
    pub answer_valid: [Signal<Out, Bit>; N],
    pub answer_ready: [Signal<In, Bit>; N],
    pub data: Signal<Out, TxDescriptor>,
    pub data_valid: [Signal<Out, Bit>; N],
    pub data_ready: [Signal<In, Bit>; N],
    pub message: Signal<In, Message>,
    pub message_slot: Signal<In, Bits<4>>,
    pub message_valid: Signal<In, Bit>,
    pub message_ready: Signal<Out, Bit>,
    pub sq_idle: Signal<In, Bit>,
    pub delivered_valid: Signal<Out, Bit>,
    pub delivered_slot: Signal<Out, Bits<4>>,
    pub failure_connection: Signal<In, Bits<12>>,
    pub failure: Signal<Out, ConnectionFailure>,
    pub failed: Signal<Out, Bits<C>>,
    pub receive_counts: Signal<Out, ReceiveCounts>,
    pub transmit_counts: Signal<Out, TransmitCounts>,
    receive_side: ReceiveSide<N, G, CA, GA, RA, SA, EA>,
    transmit_side: TransmitSide<P, CA, GA, C, F, N, W, IW, FA, TA, QA, MA>,
}

impl<
    const N: usize,
    const P: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const C: usize,
    const F: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const MA: usize,
    const SA: usize,
    const EA: usize,
> Default for Engine<N, P, CA, GA, RA, C, F, W, IW, G, FA, TA, QA, MA, SA, EA>
{
    fn default() -> Self {
        let whole = Narrowing::none();
        Self {
            clock: Default::default(),
            reset: Default::default(),
            now: Default::default(),
            hold: Default::default(),
            idle: Default::default(),
            config_write: Default::default(),
            ack_every: Default::default(),
            window: Default::default(),
            rto: Default::default(),
            max_retries: Default::default(),
            mtu_log2: Default::default(),
            receive: Default::default(),
            receive_plane: Default::default(),
            receive_valid: Default::default(),
            receive_ready: Default::default(),
            acknowledge: Default::default(),
            acknowledge_plane: Default::default(),
            acknowledge_valid: Default::default(),
            acknowledge_ready: Default::default(),
            placement: Default::default(),
            placement_valid: std::array::from_fn(|_| Default::default()),
            placement_ready: std::array::from_fn(|_| Default::default()),
            answer: Default::default(),
            answer_valid: std::array::from_fn(|_| Default::default()),
            answer_ready: std::array::from_fn(|_| Default::default()),
            data: Default::default(),
            data_valid: std::array::from_fn(|_| Default::default()),
            data_ready: std::array::from_fn(|_| Default::default()),
            message: Default::default(),
            message_slot: Default::default(),
            message_valid: Default::default(),
            message_ready: Default::default(),
            sq_idle: Default::default(),
            delivered_valid: Default::default(),
            delivered_slot: Default::default(),
            failure_connection: Default::default(),
            failure: Default::default(),
            failed: Default::default(),
            receive_counts: Default::default(),
            transmit_counts: Default::default(),
            receive_side: ReceiveSide::new(GA - CA, &whole),
            transmit_side: TransmitSide::new(&whole),
        }
    }
}

impl<
    const N: usize,
    const P: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const C: usize,
    const F: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const MA: usize,
    const SA: usize,
    const EA: usize,
> Logic for Engine<N, P, CA, GA, RA, C, F, W, IW, G, FA, TA, QA, MA, SA, EA>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.receive_side.clock.next = self.clock.val();
        self.transmit_side.clock.next = self.clock.val();
        self.receive_side.reset.next = self.reset.val();
        self.transmit_side.reset.next = self.reset.val();
        self.receive_side.hold.next = self.hold.val();
        self.transmit_side.hold.next = self.hold.val();
        self.receive_side.config_write.next = self.config_write.val();
        self.transmit_side.config_write.next = self.config_write.val();
        self.idle.next = self.receive_side.idle.val() & self.transmit_side.idle.val();
        self.receive_side.ack_every.next = self.ack_every.val();
        self.transmit_side.now.next = self.now.val();
        self.transmit_side.window.next = self.window.val();
        self.transmit_side.rto.next = self.rto.val();
        self.transmit_side.max_retries.next = self.max_retries.val();
        self.transmit_side.mtu_log2.next = self.mtu_log2.val();

        self.receive_side.frame.next = self.receive.val();
        self.receive_side.frame_plane.next = self.receive_plane.val();
        self.receive_side.frame_valid.next = self.receive_valid.val();
        self.receive_ready.next = self.receive_side.frame_ready.val();
        self.placement.next = self.receive_side.placement.val();
        self.answer.next = self.receive_side.answer.val();
        self.receive_counts.next = self.receive_side.counts.val();

        self.transmit_side.frame.next = self.acknowledge.val();
        self.transmit_side.frame_plane.next = self.acknowledge_plane.val();
        self.transmit_side.frame_valid.next = self.acknowledge_valid.val();
        self.acknowledge_ready.next = self.transmit_side.frame_ready.val();
        self.transmit_side.message.next = self.message.val();
        self.transmit_side.message_slot.next = self.message_slot.val();
        self.transmit_side.message_valid.next = self.message_valid.val();
        self.message_ready.next = self.transmit_side.message_ready.val();
        self.transmit_side.sq_idle.next = self.sq_idle.val();
        self.data.next = self.transmit_side.data.val();
        self.delivered_valid.next = self.transmit_side.delivered_valid.val();
        self.delivered_slot.next = self.transmit_side.delivered_slot.val();
        self.transmit_side.failure_connection.next = self.failure_connection.val();
        self.failure.next = self.transmit_side.failure.val();
        self.failed.next = self.transmit_side.failed.val();
        self.transmit_counts.next = self.transmit_side.counts.val();

        for k in 0..N {
            self.placement_valid[k].next = self.receive_side.placement_valid[k].val();
            self.receive_side.placement_ready[k].next = self.placement_ready[k].val();
            self.answer_valid[k].next = self.receive_side.answer_valid[k].val();
            self.receive_side.answer_ready[k].next = self.answer_ready[k].val();
            self.data_valid[k].next = self.transmit_side.data_valid[k].val();
            self.transmit_side.data_ready[k].next = self.data_ready[k].val();
        }
    }
}
