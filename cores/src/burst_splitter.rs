//! Cuts a transfer into AXI4 bursts.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::prim::Dff;
use rust_hdl::prelude::*;

/// AXI4 forbids a burst to cross a multiple of this (IHI 0022H, A3.4.1).
pub const BOUNDARY_BYTES: usize = 4096;

/// Longest burst of an AXI4 INCR transfer in beats (IHI 0022H, A3.4.1).
const MOST_BEATS: usize = 256;

/// Bursts of at most `burst_beats` beats, none of which crosses a multiple of its own largest size.
///
/// The ports of a burst can be an AXI4 address channel: they hold until `burst_ready`. A burst a cycle; the first is
/// offered one cycle after `start`.
#[derive(LogicBlock)]
pub struct BurstSplitter {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    /// A transfer begins; only when `free`.
    pub start: Signal<In, Bit>,
    /// Of its first byte.
    pub address: Signal<In, Bits<64>>,
    /// Beats that it touches, not 0.
    pub beats: Signal<In, Bits<16>>,
    /// A burst is still to be offered.
    pub busy: Signal<Out, Bit>,
    /// A transfer may begin: nothing is to be offered any more, or the last burst is taken in this cycle.
    pub free: Signal<Out, Bit>,
    /// A multiple of a beat's bytes.
    pub burst_address: Signal<Out, Bits<64>>,
    /// Beats less one.
    pub burst_len: Signal<Out, Bits<8>>,
    pub burst_valid: Signal<Out, Bit>,
    pub burst_ready: Signal<In, Bit>,
    next_address: Dff<Bits<64>>,
    left: Dff<Bits<16>>,
    room: Signal<Local, Bits<16>>,
    take: Signal<Local, Bits<16>>,
    beat_shift: Constant<Bits<3>>,
    lane_mask: Constant<Bits<64>>,
    block_mask: Constant<Bits<16>>,
    block: Constant<Bits<16>>,
    inside_block: Constant<Bits<64>>,
    block_bytes: Constant<Bits<64>>,
}

impl BurstSplitter {
    /// `beat_bytes` and `burst_beats` are powers of two, `burst_beats` at most 256, a burst at most 4096 bytes.
    pub fn new(beat_bytes: usize, burst_beats: usize) -> Self {
        assert!(
            beat_bytes.is_power_of_two() && beat_bytes <= 128,
            "a beat of {beat_bytes} bytes"
        );
        assert!(
            burst_beats.is_power_of_two() && burst_beats <= MOST_BEATS,
            "a burst of {burst_beats} beats"
        );
        assert!(
            burst_beats * beat_bytes <= BOUNDARY_BYTES,
            "a burst larger than {BOUNDARY_BYTES} bytes"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            start: Default::default(),
            address: Default::default(),
            beats: Default::default(),
            busy: Default::default(),
            free: Default::default(),
            burst_address: Default::default(),
            burst_len: Default::default(),
            burst_valid: Default::default(),
            burst_ready: Default::default(),
            next_address: Default::default(),
            left: Default::default(),
            room: Default::default(),
            take: Default::default(),
            beat_shift: Constant::new(u64::from(beat_bytes.trailing_zeros()).into()),
            lane_mask: Constant::new((beat_bytes as u64 - 1).into()),
            block_mask: Constant::new((burst_beats as u64 - 1).into()),
            block: Constant::new((burst_beats as u64).into()),
            inside_block: Constant::new(((burst_beats * beat_bytes) as u64 - 1).into()),
            block_bytes: Constant::new(((burst_beats * beat_bytes) as u64).into()),
        }
    }
}

impl Logic for BurstSplitter {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, next_address, left);
        self.room.next = self.block.val()
            - (bit_cast::<16, 64>(self.next_address.q.val() >> self.beat_shift.val())
                & self.block_mask.val());
        self.take.next = self.room.val();
        if self.left.q.val() < self.room.val() {
            self.take.next = self.left.q.val();
        }
        self.busy.next = self.left.q.val().any();
        self.free.next = !self.left.q.val().any()
            || (self.burst_ready.val() && (self.left.q.val() <= self.room.val()));
        self.burst_valid.next = self.left.q.val().any();
        self.burst_address.next = self.next_address.q.val();
        self.burst_len.next = bit_cast::<8, 16>(self.take.val() - 1);
        if self.burst_valid.val() && self.burst_ready.val() {
            self.left.d.next = 0.into();
            if self.left.q.val() > self.room.val() {
                self.left.d.next = self.left.q.val() - self.room.val();
            }
            // Every burst but the last ends with its block.
            self.next_address.d.next =
                (self.next_address.q.val() & (!self.inside_block.val())) + self.block_bytes.val();
        }
        if self.start.val() {
            self.left.d.next = self.beats.val();
            self.next_address.d.next = self.address.val() & (!self.lane_mask.val());
        }
        if self.reset.val() {
            self.left.d.next = 0.into();
        }
    }
}
