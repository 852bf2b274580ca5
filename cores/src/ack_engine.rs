//! The ACK engine: what an ACK or REFUSAL changes.
use crate::congestion::CongestionEvent;
use crate::failed_connections::FailedConnections;
use crate::forwarded_table::ForwardedTable;
use crate::generated::constants::{OPCODE_REFUSAL, REASON_RECEIVER_NOT_READY};
use crate::generated::tails::{UnpackNak, UnpackSack};
use crate::narrow::Narrowing;
use crate::path_table::PathTable;
use crate::patience::Patience;
use crate::prim::{Dff, RamSdp};
use crate::transmit_path::{
    ConnectionEntry, FailureWrite, Numbers, PathConfig, PathWrite, SnapshotWrite, TransmitWrite,
};
use crate::types::FrameEvent;
use rust_hdl::prelude::*;

/// The ACK engine (docs/protocol.md, "ACK received").
///
/// S0 takes an event and presents its path; S1 checks it against the configuration; S2, two cycles after S0, judges it
/// by the records as they were before S2, and commits. An event a cycle, also on the same path. `CA`, `GA` address bits
/// of connections and of paths; `W` window.
#[derive(LogicBlock)]
pub struct AckEngine<const CA: usize, const GA: usize, const W: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Nothing enters S0.
    pub hold: Signal<In, Bit>,
    /// The clock of all time stamps.
    pub now: Signal<In, Bits<32>>,
    /// An ACK or REFUSAL.
    pub frame: Signal<In, FrameEvent>,
    /// Its plane.
    pub frame_plane: Signal<In, Bits<3>>,
    /// Valid.
    pub frame_valid: Signal<In, Bit>,
    /// Nothing enters S0 in this cycle.
    pub stop: Signal<In, Bit>,
    /// Ready: whenever there is neither `hold` nor `stop`.
    pub frame_ready: Signal<Out, Bit>,
    /// A connection fails, or is set up anew.
    pub failure: Signal<In, FailureWrite>,
    /// The transmit engine's writes.
    pub transmit: Signal<In, TransmitWrite>,
    /// Configuration of a path.
    pub path_write: Signal<In, PathWrite>,
    /// Configuration of a connection.
    pub connection_valid: Signal<In, Bit>,
    /// Which connection.
    pub connection_index: Signal<In, Bits<12>>,
    /// Its entry.
    pub connection_entry: Signal<In, ConnectionEntry>,
    /// S2: the path's snapshot changes.
    pub snapshot: Signal<Out, SnapshotWrite>,
    /// S2: its bitvector.
    pub bitvector: Signal<Out, Bits<W>>,
    /// S1: the bitvector that the next cycle's snapshot will have, if it is an ACK's.
    pub coming: Signal<Out, Bits<W>>,
    /// S1: its cumulative PSN.
    pub coming_cum: Signal<Out, Bits<24>>,
    /// S2: an ACK replaced the snapshot.
    pub applied: Signal<Out, Bit>,
    /// S2: what congestion control hears of an ACK that is applied.
    pub heard: Signal<Out, CongestionEvent>,
    /// NOT_READY_TICKS.
    pub not_ready_ticks: Signal<In, Bits<31>>,
    /// The connection of what the resolver resolves two cycles later.
    pub owner: Signal<In, Bits<CA>>,
    /// The resolver finds a packet delivered.
    pub delivered: Signal<In, Bit>,
    /// Whose.
    pub delivered_connection: Signal<In, Bits<CA>>,
    /// S2: a REFUSAL.
    pub refusal_taken: Signal<Out, Bit>,
    /// S2: it fails its connection.
    pub refused: Signal<Out, Bit>,
    /// S2: that connection.
    pub refused_connection: Signal<Out, Bits<CA>>,
    /// S2: its reason.
    pub refused_reason: Signal<Out, Bits<8>>,
    /// S2: the refused message's stream.
    pub refused_stream: Signal<Out, Bits<16>>,
    /// S2: the refused message.
    pub refused_message: Signal<Out, Bits<16>>,
    /// S2: no such connection or path.
    pub unknown_connection: Signal<Out, Bit>,
    /// S2: another epoch.
    pub closed_epoch: Signal<Out, Bit>,
    /// S2: the connection has failed.
    pub on_failed: Signal<Out, Bit>,
    /// S2: an ACK that can't be true.
    pub invalid: Signal<Out, Bit>,
    /// S2: an ACK older than the snapshot.
    pub stale: Signal<Out, Bit>,
    /// S2: an event, whatever becomes of it.
    pub commit: Signal<Out, Bit>,
    /// S2: its plane.
    pub plane: Signal<Out, Bits<3>>,
    /// Something is in S1 or S2.
    pub busy: Signal<Out, Bit>,
    tsn_mask: Constant<Bits<24>>,
    path_bits: Constant<Bits<4>>,
    extra_path: Constant<Bits<8>>,
    lap_bit: Constant<Bits<5>>,
    window: Constant<Bits<24>>,
    refusal: Constant<Bits<8>>,
    not_ready: Constant<Bits<8>>,
    messages: Constant<Bit>,
    patience: Patience<CA>,
    lacks_buffer: Signal<Local, Bit>,
    sack: UnpackSack,
    sack1: UnpackSack,
    nak: UnpackNak,
    qp: PathTable<Bits<24>, CA>,
    qp_valid: PathTable<Bit, CA>,
    failures: FailedConnections<CA>,
    door: RamSdp<PathConfig, GA>,
    sent: ForwardedTable<Numbers, GA>,
    acked: ForwardedTable<Numbers, GA>,
    frame1: Dff<FrameEvent>,
    plane1: Dff<Bits<3>>,
    valid1: Dff<Bit>,
    frame2: Dff<FrameEvent>,
    plane2: Dff<Bits<3>>,
    valid2: Dff<Bit>,
    known: Dff<Bit>,
    is_open: Dff<Bit>,
    alive: Dff<Bit>,
    s0_path: Signal<Local, Bits<GA>>,
    connection2: Signal<Local, Bits<CA>>,
    path: Signal<Local, Bits<GA>>,
    true_ack: Signal<Local, Bit>,
    old_ack: Signal<Local, Bit>,
    echo_before_next: Signal<Local, Bits<24>>,
    ahead: Signal<Local, Bits<24>>,
    echo_step: Signal<Local, Bits<24>>,
    cum_step: Signal<Local, Bits<24>>,
}

impl<const CA: usize, const GA: usize, const W: usize> AckEngine<CA, GA, W> {
    /// An engine of this size; `messages`: it knows the verbs that profile `Messages` adds.
    pub fn new(messages: bool, narrowing: &Narrowing) -> Self {
        assert!(GA > CA && GA - CA <= 8, "index widths");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            hold: Default::default(),
            now: Default::default(),
            frame: Default::default(),
            frame_plane: Default::default(),
            frame_valid: Default::default(),
            stop: Default::default(),
            frame_ready: Default::default(),
            failure: Default::default(),
            transmit: Default::default(),
            path_write: Default::default(),
            connection_valid: Default::default(),
            connection_index: Default::default(),
            connection_entry: Default::default(),
            snapshot: Default::default(),
            bitvector: Default::default(),
            coming: Default::default(),
            coming_cum: Default::default(),
            applied: Default::default(),
            heard: Default::default(),
            not_ready_ticks: Default::default(),
            owner: Default::default(),
            delivered: Default::default(),
            delivered_connection: Default::default(),
            refusal_taken: Default::default(),
            refused: Default::default(),
            refused_connection: Default::default(),
            refused_reason: Default::default(),
            refused_stream: Default::default(),
            refused_message: Default::default(),
            unknown_connection: Default::default(),
            closed_epoch: Default::default(),
            on_failed: Default::default(),
            invalid: Default::default(),
            stale: Default::default(),
            commit: Default::default(),
            plane: Default::default(),
            busy: Default::default(),
            tsn_mask: Constant::new(Narrowing::low(narrowing.tsn_bits)),
            path_bits: Constant::new(bits((GA - CA) as u64)),
            extra_path: Constant::new(bits(0xFF & !((1u64 << (GA - CA)) - 1))),
            lap_bit: Constant::new(bits(W.ilog2() as u64)),
            window: Constant::new(bits(W as u64)),
            refusal: Constant::new(bits(OPCODE_REFUSAL)),
            not_ready: Constant::new(bits(REASON_RECEIVER_NOT_READY)),
            messages: Constant::new(messages),
            patience: Default::default(),
            lacks_buffer: Default::default(),
            sack: Default::default(),
            sack1: Default::default(),
            nak: Default::default(),
            qp: Default::default(),
            qp_valid: Default::default(),
            failures: Default::default(),
            door: Default::default(),
            sent: Default::default(),
            acked: Default::default(),
            frame1: Default::default(),
            plane1: Default::default(),
            valid1: Default::default(),
            frame2: Default::default(),
            plane2: Default::default(),
            valid2: Default::default(),
            known: Default::default(),
            is_open: Default::default(),
            alive: Default::default(),
            s0_path: Default::default(),
            connection2: Default::default(),
            path: Default::default(),
            true_ack: Default::default(),
            old_ack: Default::default(),
            echo_before_next: Default::default(),
            ahead: Default::default(),
            echo_step: Default::default(),
            cum_step: Default::default(),
        }
    }
}

impl<const CA: usize, const GA: usize, const W: usize> Logic for AckEngine<CA, GA, W> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, frame1, plane1, valid1, frame2, plane2, valid2, known, is_open, alive
        );
        self.qp.clock.next = self.clock.val();
        self.qp_valid.clock.next = self.clock.val();
        self.door.clock.next = self.clock.val();
        self.sent.clock.next = self.clock.val();
        self.acked.clock.next = self.clock.val();

        self.qp.write_enable.next = self.connection_valid.val();
        self.qp.write_address.next = bit_cast::<CA, 12>(self.connection_index.val());
        self.qp.write_data.next = self.connection_entry.val().local_qp;
        self.qp_valid.write_enable.next = self.connection_valid.val();
        self.qp_valid.write_address.next = bit_cast::<CA, 12>(self.connection_index.val());
        self.qp_valid.write_data.next = self.connection_entry.val().live;
        self.door.write_enable.next = self.path_write.val().valid;
        self.door.write_address.next = bit_cast::<GA, 16>(self.path_write.val().path);
        self.door.write_data.next.live = self.path_write.val().live;
        self.door.write_data.next.epoch = self.path_write.val().epoch;
        self.sent.write_enable.next = self.transmit.val().valid;
        self.sent.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.sent.write_data.next.psn = self.transmit.val().next_psn;
        self.sent.write_data.next.tsn = self.transmit.val().next_tsn;
        self.acked.write_enable.next = self.snapshot.val().valid;
        self.acked.write_address.next = bit_cast::<GA, 16>(self.snapshot.val().path);
        self.acked.write_data.next.psn = self.snapshot.val().cum;
        self.acked.write_data.next.tsn = self.snapshot.val().echo;

        // S0.
        self.frame_ready.next = !self.hold.val() & !self.stop.val();
        self.valid1.d.next = self.frame_valid.val() & !self.hold.val() & !self.stop.val();
        self.frame1.d.next = self.frame.val();
        self.plane1.d.next = self.frame_plane.val();
        self.s0_path.next = (bit_cast::<GA, 24>(self.frame.val().dest_qp) << self.path_bits.val())
            | bit_cast::<GA, 8>(self.frame.val().path & !self.extra_path.val());
        self.qp.read_address.next = bit_cast::<CA, 24>(self.frame.val().dest_qp);
        self.qp_valid.read_address.next = bit_cast::<CA, 24>(self.frame.val().dest_qp);
        self.failures.clock.next = self.clock.val();
        self.failures.write.next = self.failure.val();
        self.failures.connection.next = bit_cast::<CA, 24>(self.frame.val().dest_qp);
        self.door.read_address.next = self.s0_path.val();
        self.sent.read_address.next = self.s0_path.val();
        self.acked.read_address.next = self.s0_path.val();

        // S1: whose it is. A connection that fails in this cycle has failed at S2.
        self.valid2.d.next = self.valid1.q.val();
        self.frame2.d.next = self.frame1.q.val();
        self.plane2.d.next = self.plane1.q.val();
        self.known.d.next = self.qp_valid.read_data.val()
            & (self.qp.read_data.val() == self.frame1.q.val().dest_qp)
            & ((self.frame1.q.val().path & self.extra_path.val()) == bits::<8>(0))
            & self.door.read_data.val().live;
        self.is_open.d.next = self.door.read_data.val().epoch == self.frame1.q.val().epoch;
        self.alive.d.next = !self.failures.fails.val();

        // S2: whether an ACK can be true, and is news. A number is before another if their difference is negative.
        self.sack.bits.next = self.frame2.q.val().tail;
        self.nak.bits.next = self.frame2.q.val().tail;
        self.connection2.next = bit_cast::<CA, 24>(self.frame2.q.val().dest_qp);
        self.path.next = (bit_cast::<GA, 24>(self.frame2.q.val().dest_qp) << self.path_bits.val())
            | bit_cast::<GA, 8>(self.frame2.q.val().path & !self.extra_path.val());
        self.echo_before_next.next = self.frame2.q.val().tsn - self.sent.read_data.val().tsn;
        self.ahead.next = self.sent.read_data.val().psn - self.frame2.q.val().psn;
        self.echo_step.next = self.frame2.q.val().tsn - self.acked.read_data.val().tsn;
        self.cum_step.next = self.frame2.q.val().psn - self.acked.read_data.val().psn;
        self.true_ack.next =
            self.echo_before_next.val().get_bit(23) & (self.ahead.val() <= self.window.val());
        self.old_ack.next = self.echo_step.val().get_bit(23) | self.cum_step.val().get_bit(23);

        // S2: the verdict.
        self.unknown_connection.next = false;
        self.closed_epoch.next = false;
        self.on_failed.next = false;
        self.refused.next = false;
        self.refusal_taken.next = false;
        self.invalid.next = false;
        self.stale.next = false;
        self.applied.next = false;
        if self.valid2.q.val() {
            if !self.known.q.val() {
                self.unknown_connection.next = true;
            } else if !self.is_open.q.val() {
                self.closed_epoch.next = true;
            } else if !self.alive.q.val() {
                self.on_failed.next = true;
            } else if self.frame2.q.val().opcode == self.refusal.val() {
                self.refusal_taken.next = true;
                self.refused.next = !(self.lacks_buffer.val() & self.patience.bears.val());
            } else if !self.true_ack.val() {
                self.invalid.next = true;
            } else if self.old_ack.val() {
                self.stale.next = true;
            } else {
                self.applied.next = true;
            }
        }
        // A receiver without a buffer is borne for a while: its packet is not marked, so it shows as lost and goes again.
        self.lacks_buffer.next =
            self.messages.val() & (self.nak.reason.val() == self.not_ready.val());
        self.patience.clock.next = self.clock.val();
        self.patience.now.next = self.now.val();
        self.patience.ticks.next = self.not_ready_ticks.val();
        self.patience.connection.next = bit_cast::<CA, 24>(self.frame.val().dest_qp);
        self.patience.refusal.next = self.refusal_taken.val() & self.lacks_buffer.val();
        self.patience.refused_connection.next = self.connection2.val();
        self.patience.owner.next = self.owner.val();
        self.patience.delivered.next = self.delivered.val();
        self.patience.delivered_connection.next = self.delivered_connection.val();
        self.patience.renew.next = self.connection_valid.val();
        self.patience.renew_connection.next = bit_cast::<CA, 12>(self.connection_index.val());
        self.refused_connection.next = self.connection2.val();
        self.refused_reason.next = self.nak.reason.val();
        self.refused_stream.next = self.nak.stream.val();
        self.refused_message.next = self.nak.message.val();

        self.heard.next.valid = self.applied.val();
        self.heard.next.path = bit_cast::<16, GA>(self.path.val());
        self.heard.next.timeout = false;
        self.heard.next.received = self.sack.received.val();
        self.heard.next.marked = self.sack.marked.val();
        self.heard.next.rtt_valid = self.echo_step.val().any();
        self.heard.next.rtt = self.now.val() - self.frame2.q.val().timestamp;

        self.snapshot.next.valid = self.applied.val();
        self.snapshot.next.path = bit_cast::<16, GA>(self.path.val());
        self.snapshot.next.cum = self.frame2.q.val().psn;
        self.snapshot.next.echo = self.frame2.q.val().tsn;
        self.snapshot.next.last_ack = self.now.val();
        self.bitvector.next = bit_cast::<W, 256>(self.sack.bitvector.val());
        self.sack1.bits.next = self.frame1.q.val().tail;
        self.coming.next = bit_cast::<W, 256>(self.sack1.bitvector.val());
        self.coming_cum.next = self.frame1.q.val().psn;
        if self.path_write.val().valid {
            self.snapshot.next.valid = true;
            self.snapshot.next.path = self.path_write.val().path;
            self.snapshot.next.cum = self.path_write.val().first_psn;
            self.snapshot.next.echo = (self.path_write.val().first_tsn - 1) & self.tsn_mask.val();
            self.bitvector.next = bits::<W>(0);
            if self
                .path_write
                .val()
                .first_psn
                .get_bit(self.lap_bit.val().index())
            {
                self.bitvector.next = !bits::<W>(0);
            }
        }

        self.commit.next = self.valid2.q.val();
        self.plane.next = self.plane2.q.val();
        self.busy.next = self.valid1.q.val() | self.valid2.q.val();
        if self.reset.val() {
            self.valid1.d.next = false;
            self.valid2.d.next = false;
        }
    }
}
