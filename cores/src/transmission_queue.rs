//! Decisions of one plane, waiting to become descriptors.
use crate::prim::{Dff, RamLut};
use crate::transmit_path::Transmission;
use rust_hdl::prelude::*;

/// Four places; the oldest is on show in the cycle after its push. `valid` depends on registers only. Who pushes has claimed a place.
#[derive(LogicBlock, Default)]
pub struct TransmissionQueue {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A decision.
    pub push: Signal<In, Bit>,
    /// The decision.
    pub entry: Signal<In, Transmission>,
    /// The oldest leaves; only with `valid`.
    pub pop: Signal<In, Bit>,
    /// There is one.
    pub valid: Signal<Out, Bit>,
    /// The oldest.
    pub head: Signal<Out, Transmission>,
    ram: RamLut<Transmission, 2>,
    first: Dff<Bits<3>>,
    last: Dff<Bits<3>>,
}

impl Logic for TransmissionQueue {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, last);
        self.ram.clock.next = self.clock.val();
        self.ram.write_enable.next = self.push.val();
        self.ram.write_address.next = bit_cast::<2, 3>(self.last.q.val());
        self.ram.write_data.next = self.entry.val();
        self.ram.read_address.next = bit_cast::<2, 3>(self.first.q.val());
        self.head.next = self.ram.read_data.val();
        self.valid.next = self.first.q.val() != self.last.q.val();
        if self.push.val() {
            self.last.d.next = self.last.q.val() + 1;
        }
        if self.pop.val() {
            self.first.d.next = self.first.q.val() + 1;
        }
        if self.reset.val() {
            self.first.d.next = bits::<3>(0);
            self.last.d.next = bits::<3>(0);
        }
    }
}
