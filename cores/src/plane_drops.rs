//! How many planes drop a frame under each name.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// Adds up pulses of `N` planes, 1 to 8. No cycle.
#[derive(LogicBlock)]
pub struct PlaneDrops<const N: usize> {
    pub drop: [Signal<In, Bit>; N],
    pub sum: Signal<Out, Bits<4>>,
}

impl<const N: usize> Default for PlaneDrops<N> {
    fn default() -> Self {
        assert!((1..=8).contains(&N), "1 to 8 planes");
        Self {
            drop: std::array::from_fn(|_| Default::default()),
            sum: Default::default(),
        }
    }
}

impl<const N: usize> Logic for PlaneDrops<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = 0.into();
        for i in 0..N {
            if self.drop[i].val() {
                self.sum.next = self.sum.val() + 1;
            }
        }
    }
}
