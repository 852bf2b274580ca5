//! Moves a path's cumulative point: the first PSN not received, some cycles after the packet that moved it.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::find_first::FindFirst16;
use crate::forwarded_table::ForwardedTable;
use crate::prim::{Dff, RamSdp};

/// A packet on its way through the stages, as far as all of them need it.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Mover {
    /// An accepted packet.
    pub valid: Bit,
    /// Lowest bit: something rides along.
    pub rider: Bits<4>,
    /// A cumulative point of the path: not after the first PSN that is missing.
    pub cum: Bits<24>,
}

/// Where its slot is.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct SackSlot {
    /// Row of sixteen slots.
    pub row: Bits<4>,
    /// Parity of its lap.
    pub lap: Bit,
    /// The row once the slot is marked.
    pub word: Bits<16>,
}

/// One packet a cycle, in order; the window has `G` rows of 16 slots. A row's flag is the parity that all its slots last had
/// in common: which rows are whole is 1 bit a row instead of 16, and only the first row that is not whole is looked at.
///
/// In: `mover`, `slot`, `path` in the cycle of its commit; `load` (one cycle, nothing under way): `load_path` begins with
/// slots of parity `load_lap`; its rows are written by `row_enable`, `row_address`, `row_lap`. Out, 9 cycles after the commit:
/// `moved`, whose `cum` is the first PSN missing once that packet and none after it is marked; `moved_path`; `busy`.
#[derive(LogicBlock)]
pub struct SackAdvance<const G: usize, const GA: usize, const SA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub mover: Signal<In, Mover>,
    pub slot: Signal<In, SackSlot>,
    pub path: Signal<In, Bits<GA>>,
    pub load: Signal<In, Bit>,
    pub load_path: Signal<In, Bits<GA>>,
    pub load_lap: Signal<In, Bit>,
    pub row_enable: Signal<In, Bit>,
    pub row_address: Signal<In, Bits<SA>>,
    pub row_lap: Signal<In, Bit>,
    pub moved: Signal<Out, Mover>,
    pub moved_path: Signal<Out, Bits<GA>>,
    pub busy: Signal<Out, Bit>,
    moving: [Dff<Bit>; 9],
    riders: [Dff<Bits<4>>; 9],
    cums: [Dff<Bits<24>>; 9],
    paths: [Dff<Bits<GA>>; 9],
    slots: [Dff<SackSlot>; 4],
    whole: Dff<Bit>,
    flags: ForwardedTable<Bits<G>, GA>,
    marked: Signal<Local, Bits<G>>,
    flags3: Dff<Bits<G>>,
    this_lap: Dff<Bits<16>>,
    next_lap: Dff<Bits<16>>,
    first_this: FindFirst16,
    first_next: FindFirst16,
    targets: [Dff<Bits<4>>; 4],
    wraps: [Dff<Bit>; 4],
    rows: RamSdp<Bits<16>, SA>,
    word7: Dff<Bits<16>>,
    missing8: Dff<Bits<16>>,
    first_missing: FindFirst16,
    upper9: Dff<Bits<24>>,
    column9: Dff<Bits<4>>,
    // Locals of one stage each.
    received1: Signal<Local, Bits<16>>,
    passed1: Signal<Local, Bits<16>>,
    same3: Signal<Local, Bits<G>>,
    after3: Signal<Local, Bits<G>>,
    missing7: Signal<Local, Bits<16>>,
    mask7: Signal<Local, Bits<16>>,
    window: Constant<Bits<24>>,
    upper: Constant<Bits<24>>,
    row_mask: Constant<Bits<4>>,
    row_bits: Constant<Bits<4>>,
    all_rows: Constant<Bits<G>>,
    one_row: Constant<Bits<G>>,
    all: Constant<Bits<16>>,
}

impl<const G: usize, const GA: usize, const SA: usize> Default for SackAdvance<G, GA, SA> {
    fn default() -> Self {
        assert!(
            G.is_power_of_two() && (2..=16).contains(&G),
            "a window of 32 to 256 slots"
        );
        assert_eq!(1 << SA, G << GA, "an address of every path's every row");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            mover: Default::default(),
            slot: Default::default(),
            path: Default::default(),
            load: Default::default(),
            load_path: Default::default(),
            load_lap: Default::default(),
            row_enable: Default::default(),
            row_address: Default::default(),
            row_lap: Default::default(),
            moved: Default::default(),
            moved_path: Default::default(),
            busy: Default::default(),
            moving: std::array::from_fn(|_| Default::default()),
            riders: std::array::from_fn(|_| Default::default()),
            cums: std::array::from_fn(|_| Default::default()),
            paths: std::array::from_fn(|_| Default::default()),
            slots: std::array::from_fn(|_| Default::default()),
            whole: Default::default(),
            flags: Default::default(),
            marked: Default::default(),
            flags3: Default::default(),
            this_lap: Default::default(),
            next_lap: Default::default(),
            first_this: Default::default(),
            first_next: Default::default(),
            targets: std::array::from_fn(|_| Default::default()),
            wraps: std::array::from_fn(|_| Default::default()),
            rows: Default::default(),
            word7: Default::default(),
            missing8: Default::default(),
            first_missing: Default::default(),
            upper9: Default::default(),
            column9: Default::default(),
            received1: Default::default(),
            passed1: Default::default(),
            same3: Default::default(),
            after3: Default::default(),
            missing7: Default::default(),
            mask7: Default::default(),
            window: Constant::new((16 * G as LiteralType).into()),
            upper: Constant::new((0xFF_FFFF & !(16 * G as LiteralType - 1)).into()),
            row_mask: Constant::new((G as LiteralType - 1).into()),
            row_bits: Constant::new(LiteralType::from(G.trailing_zeros()).into()),
            all_rows: Constant::new(Bits::<G>::mask()),
            one_row: Constant::new(1.into()),
            all: Constant::new(0xFFFF.into()),
        }
    }
}

impl<const G: usize, const GA: usize, const SA: usize> Logic for SackAdvance<G, GA, SA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, whole, flags3, this_lap, next_lap, word7, missing8, upper9, column9
        );
        clock!(self, clock, flags, rows);

        // What moves from stage to stage; index i is stage i + 1.
        self.moving[0].d.next = self.mover.val().valid;
        self.riders[0].d.next = self.mover.val().rider;
        self.cums[0].d.next = self.mover.val().cum;
        self.paths[0].d.next = self.path.val();
        self.slots[0].d.next = self.slot.val();
        self.busy.next = false;
        for i in 0..9 {
            self.moving[i].clock.next = self.clock.val();
            self.riders[i].clock.next = self.clock.val();
            self.cums[i].clock.next = self.clock.val();
            self.paths[i].clock.next = self.clock.val();
            if self.moving[i].q.val() | self.riders[i].q.val().get_bit(0) {
                self.busy.next = true;
            }
        }
        for i in 1..9 {
            self.moving[i].d.next = self.moving[i - 1].q.val();
            self.riders[i].d.next = self.riders[i - 1].q.val();
            self.cums[i].d.next = self.cums[i - 1].q.val();
            self.paths[i].d.next = self.paths[i - 1].q.val();
        }
        for i in 0..4 {
            self.slots[i].clock.next = self.clock.val();
            self.targets[i].clock.next = self.clock.val();
            self.wraps[i].clock.next = self.clock.val();
        }
        for i in 1..4 {
            self.slots[i].d.next = self.slots[i - 1].q.val();
            self.targets[i].d.next = self.targets[i - 1].q.val();
            self.wraps[i].d.next = self.wraps[i - 1].q.val();
        }

        // 1: is the row whole? In the row of `cum`, slots before it may already be of the next lap.
        self.received1.next = self.slots[0].q.val().word;
        if self.slots[0].q.val().lap {
            self.received1.next = !self.slots[0].q.val().word;
        }
        self.passed1.next = 0.into();
        if (self.cums[0].q.val().get_bits::<4>(4) & self.row_mask.val()
            == self.slots[0].q.val().row)
            & ((self.cums[0].q.val() & self.window.val()).any() == self.slots[0].q.val().lap)
        {
            self.passed1.next = !(self.all.val() << self.cums[0].q.val().get_bits::<4>(0));
        }
        self.whole.d.next = (self.received1.val() | self.passed1.val()).all();

        // 2: the row's flag.
        self.flags.read_address.next = self.path.val();
        self.marked.next = self.flags.read_data.val();
        for i in 0..G {
            if self.whole.q.val() & (self.slots[1].q.val().row == i.to_bits()) {
                self.marked.next = self.marked.val().replace_bit(i, !self.slots[1].q.val().lap);
            }
        }
        self.flags3.d.next = self.marked.val();
        self.flags.write_address.next = self.paths[1].q.val();
        self.flags.write_data.next = self.marked.val();
        self.flags.write_enable.next = self.moving[1].q.val() & self.whole.q.val();
        if self.load.val() {
            self.flags.write_address.next = self.load_path.val();
            self.flags.write_enable.next = true;
            self.flags.write_data.next = 0.into();
            if self.load_lap.val() {
                self.flags.write_data.next = self.all_rows.val();
            }
        }

        // 3: rows that are not whole, from the row of `cum` on in its lap, before it in the next.
        self.same3.next = !self.flags3.q.val();
        if (self.cums[2].q.val() & self.window.val()).any() {
            self.same3.next = self.flags3.q.val();
        }
        self.after3.next =
            self.all_rows.val() << (self.cums[2].q.val().get_bits::<4>(4) & self.row_mask.val());
        self.this_lap.d.next = bit_cast::<16, G>(self.same3.val() & self.after3.val());
        // The row of `cum` itself is not whole in the next lap: the search never comes back empty.
        self.next_lap.d.next = bit_cast::<16, G>(
            (!self.same3.val() & !self.after3.val())
                | (self.one_row.val()
                    << (self.cums[2].q.val().get_bits::<4>(4) & self.row_mask.val())),
        );

        // 4: the first of them. The marked row reaches its copy now: stage 5 sees it and none of a later packet.
        self.first_this.bits.next = self.this_lap.q.val();
        self.first_next.bits.next = self.next_lap.q.val();
        self.targets[0].d.next = self.first_next.index.val();
        self.wraps[0].d.next = !self.first_this.any.val();
        if self.first_this.any.val() {
            self.targets[0].d.next = self.first_this.index.val();
        }
        self.rows.write_enable.next = self.moving[3].q.val() | self.row_enable.val();
        self.rows.write_address.next = (bit_cast::<SA, GA>(self.paths[3].q.val())
            << self.row_bits.val())
            | bit_cast::<SA, 4>(self.slots[3].q.val().row);
        self.rows.write_data.next = self.slots[3].q.val().word;
        if self.row_enable.val() {
            self.rows.write_address.next = self.row_address.val();
            self.rows.write_data.next = 0.into();
            if self.row_lap.val() {
                self.rows.write_data.next = self.all.val();
            }
        }

        // 5 and 6: its slots.
        self.rows.read_address.next = (bit_cast::<SA, GA>(self.paths[4].q.val())
            << self.row_bits.val())
            | bit_cast::<SA, 4>(self.targets[0].q.val());
        self.word7.d.next = self.rows.read_data.val();

        // 7: those that are missing.
        self.missing7.next = !self.word7.q.val();
        if (self.cums[6].q.val() & self.window.val()).any() ^ self.wraps[2].q.val() {
            self.missing7.next = self.word7.q.val();
        }
        self.mask7.next = self.all.val();
        if !self.wraps[2].q.val()
            & (self.targets[2].q.val()
                == self.cums[6].q.val().get_bits::<4>(4) & self.row_mask.val())
        {
            self.mask7.next = self.all.val() << self.cums[6].q.val().get_bits::<4>(0);
        }
        self.missing8.d.next = self.missing7.val() & self.mask7.val();

        // 8: the first of them.
        self.first_missing.bits.next = self.missing8.q.val();
        self.column9.d.next = self.first_missing.index.val();
        self.upper9.d.next = (self.cums[7].q.val() & self.upper.val())
            | (bit_cast::<24, 4>(self.targets[3].q.val()) << 4);
        if self.wraps[3].q.val() {
            self.upper9.d.next = ((self.cums[7].q.val() & self.upper.val()) + self.window.val())
                | (bit_cast::<24, 4>(self.targets[3].q.val()) << 4);
        }

        // 9: done.
        self.moved.next.valid = self.moving[8].q.val();
        self.moved.next.rider = self.riders[8].q.val();
        self.moved.next.cum = self.upper9.q.val() | bit_cast::<24, 4>(self.column9.q.val());
        self.moved_path.next = self.paths[8].q.val();

        if self.reset.val() {
            for i in 0..9 {
                self.moving[i].d.next = false;
                self.riders[i].d.next = 0.into();
            }
        }
    }
}
