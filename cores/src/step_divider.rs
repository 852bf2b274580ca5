//! What a step of each path of a connection adds to its window.
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// Divides INCREASE by the paths of a connection, a bit a cycle, when its entry is written. `CA` address bits of connections.
#[derive(LogicBlock)]
pub struct StepDivider<const CA: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A connection begins; not while `busy`.
    pub start: Signal<In, Bit>,
    /// Which.
    pub connection: Signal<In, Bits<CA>>,
    /// Its paths; 0 counts as 1.
    pub paths: Signal<In, Bits<8>>,
    /// INCREASE, in 1/256 packet.
    pub increase: Signal<In, Bits<15>>,
    /// At work.
    pub busy: Signal<Out, Bit>,
    /// The step is there, one cycle.
    pub done: Signal<Out, Bit>,
    /// Whose.
    pub owner: Signal<Out, Bits<CA>>,
    /// It, in 1/4,096 packet, rounded down.
    pub step: Signal<Out, Bits<19>>,
    left: Dff<Bits<5>>,
    divides: Dff<Bits<CA>>,
    divisor: Dff<Bits<9>>,
    rest: Dff<Bits<9>>,
    word: Dff<Bits<19>>,
    next_rest: Signal<Local, Bits<9>>,
}

impl<const CA: usize> Default for StepDivider<CA> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            start: Default::default(),
            connection: Default::default(),
            paths: Default::default(),
            increase: Default::default(),
            busy: Default::default(),
            done: Default::default(),
            owner: Default::default(),
            step: Default::default(),
            left: Default::default(),
            divides: Default::default(),
            divisor: Default::default(),
            rest: Default::default(),
            word: Default::default(),
            next_rest: Default::default(),
        }
    }
}

impl<const CA: usize> Logic for StepDivider<CA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, left, divides, divisor, rest, word);
        // The word's upper bits are still to be divided, its lower ones are the quotient so far; 20: 19 bits and `done`.
        self.next_rest.next = self.rest.q.val() << bits::<1>(1);
        if self.word.q.val().get_bit(18) {
            self.next_rest.next = (self.rest.q.val() << bits::<1>(1)) | 1;
        }
        if self.left.q.val() > bits::<5>(1) {
            self.rest.d.next = self.next_rest.val();
            self.word.d.next = self.word.q.val() << bits::<1>(1);
            if self.next_rest.val() >= self.divisor.q.val() {
                self.rest.d.next = self.next_rest.val() - self.divisor.q.val();
                self.word.d.next = (self.word.q.val() << bits::<1>(1)) | 1;
            }
        }
        if self.left.q.val().any() {
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.start.val() {
            self.left.d.next = bits::<5>(20);
            self.divides.d.next = self.connection.val();
            self.divisor.d.next = bit_cast::<9, 8>(self.paths.val());
            if !self.paths.val().any() {
                self.divisor.d.next = bits::<9>(1);
            }
            self.rest.d.next = bits::<9>(0);
            self.word.d.next = bit_cast::<19, 15>(self.increase.val()) << bits::<3>(4);
        }
        self.busy.next = self.left.q.val().any();
        self.done.next = self.left.q.val() == bits::<5>(1);
        self.owner.next = self.divides.q.val();
        self.step.next = self.word.q.val();
        if self.reset.val() {
            self.left.d.next = bits::<5>(0);
        }
    }
}
