//! Which paths the background walk looks at: those with something under way.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::prim::{Dff, RamLut};
use crate::ram_bypass::RamBypass;
use crate::resolve_queue::ResolveQueue;
use crate::stream_fifo::StreamFifo;
use rust_hdl::prelude::*;

/// Paths go round and round as long as they have something unresolved: a round takes as many cycles as there are such paths, 2^DA + 6 at least.
///
/// In: `sent`, `sent_path`: something is sent on a path; of the look four cycles ago `path4` (and `path3`, a cycle earlier) and `active`: the path has something
/// unresolved, and can be helped; `hold`: no look. Out: `looks` at `path` (a `path` without it is on its way into the round, and meant for the pipeline of looks only);
/// `busy`: for 2^GA cycles after a reset, no look, and nothing may be sent. `GA`: bits of a global path number, at least `DA`.
///
/// What is sent enters `fresh`, where a path waits once. From there it goes through the stages of a look, in which nothing can overtake: so a path that is about to leave
/// the round for want of anything unresolved, and on which something was sent meanwhile, comes after itself and enters again.
#[derive(LogicBlock, Default)]
pub struct WalkQueue<const GA: usize, const DA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub hold: Signal<In, Bit>,
    pub sent: Signal<In, Bit>,
    pub sent_path: Signal<In, Bits<GA>>,
    pub path3: Signal<In, Bits<GA>>,
    pub path4: Signal<In, Bits<GA>>,
    pub active: Signal<In, Bit>,
    pub looks: Signal<Out, Bit>,
    pub path: Signal<Out, Bits<GA>>,
    pub busy: Signal<Out, Bit>,
    fresh: ResolveQueue<GA>,
    /// The round: never full, for a path is in it once, and the next one is `next`.
    ring: StreamFifo<Bits<GA>, GA>,
    /// In the round, or on its way from a look back into it.
    present: RamBypass<Bit, GA>,
    next_valid: Dff<Bit>,
    next: Dff<Bits<GA>>,
    next_is_fresh: Dff<Bit>,
    /// `ring` was served last.
    turn: Dff<Bit>,
    goes: Signal<Local, Bit>,
    takes_fresh: Signal<Local, Bit>,
    takes_ring: Signal<Local, Bit>,
    looked: [Dff<Bit>; 4],
    entering: [Dff<Bit>; 4],
    stays: Signal<Local, Bit>,
    // Who sends a probe does so before the walk is back at the path.
    later: RamLut<Bits<GA>, DA>,
    later_valid: RamLut<Bit, DA>,
    hour: Dff<Bits<DA>>,
    cleared: Dff<Bits<GA>>,
}

impl<const GA: usize, const DA: usize> Logic for WalkQueue<GA, DA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            next_valid,
            next,
            next_is_fresh,
            turn,
            hour,
            cleared
        );
        clock!(self, clock, fresh, ring, present, later, later_valid);
        self.fresh.reset.next = self.reset.val();
        self.ring.reset.next = self.reset.val();
        self.busy.next = self.fresh.busy.val();
        self.fresh.push.next = self.sent.val();
        self.fresh.path.next = self.sent_path.val();

        // The next look, or the next path that enters; in turn.
        self.looks.next = self.next_valid.q.val() & !self.next_is_fresh.q.val() & !self.hold.val();
        self.path.next = self.next.q.val();
        self.goes.next = self.looks.val() | self.next_is_fresh.q.val() | !self.next_valid.q.val();
        self.takes_fresh.next = self.goes.val()
            & self.fresh.valid.val()
            & (self.turn.q.val() | !self.ring.pop_valid.val());
        self.takes_ring.next =
            self.goes.val() & self.ring.pop_valid.val() & !self.takes_fresh.val();
        self.fresh.pop.next = self.takes_fresh.val();
        self.ring.pop_ready.next = self.takes_ring.val();
        if self.goes.val() {
            self.next_valid.d.next = self.takes_fresh.val() | self.takes_ring.val();
            self.next.d.next = self.ring.pop.val();
            self.next_is_fresh.d.next = self.takes_fresh.val();
            self.turn.d.next = self.takes_ring.val();
        }
        if self.takes_fresh.val() {
            self.next.d.next = self.fresh.head.val();
        }

        // With the look's stages: what has nothing unresolved leaves, what was not there enters.
        for i in 0..4 {
            self.looked[i].clock.next = self.clock.val();
            self.entering[i].clock.next = self.clock.val();
        }
        self.looked[0].d.next = self.looks.val();
        self.entering[0].d.next = self.next_is_fresh.q.val();
        for i in 1..4 {
            self.looked[i].d.next = self.looked[i - 1].q.val();
            self.entering[i].d.next = self.entering[i - 1].q.val();
        }
        self.present.read_address.next = self.path3.val();
        self.stays.next = (self.looked[3].q.val() & self.active.val())
            | (self.entering[3].q.val() & !self.present.read_data.val());
        self.present.write_enable.next = self.looked[3].q.val() | self.entering[3].q.val();
        self.present.write_address.next = self.path4.val();
        self.present.write_data.next = self.active.val() | self.entering[3].q.val();

        // 2^DA cycles later it is in the round.
        self.hour.d.next = self.hour.q.val() + 1;
        self.later.read_address.next = self.hour.q.val();
        self.later.write_enable.next = true;
        self.later.write_address.next = self.hour.q.val();
        self.later.write_data.next = self.path4.val();
        self.later_valid.read_address.next = self.hour.q.val();
        self.later_valid.write_enable.next = true;
        self.later_valid.write_address.next = self.hour.q.val();
        self.later_valid.write_data.next = self.stays.val();
        self.ring.push_valid.next = self.later_valid.read_data.val() & !self.busy.val();
        self.ring.push.next = self.later.read_data.val();

        if self.busy.val() {
            self.present.write_enable.next = true;
            self.present.write_address.next = self.cleared.q.val();
            self.present.write_data.next = false;
            self.cleared.d.next = self.cleared.q.val() + 1;
        }
        if self.reset.val() {
            self.next_valid.d.next = false;
            self.next_is_fresh.d.next = false;
            self.turn.d.next = false;
            self.cleared.d.next = 0.into();
            for i in 0..4 {
                self.looked[i].d.next = false;
                self.entering[i].d.next = false;
            }
        }
    }
}
