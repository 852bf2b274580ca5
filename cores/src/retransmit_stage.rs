//! The planes' retransmit queues, and the look at one lost packet a cycle.
use crate::failed_connections::FailedConnections;
use crate::narrow::Narrowing;
use crate::path_table::PathTable;
use crate::prim::Dff;
use crate::retransmit_queue::RetransmitQueue;
use crate::transmit_path::{FailureWrite, Limits, LostPacket, ResolvedWrite, TransmitWrite};
use rust_hdl::prelude::*;

/// N retransmit queues, and the oldest packet of each in a register, the *candidate*. A candidate's path is looked at in
/// its plane's turn; three cycles later it may be taken, in that one cycle. A turn comes every fourth cycle (every eighth with more than four
/// planes), so a look never meets the candidate after the one that it was for. A taken candidate is followed by the next within
/// two turns: a plane sends one packet again in eight cycles (sixteen), planes do so next to each other.
///
/// `P` paths of a connection, `N` planes, `CA`, `GA` bits of a connection's and of a global path number, `QA` log2 of each queue's
/// entries.
#[derive(LogicBlock)]
pub struct RetransmitStage<
    const P: usize,
    const N: usize,
    const CA: usize,
    const GA: usize,
    const QA: usize,
> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// No look begins.
    pub hold: Signal<In, Bit>,
    /// Packets of failed connections may always be taken.
    pub failure: Signal<In, FailureWrite>,
    /// Limits of the unresolved transmissions of every path.
    pub limits: Signal<In, Limits>,
    /// Path numbers that were chosen lately, so that a look may have missed it.
    pub unseen: Signal<In, Bits<P>>,
    /// The transmit engine's writes.
    pub transmit: Signal<In, TransmitWrite>,
    /// The resolver's.
    pub resolved: Signal<In, ResolvedWrite>,
    /// A lost packet.
    pub lost_valid: Signal<In, Bit>,
    /// The packet.
    pub lost: Signal<In, LostPacket>,
    /// Its plane.
    pub lost_plane: Signal<In, Bits<3>>,
    /// Every queue takes five more.
    pub lost_room: Signal<Out, Bit>,
    /// The plane whose candidate's look comes back, one hot; 0: none.
    pub plane: Signal<Out, Bits<N>>,
    /// That candidate.
    pub packet: Signal<Out, LostPacket>,
    /// Its path may send one more transmission, and was not chosen lately.
    pub some: Signal<Out, Bit>,
    /// Its path may send as many as may be under way, or its connection has failed.
    pub roomy: Signal<Out, Bit>,
    /// The candidate is taken.
    pub take: Signal<In, Bit>,
    /// A look is under way.
    pub busy: Signal<Out, Bit>,
    queue: [RetransmitQueue<QA>; N],
    number: [Constant<Bits<3>>; N],
    last_turn: Constant<Bits<3>>,
    path_bits: Constant<Bits<4>>,
    tsn: PathTable<Bits<8>, GA>,
    first: PathTable<Bits<8>, GA>,
    failures: FailedConnections<CA>,
    candidate: [Dff<LostPacket>; N],
    waiting: Dff<Bits<N>>,
    turn: Dff<Bits<3>>,
    plane1: Dff<Bits<N>>,
    path1: Dff<Bits<16>>,
    path2: Dff<Bits<16>>,
    number_mask: Constant<Bits<16>>,
    used_tsn: Constant<Bits<8>>,
    path_number: [Constant<Bits<16>>; P],
    chosen: Signal<Local, Bit>,
    plane2: Dff<Bits<N>>,
    unresolved2: Dff<Bits<8>>,
    failed2: Dff<Bit>,
    plane3: Dff<Bits<N>>,
    some3: Dff<Bit>,
    roomy3: Dff<Bit>,
    shown: Signal<Local, LostPacket>,
    looks: Signal<Local, Bits<N>>,
    left: Signal<Local, Bits<N>>,
}

impl<const P: usize, const N: usize, const CA: usize, const GA: usize, const QA: usize>
    RetransmitStage<P, N, CA, GA, QA>
{
    /// A stage of this size.
    pub fn new(narrowing: &Narrowing) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            hold: Default::default(),
            failure: Default::default(),
            limits: Default::default(),
            unseen: Default::default(),
            transmit: Default::default(),
            resolved: Default::default(),
            lost_valid: Default::default(),
            lost: Default::default(),
            lost_plane: Default::default(),
            lost_room: Default::default(),
            plane: Default::default(),
            packet: Default::default(),
            some: Default::default(),
            roomy: Default::default(),
            take: Default::default(),
            busy: Default::default(),
            queue: std::array::from_fn(|_| RetransmitQueue::new(narrowing)),
            number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            last_turn: Constant::new(bits(if N > 4 { 7 } else { 3 })),
            path_bits: Constant::new(bits((GA - CA) as u64)),
            tsn: Default::default(),
            first: Default::default(),
            failures: Default::default(),
            candidate: std::array::from_fn(|_| Default::default()),
            waiting: Default::default(),
            turn: Default::default(),
            plane1: Default::default(),
            path1: Default::default(),
            path2: Default::default(),
            number_mask: Constant::new(bits((1 << (GA - CA)) - 1)),
            used_tsn: Constant::new(Narrowing::low(narrowing.tsn_bits.min(8))),
            path_number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            chosen: Default::default(),
            plane2: Default::default(),
            unresolved2: Default::default(),
            failed2: Default::default(),
            plane3: Default::default(),
            some3: Default::default(),
            roomy3: Default::default(),
            shown: Default::default(),
            looks: Default::default(),
            left: Default::default(),
        }
    }
}

impl<const P: usize, const N: usize, const CA: usize, const GA: usize, const QA: usize> Logic
    for RetransmitStage<P, N, CA, GA, QA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            waiting,
            turn,
            plane1,
            path1,
            path2,
            plane2,
            unresolved2,
            failed2,
            plane3,
            some3,
            roomy3
        );
        self.tsn.clock.next = self.clock.val();
        self.first.clock.next = self.clock.val();
        self.tsn.write_enable.next = self.transmit.val().valid;
        self.tsn.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.tsn.write_data.next = bit_cast::<8, 24>(self.transmit.val().next_tsn);
        self.first.write_enable.next = self.resolved.val().valid;
        self.first.write_address.next = bit_cast::<GA, 16>(self.resolved.val().path);
        self.first.write_data.next = bit_cast::<8, 24>(self.resolved.val().resolved);

        // R0: the turn's candidate.
        self.turn.d.next = (self.turn.q.val() + 1) & self.last_turn.val();
        self.looks.next = bits::<N>(0);
        self.shown.next = self.candidate[0].q.val();
        self.left.next = self.waiting.q.val();
        self.lost_room.next = true;
        self.packet.next = self.candidate[0].q.val();
        for k in 0..N {
            self.queue[k].clock.next = self.clock.val();
            self.queue[k].reset.next = self.reset.val();
            self.queue[k].packet.next = self.lost.val();
            self.queue[k].push.next =
                self.lost_valid.val() & (self.lost_plane.val() == self.number[k].val());
            if !self.queue[k].room.val() {
                self.lost_room.next = false;
            }
            if self.turn.q.val() == self.number[k].val() {
                self.shown.next = self.candidate[k].q.val();
                if self.waiting.q.val().get_bit(k) & !self.hold.val() {
                    self.looks.next = self.looks.val().replace_bit(k, true);
                }
            }
            if self.plane3.q.val().get_bit(k) {
                self.packet.next = self.candidate[k].q.val();
                if self.take.val() {
                    self.left.next = self.left.val().replace_bit(k, false);
                }
            }
            // The next one.
            self.candidate[k].clock.next = self.clock.val();
            self.candidate[k].d.next = self.candidate[k].q.val();
            self.queue[k].pop.next = false;
            if !self.waiting.q.val().get_bit(k) & self.queue[k].valid.val() {
                self.queue[k].pop.next = true;
                self.candidate[k].d.next = self.queue[k].head.val();
                self.left.next = self.left.val().replace_bit(k, true);
            }
        }
        self.waiting.d.next = self.left.val();
        self.tsn.read_address.next = bit_cast::<GA, 16>(self.shown.val().path);
        self.first.read_address.next = bit_cast::<GA, 16>(self.shown.val().path);
        self.failures.clock.next = self.clock.val();
        self.failures.write.next = self.failure.val();
        self.failures.connection.next =
            bit_cast::<CA, 16>(self.shown.val().path >> self.path_bits.val());
        self.plane1.d.next = self.looks.val();
        self.path1.d.next = self.shown.val().path;

        // R1.
        self.plane2.d.next = self.plane1.q.val();
        self.unresolved2.d.next =
            (self.tsn.read_data.val() - self.first.read_data.val()) & self.used_tsn.val();
        self.failed2.d.next = self.failures.failed.val();
        self.path2.d.next = self.path1.q.val() & self.number_mask.val();

        // R2.
        self.plane3.d.next = self.plane2.q.val();
        self.chosen.next = false;
        for p in 0..P {
            if (self.path2.q.val() == self.path_number[p].val()) & self.unseen.val().get_bit(p) {
                self.chosen.next = true;
            }
        }
        self.some3.d.next = (self.unresolved2.q.val() < self.limits.val().cap) & !self.chosen.val();
        self.roomy3.d.next =
            self.failed2.q.val() | (self.unresolved2.q.val() < self.limits.val().roomy);

        self.plane.next = self.plane3.q.val();
        self.some.next = self.some3.q.val();
        self.roomy.next = self.roomy3.q.val();
        self.busy.next =
            self.plane1.q.val().any() | self.plane2.q.val().any() | self.plane3.q.val().any();
        if self.reset.val() {
            self.waiting.d.next = bits::<N>(0);
            self.turn.d.next = bits::<3>(0);
            self.plane1.d.next = bits::<N>(0);
            self.plane2.d.next = bits::<N>(0);
            self.plane3.d.next = bits::<N>(0);
        }
    }
}
