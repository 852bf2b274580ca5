//! Which of 32 connections have failed: register FAILED_BITMAP.
use crate::path_table::PathTable;
use crate::prim::Dff;
use crate::transmit_path::FailureWrite;
use rust_hdl::prelude::*;

/// A RAM for each place in a word, so that the word of 32 connections is read at once, a cycle after its number.
///
/// `bitmap` is of `select` as it was a cycle before, with every write up to then; 0 beyond the last connection. `CA` address bits of
/// connections, `WA` of words of 32: CA - 5, but 1 at least.
#[derive(LogicBlock)]
pub struct FailedBitmap<const CA: usize, const WA: usize> {
    /// The one clock.
    pub clock: Signal<In, Clock>,
    /// A connection fails, or is set up anew.
    pub write: Signal<In, FailureWrite>,
    /// Which word: connection number / 32.
    pub select: Signal<In, Bits<32>>,
    /// Bit i: connection 32 x `select` + i has failed.
    pub bitmap: Signal<Out, Bits<32>>,
    places: [PathTable<Bit, WA>; 32],
    number: [Constant<Bits<12>>; 32],
    there: Dff<Bit>,
    connection: Signal<Local, Bits<12>>,
    word_bits: Constant<Bits<4>>,
    last_place: Constant<Bits<12>>,
    used: Constant<Bits<12>>,
    beyond: Constant<Bits<32>>,
}

impl<const CA: usize, const WA: usize> Default for FailedBitmap<CA, WA> {
    fn default() -> Self {
        assert!(
            CA <= 12 && WA == CA.saturating_sub(5).max(1),
            "words of 32 connections"
        );
        Self {
            clock: Default::default(),
            write: Default::default(),
            select: Default::default(),
            bitmap: Default::default(),
            places: std::array::from_fn(|_| Default::default()),
            number: std::array::from_fn(|i| Constant::new(bits(i as u64))),
            there: Default::default(),
            connection: Default::default(),
            word_bits: Constant::new(bits(5)),
            last_place: Constant::new(bits(31)),
            used: Constant::new(bits((1 << CA) - 1)),
            beyond: Constant::new(bits(u64::from(u32::MAX << CA.saturating_sub(5)))),
        }
    }
}

impl<const CA: usize, const WA: usize> Logic for FailedBitmap<CA, WA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, there);
        self.connection.next = self.write.val().connection & self.used.val();
        self.there.d.next = !(self.select.val() & self.beyond.val()).any();
        self.bitmap.next = bits::<32>(0);
        for i in 0..32 {
            self.places[i].clock.next = self.clock.val();
            self.places[i].write_enable.next = self.write.val().valid
                & ((self.connection.val() & self.last_place.val()) == self.number[i].val());
            self.places[i].write_address.next =
                bit_cast::<WA, 12>(self.connection.val() >> self.word_bits.val());
            self.places[i].write_data.next = self.write.val().failed;
            self.places[i].read_address.next = bit_cast::<WA, 32>(self.select.val());
            if self.there.q.val() & self.places[i].read_data.val() {
                self.bitmap.next = self.bitmap.val().replace_bit(i, true);
            }
        }
    }
}
