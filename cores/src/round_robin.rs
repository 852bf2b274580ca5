//! Whose turn it is.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// The first of N (1..=8) that wants a turn, after the one that had the last, wrapping. No cycle.
///
/// In: `wants`, `last`. Out: `any`, `turn`.
#[derive(LogicBlock)]
pub struct RoundRobin<const N: usize> {
    pub wants: [Signal<In, Bit>; N],
    pub last: Signal<In, Bits<3>>,
    pub any: Signal<Out, Bit>,
    pub turn: Signal<Out, Bits<3>>,
}

impl<const N: usize> Default for RoundRobin<N> {
    fn default() -> Self {
        assert!((1..=8).contains(&N), "1 to 8 turns");
        Self {
            wants: std::array::from_fn(|_| Default::default()),
            last: Default::default(),
            any: Default::default(),
            turn: Default::default(),
        }
    }
}

impl<const N: usize> Logic for RoundRobin<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.any.next = false;
        self.turn.next = 0.into();
        for i in 0..N {
            if self.wants[i].val() & !self.any.val() & (self.last.val() < i.to_bits()) {
                self.any.next = true;
                self.turn.next = i.to_bits();
            }
        }
        for i in 0..N {
            if self.wants[i].val() & !self.any.val() {
                self.any.next = true;
                self.turn.next = i.to_bits();
            }
        }
    }
}
