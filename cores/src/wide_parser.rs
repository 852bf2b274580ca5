//! From a stream of frames of wide beats to checked events and payload.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::crc32::crc32_residue;
use crate::event_queue::EventQueue;
use crate::generated::constants as protocol;
use crate::header_checks::HeaderChecks;
use crate::payload_length::PayloadLength;
use crate::payload_packer::PayloadPacker;
use crate::prim::Dff;
use crate::types::FrameEvent;
use crate::wide_headers::WideHeaders;
use crate::wide_icrc::{LATENCY, WideIcrc};
use rust_hdl::prelude::*;

/// Byte of a frame with the opcode: after Ethernet, IPv4 and UDP. Pad is in the next.
const OPCODE_BYTE: usize = 42;
/// Bits below the pad in its byte.
const PAD_SHIFT: usize = 4;
/// Byte with IPv4's total length, high byte first.
const TOTAL_BYTE: usize = 16;

/// What the checks before the ICRC make of a frame.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Checked {
    pub malformed: Bit,
    pub foreign: Bit,
    pub known: Bit,
    pub data: Bit,
    pub receive: Bit,
}

/// `Parser` for beats of 256 and 512 bits: the same checks, in the same order, with the same outcomes.
///
/// A beat a cycle whatever frames it is of, of one beat too. Nothing stalls behind the door: it closes when `payload_ready`
/// is low, or 15 frames wait for their ICRC or their engine. From a frame's last beat to its drop pulse 12 cycles, to its
/// event 14. `D` data bits, `K` = D / 8, `H` = beats of 104 bytes of headers (4, 2).
#[derive(LogicBlock)]
pub struct WideParser<const D: usize, const K: usize, const H: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<D>>,
    pub s_axis_tkeep: Signal<In, Bits<K>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    /// Depends on registers only.
    pub s_axis_tready: Signal<Out, Bit>,
    pub s_axis_tlast: Signal<In, Bit>,
    /// First byte lowest; what lies beyond the payload's end does not count. At most ceil(`max_payload` / K) beats a frame.
    pub payload: Signal<Out, Bits<D>>,
    pub payload_valid: Signal<Out, Bit>,
    /// There is room for 16 beats.
    pub payload_ready: Signal<In, Bit>,
    /// The frame is a good data packet: all its beats count.
    pub payload_commit: Signal<Out, Bit>,
    /// The frame is not: none of its beats counts.
    pub payload_rollback: Signal<Out, Bit>,
    /// Of both engines; `tail` beyond the opcode's headers is not defined.
    pub frame_event: Signal<Out, FrameEvent>,
    /// Data or PROBE.
    pub receive_valid: Signal<Out, Bit>,
    pub receive_ready: Signal<In, Bit>,
    /// ACK or REFUSAL.
    pub acknowledge_valid: Signal<Out, Bit>,
    pub acknowledge_ready: Signal<In, Bit>,
    /// One cycle each.
    pub drop_foreign: Signal<Out, Bit>,
    pub drop_malformed: Signal<Out, Bit>,
    pub drop_bad_icrc: Signal<Out, Bit>,
    pub drop_unknown_opcode: Signal<Out, Bit>,
    headers: WideHeaders<D, K, H>,
    length: PayloadLength,
    packer: PayloadPacker<D, K>,
    icrc: WideIcrc<D, K>,
    checks: HeaderChecks,
    queue: EventQueue,
    // The door.
    room: Dff<Bit>,
    /// Frames that have come in and have not left the queue.
    frames: Dff<Bits<4>>,
    take: Signal<Local, Bit>,
    ends: Signal<Local, Bits<K>>,
    last_lane: Signal<Local, Bits<6>>,
    // The beat that came in.
    data: Dff<Bits<D>>,
    valid: Dff<Bit>,
    last: Dff<Bit>,
    missing: Dff<Bits<6>>,
    beat_ragged: Dff<Bit>,
    /// Beats of its frame before it.
    index: Dff<Bits<12>>,
    ragged: Dff<Bit>,
    // A frame that has come in: its headers are in their registers for this cycle.
    ended: Dff<Bit>,
    ended_length: Dff<Bits<20>>,
    ended_ragged: Dff<Bit>,
    total: Signal<Local, Bits<16>>,
    /// Index i: the frame whose ICRC is known in LATENCY - i cycles.
    waiting: [Dff<Checked>; LATENCY],
    // The frame whose ICRC is there now.
    checked: Dff<Bit>,
    right: Dff<Bit>,
    judged: Signal<Local, Checked>,
    good: Signal<Local, Bit>,
    full: Constant<Bits<4>>,
    last_byte: Constant<Bits<6>>,
    kind_index: Constant<Bits<12>>,
    kind_place: Constant<Bits<10>>,
    pad_place: Constant<Bits<10>>,
    total_place: Constant<Bits<10>>,
    beat_shift: Constant<Bits<3>>,
    residue: Constant<Bits<32>>,
}

impl<const D: usize, const K: usize, const H: usize> WideParser<D, K, H> {
    /// `max_payload`: largest MTU in bytes, 1..=4096; `messages`: it knows the verbs that profile `Messages` adds.
    pub fn new(max_payload: usize, messages: bool) -> Self {
        assert!(
            (1..=protocol::MAX_PAYLOAD_BYTES as usize).contains(&max_payload),
            "a payload of {max_payload} bytes"
        );
        let bit_in_beat = |byte: usize, bit: usize| (8 * (byte % K) + bit) as u64;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            s_axis_tdata: Default::default(),
            s_axis_tkeep: Default::default(),
            s_axis_tvalid: Default::default(),
            s_axis_tready: Default::default(),
            s_axis_tlast: Default::default(),
            payload: Default::default(),
            payload_valid: Default::default(),
            payload_ready: Default::default(),
            payload_commit: Default::default(),
            payload_rollback: Default::default(),
            frame_event: Default::default(),
            receive_valid: Default::default(),
            receive_ready: Default::default(),
            acknowledge_valid: Default::default(),
            acknowledge_ready: Default::default(),
            drop_foreign: Default::default(),
            drop_malformed: Default::default(),
            drop_bad_icrc: Default::default(),
            drop_unknown_opcode: Default::default(),
            headers: Default::default(),
            length: PayloadLength::new(K, max_payload, messages),
            packer: Default::default(),
            icrc: Default::default(),
            checks: Default::default(),
            queue: Default::default(),
            room: Default::default(),
            frames: Default::default(),
            take: Default::default(),
            ends: Default::default(),
            last_lane: Default::default(),
            data: Default::default(),
            valid: Default::default(),
            last: Default::default(),
            missing: Default::default(),
            beat_ragged: Default::default(),
            index: Default::default(),
            ragged: Default::default(),
            ended: Default::default(),
            ended_length: Default::default(),
            ended_ragged: Default::default(),
            total: Default::default(),
            waiting: std::array::from_fn(|_| Default::default()),
            checked: Default::default(),
            right: Default::default(),
            judged: Default::default(),
            good: Default::default(),
            full: Constant::new(15.into()),
            last_byte: Constant::new((K as u64 - 1).into()),
            kind_index: Constant::new(((OPCODE_BYTE / K) as u64).into()),
            kind_place: Constant::new(bit_in_beat(OPCODE_BYTE, 0).into()),
            pad_place: Constant::new(bit_in_beat(OPCODE_BYTE + 1, PAD_SHIFT).into()),
            total_place: Constant::new((8 * (62 - TOTAL_BYTE) as u64).into()),
            beat_shift: Constant::new(u64::from(K.trailing_zeros()).into()),
            residue: Constant::new(u64::from(crc32_residue()).into()),
        }
    }
}

impl<const D: usize, const K: usize, const H: usize> Logic for WideParser<D, K, H> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, room, frames, data, valid, last, missing);
        dff_setup!(self, clock, beat_ragged, index, ragged);
        dff_setup!(
            self,
            clock,
            ended,
            ended_length,
            ended_ragged,
            checked,
            right
        );
        for i in 0..10 {
            self.waiting[i].clock.next = self.clock.val();
        }
        self.headers.clock.next = self.clock.val();
        self.length.clock.next = self.clock.val();
        self.length.reset.next = self.reset.val();
        self.packer.clock.next = self.clock.val();
        self.packer.reset.next = self.reset.val();
        self.icrc.clock.next = self.clock.val();
        self.icrc.reset.next = self.reset.val();
        self.queue.clock.next = self.clock.val();
        self.queue.reset.next = self.reset.val();

        // The door.
        self.room.d.next = self.payload_ready.val();
        self.s_axis_tready.next = self.room.q.val() && (self.frames.q.val() != self.full.val());
        self.take.next = self.s_axis_tvalid.val() && self.s_axis_tready.val();
        if self.take.val() && self.s_axis_tlast.val() && !self.queue.left.val() {
            self.frames.d.next = self.frames.q.val() + 1;
        }
        if !(self.take.val() && self.s_axis_tlast.val()) && self.queue.left.val() {
            self.frames.d.next = self.frames.q.val() - 1;
        }

        // A beat comes in. Its last byte is where the next one does not count.
        self.ends.next = self.s_axis_tkeep.val() & !(self.s_axis_tkeep.val() >> 1);
        self.last_lane.next = 0.into();
        for i in 0..K {
            if self.ends.val().get_bit(i) {
                self.last_lane.next = self.last_lane.val() | i.to_bits::<6>();
            }
        }
        self.data.d.next = self.s_axis_tdata.val();
        self.valid.d.next = self.take.val();
        self.last.d.next = self.s_axis_tlast.val();
        self.missing.d.next = 0.into();
        self.beat_ragged.d.next = !self.s_axis_tkeep.val().all();
        if self.s_axis_tlast.val() {
            self.missing.d.next = self.last_byte.val() - self.last_lane.val();
            self.beat_ragged.d.next = !self.s_axis_tkeep.val().get_bit(0)
                || ((self.s_axis_tkeep.val() >> 1) & !self.s_axis_tkeep.val()).any();
        }

        // It is shared out.
        self.headers.enable.next = self.valid.q.val();
        self.headers.index.next = self.index.q.val();
        self.headers.data.next = self.data.q.val();
        self.icrc.valid.next = self.valid.q.val();
        self.icrc.data.next = self.data.q.val();
        self.icrc.last.next = self.last.q.val();
        self.icrc.missing.next = self.missing.q.val();
        self.length.enable.next =
            self.valid.q.val() && (self.index.q.val() == self.kind_index.val());
        self.length.opcode.next = self
            .data
            .q
            .val()
            .get_bits::<8>(self.kind_place.val().index());
        self.length.pad.next = self
            .data
            .q
            .val()
            .get_bits::<2>(self.pad_place.val().index());
        self.length.total.next = self.total.val();
        self.packer.data.next = self.data.q.val();
        self.packer.valid.next = self.valid.q.val();
        self.packer.last.next = self.last.q.val();
        self.packer.index.next = self.index.q.val();
        self.packer.header_bytes.next = self.length.header_bytes.val();
        self.packer.load.next = self.length.load.val();
        self.packer.beats.next = self.length.beats.val();
        self.ended.d.next = self.valid.q.val() && self.last.q.val();
        self.ended_length.d.next = ((bit_cast::<20, 12>(self.index.q.val()) + 1)
            << self.beat_shift.val())
            - bit_cast::<20, 6>(self.missing.q.val());
        self.ended_ragged.d.next = self.ragged.q.val() || self.beat_ragged.q.val();
        if self.valid.q.val() {
            if !self.index.q.val().all() {
                self.index.d.next = self.index.q.val() + 1;
            }
            self.ragged.d.next = self.ragged.q.val() || self.beat_ragged.q.val();
            if self.last.q.val() {
                self.index.d.next = 0.into();
                self.ragged.d.next = false;
            }
        }

        // A frame has come in.
        self.total.next = self.headers.common.val().get_bits::<16>(368);
        self.checks.common.next = self.headers.common.val();
        self.checks.tail.next = self.headers.tail.val();
        self.checks.length.next = self.ended_length.q.val();
        self.checks.ragged.next = self.ended_ragged.q.val();
        self.checks.known.next = self.length.known.val();
        self.checks.data.next = self.length.data.val();
        self.checks.header_bytes.next = self.length.header_bytes.val();
        self.checks.fits.next = self.length.fits.val();
        self.checks.payload.next = self.length.payload.val();
        self.queue.push.next = self.checks.frame_event.val();
        self.queue.push_valid.next = self.ended.q.val();
        // Too short a frame is nothing else.
        self.waiting[0].d.next.malformed = self.checks.too_short.val()
            || (self.checks.malformed.val() && !self.checks.foreign.val());
        self.waiting[0].d.next.foreign = self.checks.foreign.val();
        self.waiting[0].d.next.known = self.length.known.val();
        self.waiting[0].d.next.data = self.length.data.val();
        self.waiting[0].d.next.receive = self.length.receive.val();
        for i in 1..10 {
            self.waiting[i].d.next = self.waiting[i - 1].q.val();
        }

        // Its ICRC is known.
        self.checked.d.next = self.icrc.done.val();
        self.right.d.next = self.icrc.state.val() == self.residue.val();
        self.judged.next = self.waiting[9].q.val();
        self.drop_malformed.next = false;
        self.drop_foreign.next = false;
        self.drop_bad_icrc.next = false;
        self.drop_unknown_opcode.next = false;
        self.good.next = false;
        if self.checked.q.val() {
            if self.judged.val().malformed {
                self.drop_malformed.next = true;
            } else if self.judged.val().foreign {
                self.drop_foreign.next = true;
            } else if !self.right.q.val() {
                self.drop_bad_icrc.next = true;
            } else if !self.judged.val().known {
                self.drop_unknown_opcode.next = true;
            } else {
                self.good.next = true;
            }
        }
        self.payload.next = self.packer.payload.val();
        self.payload_valid.next = self.packer.payload_valid.val();
        self.payload_commit.next = self.good.val() && self.judged.val().data;
        self.payload_rollback.next =
            self.checked.q.val() && !(self.good.val() && self.judged.val().data);
        self.queue.verdict.next.receive = self.good.val() && self.judged.val().receive;
        self.queue.verdict.next.acknowledge = self.good.val() && !self.judged.val().receive;
        self.queue.verdict_valid.next = self.checked.q.val();

        // An event waits for its engine.
        self.frame_event.next = self.queue.frame_event.val();
        self.receive_valid.next = self.queue.receive_valid.val();
        self.queue.receive_ready.next = self.receive_ready.val();
        self.acknowledge_valid.next = self.queue.acknowledge_valid.val();
        self.queue.acknowledge_ready.next = self.acknowledge_ready.val();
        if self.reset.val() {
            self.room.d.next = false;
            self.frames.d.next = 0.into();
            self.valid.d.next = false;
            self.index.d.next = 0.into();
            self.ragged.d.next = false;
            self.ended.d.next = false;
            self.checked.d.next = false;
        }
    }
}
