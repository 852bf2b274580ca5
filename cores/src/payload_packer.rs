//! Moves the payload of a frame of wide beats to lane 0.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::generated::constants as protocol;
use crate::prim::{Dff, RamLut};
use crate::wide_icrc::LATENCY;
use rust_hdl::prelude::*;

/// Takes the beats of frames, gives packed beats of payload: its first byte in lane 0, no gaps. Nothing stalls.
///
/// A packed beat is made of two beats of the frame, or of its last one alone, in the cycle after it: the next frame has no
/// payload to give in its first cycle, so there is never more than one. It leaves as many cycles later as the frame's
/// ICRC takes. `D` data bits (256, 512), `K` = D / 8.
#[derive(LogicBlock)]
pub struct PayloadPacker<const D: usize, const K: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// First byte lowest.
    pub data: Signal<In, Bits<D>>,
    pub valid: Signal<In, Bit>,
    pub last: Signal<In, Bit>,
    /// Number of the beat in its frame.
    pub index: Signal<In, Bits<12>>,
    /// Bytes of headers, from the cycle after the opcode's beat on.
    pub header_bytes: Signal<In, Bits<7>>,
    /// In that cycle.
    pub load: Signal<In, Bit>,
    /// Packed beats that the frame's payload makes.
    pub beats: Signal<In, Bits<8>>,
    /// First byte lowest; what lies beyond the payload's end does not count.
    pub payload: Signal<Out, Bits<D>>,
    pub payload_valid: Signal<Out, Bit>,
    held: Dff<Bits<D>>,
    /// `held` has payload.
    held_payload: Dff<Bit>,
    /// `held` is its frame's last beat, and came in the cycle before.
    flush: Dff<Bit>,
    left: Dff<Bits<8>>,
    joined: Signal<Local, Bits<D>>,
    emit: Signal<Local, Bit>,
    delay: RamLut<Bits<D>, 4>,
    place: Dff<Bits<4>>,
    valids: [Dff<Bit>; LATENCY],
    first: Signal<Local, Bits<7>>,
    beat_shift: Constant<Bits<3>>,
    latency: Constant<Bits<4>>,
    send_bytes: Constant<Bits<7>>,
    write_bytes: Constant<Bits<7>>,
    send_down: Constant<Bits<10>>,
    send_up: Constant<Bits<10>>,
    write_down: Constant<Bits<10>>,
    write_up: Constant<Bits<10>>,
    longest_down: Constant<Bits<10>>,
    longest_up: Constant<Bits<10>>,
}

/// Bits below the payload in its first beat.
const fn below(overhead_bytes: u64, beat_bytes: usize) -> u64 {
    8 * ((overhead_bytes - 4) % beat_bytes as u64)
}

impl<const D: usize, const K: usize> Default for PayloadPacker<D, K> {
    fn default() -> Self {
        assert!(
            D == 8 * K && (K == 32 || K == 64),
            "D is 256 or 512, K is D / 8"
        );
        let down = |overhead| Constant::new(below(overhead, K).into());
        let up = |overhead| Constant::new((D as u64 - below(overhead, K)).into());
        Self {
            clock: Default::default(),
            reset: Default::default(),
            data: Default::default(),
            valid: Default::default(),
            last: Default::default(),
            index: Default::default(),
            header_bytes: Default::default(),
            load: Default::default(),
            beats: Default::default(),
            payload: Default::default(),
            payload_valid: Default::default(),
            held: Default::default(),
            held_payload: Default::default(),
            flush: Default::default(),
            left: Default::default(),
            joined: Default::default(),
            emit: Default::default(),
            delay: Default::default(),
            place: Default::default(),
            valids: std::array::from_fn(|_| Default::default()),
            first: Default::default(),
            beat_shift: Constant::new(u64::from(K.trailing_zeros()).into()),
            latency: Constant::new((LATENCY as u64).into()),
            send_bytes: Constant::new((protocol::SEND_OVERHEAD_BYTES - 4).into()),
            write_bytes: Constant::new((protocol::WRITE_OVERHEAD_BYTES - 4).into()),
            send_down: down(protocol::SEND_OVERHEAD_BYTES),
            send_up: up(protocol::SEND_OVERHEAD_BYTES),
            write_down: down(protocol::WRITE_OVERHEAD_BYTES),
            write_up: up(protocol::WRITE_OVERHEAD_BYTES),
            longest_down: down(protocol::WRITE_IMM_OVERHEAD_BYTES),
            longest_up: up(protocol::WRITE_IMM_OVERHEAD_BYTES),
        }
    }
}

impl<const D: usize, const K: usize> Logic for PayloadPacker<D, K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, held, held_payload, flush, left, place);
        self.delay.clock.next = self.clock.val();
        for i in 0..10 {
            self.valids[i].clock.next = self.clock.val();
        }

        // A beat comes in.
        self.first.next = self.header_bytes.val() >> self.beat_shift.val();
        self.flush.d.next = self.valid.val() && self.last.val();
        if self.flush.q.val() {
            self.held_payload.d.next = false;
        }
        if self.valid.val() {
            self.held.d.next = self.data.val();
            self.held_payload.d.next = self.index.val() >= bit_cast::<12, 7>(self.first.val());
        }

        // A packed beat: headers end in one of three places.
        self.joined.next = (self.held.q.val() >> self.longest_down.val())
            | (self.data.val() << self.longest_up.val());
        if self.header_bytes.val() == self.send_bytes.val() {
            self.joined.next = (self.held.q.val() >> self.send_down.val())
                | (self.data.val() << self.send_up.val());
        } else if self.header_bytes.val() == self.write_bytes.val() {
            self.joined.next = (self.held.q.val() >> self.write_down.val())
                | (self.data.val() << self.write_up.val());
        }
        self.emit.next = self.held_payload.q.val()
            && self.left.q.val().any()
            && (self.flush.q.val() || self.valid.val());
        if self.emit.val() {
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.load.val() {
            self.left.d.next = self.beats.val();
        }

        // It waits for its frame's ICRC.
        self.place.d.next = self.place.q.val() + 1;
        self.delay.write_enable.next = self.emit.val();
        self.delay.write_address.next = self.place.q.val();
        self.delay.write_data.next = self.joined.val();
        self.delay.read_address.next = self.place.q.val() - self.latency.val();
        self.payload.next = self.delay.read_data.val();
        self.valids[0].d.next = self.emit.val();
        for i in 1..10 {
            self.valids[i].d.next = self.valids[i - 1].q.val();
        }
        self.payload_valid.next = self.valids[9].q.val();
        if self.reset.val() {
            self.held_payload.d.next = false;
            self.flush.d.next = false;
            self.left.d.next = 0.into();
            for i in 0..10 {
                self.valids[i].d.next = false;
            }
        }
    }
}
