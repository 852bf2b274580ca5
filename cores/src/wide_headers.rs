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
    word: Signal<Local, Bits<64>>,
    octet: Signal<Local, Bits<8>>,
    places: [Constant<Bits<10>>; H],
    common_places: [Constant<Bits<10>>; 13],
    tail_places: [Constant<Bits<10>>; 13],
}

/// Lowest bit of word `i` where word `lowest` is the lowest; beyond all bits for one that is not there.
fn place(lowest: usize, i: usize) -> Constant<Bits<10>> {
    let words = lowest
        .checked_sub(i)
        .filter(|&words| words < 8 && (lowest == 7 || words < 5));
    Constant::new((64 * words.unwrap_or(8) as u64).into())
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
            word: Default::default(),
            octet: Default::default(),
            places: std::array::from_fn(|i| Constant::new(((D * i) as u64).into())),
            common_places: std::array::from_fn(|i| place(7, i)),
            tail_places: std::array::from_fn(|i| place(12, i)),
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
        self.tail.next = 0.into();
        self.word.next = 0.into();
        self.octet.next = 0.into();
        for i in 0..13 {
            self.word.next = 0.into();
            for j in 0..8 {
                self.octet.next = self.all.val().get_bits::<8>(64 * i + 8 * j);
                self.word.next = (self.word.val() << 8) | bit_cast::<64, 8>(self.octet.val());
            }
            // Words of the tail are shifted out of the one, words before it out of the other.
            self.common.next = self.common.val()
                | (bit_cast::<512, 64>(self.word.val()) << self.common_places[i].val());
            self.tail.next = self.tail.val()
                | (bit_cast::<320, 64>(self.word.val()) << self.tail_places[i].val());
        }
    }
}
