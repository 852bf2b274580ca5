//! The invariant CRC of a RoCEv2 frame over IPv4 whose beats are wider than its headers' fields: 128 to 512 bits a cycle.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::crc32::{crc32_byte, crc32_byte_back};
use crate::icrc::{start_state, variant_bytes};
use crate::lane_mask::LaneMask;
use crate::linear::Linear;
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// Bits of a slice: its parities have about 32 inputs each.
const SLICE: usize = 64;
/// Slices of the widest beat.
const SLICES: usize = 8;
/// Stages that take back what the widest beat may lack.
const BACK: usize = 6;

/// Takes a beat a cycle, frames of any length back to back, and says each frame's CRC state (not inverted) a fixed number
/// of cycles after its last beat ([`LATENCY`]). Nothing stalls.
///
/// `D` data bits (128, 256, 512), `K` = D / 8. Stage 1 masks: variant bytes are ones,
/// bytes beyond the last are zeros, the start value is in. Stage 2: each slice's share of the CRC; 3: their sum; 4: the
/// frame's state, the only loop, as if its last beat were full of zeros. Then six stages take these back, 2^i each.
#[derive(LogicBlock)]
pub struct WideIcrc<const D: usize, const K: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// First byte lowest.
    pub data: Signal<In, Bits<D>>,
    pub valid: Signal<In, Bit>,
    /// The frame's last beat.
    pub last: Signal<In, Bit>,
    /// Bytes of the last beat that do not count, 0..K.
    pub missing: Signal<In, Bits<6>>,
    /// CRC state, not inverted.
    pub state: Signal<Out, Bits<32>>,
    /// One cycle a frame.
    pub done: Signal<Out, Bit>,
    // The frame that comes in: beats before this one, as far as they have variant bytes.
    beat: Dff<Bits<3>>,
    // 1
    masked: Dff<Bits<D>>,
    kept: LaneMask<D, K>,
    ones: LaneMask<D, K>,
    full: Signal<Local, Bits<K>>,
    position: Signal<Local, Bits<9>>,
    lanes: Signal<Local, Bits<K>>,
    // 1 to 4: what goes with the beat; index i is stage i + 1.
    valids: [Dff<Bit>; 4],
    firsts: [Dff<Bit>; 3],
    lasts: [Dff<Bit>; 4],
    missings: [Dff<Bits<6>>; 4],
    // 2
    spread: Signal<Local, Bits<512>>,
    slices: [Linear<SLICE>; SLICES],
    shares: [Dff<Bits<32>>; SLICES],
    // 3
    sum: Dff<Bits<32>>,
    sum_now: Signal<Local, Bits<32>>,
    // 4
    step: Linear<32>,
    crc: Dff<Bits<32>>,
    // 5 on: index i takes 2^i bytes back.
    back: [Linear<32>; BACK],
    states: [Dff<Bits<32>>; BACK],
    left: [Dff<Bits<6>>; BACK],
    dones: [Dff<Bit>; BACK],
    variant: Constant<Bits<512>>,
    start: Constant<Bits<32>>,
    every: Constant<Bits<K>>,
    beats: Constant<Bits<3>>,
    beat_shift: Constant<Bits<4>>,
}

/// State `state` after `bytes` zeros.
fn ahead(state: u32, bytes: usize) -> u32 {
    (0..bytes).fold(state, |state, _| crc32_byte(state, 0))
}

/// Cycles from a frame's last beat to its state.
pub const LATENCY: usize = 4 + BACK;

impl<const D: usize, const K: usize> Default for WideIcrc<D, K> {
    fn default() -> Self {
        assert!(
            (128..=SLICE * SLICES).contains(&D) && D == 8 * K && K.is_power_of_two(),
            "K is D / 8"
        );
        let mut variant = Bits::<512>::default();
        for place in variant_bytes() {
            variant = variant.replace_bit(place, true);
        }
        let slice = |s: usize| {
            Linear::new(move |bit| {
                let (byte, place) = (1u8 << (bit % 8), s * SLICE / 8 + bit / 8);
                // Beyond the beat's end there is nothing.
                let behind = (K - 1).checked_sub(place);
                behind.map_or(0, |zeros| ahead(crc32_byte(0, byte), zeros))
            })
        };
        let back = |i: usize| {
            Linear::new(move |bit| (0..1 << i).fold(1 << bit, |state, _| crc32_byte_back(state, 0)))
        };
        Self {
            clock: Default::default(),
            reset: Default::default(),
            data: Default::default(),
            valid: Default::default(),
            last: Default::default(),
            missing: Default::default(),
            state: Default::default(),
            done: Default::default(),
            beat: Default::default(),
            masked: Default::default(),
            kept: Default::default(),
            ones: Default::default(),
            full: Default::default(),
            position: Default::default(),
            lanes: Default::default(),
            valids: std::array::from_fn(|_| Default::default()),
            firsts: std::array::from_fn(|_| Default::default()),
            lasts: std::array::from_fn(|_| Default::default()),
            missings: std::array::from_fn(|_| Default::default()),
            spread: Default::default(),
            slices: std::array::from_fn(slice),
            shares: std::array::from_fn(|_| Default::default()),
            sum: Default::default(),
            sum_now: Default::default(),
            step: Linear::new(|bit| ahead(1 << bit, K)),
            crc: Default::default(),
            back: std::array::from_fn(back),
            states: std::array::from_fn(|_| Default::default()),
            left: std::array::from_fn(|_| Default::default()),
            dones: std::array::from_fn(|_| Default::default()),
            variant: Constant::new(variant),
            start: Constant::new(u64::from(start_state()).into()),
            every: Constant::new(Bits::mask()),
            beats: Constant::new(((64 / K) as u64).into()),
            beat_shift: Constant::new(u64::from(K.trailing_zeros()).into()),
        }
    }
}

impl<const D: usize, const K: usize> Logic for WideIcrc<D, K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, beat, masked, sum, crc);
        for i in 0..4 {
            self.valids[i].clock.next = self.clock.val();
            self.lasts[i].clock.next = self.clock.val();
            self.missings[i].clock.next = self.clock.val();
        }
        for i in 0..3 {
            self.firsts[i].clock.next = self.clock.val();
        }
        for i in 0..8 {
            self.shares[i].clock.next = self.clock.val();
        }
        for i in 0..6 {
            self.states[i].clock.next = self.clock.val();
            self.left[i].clock.next = self.clock.val();
            self.dones[i].clock.next = self.clock.val();
        }

        // A beat comes in.
        if self.valid.val() {
            if self.beat.q.val() != self.beats.val() {
                self.beat.d.next = self.beat.q.val() + 1;
            }
            if self.last.val() {
                self.beat.d.next = 0.into();
            }
        }
        self.full.next = self.every.val();
        if self.last.val() {
            self.full.next = self.every.val() >> self.missing.val();
        }
        self.position.next = bit_cast::<9, 3>(self.beat.q.val()) << self.beat_shift.val();
        self.lanes.next = self
            .variant
            .val()
            .get_bits::<K>(self.position.val().index());
        self.kept.lanes.next = self.full.val();
        self.ones.lanes.next = self.lanes.val();

        // 1
        self.valids[0].d.next = self.valid.val();
        self.firsts[0].d.next = !self.beat.q.val().any();
        self.lasts[0].d.next = self.last.val();
        self.missings[0].d.next = 0.into();
        if self.last.val() {
            self.missings[0].d.next = self.missing.val();
        }
        self.masked.d.next = (self.data.val() | self.ones.mask.val()) & self.kept.mask.val();
        if !self.beat.q.val().any() {
            self.masked.d.next = ((self.data.val() | self.ones.mask.val()) & self.kept.mask.val())
                ^ bit_cast::<D, 32>(self.start.val());
        }

        // 2, 3: what goes along.
        for i in 1..3 {
            self.valids[i].d.next = self.valids[i - 1].q.val();
            self.firsts[i].d.next = self.firsts[i - 1].q.val();
            self.lasts[i].d.next = self.lasts[i - 1].q.val();
            self.missings[i].d.next = self.missings[i - 1].q.val();
        }
        self.spread.next = bit_cast::<512, D>(self.masked.q.val());
        self.sum_now.next = 0.into();
        for i in 0..8 {
            self.slices[i].bits.next = self.spread.val().get_bits::<64>(64 * i);
            self.shares[i].d.next = self.slices[i].parities.val();
            self.sum_now.next = self.sum_now.val() ^ self.shares[i].q.val();
        }
        self.sum.d.next = self.sum_now.val();

        // 4
        self.step.bits.next = self.crc.q.val();
        if self.valids[2].q.val() {
            self.crc.d.next = self.sum.q.val() ^ self.step.parities.val();
            if self.firsts[2].q.val() {
                self.crc.d.next = self.sum.q.val();
            }
        }
        self.valids[3].d.next = self.valids[2].q.val();
        self.lasts[3].d.next = self.lasts[2].q.val();
        self.missings[3].d.next = self.missings[2].q.val();

        // What the last beat lacks is taken back.
        self.back[0].bits.next = self.crc.q.val();
        self.states[0].d.next = self.crc.q.val();
        if self.missings[3].q.val().get_bit(0) {
            self.states[0].d.next = self.back[0].parities.val();
        }
        self.left[0].d.next = self.missings[3].q.val();
        self.dones[0].d.next = self.valids[3].q.val() & self.lasts[3].q.val();
        for i in 1..6 {
            self.back[i].bits.next = self.states[i - 1].q.val();
            self.states[i].d.next = self.states[i - 1].q.val();
            if self.left[i - 1].q.val().get_bit(i) {
                self.states[i].d.next = self.back[i].parities.val();
            }
            self.left[i].d.next = self.left[i - 1].q.val();
            self.dones[i].d.next = self.dones[i - 1].q.val();
        }
        self.state.next = 0.into();
        self.done.next = false;
        for i in 0..6 {
            // The last stage's.
            self.state.next = self.states[i].q.val();
            self.done.next = self.dones[i].q.val();
        }
        if self.reset.val() {
            self.beat.d.next = 0.into();
            for i in 0..4 {
                self.valids[i].d.next = false;
            }
            for i in 0..6 {
                self.dones[i].d.next = false;
            }
        }
    }
}
