//! What each path has received: verdict and mark, one packet a cycle, also back to back on one path.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::forwarded_table::ForwardedTable;
use crate::prim::{Dff, RamSdp};
use crate::sack_advance::{SackAdvance, SackSlot};

/// How far a path has come, whatever is missing before. A window has 256 slots at most, so low bits tell it all.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Reached {
    /// One after the highest PSN accepted, lowest bits.
    pub highest: Bits<9>,
    /// PSNs before it that are not received.
    pub missing: Bits<8>,
}

/// A path's cumulative point moves.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Advance {
    /// One cycle.
    pub valid: Bit,
    /// Global path number.
    pub path: Bits<16>,
    /// First PSN not received.
    pub cum: Bits<24>,
}

/// The bitvector with lap parity (docs/protocol.md, section 3), of every path, `G` rows of 16 slots each.
///
/// A packet touches one row: the table reads, marks and writes sixteen bits, not the window. `cum` lags: it is what the
/// packets made of it that have left `SackAdvance`. A peer's window is bounded by the `cum` it was told, and a slot
/// between the two is marked: so a verdict by the one that lags is right.
///
/// In cycle t: `path`, `psn`. In t + 2: `take` (it reaches the check), `bad` (it must not be accepted). In t + 3, the commit: at
/// most one of `fresh`, `duplicate`, `beyond`; `accepted` (fresh and not bad); `gap` (of an accepted one: PSNs before it are missing);
/// `slot`, the row after it; `rider` comes in, and out 9 cycles later as `rider_out` with `rider_path`.
/// `advance`: seen by commits from the next cycle on. `load`, `load_psn`, `load_path`, while not `busy`: a path begins; it is
/// `loading`, and `busy`, until all rows are written.
#[derive(LogicBlock)]
pub struct SackTable<const G: usize, const GA: usize, const SA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub path: Signal<In, Bits<GA>>,
    pub psn: Signal<In, Bits<24>>,
    pub take: Signal<In, Bit>,
    pub bad: Signal<In, Bit>,
    pub fresh: Signal<Out, Bit>,
    pub duplicate: Signal<Out, Bit>,
    pub beyond: Signal<Out, Bit>,
    pub accepted: Signal<Out, Bit>,
    pub gap: Signal<Out, Bit>,
    pub slot: Signal<Out, SackSlot>,
    pub rider: Signal<In, Bits<4>>,
    pub rider_out: Signal<Out, Bits<4>>,
    pub rider_path: Signal<Out, Bits<GA>>,
    pub advance: Signal<Out, Advance>,
    pub load: Signal<In, Bit>,
    pub load_path: Signal<In, Bits<GA>>,
    pub load_psn: Signal<In, Bits<24>>,
    pub loading: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    // t
    row: Signal<Local, Bits<SA>>,
    words: ForwardedTable<Bits<16>, SA>,
    cums: RamSdp<Bits<24>, GA>,
    // t + 1
    row1: Dff<Bits<SA>>,
    path1: Dff<Bits<GA>>,
    psn1: Dff<Bits<24>>,
    reached: ForwardedTable<Reached, GA>,
    // t + 2
    row2: Dff<Bits<SA>>,
    path2: Dff<Bits<GA>>,
    psn2: Dff<Bits<24>>,
    cum2: Dff<Bits<24>>,
    same_row2: Dff<Bit>,
    same_slot2: Dff<Bit>,
    column: Signal<Local, Bits<4>>,
    offset: Signal<Local, Bits<24>>,
    received: Signal<Local, Bit>,
    in_window: Signal<Local, Bit>,
    // t + 3
    row3: Dff<Bits<SA>>,
    path3: Dff<Bits<GA>>,
    psn3: Dff<Bits<24>>,
    cum3: Dff<Bits<24>>,
    word3: Dff<Bits<16>>,
    mark3: Dff<Bits<16>>,
    received3: Dff<Bit>,
    in_window3: Dff<Bit>,
    candidate3: Dff<Bit>,
    behind3: Dff<Bit>,
    beyond3: Dff<Bit>,
    not_cum3: Dff<Bit>,
    ahead: Signal<Local, Bits<9>>,
    taken: Signal<Local, Bit>,
    word: Signal<Local, Bits<16>>,
    // Afterwards.
    advancer: SackAdvance<G, GA, SA>,
    advancing: [Dff<Bit>; 3],
    advances: [Dff<Advance>; 3],
    filling: Dff<Bit>,
    filling_path: Dff<Bits<GA>>,
    filling_lap: Dff<Bit>,
    filling_row: Dff<Bits<4>>,
    filling_address: Signal<Local, Bits<SA>>,
    window: Constant<Bits<24>>,
    row_mask: Constant<Bits<4>>,
    row_bits: Constant<Bits<4>>,
    psn_used: Constant<Bits<24>>,
    one: Constant<Bits<16>>,
    all: Constant<Bits<16>>,
}

impl<const G: usize, const GA: usize, const SA: usize> SackTable<G, GA, SA> {
    /// `psn_used`: bits of a PSN that may be other than 0.
    pub fn new(psn_used: Bits<24>) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            path: Default::default(),
            psn: Default::default(),
            take: Default::default(),
            bad: Default::default(),
            fresh: Default::default(),
            duplicate: Default::default(),
            beyond: Default::default(),
            accepted: Default::default(),
            gap: Default::default(),
            slot: Default::default(),
            rider: Default::default(),
            rider_out: Default::default(),
            rider_path: Default::default(),
            advance: Default::default(),
            load: Default::default(),
            load_path: Default::default(),
            load_psn: Default::default(),
            loading: Default::default(),
            busy: Default::default(),
            row: Default::default(),
            words: Default::default(),
            cums: Default::default(),
            row1: Default::default(),
            path1: Default::default(),
            psn1: Default::default(),
            reached: Default::default(),
            row2: Default::default(),
            path2: Default::default(),
            psn2: Default::default(),
            cum2: Default::default(),
            same_row2: Default::default(),
            same_slot2: Default::default(),
            column: Default::default(),
            offset: Default::default(),
            received: Default::default(),
            in_window: Default::default(),
            row3: Default::default(),
            path3: Default::default(),
            psn3: Default::default(),
            cum3: Default::default(),
            word3: Default::default(),
            mark3: Default::default(),
            received3: Default::default(),
            in_window3: Default::default(),
            candidate3: Default::default(),
            behind3: Default::default(),
            beyond3: Default::default(),
            not_cum3: Default::default(),
            ahead: Default::default(),
            taken: Default::default(),
            word: Default::default(),
            advancer: Default::default(),
            advancing: std::array::from_fn(|_| Default::default()),
            advances: std::array::from_fn(|_| Default::default()),
            filling: Default::default(),
            filling_path: Default::default(),
            filling_lap: Default::default(),
            filling_row: Default::default(),
            filling_address: Default::default(),
            window: Constant::new((16 * G as LiteralType).into()),
            row_mask: Constant::new((G as LiteralType - 1).into()),
            row_bits: Constant::new(LiteralType::from(G.trailing_zeros()).into()),
            psn_used: Constant::new(psn_used),
            one: Constant::new(1.into()),
            all: Constant::new(0xFFFF.into()),
        }
    }
}

impl<const G: usize, const GA: usize, const SA: usize> Logic for SackTable<G, GA, SA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, row1, path1, psn1, row2, path2, psn2, cum2, same_row2, same_slot2
        );
        dff_setup!(
            self, clock, row3, path3, psn3, cum3, word3, mark3, received3, in_window3, candidate3,
            behind3, beyond3, not_cum3
        );
        dff_setup!(self, clock, filling, filling_path, filling_lap, filling_row);
        clock!(self, clock, words, cums, reached, advancer);
        self.advancer.reset.next = self.reset.val();

        // t: addresses.
        self.row.next = (bit_cast::<SA, GA>(self.path.val()) << self.row_bits.val())
            | bit_cast::<SA, 4>(self.psn.val().get_bits::<4>(4) & self.row_mask.val());
        self.words.read_address.next = self.row.val();
        self.cums.read_address.next = self.path.val();
        self.row1.d.next = self.row.val();
        self.path1.d.next = self.path.val();
        self.psn1.d.next = self.psn.val();

        // t + 1: does it meet the packet before it?
        self.reached.read_address.next = self.path1.q.val();
        self.row2.d.next = self.row1.q.val();
        self.path2.d.next = self.path1.q.val();
        self.psn2.d.next = self.psn1.q.val();
        self.cum2.d.next = self.cums.read_data.val();
        self.same_row2.d.next = self.row1.q.val() == self.row2.q.val();
        self.same_slot2.d.next = (self.row1.q.val() == self.row2.q.val())
            & (self.psn1.q.val().get_bits::<4>(0) == self.psn2.q.val().get_bits::<4>(0));

        // t + 2: where it stands, and its slot's bit; the commit of this cycle may change both row and bit.
        self.column.next = self.psn2.q.val().get_bits::<4>(0);
        self.offset.next = self.psn2.q.val() - self.cum2.q.val();
        self.in_window.next = self.take.val() & (self.offset.val() < self.window.val());
        self.in_window3.d.next = self.in_window.val();
        self.candidate3.d.next = self.in_window.val() & !self.bad.val();
        self.behind3.d.next = self.take.val() & self.offset.val().get_bit(23);
        self.beyond3.d.next = self.take.val()
            & !self.offset.val().get_bit(23)
            & (self.offset.val() >= self.window.val());
        self.not_cum3.d.next = self.offset.val().any();
        self.received.next = self
            .words
            .read_data
            .val()
            .get_bit(self.column.val().index())
            ^ (self.psn2.q.val() & self.window.val()).any();
        self.received3.d.next = self.received.val() | (self.same_slot2.q.val() & self.taken.val());
        self.word3.d.next = self.words.read_data.val();
        if self.same_row2.q.val() & self.taken.val() {
            self.word3.d.next = self.words.read_data.val() ^ self.mark3.q.val();
        }
        self.mark3.d.next = self.one.val() << self.column.val();
        self.row3.d.next = self.row2.q.val();
        self.path3.d.next = self.path2.q.val();
        self.psn3.d.next = self.psn2.q.val();
        self.cum3.d.next = self.cum2.q.val();

        // t + 3: the commit. Marking a slot turns its bit over.
        self.taken.next = self.candidate3.q.val() & !self.received3.q.val();
        self.fresh.next = self.in_window3.q.val() & !self.received3.q.val();
        self.duplicate.next =
            self.behind3.q.val() | (self.in_window3.q.val() & self.received3.q.val());
        self.beyond.next = self.beyond3.q.val();
        self.accepted.next = self.taken.val();
        self.word.next = self.word3.q.val();
        if self.taken.val() {
            self.word.next = self.word3.q.val() ^ self.mark3.q.val();
        }
        self.slot.next.row = self.psn3.q.val().get_bits::<4>(4) & self.row_mask.val();
        self.slot.next.lap = (self.psn3.q.val() & self.window.val()).any();
        self.slot.next.word = self.word.val();
        self.words.write_enable.next = self.taken.val();
        self.words.write_address.next = self.row3.q.val();
        self.words.write_data.next = self.word.val();

        // t + 3: what is missing. Where nothing is, the PSN expected is `highest`, however far `cum` lags.
        self.ahead.next = self.psn3.q.val().get_bits::<9>(0) - self.reached.read_data.val().highest;
        self.gap.next = self.ahead.val().any();
        if self.reached.read_data.val().missing.any() {
            self.gap.next = self.not_cum3.q.val();
        }
        self.reached.write_address.next = self.path3.q.val();
        self.reached.write_enable.next = self.taken.val();
        self.reached.write_data.next.highest = self.reached.read_data.val().highest;
        self.reached.write_data.next.missing = self.reached.read_data.val().missing - 1;
        if !self.ahead.val().get_bit(8) {
            self.reached.write_data.next.highest = self.psn3.q.val().get_bits::<9>(0) + 1;
            self.reached.write_data.next.missing =
                self.reached.read_data.val().missing + self.ahead.val().get_bits::<8>(0);
        }

        // Afterwards: `cum` moves. A commit read it 3 cycles before, so it is said 3 cycles after it is written.
        self.advancer.mover.next.valid = self.taken.val();
        self.advancer.mover.next.rider = self.rider.val();
        self.advancer.mover.next.cum = self.cum3.q.val();
        self.advancer.path.next = self.path3.q.val();
        self.advancer.slot.next.row = self.psn3.q.val().get_bits::<4>(4) & self.row_mask.val();
        self.advancer.slot.next.lap = (self.psn3.q.val() & self.window.val()).any();
        self.advancer.slot.next.word = self.word.val();
        self.rider_out.next = self.advancer.moved.val().rider;
        self.rider_path.next = self.advancer.moved_path.val();
        self.cums.write_enable.next = self.advancer.moved.val().valid;
        self.cums.write_address.next = self.advancer.moved_path.val();
        self.cums.write_data.next = self.advancer.moved.val().cum & self.psn_used.val();
        self.advancing[0].d.next = self.advancer.moved.val().valid;
        self.advances[0].d.next.valid = false;
        self.advances[0].d.next.path = bit_cast::<16, GA>(self.advancer.moved_path.val());
        self.advances[0].d.next.cum = self.advancer.moved.val().cum & self.psn_used.val();
        for i in 1..3 {
            self.advancing[i].d.next = self.advancing[i - 1].q.val();
            self.advances[i].d.next = self.advances[i - 1].q.val();
        }
        self.advance.next = self.advances[2].q.val();
        self.advance.next.valid = self.advancing[2].q.val();
        self.loading.next = self.filling.q.val();
        self.busy.next = self.advancer.busy.val() | self.filling.q.val();
        for i in 0..3 {
            self.advancing[i].clock.next = self.clock.val();
            self.advances[i].clock.next = self.clock.val();
            if self.advancing[i].q.val() {
                self.busy.next = true;
            }
        }

        // A path begins: its row bits one row a cycle, all else at once.
        self.filling_address.next = (bit_cast::<SA, GA>(self.filling_path.q.val())
            << self.row_bits.val())
            | bit_cast::<SA, 4>(self.filling_row.q.val());
        self.advancer.load.next = self.load.val();
        self.advancer.load_path.next = self.load_path.val();
        self.advancer.load_lap.next = (self.load_psn.val() & self.window.val()).any();
        self.advancer.row_enable.next = self.filling.q.val();
        self.advancer.row_address.next = self.filling_address.val();
        self.advancer.row_lap.next = self.filling_lap.q.val();
        if self.filling.q.val() {
            self.words.write_enable.next = true;
            self.words.write_address.next = self.filling_address.val();
            self.words.write_data.next = 0.into();
            if self.filling_lap.q.val() {
                self.words.write_data.next = self.all.val();
            }
            self.filling_row.d.next = (self.filling_row.q.val() + 1) & self.row_mask.val();
            if self.filling_row.q.val() == self.row_mask.val() {
                self.filling.d.next = false;
            }
        }
        if self.load.val() {
            self.filling.d.next = true;
            self.filling_path.d.next = self.load_path.val();
            self.filling_lap.d.next = (self.load_psn.val() & self.window.val()).any();
            self.filling_row.d.next = 0.into();
            self.cums.write_enable.next = true;
            self.cums.write_address.next = self.load_path.val();
            self.cums.write_data.next = self.load_psn.val();
            self.reached.write_enable.next = true;
            self.reached.write_address.next = self.load_path.val();
            self.reached.write_data.next.highest = self.load_psn.val().get_bits::<9>(0);
            self.reached.write_data.next.missing = 0.into();
        }

        if self.reset.val() {
            self.filling.d.next = false;
            self.in_window3.d.next = false;
            self.candidate3.d.next = false;
            self.behind3.d.next = false;
            self.beyond3.d.next = false;
            for i in 0..3 {
                self.advancing[i].d.next = false;
            }
        }
    }
}
