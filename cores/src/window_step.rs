//! A congestion window and one change of it.
use crate::congestion::LawChange;
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// Each window's worth of deliveries is a step up, at most one; then what the law takes is taken (docs/protocol.md,
/// section 8). The window stays between one packet and `cap`.
///
/// The change comes a cycle before the window that it changes; the answer comes with the window. So all that does not
/// depend on the window is summed up before, and from a window to the next is one sum and one choice: both ends, with
/// the step and without, and how far each is beyond its bounds, are sums beside each other.
#[derive(LogicBlock, Default)]
pub struct WindowStep {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// What the law says.
    pub change: Signal<In, LawChange>,
    /// A step, in 1/4,096 packet, at most 64 packets.
    pub step: Signal<In, Bits<19>>,
    /// Largest window, packets, 1..=256.
    pub cap: Signal<In, Bits<9>>,
    /// A cycle later: the window, in 1/4,096 packet, at most 256 packets.
    pub window: Signal<In, Bits<21>>,
    /// A cycle later: deliveries that have made no step yet, in 1/4,096 packet.
    pub credit: Signal<In, Bits<21>>,
    /// The window after it.
    pub window_after: Signal<Out, Bits<21>>,
    /// The deliveries after it.
    pub credit_after: Signal<Out, Bits<21>>,
    grown: Dff<Bits<8>>,
    delta: [Dff<Bits<23>>; 2],
    to_least: [Dff<Bits<23>>; 2],
    to_most: [Dff<Bits<23>>; 2],
    highest: Dff<Bits<23>>,
    fall: Signal<Local, Bits<23>>,
    rise: Signal<Local, Bits<23>>,
    most: Signal<Local, Bits<23>>,
    all: Signal<Local, Bits<23>>,
    left: Signal<Local, Bits<23>>,
    stepping: Signal<Local, Bit>,
    now: Signal<Local, Bits<23>>,
    end: [Signal<Local, Bits<23>>; 2],
    under: [Signal<Local, Bits<23>>; 2],
    over: [Signal<Local, Bits<23>>; 2],
    bounded: [Signal<Local, Bits<23>>; 2],
}

impl Logic for WindowStep {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, grown, highest);
        for i in 0..2 {
            self.delta[i].clock.next = self.clock.val();
            self.to_least[i].clock.next = self.clock.val();
            self.to_most[i].clock.next = self.clock.val();
        }
        // Before the window is there. 4,096 is a packet, the least window.
        self.grown.d.next = self.change.val().grown;
        self.most.next = bit_cast::<23, 9>(self.cap.val()) << bits::<4>(12);
        self.highest.d.next = self.most.val();
        self.fall.next = bits::<23>(0) - bit_cast::<23, 20>(self.change.val().loss);
        self.rise.next =
            bit_cast::<23, 19>(self.step.val()) - bit_cast::<23, 20>(self.change.val().loss);
        self.delta[0].d.next = self.fall.val();
        self.delta[1].d.next = self.rise.val();
        self.to_least[0].d.next = self.fall.val() - bits::<23>(4096);
        self.to_least[1].d.next = self.rise.val() - bits::<23>(4096);
        self.to_most[0].d.next = self.most.val() - self.fall.val();
        self.to_most[1].d.next = self.most.val() - self.rise.val();

        // With the window: each sum's top bit is its sign.
        self.now.next = bit_cast::<23, 21>(self.window.val());
        self.all.next = bit_cast::<23, 21>(self.credit.val())
            + (bit_cast::<23, 8>(self.grown.q.val()) << bits::<4>(12));
        self.left.next = self.all.val() - self.now.val();
        self.stepping.next = self.grown.q.val().any() & !self.left.val().get_bit(22);
        self.credit_after.next = bit_cast::<21, 23>(self.all.val());
        if self.stepping.val() {
            // What a step leaves over is less than 16 packets.
            self.credit_after.next = bit_cast::<21, 23>(self.left.val());
            if (self.left.val() >> bits::<5>(16)).any() {
                self.credit_after.next = bits::<21>(65535);
            }
        }
        for i in 0..2 {
            self.end[i].next = self.now.val() + self.delta[i].q.val();
            self.under[i].next = self.now.val() + self.to_least[i].q.val();
            self.over[i].next = self.to_most[i].q.val() - self.now.val();
            self.bounded[i].next = self.end[i].val();
            if self.over[i].val().get_bit(22) {
                self.bounded[i].next = self.highest.q.val();
            }
            if self.under[i].val().get_bit(22) {
                self.bounded[i].next = bits::<23>(4096);
            }
        }
        self.window_after.next = bit_cast::<21, 23>(self.bounded[0].val());
        if self.stepping.val() {
            self.window_after.next = bit_cast::<21, 23>(self.bounded[1].val());
        }
    }
}
