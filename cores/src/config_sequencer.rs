//! Brings table entries to the engines while nothing is inside them.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::prim::Dff;
use crate::types::ConfigWrite;

/// What the sequencer does.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Step {
    /// Nothing.
    Idle,
    /// Waits until the stages are empty.
    Wait,
    /// Writes the entry.
    Write,
    /// Waits until every table has it.
    Settle,
    /// Writes zeros to every entry of every table, one a cycle.
    Clear,
}

/// One write of an entry, or the clearing of all tables after a reset.
///
/// In: `commit` (one cycle, heard while not `busy`) with `entry_table`, `index`, `data`; `engines_idle`; `reset`, after which all
/// tables are cleared. Out: `hold`, `config_write`, `written` (it is the entry's), `busy`. Latency: 6 cycles and the engines' emptying; the hold ends 3 cycles after the entry is written. Constant: index of
/// the last entry of the longest table. Shorter tables see their entries cleared more than once.
#[derive(LogicBlock)]
pub struct ConfigSequencer {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub commit: Signal<In, Bit>,
    pub entry_table: Signal<In, Bits<4>>,
    pub index: Signal<In, Bits<16>>,
    pub data: Signal<In, Bits<256>>,
    pub engines_idle: Signal<In, Bit>,
    pub hold: Signal<Out, Bit>,
    pub config_write: Signal<Out, ConfigWrite>,
    pub busy: Signal<Out, Bit>,
    pub written: Signal<Out, Bit>,
    step: Dff<Step>,
    table_held: Dff<Bits<4>>,
    index_held: Dff<Bits<16>>,
    waited: Dff<Bits<3>>,
    last: Constant<Bits<16>>,
}

impl ConfigSequencer {
    /// `bits`: address bits of the longest table, at most 16.
    pub fn new(bits: usize) -> Self {
        assert!(bits <= 16, "an index has 16 bits");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            commit: Default::default(),
            entry_table: Default::default(),
            index: Default::default(),
            data: Default::default(),
            engines_idle: Default::default(),
            hold: Default::default(),
            config_write: Default::default(),
            busy: Default::default(),
            written: Default::default(),
            step: Default::default(),
            table_held: Default::default(),
            index_held: Default::default(),
            waited: Default::default(),
            last: Constant::new(((1 << bits) - 1).into()),
        }
    }
}

impl Logic for ConfigSequencer {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, table_held, index_held, waited);
        self.busy.next = true;
        self.written.next = false;
        self.hold.next = true;
        self.config_write.next.valid = false;
        self.config_write.next.table = self.table_held.q.val();
        self.config_write.next.index = self.index_held.q.val();
        self.config_write.next.data = self.data.val();
        match self.step.q.val() {
            Step::Idle => {
                self.busy.next = false;
                self.hold.next = false;
                if self.commit.val() {
                    self.table_held.d.next = self.entry_table.val();
                    self.index_held.d.next = self.index.val();
                    self.waited.d.next = 0.into();
                    self.step.d.next = Step::Wait;
                }
            }
            Step::Wait => {
                self.waited.d.next = self.waited.q.val() + 1;
                if self.waited.q.val() >= 4 {
                    self.waited.d.next = self.waited.q.val();
                    if self.engines_idle.val() {
                        self.step.d.next = Step::Write;
                    }
                }
            }
            Step::Write => {
                self.config_write.next.valid = true;
                self.written.next = true;
                self.waited.d.next = 0.into();
                self.step.d.next = Step::Settle;
            }
            Step::Settle => {
                self.waited.d.next = self.waited.q.val() + 1;
                if self.waited.q.val() == 2 {
                    self.step.d.next = Step::Idle;
                }
            }
            Step::Clear => {
                self.config_write.next.valid = true;
                self.config_write.next.data = 0.into();
                self.index_held.d.next = self.index_held.q.val() + 1;
                if self.index_held.q.val() == self.last.val() {
                    self.index_held.d.next = 0.into();
                    self.table_held.d.next = self.table_held.q.val() + 1;
                    if self.table_held.q.val() == 3 {
                        self.step.d.next = Step::Idle;
                    }
                }
            }
        }
        if self.reset.val() {
            self.table_held.d.next = 1.into();
            self.index_held.d.next = 0.into();
            self.step.d.next = Step::Clear;
        }
    }
}
