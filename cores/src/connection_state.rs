//! Which connections failed, and how.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::counts::ConnectionFailure;
use crate::generated::constants::STATUS_RETRY_EXCEEDED;
use crate::prim::{Dff, RamLut};
use rust_hdl::prelude::*;

/// A refusal's name, kept for its connection.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct RefusedMessage {
    /// The refusal's name.
    pub reason: Bits<8>,
    /// The refused message's stream.
    pub stream: Bits<16>,
    /// The refused message.
    pub message: Bits<16>,
}

/// The bitmap of failed connections; writing a connection's entry clears its bit.
///
/// The first failure names it; a connection that is refused in the cycle in which it gives up was refused. Writes show in
/// the next cycle. `CA` address bits, `C` = 2^CA.
#[derive(LogicBlock)]
pub struct ConnectionState<const CA: usize, const C: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A connection gives up.
    pub give_up: Signal<In, Bit>,
    /// Which.
    pub give_up_connection: Signal<In, Bits<CA>>,
    /// A connection is refused; it had not failed before this cycle.
    pub refused: Signal<In, Bit>,
    /// Which.
    pub refused_connection: Signal<In, Bits<CA>>,
    /// How.
    pub refusal: Signal<In, RefusedMessage>,
    /// A connection's entry is written.
    pub renew: Signal<In, Bit>,
    /// Which.
    pub renew_connection: Signal<In, Bits<CA>>,
    /// The bitmap.
    pub failed: Signal<Out, Bits<C>>,
    /// Who is asked for.
    pub failure_connection: Signal<In, Bits<12>>,
    /// The answer, in the same cycle.
    pub failure: Signal<Out, ConnectionFailure>,
    retry_exceeded: Constant<Bits<8>>,
    has_failed: Dff<Bits<C>>,
    gave_up: Dff<Bits<C>>,
    name: RamLut<RefusedMessage, CA>,
    asked: Signal<Local, Bits<CA>>,
    after_renew: Signal<Local, Bits<C>>,
    after_refusal: Signal<Local, Bits<C>>,
}

impl<const CA: usize, const C: usize> Default for ConnectionState<CA, C> {
    fn default() -> Self {
        assert!(C == 1 << CA, "C is 2^CA");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            give_up: Default::default(),
            give_up_connection: Default::default(),
            refused: Default::default(),
            refused_connection: Default::default(),
            refusal: Default::default(),
            renew: Default::default(),
            renew_connection: Default::default(),
            failed: Default::default(),
            failure_connection: Default::default(),
            failure: Default::default(),
            retry_exceeded: Constant::new(bits(STATUS_RETRY_EXCEEDED)),
            has_failed: Default::default(),
            gave_up: Default::default(),
            name: Default::default(),
            asked: Default::default(),
            after_renew: Default::default(),
            after_refusal: Default::default(),
        }
    }
}

impl<const CA: usize, const C: usize> Logic for ConnectionState<CA, C> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, has_failed, gave_up);
        self.name.clock.next = self.clock.val();
        self.name.write_enable.next = self.refused.val();
        self.name.write_address.next = self.refused_connection.val();
        self.name.write_data.next = self.refusal.val();

        self.after_renew.next = self.has_failed.q.val();
        if self.renew.val() {
            self.after_renew.next = self
                .has_failed
                .q
                .val()
                .replace_bit(self.renew_connection.val().index(), false);
            self.gave_up.d.next = self
                .gave_up
                .q
                .val()
                .replace_bit(self.renew_connection.val().index(), false);
        }
        self.after_refusal.next = self.after_renew.val();
        if self.refused.val() {
            self.after_refusal.next = self
                .after_renew
                .val()
                .replace_bit(self.refused_connection.val().index(), true);
        }
        self.has_failed.d.next = self.after_refusal.val();
        if self.give_up.val() {
            self.has_failed.d.next = self
                .after_refusal
                .val()
                .replace_bit(self.give_up_connection.val().index(), true);
            if !self
                .after_refusal
                .val()
                .get_bit(self.give_up_connection.val().index())
            {
                self.gave_up.d.next = self
                    .gave_up
                    .q
                    .val()
                    .replace_bit(self.give_up_connection.val().index(), true);
            }
        }

        self.failed.next = self.has_failed.q.val();
        self.asked.next = bit_cast::<CA, 12>(self.failure_connection.val());
        self.name.read_address.next = self.asked.val();
        self.failure.next.failed = self.has_failed.q.val().get_bit(self.asked.val().index());
        self.failure.next.status = self.name.read_data.val().reason;
        self.failure.next.refused_stream = self.name.read_data.val().stream;
        self.failure.next.refused_message = self.name.read_data.val().message;
        if self.gave_up.q.val().get_bit(self.asked.val().index()) {
            self.failure.next.status = self.retry_exceeded.val();
        }
        if self.reset.val() {
            self.has_failed.d.next = bits::<C>(0);
            self.gave_up.d.next = bits::<C>(0);
        }
    }
}
