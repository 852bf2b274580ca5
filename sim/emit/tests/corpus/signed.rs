//! Signed numbers.

use rust_hdl::prelude::*;

use crate::bench::Case;
use crate::case;

#[derive(LogicBlock, Default)]
struct SignedNumbers<const N: usize> {
    a: Signal<In, Signed<N>>,
    b: Signal<In, Signed<N>>,
    raw: Signal<In, Bits<N>>,
    sum: Signal<Out, Signed<N>>,
    difference: Signal<Out, Signed<N>>,
    negative: Signal<Out, Signed<N>>,
    below: Signal<Out, Bit>,
    at_most: Signal<Out, Bit>,
    above: Signal<Out, Bit>,
    at_least: Signal<Out, Bit>,
    equal: Signal<Out, Bit>,
    cast: Signal<Out, Signed<N>>,
    back: Signal<Out, Bits<N>>,
    sign: Signal<Out, Bit>,
    fixed: Signal<Out, Signed<N>>,
    moved: Signal<Out, Signed<N>>,
}

impl<const N: usize> Logic for SignedNumbers<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = self.a.val() + self.b.val();
        self.difference.next = self.a.val() - self.b.val();
        self.negative.next = -self.a.val();
        self.below.next = self.a.val() < self.b.val();
        self.at_most.next = self.a.val() <= self.b.val();
        self.above.next = self.a.val() > self.b.val();
        self.at_least.next = self.a.val() >= self.b.val();
        self.equal.next = self.a.val() == self.b.val();
        self.cast.next = signed_cast(self.raw.val() + 1);
        self.back.next = unsigned_cast(self.a.val() + self.b.val());
        self.sign.next = self.a.val().get_bit(4);
        self.fixed.next = (-5).into();
        self.moved.next = self.a.val() + 7.into();
    }
}

#[derive(LogicBlock, Default)]
struct Products {
    // One bit less than the sum: rust-hdl's `signed_bit_cast` of the least number never ends.
    narrow: Signal<In, Bits<15>>,
    a: Signal<In, Signed<16>>,
    b: Signal<In, Signed<16>>,
    product: Signal<Out, Signed<32>>,
    sum: Signal<Out, Signed<32>>,
    grown: Signal<Out, Signed<40>>,
    shrunk: Signal<Out, Signed<12>>,
    wide: Signal<Local, Signed<16>>,
}

impl Logic for Products {
    #[hdl_gen]
    fn update(&mut self) {
        self.product.next = self.a.val() * self.b.val();
        self.wide.next = signed_cast(bit_cast::<16, 15>(self.narrow.val())) - 16383.into();
        self.sum.next =
            (self.wide.val() * self.b.val()) + signed_bit_cast::<32, 16>(self.wide.val());
        self.grown.next = signed_bit_cast::<40, 16>(self.wide.val());
        self.shrunk.next = signed_bit_cast::<12, 16>(self.wide.val());
    }
}

pub fn cases() -> Vec<Case> {
    let mut cases = sweep::<8>();
    cases.extend(sweep::<63>());
    cases.extend(sweep::<65>());
    cases.push(
        case!("products", Products, Products::default(); [(narrow), (a), (b)];
        [(product), (sum), (grown), (shrunk)]),
    );
    cases
}

fn sweep<const N: usize>() -> Vec<Case> {
    vec![
        case!(&format!("signed_{N}"), SignedNumbers<N>, SignedNumbers::default(); [(a), (b), (raw)];
        [(sum), (difference), (negative), (below), (at_most), (above), (at_least), (equal), (cast),
         (back), (sign), (fixed), (moved)]),
    ]
}
