//! Registers of the register file: one that software writes, one that counts.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::axi_lite::RegisterBus;
use crate::narrow::Narrowing;
use crate::prim::Dff;

/// A register of software's. In: `bus`. Out: `value`; `read`, which is 0 unless the bus reads this register.
///
/// Constants: byte offset, writable bits, start value. Without writable bits it is read only.
#[derive(LogicBlock)]
pub struct Register {
    pub clock: Signal<In, Clock>,
    pub bus: Signal<In, RegisterBus>,
    pub value: Signal<Out, Bits<32>>,
    pub read: Signal<Out, Bits<32>>,
    stored: Dff<Bits<32>>,
    offset: Constant<Bits<16>>,
    mask: Constant<Bits<32>>,
    start: Constant<Bits<32>>,
}

impl Register {
    /// A register at `offset` whose `mask` bits are writable and that starts as `start`.
    pub fn new(offset: u64, mask: u32, start: u64) -> Self {
        assert!(offset.is_multiple_of(4), "registers are words");
        Self {
            clock: Default::default(),
            bus: Default::default(),
            value: Default::default(),
            read: Default::default(),
            stored: Default::default(),
            offset: Constant::new(offset.into()),
            mask: Constant::new(u64::from(mask).into()),
            start: Constant::new(start.into()),
        }
    }
}

impl Logic for Register {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, stored);
        // What is stored is the difference from the start value: right from the first cycle, without a reset.
        self.value.next = self.stored.q.val() ^ self.start.val();
        self.read.next = 0.into();
        if self.bus.val().read_address == self.offset.val() {
            self.read.next = self.value.val();
        }
        if self.bus.val().write & (self.bus.val().address == self.offset.val()) {
            self.stored.d.next = (self.bus.val().data ^ self.start.val()) & self.mask.val();
        }
        if self.bus.val().reset {
            self.stored.d.next = 0.into();
        }
    }
}

/// A counter of 32 bits that wraps. In: `bus`, `amount` (`A` bits, added each cycle). Out: `read`, which is 0 unless the bus
/// reads this register. Constant: byte offset.
#[derive(LogicBlock)]
pub struct CountRegister<const A: usize> {
    pub clock: Signal<In, Clock>,
    pub bus: Signal<In, RegisterBus>,
    pub amount: Signal<In, Bits<A>>,
    pub read: Signal<Out, Bits<32>>,
    count: Dff<Bits<32>>,
    offset: Constant<Bits<16>>,
    kept: Constant<Bits<32>>,
}

impl<const A: usize> CountRegister<A> {
    /// A counter at `offset` that keeps the bits that `narrowing` leaves.
    pub fn new(offset: u64, narrowing: &Narrowing) -> Self {
        assert!(offset.is_multiple_of(4), "registers are words");
        Self {
            clock: Default::default(),
            bus: Default::default(),
            amount: Default::default(),
            read: Default::default(),
            count: Default::default(),
            kept: Constant::new(Narrowing::low(narrowing.bits_of_counter(offset))),
            offset: Constant::new(offset.into()),
        }
    }
}

impl<const A: usize> Logic for CountRegister<A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, count);
        self.count.d.next =
            (self.count.q.val() + bit_cast::<32, A>(self.amount.val())) & self.kept.val();
        self.read.next = 0.into();
        if self.bus.val().read_address == self.offset.val() {
            self.read.next = self.count.q.val();
        }
        if self.bus.val().reset {
            self.count.d.next = 0.into();
        }
    }
}
