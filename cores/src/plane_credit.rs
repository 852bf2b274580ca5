//! Places of a plane's queue of decisions.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// Counts four places: each is claimed when a packet is chosen for the plane, and free again when its decision leaves the queue
/// or is forfeited. So a choice stays good however long it travels. The last free place is no `spare` one.
///
/// In: `claim` (with `room` only), `forfeit`, `leave`. Out: `room`, `spare`, which depend on registers only.
#[derive(LogicBlock, Default)]
pub struct PlaneCredit {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub claim: Signal<In, Bit>,
    pub forfeit: Signal<In, Bit>,
    pub leave: Signal<In, Bit>,
    pub room: Signal<Out, Bit>,
    pub spare: Signal<Out, Bit>,
    claimed: Dff<Bits<3>>,
    kept: Signal<Local, Bits<3>>,
    left: Signal<Local, Bits<3>>,
}

impl Logic for PlaneCredit {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, claimed);
        self.room.next = self.claimed.q.val() != bits::<3>(4);
        self.spare.next = self.claimed.q.val() < bits::<3>(3);
        self.left.next = self.claimed.q.val();
        if self.leave.val() {
            self.left.next = self.claimed.q.val() - 1;
        }
        self.kept.next = self.left.val();
        if self.forfeit.val() {
            self.kept.next = self.left.val() - 1;
        }
        self.claimed.d.next = self.kept.val();
        if self.claim.val() {
            self.claimed.d.next = self.kept.val() + 1;
        }
        if self.reset.val() {
            self.claimed.d.next = bits::<3>(0);
        }
    }
}
