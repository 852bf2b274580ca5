//! A linear map of bits to 32 bits: what a CRC is made of.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// Bit `i` of `parities` is the parity of some bits of `bits`. No register.
#[derive(LogicBlock)]
pub struct Linear<const N: usize> {
    pub bits: Signal<In, Bits<N>>,
    pub parities: Signal<Out, Bits<32>>,
    rows: [Constant<Bits<N>>; 32],
}

impl<const N: usize> Linear<N> {
    /// `column`: what input bit `i` alone makes.
    pub fn new(column: impl Fn(usize) -> u32) -> Self {
        let columns: Vec<u32> = (0..N).map(column).collect();
        let row = |i: usize| {
            let mut row = Bits::<N>::default();
            for (bit, column) in columns.iter().enumerate() {
                row = row.replace_bit(bit, (column >> i) & 1 == 1);
            }
            Constant::new(row)
        };
        Self {
            bits: Default::default(),
            parities: Default::default(),
            rows: std::array::from_fn(row),
        }
    }
}

impl<const N: usize> Logic for Linear<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.parities.next = 0.into();
        for i in 0..32 {
            self.parities.next = self
                .parities
                .val()
                .replace_bit(i, (self.bits.val() & self.rows[i].val()).xor());
        }
    }
}
