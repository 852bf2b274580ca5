//! Choices, loops, constants and fields.

#![allow(
    unreachable_patterns,
    clippy::reversed_empty_ranges,
    clippy::precedence
)] // What is tested.

use rust_hdl::prelude::*;

use super::types::{Outer, Pt, St};
use crate::bench::Case;
use crate::case;

/// `match` in `if` in `match`.
#[derive(LogicBlock, Default)]
struct NestedMatch {
    s: Signal<In, St>,
    t: Signal<In, St>,
    n: Signal<In, Bits<4>>,
    p: Signal<In, Bit>,
    o: Signal<Out, Bits<8>>,
    u: Signal<Out, St>,
}
impl Logic for NestedMatch {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = 0.into();
        self.u.next = St::Err;
        match self.s.val() {
            St::Idle => match self.t.val() {
                St::Idle => {
                    self.o.next = 1.into();
                }
                St::Run => {
                    if self.p.val() {
                        self.o.next = 2.into();
                    }
                }
                _ => match self.n.val().index() {
                    0 => self.o.next = 3.into(),
                    0b11 => {}
                    0xF => {
                        self.u.next = self.t.val();
                    }
                    _ => self.o.next = bit_cast::<8, 4>(self.n.val()),
                },
            },
            St::Run => {
                if self.t.val() == St::Err {
                    self.u.next = St::Wait;
                } else if self.t.val() != self.s.val() {
                    self.o.next = 9.into();
                } else {
                    for i in 0..4 {
                        if self.n.val().get_bit(i) {
                            self.o.next = self.o.val() + i.to_bits::<8>();
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

/// A `_` after every value has its arm is dead.
#[derive(LogicBlock, Default)]
struct Covered {
    i: Signal<In, Bits<2>>,
    s: Signal<In, St>,
    p: Signal<In, Bit>,
    o: Signal<Out, Bits<8>>,
    q: Signal<Out, Bits<8>>,
    r: Signal<Out, Bit>,
}
impl Logic for Covered {
    #[hdl_gen]
    fn update(&mut self) {
        match self.i.val().index() {
            0 => self.o.next = 1.into(),
            1 => self.o.next = 5.into(),
            3 => self.o.next = 7.into(),
            2 => self.o.next = 9.into(),
            _ => {}
        }
        match self.s.val() {
            St::Idle => self.q.next = 1.into(),
            St::Run => self.q.next = 2.into(),
            St::Wait => self.q.next = 3.into(),
            St::Stop => self.q.next = 4.into(),
            St::Err => self.q.next = 5.into(),
            _ => {}
        }
        match self.p.val() {
            true => self.r.next = false,
            false => self.r.next = true,
            _ => {}
        }
    }
}

/// A number that the vector cannot reach does not count.
#[derive(LogicBlock, Default)]
struct CoveredPast {
    i: Signal<In, Bits<1>>,
    o: Signal<Out, Bits<8>>,
}
impl Logic for CoveredPast {
    #[hdl_gen]
    fn update(&mut self) {
        match self.i.val().index() {
            0 => self.o.next = 1.into(),
            2 => self.o.next = 5.into(),
            1 => self.o.next = 3.into(),
            _ => {}
        }
    }
}

/// Arrays, shadowed loop variables, empty ranges.
#[derive(LogicBlock)]
struct Turned {
    a: [Signal<In, Bits<8>>; 4],
    one: [Signal<In, Bit>; 1],
    y: [Signal<Out, Bits<8>>; 4],
    z: Signal<Out, Bits<8>>,
    d: [DFF<Bits<8>>; 4],
    clock: Signal<In, Clock>,
    g: [[DFF<Bit>; 2]; 2],
    gz: Signal<Out, Bit>,
    kc: [Constant<Bits<8>>; 4],
    none: [Signal<In, Bits<3>>; 0],
}
impl Default for Turned {
    fn default() -> Self {
        Self {
            a: Default::default(),
            one: Default::default(),
            y: Default::default(),
            z: Default::default(),
            d: Default::default(),
            clock: Default::default(),
            g: Default::default(),
            gz: Default::default(),
            kc: [
                Constant::new(1.into()),
                Constant::new(1.into()),
                Constant::new(7.into()),
                Constant::new(0.into()),
            ],
            none: Default::default(),
        }
    }
}
impl Logic for Turned {
    #[hdl_gen]
    fn update(&mut self) {
        self.z.next = 0.into();
        for i in 0..4 {
            self.d[i].clock.next = self.clock.val();
            self.d[i].d.next = self.d[(i + 1) % 4].q.val() ^ self.a[3 - i].val() + self.kc[i].val();
            self.y[i].next = self.d[i].q.val();
            for i in 0..2 {
                self.z.next = self.z.val() + self.a[i * 2].val();
            }
        }
        for i in 0..2 {
            for j in 0..2 {
                self.g[i][j].clock.next = self.clock.val();
                self.g[i][j].d.next = self.g[j][1 - i].q.val() ^ self.one[0].val();
            }
        }
        self.gz.next = self.g[1][1].q.val();
        for _turn in 3..1 {
            self.gz.next = false;
        }
    }
}

/// Fields of fields.
#[derive(LogicBlock, Default)]
struct Nested {
    a: Signal<In, Outer>,
    o: Signal<Out, Bits<33>>,
    p: Signal<Out, Bit>,
    q: Signal<Out, St>,
    r: Signal<Out, Outer>,
    f: Signal<Out, Bits<4>>,
    e: Signal<Out, Bit>,
}
impl Logic for Nested {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.a.val().tail.n + 1;
        self.p.next = self.a.val().head.b && self.a.val().tail.st == St::Stop;
        self.q.next = self.a.val().head.st;
        self.r.next = self.a.val();
        self.r.next.tail = self.a.val().head;
        self.r.next.x = self.a.val().head.s.get_bits::<3>(1);
        self.f.next = self.a.val().tail.s.get_bits::<4>(1);
        self.e.next = self.r.val().tail == self.a.val().tail;
    }
}

/// Priority encoders.
#[derive(LogicBlock, Default)]
struct Priority {
    a: Signal<In, Bits<16>>,
    place: Signal<Out, Bits<4>>,
    v: Signal<Out, Bit>,
    onehot: Signal<Out, Bits<16>>,
    lz: Signal<Out, Bits<5>>,
    s: [Signal<In, St>; 3],
    m: Signal<Out, St>,
    cnt: Signal<Out, Bits<8>>,
}
impl Logic for Priority {
    #[hdl_gen]
    fn update(&mut self) {
        self.place.next = 0.into();
        self.v.next = false;
        self.onehot.next = 0.into();
        self.lz.next = 16.into();
        self.cnt.next = 0.into();
        for i in 0..16 {
            if self.a.val().get_bit(15 - i) {
                self.place.next = (15 - i).to_bits::<4>();
                self.v.next = true;
                self.onehot.next = bits::<16>(1) << (15 - i).to_bits::<4>();
            }
            if self.a.val().get_bit(i) {
                self.lz.next = (15 - i).to_bits::<5>();
            }
        }
        self.m.next = St::Idle;
        for i in 0..3 {
            if self.s[i].val() != St::Idle {
                self.m.next = self.s[i].val();
            }
            if i != 1 {
                self.cnt.next = self.cnt.val() + 5;
            }
        }
    }
}

/// Constants of every type.
#[derive(LogicBlock)]
struct Constants {
    a: Signal<In, Bits<8>>,
    s: Signal<In, St>,
    kb: Constant<bool>,
    ks: Constant<St>,
    kp: Constant<Pt>,
    kw: Constant<Bits<100>>,
    kz: Constant<Bits<8>>,
    kf: Constant<Bits<8>>,
    unused_k: Constant<Bits<8>>,
    o: Signal<Out, Bit>,
    p: Signal<Out, Pt>,
    q: Signal<Out, Bits<100>>,
    r: Signal<Out, Bit>,
    t: Signal<Out, Bits<33>>,
    u: Signal<Out, Bit>,
    v: Signal<Out, St>,
    w: Signal<Out, Bits<8>>,
}
impl Default for Constants {
    fn default() -> Self {
        Self {
            a: Default::default(),
            s: Default::default(),
            kb: Constant::new(true),
            ks: Constant::new(St::Wait),
            kp: Constant::new(Pt::default()),
            kw: Constant::new(bits::<100>(0xFFFF_FFFF_FFFF_FFFF_u64) << 30),
            kz: Constant::new(0.into()),
            kf: Constant::new(255.into()),
            unused_k: Constant::new(255.into()),
            o: Default::default(),
            p: Default::default(),
            q: Default::default(),
            r: Default::default(),
            t: Default::default(),
            u: Default::default(),
            v: Default::default(),
            w: Default::default(),
        }
    }
}
impl Logic for Constants {
    #[hdl_gen]
    fn update(&mut self) {
        self.o.next = self.s.val() == self.ks.val() && self.kb.val();
        self.p.next = self.kp.val();
        self.p.next.s = self.a.val().get_bits::<5>(2);
        self.q.next = self.kw.val() ^ bit_cast::<100, 8>(self.a.val());
        self.r.next = self.a.val() >= self.kz.val() && self.a.val() > self.kf.val()
            || self.kz.val() < self.a.val();
        self.t.next = self.kp.val().n;
        self.u.next = self.kb.val();
        self.v.next = self.kp.val().st;
        match self.ks.val() {
            St::Idle => self.w.next = 3.into(),
            St::Wait => self.w.next = self.a.val(),
            _ => self.w.next = 4.into(),
        }
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("users_nest", NestedMatch, NestedMatch::default(); [(s), (t), (n), (p)]; [(o), (u)]),
        case!("users_covered", Covered, Covered::default(); [(i), (s), (p)]; [(o), (q), (r)]),
        case!("users_covered4", CoveredPast, CoveredPast::default(); [(i)]; [(o)]),
        case!("users_turns2", Turned, Turned::default(); clock; [(a[0]), (a[1]), (a[2]), (a[3]), (one[0])]; [(y[0]), (y[1]), (y[2]), (y[3]), (z), (gz)]),
        case!("users_nested", Nested, Nested::default(); [(a)]; [(o), (p), (q), (r), (f), (e)]),
        case!("users_prio", Priority, Priority::default(); [(a), (s[0]), (s[1]), (s[2])]; [(place), (v), (onehot), (lz), (m), (cnt)]),
        case!("users_cb", Constants, Constants::default(); [(a), (s)]; [(o), (p), (q), (r), (t), (u), (v), (w)]),
    ]
}
