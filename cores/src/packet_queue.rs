//! Packets of messages, waiting for their path, and the look ahead at their connections.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::failed_connections::FailedConnections;
use crate::prim::{Dff, RamLut};
use crate::transmit_path::{FailureWrite, WaitingPacket};
use rust_hdl::prelude::*;

/// Cycles of a `hold` after which no connection fails any more: what was looked at before it has then committed.
const FAILS_WITHIN: u64 = 10;

/// Up to 2^A packets (A <= 4). Whoever chooses needs to have looked at a packet's connection four cycles before, so a second
/// pointer runs ahead of the head and presents one connection a cycle; where it has nothing, the head's again. When the
/// head's own look comes back and the head does not go, the pointer falls back to the head.
///
/// In: `push`, `packet`, `connection` (with `room` only); `take` (the head goes; with `visible` only); `hold` (no look
/// begins); `failure`: packets of failed connections leave unsent, found one a cycle. Out: `room`; `look`, the connection presented; `visible`: the look that
/// comes back is of the head's connection; `head`, `head_connection`; `busy`: a look is under way, or `hold` is too young for every
/// packet to have been checked; `empty`. `CA` address bits of connections.
#[derive(LogicBlock)]
pub struct PacketQueue<const CA: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub hold: Signal<In, Bit>,
    pub failure: Signal<In, FailureWrite>,
    pub push: Signal<In, Bit>,
    pub packet: Signal<In, WaitingPacket>,
    pub connection: Signal<In, Bits<CA>>,
    pub room: Signal<Out, Bit>,
    pub empty: Signal<Out, Bit>,
    pub look: Signal<Out, Bits<CA>>,
    pub visible: Signal<Out, Bit>,
    pub head: Signal<Out, WaitingPacket>,
    pub head_connection: Signal<Out, Bits<CA>>,
    pub take: Signal<In, Bit>,
    pub busy: Signal<Out, Bit>,
    packets: RamLut<WaitingPacket, A>,
    of_head: RamLut<Bits<CA>, A>,
    of_ahead: RamLut<Bits<CA>, A>,
    of_swept: RamLut<Bits<CA>, A>,
    first: Dff<Bits<5>>,
    ahead: Dff<Bits<5>>,
    last: Dff<Bits<5>>,
    count: Dff<Bits<5>>,
    dead: Dff<Bits<16>>,
    swept: Dff<Bits<5>>,
    held: Dff<Bits<5>>,
    failures: FailedConnections<CA>,
    looking: [Dff<Bit>; 4],
    looked_at: [Dff<Bits<CA>>; 4],
    runs_ahead: [Dff<Bit>; 4],
    place: [Dff<Bits<5>>; 4],
    waits: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    marked: Signal<Local, Bits<16>>,
    place_mask: Constant<Bits<5>>,
    pointer_mask: Constant<Bits<5>>,
    checked: Constant<Bits<5>>,
    depth: Constant<Bits<5>>,
}

impl<const CA: usize, const A: usize> Default for PacketQueue<CA, A> {
    fn default() -> Self {
        assert!((1..=4).contains(&A), "2 to 16 packets");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            hold: Default::default(),
            failure: Default::default(),
            push: Default::default(),
            packet: Default::default(),
            connection: Default::default(),
            room: Default::default(),
            empty: Default::default(),
            look: Default::default(),
            visible: Default::default(),
            head: Default::default(),
            head_connection: Default::default(),
            take: Default::default(),
            busy: Default::default(),
            packets: Default::default(),
            of_head: Default::default(),
            of_ahead: Default::default(),
            of_swept: Default::default(),
            first: Default::default(),
            ahead: Default::default(),
            last: Default::default(),
            count: Default::default(),
            dead: Default::default(),
            swept: Default::default(),
            held: Default::default(),
            failures: Default::default(),
            looking: Default::default(),
            looked_at: Default::default(),
            runs_ahead: Default::default(),
            place: Default::default(),
            waits: Default::default(),
            pop: Default::default(),
            marked: Default::default(),
            place_mask: Constant::new(bits((1 << A) - 1)),
            pointer_mask: Constant::new(bits((2 << A) - 1)),
            checked: Constant::new(bits((1 << A) + FAILS_WITHIN)),
            depth: Constant::new(bits(1 << A)),
        }
    }
}

impl<const CA: usize, const A: usize> Logic for PacketQueue<CA, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, ahead, last, count, dead, swept, held);
        for i in 0..4 {
            self.looking[i].clock.next = self.clock.val();
            self.looked_at[i].clock.next = self.clock.val();
            self.runs_ahead[i].clock.next = self.clock.val();
            self.place[i].clock.next = self.clock.val();
        }
        self.packets.clock.next = self.clock.val();
        self.packets.write_enable.next = self.push.val();
        self.packets.write_address.next = bit_cast::<A, 5>(self.last.q.val());
        self.packets.write_data.next = self.packet.val();
        self.packets.read_address.next = bit_cast::<A, 5>(self.first.q.val());
        self.of_head.clock.next = self.clock.val();
        self.of_head.write_enable.next = self.push.val();
        self.of_head.write_address.next = bit_cast::<A, 5>(self.last.q.val());
        self.of_head.write_data.next = self.connection.val();
        self.of_head.read_address.next = bit_cast::<A, 5>(self.first.q.val());
        self.of_ahead.clock.next = self.clock.val();
        self.of_ahead.write_enable.next = self.push.val();
        self.of_ahead.write_address.next = bit_cast::<A, 5>(self.last.q.val());
        self.of_ahead.write_data.next = self.connection.val();
        self.of_ahead.read_address.next = bit_cast::<A, 5>(self.ahead.q.val());
        self.of_swept.clock.next = self.clock.val();
        self.of_swept.write_enable.next = self.push.val();
        self.of_swept.write_address.next = bit_cast::<A, 5>(self.last.q.val());
        self.of_swept.write_data.next = self.connection.val();
        self.of_swept.read_address.next = bit_cast::<A, 5>(self.swept.d.val());

        self.room.next = self.count.q.val() != self.depth.val();
        self.waits.next = self.count.q.val().any();
        self.empty.next = !self.waits.val();
        self.head.next = self.packets.read_data.val();
        self.head_connection.next = self.of_head.read_data.val();

        // The look.
        self.look.next = self.of_ahead.read_data.val();
        self.runs_ahead[0].d.next = true;
        self.ahead.d.next = (self.ahead.q.val() + 1) & self.pointer_mask.val();
        if self.ahead.q.val() == self.last.q.val() {
            self.look.next = self.of_head.read_data.val();
            self.runs_ahead[0].d.next = false;
            self.ahead.d.next = self.ahead.q.val();
        }
        self.looking[0].d.next = self.waits.val() & !self.hold.val();
        self.looked_at[0].d.next = self.look.val();
        self.place[0].d.next = self.ahead.q.val();
        for i in 1..4 {
            self.looking[i].d.next = self.looking[i - 1].q.val();
            self.looked_at[i].d.next = self.looked_at[i - 1].q.val();
            self.runs_ahead[i].d.next = self.runs_ahead[i - 1].q.val();
            self.place[i].d.next = self.place[i - 1].q.val();
        }
        self.visible.next = self.looking[3].q.val()
            & self.waits.val()
            & (self.looked_at[3].q.val() == self.of_head.read_data.val())
            & !self
                .dead
                .q
                .val()
                .get_bit((self.first.q.val() & self.place_mask.val()).index());

        // The head leaves, chosen or dead.
        self.pop.next = self.take.val()
            | (self.waits.val()
                & self
                    .dead
                    .q
                    .val()
                    .get_bit((self.first.q.val() & self.place_mask.val()).index()));
        if self.looking[3].q.val()
            & self.runs_ahead[3].q.val()
            & (self.place[3].q.val() == self.first.q.val())
            & !self.pop.val()
        {
            self.ahead.d.next = self.first.q.val();
        }
        if self.hold.val() {
            self.ahead.d.next = self.first.q.val();
        }
        if self.pop.val() {
            self.first.d.next = (self.first.q.val() + 1) & self.pointer_mask.val();
            if self.hold.val() {
                self.ahead.d.next = (self.first.q.val() + 1) & self.pointer_mask.val();
            }
        }
        if self.push.val() {
            self.last.d.next = (self.last.q.val() + 1) & self.pointer_mask.val();
        }
        if self.push.val() & !self.pop.val() {
            self.count.d.next = (self.count.q.val() + 1) & self.pointer_mask.val();
        }
        if !self.push.val() & self.pop.val() {
            self.count.d.next = (self.count.q.val() - 1) & self.pointer_mask.val();
        }

        // The sweep: of the next place, as this cycle leaves it.
        self.swept.d.next = (self.swept.q.val() + 1) & self.place_mask.val();
        self.failures.clock.next = self.clock.val();
        self.failures.write.next = self.failure.val();
        self.failures.connection.next = self.of_swept.read_data.val();
        if self.push.val() & ((self.last.q.val() & self.place_mask.val()) == self.swept.d.val()) {
            self.failures.connection.next = self.connection.val();
        }
        self.marked.next = self.dead.q.val();
        if self.failures.failed.val() {
            self.marked.next = self
                .marked
                .val()
                .replace_bit(self.swept.q.val().index(), true);
        }
        if self.push.val() {
            self.marked.next = self
                .marked
                .val()
                .replace_bit((self.last.q.val() & self.place_mask.val()).index(), false);
        }
        self.dead.d.next = self.marked.val();
        self.held.d.next = bits::<5>(0);
        if self.hold.val() {
            self.held.d.next = self.held.q.val();
            if self.held.q.val() != self.checked.val() {
                self.held.d.next = self.held.q.val() + 1;
            }
        }
        self.busy.next = self.looking[0].q.val()
            | self.looking[1].q.val()
            | self.looking[2].q.val()
            | self.looking[3].q.val()
            | (self.held.q.val() != self.checked.val());

        if self.reset.val() {
            self.first.d.next = bits::<5>(0);
            self.ahead.d.next = bits::<5>(0);
            self.last.d.next = bits::<5>(0);
            self.count.d.next = bits::<5>(0);
            for i in 0..4 {
                self.looking[i].d.next = false;
            }
        }
    }
}
