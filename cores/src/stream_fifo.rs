//! Stream FIFOs in block RAM.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::prim::{Dff, RamSdp};
use rust_hdl::prelude::*;

/// A FIFO whose writer can take back what it has not committed: for frames whose worth shows at their end.
///
/// First word falls through: `pop` holds the oldest committed word while `pop_valid`.
/// Holds 2^A - 1 words; one word in and one out a cycle. Latency from `commit` to `pop_valid`: 2 cycles.
#[derive(LogicBlock, Default)]
pub struct FrameFifo<T: Synth, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: empties it.
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, T>,
    pub push_valid: Signal<In, Bit>,
    /// Room for a word; depends on registers only.
    pub push_ready: Signal<Out, Bit>,
    /// All words up to and including this cycle's may be popped.
    pub commit: Signal<In, Bit>,
    /// All words since the last commit, and this cycle's, never were. Wins over `commit`.
    pub rollback: Signal<In, Bit>,
    pub pop: Signal<Out, T>,
    pub pop_valid: Signal<Out, Bit>,
    pub pop_ready: Signal<In, Bit>,
    /// Words inside, uncommitted ones as well.
    pub level: Signal<Out, Bits<A>>,
    ram: RamSdp<T, A>,
    write_pointer: Dff<Bits<A>>,
    committed: Dff<Bits<A>>,
    visible: Dff<Bits<A>>,
    read_pointer: Dff<Bits<A>>,
    next_write: Signal<Local, Bits<A>>,
    next_read: Signal<Local, Bits<A>>,
}

impl<T: Synth, const A: usize> Logic for FrameFifo<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_pointer, committed, visible, read_pointer);
        self.ram.clock.next = self.clock.val();
        self.push_ready.next = (self.write_pointer.q.val() + 1) != self.read_pointer.q.val();
        self.pop_valid.next = self.visible.q.val() != self.read_pointer.q.val();
        self.level.next = self.write_pointer.q.val() - self.read_pointer.q.val();
        self.next_write.next = self.write_pointer.q.val();
        if self.push_valid.val() && self.push_ready.val() {
            self.next_write.next = self.write_pointer.q.val() + 1;
        }
        self.next_read.next = self.read_pointer.q.val();
        if self.pop_valid.val() && self.pop_ready.val() {
            self.next_read.next = self.read_pointer.q.val() + 1;
        }
        // The RAM gives old data: a word may be read in the cycle after its write.
        self.ram.write_enable.next = self.push_valid.val() && self.push_ready.val();
        self.ram.write_address.next = self.write_pointer.q.val();
        self.ram.write_data.next = self.push.val();
        self.ram.read_address.next = self.next_read.val();
        self.pop.next = self.ram.read_data.val();
        self.visible.d.next = self.committed.q.val();
        self.read_pointer.d.next = self.next_read.val();
        self.write_pointer.d.next = self.next_write.val();
        if self.commit.val() {
            self.committed.d.next = self.next_write.val();
        }
        if self.rollback.val() {
            self.committed.d.next = self.committed.q.val();
            self.write_pointer.d.next = self.committed.q.val();
        }
        if self.reset.val() {
            self.write_pointer.d.next = 0.into();
            self.committed.d.next = 0.into();
            self.visible.d.next = 0.into();
            self.read_pointer.d.next = 0.into();
        }
    }
}

/// A FIFO: first word falls through, holds 2^A - 1 words, one in and one out a cycle, latency 2 cycles.
#[derive(LogicBlock, Default)]
pub struct StreamFifo<T: Synth, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: empties it.
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, T>,
    pub push_valid: Signal<In, Bit>,
    /// Room for a word; depends on registers only.
    pub push_ready: Signal<Out, Bit>,
    pub pop: Signal<Out, T>,
    pub pop_valid: Signal<Out, Bit>,
    pub pop_ready: Signal<In, Bit>,
    /// Words inside.
    pub level: Signal<Out, Bits<A>>,
    /// Words that may be pushed without a pop.
    pub space: Signal<Out, Bits<A>>,
    inner: FrameFifo<T, A>,
}

impl<T: Synth, const A: usize> Logic for StreamFifo<T, A> {
    #[hdl_gen]
    fn update(&mut self) {
        self.inner.clock.next = self.clock.val();
        self.inner.reset.next = self.reset.val();
        self.inner.push.next = self.push.val();
        self.inner.push_valid.next = self.push_valid.val();
        self.push_ready.next = self.inner.push_ready.val();
        self.inner.commit.next = true;
        self.inner.rollback.next = false;
        self.pop.next = self.inner.pop.val();
        self.pop_valid.next = self.inner.pop_valid.val();
        self.inner.pop_ready.next = self.pop_ready.val();
        self.level.next = self.inner.level.val();
        self.space.next = !self.inner.level.val();
    }
}
