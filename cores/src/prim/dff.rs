//! A register.

use rust_hdl::prelude::*;

/// A register: `q` is `d` as it was at the last rising edge of `clock`.
///
/// Connect it with `dff_setup!(self, clock, name)`, which also holds its value by default.
/// Latency: 1 cycle. Cost: one flip-flop a bit. It starts with `T::default()`; it has no
/// reset of its own.
#[derive(Clone, Debug, LogicBlock)]
pub struct Dff<T: Synth> {
    /// Rising edges take `d` over.
    pub clock: Signal<In, Clock>,
    /// The next value.
    pub d: Signal<In, T>,
    /// The stored value.
    pub q: Signal<Out, T>,
}

impl<T: Synth> Default for Dff<T> {
    fn default() -> Self {
        Self {
            clock: Signal::default(),
            d: Signal::default(),
            q: Signal::default(),
        }
    }
}

impl<T: Synth> Logic for Dff<T> {
    fn update(&mut self) {
        if self.clock.pos_edge() {
            self.q.next = self.d.val();
        }
    }

    fn connect(&mut self) {
        self.q.connect();
    }

    fn hdl(&self) -> Verilog {
        super::mark("dff", T::default().verilog())
    }
}
