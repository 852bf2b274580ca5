//! A FIFO of a few words in distributed RAM.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::prim::{Dff, RamLut};
use rust_hdl::prelude::*;

/// 2^A words, A up to 4: one word in and one out a cycle, latency 1 cycle, no path from `pop_ready` to `push_ready`.
///
/// `push_ready` falls only by a push.
#[derive(LogicBlock, Default)]
pub struct LutFifo<T: Synth, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: empties it.
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, T>,
    pub push_valid: Signal<In, Bit>,
    pub push_ready: Signal<Out, Bit>,
    pub pop: Signal<Out, T>,
    pub pop_valid: Signal<Out, Bit>,
    pub pop_ready: Signal<In, Bit>,
    words: RamLut<T, A>,
    write_pointer: Dff<Bits<A>>,
    read_pointer: Dff<Bits<A>>,
    /// Pointers that are equal mean so.
    full: Dff<Bit>,
    takes: Signal<Local, Bit>,
    gives: Signal<Local, Bit>,
}

impl<T: Synth, const A: usize> Logic for LutFifo<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_pointer, read_pointer, full);
        self.words.clock.next = self.clock.val();
        self.push_ready.next = !self.full.q.val();
        self.pop_valid.next =
            self.full.q.val() || (self.write_pointer.q.val() != self.read_pointer.q.val());
        self.takes.next = self.push_valid.val() && self.push_ready.val();
        self.gives.next = self.pop_valid.val() && self.pop_ready.val();
        self.words.write_enable.next = self.takes.val();
        self.words.write_address.next = self.write_pointer.q.val();
        self.words.write_data.next = self.push.val();
        self.words.read_address.next = self.read_pointer.q.val();
        self.pop.next = self.words.read_data.val();
        if self.takes.val() {
            self.write_pointer.d.next = self.write_pointer.q.val() + 1;
            if !self.gives.val() {
                self.full.d.next = (self.write_pointer.q.val() + 1) == self.read_pointer.q.val();
            }
        }
        if self.gives.val() {
            self.read_pointer.d.next = self.read_pointer.q.val() + 1;
            if !self.takes.val() {
                self.full.d.next = false;
            }
        }
        if self.reset.val() {
            self.write_pointer.d.next = 0.into();
            self.read_pointer.d.next = 0.into();
            self.full.d.next = false;
        }
    }
}
