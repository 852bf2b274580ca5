//! The transport engine: both sides, without planes and host.
use metaroce_cores::congestion::{CongestionSettings, WindowWrite};
use metaroce_cores::counts::{ConnectionFailure, ReceiveCounts, TransmitCounts};
use metaroce_cores::message_part::{AskedRead, ReceivePost, StreamCommit, WholeMessage};
use metaroce_cores::narrow::{NarrowConfig, NarrowDescriptor, Narrowing};
use metaroce_cores::read_answers::{ReadClose, ReadOpen, ReadReply};
use metaroce_cores::transmit_path::{FailureWrite, Offer};
use metaroce_cores::types::{ConfigWrite, FrameEvent, Message, Placement, TxDescriptor};
use metaroce_protocol::Profile;
use rust_hdl::prelude::*;

use crate::receive_side::ReceiveSide;
use crate::transmit_side::TransmitSide;

/// Both sides: an event a cycle in each of three directions, data received, ACKs received, decisions to send.
///
/// Constants as of [`Nic`](crate::nic::Nic).
#[derive(LogicBlock)]
pub struct Engine<
    const N: usize,
    const P: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const MA: usize,
    const SA: usize,
    const EA: usize,
    const XA: usize,
    const XM: usize,
    const XP: usize,
    const XE: usize,
    const XB: usize,
> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high. Tables keep their contents: configure again after it.
    pub reset: Signal<In, Bit>,
    /// The clock of all time stamps.
    pub now: Signal<In, Bits<32>>,
    /// Configuration.
    pub config_write: Signal<In, ConfigWrite>,
    /// No event enters a stage.
    pub hold: Signal<In, Bit>,
    /// Nothing is inside a stage.
    pub idle: Signal<Out, Bit>,
    /// ACK_EVERY, packets.
    pub ack_every: Signal<In, Bits<8>>,
    /// WINDOW, packets.
    pub window: Signal<In, Bits<8>>,
    /// Congestion control.
    pub congestion: Signal<In, CongestionSettings>,
    /// NOT_READY_TICKS.
    pub not_ready_ticks: Signal<In, Bits<31>>,
    /// RTO, ticks.
    pub rto: Signal<In, Bits<32>>,
    /// MAX_RETRIES.
    pub max_retries: Signal<In, Bits<4>>,
    /// log2 MTU, 8..=12.
    pub mtu_log2: Signal<In, Bits<4>>,
    /// A WRITE or PROBE that its parser passed.
    pub receive: Signal<In, FrameEvent>,
    /// The plane it came from; `receive_ready` depends on it.
    pub receive_plane: Signal<In, Bits<3>>,
    /// Valid.
    pub receive_valid: Signal<In, Bit>,
    /// Ready; never depends on `receive_valid`.
    pub receive_ready: Signal<Out, Bit>,
    /// An ACK or REFUSAL that its parser passed.
    pub acknowledge: Signal<In, FrameEvent>,
    /// The plane it came from.
    pub acknowledge_plane: Signal<In, Bits<3>>,
    /// Valid.
    pub acknowledge_valid: Signal<In, Bit>,
    /// Ready; never depends on `acknowledge_valid`.
    pub acknowledge_ready: Signal<Out, Bit>,
    /// Verdict on a WRITE's payload.
    pub placement: Signal<Out, Placement>,
    /// One hot: the plane of the verdict.
    pub placement_valid: [Signal<Out, Bit>; N],
    /// The plane has room for six more verdicts.
    pub placement_ready: [Signal<In, Bit>; N],
    /// A buffer for a stream; stays until it is taken.
    pub post: Signal<In, ReceivePost>,
    /// Valid.
    pub post_valid: Signal<In, Bit>,
    /// Taken.
    pub post_ready: Signal<Out, Bit>,
    /// A message is placed whole.
    pub whole: Signal<Out, WholeMessage>,
    /// Valid; taken at once.
    pub whole_valid: Signal<Out, Bit>,
    /// It is a Read, and this is what it asks for.
    pub asked: Signal<Out, AskedRead>,
    /// It is.
    pub asked_valid: Signal<Out, Bit>,
    /// No Read may be accepted.
    pub asked_stop: Signal<In, Bit>,
    /// The connection whose response takes a slot next, a cycle ahead.
    pub response_next: Signal<In, Bits<CA>>,
    /// It does.
    pub response_loaded: Signal<In, Bit>,
    /// A Read of this NIC takes a slot.
    pub read_open: Signal<In, ReadOpen>,
    /// The message in a slot has ended.
    pub read_close: Signal<In, ReadClose>,
    /// What became of Reads.
    pub read_reply: Signal<Out, ReadReply>,
    /// So many posted buffers are gone.
    pub vanished: Signal<Out, Bits<16>>,
    /// An ACK or REFUSAL to send.
    pub answer: Signal<Out, TxDescriptor>,
    /// One hot: the plane of the answer.
    pub answer_valid: [Signal<Out, Bit>; N],
    /// The plane takes an answer; falls only by a transfer.
    pub answer_ready: [Signal<In, Bit>; N],
    /// A WRITE or PROBE to send.
    pub data: Signal<Out, TxDescriptor>,
    /// One hot: the plane of the descriptor.
    pub data_valid: [Signal<Out, Bit>; N],
    /// The plane takes a descriptor; falls only by a transfer.
    pub data_ready: [Signal<In, Bit>; N],
    /// The next message.
    pub message: Signal<In, Message>,
    /// Its slot.
    pub message_slot: Signal<In, Bits<4>>,
    /// Valid.
    pub message_valid: Signal<In, Bit>,
    /// It is taken: none is being cut into packets, or this cycle cuts its last.
    pub message_ready: Signal<Out, Bit>,
    /// No message waits outside.
    pub sq_idle: Signal<In, Bit>,
    /// The next response.
    pub response: Signal<In, Message>,
    /// Its slot.
    pub response_slot: Signal<In, Bits<4>>,
    /// Valid.
    pub response_valid: Signal<In, Bit>,
    /// It is taken.
    pub response_ready: Signal<Out, Bit>,
    /// No response waits outside that a slot is free for.
    pub response_idle: Signal<In, Bit>,
    /// A packet is delivered.
    pub delivered_valid: Signal<Out, Bit>,
    /// Its message's slot; a response's from 16.
    pub delivered_slot: Signal<Out, Bits<5>>,
    /// Which connection's failure is asked for.
    pub failure_connection: Signal<In, Bits<12>>,
    /// The answer, in the next cycle.
    pub failure: Signal<Out, ConnectionFailure>,
    /// A connection fails, or is set up anew.
    pub failure_write: Signal<Out, FailureWrite>,
    /// For the counters.
    pub receive_counts: Signal<Out, ReceiveCounts>,
    /// For the counters.
    pub transmit_counts: Signal<Out, TransmitCounts>,
    /// Commit trace: An ACK is built.
    pub trace_ack_build_valid: Signal<Out, Bit>,
    /// Commit trace: Its path.
    pub trace_ack_build_path: Signal<Out, Bits<16>>,
    /// Commit trace: The oldest waiting refusal is built.
    pub trace_refusal_build_valid: Signal<Out, Bit>,
    /// Commit trace: A WRITE or PROBE.
    pub trace_receive_valid: Signal<Out, Bit>,
    /// Commit trace: Its plane.
    pub trace_receive_plane: Signal<Out, Bits<3>>,
    /// Commit trace: A refusal could be queued.
    pub trace_receive_refusal_room: Signal<Out, Bit>,
    /// Commit trace: A cumulative point moves on by one accepted packet.
    pub trace_advance_valid: Signal<Out, Bit>,
    /// Commit trace: Its path.
    pub trace_advance_path: Signal<Out, Bits<16>>,
    /// Commit trace: the next message of a stream ends.
    pub trace_retire_receive: Signal<Out, StreamCommit>,
    /// Commit trace: a buffer is posted.
    pub trace_post: Signal<Out, StreamCommit>,
    /// Commit trace: A decision.
    pub trace_transmit_valid: Signal<Out, Bit>,
    /// Commit trace: 0 tail probe, 1 time-out probe, 2 retransmission, 3 new data, 4 retransmission thrown away,
    /// 5 connection gives up, 6 new data not sent because its connection failed, 7 probe not sent for that reason.
    pub trace_transmit_kind: Signal<Out, Bits<3>>,
    /// Commit trace: Its path.
    pub trace_transmit_path: Signal<Out, Bits<16>>,
    /// Commit trace: The plane's paths that it could have taken.
    pub trace_transmit_able: Signal<Out, Bits<16>>,
    /// Commit trace: It asks for an acknowledgement.
    pub trace_transmit_ack_request: Signal<Out, Bit>,
    /// Commit trace: What timing offered to the choice that commits now, or to none.
    pub trace_offer: Signal<Out, Offer>,
    /// Commit trace: A path is judged by what its records were before this cycle.
    pub trace_judge_valid: Signal<Out, Bit>,
    /// Commit trace: Its path.
    pub trace_judge_path: Signal<Out, Bits<16>>,
    /// Commit trace: There is no message to send.
    pub trace_judge_idle: Signal<Out, Bit>,
    /// Commit trace: A transmission is resolved.
    pub trace_resolve_valid: Signal<Out, Bit>,
    /// Commit trace: Its path.
    pub trace_resolve_path: Signal<Out, Bits<16>>,
    /// Commit trace: Its TSN.
    pub trace_resolve_tsn: Signal<Out, Bits<24>>,
    /// Commit trace: An ACK or REFUSAL.
    pub trace_acknowledge_valid: Signal<Out, Bit>,
    /// Commit trace: Its plane.
    pub trace_acknowledge_plane: Signal<Out, Bits<3>>,
    /// Commit trace: The window of a path changes, by the oldest of its events that has not changed it.
    pub trace_window: Signal<Out, WindowWrite>,
    /// Commit trace: A connection that gave up fails.
    pub trace_give_up_valid: Signal<Out, Bit>,
    /// Commit trace: Which.
    pub trace_give_up_connection: Signal<Out, Bits<12>>,
    receive_side: ReceiveSide<N, G, CA, GA, RA, SA, EA, XA, XM, XP, XE, XB>,
    transmit_side: TransmitSide<P, CA, GA, N, W, IW, FA, TA, QA, MA>,
    configuration: NarrowConfig,
    narrow_data: NarrowDescriptor,
    narrow_answer: NarrowDescriptor,
}

impl<
    const N: usize,
    const P: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const MA: usize,
    const SA: usize,
    const EA: usize,
    const XA: usize,
    const XM: usize,
    const XP: usize,
    const XE: usize,
    const XB: usize,
> Engine<N, P, CA, GA, RA, W, IW, G, FA, TA, QA, MA, SA, EA, XA, XM, XP, XE, XB>
{
    /// An engine of this size.
    pub fn new(profile: Profile, narrowing: &Narrowing) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            now: Default::default(),
            config_write: Default::default(),
            hold: Default::default(),
            idle: Default::default(),
            ack_every: Default::default(),
            window: Default::default(),
            congestion: Default::default(),
            not_ready_ticks: Default::default(),
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
            post: Default::default(),
            post_valid: Default::default(),
            post_ready: Default::default(),
            whole: Default::default(),
            whole_valid: Default::default(),
            asked: Default::default(),
            asked_valid: Default::default(),
            asked_stop: Default::default(),
            response_next: Default::default(),
            response_loaded: Default::default(),
            read_open: Default::default(),
            read_close: Default::default(),
            read_reply: Default::default(),
            vanished: Default::default(),
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
            response: Default::default(),
            response_slot: Default::default(),
            response_valid: Default::default(),
            response_ready: Default::default(),
            response_idle: Default::default(),
            delivered_valid: Default::default(),
            delivered_slot: Default::default(),
            failure_connection: Default::default(),
            failure: Default::default(),
            failure_write: Default::default(),
            receive_counts: Default::default(),
            transmit_counts: Default::default(),
            trace_ack_build_valid: Default::default(),
            trace_ack_build_path: Default::default(),
            trace_refusal_build_valid: Default::default(),
            trace_receive_valid: Default::default(),
            trace_receive_plane: Default::default(),
            trace_receive_refusal_room: Default::default(),
            trace_advance_valid: Default::default(),
            trace_advance_path: Default::default(),
            trace_retire_receive: Default::default(),
            trace_post: Default::default(),
            trace_transmit_valid: Default::default(),
            trace_transmit_kind: Default::default(),
            trace_transmit_path: Default::default(),
            trace_transmit_able: Default::default(),
            trace_transmit_ack_request: Default::default(),
            trace_offer: Default::default(),
            trace_judge_valid: Default::default(),
            trace_judge_path: Default::default(),
            trace_judge_idle: Default::default(),
            trace_resolve_valid: Default::default(),
            trace_resolve_path: Default::default(),
            trace_resolve_tsn: Default::default(),
            trace_acknowledge_valid: Default::default(),
            trace_acknowledge_plane: Default::default(),
            trace_window: Default::default(),
            trace_give_up_valid: Default::default(),
            trace_give_up_connection: Default::default(),
            receive_side: ReceiveSide::new(GA - CA, profile, narrowing),
            transmit_side: TransmitSide::new(profile, narrowing),
            configuration: NarrowConfig::new(narrowing),
            narrow_data: NarrowDescriptor::data(narrowing),
            narrow_answer: NarrowDescriptor::answer(narrowing),
        }
    }
}

impl<
    const N: usize,
    const P: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const W: usize,
    const IW: usize,
    const G: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const MA: usize,
    const SA: usize,
    const EA: usize,
    const XA: usize,
    const XM: usize,
    const XP: usize,
    const XE: usize,
    const XB: usize,
> Logic for Engine<N, P, CA, GA, RA, W, IW, G, FA, TA, QA, MA, SA, EA, XA, XM, XP, XE, XB>
{
    #[hdl_gen]
    fn update(&mut self) {
        self.receive_side.clock.next = self.clock.val();
        self.receive_side.reset.next = self.reset.val();
        self.receive_side.hold.next = self.hold.val();
        self.transmit_side.clock.next = self.clock.val();
        self.transmit_side.reset.next = self.reset.val();
        self.transmit_side.hold.next = self.hold.val();
        self.configuration.wide.next = self.config_write.val();
        self.receive_side.config_write.next = self.configuration.narrow.val();
        self.transmit_side.config_write.next = self.configuration.narrow.val();
        self.idle.next = self.receive_side.idle.val() & self.transmit_side.idle.val();

        // Received: data.
        self.receive_side.post.next = self.post.val();
        self.receive_side.post_valid.next = self.post_valid.val();
        self.post_ready.next = self.receive_side.post_ready.val();
        self.whole.next = self.receive_side.whole.val();
        self.whole_valid.next = self.receive_side.whole_valid.val();
        self.vanished.next = self.receive_side.vanished.val();
        self.asked.next = self.receive_side.asked.val();
        self.asked_valid.next = self.receive_side.asked_valid.val();
        self.receive_side.asked_stop.next = self.asked_stop.val();
        self.receive_side.response_next.next = self.response_next.val();
        self.receive_side.response_loaded.next = self.response_loaded.val();
        self.receive_side.read_open.next = self.read_open.val();
        self.receive_side.read_close.next = self.read_close.val();
        self.read_reply.next = self.receive_side.read_reply.val();
        self.trace_retire_receive.next = self.receive_side.trace_retire_receive.val();
        self.trace_post.next = self.receive_side.trace_post.val();
        self.receive_side.ack_every.next = self.ack_every.val();
        self.receive_side.frame.next = self.receive.val();
        self.receive_side.frame_plane.next = self.receive_plane.val();
        self.receive_side.frame_valid.next = self.receive_valid.val();
        self.receive_ready.next = self.receive_side.frame_ready.val();
        self.placement.next = self.receive_side.placement.val();
        self.narrow_answer.wide.next = self.receive_side.answer.val();
        self.answer.next = self.narrow_answer.narrow.val();
        self.receive_counts.next = self.receive_side.counts.val();

        // Received: ACKs.
        self.transmit_side.frame.next = self.acknowledge.val();
        self.transmit_side.frame_plane.next = self.acknowledge_plane.val();
        self.transmit_side.frame_valid.next = self.acknowledge_valid.val();
        self.acknowledge_ready.next = self.transmit_side.frame_ready.val();
        self.delivered_valid.next = self.transmit_side.delivered_valid.val();
        self.delivered_slot.next = self.transmit_side.delivered_slot.val();

        // Sent.
        self.transmit_side.now.next = self.now.val();
        self.transmit_side.window.next = self.window.val();
        self.transmit_side.congestion.next = self.congestion.val();
        self.transmit_side.not_ready_ticks.next = self.not_ready_ticks.val();
        self.transmit_side.rto.next = self.rto.val();
        self.transmit_side.max_retries.next = self.max_retries.val();
        self.transmit_side.mtu_log2.next = self.mtu_log2.val();
        self.transmit_side.message.next = self.message.val();
        self.transmit_side.message_slot.next = self.message_slot.val();
        self.transmit_side.message_valid.next = self.message_valid.val();
        self.message_ready.next = self.transmit_side.message_ready.val();
        self.transmit_side.sq_idle.next = self.sq_idle.val();
        self.transmit_side.response.next = self.response.val();
        self.transmit_side.response_slot.next = self.response_slot.val();
        self.transmit_side.response_valid.next = self.response_valid.val();
        self.response_ready.next = self.transmit_side.response_ready.val();
        self.transmit_side.response_idle.next = self.response_idle.val();
        self.narrow_data.wide.next = self.transmit_side.data.val();
        self.data.next = self.narrow_data.narrow.val();
        self.transmit_side.failure_connection.next = self.failure_connection.val();
        self.failure.next = self.transmit_side.failure.val();
        self.failure_write.next = self.transmit_side.failure_write.val();
        self.transmit_counts.next = self.transmit_side.counts.val();

        for k in 0..N {
            self.placement_valid[k].next = self.receive_side.placement_valid[k].val();
            self.receive_side.placement_ready[k].next = self.placement_ready[k].val();
            self.answer_valid[k].next = self.receive_side.answer_valid[k].val();
            self.receive_side.answer_ready[k].next = self.answer_ready[k].val();
            self.data_valid[k].next = self.transmit_side.data_valid[k].val();
            self.transmit_side.data_ready[k].next = self.data_ready[k].val();
        }

        // The trace.
        self.trace_ack_build_valid.next = self.receive_side.trace_ack_build_valid.val();
        self.trace_ack_build_path.next = self.receive_side.trace_ack_build_path.val();
        self.trace_refusal_build_valid.next = self.receive_side.trace_refusal_build_valid.val();
        self.trace_receive_valid.next = self.receive_side.trace_receive_valid.val();
        self.trace_receive_plane.next = self.receive_side.trace_receive_plane.val();
        self.trace_receive_refusal_room.next = self.receive_side.trace_receive_refusal_room.val();
        self.trace_advance_valid.next = self.receive_side.trace_advance_valid.val();
        self.trace_advance_path.next = self.receive_side.trace_advance_path.val();
        self.trace_transmit_valid.next = self.transmit_side.trace_transmit_valid.val();
        self.trace_transmit_kind.next = self.transmit_side.trace_transmit_kind.val();
        self.trace_transmit_path.next = self.transmit_side.trace_transmit_path.val();
        self.trace_transmit_able.next = self.transmit_side.trace_transmit_able.val();
        self.trace_transmit_ack_request.next = self.transmit_side.trace_transmit_ack_request.val();
        self.trace_offer.next = self.transmit_side.trace_offer.val();
        self.trace_judge_valid.next = self.transmit_side.trace_judge_valid.val();
        self.trace_judge_path.next = self.transmit_side.trace_judge_path.val();
        self.trace_judge_idle.next = self.transmit_side.trace_judge_idle.val();
        self.trace_resolve_valid.next = self.transmit_side.trace_resolve_valid.val();
        self.trace_resolve_path.next = self.transmit_side.trace_resolve_path.val();
        self.trace_resolve_tsn.next = self.transmit_side.trace_resolve_tsn.val();
        self.trace_acknowledge_valid.next = self.transmit_side.trace_acknowledge_valid.val();
        self.trace_acknowledge_plane.next = self.transmit_side.trace_acknowledge_plane.val();
        self.trace_window.next = self.transmit_side.trace_window.val();
        self.trace_give_up_valid.next = self.transmit_side.trace_give_up_valid.val();
        self.trace_give_up_connection.next = self.transmit_side.trace_give_up_connection.val();
    }
}
