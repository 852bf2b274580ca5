//! What `.val()` reads: just assigned (locals, outputs) or settled (inputs of sub-blocks, and
//! what is assigned only later).

use rust_hdl::prelude::*;

use crate::bench::Case;
use crate::case;

#[derive(LogicBlock, Default)]
struct Adder {
    x: Signal<In, Bits<8>>,
    y: Signal<In, Bits<8>>,
    sum: Signal<Out, Bits<8>>,
    echo: Signal<Out, Bits<8>>,
}

impl Logic for Adder {
    #[hdl_gen]
    fn update(&mut self) {
        self.sum.next = self.x.val() + self.y.val();
        self.echo.next = self.x.val();
    }
}

#[derive(LogicBlock, Default)]
struct Reading {
    a: Signal<In, Bits<8>>,
    b: Signal<In, Bits<8>>,
    p: Signal<In, Bit>,
    adder: Adder,
    second: Adder,
    late: Signal<Local, Bits<8>>,
    step: Signal<Local, Bits<8>>,
    early: Signal<Out, Bits<8>>,
    between: Signal<Out, Bits<8>>,
    arrived: Signal<Out, Bits<8>>,
    sometimes: Signal<Out, Bits<8>>,
    shown: Signal<Out, Bits<8>>,
    through: Signal<Out, Bits<8>>,
    folded: Signal<Out, Bits<8>>,
}

impl Logic for Reading {
    #[hdl_gen]
    fn update(&mut self) {
        // Assigned below: the settled value.
        self.early.next = self.late.val() + 1;
        self.late.next = self.a.val() ^ self.b.val();
        // Between two assignments: the first of them.
        self.step.next = self.a.val();
        self.between.next = self.step.val();
        self.step.next = self.step.val() + self.b.val();
        // An input of a sub-block: its last assignment, even before it.
        self.adder.x.next = self.a.val();
        self.adder.y.next = 3.into();
        self.arrived.next = self.adder.y.val();
        if self.p.val() {
            self.adder.y.next = self.step.val();
        }
        // Assigned so far on one path only: that, or the settled value.
        self.shown.next = self.adder.sum.val();
        self.sometimes.next = 0.into();
        if self.p.val() {
            self.sometimes.next = self.shown.val();
            self.shown.next = self.b.val();
        }
        self.folded.next = self.shown.val() + self.sometimes.val();
        self.second.x.next = self.adder.echo.val();
        self.second.y.next = self.second.x.val();
        self.through.next = self.second.sum.val();
    }
}

pub fn cases() -> Vec<Case> {
    vec![
        case!("reading", Reading, Reading::default(); [(a), (b), (p)];
        [(early), (between), (arrived), (sometimes), (shown), (through), (folded)]),
    ]
}
