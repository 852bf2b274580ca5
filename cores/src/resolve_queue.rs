//! Paths whose newest acknowledgement waits to be worked off.
use crate::prim::Dff;
use crate::ram_bypass::RamBypass;
use rust_hdl::prelude::*;

/// A queue of paths in which a path stands at most once: it has a place for every path and never overflows.
///
/// A path pushed in a cycle is on show two cycles later. A push of a path that waits already, also if it is popped in the
/// next cycle, changes nothing: who pops reads the path's records later still. `GA`: bits of a path number, `F`: 2^GA.
#[derive(LogicBlock, Default)]
pub struct ResolveQueue<const GA: usize, const F: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A path.
    pub push: Signal<In, Bit>,
    /// The path.
    pub path: Signal<In, Bits<GA>>,
    /// The oldest path leaves; only with `valid`.
    pub pop: Signal<In, Bit>,
    /// There is a path.
    pub valid: Signal<Out, Bit>,
    /// The oldest path.
    pub head: Signal<Out, Bits<GA>>,
    ram: RamBypass<Bits<GA>, GA>,
    first: Dff<Bits<GA>>,
    last: Dff<Bits<GA>>,
    some: Dff<Bit>,
    waiting: Dff<Bits<F>>,
    asked: Dff<Bit>,
    asked_path: Dff<Bits<GA>>,
    enter: Signal<Local, Bit>,
}

impl<const GA: usize, const F: usize> Logic for ResolveQueue<GA, F> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, last, some, waiting, asked, asked_path);
        self.asked.d.next = self.push.val();
        self.asked_path.d.next = self.path.val();
        self.ram.clock.next = self.clock.val();
        self.enter.next = self.asked.q.val()
            & !self
                .waiting
                .q
                .val()
                .get_bit(self.asked_path.q.val().index());
        self.ram.write_enable.next = self.enter.val();
        self.ram.write_address.next = self.last.q.val();
        self.ram.write_data.next = self.asked_path.q.val();
        self.ram.read_address.next = self.first.q.val();
        self.valid.next = self.some.q.val();
        self.head.next = self.ram.read_data.val();
        if self.pop.val() {
            self.first.d.next = self.first.q.val() + 1;
            self.ram.read_address.next = self.first.q.val() + 1;
            self.waiting.d.next = self
                .waiting
                .q
                .val()
                .replace_bit(self.ram.read_data.val().index(), false);
        }
        if self.enter.val() {
            self.last.d.next = self.last.q.val() + 1;
            if self.pop.val() {
                self.waiting.d.next = self
                    .waiting
                    .q
                    .val()
                    .replace_bit(self.ram.read_data.val().index(), false)
                    .replace_bit(self.asked_path.q.val().index(), true);
            } else {
                self.waiting.d.next = self
                    .waiting
                    .q
                    .val()
                    .replace_bit(self.asked_path.q.val().index(), true);
            }
        }
        if self.enter.val() & !self.pop.val() {
            self.some.d.next = true;
        }
        if self.pop.val()
            & !self.enter.val()
            & ((self.last.q.val() - self.first.q.val()) == bits::<GA>(1))
        {
            self.some.d.next = false;
        }
        if self.reset.val() {
            self.some.d.next = false;
            self.asked.d.next = false;
            self.first.d.next = bits::<GA>(0);
            self.last.d.next = bits::<GA>(0);
            self.waiting.d.next = bits::<F>(0);
        }
    }
}
