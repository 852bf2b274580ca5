//! The invariant CRC of a RoCEv2 frame over IPv4, computed as the frame passes.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::crc32::{Crc32Step, crc32_byte_back};
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// Bytes of a frame whose value does not count: Ethernet (its last eight stand for RoCE's dummy LRH), IPv4 TOS, TTL and
/// header checksum, UDP checksum, BTH byte 4 (InfiniBand annex A17.3.3).
const VARIANT: [std::ops::Range<usize>; 6] = [0..14, 15..16, 22..23, 24..26, 40..42, 46..47];

/// Bytes before those that the ICRC begins with: Ethernet's 14 less the dummy LRH's 8.
const SKIPPED_BYTES: usize = 6;

/// Places in a frame whose value does not count.
pub(crate) fn variant_bytes() -> impl Iterator<Item = usize> {
    VARIANT.into_iter().flatten()
}

/// The state to begin with at byte 0. Variant bytes are taken as 0xFF: from here the skipped ones lead to CRC-32's start value.
pub(crate) fn start_state() -> u32 {
    (0..SKIPPED_BYTES).fold(u32::MAX, |state, _| crc32_byte_back(state, 0xFF))
}

/// Takes a frame's beats from byte 0 on; the beats of its tail may include the ICRC itself (see `crc32_residue`).
///
/// Stage 1 masks the variant bytes, stage 2 is the CRC. `state` holds a beat two `advance` cycles after it was taken,
/// `ahead` one. `D` data bits (8, 32, 64), `K` = D / 8. Needs no reset: byte 0 starts anew.
#[derive(LogicBlock)]
pub struct Icrc<const D: usize, const K: usize> {
    pub clock: Signal<In, Clock>,
    /// Both stages move.
    pub advance: Signal<In, Bit>,
    /// A beat enters with `advance`.
    pub valid: Signal<In, Bit>,
    pub data: Signal<In, Bits<D>>,
    /// Only the low 32 bits count.
    pub half: Signal<In, Bit>,
    /// Place of the beat's byte 0 in the frame; anything above 63 after the headers.
    pub position: Signal<In, Bits<7>>,
    /// CRC state, not inverted, of all beats but the one in stage 1.
    pub state: Signal<Out, Bits<32>>,
    /// CRC state, not inverted, with the beat in stage 1.
    pub ahead: Signal<Out, Bits<32>>,
    step: Crc32Step<D>,
    masked: Dff<Bits<D>>,
    masked_valid: Dff<Bit>,
    masked_first: Dff<Bit>,
    masked_half: Dff<Bit>,
    crc: Dff<Bits<32>>,
    lanes: Signal<Local, Bits<K>>,
    ones: Signal<Local, Bits<D>>,
    variant: Constant<Bits<136>>,
    start: Constant<Bits<32>>,
    octet: Constant<Bits<D>>,
}

impl<const D: usize, const K: usize> Default for Icrc<D, K> {
    fn default() -> Self {
        assert!(D == 8 * K, "K is D / 8");
        let mut variant = Bits::<136>::default();
        for place in variant_bytes() {
            variant = variant.replace_bit(place, true);
        }
        Self {
            clock: Default::default(),
            advance: Default::default(),
            valid: Default::default(),
            data: Default::default(),
            half: Default::default(),
            position: Default::default(),
            state: Default::default(),
            ahead: Default::default(),
            step: Default::default(),
            masked: Default::default(),
            masked_valid: Default::default(),
            masked_first: Default::default(),
            masked_half: Default::default(),
            crc: Default::default(),
            lanes: Default::default(),
            ones: Default::default(),
            variant: Constant::new(variant),
            start: Constant::new(u64::from(start_state()).into()),
            octet: Constant::new(0xFF.into()),
        }
    }
}

impl<const D: usize, const K: usize> Logic for Icrc<D, K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            masked,
            masked_valid,
            masked_first,
            masked_half,
            crc
        );
        self.lanes.next = self
            .variant
            .val()
            .get_bits::<K>(self.position.val().index());
        self.ones.next = 0.into();
        for i in 0..K {
            if self.lanes.val().get_bit(i) {
                self.ones.next = self.ones.val() | (self.octet.val() << (8 * i).to_bits::<7>());
            }
        }
        self.step.data.next = self.masked.q.val();
        self.step.half.next = self.masked_half.q.val();
        self.step.state.next = self.crc.q.val();
        if self.masked_first.q.val() {
            self.step.state.next = self.start.val();
        }
        self.state.next = self.crc.q.val();
        self.ahead.next = self.step.result.val();
        if self.advance.val() {
            self.masked_valid.d.next = self.valid.val();
            self.masked.d.next = self.data.val() | self.ones.val();
            self.masked_first.d.next = self.position.val() == 0;
            self.masked_half.d.next = self.half.val();
            if self.masked_valid.q.val() {
                self.crc.d.next = self.step.result.val();
            }
        }
    }
}
