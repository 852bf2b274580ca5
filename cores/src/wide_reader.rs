//! Reads host memory through a wide AXI4 port.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::beat::Beat;
use crate::burst_splitter::BurstSplitter;
use crate::byte_rotator::ByteRotator;
use crate::lane_mask::LaneMask;
use crate::prim::Dff;
use crate::stream_fifo::StreamFifo;
use rust_hdl::prelude::*;

/// What to read, and where it goes.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct PlacedRead {
    /// Of the first byte; any alignment.
    pub address: Bits<64>,
    /// Bytes, 0 to what the FIFO holds.
    pub length: Bits<16>,
    /// Lane of the first byte in the first beat that leaves.
    pub lane: Bits<6>,
}

/// A read, as the beats that come from memory need it.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct PlacedNote {
    /// Lanes that memory's beats are moved up, round the end.
    pub amount: Bits<6>,
    /// Memory's first beat ends in the first beat that leaves, and gives nothing before the second came.
    pub primes: Bit,
    /// Beats of memory.
    pub raw_beats: Bits<16>,
    /// Cycles: beats that leave, and one more if it primes. Not 0.
    pub steps: Bits<16>,
}

/// Commands in, placed beats out, in order: ceil((lane + length) / K) beats a command, none for length 0.
///
/// `D` data bits (256, 512), `K` = D / 8, `A` = log2 of the FIFO's beats. A command is taken when the FIFO has room for
/// all of it, so memory is never made to wait; 15 more are taken while it runs. Its first address is offered one
/// cycle after the command, a command in two cycles at most; a beat leaves five cycles or more after its arrival. No cycle is lost between
/// commands. Bytes before the first and beyond the last are not defined. AXI ids are 0, bursts INCR.
#[derive(LogicBlock)]
pub struct WideReader<const D: usize, const K: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high. Nothing may be under way at the memory.
    pub reset: Signal<In, Bit>,
    pub command: Signal<In, PlacedRead>,
    pub command_valid: Signal<In, Bit>,
    /// Depends on `command`.
    pub command_ready: Signal<Out, Bit>,
    pub beat: Signal<Out, Beat<D>>,
    pub beat_valid: Signal<Out, Bit>,
    pub beat_ready: Signal<In, Bit>,
    /// One cycle: memory answered with an error.
    pub error: Signal<Out, Bit>,
    pub m_axi_araddr: Signal<Out, Bits<64>>,
    pub m_axi_arlen: Signal<Out, Bits<8>>,
    pub m_axi_arsize: Signal<Out, Bits<3>>,
    pub m_axi_arburst: Signal<Out, Bits<2>>,
    pub m_axi_arvalid: Signal<Out, Bit>,
    pub m_axi_arready: Signal<In, Bit>,
    pub m_axi_rdata: Signal<In, Bits<D>>,
    pub m_axi_rresp: Signal<In, Bits<2>>,
    /// Not needed: beats are counted.
    pub m_axi_rlast: Signal<In, Bit>,
    pub m_axi_rvalid: Signal<In, Bit>,
    pub m_axi_rready: Signal<Out, Bit>,
    splitter: BurstSplitter,
    notes: StreamFifo<PlacedNote, 4>,
    fifo: StreamFifo<Beat<D>, A>,
    /// Beats of the FIFO that no command has reserved.
    free: Dff<Bits<16>>,
    // The read whose beats come in.
    amount: Dff<Bits<6>>,
    primes: Dff<Bit>,
    raw_left: Dff<Bits<16>>,
    steps_left: Dff<Bits<16>>,
    first: Dff<Bit>,
    // The pipeline: 1 and 2 rotate, 3 joins.
    rotator: ByteRotator<D, K>,
    valids: [Dff<Bit>; 2],
    firsts: [Dff<Bit>; 2],
    /// A beat leaves.
    leaves: [Dff<Bit>; 2],
    bads: [Dff<Bit>; 2],
    /// Lanes that the newer of two beats gives.
    newer: [Dff<Bits<K>>; 2],
    newer_mask: LaneMask<D, K>,
    held: Dff<Bits<D>>,
    held_bad: Dff<Bit>,
    joined: Dff<Bits<D>>,
    joined_bad: Dff<Bit>,
    joined_valid: Dff<Bit>,
    offset: Signal<Local, Bits<6>>,
    wraps: Signal<Local, Bit>,
    beats: Signal<Local, Bits<16>>,
    raw_beats: Signal<Local, Bits<16>>,
    start: Signal<Local, Bit>,
    needs: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    beat_shift: Constant<Bits<3>>,
    lane_mask: Constant<Bits<6>>,
    lanes: Constant<Bits<K>>,
    capacity: Constant<Bits<16>>,
    incr: Constant<Bits<2>>,
}

impl<const D: usize, const K: usize, const A: usize> WideReader<D, K, A> {
    /// `burst_beats`: beats of the longest burst, a power of two, at most 4096 bytes.
    pub fn new(burst_beats: usize) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            command: Default::default(),
            command_valid: Default::default(),
            command_ready: Default::default(),
            beat: Default::default(),
            beat_valid: Default::default(),
            beat_ready: Default::default(),
            error: Default::default(),
            m_axi_araddr: Default::default(),
            m_axi_arlen: Default::default(),
            m_axi_arsize: Default::default(),
            m_axi_arburst: Default::default(),
            m_axi_arvalid: Default::default(),
            m_axi_arready: Default::default(),
            m_axi_rdata: Default::default(),
            m_axi_rresp: Default::default(),
            m_axi_rlast: Default::default(),
            m_axi_rvalid: Default::default(),
            m_axi_rready: Default::default(),
            splitter: BurstSplitter::new(K, burst_beats),
            notes: Default::default(),
            fifo: Default::default(),
            free: Default::default(),
            amount: Default::default(),
            primes: Default::default(),
            raw_left: Default::default(),
            steps_left: Default::default(),
            first: Default::default(),
            rotator: Default::default(),
            valids: std::array::from_fn(|_| Default::default()),
            firsts: std::array::from_fn(|_| Default::default()),
            leaves: std::array::from_fn(|_| Default::default()),
            bads: std::array::from_fn(|_| Default::default()),
            newer: std::array::from_fn(|_| Default::default()),
            newer_mask: Default::default(),
            held: Default::default(),
            held_bad: Default::default(),
            joined: Default::default(),
            joined_bad: Default::default(),
            joined_valid: Default::default(),
            offset: Default::default(),
            wraps: Default::default(),
            beats: Default::default(),
            raw_beats: Default::default(),
            start: Default::default(),
            needs: Default::default(),
            step: Default::default(),
            beat_shift: Constant::new(u64::from(K.trailing_zeros()).into()),
            lane_mask: Constant::new((K as u64 - 1).into()),
            lanes: Constant::new(Bits::<K>::mask()),
            capacity: Constant::new(((1 << A) - 1).into()),
            incr: Constant::new(1.into()),
        }
    }
}

impl<const D: usize, const K: usize, const A: usize> Logic for WideReader<D, K, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, free, amount, primes, raw_left, steps_left, first
        );
        dff_setup!(
            self,
            clock,
            held,
            held_bad,
            joined,
            joined_bad,
            joined_valid
        );
        for i in 0..2 {
            self.valids[i].clock.next = self.clock.val();
            self.firsts[i].clock.next = self.clock.val();
            self.leaves[i].clock.next = self.clock.val();
            self.bads[i].clock.next = self.clock.val();
            self.newer[i].clock.next = self.clock.val();
        }
        self.splitter.clock.next = self.clock.val();
        self.splitter.reset.next = self.reset.val();
        self.notes.clock.next = self.clock.val();
        self.notes.reset.next = self.reset.val();
        self.fifo.clock.next = self.clock.val();
        self.fifo.reset.next = self.reset.val();
        self.rotator.clock.next = self.clock.val();

        // A command.
        self.offset.next = self.command.val().address.get_bits::<6>(0) & self.lane_mask.val();
        self.wraps.next = self.command.val().lane < self.offset.val();
        self.beats.next = (self.command.val().length
            + bit_cast::<16, 6>(self.command.val().lane)
            + bit_cast::<16, 6>(self.lane_mask.val()))
            >> self.beat_shift.val();
        self.raw_beats.next = (self.command.val().length
            + bit_cast::<16, 6>(self.offset.val())
            + bit_cast::<16, 6>(self.lane_mask.val()))
            >> self.beat_shift.val();
        self.command_ready.next = self.splitter.free.val()
            && self.notes.push_ready.val()
            && (self.beats.val() <= self.free.q.val());
        self.start.next =
            self.command_valid.val() && self.command_ready.val() && self.command.val().length.any();
        self.splitter.start.next = self.start.val();
        self.splitter.address.next = self.command.val().address;
        self.splitter.beats.next = self.raw_beats.val();
        self.notes.push.next.amount =
            (self.command.val().lane - self.offset.val()) & self.lane_mask.val();
        self.notes.push.next.primes = self.wraps.val();
        self.notes.push.next.raw_beats = self.raw_beats.val();
        self.notes.push.next.steps = self.beats.val();
        if self.wraps.val() {
            self.notes.push.next.steps = self.beats.val() + 1;
        }
        self.notes.push_valid.next = self.start.val();
        if self.start.val() {
            self.free.d.next = self.free.q.val() - self.beats.val();
        }
        if self.fifo.pop_valid.val() && self.beat_ready.val() {
            self.free.d.next = self.free.q.val() + 1;
            if self.start.val() {
                self.free.d.next = self.free.q.val() + 1 - self.beats.val();
            }
        }

        self.m_axi_araddr.next = self.splitter.burst_address.val();
        self.m_axi_arlen.next = self.splitter.burst_len.val();
        self.m_axi_arsize.next = self.beat_shift.val();
        self.m_axi_arburst.next = self.incr.val();
        self.m_axi_arvalid.next = self.splitter.burst_valid.val();
        self.splitter.burst_ready.next = self.m_axi_arready.val();

        // A beat comes in, or the last bytes are here already.
        self.needs.next = self.steps_left.q.val().any() && self.raw_left.q.val().any();
        self.m_axi_rready.next = self.needs.val();
        self.step.next =
            self.steps_left.q.val().any() && (self.m_axi_rvalid.val() || !self.needs.val());
        self.error.next =
            self.m_axi_rvalid.val() && self.needs.val() && self.m_axi_rresp.val().any();
        if self.step.val() {
            self.steps_left.d.next = self.steps_left.q.val() - 1;
            self.first.d.next = false;
            if self.needs.val() {
                self.raw_left.d.next = self.raw_left.q.val() - 1;
            }
        }
        self.notes.pop_ready.next =
            !self.steps_left.q.val().any() || (self.step.val() && (self.steps_left.q.val() == 1));
        if self.notes.pop_ready.val() && self.notes.pop_valid.val() {
            self.amount.d.next = self.notes.pop.val().amount;
            self.primes.d.next = self.notes.pop.val().primes;
            self.raw_left.d.next = self.notes.pop.val().raw_beats;
            self.steps_left.d.next = self.notes.pop.val().steps;
            self.first.d.next = true;
        }

        // The pipeline. Nothing stalls: the FIFO has room.
        self.rotator.advance.next = true;
        self.rotator.data.next = self.m_axi_rdata.val();
        self.rotator.amount.next = self.amount.q.val();
        self.valids[0].d.next = self.step.val();
        self.firsts[0].d.next = self.first.q.val();
        self.leaves[0].d.next = self.step.val() && !(self.first.q.val() && self.primes.q.val());
        self.bads[0].d.next = self.needs.val() && self.m_axi_rresp.val().any();
        self.newer[0].d.next = self.lanes.val() << self.amount.q.val();
        self.valids[1].d.next = self.valids[0].q.val();
        self.firsts[1].d.next = self.firsts[0].q.val();
        self.leaves[1].d.next = self.leaves[0].q.val();
        self.bads[1].d.next = self.bads[0].q.val();
        self.newer[1].d.next = self.newer[0].q.val();
        self.newer_mask.lanes.next = self.newer[1].q.val();
        if self.valids[1].q.val() {
            self.held.d.next = self.rotator.rotated.val();
            self.held_bad.d.next = self.bads[1].q.val();
        }
        self.joined.d.next = (self.rotator.rotated.val() & self.newer_mask.mask.val())
            | (self.held.q.val() & !self.newer_mask.mask.val());
        self.joined_bad.d.next =
            self.bads[1].q.val() || (self.held_bad.q.val() && !self.firsts[1].q.val());
        self.joined_valid.d.next = self.leaves[1].q.val();
        self.fifo.push.next.data = self.joined.q.val();
        self.fifo.push.next.bad = self.joined_bad.q.val();
        self.fifo.push_valid.next = self.joined_valid.q.val();
        self.beat.next = self.fifo.pop.val();
        self.beat_valid.next = self.fifo.pop_valid.val();
        self.fifo.pop_ready.next = self.beat_ready.val();
        if self.reset.val() {
            self.free.d.next = self.capacity.val();
            self.raw_left.d.next = 0.into();
            self.steps_left.d.next = 0.into();
            for i in 0..2 {
                self.valids[i].d.next = false;
                self.leaves[i].d.next = false;
            }
            self.joined_valid.d.next = false;
        }
    }
}
