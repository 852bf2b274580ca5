//! Frames that wait for their ICRC on their way out.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::prim::{Dff, RamSdp};
use crate::wide_icrc::LATENCY;
use rust_hdl::prelude::*;

/// What goes with a beat.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct BeatEnd {
    /// The frame's last beat.
    pub last: Bit,
    /// Then: place of the ICRC, in words of 4 bytes.
    pub place: Bits<4>,
    /// Then: the ICRC must be wrong.
    pub bad: Bit,
}

/// A FIFO of 31 beats, each of which may leave once the ICRC that began with it is known, and no sooner: so a frame whose
/// beats came without a gap leaves without one. `D` data bits.
#[derive(LogicBlock)]
pub struct FrameDelay<const D: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high: empties it.
    pub reset: Signal<In, Bit>,
    pub data: Signal<In, Bits<D>>,
    pub ending: Signal<In, BeatEnd>,
    /// There must be room.
    pub push_valid: Signal<In, Bit>,
    /// Beats that may be pushed without a pop.
    pub space: Signal<Out, Bits<5>>,
    pub pop_data: Signal<Out, Bits<D>>,
    pub pop_ending: Signal<Out, BeatEnd>,
    pub pop_valid: Signal<Out, Bit>,
    pub pop_ready: Signal<In, Bit>,
    pub empty: Signal<Out, Bit>,
    words: RamSdp<Bits<D>, 5>,
    ends: RamSdp<BeatEnd, 5>,
    write_pointer: Dff<Bits<5>>,
    read_pointer: Dff<Bits<5>>,
    /// The write pointer as it was: index i after i + 1 cycles.
    written: [Dff<Bits<5>>; LATENCY],
    next_read: Signal<Local, Bits<5>>,
}

impl<const D: usize> Default for FrameDelay<D> {
    fn default() -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            data: Default::default(),
            ending: Default::default(),
            push_valid: Default::default(),
            space: Default::default(),
            pop_data: Default::default(),
            pop_ending: Default::default(),
            pop_valid: Default::default(),
            pop_ready: Default::default(),
            empty: Default::default(),
            words: Default::default(),
            ends: Default::default(),
            write_pointer: Default::default(),
            read_pointer: Default::default(),
            written: std::array::from_fn(|_| Default::default()),
            next_read: Default::default(),
        }
    }
}

impl<const D: usize> Logic for FrameDelay<D> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, write_pointer, read_pointer);
        for i in 0..10 {
            self.written[i].clock.next = self.clock.val();
        }
        self.words.clock.next = self.clock.val();
        self.ends.clock.next = self.clock.val();
        self.words.write_enable.next = self.push_valid.val();
        self.words.write_address.next = self.write_pointer.q.val();
        self.words.write_data.next = self.data.val();
        self.ends.write_enable.next = self.push_valid.val();
        self.ends.write_address.next = self.write_pointer.q.val();
        self.ends.write_data.next = self.ending.val();
        if self.push_valid.val() {
            self.write_pointer.d.next = self.write_pointer.q.val() + 1;
        }
        self.written[0].d.next = self.write_pointer.q.val();
        for i in 1..10 {
            self.written[i].d.next = self.written[i - 1].q.val();
        }
        self.space.next = !(self.write_pointer.q.val() - self.read_pointer.q.val());
        self.empty.next = self.write_pointer.q.val() == self.read_pointer.q.val();
        self.pop_valid.next = self.written[9].q.val() != self.read_pointer.q.val();
        self.next_read.next = self.read_pointer.q.val();
        if self.pop_valid.val() && self.pop_ready.val() {
            self.next_read.next = self.read_pointer.q.val() + 1;
        }
        self.read_pointer.d.next = self.next_read.val();
        self.words.read_address.next = self.next_read.val();
        self.ends.read_address.next = self.next_read.val();
        self.pop_data.next = self.words.read_data.val();
        self.pop_ending.next = self.ends.read_data.val();
        if self.reset.val() {
            self.write_pointer.d.next = 0.into();
            self.read_pointer.d.next = 0.into();
            for i in 0..10 {
                self.written[i].d.next = 0.into();
            }
        }
    }
}
