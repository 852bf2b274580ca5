//! Rotates the bytes of wide beats.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// Moves each byte `amount` lanes up, those that leave at the top come in at the bottom. A beat a cycle, two `advance`
/// cycles from `data` to `rotated`. `D` data bits (256, 512), `K` = D / 8.
#[derive(LogicBlock)]
pub struct ByteRotator<const D: usize, const K: usize> {
    pub clock: Signal<In, Clock>,
    /// Both stages move.
    pub advance: Signal<In, Bit>,
    pub data: Signal<In, Bits<D>>,
    /// Lanes, below K.
    pub amount: Signal<In, Bits<6>>,
    pub rotated: Signal<Out, Bits<D>>,
    // The amount's lower half, then its upper half.
    fine: Dff<Bits<D>>,
    coarse: Dff<Bits<D>>,
    left: Dff<Bits<3>>,
    fine_now: Signal<Local, Bits<D>>,
    coarse_now: Signal<Local, Bits<D>>,
    // Of 2^i lanes.
    up: [Constant<Bits<10>>; 6],
    down: [Constant<Bits<10>>; 6],
}

impl<const D: usize, const K: usize> Default for ByteRotator<D, K> {
    fn default() -> Self {
        assert!(
            D == 8 * K && (K == 32 || K == 64),
            "D is 256 or 512, K is D / 8"
        );
        // The uppermost step of the narrower one turns it once round.
        let bits = |i: usize| (8 << i) % D;
        Self {
            clock: Default::default(),
            advance: Default::default(),
            data: Default::default(),
            amount: Default::default(),
            rotated: Default::default(),
            fine: Default::default(),
            coarse: Default::default(),
            left: Default::default(),
            fine_now: Default::default(),
            coarse_now: Default::default(),
            up: std::array::from_fn(|i| Constant::new((bits(i) as u64).into())),
            down: std::array::from_fn(|i| Constant::new(((D - bits(i)) as u64).into())),
        }
    }
}

impl<const D: usize, const K: usize> Logic for ByteRotator<D, K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, fine, coarse, left);
        self.fine_now.next = self.data.val();
        for i in 0..3 {
            if self.amount.val().get_bit(i) {
                self.fine_now.next = (self.fine_now.val() << self.up[i].val())
                    | (self.fine_now.val() >> self.down[i].val());
            }
        }
        self.coarse_now.next = self.fine.q.val();
        for i in 3..6 {
            if self.left.q.val().get_bit(i - 3) {
                self.coarse_now.next = (self.coarse_now.val() << self.up[i].val())
                    | (self.coarse_now.val() >> self.down[i].val());
            }
        }
        if self.advance.val() {
            self.fine.d.next = self.fine_now.val();
            self.left.d.next = self.amount.val().get_bits::<3>(3);
            self.coarse.d.next = self.coarse_now.val();
        }
        self.rotated.next = self.coarse.q.val();
    }
}
