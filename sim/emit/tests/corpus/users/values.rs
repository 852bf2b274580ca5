//! Operators, casts and shifts in the mixes that users write.

#![allow(clippy::int_plus_one, clippy::bool_comparison, clippy::precedence)] // What is tested.
#![allow(clippy::erasing_op, clippy::identity_op)]

use rust_hdl::prelude::*;

use crate::bench::Case;
use crate::case;

/// Comparisons in every mix.
#[derive(LogicBlock, Default)]
struct Compared {
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    c: Signal<In, Bits<16>>,
    s: Signal<In, Signed<8>>,
    t: Signal<In, Signed<8>>,
    w: Signal<In, Bits<33>>,
    o0: Signal<Out, Bit>,
    o1: Signal<Out, Bit>,
    o2: Signal<Out, Bit>,
    o3: Signal<Out, Bit>,
    o4: Signal<Out, Bit>,
    o5: Signal<Out, Bit>,
    o6: Signal<Out, Bit>,
    o7: Signal<Out, Bit>,
    o8: Signal<Out, Bit>,
    o9: Signal<Out, Bit>,
    o10: Signal<Out, Bit>,
    o11: Signal<Out, Bit>,
    o12: Signal<Out, Bit>,
    o13: Signal<Out, Bit>,
    o14: Signal<Out, Bit>,
}
impl Logic for Compared {
    #[hdl_gen]
    fn update(&mut self) {
        self.o0.next = 200 < self.a.val();
        self.o1.next = 1 + self.a.val() > self.b.val() - 1;
        self.o2.next = bit_cast::<16, 8>(self.a.val()) == self.c.val();
        self.o3.next = -self.s.val() == self.t.val();
        self.o4.next = self.s.val() - self.t.val() < self.s.val();
        self.o5.next = bit_cast::<9, 8>(self.a.val()) > 300;
        self.o6.next = bit_cast::<9, 8>(self.a.val()) == 511;
        self.o7.next = bit_cast::<9, 8>(self.a.val()) + bit_cast::<9, 8>(self.b.val()) >= 256;
        self.o8.next = (self.a.val() == self.b.val()) == (self.c.val() == 0);
        self.o9.next =
            (self.a.val() < self.b.val()) ^ (self.a.val().get_bit(0) & !self.b.val().any());
        self.o10.next = self.w.val() > 0xFFFF_FFFF_u64;
        self.o11.next = self.w.val() - 1 >= self.w.val();
        self.o12.next = self.a.val().get_bits::<4>(4) < self.b.val().get_bits::<4>(0);
        self.o13.next = self.a.val() << 1 == self.b.val() & 0xFE;
        self.o14.next = (self.a.val() > self.b.val()) < (self.a.val().xor());
    }
}

/// `bool` and `Bits<1>`.
#[derive(LogicBlock, Default)]
struct SingleBits {
    p: Signal<In, Bit>,
    q: Signal<In, Bit>,
    one: Signal<In, Bits<1>>,
    two: Signal<In, Bits<1>>,
    o0: Signal<Out, Bits<1>>,
    o1: Signal<Out, Bit>,
    o2: Signal<Out, Bits<1>>,
    o3: Signal<Out, Bits<1>>,
    o4: Signal<Out, Bit>,
    o5: Signal<Out, Bits<4>>,
    o6: Signal<Out, Bit>,
    o7: Signal<Out, Bits<1>>,
    o8: Signal<Out, Bits<1>>,
    o9: Signal<Out, Bit>,
    o10: Signal<Out, Bit>,
}
impl Logic for SingleBits {
    #[hdl_gen]
    fn update(&mut self) {
        self.o0.next = self.one.val() + self.two.val();
        self.o1.next = (self.one.val() & self.two.val()).into();
        self.o2.next = self.one.val() << self.two.val();
        self.o3.next = self.one.val() + self.p.val();
        self.o4.next =
            !(self.p.val() || self.q.val() && !self.p.val()) | (self.one.val() == self.q.val());
        self.o5.next = bit_cast::<4, 1>(self.p.val().into()) + self.q.val();
        self.o6.next = self.one.val().get_bit((self.two.val() & 0).index());
        self.o7.next = self.one.val().replace_bit(0, self.q.val());
        self.o8.next = !self.one.val() - 1;
        self.o9.next = self.one.val().all() ^ self.two.val().xor();
        self.o10.next = self.p.val() == self.q.val();
    }
}

/// Computed places in constants and vectors of odd sizes.
#[derive(LogicBlock)]
struct Lookup {
    i: Signal<In, Bits<3>>,
    j: Signal<In, Bits<5>>,
    k: Signal<In, Bits<2>>,
    o0: Signal<Out, Bit>,
    o1: Signal<Out, Bits<4>>,
    o2: Signal<Out, Bit>,
    o3: Signal<Out, Bits<3>>,
    o4: Signal<Out, Bits<5>>,
    o5: Signal<Out, Bit>,
    o6: Signal<Out, Bits<8>>,
    tab: Constant<Bits<32>>,
    x3: Signal<In, Bits<3>>,
    x5: Signal<In, Bits<5>>,
    x33: Signal<In, Bits<33>>,
    o7: Signal<Out, Bit>,
    o8: Signal<Out, Bits<2>>,
    o9: Signal<Out, Bits<40>>,
}
impl Default for Lookup {
    fn default() -> Self {
        Self {
            i: Default::default(),
            j: Default::default(),
            k: Default::default(),
            o0: Default::default(),
            o1: Default::default(),
            o2: Default::default(),
            o3: Default::default(),
            o4: Default::default(),
            o5: Default::default(),
            o6: Default::default(),
            tab: Constant::new(0xDEAD_BEEF_u64.into()),
            x3: Default::default(),
            x5: Default::default(),
            x33: Default::default(),
            o7: Default::default(),
            o8: Default::default(),
            o9: Default::default(),
        }
    }
}
impl Logic for Lookup {
    #[hdl_gen]
    fn update(&mut self) {
        self.o0.next = bits::<8>(0x5A).get_bit(self.i.val().index());
        self.o1.next = bits::<32>(0x7654_3210).get_bits::<4>(self.i.val().index() * 4);
        self.o2.next = self.tab.val().get_bit(self.j.val().index());
        self.o3.next = self.tab.val().get_bits::<3>(self.j.val().index());
        self.o4.next = self.x33.val().get_bits::<5>(self.j.val().index());
        self.o5.next = self.x5.val().get_bit(self.k.val().index());
        self.o6.next = self.x33.val().get_bits::<8>(self.k.val().index() * 8 + 1);
        self.o7.next = self.x3.val().get_bit((self.i.val() & 1).index());
        self.o8.next = self.x3.val().get_bits::<2>(self.k.val().index() * 1);
        self.o9.next = bit_cast::<40, 33>(self.x33.val()) << self.j.val() >> self.k.val();
    }
}

/// Signed numbers.
#[derive(LogicBlock)]
struct SignedMix {
    a: Signal<In, Signed<8>>,
    b: Signal<In, Signed<8>>,
    w: Signal<In, Signed<40>>,
    u: Signal<In, Bits<8>>,
    k: Constant<Signed<8>>,
    o0: Signal<Out, Signed<8>>,
    o1: Signal<Out, Bit>,
    o2: Signal<Out, Bits<8>>,
    o3: Signal<Out, Signed<4>>,
    o4: Signal<Out, Bit>,
    o5: Signal<Out, Signed<8>>,
    o6: Signal<Out, Bit>,
    o7: Signal<Out, Signed<40>>,
    o8: Signal<Out, Bits<8>>,
    o9: Signal<Out, Bit>,
    o10: Signal<Out, Signed<8>>,
}
impl Default for SignedMix {
    fn default() -> Self {
        Self {
            a: Default::default(),
            b: Default::default(),
            w: Default::default(),
            u: Default::default(),
            k: Constant::new((-7).into()),
            o0: Default::default(),
            o1: Default::default(),
            o2: Default::default(),
            o3: Default::default(),
            o4: Default::default(),
            o5: Default::default(),
            o6: Default::default(),
            o7: Default::default(),
            o8: Default::default(),
            o9: Default::default(),
            o10: Default::default(),
        }
    }
}
impl Logic for SignedMix {
    #[hdl_gen]
    fn update(&mut self) {
        self.o0.next = self.a.val() - self.b.val() + self.k.val();
        self.o1.next = self.a.val() < (-3).into();
        self.o2.next = unsigned_cast(-self.a.val()) >> 1;
        self.o3.next = self.a.val().get_bits::<4>(2);
        self.o4.next = self.a.val() >= self.k.val();
        self.o5.next = signed_cast(unsigned_cast(self.a.val()) ^ self.u.val());
        self.o6.next = -self.a.val() == self.b.val() - self.k.val();
        self.o7.next = -self.w.val() - 5.into();
        self.o8.next = unsigned_cast(self.w.val().get_bits::<8>(30));
        self.o9.next = self.w.val() != -self.w.val();
        self.o10.next = -(self.a.val() + self.b.val());
    }
}

/// Widths next to powers of two.
#[derive(LogicBlock, Default)]
struct Wide {
    a: Signal<In, Bits<512>>,
    b: Signal<In, Bits<512>>,
    c: Signal<In, Bits<127>>,
    d: Signal<In, Bits<129>>,
    n: Signal<In, Bits<9>>,
    h: Signal<In, Bits<31>>,
    o: Signal<Out, Bits<512>>,
    p: Signal<Out, Bits<129>>,
    q: Signal<Out, Bits<127>>,
    r: Signal<Out, Bit>,
    s: Signal<Out, Bits<31>>,
    t: Signal<Out, Bits<32>>,
    u: Signal<Out, Bits<512>>,
    v: Signal<Out, Bits<2>>,
    w: Signal<Out, Bits<512>>,
}
impl Logic for Wide {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = (self.a.val() << self.n.val()) - (self.b.val() >> 257);
        self.p.next = bit_cast::<129, 127>(self.c.val()) + self.d.val() + 1;
        self.q.next = bit_cast::<127, 129>(self.d.val()) ^ !self.c.val();
        self.r.next = bit_cast::<129, 127>(!self.c.val()) <= self.d.val();
        self.s.next = self.h.val() + self.a.val().get_bits::<31>(481);
        self.t.next = bit_cast::<32, 31>(self.h.val()) + bit_cast::<32, 31>(self.h.val());
        self.u.next = self.a.val().replace_bit(
            self.n.val().index(),
            self.b.val().get_bit(self.n.val().index()),
        );
        self.v.next = self.a.val().get_bits::<2>(self.n.val().index());
        self.w.next = self.a.val() & bits::<512>(0xFFFF_0000_FFFF_0000_u64);
    }
}

/// Products in larger expressions.
#[derive(LogicBlock, Default)]
struct Products {
    a: Signal<In, Bits<16>>,
    b: Signal<In, Bits<16>>,
    c: Signal<In, Bits<8>>,
    o: Signal<Out, Bits<32>>,
    p: Signal<Out, Bit>,
    q: Signal<Out, Bits<16>>,
    s: Signal<In, Signed<16>>,
    t: Signal<In, Signed<16>>,
    r: Signal<Out, Bit>,
    w: Signal<Out, Bits<40>>,
}
impl Logic for Products {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val() * self.b.val() + 1;
        self.p.next = self.a.val() * self.b.val() > 0x7FFF_FFFF;
        self.q.next = (self.a.val() * bit_cast::<16, 8>(self.c.val())).get_bits::<16>(8);
        self.r.next = self.s.val() * self.t.val() < self.t.val() * self.t.val();
        self.w.next = bit_cast::<40, 32>((self.a.val() + 1) * (self.b.val() - 1)) << 4;
    }
}

/// Shifts by everything.
#[derive(LogicBlock)]
struct ShiftedBy {
    a: Signal<In, Bits<33>>,
    b: Signal<In, Bits<8>>,
    n: Signal<In, Bits<64>>,
    m: Signal<In, Bits<33>>,
    k: Signal<In, Bits<32>>,
    one: Signal<In, Bits<1>>,
    o: Signal<Out, Bits<33>>,
    p: Signal<Out, Bits<8>>,
    q: Signal<Out, Bits<8>>,
    r: Signal<Out, Bits<33>>,
    s: Signal<Out, Bits<8>>,
    t: Signal<Out, Bits<1>>,
    kk: Constant<Bits<4>>,
    u: Signal<Out, Bits<8>>,
    v: Signal<Out, Bits<8>>,
    w: Signal<Out, Bits<64>>,
}
impl Default for ShiftedBy {
    fn default() -> Self {
        Self {
            a: Default::default(),
            b: Default::default(),
            n: Default::default(),
            m: Default::default(),
            k: Default::default(),
            one: Default::default(),
            o: Default::default(),
            p: Default::default(),
            q: Default::default(),
            r: Default::default(),
            s: Default::default(),
            t: Default::default(),
            kk: Constant::new(9.into()),
            u: Default::default(),
            v: Default::default(),
            w: Default::default(),
        }
    }
}
impl Logic for ShiftedBy {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val() << (self.n.val() & 63);
        self.p.next = self.b.val() >> (self.m.val() & 31);
        self.q.next = self.b.val() << (self.k.val() & 15);
        self.r.next = self.a.val() >> 32;
        self.s.next = (self.b.val() << 7) >> 7 << 1;
        self.t.next = self.one.val() >> (self.one.val());
        self.u.next = self.b.val() << self.kk.val();
        self.v.next = (self.b.val() + 200) >> self.one.val();
        self.w.next =
            (0xF0 >> self.b.val().get_bits::<3>(0)) | (1 << self.b.val().get_bits::<6>(2));
    }
}

/// Joined, turned and folded bits.
#[derive(LogicBlock, Default)]
struct Joined {
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    o: Signal<Out, Bits<24>>,
    rev: Signal<Out, Bits<8>>,
    gray: Signal<Out, Bits<8>>,
    bin: Signal<Out, Bits<8>>,
    pop: Signal<Out, Bits<4>>,
    rot: Signal<Out, Bits<8>>,
    mirror: Signal<Out, Bits<64>>,
    crc: Signal<Out, Bits<8>>,
}
impl Logic for Joined {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = bit_cast::<24, 8>(self.a.val()) << 16
            | bit_cast::<24, 8>(self.b.val()) << 8
            | bit_cast::<24, 8>(!self.a.val());
        self.rev.next = 0.into();
        for i in 0..8 {
            self.rev.next = self.rev.val().replace_bit(7 - i, self.a.val().get_bit(i));
        }
        self.gray.next = self.a.val() ^ (self.a.val() >> 1);
        self.bin.next = self.gray.val();
        for i in 1..8 {
            self.bin.next = self.bin.val() ^ (self.gray.val() >> i);
        }
        self.pop.next = 0.into();
        for i in 0..8 {
            self.pop.next = self.pop.val() + self.a.val().get_bit(i);
        }
        self.rot.next = (self.a.val() << 3) | (self.a.val() >> 5);
        self.mirror.next = 0.into();
        for i in 0..8 {
            self.mirror.next = self.mirror.val() | (bit_cast::<64, 8>(self.b.val()) << (i * 8));
        }
        self.crc.next = self.b.val();
        for i in 0..8 {
            if self.crc.val().get_bit(7) ^ self.a.val().get_bit(7 - i) {
                self.crc.next = (self.crc.val() << 1) ^ 0x07;
            } else {
                self.crc.next = self.crc.val() << 1;
            }
        }
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("users_cmp", Compared, Compared::default(); [(a), (b), (c), (s), (t), (w)]; [(o0), (o1), (o2), (o3), (o4), (o5), (o6), (o7), (o8), (o9), (o10), (o11), (o12), (o13), (o14)]),
        case!("users_logic1", SingleBits, SingleBits::default(); [(p), (q), (one), (two)]; [(o0), (o1), (o2), (o3), (o4), (o5), (o6), (o7), (o8), (o9), (o10)]),
        case!("users_lookup", Lookup, Lookup::default(); [(i), (j), (k), (x3), (x5), (x33)]; [(o0), (o1), (o2), (o3), (o4), (o5), (o6), (o7), (o8), (o9)]),
        case!("users_sgn", SignedMix, SignedMix::default(); [(a), (b), (w), (u)]; [(o0), (o1), (o2), (o3), (o4), (o5), (o6), (o7), (o8), (o9), (o10)]),
        case!("users_wide", Wide, Wide::default(); [(a), (b), (c), (d), (n), (h)]; [(o), (p), (q), (r), (s), (t), (u), (v), (w)]),
        case!("users_mul", Products, Products::default(); [(a), (b), (c), (s), (t)]; [(o), (p), (q), (r), (w)]),
        case!("users_shifty", ShiftedBy, ShiftedBy::default(); [(a), (b), (n), (m), (k), (one)]; [(o), (p), (q), (r), (s), (t), (u), (v), (w)]),
        case!("users_conc", Joined, Joined::default(); [(a), (b)]; [(o), (rev), (gray), (bin), (pop), (rot), (mirror), (crc)]),
    ]
}
