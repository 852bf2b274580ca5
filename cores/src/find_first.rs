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

/// The lowest set bit of `W` = 16 x `G`. In: `bits`. Out: `any`, `index` (`IW` = log2 W bits; 0 if none). No cycle.
#[derive(LogicBlock)]
pub struct FindFirst<const W: usize, const IW: usize, const G: usize> {
    pub bits: Signal<In, Bits<W>>,
    pub any: Signal<Out, Bit>,
    pub index: Signal<Out, Bits<IW>>,
    groups: [FindFirst16; G],
    group: FindFirst16,
    filled: Signal<Local, Bits<16>>,
    low: Signal<Local, Bits<4>>,
    place: Signal<Local, Bits<8>>,
}

impl<const W: usize, const IW: usize, const G: usize> Default for FindFirst<W, IW, G> {
    fn default() -> Self {
        assert!(
            W == 16 * G && (2..=16).contains(&G),
            "W is 16 G, at most 256"
        );
        assert_eq!(1 << IW, W, "IW is log2 W");
        Self {
            bits: Default::default(),
            any: Default::default(),
            index: Default::default(),
            groups: std::array::from_fn(|_| Default::default()),
            group: Default::default(),
            filled: Default::default(),
            low: Default::default(),
            place: Default::default(),
        }
    }
}

impl<const W: usize, const IW: usize, const G: usize> Logic for FindFirst<W, IW, G> {
    #[hdl_gen]
    fn update(&mut self) {
        self.filled.next = 0.into();
        for i in 0..G {
            self.groups[i].bits.next = self.bits.val().get_bits::<16>(i * 16);
            self.filled.next = self.filled.val().replace_bit(i, self.groups[i].any.val());
        }
        self.group.bits.next = self.filled.val();
        self.any.next = self.group.any.val();
        self.low.next = 0.into();
        for i in 0..G {
            if self.group.index.val() == i.to_bits() {
                self.low.next = self.groups[i].index.val();
            }
        }
        self.place.next =
            bit_cast::<8, 4>(self.low.val()) | (bit_cast::<8, 4>(self.group.index.val()) << 4);
        self.index.next = bit_cast::<IW, 8>(self.place.val());
    }
}
