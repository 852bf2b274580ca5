//! The six forms that rust-hdl's own generator prints with another meaning, and the form in
//! which `..=` must be written.

use rust_hdl::prelude::*;

use crate::bench::Case;
use crate::case;

#[derive(LogicBlock, Default)]
struct Mismatches {
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    c: Signal<In, Bits<8>>,
    /// `bit_cast::<9, 8>(a + b)` keeps no carry.
    widened: Signal<Out, Bits<9>>,
    /// `(a + 1) == b` wraps at 8 bits.
    successor: Signal<Out, Bit>,
    /// `(a - b) > 128` wraps at 8 bits.
    ahead: Signal<Out, Bit>,
    /// `bit_cast::<16, 8>(!a)` has an upper byte of zeros.
    inverse: Signal<Out, Bits<16>>,
    /// `a & b == c` is `(a & b) == c`.
    masked: Signal<Out, Bit>,
    /// Four turns.
    turns: Signal<Out, Bits<8>>,
}

impl Logic for Mismatches {
    #[hdl_gen]
    fn update(&mut self) {
        self.widened.next = bit_cast::<9, 8>(self.a.val() + self.b.val());
        self.successor.next = (self.a.val() + 1) == self.b.val();
        self.ahead.next = (self.a.val() - self.b.val()) > 128;
        self.inverse.next = bit_cast::<16, 8>(!self.a.val());
        self.masked.next = self.a.val() & self.b.val() == self.c.val();
        self.turns.next = self.a.val();
        for _turn in 0..4 {
            self.turns.next = self.turns.val() + self.b.val();
        }
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("mismatches", Mismatches, Mismatches::default(); [(a), (b), (c)];
        [(widened), (successor), (ahead), (inverse), (masked), (turns)]),
    ]
}
