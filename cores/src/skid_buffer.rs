//! A FIFO of two words in registers.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// Two words in registers: one word in and one out a cycle, no path from `pop_ready` to `push_ready`.
///
/// Latency 1 cycle. `push_ready` falls only by a push.
#[derive(LogicBlock, Default)]
pub struct SkidBuffer<T: Synth> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: empties it.
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, T>,
    pub push_valid: Signal<In, Bit>,
    pub push_ready: Signal<Out, Bit>,
    pub pop: Signal<Out, T>,
    pub pop_valid: Signal<Out, Bit>,
    pub pop_ready: Signal<In, Bit>,
    head: Dff<T>,
    tail: Dff<T>,
    head_full: Dff<Bit>,
    tail_full: Dff<Bit>,
}

impl<T: Synth> Logic for SkidBuffer<T> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, head, tail, head_full, tail_full);
        self.push_ready.next = !self.tail_full.q.val();
        self.pop_valid.next = self.head_full.q.val();
        self.pop.next = self.head.q.val();
        if !self.tail_full.q.val() {
            self.tail.d.next = self.push.val();
        }
        if !self.head_full.q.val() || self.pop_ready.val() {
            if self.tail_full.q.val() {
                self.head.d.next = self.tail.q.val();
                self.tail_full.d.next = false;
            } else {
                self.head.d.next = self.push.val();
                self.head_full.d.next = self.push_valid.val();
            }
        } else if !self.tail_full.q.val() {
            self.tail_full.d.next = self.push_valid.val();
        }
        if self.reset.val() {
            self.head_full.d.next = false;
            self.tail_full.d.next = false;
        }
    }
}
