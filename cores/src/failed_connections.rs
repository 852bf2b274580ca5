//! A reader's copy of which connections have failed.
use crate::prim::Dff;
use crate::ram_bypass::RamBypass;
use crate::transmit_path::FailureWrite;
use rust_hdl::prelude::*;

/// One bit a connection, in RAM.
///
/// `failed` comes one cycle after `connection` and holds every write up to and including the cycle in which the
/// connection was presented; `fails` also that of its own cycle. `CA` address bits of connections.
#[derive(LogicBlock, Default)]
pub struct FailedConnections<const CA: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// A connection fails, or is set up anew.
    pub write: Signal<In, FailureWrite>,
    /// Which is asked about.
    pub connection: Signal<In, Bits<CA>>,
    /// One cycle later: it has failed.
    pub failed: Signal<Out, Bit>,
    /// One cycle later: it has failed from the next cycle on.
    pub fails: Signal<Out, Bit>,
    flags: RamBypass<Bit, CA>,
    asked: Dff<Bits<CA>>,
    written: Signal<Local, Bits<CA>>,
}

impl<const CA: usize> Logic for FailedConnections<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, asked);
        self.written.next = bit_cast::<CA, 12>(self.write.val().connection);
        self.flags.clock.next = self.clock.val();
        self.flags.write_enable.next = self.write.val().valid;
        self.flags.write_address.next = self.written.val();
        self.flags.write_data.next = self.write.val().failed;
        self.flags.read_address.next = self.connection.val();
        self.asked.d.next = self.connection.val();
        self.failed.next = self.flags.read_data.val();
        self.fails.next = self.flags.read_data.val()
            | (self.write.val().valid
                & self.write.val().failed
                & (self.written.val() == self.asked.q.val()));
    }
}
