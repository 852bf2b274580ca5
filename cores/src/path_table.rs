//! A small table that forgets no write.
use crate::prim::{Dff, RamLut};
use rust_hdl::prelude::*;

/// A table of 2^A words with the behaviour and the ports of `RamBypass`, in distributed RAM: for tables that are shallow.
///
/// `read_data` comes one cycle after `read_address` and holds every write up to and including the cycle in which the
/// address was presented. The address is stored, the memory is read without a clock: so nothing must be forwarded.
#[derive(LogicBlock, Default)]
pub struct PathTable<T: Synth, const A: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// The word at `write_address` becomes `write_data`.
    pub write_enable: Signal<In, Bit>,
    /// Where.
    pub write_address: Signal<In, Bits<A>>,
    /// What.
    pub write_data: Signal<In, T>,
    /// The word to read.
    pub read_address: Signal<In, Bits<A>>,
    /// The word, one cycle later.
    pub read_data: Signal<Out, T>,
    ram: RamLut<T, A>,
    address: Dff<Bits<A>>,
}

impl<T: Synth, const A: usize> Logic for PathTable<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, address);
        self.ram.clock.next = self.clock.val();
        self.ram.write_enable.next = self.write_enable.val();
        self.ram.write_address.next = self.write_address.val();
        self.ram.write_data.next = self.write_data.val();
        self.address.d.next = self.read_address.val();
        self.ram.read_address.next = self.address.q.val();
        self.read_data.next = self.ram.read_data.val();
    }
}
