//! A table in RAM that forgets no write.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::prim::{Dff, RamSdp};
use rust_hdl::prelude::*;

/// One write port, one read port; 2^A words.
///
/// `read_data` is one cycle after `read_address` and holds every write up to and including the cycle in which the
/// address was presented. So a reader that also sees the present cycle's write needs to forward only that one.
#[derive(LogicBlock, Default)]
pub struct RamBypass<T: Synth, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub write_enable: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<A>>,
    pub write_data: Signal<In, T>,
    pub read_address: Signal<In, Bits<A>>,
    pub read_data: Signal<Out, T>,
    ram: RamSdp<T, A>,
    hit: Dff<Bit>,
    written: Dff<T>,
}

impl<T: Synth, const A: usize> Logic for RamBypass<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, hit, written);
        self.ram.clock.next = self.clock.val();
        self.ram.write_enable.next = self.write_enable.val();
        self.ram.write_address.next = self.write_address.val();
        self.ram.write_data.next = self.write_data.val();
        self.ram.read_address.next = self.read_address.val();
        self.written.d.next = self.write_data.val();
        self.hit.d.next =
            self.write_enable.val() && (self.write_address.val() == self.read_address.val());
        self.read_data.next = self.ram.read_data.val();
        if self.hit.q.val() {
            self.read_data.next = self.written.q.val();
        }
    }
}
