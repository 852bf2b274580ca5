//! Keeps the headers of a frame of wide beats.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::header_slots::HEADER_BYTES;
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// Registers for the first `H` beats of a frame, each with an enable of its own.
///
/// `D` data bits (256, 512), `K` = D / 8, `H` = beats of 104 bytes (4, 2). Latency 1 cycle.
#[derive(LogicBlock)]
pub struct WideHeaders<const D: usize, const K: usize, const H: usize> {
    pub clock: Signal<In, Clock>,
    /// A beat is there.
    pub enable: Signal<In, Bit>,
    /// Its number in the frame; `H` and above are not kept.
    pub index: Signal<In, Bits<12>>,
    /// First byte lowest.
    pub data: Signal<In, Bits<D>>,
    /// The headers of all frames, first byte uppermost.
    pub common: Signal<Out, Bits<512>>,
    /// What follows them, first byte uppermost.
    pub tail: Signal<Out, Bits<320>>,
    slots: [Dff<Bits<D>>; H],
    slot: Signal<Local, Bits<D>>,
    all: Signal<Local, Bits<832>>,
    common_octet: Signal<Local, Bits<8>>,
    tail_octet: Signal<Local, Bits<8>>,
    places: [Constant<Bits<10>>; H],
}

impl<const D: usize, const K: usize, const H: usize> Default for WideHeaders<D, K, H> {
    fn default() -> Self {
        assert!(
            D == 8 * K && H == HEADER_BYTES.div_ceil(K) && (K == 32 || K == 64),
            "D is 256 or 512, K is D / 8, H is 104 / K, rounded up"
        );
        Self {
            clock: Default::default(),
            enable: Default::default(),
            index: Default::default(),
            data: Default::default(),
            common: Default::default(),
            tail: Default::default(),
            slots: std::array::from_fn(|_| Default::default()),
            slot: Default::default(),
            all: Default::default(),
            common_octet: Default::default(),
            tail_octet: Default::default(),
            places: std::array::from_fn(|i| Constant::new(((D * i) as u64).into())),
        }
    }
}

impl<const D: usize, const K: usize, const H: usize> Logic for WideHeaders<D, K, H> {
    #[hdl_gen]
    fn update(&mut self) {
        self.all.next = 0.into();
        self.slot.next = 0.into();
        for i in 0..H {
            self.slots[i].clock.next = self.clock.val();
            self.slots[i].d.next = self.slots[i].q.val();
            if self.enable.val() && (self.index.val().index() == i) {
                self.slots[i].d.next = self.data.val();
            }
            self.slot.next = self.slots[i].q.val();
            self.all.next =
                self.all.val() | (bit_cast::<832, D>(self.slot.val()) << self.places[i].val());
        }
        self.common.next = 0.into();
        self.common_octet.next = 0.into();
        for i in 0..64 {
            self.common_octet.next = self.all.val().get_bits::<8>(8 * i);
            self.common.next =
                (self.common.val() << 8) | bit_cast::<512, 8>(self.common_octet.val());
        }
        self.tail.next = 0.into();
        self.tail_octet.next = 0.into();
        for i in 64..104 {
            self.tail_octet.next = self.all.val().get_bits::<8>(8 * i);
            self.tail.next = (self.tail.val() << 8) | bit_cast::<320, 8>(self.tail_octet.val());
        }
    }
}
