//! How many of a connection's Reads were accepted and have no slot yet.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::forwarded_table::ForwardedTable;
use crate::prim::Dff;
use crate::ram_bypass::RamBypass;

/// At most 16 Reads of a connection may wait: a sender has no more slots.
///
/// In cycle t: `connection` of a packet. In t + 2: `full`: it must not be accepted if it is a Read; `accepted` comes in at t + 3, a Read that was: what
/// hangs on an input is only `full` of the packet behind it. `loaded`: the response of connection `coming` takes a slot, which was presented a cycle
/// before too; packets know of it that come in t + 2 or later. `start`: connection `start_connection` has none. `CA` address bits of connections.
#[derive(LogicBlock)]
pub struct ResponseRoom<const CA: usize> {
    pub clock: Signal<In, Clock>,
    pub connection: Signal<In, Bits<CA>>,
    pub full: Signal<Out, Bit>,
    pub accepted: Signal<In, Bit>,
    pub coming: Signal<In, Bits<CA>>,
    pub loaded: Signal<In, Bit>,
    pub start: Signal<In, Bit>,
    pub start_connection: Signal<In, Bits<CA>>,
    accepts: ForwardedTable<Bits<5>, CA>,
    loads: ForwardedTable<Bits<5>, CA>,
    last: RamBypass<Bits<5>, CA>,
    connection1: Dff<Bits<CA>>,
    connection2: Dff<Bits<CA>>,
    same2: Dff<Bit>,
    connection3: Dff<Bits<CA>>,
    count3: Dff<Bits<5>>,
    follows: Signal<Local, Bit>,
    waits: Signal<Local, Bits<5>>,
}

impl<const CA: usize> Default for ResponseRoom<CA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            connection: Default::default(),
            full: Default::default(),
            accepted: Default::default(),
            coming: Default::default(),
            loaded: Default::default(),
            start: Default::default(),
            start_connection: Default::default(),
            accepts: Default::default(),
            loads: Default::default(),
            last: Default::default(),
            connection1: Default::default(),
            connection2: Default::default(),
            same2: Default::default(),
            connection3: Default::default(),
            count3: Default::default(),
            follows: Default::default(),
            waits: Default::default(),
        }
    }
}

impl<const CA: usize> Logic for ResponseRoom<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            connection1,
            connection2,
            same2,
            connection3,
            count3
        );
        clock!(self, clock, accepts, loads, last);
        self.accepts.read_address.next = self.connection.val();
        self.loads.read_address.next = self.connection.val();
        self.connection1.d.next = self.connection.val();
        self.connection2.d.next = self.connection1.q.val();
        self.same2.d.next = self.connection1.q.val() == self.connection2.q.val();

        // t + 2: by the tables, and by what the packet before it does in this cycle.
        self.follows.next = self.same2.q.val() & self.accepted.val();
        self.waits.next = self.accepts.read_data.val() - self.loads.read_data.val();
        self.full.next = (self.waits.val() == 16) | (self.follows.val() & (self.waits.val() == 15));
        self.connection3.d.next = self.connection2.q.val();
        self.count3.d.next = self.accepts.read_data.val();
        if self.follows.val() {
            self.count3.d.next = self.accepts.read_data.val() + 1;
        }

        // t + 3: the commit.
        self.accepts.write_enable.next = self.accepted.val() | self.start.val();
        self.accepts.write_address.next = self.connection3.q.val();
        self.accepts.write_data.next = self.count3.q.val() + 1;
        self.last.read_address.next = self.coming.val();
        self.loads.write_enable.next = self.loaded.val() | self.start.val();
        self.loads.write_address.next = self.coming.val();
        self.loads.write_data.next = self.last.read_data.val() + 1;
        if self.start.val() {
            self.accepts.write_address.next = self.start_connection.val();
            self.accepts.write_data.next = 0.into();
            self.loads.write_address.next = self.start_connection.val();
            self.loads.write_data.next = 0.into();
        }
        self.last.write_enable.next = self.loads.write_enable.val();
        self.last.write_address.next = self.loads.write_address.val();
        self.last.write_data.next = self.loads.write_data.val();
    }
}
