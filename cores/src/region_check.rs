//! Whether a WRITE may land where it says, or a Read may read there.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::prim::Dff;

/// What the region table holds.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// The region exists.
    pub valid: Bit,
    /// The whole key.
    pub r_key: Bits<32>,
    /// First host address.
    pub base: Bits<64>,
    /// One after the last, at most 2^64.
    pub limit: Bits<65>,
}

/// Checks `address .. address + bytes` against a region. Nothing wraps: sums have 65 bits.
///
/// In: in cycle t `address`, `bytes`; in t + 1 `region` (the entry that the key's low bits name), `r_key`. Out, in t + 2:
/// `bad_key`; `bad_range` (never with `bad_key`).
#[derive(LogicBlock, Default)]
pub struct RegionCheck {
    pub clock: Signal<In, Clock>,
    pub address: Signal<In, Bits<64>>,
    pub bytes: Signal<In, Bits<32>>,
    pub region: Signal<In, Region>,
    pub r_key: Signal<In, Bits<32>>,
    pub bad_key: Signal<Out, Bit>,
    pub bad_range: Signal<Out, Bit>,
    first: Dff<Bits<64>>,
    past: Dff<Bits<65>>,
    wrong_key: Dff<Bit>,
    before: Dff<Bit>,
    after: Dff<Bit>,
}

impl Logic for RegionCheck {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, past, wrong_key, before, after);
        self.first.d.next = self.address.val();
        self.past.d.next =
            bit_cast::<65, 64>(self.address.val()) + bit_cast::<65, 32>(self.bytes.val());
        self.wrong_key.d.next =
            !self.region.val().valid | (self.region.val().r_key != self.r_key.val());
        self.before.d.next = self.first.q.val() < self.region.val().base;
        self.after.d.next = self.past.q.val() > self.region.val().limit;
        self.bad_key.next = self.wrong_key.q.val();
        self.bad_range.next = !self.wrong_key.q.val() & (self.before.q.val() | self.after.q.val());
    }
}
