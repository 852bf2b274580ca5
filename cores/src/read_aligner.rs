//! Moves the bytes of a read to lane 0.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// One read, as the aligner needs it.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ReadNote {
    /// Lane of the first byte.
    pub offset: Bits<3>,
    /// Beats that come from memory.
    pub raw_beats: Bits<16>,
    /// Beats that leave; `raw_beats` or one less. Not 0.
    pub beats: Bits<16>,
}

/// Takes the beats of each noted read and gives packed beats: the first byte in lane 0, no gaps.
///
/// One beat a cycle; no latency but one cycle after each note, and one more if `offset` is not 0. What lies beyond the
/// last byte is not defined.
#[derive(LogicBlock)]
pub struct ReadAligner<const D: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    pub note: Signal<In, ReadNote>,
    pub note_valid: Signal<In, Bit>,
    pub note_ready: Signal<Out, Bit>,
    pub raw: Signal<In, Bits<D>>,
    /// The beat was answered with an error.
    pub raw_bad: Signal<In, Bit>,
    pub raw_valid: Signal<In, Bit>,
    pub raw_ready: Signal<Out, Bit>,
    pub beat: Signal<Out, Bits<D>>,
    /// This beat, or one of the beats that it was made of, is bad.
    pub beat_bad: Signal<Out, Bit>,
    pub beat_valid: Signal<Out, Bit>,
    pub beat_ready: Signal<In, Bit>,
    /// No read is under way.
    pub idle: Signal<Out, Bit>,
    offset: Dff<Bits<3>>,
    raw_left: Dff<Bits<16>>,
    left: Dff<Bits<16>>,
    /// `held` is a beat of this read.
    primed: Dff<Bit>,
    held: Dff<Bits<D>>,
    held_bad: Dff<Bit>,
    prime: Signal<Local, Bit>,
    flush: Signal<Local, Bit>,
    down: Signal<Local, Bits<7>>,
    up: Signal<Local, Bits<7>>,
    width: Constant<Bits<7>>,
}

impl<const D: usize> Default for ReadAligner<D> {
    fn default() -> Self {
        assert!(
            D.is_power_of_two() && (8..=64).contains(&D),
            "{D} data bits"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            note: Default::default(),
            note_valid: Default::default(),
            note_ready: Default::default(),
            raw: Default::default(),
            raw_bad: Default::default(),
            raw_valid: Default::default(),
            raw_ready: Default::default(),
            beat: Default::default(),
            beat_bad: Default::default(),
            beat_valid: Default::default(),
            beat_ready: Default::default(),
            idle: Default::default(),
            offset: Default::default(),
            raw_left: Default::default(),
            left: Default::default(),
            primed: Default::default(),
            held: Default::default(),
            held_bad: Default::default(),
            prime: Default::default(),
            flush: Default::default(),
            down: Default::default(),
            up: Default::default(),
            width: Constant::new((D as u64).into()),
        }
    }
}

impl<const D: usize> Logic for ReadAligner<D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, offset, raw_left, left, primed, held, held_bad);
        self.idle.next = !self.left.q.val().any();
        self.note_ready.next = !self.left.q.val().any();
        // The first beat is only kept, unless it holds all.
        self.prime.next =
            self.offset.q.val().any() && !self.primed.q.val() && (self.raw_left.q.val() != 1);
        // The last bytes are already here.
        self.flush.next = self.primed.q.val() && !self.raw_left.q.val().any();
        self.down.next = bit_cast::<7, 3>(self.offset.q.val()) << 3;
        self.up.next = self.width.val() - self.down.val();
        self.beat.next = self.raw.val() >> self.down.val();
        self.beat_bad.next = self.raw_bad.val() && !self.flush.val();
        if self.primed.q.val() {
            self.beat.next =
                (self.held.q.val() >> self.down.val()) | (self.raw.val() << self.up.val());
            self.beat_bad.next = self.held_bad.q.val() || (self.raw_bad.val() && !self.flush.val());
        }
        self.beat_valid.next = self.left.q.val().any()
            && !self.prime.val()
            && (self.flush.val() || self.raw_valid.val());
        self.raw_ready.next = self.left.q.val().any()
            && (self.prime.val() || (!self.flush.val() && self.beat_ready.val()));
        if self.raw_valid.val() && self.raw_ready.val() {
            self.held.d.next = self.raw.val();
            self.held_bad.d.next = self.raw_bad.val();
            self.raw_left.d.next = self.raw_left.q.val() - 1;
            self.primed.d.next = self.offset.q.val().any();
        }
        if self.beat_valid.val() && self.beat_ready.val() {
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.note_valid.val() && self.note_ready.val() {
            self.offset.d.next = self.note.val().offset;
            self.raw_left.d.next = self.note.val().raw_beats;
            self.left.d.next = self.note.val().beats;
            self.primed.d.next = false;
        }
        if self.reset.val() {
            self.left.d.next = 0.into();
            self.primed.d.next = false;
        }
    }
}
