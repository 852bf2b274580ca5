//! A congestion window and one change of it.
use crate::congestion::LawChange;
use rust_hdl::prelude::*;

/// Each window's worth of deliveries is a step up, at most one; then what the law takes is taken (docs/protocol.md,
/// section 8). The window stays between one packet and `cap`.
///
/// Purely combinational. Both ends, with the step and without, are computed and bounded beside each other: the choice
/// between them comes last.
#[derive(LogicBlock, Default)]
pub struct WindowStep {
    /// The window, in 1/4,096 packet, at most 256 packets.
    pub window: Signal<In, Bits<21>>,
    /// Deliveries that have made no step yet, in 1/4,096 packet.
    pub credit: Signal<In, Bits<21>>,
    /// What the law says.
    pub change: Signal<In, LawChange>,
    /// A step, in 1/4,096 packet, at most 64 packets.
    pub step: Signal<In, Bits<19>>,
    /// Largest window, packets, 1..=256.
    pub cap: Signal<In, Bits<9>>,
    /// The window after it.
    pub window_after: Signal<Out, Bits<21>>,
    /// The deliveries after it.
    pub credit_after: Signal<Out, Bits<21>>,
    all: Signal<Local, Bits<23>>,
    left: Signal<Local, Bits<23>>,
    stepping: Signal<Local, Bit>,
    highest: Signal<Local, Bits<23>>,
    end: [Signal<Local, Bits<23>>; 2],
    bounded: [Signal<Local, Bits<23>>; 2],
}

impl Logic for WindowStep {
    #[hdl_gen]
    fn update(&mut self) {
        self.all.next = bit_cast::<23, 21>(self.credit.val())
            + (bit_cast::<23, 8>(self.change.val().grown) << bits::<4>(12));
        self.left.next = self.all.val() - bit_cast::<23, 21>(self.window.val());
        self.stepping.next = self.change.val().grown.any() & !self.left.val().get_bit(22);
        self.credit_after.next = bit_cast::<21, 23>(self.all.val());
        if self.stepping.val() {
            // What a step leaves over is less than 16 packets.
            self.credit_after.next = bit_cast::<21, 23>(self.left.val());
            if self.left.val() >= bits::<23>(65536) {
                self.credit_after.next = bits::<21>(65535);
            }
        }

        self.highest.next = bit_cast::<23, 9>(self.cap.val()) << bits::<4>(12);
        self.end[0].next =
            bit_cast::<23, 21>(self.window.val()) - bit_cast::<23, 20>(self.change.val().loss);
        self.end[1].next = bit_cast::<23, 21>(self.window.val())
            + bit_cast::<23, 19>(self.step.val())
            - bit_cast::<23, 20>(self.change.val().loss);
        for i in 0..2 {
            self.bounded[i].next = self.end[i].val();
            if self.end[i].val() > self.highest.val() {
                self.bounded[i].next = self.highest.val();
            }
            if self.end[i].val().get_bit(22) | (self.end[i].val() < bits::<23>(4096)) {
                self.bounded[i].next = bits::<23>(4096);
            }
        }
        self.window_after.next = bit_cast::<21, 23>(self.bounded[0].val());
        if self.stepping.val() {
            self.window_after.next = bit_cast::<21, 23>(self.bounded[1].val());
        }
    }
}
