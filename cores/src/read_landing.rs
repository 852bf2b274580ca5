//! When all that planes were told to write by now is in memory.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::landing::Landing;
use crate::prim::Dff;
use crate::types::WriteProgress;

/// Asked at the end of a Read, one at a time.
///
/// For N planes. In: by plane `placed` (a write of a byte at least was ordered), and the `progress` of its `AxiWriter`; `start`: what was ordered up to this
/// cycle counts. Out: `landed`, for one cycle, some cycles after `start`.
#[derive(LogicBlock)]
pub struct ReadLanding<const N: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub placed: [Signal<In, Bit>; N],
    pub progress: [Signal<In, WriteProgress>; N],
    pub start: Signal<In, Bit>,
    pub landed: Signal<Out, Bit>,
    looks: Dff<Bit>,
    counts: [Dff<Bits<16>>; N],
    marks: [Dff<Bits<16>>; N],
    landings: [Landing; N],
}

impl<const N: usize> Default for ReadLanding<N> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            placed: std::array::from_fn(|_| Default::default()),
            progress: std::array::from_fn(|_| Default::default()),
            start: Default::default(),
            landed: Default::default(),
            looks: Default::default(),
            counts: std::array::from_fn(|_| Default::default()),
            marks: std::array::from_fn(|_| Default::default()),
            landings: std::array::from_fn(|_| Default::default()),
        }
    }
}

impl<const N: usize> Logic for ReadLanding<N> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, looks);
        self.landed.next = self.looks.q.val();
        for i in 0..N {
            self.counts[i].clock.next = self.clock.val();
            self.marks[i].clock.next = self.clock.val();
            self.counts[i].d.next = self.counts[i].q.val();
            if self.placed[i].val() {
                self.counts[i].d.next = self.counts[i].q.val() + 1;
            }
            self.marks[i].d.next = self.marks[i].q.val();
            if self.start.val() {
                self.marks[i].d.next = self.counts[i].d.val();
            }
            self.landings[i].clock.next = self.clock.val();
            self.landings[i].reset.next = self.reset.val();
            self.landings[i].progress.next = self.progress[i].val();
            self.landings[i].look.next = self.looks.q.val();
            self.landings[i].mark.next = self.marks[i].q.val();
            self.landings[i].next_mark.next = self.start.val();
            if !self.landings[i].landed.val() {
                self.landed.next = false;
            }
        }
        if self.start.val() {
            self.looks.d.next = true;
        }
        if self.landed.val() {
            self.looks.d.next = false;
        }
        if self.reset.val() {
            self.looks.d.next = false;
            for i in 0..N {
                self.counts[i].d.next = 0.into();
            }
        }
    }
}
