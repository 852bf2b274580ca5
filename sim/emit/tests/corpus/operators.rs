//! Every operator at every width class.

use rust_hdl::prelude::*;

use crate::bench::{Case, compare};
use crate::case;

#[derive(LogicBlock, Default)]
struct Arithmetic<const N: usize> {
    a: Signal<In, Bits<N>>,
    b: Signal<In, Bits<N>>,
    flag: Signal<In, Bit>,
    sum: Signal<Out, Bits<N>>,
    difference: Signal<Out, Bits<N>>,
    next: Signal<Out, Bits<N>>,
    previous: Signal<Out, Bits<N>>,
    mirror: Signal<Out, Bits<N>>,
    carried: Signal<Out, Bits<N>>,
    mixed: Signal<Out, Bits<N>>,
}

impl<const N: usize> Logic for Arithmetic<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = self.a.val() + self.b.val();
        self.difference.next = self.a.val() - self.b.val();
        self.next.next = self.a.val() + 1;
        self.previous.next = self.a.val() - 1;
        self.mirror.next = 1 - self.a.val();
        self.carried.next = self.a.val() + self.flag.val();
        self.mixed.next = ((self.a.val() + self.b.val()) - (self.b.val() & 1)) ^ (1 + self.a.val());
    }
}

#[derive(LogicBlock, Default)]
struct Logical<const N: usize> {
    a: Signal<In, Bits<N>>,
    b: Signal<In, Bits<N>>,
    p: Signal<In, Bit>,
    q: Signal<In, Bit>,
    both: Signal<Out, Bits<N>>,
    either: Signal<Out, Bits<N>>,
    one: Signal<Out, Bits<N>>,
    inverse: Signal<Out, Bits<N>>,
    low: Signal<Out, Bits<N>>,
    all: Signal<Out, Bit>,
    any: Signal<Out, Bit>,
    odd: Signal<Out, Bit>,
    truth: Signal<Out, Bit>,
    lazy: Signal<Out, Bit>,
}

impl<const N: usize> Logic for Logical<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.both.next = self.a.val() & self.b.val();
        self.either.next = self.a.val() | self.b.val();
        self.one.next = self.a.val() ^ self.b.val();
        self.inverse.next = !self.a.val();
        self.low.next = !(self.a.val() | 1) & !self.b.val();
        self.all.next = self.a.val().all();
        self.any.next = (self.a.val() & self.b.val()).any();
        self.odd.next = self.a.val().xor() ^ self.b.val().xor();
        self.truth.next = !self.p.val() & self.q.val() | (self.p.val() ^ self.q.val());
        self.lazy.next = self.p.val() && !self.q.val() || self.a.val() == self.b.val();
    }
}

#[derive(LogicBlock, Default)]
struct Compared<const N: usize> {
    a: Signal<In, Bits<N>>,
    b: Signal<In, Bits<N>>,
    equal: Signal<Out, Bit>,
    unequal: Signal<Out, Bit>,
    below: Signal<Out, Bit>,
    at_most: Signal<Out, Bit>,
    above: Signal<Out, Bit>,
    at_least: Signal<Out, Bit>,
    zero: Signal<Out, Bit>,
    never: Signal<Out, Bit>,
    ever: Signal<Out, Bit>,
    one: Signal<Out, Bit>,
}

impl<const N: usize> Logic for Compared<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.equal.next = self.a.val() == self.b.val();
        self.unequal.next = self.a.val() != self.b.val();
        self.below.next = self.a.val() < self.b.val();
        self.at_most.next = self.a.val() <= self.b.val();
        self.above.next = self.a.val() > self.b.val();
        self.at_least.next = self.a.val() >= self.b.val();
        self.zero.next = self.a.val() == 0;
        self.never.next = self.a.val() < 0;
        self.ever.next = self.a.val() >= 0;
        self.one.next = 1 == self.b.val();
    }
}

#[derive(LogicBlock, Default)]
struct Shifted<const N: usize> {
    a: Signal<In, Bits<N>>,
    by: Signal<In, Bits<4>>,
    distant: Signal<In, Bits<10>>,
    farther: Signal<In, Bits<40>>,
    left: Signal<Out, Bits<N>>,
    right: Signal<Out, Bits<N>>,
    left_by: Signal<Out, Bits<N>>,
    right_by: Signal<Out, Bits<N>>,
    left_far: Signal<Out, Bits<N>>,
    right_far: Signal<Out, Bits<N>>,
    left_farther: Signal<Out, Bits<N>>,
    gone: Signal<Out, Bits<N>>,
    sum: Signal<Out, Bits<N>>,
}

impl<const N: usize> Logic for Shifted<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.left.next = self.a.val() << 3;
        self.right.next = self.a.val() >> 3;
        self.left_by.next = self.a.val() << self.by.val();
        self.right_by.next = self.a.val() >> self.by.val();
        self.left_far.next = self.a.val() << self.distant.val();
        self.right_far.next = self.a.val() >> self.distant.val();
        self.left_farther.next = self.a.val() << (self.farther.val() & 1023);
        self.gone.next = self.a.val() >> 1000;
        self.sum.next = (self.a.val() + 1) >> (self.by.val() + 1);
    }
}

/// Every operator at one width.
pub fn at_width<const N: usize>() -> Vec<Case> {
    let name = |kind: &str| format!("{kind}_{N}");
    vec![
        case!(&name("arithmetic"), Arithmetic<N>, Arithmetic::default(); [(a), (b), (flag)];
            [(sum), (difference), (next), (previous), (mirror), (carried), (mixed)]),
        case!(&name("logical"), Logical<N>, Logical::default(); [(a), (b), (p), (q)];
            [(both), (either), (one), (inverse), (low), (all), (any), (odd), (truth), (lazy)]),
        case!(&name("compared"), Compared<N>, Compared::default(); [(a), (b)];
            [(equal), (unequal), (below), (at_most), (above), (at_least), (zero), (never), (ever), (one)]),
        case!(&name("shifted"), Shifted<N>, Shifted::default(); [(a), (by), (distant), (farther)];
            [(left), (right), (left_by), (right_by), (left_far), (right_far), (left_farther), (gone), (sum)]),
    ]
}

#[test]
fn operators_keep_rusts_width_in_every_width_class() {
    let mut cases = at_width::<1>();
    cases.extend(at_width::<8>());
    cases.extend(at_width::<32>());
    cases.extend(at_width::<63>());
    cases.extend(at_width::<64>());
    cases.extend(at_width::<65>());
    cases.extend(at_width::<256>());
    cases.extend(at_width::<512>());
    compare(&cases);
}
