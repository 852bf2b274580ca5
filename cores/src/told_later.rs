//! What was done to a stream is told when packets that read before it have committed.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::message_part::StreamCommit;
use crate::prim::Dff;

/// Tells four cycles later; `busy` until then.
#[derive(LogicBlock, Default)]
pub struct ToldLater {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub done: Signal<In, StreamCommit>,
    pub told: Signal<Out, StreamCommit>,
    pub busy: Signal<Out, Bit>,
    one: Dff<StreamCommit>,
    two: Dff<StreamCommit>,
    three: Dff<StreamCommit>,
    four: Dff<StreamCommit>,
}

impl Logic for ToldLater {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, one, two, three, four);
        self.one.d.next = self.done.val();
        self.two.d.next = self.one.q.val();
        self.three.d.next = self.two.q.val();
        self.four.d.next = self.three.q.val();
        self.told.next = self.four.q.val();
        self.busy.next = self.one.q.val().valid
            | self.two.q.val().valid
            | self.three.q.val().valid
            | self.four.q.val().valid;
        if self.reset.val() {
            self.one.d.next.valid = false;
            self.two.d.next.valid = false;
            self.three.d.next.valid = false;
            self.four.d.next.valid = false;
        }
    }
}
