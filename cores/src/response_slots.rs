//! Slots of responses from their loading to their delivery.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::failed_connections::FailedConnections;
use crate::prim::{Dff, RamLut};
use crate::slot_counter::SlotCounter;
use crate::transmit_path::FailureWrite;

/// 16 slots in a ring: the next response takes the one after the newest; the oldest is free again once it is delivered or its connection has failed.
///
/// In: `take` with `connection` and `packets` (not without `free`); `delivered`, `delivered_slot` (a message's below 16, a response's from
/// there); `failure` (a connection fails, or is set up anew): found within 17 cycles. Out: `free`, `slot` (of the next response); `retire` (commit: the oldest is free). `CA` address
/// bits of connections.
#[derive(LogicBlock)]
pub struct ResponseSlots<const CA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub take: Signal<In, Bit>,
    pub connection: Signal<In, Bits<CA>>,
    pub packets: Signal<In, Bits<25>>,
    pub delivered: Signal<In, Bit>,
    pub delivered_slot: Signal<In, Bits<5>>,
    pub failure: Signal<In, FailureWrite>,
    pub free: Signal<Out, Bit>,
    pub slot: Signal<Out, Bits<4>>,
    pub retire: Signal<Out, Bit>,
    oldest: Dff<Bits<4>>,
    newest: Dff<Bits<4>>,
    count: Dff<Bits<5>>,
    counters: [SlotCounter; 16],
    number: [Constant<Bits<5>>; 16],
    connections: RamLut<Bits<CA>, 4>,
    failures: FailedConnections<CA>,
    swept: Dff<Bits<4>>,
    /// What is asked about is still the response in slot `asked`.
    stays: Dff<Bit>,
    asked: Dff<Bits<4>>,
    dead: Dff<Bits<16>>,
    marked: Signal<Local, Bits<16>>,
    done: Signal<Local, Bits<16>>,
}

impl<const CA: usize> Default for ResponseSlots<CA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            take: Default::default(),
            connection: Default::default(),
            packets: Default::default(),
            delivered: Default::default(),
            delivered_slot: Default::default(),
            failure: Default::default(),
            free: Default::default(),
            slot: Default::default(),
            retire: Default::default(),
            oldest: Default::default(),
            newest: Default::default(),
            count: Default::default(),
            counters: Default::default(),
            number: std::array::from_fn(|slot| Constant::new((16 + slot as LiteralType).into())),
            connections: Default::default(),
            failures: Default::default(),
            swept: Default::default(),
            stays: Default::default(),
            asked: Default::default(),
            dead: Default::default(),
            marked: Default::default(),
            done: Default::default(),
        }
    }
}

impl<const CA: usize> Logic for ResponseSlots<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, oldest, newest, count, swept, stays, asked, dead
        );
        self.failures.clock.next = self.clock.val();
        self.connections.clock.next = self.clock.val();
        self.connections.write_enable.next = self.take.val();
        self.connections.write_address.next = self.newest.q.val();
        self.connections.write_data.next = self.connection.val();
        self.connections.read_address.next = self.swept.q.val();
        self.free.next = self.count.q.val() != 16;
        self.slot.next = self.newest.q.val();

        // Which connections failed, a slot a cycle.
        self.swept.d.next = self.swept.q.val() + 1;
        self.failures.write.next = self.failure.val();
        self.failures.connection.next = self.connections.read_data.val();
        self.asked.d.next = self.swept.q.val();
        self.stays.d.next = !(self.take.val() & (self.newest.q.val() == self.swept.q.val()));
        self.marked.next = self.dead.q.val();
        if self.stays.q.val() & self.failures.failed.val() {
            self.marked.next = self
                .marked
                .val()
                .replace_bit(self.asked.q.val().index(), true);
        }
        if self.take.val() {
            self.marked.next = self
                .marked
                .val()
                .replace_bit(self.newest.q.val().index(), false);
        }
        self.dead.d.next = self.marked.val();

        self.done.next = self.dead.q.val();
        for i in 0..16 {
            self.counters[i].clock.next = self.clock.val();
            self.counters[i].reset.next = self.reset.val();
            self.counters[i].packets.next = self.packets.val();
            self.counters[i].load.next = self.take.val() & (self.newest.q.val() == i.to_bits());
            self.counters[i].delivered.next =
                self.delivered.val() & (self.delivered_slot.val() == self.number[i].val());
            if self.counters[i].done.val() {
                self.done.next = self.done.val().replace_bit(i, true);
            }
        }
        self.retire.next =
            self.count.q.val().any() & self.done.val().get_bit(self.oldest.q.val().index());

        if self.take.val() {
            self.newest.d.next = self.newest.q.val() + 1;
        }
        if self.retire.val() {
            self.oldest.d.next = self.oldest.q.val() + 1;
        }
        if self.take.val() & !self.retire.val() {
            self.count.d.next = self.count.q.val() + 1;
        }
        if self.retire.val() & !self.take.val() {
            self.count.d.next = self.count.q.val() - 1;
        }
        if self.reset.val() {
            self.oldest.d.next = 0.into();
            self.newest.d.next = 0.into();
            self.count.d.next = 0.into();
        }
    }
}
