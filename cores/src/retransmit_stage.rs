//! The planes' retransmit queues, and the look at one head a cycle.
use crate::next_in_turn::NextInTurn;
use crate::path_table::PathTable;
use crate::prim::Dff;
use crate::retransmit_queue::RetransmitQueue;
use crate::transmit_path::{LostPacket, ResolvedWrite, TransmitWrite};
use rust_hdl::prelude::*;

/// N retransmit queues. S0 presents the head of one plane that has room, planes in turn; S1 (the next cycle) answers
/// with its path's records. A head is looked at every second cycle at most, so S0 never has to guess whether S1 pops.
///
/// `N` planes, `GA` bits of a global path number, `QA` log2 of each queue's entries.
#[derive(LogicBlock)]
pub struct RetransmitStage<const N: usize, const GA: usize, const QA: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// No head enters S0.
    pub hold: Signal<In, Bit>,
    /// Planes with room for a transmission.
    pub room: Signal<In, Bits<N>>,
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
    /// Every queue takes four more.
    pub lost_room: Signal<Out, Bit>,
    /// S1: the head leaves its queue.
    pub pop: Signal<In, Bit>,
    /// S1: a head is looked at.
    pub valid: Signal<Out, Bit>,
    /// S1: the head.
    pub packet: Signal<Out, LostPacket>,
    /// S1: its plane.
    pub plane: Signal<Out, Bits<3>>,
    /// S1: the same, one hot; 0 without `valid`.
    pub plane_mask: Signal<Out, Bits<N>>,
    /// S1: its whole PSN.
    pub psn: Signal<Out, Bits<24>>,
    /// S1: its path's next PSN.
    pub next_psn: Signal<Out, Bits<24>>,
    /// S1: its path's next TSN.
    pub next_tsn: Signal<Out, Bits<24>>,
    /// S1: its path's unresolved transmissions.
    pub unresolved: Signal<Out, Bits<8>>,
    queue: [RetransmitQueue<QA>; N],
    number: [Constant<Bits<3>>; N],
    turn: NextInTurn<N>,
    psn_table: PathTable<Bits<24>, GA>,
    tsn_table: PathTable<Bits<24>, GA>,
    first: PathTable<Bits<8>, GA>,
    mask: Dff<Bits<N>>,
    last: Dff<Bits<3>>,
    head: Dff<LostPacket>,
    shown: Signal<Local, LostPacket>,
    back: Signal<Local, Bits<9>>,
    wanted: Signal<Local, Bits<N>>,
}

impl<const N: usize, const GA: usize, const QA: usize> Default for RetransmitStage<N, GA, QA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            hold: Default::default(),
            room: Default::default(),
            transmit: Default::default(),
            resolved: Default::default(),
            lost_valid: Default::default(),
            lost: Default::default(),
            lost_plane: Default::default(),
            lost_room: Default::default(),
            pop: Default::default(),
            valid: Default::default(),
            packet: Default::default(),
            plane: Default::default(),
            plane_mask: Default::default(),
            psn: Default::default(),
            next_psn: Default::default(),
            next_tsn: Default::default(),
            unresolved: Default::default(),
            queue: std::array::from_fn(|_| Default::default()),
            number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            turn: Default::default(),
            psn_table: Default::default(),
            tsn_table: Default::default(),
            first: Default::default(),
            mask: Default::default(),
            last: Default::default(),
            head: Default::default(),
            shown: Default::default(),
            back: Default::default(),
            wanted: Default::default(),
        }
    }
}

impl<const N: usize, const GA: usize, const QA: usize> Logic for RetransmitStage<N, GA, QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, mask, last, head);
        self.psn_table.clock.next = self.clock.val();
        self.tsn_table.clock.next = self.clock.val();
        self.first.clock.next = self.clock.val();
        self.psn_table.write_enable.next = self.transmit.val().valid;
        self.psn_table.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.psn_table.write_data.next = self.transmit.val().next_psn;
        self.tsn_table.write_enable.next = self.transmit.val().valid;
        self.tsn_table.write_address.next = bit_cast::<GA, 16>(self.transmit.val().path);
        self.tsn_table.write_data.next = self.transmit.val().next_tsn;
        self.first.write_enable.next = self.resolved.val().valid;
        self.first.write_address.next = bit_cast::<GA, 16>(self.resolved.val().path);
        self.first.write_data.next = bit_cast::<8, 24>(self.resolved.val().resolved);

        // Queues, and S0: who is next.
        self.wanted.next = bits::<N>(0);
        self.turn.last.next = self.last.q.val();
        self.lost_room.next = true;
        for k in 0..N {
            self.queue[k].clock.next = self.clock.val();
            self.queue[k].reset.next = self.reset.val();
            self.queue[k].packet.next = self.lost.val();
            self.queue[k].push.next =
                self.lost_valid.val() & (self.lost_plane.val() == self.number[k].val());
            self.queue[k].pop.next = self.pop.val() & self.mask.q.val().get_bit(k);
            if !self.queue[k].room.val() {
                self.lost_room.next = false;
            }
            if self.queue[k].valid.val()
                & self.room.val().get_bit(k)
                & !self.mask.q.val().get_bit(k)
                & !self.hold.val()
            {
                self.wanted.next = self.wanted.val().replace_bit(k, true);
            }
        }
        self.turn.request.next = self.wanted.val();
        self.shown.next = self.queue[0].head.val();
        for k in 0..N {
            if self.turn.pick.val() == self.number[k].val() {
                self.shown.next = self.queue[k].head.val();
            }
        }
        self.mask.d.next = self.turn.grant.val();
        if self.turn.found.val() {
            self.last.d.next = self.turn.pick.val();
        }
        self.head.d.next = self.shown.val();
        self.psn_table.read_address.next = bit_cast::<GA, 16>(self.shown.val().path);
        self.tsn_table.read_address.next = bit_cast::<GA, 16>(self.shown.val().path);
        self.first.read_address.next = bit_cast::<GA, 16>(self.shown.val().path);

        // S1.
        self.valid.next = self.mask.q.val().any();
        self.plane_mask.next = self.mask.q.val();
        self.plane.next = self.last.q.val();
        self.packet.next = self.head.q.val();
        // The packet is one of the newest 511 of its path.
        self.back.next = bit_cast::<9, 24>(self.psn_table.read_data.val()) - self.head.q.val().psn;
        self.psn.next = self.psn_table.read_data.val() - bit_cast::<24, 9>(self.back.val());
        self.next_psn.next = self.psn_table.read_data.val();
        self.next_tsn.next = self.tsn_table.read_data.val();
        self.unresolved.next =
            bit_cast::<8, 24>(self.tsn_table.read_data.val()) - self.first.read_data.val();

        if self.reset.val() {
            self.mask.d.next = bits::<N>(0);
            self.last.d.next = bits::<3>(0);
        }
    }
}
