//! A bit a lane to eight.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// Ones in the bytes whose lanes are set. `D` data bits, `K` = D / 8. No register.
#[derive(LogicBlock)]
pub struct LaneMask<const D: usize, const K: usize> {
    pub lanes: Signal<In, Bits<K>>,
    pub mask: Signal<Out, Bits<D>>,
    octet: Constant<Bits<D>>,
}

impl<const D: usize, const K: usize> Default for LaneMask<D, K> {
    fn default() -> Self {
        assert!(D == 8 * K, "K is D / 8");
        Self {
            lanes: Default::default(),
            mask: Default::default(),
            octet: Constant::new(0xFF.into()),
        }
    }
}

impl<const D: usize, const K: usize> Logic for LaneMask<D, K> {
    #[hdl_gen]
    fn update(&mut self) {
        self.mask.next = 0.into();
        for i in 0..K {
            if self.lanes.val().get_bit(i) {
                self.mask.next = self.mask.val() | (self.octet.val() << (8 * i).to_bits::<10>());
            }
        }
    }
}
