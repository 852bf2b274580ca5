//! How long a sender bears that its receiver has no buffer.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::forwarded_table::ForwardedTable;
use rust_hdl::prelude::*;

/// A connection that was told `receiver_not_ready`.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
struct Bears {
    /// It bears it until then.
    until: Bits<32>,
    /// Turned when it begins.
    lap: Bit,
}

/// By connection, when its patience with `receiver_not_ready` ends; a delivery ends it before.
///
/// The ACK engine begins it and the resolver ends it: each turns a bit of its own, and it lasts while they differ. The ACK engine presents a
/// `connection` two cycles before its `refusal` of `refused_connection`, and hears in that cycle whether it `bears` that. The resolver presents the
/// `owner` of a transmission two cycles before it is `delivered` for `delivered_connection`; in one cycle that comes first. `ticks`: patience, 0 for none. `renew`:
/// `renew_connection` starts anew, while neither has an event.
#[derive(LogicBlock, Default)]
pub struct Patience<const CA: usize> {
    pub clock: Signal<In, Clock>,
    pub now: Signal<In, Bits<32>>,
    pub ticks: Signal<In, Bits<31>>,
    pub connection: Signal<In, Bits<CA>>,
    pub refusal: Signal<In, Bit>,
    pub refused_connection: Signal<In, Bits<CA>>,
    pub bears: Signal<Out, Bit>,
    pub owner: Signal<In, Bits<CA>>,
    pub delivered: Signal<In, Bit>,
    pub delivered_connection: Signal<In, Bits<CA>>,
    pub renew: Signal<In, Bit>,
    pub renew_connection: Signal<In, Bits<CA>>,
    began: ForwardedTable<Bears, CA>,
    /// The same bit for the resolver.
    began_lap: ForwardedTable<Bit, CA>,
    ended_lap: ForwardedTable<Bit, CA>,
    lasts: Signal<Local, Bit>,
    left: Signal<Local, Bits<32>>,
    begins: Signal<Local, Bit>,
}

impl<const CA: usize> Logic for Patience<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        self.began.clock.next = self.clock.val();
        self.began_lap.clock.next = self.clock.val();
        self.ended_lap.clock.next = self.clock.val();
        self.began.read_address.next = self.connection.val();
        self.ended_lap.read_address.next = self.connection.val();
        self.began_lap.read_address.next = self.owner.val();

        self.lasts.next = (self.began.read_data.val().lap ^ self.ended_lap.read_data.val())
            & !(self.delivered.val()
                & (self.delivered_connection.val() == self.refused_connection.val()));
        self.left.next = self.began.read_data.val().until - self.now.val();
        self.bears.next = self.ticks.val().any()
            & (!self.lasts.val() | (!self.left.val().get_bit(31) & self.left.val().any()));
        self.begins.next = self.refusal.val() & self.bears.val() & !self.lasts.val();

        self.began.write_enable.next = self.begins.val() | self.renew.val();
        self.began.write_address.next = self.refused_connection.val();
        self.began.write_data.next.until = self.now.val() + bit_cast::<32, 31>(self.ticks.val());
        self.began.write_data.next.lap = !self.began.read_data.val().lap;
        self.began_lap.write_enable.next = self.begins.val() | self.renew.val();
        self.began_lap.write_address.next = self.refused_connection.val();
        self.began_lap.write_data.next = !self.began.read_data.val().lap;
        self.ended_lap.write_enable.next = self.delivered.val() | self.renew.val();
        self.ended_lap.write_address.next = self.delivered_connection.val();
        self.ended_lap.write_data.next = self.began_lap.read_data.val();
        if self.renew.val() {
            self.began.write_address.next = self.renew_connection.val();
            self.began.write_data.next.lap = false;
            self.began_lap.write_address.next = self.renew_connection.val();
            self.began_lap.write_data.next = false;
            self.ended_lap.write_address.next = self.renew_connection.val();
            self.ended_lap.write_data.next = false;
        }
    }
}
