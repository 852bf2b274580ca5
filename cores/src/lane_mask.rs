//! A bit a lane to eight.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// Ones in the bytes whose lanes are set. `D` data bits, at most 512, `K` = D / 8. No register.
#[derive(LogicBlock)]
pub struct LaneMask<const D: usize, const K: usize> {
    pub lanes: Signal<In, Bits<K>>,
    pub mask: Signal<Out, Bits<D>>,
    every: Signal<Local, Bits<64>>,
    // Eight lanes, and their mask: simulators are quick with 64 bits.
    some: Signal<Local, Bits<8>>,
    octets: Signal<Local, Bits<64>>,
    octet_masks: [Constant<Bits<64>>; 8],
    places: [Constant<Bits<10>>; 8],
}

impl<const D: usize, const K: usize> Default for LaneMask<D, K> {
    fn default() -> Self {
        assert!(D == 8 * K && K <= 64, "K is D / 8, at most 64");
        Self {
            lanes: Default::default(),
            mask: Default::default(),
            every: Default::default(),
            some: Default::default(),
            octets: Default::default(),
            octet_masks: std::array::from_fn(|i| Constant::new((0xFFu64 << (8 * i)).into())),
            places: std::array::from_fn(|i| Constant::new((64 * i as u64).into())),
        }
    }
}

impl<const D: usize, const K: usize> Logic for LaneMask<D, K> {
    #[hdl_gen]
    fn update(&mut self) {
        self.every.next = bit_cast::<64, K>(self.lanes.val());
        self.mask.next = 0.into();
        self.some.next = 0.into();
        self.octets.next = 0.into();
        for i in 0..8 {
            self.some.next = self.every.val().get_bits::<8>(8 * i);
            self.octets.next = 0.into();
            for j in 0..8 {
                if self.some.val().get_bit(j) {
                    self.octets.next = self.octets.val() | self.octet_masks[j].val();
                }
            }
            self.mask.next =
                self.mask.val() | (bit_cast::<D, 64>(self.octets.val()) << self.places[i].val());
        }
    }
}
