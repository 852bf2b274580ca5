//! A queue of a few words in registers, whose head stays in sight.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::prim::Dff;

/// A queue of `D` words (2..=15) that shift towards the head.
///
/// In: `push`, `data`, `pop`. Out: `room` (a push is heard in this cycle), `valid`, `head`. A word pushed is at the head
/// in the next cycle at the earliest. A push without `room` or a pop without `valid` is not heard.
#[derive(LogicBlock)]
pub struct ShiftQueue<T: Synth, const D: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub push: Signal<In, Bit>,
    pub data: Signal<In, T>,
    pub room: Signal<Out, Bit>,
    pub head: Signal<Out, T>,
    pub valid: Signal<Out, Bit>,
    pub pop: Signal<In, Bit>,
    words: [Dff<T>; D],
    count: Dff<Bits<4>>,
    after_pop: Signal<Local, Bits<4>>,
    depth: Constant<Bits<4>>,
}

impl<T: Synth, const D: usize> Default for ShiftQueue<T, D> {
    fn default() -> Self {
        assert!((2..=15).contains(&D), "2 to 15 words");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            push: Default::default(),
            data: Default::default(),
            room: Default::default(),
            head: Default::default(),
            valid: Default::default(),
            pop: Default::default(),
            words: std::array::from_fn(|_| Default::default()),
            count: Default::default(),
            after_pop: Default::default(),
            depth: Constant::new((D as LiteralType).into()),
        }
    }
}

impl<T: Synth, const D: usize> Logic for ShiftQueue<T, D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        self.room.next = self.count.q.val() < self.depth.val();
        self.valid.next = self.count.q.val().any();
        self.head.next = self.words[0].q.val();
        self.after_pop.next = self.count.q.val();
        if self.pop.val() & self.valid.val() {
            self.after_pop.next = self.count.q.val() - 1;
        }
        for i in 0..D {
            self.words[i].clock.next = self.clock.val();
            self.words[i].d.next = self.words[i].q.val();
        }
        if self.pop.val() {
            for i in 1..D {
                self.words[i - 1].d.next = self.words[i].q.val();
            }
        }
        self.count.d.next = self.after_pop.val();
        if self.push.val() & self.room.val() {
            self.count.d.next = self.after_pop.val() + 1;
            for i in 0..D {
                if self.after_pop.val() == i.to_bits() {
                    self.words[i].d.next = self.data.val();
                }
            }
        }
        if self.reset.val() {
            self.count.d.next = 0.into();
        }
    }
}
