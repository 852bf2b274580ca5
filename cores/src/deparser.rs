//! From a descriptor and payload to a frame on a stream.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::beat::Beat;
use crate::frame_headers::FrameHeaders;
use crate::header_slots::HEADER_BYTES;
use crate::icrc::Icrc;
use crate::prim::Dff;
use crate::types::TxDescriptor;
use rust_hdl::prelude::*;

/// Any place after the headers, as the ICRC takes it.
const AFTER_HEADERS: u64 = 120;

/// What the next beat is.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Part {
    /// Headers.
    Header,
    /// Payload, then its pad.
    Payload,
    /// Pad in beats of its own.
    Pad,
    /// ICRC in a beat (or beats) of its own.
    Icrc,
}

/// Makes one frame of each descriptor: headers, payload, pad, ICRC.
///
/// `D` data bits (8 or 64), `K` = D / 8, `H` = 104 / K. `descriptor` stays until `descriptor_ready`, the cycle
/// of the frame's last beat, seen at the door of a pipeline of two stages. A beat a cycle if payload is there, no idle
/// cycle between frames. Two cycles from a descriptor to its frame's first beat.
/// A frame with a bad payload beat leaves with its ICRC inverted: nobody will take it.
#[derive(LogicBlock)]
pub struct Deparser<const D: usize, const K: usize, const H: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    pub descriptor: Signal<In, TxDescriptor>,
    pub descriptor_valid: Signal<In, Bit>,
    /// It is not needed any more.
    pub descriptor_ready: Signal<Out, Bit>,
    /// ceil(payload / K) beats a descriptor.
    pub beat: Signal<In, Beat<D>>,
    pub beat_valid: Signal<In, Bit>,
    pub beat_ready: Signal<Out, Bit>,
    pub m_axis_tdata: Signal<Out, Bits<D>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    /// A frame has begun and its last beat has not passed the door.
    pub in_frame: Signal<Out, Bit>,
    /// No frame is under way.
    pub idle: Signal<Out, Bit>,
    headers: FrameHeaders<D, K, H>,
    icrc: Icrc<D, K>,
    part: Dff<Part>,
    index: Dff<Bits<7>>,
    /// Payload bytes to come.
    left: Dff<Bits<16>>,
    bad: Dff<Bit>,
    // Stage 1, beside the ICRC's.
    word: Dff<Bits<D>>,
    word_valid: Dff<Bit>,
    word_half: Dff<Bit>,
    word_icrc: Dff<Bit>,
    word_index: Dff<Bits<7>>,
    word_last: Dff<Bit>,
    word_bad: Dff<Bit>,
    // Stage 2.
    data: Dff<Bits<D>>,
    keep: Dff<Bits<K>>,
    last: Dff<Bit>,
    valid: Dff<Bit>,
    advance: Signal<Local, Bit>,
    octet: Signal<Local, Bits<8>>,
    offered: Signal<Local, Bits<D>>,
    offered_valid: Signal<Local, Bit>,
    offered_half: Signal<Local, Bit>,
    offered_last: Signal<Local, Bit>,
    offered_bad: Signal<Local, Bit>,
    pad: Signal<Local, Bits<2>>,
    crc: Signal<Local, Bits<32>>,
    beat_shift: Constant<Bits<3>>,
    beat_bytes: Constant<Bits<16>>,
    has_half: Constant<Bit>,
    pad_beats: Constant<Bit>,
    half_bits: Constant<Bits<7>>,
    after_headers: Constant<Bits<7>>,
    icrc_last: Constant<Bits<7>>,
    lanes: Constant<Bits<K>>,
    icrc_lanes: Constant<Bits<K>>,
}

impl<const D: usize, const K: usize, const H: usize> Deparser<D, K, H> {
    /// `messages`, `reads`: it knows the verbs that these profiles add.
    pub fn new(messages: bool, reads: bool) -> Self {
        assert!(
            D == 8 * K && (K == 1 || K == 8) && H * K == HEADER_BYTES,
            "D is 8 or 64, K is D / 8, H is 104 / K"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            descriptor: Default::default(),
            descriptor_valid: Default::default(),
            descriptor_ready: Default::default(),
            beat: Default::default(),
            beat_valid: Default::default(),
            beat_ready: Default::default(),
            m_axis_tdata: Default::default(),
            m_axis_tkeep: Default::default(),
            m_axis_tvalid: Default::default(),
            m_axis_tready: Default::default(),
            m_axis_tlast: Default::default(),
            in_frame: Default::default(),
            idle: Default::default(),
            headers: FrameHeaders::new(messages, reads),
            icrc: Default::default(),
            part: Default::default(),
            index: Default::default(),
            left: Default::default(),
            bad: Default::default(),
            word: Default::default(),
            word_valid: Default::default(),
            word_half: Default::default(),
            word_icrc: Default::default(),
            word_index: Default::default(),
            word_last: Default::default(),
            word_bad: Default::default(),
            data: Default::default(),
            keep: Default::default(),
            last: Default::default(),
            valid: Default::default(),
            advance: Default::default(),
            octet: Default::default(),
            offered: Default::default(),
            offered_valid: Default::default(),
            offered_half: Default::default(),
            offered_last: Default::default(),
            offered_bad: Default::default(),
            pad: Default::default(),
            crc: Default::default(),
            beat_shift: Constant::new(u64::from(K.trailing_zeros()).into()),
            beat_bytes: Constant::new((K as u64).into()),
            has_half: Constant::new(K == 8),
            pad_beats: Constant::new(K == 1),
            half_bits: Constant::new(32.into()),
            after_headers: Constant::new(AFTER_HEADERS.into()),
            icrc_last: Constant::new((if K == 8 { 0 } else { 3 }).into()),
            lanes: Constant::new(Bits::<K>::mask()),
            icrc_lanes: Constant::new((if K == 8 { 0xF } else { 1 }).into()),
        }
    }
}

impl<const D: usize, const K: usize, const H: usize> Logic for Deparser<D, K, H> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, part, index, left, bad);
        dff_setup!(
            self, clock, word, word_valid, word_half, word_icrc, word_index
        );
        dff_setup!(self, clock, word_last, word_bad, data, keep, last, valid);
        self.icrc.clock.next = self.clock.val();
        self.advance.next = !self.valid.q.val() || self.m_axis_tready.val();
        self.headers.clock.next = self.clock.val();
        self.headers.descriptor.next = self.descriptor.val();
        self.headers.index.next = self.index.q.val();

        // The beat at the door.
        self.pad.next = bit_cast::<2, 16>(0 - self.descriptor.val().payload);
        self.offered.next = self.headers.word.val();
        self.offered_valid.next = self.descriptor_valid.val();
        self.offered_half.next = false;
        self.offered_last.next = false;
        self.offered_bad.next = self.bad.q.val();
        self.icrc.position.next = self.after_headers.val();
        self.beat_ready.next = false;
        self.octet.next = 0.into();
        self.descriptor_ready.next = false;
        match self.part.q.val() {
            Part::Header => {
                self.icrc.position.next = self.index.q.val() << self.beat_shift.val();
                self.offered_bad.next = false;
                if self.advance.val() && self.offered_valid.val() {
                    self.index.d.next = self.index.q.val() + 1;
                    self.left.d.next = self.descriptor.val().payload;
                    self.bad.d.next = false;
                    if self.headers.last.val() {
                        self.index.d.next = 0.into();
                        self.part.d.next = Part::Icrc;
                        if self.descriptor.val().payload.any() {
                            self.part.d.next = Part::Payload;
                        }
                    }
                }
            }
            Part::Payload => {
                self.offered.next = 0.into();
                for i in 0..K {
                    self.octet.next = self.beat.val().data.get_bits::<8>(8 * i);
                    if self.left.q.val() > i.to_bits::<16>() {
                        self.offered.next = self.offered.val()
                            | (bit_cast::<D, 8>(self.octet.val()) << (8 * i).to_bits::<7>());
                    }
                }
                self.offered_valid.next = self.beat_valid.val();
                self.offered_bad.next = self.bad.q.val() || self.beat.val().bad;
                self.offered_half.next = self.has_half.val() && (self.left.q.val() <= 4);
                self.offered_last.next = self.has_half.val() && (self.left.q.val() <= 4);
                self.beat_ready.next = self.advance.val();
                if self.advance.val() && self.offered_valid.val() {
                    self.left.d.next = self.left.q.val() - self.beat_bytes.val();
                    self.bad.d.next = self.offered_bad.val();
                    if self.left.q.val() <= self.beat_bytes.val() {
                        self.part.d.next = Part::Icrc;
                        if self.pad_beats.val() && self.pad.val().any() {
                            self.part.d.next = Part::Pad;
                        }
                        if self.offered_half.val() {
                            self.part.d.next = Part::Header;
                        }
                    }
                }
            }
            Part::Pad => {
                self.offered.next = 0.into();
                if self.advance.val() {
                    self.index.d.next = self.index.q.val() + 1;
                    if (self.index.q.val() + 1) == bit_cast::<7, 2>(self.pad.val()) {
                        self.index.d.next = 0.into();
                        self.part.d.next = Part::Icrc;
                    }
                }
            }
            Part::Icrc => {
                self.offered_last.next = self.index.q.val() == self.icrc_last.val();
                if self.advance.val() {
                    self.index.d.next = self.index.q.val() + 1;
                    if self.offered_last.val() {
                        self.index.d.next = 0.into();
                        self.part.d.next = Part::Header;
                    }
                }
            }
        }
        self.descriptor_ready.next =
            self.advance.val() && self.offered_valid.val() && self.offered_last.val();

        // Stage 1.
        self.icrc.advance.next = self.advance.val();
        self.icrc.valid.next = self.offered_valid.val() && (self.part.q.val() != Part::Icrc);
        self.icrc.data.next = self.offered.val();
        self.icrc.half.next = self.offered_half.val();
        if self.advance.val() {
            self.word.d.next = self.offered.val();
            self.word_valid.d.next = self.offered_valid.val();
            self.word_half.d.next = self.offered_half.val();
            self.word_icrc.d.next = self.part.q.val() == Part::Icrc;
            self.word_index.d.next = self.index.q.val();
            self.word_last.d.next = self.offered_last.val();
            self.word_bad.d.next = self.offered_bad.val();
        }

        // Stage 2: the ICRC goes in.
        self.crc.next = self.icrc.state.val();
        if self.word_half.q.val() {
            self.crc.next = self.icrc.ahead.val();
        }
        if !self.word_bad.q.val() {
            self.crc.next = !self.crc.val();
        }
        if self.advance.val() {
            self.valid.d.next = self.word_valid.q.val();
            self.last.d.next = self.word_last.q.val();
            self.data.d.next = self.word.q.val();
            self.keep.d.next = self.lanes.val();
            if self.word_half.q.val() {
                self.data.d.next =
                    self.word.q.val() | (bit_cast::<D, 32>(self.crc.val()) << self.half_bits.val());
            }
            if self.word_icrc.q.val() {
                self.data.d.next =
                    bit_cast::<D, 32>(self.crc.val() >> (self.word_index.q.val() << 3));
                self.keep.d.next = self.icrc_lanes.val();
            }
        }
        self.m_axis_tdata.next = self.data.q.val();
        self.m_axis_tkeep.next = self.keep.q.val();
        self.m_axis_tlast.next = self.last.q.val();
        self.m_axis_tvalid.next = self.valid.q.val();
        self.in_frame.next = (self.part.q.val() != Part::Header) || self.index.q.val().any();
        self.idle.next = !self.in_frame.val() && !self.word_valid.q.val() && !self.valid.q.val();
        if self.reset.val() {
            self.part.d.next = Part::Header;
            self.index.d.next = 0.into();
            self.bad.d.next = false;
            self.word_valid.d.next = false;
            self.valid.d.next = false;
        }
    }
}
