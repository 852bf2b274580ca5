//! A law of congestion: the window falls while round trips are longer than the shortest one and a margin.
use crate::congestion::{LawChange, LawEvent};
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// Deliveries grow the window while the round trip is short; while it is too long each takes its share of the excess
/// (docs/protocol.md, section 8, "Delay"). An ACK without a round trip changes nothing.
///
/// Every law has these ports, takes an event a cycle, and answers 8 cycles later. The excess share is divided by hand, a bit
/// a cycle.
#[derive(LogicBlock, Default)]
pub struct DelayLaw {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// What happened.
    pub heard: Signal<In, LawEvent>,
    /// Queueing that is not yet congestion: the shortest round trip shifted right by so many bits, 1..=8.
    pub margin_log2: Signal<In, Bits<4>>,
    /// Part of the excess share that each delivery takes, in 1/256 packet, at most 256.
    pub gain: Signal<In, Bits<9>>,
    /// What comes of it.
    pub change: Signal<Out, LawChange>,
    target: Dff<Bits<26>>,
    rtt: [Dff<Bits<27>>; 5],
    delivered: [Dff<Bits<8>>; 8],
    rest: [Dff<Bits<27>>; 4],
    long: [Dff<Bit>; 7],
    share: [Dff<Bits<4>>; 4],
    product: Dff<Bits<12>>,
    loss: Dff<Bits<20>>,
    over: Signal<Local, Bits<27>>,
    so_far: [Signal<Local, Bits<4>>; 4],
    twice: [Signal<Local, Bits<27>>; 4],
    less: [Signal<Local, Bits<27>>; 4],
}

impl Logic for DelayLaw {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, target, product, loss);
        for i in 0..5 {
            self.rtt[i].clock.next = self.clock.val();
        }
        for i in 0..4 {
            self.rest[i].clock.next = self.clock.val();
            self.share[i].clock.next = self.clock.val();
        }
        for i in 0..7 {
            self.long[i].clock.next = self.clock.val();
        }
        for i in 0..8 {
            self.delivered[i].clock.next = self.clock.val();
        }
        // 0: what is still short.
        self.target.d.next = bit_cast::<26, 25>(self.heard.val().shortest)
            + bit_cast::<26, 25>(self.heard.val().shortest >> self.margin_log2.val());
        self.rtt[0].d.next = bit_cast::<27, 25>(self.heard.val().rtt);
        self.delivered[0].d.next = bits::<8>(0);
        if self.heard.val().rtt_valid {
            self.delivered[0].d.next = self.heard.val().delivered;
        }
        // 1: what is beyond.
        self.over.next = self.rtt[0].q.val() - bit_cast::<27, 26>(self.target.q.val());
        self.rest[0].d.next = bits::<27>(0);
        self.long[0].d.next = false;
        if !self.over.val().get_bit(26) {
            self.rest[0].d.next = self.over.val();
            self.long[0].d.next = self.over.val().any();
        }
        // 2 to 5: a bit of the share each.
        self.so_far[0].next = bits::<4>(0);
        for i in 1..4 {
            self.so_far[i].next = self.share[i - 1].q.val() << bits::<1>(1);
        }
        for i in 0..4 {
            self.twice[i].next = self.rest[i].q.val() << bits::<1>(1);
            self.less[i].next = self.twice[i].val() - self.rtt[i + 1].q.val();
            self.share[i].d.next = self.so_far[i].val();
            if !self.less[i].val().get_bit(26) {
                self.share[i].d.next = self.so_far[i].val() | 1;
            }
        }
        for i in 0..3 {
            self.rest[i + 1].d.next = self.twice[i].val();
            if !self.less[i].val().get_bit(26) {
                self.rest[i + 1].d.next = self.less[i].val();
            }
        }
        for i in 1..5 {
            self.rtt[i].d.next = self.rtt[i - 1].q.val();
        }
        for i in 1..7 {
            self.long[i].d.next = self.long[i - 1].q.val();
        }
        for i in 1..8 {
            self.delivered[i].d.next = self.delivered[i - 1].q.val();
        }
        // 6, 7: what it takes.
        self.product.d.next = bits::<12>(0);
        if self.long[4].q.val() {
            self.product.d.next = bit_cast::<12, 32>(
                bit_cast::<16, 8>(self.delivered[5].q.val())
                    * bit_cast::<16, 4>(self.share[3].q.val()),
            );
        }
        self.loss.d.next = bit_cast::<20, 32>(
            bit_cast::<16, 12>(self.product.q.val()) * bit_cast::<16, 9>(self.gain.val()),
        );
        self.change.next.loss = self.loss.q.val();
        self.change.next.grown = self.delivered[7].q.val();
        if self.long[6].q.val() {
            self.change.next.grown = bits::<8>(0);
        }
    }
}
