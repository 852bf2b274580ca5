//! Which connections failed, and how.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::counts::ConnectionFailure;
use crate::generated::constants::STATUS_RETRY_EXCEEDED;
use crate::ram_bypass::RamBypass;
use crate::transmit_path::FailureWrite;
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

/// Owner of every connection's failure: the first one names it, writing the connection's entry takes it back.
///
/// `give_up`, `refused` and `renew` come one in a cycle at most; a connection that has failed is not refused, and gives up
/// only if it gave up in the cycle before. Whoever needs to know keeps a copy of what is written: `FailedConnections`. `CA` address bits of connections.
#[derive(LogicBlock)]
pub struct ConnectionState<const CA: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// A connection gives up.
    pub give_up: Signal<In, Bit>,
    /// Which.
    pub give_up_connection: Signal<In, Bits<CA>>,
    /// A connection is refused.
    pub refused: Signal<In, Bit>,
    /// Which.
    pub refused_connection: Signal<In, Bits<CA>>,
    /// How.
    pub refusal: Signal<In, RefusedMessage>,
    /// A connection's entry is written.
    pub renew: Signal<In, Bit>,
    /// Which.
    pub renew_connection: Signal<In, Bits<CA>>,
    /// What changes in this cycle.
    pub write: Signal<Out, FailureWrite>,
    /// Who is asked for.
    pub failure_connection: Signal<In, Bits<12>>,
    /// The answer, in the next cycle.
    pub failure: Signal<Out, ConnectionFailure>,
    retry_exceeded: Constant<Bits<8>>,
    failures: RamBypass<ConnectionFailure, CA>,
    connection: Signal<Local, Bits<CA>>,
}

impl<const CA: usize> Default for ConnectionState<CA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            give_up: Default::default(),
            give_up_connection: Default::default(),
            refused: Default::default(),
            refused_connection: Default::default(),
            refusal: Default::default(),
            renew: Default::default(),
            renew_connection: Default::default(),
            write: Default::default(),
            failure_connection: Default::default(),
            failure: Default::default(),
            retry_exceeded: Constant::new(bits(STATUS_RETRY_EXCEEDED)),
            failures: Default::default(),
            connection: Default::default(),
        }
    }
}

impl<const CA: usize> Logic for ConnectionState<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        self.connection.next = self.renew_connection.val();
        if self.refused.val() {
            self.connection.next = self.refused_connection.val();
        }
        if self.give_up.val() {
            self.connection.next = self.give_up_connection.val();
        }
        self.write.next.valid = self.renew.val() | self.refused.val() | self.give_up.val();
        self.write.next.connection = bit_cast::<12, CA>(self.connection.val());
        self.write.next.failed = !self.renew.val();

        self.failures.clock.next = self.clock.val();
        self.failures.write_enable.next = self.write.val().valid;
        self.failures.write_address.next = self.connection.val();
        self.failures.write_data.next.failed = !self.renew.val();
        self.failures.write_data.next.status = self.refusal.val().reason;
        if self.give_up.val() {
            self.failures.write_data.next.status = self.retry_exceeded.val();
        }
        self.failures.write_data.next.refused_stream = self.refusal.val().stream;
        self.failures.write_data.next.refused_message = self.refusal.val().message;
        self.failures.read_address.next = bit_cast::<CA, 12>(self.failure_connection.val());
        self.failure.next = self.failures.read_data.val();
    }
}
