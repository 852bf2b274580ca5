//! When what a plane was told to write is in memory.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::prim::Dff;
use crate::types::WriteProgress;

/// Beside one plane's `AxiWriter`: counts what it begins, asks memory for, and hears back.
///
/// In: `progress`; `look` with `mark`: a number of writes, counted from 0, wraps; `next_mark`: the next cycle's is another. Out: `landed`: they are
/// in memory. What has no byte is no write, here and in the mark: a message of 0 bytes has landed when what was placed before it has. A mark may be 32,767 writes from the last begun: more would be a memory that does not answer.
#[derive(LogicBlock, Default)]
pub struct Landing {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub progress: Signal<In, WriteProgress>,
    pub look: Signal<In, Bit>,
    pub mark: Signal<In, Bits<16>>,
    pub next_mark: Signal<In, Bit>,
    pub landed: Signal<Out, Bit>,
    starts: Dff<Bits<16>>,
    asks: Dff<Bits<16>>,
    answers: Dff<Bits<16>>,
    known: Dff<Bit>,
    last: Dff<Bits<16>>,
    past: Signal<Local, Bits<16>>,
    to_come: Signal<Local, Bits<16>>,
}

impl Logic for Landing {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, starts, asks, answers, known, last);
        if self.progress.val().started {
            self.starts.d.next = self.starts.q.val() + 1;
        }
        if self.progress.val().asked {
            self.asks.d.next = self.asks.q.val() + 1;
        }
        if self.progress.val().answered {
            self.answers.d.next = self.answers.q.val() + 1;
        }
        // The last address of the write that makes the mark full is behind it once the writer is ready again, or busy with another.
        self.past.next = self.starts.q.val() - self.mark.val();
        self.to_come.next = self.answers.q.val() - self.last.q.val();
        self.known.d.next = self.look.val()
            & !self.next_mark.val()
            & (self.known.q.val()
                | (!self.past.val().get_bit(15)
                    & (self.progress.val().ready | self.past.val().any())));
        if !self.known.q.val() {
            self.last.d.next = self.asks.q.val();
        }
        self.landed.next = self.look.val() & self.known.q.val() & !self.to_come.val().get_bit(15);
        if self.reset.val() {
            self.starts.d.next = 0.into();
            self.asks.d.next = 0.into();
            self.answers.d.next = 0.into();
            self.known.d.next = false;
        }
    }
}
