//! How much of a message is still to be delivered.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::prim::Dff;

/// Packets that one slot's message still lacks. In: `load` with `packets`; `delivered` (one packet). Out: `done`, one cycle
/// later. `load` wins.
#[derive(LogicBlock, Default)]
pub struct SlotCounter {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub load: Signal<In, Bit>,
    pub packets: Signal<In, Bits<25>>,
    pub delivered: Signal<In, Bit>,
    pub done: Signal<Out, Bit>,
    left: Dff<Bits<25>>,
}

impl Logic for SlotCounter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, left);
        self.done.next = !self.left.q.val().any();
        if self.delivered.val() & !self.done.val() {
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.load.val() {
            self.left.d.next = self.packets.val();
        }
        if self.reset.val() {
            self.left.d.next = 0.into();
        }
    }
}
