//! A law of congestion: additive increase, multiplicative decrease by marks.
use crate::congestion::{LawChange, LawEvent};
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// All deliveries grow the window, each mark takes `decrease` (docs/protocol.md, section 8, "Aimd").
///
/// Every law has these ports, takes an event a cycle, and answers 8 cycles later.
#[derive(LogicBlock, Default)]
pub struct AimdLaw {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// What happened.
    pub heard: Signal<In, LawEvent>,
    /// What a mark takes, in 1/256 packet, at most 256.
    pub decrease: Signal<In, Bits<9>>,
    /// What comes of it.
    pub change: Signal<Out, LawChange>,
    delivered: [Dff<Bits<8>>; 8],
    marked: [Dff<Bits<8>>; 7],
    loss: Dff<Bits<16>>,
}

impl Logic for AimdLaw {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, loss);
        for i in 0..8 {
            self.delivered[i].clock.next = self.clock.val();
            self.delivered[i].d.next = self.heard.val().delivered;
        }
        for i in 0..7 {
            self.marked[i].clock.next = self.clock.val();
            self.marked[i].d.next = self.heard.val().marked;
        }
        for i in 1..8 {
            self.delivered[i].d.next = self.delivered[i - 1].q.val();
        }
        for i in 1..7 {
            self.marked[i].d.next = self.marked[i - 1].q.val();
        }
        self.loss.d.next = bit_cast::<16, 32>(
            bit_cast::<16, 8>(self.marked[6].q.val()) * bit_cast::<16, 9>(self.decrease.val()),
        );
        self.change.next.grown = self.delivered[7].q.val();
        self.change.next.loss = bit_cast::<20, 16>(self.loss.q.val()) << bits::<3>(4);
    }
}
