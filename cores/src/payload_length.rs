//! How much payload the headers of a frame announce.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::frame_kind::FrameKind;
use crate::generated::constants as protocol;
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// Bytes of headers and ICRC that IPv4's total length does not count: Ethernet's 14 less the ICRC's 4.
const UNCOUNTED: u64 = 10;

/// What opcode, pad and total length say, in two stages: `kind` outputs one cycle after `enable`, lengths two.
#[derive(LogicBlock)]
pub struct PayloadLength {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// Opcode and pad are there.
    pub enable: Signal<In, Bit>,
    pub opcode: Signal<In, Bits<8>>,
    pub pad: Signal<In, Bits<2>>,
    /// IPv4's total length, one cycle after `enable`.
    pub total: Signal<In, Bits<16>>,
    /// One cycle after `enable`, for one cycle.
    pub load: Signal<Out, Bit>,
    /// With `load`: packed beats of the payload, 0 if it does not fit.
    pub beats: Signal<Out, Bits<8>>,
    pub known: Signal<Out, Bit>,
    pub data: Signal<Out, Bit>,
    pub receive: Signal<Out, Bit>,
    pub header_bytes: Signal<Out, Bits<7>>,
    /// After `load`: the payload is not negative and not too long.
    pub fits: Signal<Out, Bit>,
    /// After `load`: its bytes.
    pub payload: Signal<Out, Bits<16>>,
    kind: FrameKind,
    loaded: Dff<Bit>,
    kind_known: Dff<Bit>,
    kind_data: Dff<Bit>,
    kind_receive: Dff<Bit>,
    kind_header: Dff<Bits<7>>,
    /// Total length without payload; with all that may be; without payload, rounded down to beats.
    least: Dff<Bits<16>>,
    most: Dff<Bits<16>>,
    spared: Dff<Bits<16>>,
    bytes: Dff<Bits<16>>,
    fit: Dff<Bit>,
    overhead: Signal<Local, Bits<16>>,
    fits_now: Signal<Local, Bit>,
    shortest: Constant<Bits<7>>,
    uncounted: Constant<Bits<16>>,
    max_payload: Constant<Bits<16>>,
    round: Constant<Bits<16>>,
    beat_shift: Constant<Bits<3>>,
}

impl PayloadLength {
    /// `max_payload`: largest MTU in bytes; `messages`: it knows the verbs that profile `Messages` adds.
    pub fn new(beat_bytes: usize, max_payload: usize, messages: bool) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            enable: Default::default(),
            opcode: Default::default(),
            pad: Default::default(),
            total: Default::default(),
            load: Default::default(),
            beats: Default::default(),
            known: Default::default(),
            data: Default::default(),
            receive: Default::default(),
            header_bytes: Default::default(),
            fits: Default::default(),
            payload: Default::default(),
            kind: FrameKind::new(messages),
            loaded: Default::default(),
            kind_known: Default::default(),
            kind_data: Default::default(),
            kind_receive: Default::default(),
            kind_header: Default::default(),
            least: Default::default(),
            most: Default::default(),
            spared: Default::default(),
            bytes: Default::default(),
            fit: Default::default(),
            overhead: Default::default(),
            fits_now: Default::default(),
            shortest: Constant::new(protocol::COMMON_BYTES.into()),
            uncounted: Constant::new(UNCOUNTED.into()),
            max_payload: Constant::new((max_payload as u64).into()),
            round: Constant::new((beat_bytes as u64 - 1).into()),
            beat_shift: Constant::new(u64::from(beat_bytes.trailing_zeros()).into()),
        }
    }
}

impl Logic for PayloadLength {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, loaded, kind_known, kind_data, kind_receive);
        dff_setup!(self, clock, kind_header, least, most, spared, bytes, fit);

        // Opcode and pad.
        self.kind.opcode.next = self.opcode.val();
        self.overhead.next = bit_cast::<16, 7>(self.kind.header_bytes.val()) - self.uncounted.val()
            + bit_cast::<16, 2>(self.pad.val());
        self.loaded.d.next = self.enable.val();
        if self.enable.val() {
            self.kind_known.d.next = self.kind.known.val();
            self.kind_data.d.next = self.kind.data.val();
            self.kind_receive.d.next = self.kind.receive.val();
            self.kind_header.d.next = self.kind.header_bytes.val();
            self.least.d.next = self.overhead.val();
            self.most.d.next = self.overhead.val() + self.max_payload.val();
            self.spared.d.next = self.overhead.val() - self.round.val();
        }

        // Lengths.
        self.fits_now.next =
            (self.total.val() >= self.least.q.val()) && (self.total.val() <= self.most.q.val());
        self.load.next = self.loaded.q.val();
        self.beats.next = 0.into();
        if self.kind_data.q.val() && self.fits_now.val() {
            self.beats.next = bit_cast::<8, 16>(
                (self.total.val() - self.spared.q.val()) >> self.beat_shift.val(),
            );
        }
        if self.loaded.q.val() {
            self.fit.d.next = self.fits_now.val();
            self.bytes.d.next = self.total.val() - self.least.q.val();
        }
        self.known.next = self.kind_known.q.val();
        self.data.next = self.kind_data.q.val();
        self.receive.next = self.kind_receive.q.val();
        self.header_bytes.next = self.kind_header.q.val();
        self.fits.next = self.fit.q.val();
        self.payload.next = self.bytes.q.val();
        if self.reset.val() {
            // Before the first opcode: no beat of headers is taken for payload.
            self.kind_header.d.next = self.shortest.val();
        }
    }
}
