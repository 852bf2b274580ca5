//! The lowest bit that is set, as a tree.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// The lowest set bit of sixteen. In: `bits`. Out: `any`, `index` (0 if none). No cycle.
#[derive(LogicBlock, Default)]
pub struct FindFirst16 {
    pub bits: Signal<In, Bits<16>>,
    pub any: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<4>>,
    lowest: Signal<Local, Bits<16>>,
}

impl Logic for FindFirst16 {
    #[hdl_gen]
    fn update(&mut self) {
        self.any.next = self.bits.val().any();
        // x & -x keeps the lowest bit.
        self.lowest.next = self.bits.val() & (!self.bits.val() + 1);
        self.index.next = 0.into();
        if (self.lowest.val() & 0xAAAA).any() {
            self.index.next = self.index.val() | 1;
        }
        if (self.lowest.val() & 0xCCCC).any() {
            self.index.next = self.index.val() | 2;
        }
        if (self.lowest.val() & 0xF0F0).any() {
            self.index.next = self.index.val() | 4;
        }
        if (self.lowest.val() & 0xFF00).any() {
            self.index.next = self.index.val() | 8;
        }
    }
}
