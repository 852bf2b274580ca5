//! The transmit side: what goes out on which path, what ACKs say about it, what is sent again.
use metaroce_cores::ack_engine::AckEngine;
use metaroce_cores::congestion::{CongestionSettings, WindowWrite};
use metaroce_cores::congestion_control::CongestionControl;
use metaroce_cores::connection_state::ConnectionState;
use metaroce_cores::counts::{ConnectionFailure, TransmitCounts};
use metaroce_cores::descriptor_builder::DescriptorBuilder;
use metaroce_cores::narrow::Narrowing;
use metaroce_cores::prim::Dff;
use metaroce_cores::resolver::Resolver;
use metaroce_cores::transmit_config::TransmitConfig;
use metaroce_cores::transmit_engine::TransmitEngine;
use metaroce_cores::transmit_path::{FailureWrite, Offer};
use metaroce_cores::types::{ConfigWrite, FrameEvent, Message, TxDescriptor};
use metaroce_protocol::Profile;
use rust_hdl::prelude::*;

/// Transmit engine, ACK engine, resolver, retransmit queues and walk, for N planes.
///
/// `P` paths a connection; `CA`, `GA`: address bits of connections and of paths (all connections');
/// `W` window, `IW`: log2 W; `FA`: GA + IW; `TA`: GA + 8; `QA`: log2 of each
/// retransmit queue's entries; `MA`: of the packets that wait for their path.
#[derive(LogicBlock)]
pub struct TransmitSide<
    const P: usize,
    const CA: usize,
    const GA: usize,
    const N: usize,
    const W: usize,
    const IW: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const MA: usize,
> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high. Tables keep their contents: configure again after it.
    pub reset: Signal<In, Bit>,
    /// The clock of all time stamps.
    pub now: Signal<In, Bits<32>>,

    /// An ACK or REFUSAL that its parser passed.
    pub frame: Signal<In, FrameEvent>,
    /// The plane it came from, for the trace.
    pub frame_plane: Signal<In, Bits<3>>,
    /// Valid.
    pub frame_valid: Signal<In, Bit>,
    /// Ready; never depends on `frame_valid`.
    pub frame_ready: Signal<Out, Bit>,

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

    /// The next response: it and the messages send in turn.
    pub response: Signal<In, Message>,
    /// Its slot, beside those of messages.
    pub response_slot: Signal<In, Bits<4>>,
    /// Valid.
    pub response_valid: Signal<In, Bit>,
    /// It is taken.
    pub response_ready: Signal<Out, Bit>,
    /// No response waits outside that a slot is free for.
    pub response_idle: Signal<In, Bit>,

    /// A WRITE or PROBE.
    pub data: Signal<Out, TxDescriptor>,
    /// One hot: the plane of the descriptor.
    pub data_valid: [Signal<Out, Bit>; N],
    /// The plane takes a descriptor; falls only by a transfer (valid comes some cycles after it was looked at).
    pub data_ready: [Signal<In, Bit>; N],

    /// A packet is delivered (never one of a failed connection).
    pub delivered_valid: Signal<Out, Bit>,
    /// Its message's slot; a response's from 16.
    pub delivered_slot: Signal<Out, Bits<5>>,
    /// Which connection's failure is asked for.
    pub failure_connection: Signal<In, Bits<12>>,
    /// The answer, in the next cycle.
    pub failure: Signal<Out, ConnectionFailure>,
    /// A connection fails, or is set up anew.
    pub failure_write: Signal<Out, FailureWrite>,

    /// Configuration.
    pub config_write: Signal<In, ConfigWrite>,
    /// No event enters a stage.
    pub hold: Signal<In, Bit>,
    /// Nothing is inside a stage, no decision waits to become a descriptor.
    pub idle: Signal<Out, Bit>,
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
    /// For the counters.
    pub counts: Signal<Out, TransmitCounts>,

    /// Commit trace: a decision.
    pub trace_transmit_valid: Signal<Out, Bit>,
    /// 0 tail probe, 1 time-out probe, 2 retransmission, 3 new data, 4 retransmission thrown away, 5 connection gives up,
    /// 6 new data not sent because its connection failed, 7 probe not sent for that reason.
    pub trace_transmit_kind: Signal<Out, Bits<3>>,
    /// Its path.
    pub trace_transmit_path: Signal<Out, Bits<16>>,
    /// The plane's paths that it could have taken.
    pub trace_transmit_able: Signal<Out, Bits<16>>,
    /// It asks for an acknowledgement.
    pub trace_transmit_ack_request: Signal<Out, Bit>,
    /// What timing offered to the choice that commits now, or to none.
    pub trace_offer: Signal<Out, Offer>,
    /// A path is judged by what its records were before this cycle.
    pub trace_judge_valid: Signal<Out, Bit>,
    /// Its path.
    pub trace_judge_path: Signal<Out, Bits<16>>,
    /// There is no message to send.
    pub trace_judge_idle: Signal<Out, Bit>,
    /// Commit trace: a transmission is resolved.
    pub trace_resolve_valid: Signal<Out, Bit>,
    /// Its path.
    pub trace_resolve_path: Signal<Out, Bits<16>>,
    /// Its TSN.
    pub trace_resolve_tsn: Signal<Out, Bits<24>>,
    /// Commit trace: an ACK or REFUSAL.
    pub trace_acknowledge_valid: Signal<Out, Bit>,
    /// Its plane.
    pub trace_acknowledge_plane: Signal<Out, Bits<3>>,
    /// Commit trace: the window of a path changes, by the oldest of its events that has not changed it.
    pub trace_window: Signal<Out, WindowWrite>,
    /// Commit trace: a connection that gave up fails.
    pub trace_give_up_valid: Signal<Out, Bit>,
    /// Which.
    pub trace_give_up_connection: Signal<Out, Bits<12>>,
    configuration: TransmitConfig,
    engine: TransmitEngine<P, CA, GA, N, QA, MA>,
    builder: DescriptorBuilder<N, CA, GA>,
    ack: AckEngine<CA, GA, W>,
    resolver: Resolver<CA, GA, W, IW, TA, FA>,
    control: CongestionControl<CA, GA>,
    connections: ConnectionState<CA>,
    give_up: Dff<Bit>,
    give_up_connection: Dff<Bits<CA>>,
    counted: Dff<TransmitCounts>,
    planes_ready: Signal<Local, Bits<N>>,
    reads: Constant<Bit>,
    response_slots: Constant<Bits<5>>,
    message_slot5: Signal<Local, Bits<5>>,
    response_slot5: Signal<Local, Bits<5>>,
}

impl<
    const P: usize,
    const CA: usize,
    const GA: usize,
    const N: usize,
    const W: usize,
    const IW: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const MA: usize,
> TransmitSide<P, CA, GA, N, W, IW, FA, TA, QA, MA>
{
    /// A transmit side of this size.
    pub fn new(profile: Profile, narrowing: &Narrowing) -> Self {
        let narrowing = &Narrowing {
            responses: narrowing.responses && profile.answers_reads(),
            ..narrowing.clone()
        };
        assert!((1..=8).contains(&N), "1 to 8 planes");
        assert!((1..=16).contains(&P) && CA < GA, "1 to 16 paths");
        assert!(1 << GA == P << CA, "GA follows from CA and P");
        assert!(
            W == 1 << IW && (IW == 8 || IW == 5),
            "a window of 256 or 32"
        );
        assert!(
            FA == GA + IW && TA == GA + 8,
            "FA, TA follow from GA and IW"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            now: Default::default(),
            frame: Default::default(),
            frame_plane: Default::default(),
            frame_valid: Default::default(),
            frame_ready: Default::default(),
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
            data: Default::default(),
            data_valid: std::array::from_fn(|_| Default::default()),
            data_ready: std::array::from_fn(|_| Default::default()),
            delivered_valid: Default::default(),
            delivered_slot: Default::default(),
            failure_connection: Default::default(),
            failure: Default::default(),
            failure_write: Default::default(),
            config_write: Default::default(),
            hold: Default::default(),
            idle: Default::default(),
            window: Default::default(),
            congestion: Default::default(),
            not_ready_ticks: Default::default(),
            rto: Default::default(),
            max_retries: Default::default(),
            mtu_log2: Default::default(),
            counts: Default::default(),
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
            configuration: Default::default(),
            engine: TransmitEngine::new(W, narrowing),
            builder: DescriptorBuilder::new(
                profile.tracks_messages(),
                profile.answers_reads(),
                narrowing,
            ),
            ack: AckEngine::new(profile.tracks_messages(), narrowing),
            resolver: Resolver::new(narrowing),
            control: CongestionControl::new(narrowing),
            connections: Default::default(),
            counted: Default::default(),
            give_up: Default::default(),
            give_up_connection: Default::default(),
            planes_ready: Default::default(),
            response_slots: Constant::new(bits(16)),
            reads: Constant::new(profile.answers_reads()),
            message_slot5: Default::default(),
            response_slot5: Default::default(),
        }
    }
}

impl<
    const P: usize,
    const CA: usize,
    const GA: usize,
    const N: usize,
    const W: usize,
    const IW: usize,
    const FA: usize,
    const TA: usize,
    const QA: usize,
    const MA: usize,
> Logic for TransmitSide<P, CA, GA, N, W, IW, FA, TA, QA, MA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, give_up, give_up_connection, counted);
        self.engine.clock.next = self.clock.val();
        self.engine.reset.next = self.reset.val();
        self.builder.clock.next = self.clock.val();
        self.builder.reset.next = self.reset.val();
        self.ack.clock.next = self.clock.val();
        self.ack.reset.next = self.reset.val();
        self.resolver.clock.next = self.clock.val();
        self.resolver.reset.next = self.reset.val();
        self.connections.clock.next = self.clock.val();

        self.configuration.config_write.next = self.config_write.val();
        self.engine.path_write.next = self.configuration.path_write.val();
        self.ack.path_write.next = self.configuration.path_write.val();
        self.resolver.path_write.next = self.configuration.path_write.val();
        self.builder.path_write.next = self.configuration.path_write.val();
        self.ack.connection_valid.next = self.configuration.connection_valid.val();
        self.ack.connection_index.next = self.configuration.connection_index.val();
        self.ack.connection_entry.next = self.configuration.connection_entry.val();
        self.builder.connection_valid.next = self.configuration.connection_valid.val();
        self.builder.connection_index.next = self.configuration.connection_index.val();
        self.builder.connection_entry.next = self.configuration.connection_entry.val();
        self.connections.renew.next = self.configuration.connection_valid.val();
        self.connections.renew_connection.next =
            bit_cast::<CA, 12>(self.configuration.connection_index.val());

        // The transmit engine.
        self.engine.hold.next = self.hold.val();
        self.engine.now.next = self.now.val();
        self.engine.message.next = self.message.val();
        self.message_slot5.next = bit_cast::<5, 4>(self.message_slot.val());
        self.response_slot5.next =
            bit_cast::<5, 4>(self.response_slot.val()) | self.response_slots.val();
        self.engine.message_slot.next = self.message_slot5.val();
        self.engine.message_valid.next = self.message_valid.val();
        // No message takes a slot that a decision waits for: its frame would tell of the new message.
        self.engine.message_stop.next = self
            .builder
            .slots
            .val()
            .get_bit(self.message_slot5.val().index());
        self.message_ready.next = self.engine.message_ready.val();
        self.engine.sq_idle.next = self.sq_idle.val();
        self.engine.response.next = self.response.val();
        self.engine.response_slot.next = self.response_slot5.val();
        self.engine.response_valid.next = self.reads.val() & self.response_valid.val();
        // One of both enters the table in a cycle.
        self.engine.response_stop.next = self
            .builder
            .slots
            .val()
            .get_bit(self.response_slot5.val().index())
            | (self.message_valid.val() & self.engine.message_ready.val());
        self.response_ready.next = self.reads.val() & self.engine.response_ready.val();
        self.engine.response_idle.next = !self.reads.val() | self.response_idle.val();
        self.engine.failure.next = self.connections.write.val();
        self.engine.room.next = self.builder.room.val();
        self.engine.spare.next = self.builder.spare.val();
        self.engine.snapshot.next = self.ack.snapshot.val();
        self.engine.resolved.next = self.resolver.resolved.val();
        self.engine.lost_valid.next = self.resolver.lost_valid.val();
        self.engine.lost.next = self.resolver.lost.val();
        self.engine.lost_plane.next = self.resolver.lost_plane.val();
        self.engine.window.next = self.window.val();
        self.engine.rto.next = self.rto.val();
        self.engine.max_retries.next = self.max_retries.val();
        self.engine.mtu_log2.next = self.mtu_log2.val();

        // Descriptors.
        self.builder.claim.next = self.engine.claim.val();
        self.builder.forfeit.next = self.engine.forfeit.val();
        self.builder.transmission.next = self.engine.transmission.val();
        self.builder.transmission_plane.next = self.engine.transmission_plane.val();
        self.builder.transmission_valid.next = self.engine.transmission_valid.val();
        self.builder.message.next = self.message.val();
        self.builder.message_slot.next = self.message_slot5.val();
        self.builder.message_enter.next =
            self.message_valid.val() & self.engine.message_ready.val();
        if self.response_valid.val() & self.response_ready.val() {
            self.builder.message.next = self.response.val();
            self.builder.message_slot.next = self.response_slot5.val();
            self.builder.message_enter.next = true;
        }
        self.builder.mtu_log2.next = self.mtu_log2.val();
        self.data.next = self.builder.data.val();
        self.planes_ready.next = bits::<N>(0);
        for k in 0..N {
            self.data_valid[k].next = self.builder.data_valid.val().get_bit(k);
            if self.data_ready[k].val() {
                self.planes_ready.next = self.planes_ready.val().replace_bit(k, true);
            }
        }
        self.builder.data_ready.next = self.planes_ready.val();

        // ACKs.
        self.ack.hold.next = self.hold.val();
        self.ack.now.next = self.now.val();
        self.ack.frame.next = self.frame.val();
        self.ack.frame_plane.next = self.frame_plane.val();
        self.ack.frame_valid.next = self.frame_valid.val();
        self.frame_ready.next = self.ack.frame_ready.val();
        self.ack.failure.next = self.connections.write.val();
        self.ack.transmit.next = self.engine.transmit.val();
        self.ack.not_ready_ticks.next = self.not_ready_ticks.val();
        self.ack.owner.next = self.resolver.owner2.val();
        self.ack.delivered.next = self.resolver.delivered_valid.val();
        self.ack.delivered_connection.next = self.resolver.owner4.val();

        // Windows.
        self.control.clock.next = self.clock.val();
        self.control.reset.next = self.reset.val();
        self.control.settings.next = self.congestion.val();
        self.control.heard.next = self.ack.heard.val();
        self.control.late.next =
            self.engine.trace_valid.val() & (self.engine.trace_kind.val() == bits::<3>(1));
        self.control.late_path.next = self.engine.trace_path.val();
        self.control.path_write.next = self.configuration.path_write.val();
        self.control.connection_valid.next = self.configuration.connection_valid.val();
        self.control.connection.next =
            bit_cast::<CA, 12>(self.configuration.connection_index.val());
        self.control.path_count.next = self.configuration.path_count.val();
        // No REFUSAL commits in the cycle in which a connection gives up or in which it decides to.
        self.ack.stop.next = self.control.stop.val() | self.engine.to_give_up.val();
        self.engine.window_limits.next = self.control.limits.val();
        self.engine.law_window.next = self.control.law_window.val();
        self.engine.timeout.next = self.control.timeout.val();
        self.engine.rto_floor.next = self.congestion.val().rto_floor;
        self.trace_window.next = self.control.trace_window.val();

        // Fates.
        self.resolver.hold.next = self.hold.val();
        self.resolver.failure.next = self.connections.write.val();
        self.resolver.transmission.next = self.engine.transmission.val();
        self.resolver.ring_psn.next = self.engine.ring_psn.val();
        self.resolver.transmission_valid.next = self.engine.transmission_valid.val();
        self.resolver.snapshot.next = self.ack.snapshot.val();
        self.resolver.bitvector.next = self.ack.bitvector.val();
        self.resolver.coming.next = self.ack.coming.val();
        self.resolver.coming_cum.next = self.ack.coming_cum.val();
        self.resolver.applied.next = self.ack.applied.val();
        self.resolver.lost_room.next = self.engine.lost_room.val();
        self.delivered_valid.next = self.resolver.delivered_valid.val();
        self.delivered_slot.next = self.resolver.delivered_slot.val();

        // Failures. Who gives up fails in the cycle after the decision.
        self.give_up.d.next = self.engine.give_up.val();
        self.give_up_connection.d.next = self.engine.give_up_connection.val();
        self.connections.give_up.next = self.give_up.q.val();
        self.connections.give_up_connection.next = self.give_up_connection.q.val();
        self.connections.refused.next = self.ack.refused.val();
        self.connections.refused_connection.next = self.ack.refused_connection.val();
        self.connections.refusal.next.reason = self.ack.refused_reason.val();
        self.connections.refusal.next.stream = self.ack.refused_stream.val();
        self.connections.refusal.next.message = self.ack.refused_message.val();
        self.connections.failure_connection.next = self.failure_connection.val();
        self.failure.next = self.connections.failure.val();
        self.failure_write.next = self.connections.write.val();

        // What is inside, what is counted, what is traced.
        self.idle.next = !self.engine.busy.val()
            & !self.give_up.q.val()
            & !self.ack.busy.val()
            & !self.resolver.busy.val()
            & !self.control.busy.val()
            & !self.builder.busy.val().any();
        self.counted.d.next.rx_frames = self.ack.commit.val();
        self.counted.d.next.resolved_delivered = self.resolver.delivered_valid.val();
        self.counted.d.next.resolved_lost = self.resolver.lost_valid.val();
        self.counted.d.next.rx_unknown_connection = self.ack.unknown_connection.val();
        self.counted.d.next.rx_closed_epoch = self.ack.closed_epoch.val();
        self.counted.d.next.rx_acks = self.ack.applied.val();
        self.counted.d.next.rx_refusals = self.ack.refusal_taken.val();
        self.counted.d.next.rx_ack_invalid = self.ack.invalid.val();
        self.counted.d.next.rx_ack_stale = self.ack.stale.val();
        self.counted.d.next.rx_on_failed_connection = self.ack.on_failed.val();
        self.counted.d.next.tx_writes = self.builder.written.val();
        self.counted.d.next.tx_verbs = self.builder.verb.val();
        self.counted.d.next.tx_write_bytes = self.builder.written_bytes.val();
        self.counted.d.next.tx_retransmissions =
            self.engine.trace_valid.val() & (self.engine.trace_kind.val() == bits::<3>(2));
        self.counted.d.next.tx_tail_probes =
            self.engine.trace_valid.val() & (self.engine.trace_kind.val() == bits::<3>(0));
        self.counted.d.next.tx_timeout_probes =
            self.engine.trace_valid.val() & (self.engine.trace_kind.val() == bits::<3>(1));
        self.counted.d.next.tx_discarded =
            self.engine.trace_valid.val() & (self.engine.trace_kind.val() == bits::<3>(4));
        self.counts.next = self.counted.q.val();
        self.trace_transmit_valid.next = self.engine.trace_valid.val();
        self.trace_transmit_kind.next = self.engine.trace_kind.val();
        self.trace_transmit_path.next = self.engine.trace_path.val();
        self.trace_transmit_able.next = bit_cast::<16, P>(self.engine.trace_able.val());
        self.trace_transmit_ack_request.next = self.engine.transmission.val().ack_request;
        self.trace_offer.next = self.engine.trace_offer.val();
        self.trace_judge_valid.next = self.engine.trace_judge_valid.val();
        self.trace_judge_path.next = self.engine.trace_judge_path.val();
        self.trace_judge_idle.next = self.engine.trace_judge_idle.val();
        self.trace_resolve_valid.next = self.resolver.trace_valid.val();
        self.trace_resolve_path.next = self.resolver.lost.val().path;
        self.trace_resolve_tsn.next = self.resolver.trace_tsn.val();
        self.trace_acknowledge_valid.next = self.ack.commit.val();
        self.trace_acknowledge_plane.next = self.ack.plane.val();
        self.trace_give_up_valid.next = self.give_up.q.val();
        self.trace_give_up_connection.next = bit_cast::<12, CA>(self.give_up_connection.q.val());

        if self.reset.val() {
            self.give_up.d.next = false;
        }
    }
}
