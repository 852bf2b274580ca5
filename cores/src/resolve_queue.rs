//! Paths whose newest acknowledgement waits to be worked off.
use crate::prim::Dff;
use crate::ram_bypass::RamBypass;
use rust_hdl::prelude::*;

/// A queue of paths in which a path stands at most once: it has a place for every path and never overflows.
///
/// A path pushed in a cycle is on show two cycles later. A push of a path that waits already, also if it is popped in the
/// next cycle, changes nothing: who pops reads the path's records later still. A path waits if its bits in two RAMs differ: one
/// is written when it enters, one when it leaves. For 2^GA cycles after a reset they are cleared: `busy`, and no push. `GA`: bits of a path number.
#[derive(LogicBlock, Default)]
pub struct ResolveQueue<const GA: usize> {
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
    /// It is being cleared.
    pub busy: Signal<Out, Bit>,
    ram: RamBypass<Bits<GA>, GA>,
    /// What `entered` holds of each path in the queue.
    bit: RamBypass<Bit, GA>,
    entered: RamBypass<Bit, GA>,
    left: RamBypass<Bit, GA>,
    first: Dff<Bits<GA>>,
    last: Dff<Bits<GA>>,
    some: Dff<Bit>,
    clears: Dff<Bit>,
    asked: Dff<Bit>,
    asked_path: Dff<Bits<GA>>,
    enter: Signal<Local, Bit>,
}

impl<const GA: usize> Logic for ResolveQueue<GA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, first, last, some, clears, asked, asked_path);
        clock!(self, clock, ram, bit, entered, left);
        self.asked.d.next = self.push.val();
        self.asked_path.d.next = self.path.val();
        self.entered.read_address.next = self.path.val();
        self.left.read_address.next = self.path.val();
        self.enter.next =
            self.asked.q.val() & (self.entered.read_data.val() == self.left.read_data.val());
        self.ram.write_enable.next = self.enter.val();
        self.ram.write_address.next = self.last.q.val();
        self.ram.write_data.next = self.asked_path.q.val();
        self.ram.read_address.next = self.first.q.val();
        self.bit.write_enable.next = self.enter.val();
        self.bit.write_address.next = self.last.q.val();
        self.bit.write_data.next = !self.left.read_data.val();
        self.bit.read_address.next = self.ram.read_address.val();
        self.entered.write_enable.next = self.enter.val();
        self.entered.write_address.next = self.asked_path.q.val();
        self.entered.write_data.next = !self.left.read_data.val();
        self.left.write_enable.next = self.pop.val();
        self.left.write_address.next = self.ram.read_data.val();
        self.left.write_data.next = self.bit.read_data.val();
        self.valid.next = self.some.q.val();
        self.head.next = self.ram.read_data.val();
        self.busy.next = self.clears.q.val();
        if self.pop.val() {
            self.first.d.next = self.first.q.val() + 1;
            self.ram.read_address.next = self.first.q.val() + 1;
        }
        if self.enter.val() {
            self.last.d.next = self.last.q.val() + 1;
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
        if self.clears.q.val() {
            self.entered.write_enable.next = true;
            self.entered.write_address.next = self.last.q.val();
            self.entered.write_data.next = false;
            self.left.write_enable.next = true;
            self.left.write_address.next = self.last.q.val();
            self.left.write_data.next = false;
            self.last.d.next = self.last.q.val() + 1;
            self.clears.d.next = !self.last.q.val().all();
        }
        if self.reset.val() {
            self.some.d.next = false;
            self.clears.d.next = true;
            self.asked.d.next = false;
            self.first.d.next = bits::<GA>(0);
            self.last.d.next = bits::<GA>(0);
        }
    }
}
