//! The receive side: what data and PROBEs do, and the answers to them.
use metaroce_cores::answer_builder::AnswerBuilder;
use metaroce_cores::counts::ReceiveCounts;
use metaroce_cores::generated::constants;
use metaroce_cores::message_part::{AskedRead, ReceivePost, StreamCommit, WholeMessage};
use metaroce_cores::message_tails::MessageTails;
use metaroce_cores::message_tracker::MessageTracker;
use metaroce_cores::narrow::Narrowing;
use metaroce_cores::prim::Dff;
use metaroce_cores::read_answers::{ReadClose, ReadOpen, ReadReply};
use metaroce_cores::receive_engine::ReceiveEngine;
use metaroce_cores::receive_tables::Refused;
use metaroce_cores::shift_queue::ShiftQueue;
use metaroce_cores::stream_fifo::StreamFifo;
use metaroce_cores::types::{ConfigWrite, FrameEvent, Placement, TxDescriptor};
use metaroce_protocol::Profile;
use rust_hdl::prelude::*;

/// Receive engine, its tables, and the builder of ACKs and REFUSALs, for N planes.
///
/// `G`: the window's rows of 16 slots; `CA`, `GA`, `RA`: address bits of connections, paths (all connections'), regions;
/// `SA` = GA + log2 G, `EA` = GA + 1. Of profile `Messages`: `XA` address bits of all streams, `XM`, `XP` log2 of a stream's messages
/// in flight and posted buffers, `XE` = XA + XM, `XB` = XA + XP; in profile `Write` nothing reads the tracker.
#[derive(LogicBlock)]
pub struct ReceiveSide<
    const N: usize,
    const G: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
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
    /// A data packet or PROBE that its parser passed.
    pub frame: Signal<In, FrameEvent>,
    /// The plane it came from; `frame_ready` depends on it.
    pub frame_plane: Signal<In, Bits<3>>,
    /// Valid.
    pub frame_valid: Signal<In, Bit>,
    /// Ready; never depends on `frame_valid`.
    pub frame_ready: Signal<Out, Bit>,
    /// Verdict on a data packet's payload, four cycles after its event entered; nothing waits.
    pub placement: Signal<Out, Placement>,
    /// One hot: the plane of the verdict.
    pub placement_valid: [Signal<Out, Bit>; N],
    /// The plane has room for SIX more verdicts: one for each event in a stage, one at the door, one that the door lets in
    /// before it hears of this.
    pub placement_ready: [Signal<In, Bit>; N],
    /// An ACK or REFUSAL.
    pub answer: Signal<Out, TxDescriptor>,
    /// One hot: the plane of the answer.
    pub answer_valid: [Signal<Out, Bit>; N],
    /// The plane's slot is free; once up it stays up until an answer comes (valid comes five cycles after it was looked at).
    pub answer_ready: [Signal<In, Bit>; N],
    /// A buffer for a stream; stays until it is taken.
    pub post: Signal<In, ReceivePost>,
    /// Valid.
    pub post_valid: Signal<In, Bit>,
    /// Taken, not while its stream holds all that it can.
    pub post_ready: Signal<Out, Bit>,
    /// A message is placed whole: its bytes are in memory once all that was placed before is.
    pub whole: Signal<Out, WholeMessage>,
    /// Valid; taken at once.
    pub whole_valid: Signal<Out, Bit>,
    /// It is a Read, and this is what it asks for.
    pub asked: Signal<Out, AskedRead>,
    /// It is.
    pub asked_valid: Signal<Out, Bit>,
    /// No Read may be accepted: a connection's Reads are being forgotten.
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
    /// So many posted buffers are gone: their connection was set up anew.
    pub vanished: Signal<Out, Bits<16>>,
    /// Configuration.
    pub config_write: Signal<In, ConfigWrite>,
    /// No event enters, no answer is begun.
    pub hold: Signal<In, Bit>,
    /// Nothing is inside a stage.
    pub idle: Signal<Out, Bit>,
    /// ACK_EVERY, packets.
    pub ack_every: Signal<In, Bits<8>>,
    /// For the counters.
    pub counts: Signal<Out, ReceiveCounts>,
    /// Commit trace: an ACK is built.
    pub trace_ack_build_valid: Signal<Out, Bit>,
    /// Its path.
    pub trace_ack_build_path: Signal<Out, Bits<16>>,
    /// Commit trace: the oldest refusal is built.
    pub trace_refusal_build_valid: Signal<Out, Bit>,
    /// Commit trace: an event.
    pub trace_receive_valid: Signal<Out, Bit>,
    /// Its plane.
    pub trace_receive_plane: Signal<Out, Bits<3>>,
    /// A refusal could be queued.
    pub trace_receive_refusal_room: Signal<Out, Bit>,
    /// Commit trace: a cumulative point moves on by one accepted packet.
    pub trace_advance_valid: Signal<Out, Bit>,
    /// Its path.
    pub trace_advance_path: Signal<Out, Bits<16>>,
    /// Commit trace: the next message of a stream ends.
    pub trace_retire_receive: Signal<Out, StreamCommit>,
    /// Commit trace: a buffer is posted.
    pub trace_post: Signal<Out, StreamCommit>,
    engine: ReceiveEngine<G, CA, GA, RA, SA>,
    builder: AnswerBuilder<N, G, CA, GA>,
    tails: MessageTails,
    tracker: MessageTracker<CA, XA, XM, XP, XE, XB>,
    /// A path has one request at most, and one more of each life it had: half full, it takes what all paths may still ask for.
    requests: [StreamFifo<Bits<GA>, EA>; N],
    /// A refusal leaves it when its answer is built: 4 at most, as docs/protocol.md says.
    refusals: ShiftQueue<Refused, 4>,
    room: Signal<Local, Bit>,
    open: [Dff<Bit>; N],
    enter: Signal<Local, Bit>,
    half: Constant<Bits<EA>>,
    messages: Constant<Bit>,
    reads: Constant<Bit>,
    table_connection: Constant<Bits<4>>,
}

impl<
    const N: usize,
    const G: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const SA: usize,
    const EA: usize,
    const XA: usize,
    const XM: usize,
    const XP: usize,
    const XE: usize,
    const XB: usize,
> ReceiveSide<N, G, CA, GA, RA, SA, EA, XA, XM, XP, XE, XB>
{
    /// `path_bits`: bits of a path number in its connection, GA - CA.
    pub fn new(path_bits: usize, profile: Profile, narrowing: &Narrowing) -> Self {
        let messages = profile.tracks_messages();
        assert!((1..=8).contains(&N), "1 to 8 planes");
        assert_eq!(EA, GA + 1, "requests of two lives of every path");
        assert_eq!(
            GA,
            CA + path_bits,
            "a global path number is connection and path"
        );
        assert!(
            path_bits <= 8 && CA <= 12 && GA <= 16 && RA <= 16,
            "index widths"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frame: Default::default(),
            frame_plane: Default::default(),
            frame_valid: Default::default(),
            frame_ready: Default::default(),
            placement: Default::default(),
            placement_valid: std::array::from_fn(|_| Default::default()),
            placement_ready: std::array::from_fn(|_| Default::default()),
            answer: Default::default(),
            answer_valid: std::array::from_fn(|_| Default::default()),
            answer_ready: std::array::from_fn(|_| Default::default()),
            config_write: Default::default(),
            hold: Default::default(),
            idle: Default::default(),
            ack_every: Default::default(),
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
            counts: Default::default(),
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
            engine: ReceiveEngine::new(path_bits, messages, profile.answers_reads(), narrowing),
            builder: AnswerBuilder::new(path_bits),
            tails: MessageTails::new(CA, XA - CA),
            tracker: Default::default(),
            requests: std::array::from_fn(|_| Default::default()),
            refusals: Default::default(),
            room: Default::default(),
            open: std::array::from_fn(|_| Default::default()),
            enter: Default::default(),
            half: Constant::new((1 << GA as LiteralType).into()),
            messages: Constant::new(messages),
            reads: Constant::new(profile.answers_reads()),
            table_connection: Constant::new(constants::TABLE_CONNECTION.into()),
        }
    }
}

impl<
    const N: usize,
    const G: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const SA: usize,
    const EA: usize,
    const XA: usize,
    const XM: usize,
    const XP: usize,
    const XE: usize,
    const XB: usize,
> Logic for ReceiveSide<N, G, CA, GA, RA, SA, EA, XA, XM, XP, XE, XB>
{
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, engine, builder, tracker, refusals);
        self.tracker.reset.next = self.reset.val();
        self.engine.reset.next = self.reset.val();
        self.builder.reset.next = self.reset.val();
        self.refusals.reset.next = self.reset.val();

        // The door, a cycle ahead: room for all that the events inside may put out.
        self.room.next = !self.hold.val()
            & !self.engine.loading.val()
            & !(self.messages.val() & (self.tracker.loading.val() | self.tracker.backlog.val()))
            & !(self.reads.val() & self.asked_stop.val());
        for i in 0..N {
            if self.requests[i].level.val() >= self.half.val() {
                self.room.next = false;
            }
        }
        self.frame_ready.next = false;
        for i in 0..N {
            self.open[i].clock.next = self.clock.val();
            self.open[i].d.next = self.room.val() & self.placement_ready[i].val();
            if self.frame_plane.val() == i.to_bits() {
                self.frame_ready.next = self.open[i].q.val();
            }
        }
        self.enter.next = self.frame_valid.val() & self.frame_ready.val();
        self.engine.frame.next = self.frame.val();
        self.engine.frame_plane.next = self.frame_plane.val();
        self.engine.valid.next = self.enter.val();
        self.engine.config_write.next = self.config_write.val();
        self.engine.ack_every.next = self.ack_every.val();
        self.engine.refusal_room.next = self.refusals.room.val();
        self.engine.built.next = self.builder.built.val();

        // Messages.
        self.tails.frame.next = self.frame.val();
        self.tracker.part.next = self.tails.part.val();
        self.engine.tracker_refuses.next = self.tracker.refused.val();
        self.engine.tracker.next = self.tracker.verdict.val();
        self.tracker.accepted.next = self.engine.accepted.val();
        self.tracker.ask.next = self.engine.ask.val();
        self.asked.next = self.tracker.asked.val();
        self.asked_valid.next = self.reads.val() & self.tracker.asked_valid.val();
        self.engine.response_next.next = self.response_next.val();
        self.engine.response_loaded.next = self.response_loaded.val();
        self.engine.read_open.next = self.read_open.val();
        self.engine.read_close.next = self.read_close.val();
        self.read_reply.next = self.engine.read_reply.val();
        self.tracker.hold.next = self.hold.val();
        self.tracker.post.next = self.post.val();
        self.tracker.post_valid.next = self.post_valid.val();
        self.post_ready.next = self.messages.val() & self.tracker.post_ready.val();
        self.whole.next = self.tracker.whole.val();
        self.whole_valid.next = self.messages.val() & self.tracker.whole_valid.val();
        self.vanished.next = self.tracker.vanished.val();
        self.tracker.start.next = self.config_write.val().valid
            & (self.config_write.val().table == self.table_connection.val());
        self.tracker.start_connection.next = bit_cast::<CA, 16>(self.config_write.val().index);
        self.trace_retire_receive.next = self.tracker.retired.val();
        self.trace_post.next = self.tracker.posted.val();
        if !self.messages.val() {
            // Nothing reads the tracker: synthesis removes it.
            self.asked.next.stream = 0.into();
            self.asked.next.message = 0.into();
            self.asked.next.tag = 0.into();
            self.asked.next.address = 0.into();
            self.asked.next.length = 0.into();
            self.whole.next.stream = 0.into();
            self.whole.next.message = 0.into();
            self.whole.next.length = 0.into();
            self.whole.next.has_immediate = false;
            self.whole.next.immediate = 0.into();
            self.whole.next.took = false;
            self.whole.next.wr_id = 0.into();
            self.vanished.next = 0.into();
            self.trace_retire_receive.next.valid = false;
            self.trace_retire_receive.next.stream = 0.into();
            self.trace_post.next.valid = false;
            self.trace_post.next.stream = 0.into();
        }

        self.placement.next = self.engine.placement.val();
        self.refusals.push.next = self.engine.refused_valid.val();
        self.refusals.data.next = self.engine.refused.val();
        self.refusals.pop.next = self.builder.refused_pop.val();
        self.builder.refused.next = self.refusals.head.val();
        self.builder.refused_valid.next = self.refusals.valid.val();
        self.builder.hold.next = self.hold.val();
        self.builder.config_write.next = self.config_write.val();
        self.builder.write_enable.next = self.engine.write_enable.val();
        self.builder.write_path.next = self.engine.write_path.val();
        self.builder.write_state.next = self.engine.write_state.val();
        self.builder.write_slot.next = self.engine.write_slot.val();
        self.builder.write_slot_enable.next = self.engine.write_slot_enable.val();
        self.builder.advance.next = self.engine.advance.val();
        self.builder.begins.next = self.engine.begins.val();
        self.answer.next = self.builder.answer.val();
        for i in 0..N {
            self.placement_valid[i].next =
                self.engine.placement_valid.val() & (self.engine.plane.val() == i.to_bits());
            self.requests[i].clock.next = self.clock.val();
            self.requests[i].reset.next = self.reset.val();
            self.requests[i].push.next = self.engine.request_path.val();
            self.requests[i].push_valid.next =
                self.engine.request_valid.val() & (self.engine.request_plane.val() == i.to_bits());
            self.requests[i].pop_ready.next = self.builder.request_pop[i].val();
            self.builder.request_path[i].next = self.requests[i].pop.val();
            self.builder.request_valid[i].next = self.requests[i].pop_valid.val();
            self.builder.answer_ready[i].next = self.answer_ready[i].val();
            self.answer_valid[i].next = self.builder.answer_valid[i].val();
        }
        self.idle.next = !self.engine.busy.val()
            & !self.builder.busy.val()
            & !(self.messages.val() & self.tracker.busy.val());

        self.counts.next = self.engine.counts.val();
        self.counts.next.tx_acks = self.builder.built.val().valid;
        self.counts.next.tx_refusals = self.builder.refusal_built.val();
        self.counts.next.rx_messages = self.whole_valid.val();
        self.trace_ack_build_valid.next = self.builder.built.val().valid;
        self.trace_ack_build_path.next = self.builder.built.val().path;
        self.trace_refusal_build_valid.next = self.builder.refusal_built.val();
        self.trace_receive_valid.next = self.engine.commit.val();
        self.trace_receive_plane.next = self.engine.plane.val();
        self.trace_receive_refusal_room.next = self.refusals.room.val();
        self.trace_advance_valid.next = self.engine.advance.val().valid;
        self.trace_advance_path.next = self.engine.advance.val().path;
        if self.reset.val() {
            for i in 0..N {
                self.open[i].d.next = false;
            }
        }
    }
}
