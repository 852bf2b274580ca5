//! The transmit engine: one decision a cycle.
use crate::narrow::Narrowing;
use crate::path_bank::PathBank;
use crate::prim::Dff;
use crate::retransmit_stage::RetransmitStage;
use crate::selector::PathSelector;
use crate::transmit_path::{
    LostPacket, PathWrite, ResolvedWrite, SnapshotWrite, Transmission, TransmitWrite,
};
use crate::types::Message;
use crate::walker::Walker;
use rust_hdl::prelude::*;

/// The transmit engine (docs/protocol.md, "Transmit decision").
///
/// S0 presents a path of the walk, the head of a retransmit queue, and the current message's connection; S1, one cycle
/// later, decides among what it sees and commits: a decision a cycle, also on the same path. A message's last packet
/// and the next message's first come in cycles that follow each other; if the last packet is held up, the message
/// loses a cycle (`trace_current` is low in it). `P` paths, `CA`, `GA` address bits of connections and paths, `C` =
/// 2^CA, `N` planes, `QA` log2 of a retransmit queue.
#[derive(LogicBlock)]
pub struct TransmitEngine<
    const P: usize,
    const CA: usize,
    const GA: usize,
    const C: usize,
    const N: usize,
    const QA: usize,
> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Nothing enters S0.
    pub hold: Signal<In, Bit>,
    /// The clock of all time stamps.
    pub now: Signal<In, Bits<32>>,
    /// The next message.
    pub message: Signal<In, Message>,
    /// Its slot.
    pub message_slot: Signal<In, Bits<4>>,
    /// Valid.
    pub message_valid: Signal<In, Bit>,
    /// It may not be taken now.
    pub message_stop: Signal<In, Bit>,
    /// It is taken if valid.
    pub message_ready: Signal<Out, Bit>,
    /// No message waits outside.
    pub sq_idle: Signal<In, Bit>,
    /// Failed connections.
    pub failed: Signal<In, Bits<C>>,
    /// Planes with room for a transmission.
    pub room: Signal<In, Bits<N>>,
    /// The ACK engine's writes.
    pub snapshot: Signal<In, SnapshotWrite>,
    /// The resolver's.
    pub resolved: Signal<In, ResolvedWrite>,
    /// Configuration.
    pub path_write: Signal<In, PathWrite>,
    /// A lost packet.
    pub lost_valid: Signal<In, Bit>,
    /// The packet.
    pub lost: Signal<In, LostPacket>,
    /// Its plane.
    pub lost_plane: Signal<In, Bits<3>>,
    /// Four more fit.
    pub lost_room: Signal<Out, Bit>,
    /// WINDOW, packets.
    pub window: Signal<In, Bits<8>>,
    /// RTO, ticks.
    pub rto: Signal<In, Bits<32>>,
    /// MAX_RETRIES.
    pub max_retries: Signal<In, Bits<4>>,
    /// log2 MTU, 8..=12.
    pub mtu_log2: Signal<In, Bits<4>>,
    /// S1: the path's record changes.
    pub transmit: Signal<Out, TransmitWrite>,
    /// S1: what is sent.
    pub transmission: Signal<Out, Transmission>,
    /// S1: by which plane, one hot.
    pub transmission_plane: Signal<Out, Bits<N>>,
    /// S1: something is sent.
    pub transmission_valid: Signal<Out, Bit>,
    /// S1: a connection gives up.
    pub give_up: Signal<Out, Bit>,
    /// S1: which.
    pub give_up_connection: Signal<Out, Bits<CA>>,
    /// S1: payload bytes of a new packet.
    pub payload: Signal<Out, Bits<16>>,
    /// Something is in S1.
    pub busy: Signal<Out, Bit>,
    /// S1: a decision.
    pub trace_valid: Signal<Out, Bit>,
    /// S1: which: 0 tail probe, 1 time-out probe, 2 retransmission, 3 new data, 4 thrown away, 5 gives up.
    pub trace_kind: Signal<Out, Bits<3>>,
    /// S1: its path.
    pub trace_path: Signal<Out, Bits<16>>,
    /// S1: the path under the walk, 0xFFFF: none.
    pub trace_walk: Signal<Out, Bits<16>>,
    /// S1: planes whose head is looked at.
    pub trace_retransmit: Signal<Out, Bits<N>>,
    /// S1: the current message is looked at.
    pub trace_current: Signal<Out, Bit>,
    /// S1: there is no message to send.
    pub trace_idle: Signal<Out, Bit>,
    path_bits: Constant<Bits<4>>,
    highest_plane: Constant<Bits<3>>,
    plane_number: [Constant<Bits<3>>; N],
    path_number: [Constant<Bits<8>>; P],
    walker: Walker<GA>,
    retransmit: RetransmitStage<N, GA, QA>,
    bank: [PathBank<CA>; P],
    selector: PathSelector<P, N>,
    looking: Dff<Bit>,
    looked_at: Dff<Bits<CA>>,
    have: Dff<Bit>,
    connection: Dff<Bits<CA>>,
    slot: Dff<Bits<4>>,
    packet: Dff<Bits<24>>,
    remaining: Dff<Bits<32>>,
    last_plane: Dff<Bits<3>>,
    served: Dff<Bits<P>>,
    cap: Signal<Local, Bits<8>>,
    mtu: Signal<Local, Bits<32>>,
    present: Signal<Local, Bits<CA>>,
    last_packet: Signal<Local, Bit>,
    visible: Signal<Local, Bit>,
    walk_live: Signal<Local, Bit>,
    again_live: Signal<Local, Bit>,
    again_failed: Signal<Local, Bit>,
    kind: Signal<Local, Bits<3>>,
    go: Signal<Local, Bit>,
    path: Signal<Local, Bits<16>>,
    plane: Signal<Local, Bits<3>>,
    psn: Signal<Local, Bits<24>>,
    next_psn: Signal<Local, Bits<24>>,
    tsn: Signal<Local, Bits<24>>,
    able: Signal<Local, Bits<P>>,
    live: Signal<Local, Bits<P>>,
    chosen_path: Signal<Local, Bits<8>>,
    chosen_headroom: Signal<Local, Bits<9>>,
    chosen_psn: Signal<Local, Bits<24>>,
    chosen_tsn: Signal<Local, Bits<24>>,
    psn_mask: Constant<Bits<24>>,
    tsn_mask: Constant<Bits<24>>,
    packet_mask: Constant<Bits<24>>,
    length_mask: Constant<Bits<32>>,
    used_paths: Constant<Bits<16>>,
}

impl<
    const P: usize,
    const CA: usize,
    const GA: usize,
    const C: usize,
    const N: usize,
    const QA: usize,
> TransmitEngine<P, CA, GA, C, N, QA>
{
    /// An engine for bitvectors of `w` bits.
    pub fn new(w: usize, narrowing: &Narrowing) -> Self {
        assert!(
            GA > CA && P <= 1 << (GA - CA) && C == 1 << CA,
            "index widths"
        );
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
            failed: Default::default(),
            room: Default::default(),
            snapshot: Default::default(),
            resolved: Default::default(),
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
            payload: Default::default(),
            busy: Default::default(),
            trace_valid: Default::default(),
            trace_kind: Default::default(),
            trace_path: Default::default(),
            trace_walk: Default::default(),
            trace_retransmit: Default::default(),
            trace_current: Default::default(),
            trace_idle: Default::default(),
            path_bits: Constant::new(bits((GA - CA) as u64)),
            highest_plane: Constant::new(bits(N as u64 - 1)),
            plane_number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            path_number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            walker: Default::default(),
            retransmit: Default::default(),
            bank: std::array::from_fn(|_| PathBank::new(GA - CA, w)),
            selector: Default::default(),
            looking: Default::default(),
            looked_at: Default::default(),
            have: Default::default(),
            connection: Default::default(),
            slot: Default::default(),
            packet: Default::default(),
            remaining: Default::default(),
            last_plane: Default::default(),
            served: Default::default(),
            cap: Default::default(),
            mtu: Default::default(),
            present: Default::default(),
            last_packet: Default::default(),
            visible: Default::default(),
            walk_live: Default::default(),
            again_live: Default::default(),
            again_failed: Default::default(),
            kind: Default::default(),
            go: Default::default(),
            path: Default::default(),
            plane: Default::default(),
            psn: Default::default(),
            next_psn: Default::default(),
            tsn: Default::default(),
            able: Default::default(),
            live: Default::default(),
            chosen_path: Default::default(),
            chosen_headroom: Default::default(),
            chosen_psn: Default::default(),
            chosen_tsn: Default::default(),
            psn_mask: Constant::new(Narrowing::low(narrowing.psn_bits)),
            tsn_mask: Constant::new(Narrowing::low(narrowing.tsn_bits)),
            packet_mask: Constant::new(Narrowing::low(narrowing.packet_bits)),
            length_mask: Constant::new(Narrowing::low(narrowing.length_bits)),
            used_paths: Constant::new(Narrowing::low(narrowing.path_bits)),
        }
    }
}

impl<
    const P: usize,
    const CA: usize,
    const GA: usize,
    const C: usize,
    const N: usize,
    const QA: usize,
> Logic for TransmitEngine<P, CA, GA, C, N, QA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, looking, looked_at, have, connection, slot, packet, remaining, last_plane,
            served
        );
        self.cap.next = self.window.val();
        if self.window.val() > bits::<8>(239) {
            self.cap.next = bits::<8>(239);
        }
        self.mtu.next = bits::<32>(1) << self.mtu_log2.val();

        self.walker.clock.next = self.clock.val();
        self.walker.reset.next = self.reset.val();
        self.walker.hold.next = self.hold.val();
        self.walker.now.next = self.now.val();
        self.walker.rto.next = self.rto.val();
        self.walker.max_retries.next = self.max_retries.val();
        self.walker.transmit.next = self.transmit.val();
        self.walker.snapshot.next = self.snapshot.val();
        self.walker.resolved.next = self.resolved.val();
        self.walker.path_write.next = self.path_write.val();

        self.retransmit.clock.next = self.clock.val();
        self.retransmit.reset.next = self.reset.val();
        self.retransmit.hold.next = self.hold.val();
        self.retransmit.room.next = self.room.val();
        self.retransmit.transmit.next = self.transmit.val();
        self.retransmit.resolved.next = self.resolved.val();
        self.retransmit.lost_valid.next = self.lost_valid.val();
        self.retransmit.lost.next = self.lost.val();
        self.retransmit.lost_plane.next = self.lost_plane.val();
        self.lost_room.next = self.retransmit.lost_room.val();

        // S0. On a message's last packet the next message's connection is presented, in the hope that it goes now.
        self.present.next = bit_cast::<CA, 12>(self.message.val().connection);
        if self.have.q.val() & !(self.last_packet.val() & self.visible.val()) {
            self.present.next = self.connection.q.val();
        }
        self.looking.d.next = !self.hold.val();
        self.looked_at.d.next = self.present.val();
        for p in 0..P {
            self.bank[p].clock.next = self.clock.val();
            self.bank[p].number.next = p.to_bits();
            self.bank[p].transmit.next = self.transmit.val();
            self.bank[p].snapshot.next = self.snapshot.val();
            self.bank[p].resolved.next = self.resolved.val();
            self.bank[p].path_write.next = self.path_write.val();
            self.bank[p].connection.next = self.present.val();
            self.bank[p].window.next = self.cap.val();
            self.selector.plane[p].next = self.bank[p].plane.val();
        }

        // S1: what can be seen.
        self.able.next = bits::<P>(0);
        self.live.next = bits::<P>(0);
        for p in 0..P {
            if self.bank[p].headroom.val().any() {
                self.able.next = self.able.val().replace_bit(p, true);
            }
            if self.bank[p].usable.val() {
                self.live.next = self.live.val().replace_bit(p, true);
            }
        }
        self.last_packet.next = self.remaining.q.val() <= self.mtu.val();
        self.visible.next = self.looking.q.val()
            & self.have.q.val()
            & (self.looked_at.q.val() == self.connection.q.val())
            & !self.failed.val().get_bit(self.connection.q.val().index());
        self.selector.able.next = self.able.val();
        self.selector.live.next = self.live.val();
        self.trace_current.next = self.visible.val();
        self.trace_idle.next = self.sq_idle.val() & !self.message_valid.val() & !self.have.q.val();
        self.walker.idle.next = self.trace_idle.val();
        self.selector.room.next = self.room.val();
        self.selector.last_plane.next = self.last_plane.q.val();
        self.selector.served.next = self.served.q.val();
        self.chosen_psn.next = bits::<24>(0);
        self.chosen_tsn.next = bits::<24>(0);
        self.chosen_path.next = bits::<8>(0);
        self.chosen_headroom.next = bits::<9>(0);
        for p in 0..P {
            if self.selector.path.val().get_bit(p) {
                self.chosen_path.next = self.path_number[p].val();
                self.chosen_headroom.next = self.bank[p].headroom.val();
                self.chosen_psn.next = self.bank[p].next_psn.val();
                self.chosen_tsn.next = self.bank[p].next_tsn.val();
            }
        }
        self.walk_live.next = false;
        self.again_live.next = false;
        for k in 0..N {
            if self.walker.plane.val() == self.plane_number[k].val() {
                self.walk_live.next = self.walker.valid.val()
                    & self.room.val().get_bit(k)
                    & !self.failed.val().get_bit(
                        bit_cast::<CA, 16>(self.walker.path.val() >> self.path_bits.val()).index(),
                    );
            }
            if self.retransmit.plane.val() == self.plane_number[k].val() {
                self.again_live.next = self.retransmit.valid.val() & self.room.val().get_bit(k);
            }
        }
        self.again_failed.next = self.failed.val().get_bit(
            bit_cast::<CA, 16>(self.retransmit.packet.val().path >> self.path_bits.val()).index(),
        );

        // S1: the decision.
        self.go.next = false;
        self.kind.next = bits::<3>(3);
        self.path.next = (bit_cast::<16, CA>(self.connection.q.val()) << self.path_bits.val())
            | bit_cast::<16, 8>(self.chosen_path.val());
        self.plane.next = self.selector.chosen.val();
        self.psn.next = self.chosen_psn.val();
        self.next_psn.next = self.chosen_psn.val() + 1;
        self.tsn.next = self.chosen_tsn.val();
        if self.walk_live.val()
            & (self.walker.tail.val() | self.walker.timeout.val() | self.walker.give_up.val())
        {
            self.go.next = true;
            self.kind.next = bits::<3>(0);
            if self.walker.timeout.val() {
                self.kind.next = bits::<3>(1);
            }
            if self.walker.give_up.val() {
                self.kind.next = bits::<3>(5);
            }
            self.path.next = self.walker.path.val();
            self.plane.next = self.walker.plane.val();
            self.psn.next = self.walker.next_psn.val();
            self.next_psn.next = self.walker.next_psn.val();
            self.tsn.next = self.walker.next_tsn.val();
        } else if self.again_live.val()
            & (self.again_failed.val() | (self.retransmit.unresolved.val() < self.cap.val()))
        {
            self.go.next = true;
            self.kind.next = bits::<3>(2);
            if self.again_failed.val() {
                self.kind.next = bits::<3>(4);
            }
            self.path.next = self.retransmit.packet.val().path;
            self.plane.next = self.retransmit.plane.val();
            self.psn.next = self.retransmit.psn.val();
            self.next_psn.next = self.retransmit.next_psn.val();
            self.tsn.next = self.retransmit.next_tsn.val();
        } else if self.visible.val() & self.selector.found.val() {
            self.go.next = true;
        }
        self.path.next = self.path.val() & self.used_paths.val();
        self.psn.next = self.psn.val() & self.psn_mask.val();
        self.next_psn.next = self.next_psn.val() & self.psn_mask.val();
        self.tsn.next = self.tsn.val() & self.tsn_mask.val();
        self.retransmit.pop.next =
            self.go.val() & ((self.kind.val() == bits::<3>(2)) | (self.kind.val() == bits::<3>(4)));

        // S1: what it changes. Configuration comes only while nothing is in S1.
        self.transmission_valid.next = self.go.val() & (self.kind.val() < bits::<3>(4));
        self.transmission_plane.next = bits::<N>(0);
        for k in 0..N {
            if self.transmission_valid.val() & (self.plane.val() == self.plane_number[k].val()) {
                self.transmission_plane.next = self.transmission_plane.val().replace_bit(k, true);
            }
        }
        self.transmission.next.path = self.path.val();
        self.transmission.next.psn = self.psn.val();
        self.transmission.next.tsn = self.tsn.val();
        self.transmission.next.timestamp = self.now.val();
        self.transmission.next.slot = self.slot.q.val();
        self.transmission.next.packet = self.packet.q.val();
        self.transmission.next.probe = self.kind.val() < bits::<3>(2);
        self.transmission.next.again = self.kind.val() == bits::<3>(2);
        self.transmission.next.ack_request = true;
        if self.kind.val() == bits::<3>(2) {
            self.transmission.next.slot = self.retransmit.packet.val().slot;
        }
        if (self.kind.val() == bits::<3>(3))
            & !self.last_packet.val()
            & (self.chosen_headroom.val() != bits::<9>(1))
        {
            self.transmission.next.ack_request = false;
        }

        self.transmit.next.valid = self.transmission_valid.val();
        self.transmit.next.path = self.path.val();
        self.transmit.next.next_psn = self.next_psn.val();
        self.transmit.next.next_tsn = (self.tsn.val() + 1) & self.tsn_mask.val();
        self.transmit.next.last_tx = self.now.val();
        self.transmit.next.last_was_probe = self.kind.val() < bits::<3>(2);
        self.transmit.next.retries = self.walker.retries_next.val();
        self.transmit.next.retries_at = self.walker.last_ack.val();
        self.transmit.next.retries_valid = self.go.val() & (self.kind.val() == bits::<3>(1));
        if self.path_write.val().valid {
            self.transmit.next.valid = true;
            self.transmit.next.path = self.path_write.val().path;
            self.transmit.next.next_psn = self.path_write.val().first_psn;
            self.transmit.next.next_tsn = self.path_write.val().first_tsn;
            self.transmit.next.last_was_probe = false;
            self.transmit.next.retries = bits::<4>(0);
            self.transmit.next.retries_at = self.now.val();
            self.transmit.next.retries_valid = true;
        }
        self.give_up.next = self.go.val() & (self.kind.val() == bits::<3>(5));
        self.give_up_connection.next =
            bit_cast::<CA, 16>(self.walker.path.val() >> self.path_bits.val());

        // The current message.
        self.payload.next = bit_cast::<16, 32>(self.mtu.val());
        if self.last_packet.val() {
            self.payload.next = bit_cast::<16, 32>(self.remaining.q.val());
        }
        self.message_ready.next = !self.have.q.val() & !self.hold.val() & !self.message_stop.val();
        if self.go.val() & (self.kind.val() == bits::<3>(3)) {
            self.last_plane.d.next = self.plane.val();
            self.served.d.next = self.selector.served_next.val();
            self.packet.d.next = (self.packet.q.val() + 1) & self.packet_mask.val();
            self.remaining.d.next =
                (self.remaining.q.val() - self.mtu.val()) & self.length_mask.val();
            if self.last_packet.val() {
                self.have.d.next = false;
                self.message_ready.next = !self.hold.val() & !self.message_stop.val();
            }
        }
        if self.failed.val().get_bit(self.connection.q.val().index()) {
            self.have.d.next = false;
        }
        if self.message_valid.val() & self.message_ready.val() {
            self.have.d.next = true;
            self.connection.d.next = bit_cast::<CA, 12>(self.message.val().connection);
            self.slot.d.next = self.message_slot.val();
            self.packet.d.next = bits::<24>(0);
            self.remaining.d.next = self.message.val().length;
        }

        self.busy.next = self.looking.q.val();
        self.trace_valid.next = self.go.val();
        self.trace_kind.next = self.kind.val();
        self.trace_path.next = self.path.val();
        self.trace_walk.next = bits::<16>(0xFFFF);
        if self.walker.valid.val() {
            self.trace_walk.next = self.walker.path.val();
        }
        self.trace_retransmit.next = self.retransmit.plane_mask.val();

        if self.reset.val() {
            self.looking.d.next = false;
            self.have.d.next = false;
            self.last_plane.d.next = self.highest_plane.val();
            self.served.d.next = bits::<P>(0);
        }
    }
}
