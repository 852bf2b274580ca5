//! Message slots that decisions wait for.
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// Counts, by message slot, the decisions that are not descriptors yet: four a plane. A decision names its slot,
/// so no message may take a slot that one waits for. An honest peer acknowledges only what has left; a forged ACK
/// completes a message, or fails its connection, whatever still waits.
#[derive(LogicBlock)]
pub struct SlotsWaiting {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A decision comes.
    pub enter: Signal<In, Bit>,
    /// Its slot.
    pub enter_slot: Signal<In, Bits<5>>,
    /// One has read its message.
    pub leave: Signal<In, Bit>,
    /// Its slot.
    pub leave_slot: Signal<In, Bits<5>>,
    /// Bit by slot: some wait.
    pub waiting: Signal<Out, Bits<32>>,
    number: [Constant<Bits<5>>; 32],
    count: [Dff<Bits<6>>; 32],
    used: Constant<Bits<6>>,
    enters: Signal<Local, Bits<32>>,
    leaves: Signal<Local, Bits<32>>,
}

impl SlotsWaiting {
    /// For so many planes, 8 at most.
    pub fn new(planes: usize) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            enter: Default::default(),
            enter_slot: Default::default(),
            leave: Default::default(),
            leave_slot: Default::default(),
            waiting: Default::default(),
            number: std::array::from_fn(|slot| Constant::new(bits(slot as u64))),
            count: Default::default(),
            used: Constant::new(bits((8 * planes as u64).next_power_of_two() - 1)),
            enters: Default::default(),
            leaves: Default::default(),
        }
    }
}

impl Logic for SlotsWaiting {
    #[hdl_gen]
    fn update(&mut self) {
        self.waiting.next = bits::<32>(0);
        self.enters.next = bits::<32>(0);
        self.leaves.next = bits::<32>(0);
        for slot in 0..32 {
            if self.enter.val() & (self.enter_slot.val() == self.number[slot].val()) {
                self.enters.next = self.enters.val().replace_bit(slot, true);
            }
            if self.leave.val() & (self.leave_slot.val() == self.number[slot].val()) {
                self.leaves.next = self.leaves.val().replace_bit(slot, true);
            }
        }
        for slot in 0..32 {
            self.count[slot].clock.next = self.clock.val();
            self.count[slot].d.next = self.count[slot].q.val();
            if self.count[slot].q.val().any() {
                self.waiting.next = self.waiting.val().replace_bit(slot, true);
            }
            if self.enters.val().get_bit(slot) & !self.leaves.val().get_bit(slot) {
                self.count[slot].d.next = (self.count[slot].q.val() + 1) & self.used.val();
            }
            if self.leaves.val().get_bit(slot) & !self.enters.val().get_bit(slot) {
                self.count[slot].d.next = (self.count[slot].q.val() - 1) & self.used.val();
            }
            if self.reset.val() {
                self.count[slot].d.next = bits::<6>(0);
            }
        }
    }
}
