//! The transmit engine: a choice a cycle, that gets its numbers four cycles later.
use crate::commit_stage::CommitStage;
use crate::congestion::{TimeoutWrite, WindowWrite};
use crate::message_cutter::MessageCutter;
use crate::narrow::Narrowing;
use crate::packet_queue::PacketQueue;
use crate::path_chooser::PathChooser;
use crate::prim::Dff;
use crate::retransmit_stage::RetransmitStage;
use crate::transmit_path::{
    Choice, FailureWrite, LimitsWrite, LostPacket, Offer, PathWrite, ResolvedWrite, SnapshotWrite,
    Transmission, TransmitWrite, WaitingPacket,
};
use crate::types::Message;
use crate::walker::Walker;
use rust_hdl::prelude::*;

/// The transmit engine (docs/protocol.md, "Transmit decision"; docs/architecture.md, "The transmit side").
///
/// C0 takes a probe, a retransmission or the next new packet, and chooses the plane; C1 the path. That is final. N0 presents the path's
/// number, N1 waits, N2 has PSN and TSN: it commits. `P` paths, `CA`, `GA` address bits of connections and paths, `N` planes, `QA` log2 of a retransmit queue, `PA` of the packets that wait.
#[derive(LogicBlock)]
pub struct TransmitEngine<
    const P: usize,
    const CA: usize,
    const GA: usize,
    const N: usize,
    const QA: usize,
    const PA: usize,
> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Nothing enters.
    pub hold: Signal<In, Bit>,
    /// The clock of all time stamps.
    pub now: Signal<In, Bits<32>>,
    /// The next message.
    pub message: Signal<In, Message>,
    /// Its slot.
    pub message_slot: Signal<In, Bits<5>>,
    /// Valid.
    pub message_valid: Signal<In, Bit>,
    /// It may not be taken now.
    pub message_stop: Signal<In, Bit>,
    /// It is taken if valid.
    pub message_ready: Signal<Out, Bit>,
    /// No message waits outside.
    pub sq_idle: Signal<In, Bit>,
    /// The next response: its packets and those of messages go in turn.
    pub response: Signal<In, Message>,
    /// Its slot.
    pub response_slot: Signal<In, Bits<5>>,
    /// Valid.
    pub response_valid: Signal<In, Bit>,
    /// It may not be taken now.
    pub response_stop: Signal<In, Bit>,
    /// It is taken if valid.
    pub response_ready: Signal<Out, Bit>,
    /// No response waits outside.
    pub response_idle: Signal<In, Bit>,
    /// A connection fails, or is set up anew.
    pub failure: Signal<In, FailureWrite>,
    /// Planes with room for a transmission.
    pub room: Signal<In, Bits<N>>,
    /// Planes with room for two: the last place is not for new data, so that it can't keep all others out.
    pub spare: Signal<In, Bits<N>>,
    /// C0: a place of this plane is taken, one hot.
    pub claim: Signal<Out, Bits<N>>,
    /// N2: a place taken is not needed, one hot.
    pub forfeit: Signal<Out, Bits<N>>,
    /// The ACK engine's writes.
    pub snapshot: Signal<In, SnapshotWrite>,
    /// The resolver's.
    pub resolved: Signal<In, ResolvedWrite>,
    /// Windows by a law of congestion,
    pub law_window: Signal<In, WindowWrite>,
    /// and a cycle later the limits that follow.
    pub window_limits: Signal<In, LimitsWrite>,
    /// Measured time-outs.
    pub timeout: Signal<In, TimeoutWrite>,
    /// RTO_FLOOR, ticks.
    pub rto_floor: Signal<In, Bits<26>>,
    /// Configuration.
    pub path_write: Signal<In, PathWrite>,
    /// A lost packet.
    pub lost_valid: Signal<In, Bit>,
    /// The packet.
    pub lost: Signal<In, LostPacket>,
    /// Its plane.
    pub lost_plane: Signal<In, Bits<3>>,
    /// Five more fit.
    pub lost_room: Signal<Out, Bit>,
    /// WINDOW, packets.
    pub window: Signal<In, Bits<8>>,
    /// RTO, ticks.
    pub rto: Signal<In, Bits<32>>,
    /// MAX_RETRIES.
    pub max_retries: Signal<In, Bits<4>>,
    /// log2 MTU, 8..=12.
    pub mtu_log2: Signal<In, Bits<4>>,
    /// N2: the path's record changes.
    pub transmit: Signal<Out, TransmitWrite>,
    /// N2: what is sent.
    pub transmission: Signal<Out, Transmission>,
    /// N2: what the ring is to say of its PSN.
    pub ring_psn: Signal<Out, Bits<10>>,
    /// N2: by which plane, one hot.
    pub transmission_plane: Signal<Out, Bits<N>>,
    /// N2: something is sent.
    pub transmission_valid: Signal<Out, Bit>,
    /// N2: a connection gives up.
    pub give_up: Signal<Out, Bit>,
    /// N2: which.
    pub give_up_connection: Signal<Out, Bits<CA>>,
    /// N0 or N1: a connection may give up within three cycles.
    pub to_give_up: Signal<Out, Bit>,
    /// Something is in a stage.
    pub busy: Signal<Out, Bit>,
    /// N2: a commit.
    pub trace_valid: Signal<Out, Bit>,
    /// N2: which: 0 tail probe, 1 time-out probe, 2 retransmission, 3 new data, 4 retransmission thrown away, 5 gives up, 6 new
    /// data not sent because its connection failed, 7 probe not sent for that reason.
    pub trace_kind: Signal<Out, Bits<3>>,
    /// N2: its path.
    pub trace_path: Signal<Out, Bits<16>>,
    /// N2: what C0 could take, whether or not it chose something.
    pub trace_offer: Signal<Out, Offer>,
    /// N2: the plane's paths that it could have taken.
    pub trace_able: Signal<Out, Bits<P>>,
    /// A path is judged by what its records were before this cycle.
    pub trace_judge_valid: Signal<Out, Bit>,
    /// Which.
    pub trace_judge_path: Signal<Out, Bits<16>>,
    /// There is no message to send.
    pub trace_judge_idle: Signal<Out, Bit>,
    path_bits: Constant<Bits<4>>,
    used_paths: Constant<Bits<16>>,
    cutter: MessageCutter<CA>,
    answers: MessageCutter<CA>,
    answered_last: Dff<Bit>,
    queue: PacketQueue<CA, PA>,
    walker: Walker<CA, GA, N>,
    retransmit: RetransmitStage<P, N, CA, GA, QA>,
    chooser: PathChooser<P, CA, N>,
    commit: CommitStage<P, CA, GA, N>,
    written: Dff<TransmitWrite>,
    heard: Dff<SnapshotWrite>,
    resolved_late: Dff<ResolvedWrite>,
    valid1: Dff<Bit>,
    choice1: Dff<Choice>,
    plane1: Dff<Bits<N>>,
    offers: [Dff<Offer>; 4],
    valid2: Dff<Bit>,
    choice2: Dff<Choice>,
    plane2: Dff<Bits<N>>,
    able2: Dff<Bits<P>>,
    timing_out: Dff<Bit>,
    retries: Dff<Bits<4>>,
    retries_at: Dff<Bits<32>>,
    idle: Signal<Local, Bit>,
    touched: Signal<Local, Bits<N>>,
    probes: Signal<Local, Bit>,
    repeats: Signal<Local, Bit>,
    sends: Signal<Local, Bit>,
    plane: Signal<Local, Bits<N>>,
    choice: Signal<Local, Choice>,
    packet: Signal<Local, WaitingPacket>,
    used_slots: Constant<Bits<5>>,
}

impl<
    const P: usize,
    const CA: usize,
    const GA: usize,
    const N: usize,
    const QA: usize,
    const PA: usize,
> TransmitEngine<P, CA, GA, N, QA, PA>
{
    /// An engine for bitvectors of `w` bits.
    pub fn new(w: usize, narrowing: &Narrowing) -> Self {
        assert!(GA > CA && P <= 1 << (GA - CA), "index widths");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            hold: Default::default(),
            now: Default::default(),
            message: Default::default(),
            message_slot: Default::default(),
            message_valid: Default::default(),
            message_stop: Default::default(),
            message_ready: Default::default(),
            sq_idle: Default::default(),
            response: Default::default(),
            response_slot: Default::default(),
            response_valid: Default::default(),
            response_stop: Default::default(),
            response_ready: Default::default(),
            response_idle: Default::default(),
            failure: Default::default(),
            room: Default::default(),
            spare: Default::default(),
            ring_psn: Default::default(),
            claim: Default::default(),
            forfeit: Default::default(),
            snapshot: Default::default(),
            resolved: Default::default(),
            window_limits: Default::default(),
            law_window: Default::default(),
            timeout: Default::default(),
            rto_floor: Default::default(),
            path_write: Default::default(),
            lost_valid: Default::default(),
            lost: Default::default(),
            lost_plane: Default::default(),
            lost_room: Default::default(),
            window: Default::default(),
            rto: Default::default(),
            max_retries: Default::default(),
            mtu_log2: Default::default(),
            transmit: Default::default(),
            transmission: Default::default(),
            transmission_plane: Default::default(),
            transmission_valid: Default::default(),
            give_up: Default::default(),
            give_up_connection: Default::default(),
            to_give_up: Default::default(),
            busy: Default::default(),
            trace_valid: Default::default(),
            trace_kind: Default::default(),
            trace_path: Default::default(),
            trace_offer: Default::default(),
            trace_able: Default::default(),
            trace_judge_valid: Default::default(),
            trace_judge_path: Default::default(),
            trace_judge_idle: Default::default(),
            path_bits: Constant::new(bits((GA - CA) as u64)),
            used_paths: Constant::new(Narrowing::low(narrowing.path_bits)),
            cutter: MessageCutter::new(GA - CA, narrowing),
            answers: MessageCutter::new(GA - CA, narrowing),
            answered_last: Default::default(),
            used_slots: Constant::new(bits(narrowing.slots())),
            queue: Default::default(),
            walker: Walker::new(narrowing),
            retransmit: RetransmitStage::new(narrowing),
            chooser: PathChooser::new(GA - CA, w, narrowing),
            commit: CommitStage::new(narrowing),
            written: Default::default(),
            heard: Default::default(),
            resolved_late: Default::default(),
            valid1: Default::default(),
            choice1: Default::default(),
            plane1: Default::default(),
            offers: Default::default(),
            valid2: Default::default(),
            choice2: Default::default(),
            plane2: Default::default(),
            able2: Default::default(),
            timing_out: Default::default(),
            retries: Default::default(),
            retries_at: Default::default(),
            idle: Default::default(),
            touched: Default::default(),
            probes: Default::default(),
            repeats: Default::default(),
            sends: Default::default(),
            plane: Default::default(),
            packet: Default::default(),
            choice: Default::default(),
        }
    }
}

impl<
    const P: usize,
    const CA: usize,
    const GA: usize,
    const N: usize,
    const QA: usize,
    const PA: usize,
> Logic for TransmitEngine<P, CA, GA, N, QA, PA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            written,
            heard,
            resolved_late,
            valid1,
            choice1,
            plane1,
            valid2,
            choice2,
            plane2,
            able2,
            timing_out,
            retries,
            retries_at,
            answered_last
        );
        // What the looks see may be late: it is counted for.
        self.written.d.next = self.transmit.val();
        self.heard.d.next = self.snapshot.val();
        self.resolved_late.d.next = self.resolved.val();

        self.walker.clock.next = self.clock.val();
        self.walker.reset.next = self.reset.val();
        self.walker.hold.next = self.hold.val();
        self.walker.now.next = self.now.val();
        self.walker.failure.next = self.failure.val();
        self.walker.rto.next = self.rto.val();
        self.walker.max_retries.next = self.max_retries.val();
        self.walker.transmit.next = self.transmit.val();
        self.walker.snapshot.next = self.snapshot.val();
        self.walker.resolved.next = self.resolved.val();
        self.walker.window.next = self.law_window.val();
        self.walker.measured.next = self.timeout.val();
        self.walker.rto_floor.next = self.rto_floor.val();
        self.walker.path_write.next = self.path_write.val();
        self.walker.idle.next = self.idle.val();

        self.retransmit.clock.next = self.clock.val();
        self.retransmit.reset.next = self.reset.val();
        self.retransmit.unseen.next = self.chooser.unseen.val();
        self.retransmit.hold.next = self.hold.val();
        self.retransmit.failure.next = self.failure.val();
        self.retransmit.limits.next = self.chooser.limits.val();
        self.retransmit.transmit.next = self.written.q.val();
        self.retransmit.resolved.next = self.resolved_late.q.val();
        self.retransmit.lost_valid.next = self.lost_valid.val();
        self.retransmit.lost.next = self.lost.val();
        self.retransmit.lost_plane.next = self.lost_plane.val();
        self.lost_room.next = self.retransmit.lost_room.val();

        self.cutter.clock.next = self.clock.val();
        self.cutter.reset.next = self.reset.val();
        self.cutter.message.next = self.message.val();
        self.cutter.message_slot.next = self.message_slot.val();
        self.cutter.message_valid.next = self.message_valid.val();
        self.cutter.stop.next = self.message_stop.val() | self.hold.val();
        self.cutter.failure.next = self.failure.val();
        self.cutter.mtu_log2.next = self.mtu_log2.val();
        self.message_ready.next = self.cutter.message_ready.val();
        self.answers.clock.next = self.clock.val();
        self.answers.reset.next = self.reset.val();
        self.answers.message.next = self.response.val();
        self.answers.message_slot.next = self.response_slot.val();
        self.answers.message_valid.next = self.response_valid.val();
        self.answers.stop.next = self.response_stop.val() | self.hold.val();
        self.answers.failure.next = self.failure.val();
        self.answers.mtu_log2.next = self.mtu_log2.val();
        self.response_ready.next = self.answers.message_ready.val();

        // In turn, where there are both.
        self.cutter.room.next =
            self.queue.room.val() & (self.answered_last.q.val() | !self.answers.wants.val());
        self.answers.room.next =
            self.queue.room.val() & !(self.answered_last.q.val() & self.cutter.wants.val());
        if self.cutter.push.val() | self.answers.push.val() {
            self.answered_last.d.next = self.answers.push.val();
        }

        self.queue.clock.next = self.clock.val();
        self.queue.reset.next = self.reset.val();
        self.queue.hold.next = self.hold.val();
        self.queue.failure.next = self.failure.val();
        self.queue.push.next = self.cutter.push.val() | self.answers.push.val();
        self.queue.packet.next = self.cutter.packet.val();
        self.queue.connection.next = self.cutter.connection.val();
        if self.answers.push.val() {
            self.queue.packet.next = self.answers.packet.val();
            self.queue.connection.next = self.answers.connection.val();
        }
        self.idle.next = self.sq_idle.val()
            & !self.message_valid.val()
            & !self.cutter.busy.val()
            & self.response_idle.val()
            & !self.response_valid.val()
            & !self.answers.busy.val()
            & self.queue.empty.val()
            & !self.valid1.q.val()
            & !self.commit.busy.val();

        self.touched.next = self.plane1.q.val() | self.plane2.q.val();
        self.chooser.clock.next = self.clock.val();
        self.chooser.reset.next = self.reset.val();
        self.chooser.window.next = self.window.val();
        self.chooser.transmit.next = self.written.q.val();
        self.chooser.snapshot.next = self.heard.q.val();
        self.chooser.resolved.next = self.resolved_late.q.val();
        self.chooser.window_limits.next = self.window_limits.val();
        self.chooser.path_write.next = self.path_write.val();
        self.chooser.connection.next = self.queue.look.val();
        self.chooser.room.next = self.spare.val();
        self.chooser.touched.next = self.touched.val();
        self.chooser.sends.next = self.sends.val();

        // C0: a probe before a retransmission before new data.
        self.probes.next = self.walker.judgement.val().valid
            & (self.walker.plane.val() & self.room.val()).any()
            & !(self.walker.judgement.val().timeout & self.timing_out.q.val());
        self.repeats.next = (self.retransmit.plane.val() & self.room.val()).any()
            & (self.retransmit.roomy.val()
                | (self.retransmit.some.val()
                    & !(self.retransmit.plane.val() & self.touched.val()).any()))
            & !self.probes.val();
        self.retransmit.take.next = self.repeats.val();
        self.sends.next = self.queue.visible.val()
            & self.chooser.found.val()
            & !self.probes.val()
            & !self.repeats.val();
        self.queue.take.next = self.sends.val();
        self.plane.next = self.chooser.grant.val();
        self.choice.next.kind = bits::<3>(3);
        self.choice.next.path =
            bit_cast::<16, CA>(self.queue.head_connection.val()) << self.path_bits.val();
        self.choice.next.psn = self.retransmit.packet.val().psn;
        self.packet.next = self.queue.head.val();
        self.choice.next.ack_request = self.queue.head.val().last;
        if self.probes.val() {
            self.plane.next = self.walker.plane.val();
            self.choice.next.kind = bits::<3>(0);
            if self.walker.judgement.val().timeout {
                self.choice.next.kind = bits::<3>(1);
            }
            if self.walker.judgement.val().give_up {
                self.choice.next.kind = bits::<3>(5);
            }
            self.choice.next.path = self.walker.judgement.val().path;
            self.choice.next.ack_request = true;
        } else if self.repeats.val() {
            self.plane.next = self.retransmit.plane.val();
            self.choice.next.kind = bits::<3>(2);
            self.choice.next.path = self.retransmit.packet.val().path;
            self.packet.next.slot = self.retransmit.packet.val().slot;
            self.packet.next.index = self.retransmit.packet.val().index;
            self.choice.next.ack_request = true;
        }
        self.choice.next.path = self.choice.val().path & self.used_paths.val();
        self.packet.next.slot = self.packet.val().slot & self.used_slots.val();
        self.choice.next.packet = self.packet.val();
        self.claim.next = bits::<N>(0);
        if self.probes.val() | self.repeats.val() | self.sends.val() {
            self.claim.next = self.plane.val();
        }
        if self.probes.val() & self.walker.judgement.val().timeout {
            self.timing_out.d.next = true;
            self.retries.d.next = self.walker.judgement.val().retries;
            self.retries_at.d.next = self.walker.judgement.val().last_ack;
        }
        self.valid1.d.next = self.probes.val() | self.repeats.val() | self.sends.val();
        self.plane1.d.next = self.claim.val();
        self.choice1.d.next = self.choice.val();
        self.offers[0].d.next.room = bit_cast::<8, N>(self.room.val());
        self.offers[0].d.next.spare = bit_cast::<8, N>(self.spare.val());
        self.offers[0].d.next.retransmit = bit_cast::<8, N>(self.retransmit.plane.val());
        self.offers[0].d.next.packet = self.queue.visible.val();
        self.offers[0].d.next.connection = bit_cast::<12, CA>(self.queue.head_connection.val());
        self.offers[0].d.next.response =
            (self.queue.head.val().slot & self.used_slots.val()).get_bit(4);
        for i in 0..4 {
            self.offers[i].clock.next = self.clock.val();
        }
        for i in 1..4 {
            self.offers[i].d.next = self.offers[i - 1].q.val();
        }

        // C1.
        self.chooser.valid.next = self.valid1.q.val();
        self.chooser.fresh.next = self.choice1.q.val().kind == bits::<3>(3);
        self.chooser.known.next = self.choice1.q.val().path;
        self.valid2.d.next = self.valid1.q.val();
        self.choice2.d.next = self.choice1.q.val();
        self.plane2.d.next = self.plane1.q.val();
        self.able2.d.next = self.chooser.able.val();

        // N0 to N2.
        self.commit.clock.next = self.clock.val();
        self.commit.reset.next = self.reset.val();
        self.commit.now.next = self.now.val();
        self.commit.failure.next = self.failure.val();
        self.commit.path_write.next = self.path_write.val();
        self.commit.valid.next = self.valid2.q.val();
        self.commit.choice.next = self.choice2.q.val();
        self.commit.plane.next = self.plane2.q.val();
        self.commit.able.next = self.able2.q.val();
        self.commit.path.next = self.chooser.path.val();
        self.commit.tight.next = self.chooser.tight.val();
        self.commit.retries.next = self.retries.q.val();
        self.commit.retries_at.next = self.retries_at.q.val();
        self.ring_psn.next = self.commit.ring_psn.val();
        self.transmit.next = self.commit.transmit.val();
        self.transmission.next = self.commit.transmission.val();
        self.transmission_plane.next = self.commit.transmission_plane.val();
        self.transmission_valid.next = self.commit.transmission_valid.val();
        self.forfeit.next = self.commit.forfeit.val();
        self.give_up.next = self.commit.give_up.val();
        self.give_up_connection.next = self.commit.give_up_connection.val();
        self.to_give_up.next = self.commit.to_give_up.val();
        if self.commit.timed_out.val() {
            self.timing_out.d.next = false;
        }

        self.busy.next = self.queue.busy.val()
            | self.walker.busy.val()
            | self.retransmit.busy.val()
            | self.valid1.q.val()
            | self.commit.busy.val();
        self.trace_kind.next = self.commit.trace_kind.val();
        self.trace_valid.next = self.commit.trace_valid.val();
        self.trace_path.next = self.commit.transmission.val().path;
        self.trace_offer.next = self.offers[3].q.val();
        self.trace_able.next = self.commit.trace_able.val();
        self.trace_judge_valid.next = self.walker.looking.val();
        self.trace_judge_path.next = self.walker.looked_at.val();
        self.trace_judge_idle.next = self.idle.val();

        if self.reset.val() {
            self.answered_last.d.next = false;
            self.valid1.d.next = false;
            self.plane1.d.next = bits::<N>(0);
            self.plane2.d.next = bits::<N>(0);
            self.valid2.d.next = false;
            self.timing_out.d.next = false;
        }
    }
}
