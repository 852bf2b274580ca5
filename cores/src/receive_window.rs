//! A PSN against a path's window: the bitvector with lap parity (docs/protocol.md, section 3).
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::find_first::FindFirst;

/// Verdict on a PSN, and the window after it is marked. No cycle.
///
/// In: `cum` (first PSN not received), `seen` (bitvector as stored), `psn`. Out: exactly one of `fresh`, `duplicate`,
/// `beyond`; `gap` (the PSN is not `cum`); `next_cum` and `next_seen`, right only if `fresh`.
///
/// The new `cum` is looked for beside the verdict: it only moves if `psn` is `cum`, and then it is the first missing slot
/// after it. Slots above `cum`'s index are of its lap, those below of the next.
#[derive(LogicBlock)]
pub struct ReceiveWindow<const W: usize, const IW: usize, const G: usize> {
    pub cum: Signal<In, Bits<24>>,
    pub seen: Signal<In, Bits<W>>,
    pub psn: Signal<In, Bits<24>>,
    pub fresh: Signal<Out, Bit>,
    pub duplicate: Signal<Out, Bit>,
    pub beyond: Signal<Out, Bit>,
    pub gap: Signal<Out, Bit>,
    pub next_cum: Signal<Out, Bits<24>>,
    pub next_seen: Signal<Out, Bits<W>>,
    offset: Signal<Local, Bits<24>>,
    place: Signal<Local, Bits<IW>>,
    lap: Signal<Local, Bit>,
    received: Signal<Local, Bit>,
    start: Signal<Local, Bits<IW>>,
    odd: Signal<Local, Bits<W>>,
    this_lap: FindFirst<W, IW, G>,
    next_lap: FindFirst<W, IW, G>,
    window: Constant<Bits<24>>,
    upper: Constant<Bits<24>>,
    one: Constant<Bits<W>>,
    ones: Constant<Bits<W>>,
}

impl<const W: usize, const IW: usize, const G: usize> Default for ReceiveWindow<W, IW, G> {
    fn default() -> Self {
        let w = W as LiteralType;
        Self {
            cum: Default::default(),
            seen: Default::default(),
            psn: Default::default(),
            fresh: Default::default(),
            duplicate: Default::default(),
            beyond: Default::default(),
            gap: Default::default(),
            next_cum: Default::default(),
            next_seen: Default::default(),
            offset: Default::default(),
            place: Default::default(),
            lap: Default::default(),
            received: Default::default(),
            start: Default::default(),
            odd: Default::default(),
            this_lap: Default::default(),
            next_lap: Default::default(),
            window: Constant::new(w.into()),
            upper: Constant::new((0xFF_FFFF & !(w - 1)).into()),
            one: Constant::new(1.into()),
            ones: Constant::new(Bits::<W>::mask()),
        }
    }
}

impl<const W: usize, const IW: usize, const G: usize> Logic for ReceiveWindow<W, IW, G> {
    #[hdl_gen]
    fn update(&mut self) {
        self.offset.next = self.psn.val() - self.cum.val();
        self.place.next = bit_cast::<IW, 24>(self.psn.val());
        self.lap.next = (self.psn.val() & self.window.val()).any();
        self.received.next = self.seen.val().get_bit(self.place.val().index()) ^ self.lap.val();
        self.next_seen.next = self
            .seen
            .val()
            .replace_bit(self.place.val().index(), !self.lap.val());

        self.fresh.next = false;
        self.duplicate.next = false;
        self.beyond.next = false;
        if self.offset.val().get_bit(23) {
            self.duplicate.next = true;
        } else if self.offset.val() >= self.window.val() {
            self.beyond.next = true;
        } else if self.received.val() {
            self.duplicate.next = true;
        } else {
            self.fresh.next = true;
        }
        self.gap.next = self.psn.val() != self.cum.val();

        // `odd`: bits that differ from the lap of `cum`: received in this lap, missing in the next.
        self.start.next = bit_cast::<IW, 24>(self.cum.val());
        self.odd.next = self.seen.val();
        if (self.cum.val() & self.window.val()).any() {
            self.odd.next = !self.seen.val();
        }
        self.this_lap.bits.next = !self.odd.val() & ((self.ones.val() << self.start.val()) << 1);
        // The slot of `cum` itself is missing in the next lap: the search never comes back empty.
        self.next_lap.bits.next = self.odd.val() | (self.one.val() << self.start.val());
        self.next_cum.next = self.cum.val();
        if !self.gap.val() {
            if self.this_lap.any.val() {
                self.next_cum.next = (self.cum.val() & self.upper.val())
                    | bit_cast::<24, IW>(self.this_lap.index.val());
            } else {
                self.next_cum.next = ((self.cum.val() & self.upper.val()) + self.window.val())
                    | bit_cast::<24, IW>(self.next_lap.index.val());
            }
        }
    }
}
