//! Whether a WRITE may land where it says.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// What the region table holds.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Region {
    /// The region exists.
    pub valid: Bit,
    /// The whole key.
    pub r_key: Bits<32>,
    /// First host address.
    pub base: Bits<64>,
    /// Bytes; base + length is at most 2^64.
    pub length: Bits<64>,
}

/// Checks `address .. address + payload` against a region. Nothing wraps: sums have 65 bits. No cycle.
///
/// In: `region` (the entry that the key's low bits name), `r_key`, `address`, `payload` (bytes). Out: `bad_key`; `bad_range`
/// (never with `bad_key`).
#[derive(LogicBlock, Default)]
pub struct RegionCheck {
    pub region: Signal<In, Region>,
    pub r_key: Signal<In, Bits<32>>,
    pub address: Signal<In, Bits<64>>,
    pub payload: Signal<In, Bits<16>>,
    pub bad_key: Signal<Out, Bit>,
    pub bad_range: Signal<Out, Bit>,
    past: Signal<Local, Bits<65>>,
    limit: Signal<Local, Bits<65>>,
}

impl Logic for RegionCheck {
    #[hdl_gen]
    fn update(&mut self) {
        self.past.next =
            bit_cast::<65, 64>(self.address.val()) + bit_cast::<65, 16>(self.payload.val());
        self.limit.next = bit_cast::<65, 64>(self.region.val().base)
            + bit_cast::<65, 64>(self.region.val().length);
        self.bad_key.next =
            !self.region.val().valid | (self.region.val().r_key != self.r_key.val());
        self.bad_range.next = !self.bad_key.val()
            & ((self.address.val() < self.region.val().base)
                | (self.past.val() > self.limit.val()));
    }
}
