//! A table in RAM whose word leaves a register, and still forgets no write.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::prim::{Dff, RamSdp};
use rust_hdl::prelude::*;

/// One write port, one read port; 2^A words.
///
/// `read_data` is a register's output, two cycles after `read_address`, and holds every write of the cycles before it. So what
/// a stage reads, changes and writes back is never older than the stage before it, and its logic starts at registers:
/// the loop of one word is register, change, mux, register. A RAM's output is late, so its word has one choice before it: the last.
/// Latency: 2 cycles.
#[derive(LogicBlock, Default)]
pub struct ForwardedTable<T: Synth, const A: usize> {
    pub clock: Signal<In, Clock>,
    pub write_enable: Signal<In, Bit>,
    pub write_address: Signal<In, Bits<A>>,
    pub write_data: Signal<In, T>,
    pub read_address: Signal<In, Bits<A>>,
    pub read_data: Signal<Out, T>,
    ram: RamSdp<T, A>,
    address: Dff<Bits<A>>,
    /// The write of the cycle before, and whether it was to the address then shown.
    hit: Dff<Bit>,
    written: Dff<T>,
    hits: Signal<Local, Bit>,
    newer: Signal<Local, T>,
    word: Dff<T>,
}

impl<T: Synth, const A: usize> Logic for ForwardedTable<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, address, hit, written, word);
        self.ram.clock.next = self.clock.val();
        self.ram.write_enable.next = self.write_enable.val();
        self.ram.write_address.next = self.write_address.val();
        self.ram.write_data.next = self.write_data.val();
        self.ram.read_address.next = self.read_address.val();
        self.address.d.next = self.read_address.val();
        self.written.d.next = self.write_data.val();
        self.hit.d.next =
            self.write_enable.val() && (self.write_address.val() == self.read_address.val());
        self.hits.next =
            self.write_enable.val() && (self.write_address.val() == self.address.q.val());
        self.newer.next = self.written.q.val();
        if self.hits.val() {
            self.newer.next = self.write_data.val();
        }
        self.word.d.next = self.newer.val();
        if !self.hits.val() && !self.hit.q.val() {
            self.word.d.next = self.ram.read_data.val();
        }
        self.read_data.next = self.word.q.val();
    }
}
