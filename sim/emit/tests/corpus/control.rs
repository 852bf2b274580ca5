//! `if`, `match`, `for`, arrays, enums.

use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

use crate::bench::Case;
use crate::case;
use crate::value::Random;

#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
enum Colour {
    Red,
    DarkGreen,
    Blue,
}

impl Random for Colour {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        [Colour::Red, Colour::DarkGreen, Colour::Blue][rng.random_range(0..3)]
    }
}

#[derive(LogicBlock, Default)]
struct Choices {
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    p: Signal<In, Bit>,
    q: Signal<In, Bit>,
    colour: Signal<In, Colour>,
    nested: Signal<Out, Bits<8>>,
    chained: Signal<Out, Bits<8>>,
    again: Signal<Out, Bits<8>>,
    matched: Signal<Out, Bits<8>>,
    covered: Signal<Out, Bit>,
    dead: Signal<Out, Bits<8>>,
    numbered: Signal<Out, Bits<8>>,
    truth: Signal<Out, Bits<8>>,
    next_colour: Signal<Out, Colour>,
    code: Signal<Out, Bits<2>>,
    wide_code: Signal<Out, Bits<6>>,
    is_green: Signal<Out, Bit>,
    both_ways: Signal<Out, Bits<8>>,
}

impl Logic for Choices {
    #[hdl_gen]
    #[allow(clippy::if_same_then_else)] // The emitter folds it to no choice at all.
    fn update(&mut self) {
        self.nested.next = self.a.val();
        if self.p.val() {
            if self.q.val() {
                self.nested.next = self.b.val();
            }
            if self.a.val() > self.b.val() {
                self.nested.next = self.nested.val() + 3;
            }
        }
        if self.a.val() == 3 {
            self.chained.next = 1.into();
        } else if self.a.val() < self.b.val() {
            self.chained.next = 2.into();
        } else if self.p.val() & self.q.val() {
            self.chained.next = self.b.val();
        } else {
            self.chained.next = 4.into();
        }
        self.again.next = 7.into();
        self.again.next = self.again.val() + self.a.val();
        if self.p.val() {
            self.again.next = self.again.val() ^ self.b.val();
        }
        self.matched.next = 0.into();
        match self.colour.val() {
            Colour::Red => self.matched.next = self.a.val(),
            Colour::Blue => {
                self.matched.next = self.b.val();
                if self.q.val() {
                    self.matched.next = self.matched.val() - 1;
                }
            }
            _ => {}
        }
        match self.colour.val() {
            Colour::Red => {
                self.covered.next = true;
            }
            Colour::DarkGreen => {
                self.covered.next = self.p.val();
            }
            Colour::Blue => {
                self.covered.next = self.q.val();
            }
        }
        match self.colour.val() {
            Colour::DarkGreen => {
                self.dead.next = 1.into();
            }
            _ => {
                self.dead.next = 2.into();
            }
            Colour::Blue => {
                self.dead.next = 3.into();
            }
        }
        match self.a.val().index() {
            0 => {
                self.numbered.next = 11.into();
            }
            0x80 => {
                self.numbered.next = 12.into();
            }
            255_usize => {
                self.numbered.next = 13.into();
            }
            256 => {
                self.numbered.next = 14.into();
            }
            _ => {
                self.numbered.next = self.b.val();
            }
        }
        match self.p.val() {
            true => {
                self.truth.next = self.a.val();
            }
            false => {
                self.truth.next = self.b.val();
            }
        }
        self.next_colour.next = Colour::Red;
        if self.colour.val() == Colour::Red {
            self.next_colour.next = Colour::DarkGreen;
        }
        if self.colour.val() != Colour::Red && self.p.val() {
            self.next_colour.next = Colour::Blue;
        }
        self.code.next = self.colour.val().into();
        self.wide_code.next = bit_cast::<6, 2>(self.next_colour.val().into());
        self.is_green.next = self.colour.val() == Colour::DarkGreen;
        if self.p.val() {
            self.both_ways.next = self.a.val();
        } else {
            self.both_ways.next = self.a.val();
        }
    }
}

#[derive(LogicBlock)]
struct Turns<const N: usize> {
    items: [Signal<In, Bits<8>>; N],
    grid: [[Signal<In, Bit>; 2]; 3],
    at: Signal<In, Bits<3>>,
    picked: Signal<Out, Bits<8>>,
    total: Signal<Out, Bits<8>>,
    reversed: [Signal<Out, Bits<8>>; N],
    chain: [Signal<Local, Bits<8>>; N],
    last: Signal<Out, Bits<8>>,
    parity: Signal<Out, Bit>,
    count: Signal<Out, Bits<8>>,
    mask: Signal<Out, Bits<16>>,
    bits: Signal<Out, Bits<16>>,
}

impl<const N: usize> Default for Turns<N> {
    fn default() -> Self {
        Self {
            items: std::array::from_fn(|_| Default::default()),
            grid: Default::default(),
            at: Default::default(),
            picked: Default::default(),
            total: Default::default(),
            reversed: std::array::from_fn(|_| Default::default()),
            chain: std::array::from_fn(|_| Default::default()),
            last: Default::default(),
            parity: Default::default(),
            count: Default::default(),
            mask: Default::default(),
            bits: Default::default(),
        }
    }
}

impl<const N: usize> Logic for Turns<N> {
    #[hdl_gen]
    fn update(&mut self) {
        self.picked.next = 0xFF.into();
        self.total.next = 0.into();
        for i in 0..N {
            if self.at.val().index() == i {
                self.picked.next = self.items[i].val();
            }
            self.total.next = self.total.val() + self.items[i].val();
        }
        for i in 0..5 {
            self.reversed[i].next = self.items[4 - i].val();
        }
        for i in 0..N {
            if i == 0 {
                self.chain[i].next = self.items[0].val();
            } else {
                self.chain[i].next = (self.chain[i - 1].val() << 1) ^ self.items[i].val();
            }
        }
        self.last.next = self.chain[4].val();
        self.parity.next = false;
        self.count.next = 0.into();
        for i in 0..3 {
            for j in 0..2 {
                self.parity.next = self.parity.val() ^ self.grid[i][j].val();
                if self.grid[i][j].val() {
                    self.count.next = self.count.val() + 1;
                }
            }
        }
        self.mask.next = 0.into();
        self.bits.next = 0.into();
        for i in 0..16 {
            if self.at.val().index() > i {
                self.mask.next = self.mask.val().replace_bit(i, true);
            }
            self.bits.next = self
                .bits
                .val()
                .replace_bit(i, self.total.val().get_bit(0) ^ self.at.val().any());
        }
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("choices", Choices, Choices::default(); [(a), (b), (p), (q), (colour)];
            [(nested), (chained), (again), (matched), (covered), (dead), (numbered), (truth),
             (next_colour), (code), (wide_code), (is_green), (both_ways)]),
        case!("turns", Turns<5>, Turns::default();
            [(items[0]), (items[1]), (items[2]), (items[3]), (items[4]), (grid[0][0]), (grid[0][1]),
             (grid[1][0]), (grid[1][1]), (grid[2][0]), (grid[2][1]), (at)];
            [(picked), (total), (reversed[0]), (reversed[1]), (reversed[2]), (reversed[3]),
             (reversed[4]), (last), (parity), (count), (mask), (bits)]),
    ]
}
