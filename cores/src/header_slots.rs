//! Keeps a frame's headers.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// Bytes of the longest headers: those of an ACK.
pub const HEADER_BYTES: usize = 104;

/// Registers for the first `H` beats of a frame, each with an enable of its own: nothing shifts.
///
/// `D` data bits, `H` = 832 / D. Latency 1 cycle.
#[derive(LogicBlock)]
pub struct HeaderSlots<const D: usize, const H: usize> {
    pub clock: Signal<In, Clock>,
    /// A beat is there.
    pub enable: Signal<In, Bit>,
    /// Its number in the frame; `H` and above are not kept.
    pub index: Signal<In, Bits<7>>,
    /// First byte uppermost.
    pub word: Signal<In, Bits<D>>,
    /// First byte of the frame uppermost.
    pub header: Signal<Out, Bits<832>>,
    slot: Signal<Local, Bits<D>>,
    slots: [Dff<Bits<D>>; H],
    places: [Constant<Bits<10>>; H],
}

impl<const D: usize, const H: usize> Default for HeaderSlots<D, H> {
    fn default() -> Self {
        assert!(D * H == 8 * HEADER_BYTES, "H is 832 / D");
        Self {
            clock: Default::default(),
            enable: Default::default(),
            index: Default::default(),
            word: Default::default(),
            header: Default::default(),
            slot: Default::default(),
            slots: std::array::from_fn(|_| Default::default()),
            places: std::array::from_fn(|i| Constant::new(((D * (H - 1 - i)) as u64).into())),
        }
    }
}

impl<const D: usize, const H: usize> Logic for HeaderSlots<D, H> {
    #[hdl_gen]
    fn update(&mut self) {
        self.header.next = 0.into();
        self.slot.next = 0.into();
        for i in 0..H {
            self.slots[i].clock.next = self.clock.val();
            self.slots[i].d.next = self.slots[i].q.val();
            if self.enable.val() && (self.index.val().index() == i) {
                self.slots[i].d.next = self.word.val();
            }
            self.slot.next = self.slots[i].q.val();
            self.header.next =
                self.header.val() | (bit_cast::<832, D>(self.slot.val()) << self.places[i].val());
        }
    }
}
