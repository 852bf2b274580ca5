//! Smoothed round-trip time of a path.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

/// Mean and mean deviation of round trips.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct RttState {
    /// There was a sample.
    pub measured: Bit,
    /// 8 x mean, ticks.
    pub mean_8: Bits<28>,
    /// 4 x mean deviation, ticks.
    pub deviation_4: Bits<28>,
}

/// One sample more (RFC 6298, section 2, with its gains 1/8 and 1/4, in integers). Purely combinational.
///
/// In: `state`, `rtt`. Out: `after` (the new state).
#[derive(LogicBlock, Default)]
pub struct RttEstimate {
    pub state: Signal<In, RttState>,
    pub rtt: Signal<In, Bits<25>>,
    pub after: Signal<Out, RttState>,
    mean: Signal<Local, Bits<28>>,
    ahead: Signal<Local, Bits<28>>,
    behind: Signal<Local, Bits<28>>,
    error: Signal<Local, Bits<28>>,
}

impl Logic for RttEstimate {
    #[hdl_gen]
    fn update(&mut self) {
        self.mean.next = self.state.val().mean_8 >> bits::<2>(3);
        self.ahead.next = bit_cast::<28, 25>(self.rtt.val()) - self.mean.val();
        self.behind.next = self.mean.val() - bit_cast::<28, 25>(self.rtt.val());
        self.error.next = self.ahead.val();
        if self.ahead.val().get_bit(27) {
            self.error.next = self.behind.val();
        }
        self.after.next.measured = true;
        self.after.next.mean_8 = bit_cast::<28, 25>(self.rtt.val()) << bits::<2>(3);
        self.after.next.deviation_4 = bit_cast::<28, 25>(self.rtt.val()) << bits::<1>(1);
        if self.state.val().measured {
            self.after.next.mean_8 =
                self.state.val().mean_8 - self.mean.val() + bit_cast::<28, 25>(self.rtt.val());
            self.after.next.deviation_4 = self.state.val().deviation_4
                - (self.state.val().deviation_4 >> bits::<2>(2))
                + self.error.val();
        }
    }
}
