//! Reads host memory through AXI4.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::beat::Beat;
use crate::burst_splitter::BurstSplitter;
use crate::prim::Dff;
use crate::read_aligner::{ReadAligner, ReadNote};
use crate::skid_buffer::SkidBuffer;
use crate::stream_fifo::StreamFifo;
use rust_hdl::prelude::*;

/// What to read.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct ReadCommand {
    /// Of the first byte; any alignment.
    pub address: Bits<64>,
    /// Bytes, 0 to what the FIFO holds.
    pub length: Bits<16>,
}

/// Commands in, packed beats out, in order: ceil(length / K) beats a command, none for length 0.
///
/// `D` data bits, `K` = D / 8, `A` = log2 of the FIFO's beats. A command is taken when the FIFO has room for
/// all of it, so memory is never made to wait; the next ones are taken while it runs. Its first address is offered one
/// cycle after the command; a beat leaves three cycles or more after its arrival. A beat a cycle; one cycle is lost a
/// command, two if it is not aligned. Bytes beyond the last are not defined. AXI ids are 0, bursts INCR.
#[derive(LogicBlock)]
pub struct AxiReader<const D: usize, const K: usize, const A: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high. Nothing may be under way at the memory.
    pub reset: Signal<In, Bit>,
    pub command: Signal<In, ReadCommand>,
    pub command_valid: Signal<In, Bit>,
    /// Depends on `command`.
    pub command_ready: Signal<Out, Bit>,
    pub beat: Signal<Out, Beat<D>>,
    pub beat_valid: Signal<Out, Bit>,
    pub beat_ready: Signal<In, Bit>,
    /// Every command's beats have arrived.
    pub idle: Signal<Out, Bit>,
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
    notes: SkidBuffer<ReadNote>,
    aligner: ReadAligner<D>,
    fifo: StreamFifo<Beat<D>, A>,
    /// FIFO words that no command has reserved.
    free: Dff<Bits<16>>,
    offset: Signal<Local, Bits<3>>,
    beats: Signal<Local, Bits<16>>,
    raw_beats: Signal<Local, Bits<16>>,
    start: Signal<Local, Bit>,
    beat_shift: Constant<Bits<3>>,
    lane_mask: Constant<Bits<3>>,
    capacity: Constant<Bits<16>>,
    incr: Constant<Bits<2>>,
}

impl<const D: usize, const K: usize, const A: usize> AxiReader<D, K, A> {
    /// `burst_beats`: beats of the longest burst, a power of two up to 256.
    pub fn new(burst_beats: usize) -> Self {
        assert!(D == 8 * K, "K is D / 8");
        assert!(K.is_power_of_two() && K <= 8, "{D} data bits");
        assert!((1..16).contains(&A), "a FIFO of 2^{A} beats");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            command: Default::default(),
            command_valid: Default::default(),
            command_ready: Default::default(),
            beat: Default::default(),
            beat_valid: Default::default(),
            beat_ready: Default::default(),
            idle: Default::default(),
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
            aligner: Default::default(),
            fifo: Default::default(),
            free: Default::default(),
            offset: Default::default(),
            beats: Default::default(),
            raw_beats: Default::default(),
            start: Default::default(),
            beat_shift: Constant::new(u64::from(K.trailing_zeros()).into()),
            lane_mask: Constant::new((K as u64 - 1).into()),
            capacity: Constant::new(((1 << A) - 1).into()),
            incr: Constant::new(1.into()),
        }
    }
}

impl<const D: usize, const K: usize, const A: usize> Logic for AxiReader<D, K, A> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, free);
        self.splitter.clock.next = self.clock.val();
        self.splitter.reset.next = self.reset.val();
        self.notes.clock.next = self.clock.val();
        self.notes.reset.next = self.reset.val();
        self.aligner.clock.next = self.clock.val();
        self.aligner.reset.next = self.reset.val();
        self.fifo.clock.next = self.clock.val();
        self.fifo.reset.next = self.reset.val();

        self.offset.next = self.command.val().address.get_bits::<3>(0) & self.lane_mask.val();
        self.beats.next = (self.command.val().length + bit_cast::<16, 3>(self.lane_mask.val()))
            >> self.beat_shift.val();
        self.raw_beats.next = (self.command.val().length
            + bit_cast::<16, 3>(self.offset.val())
            + bit_cast::<16, 3>(self.lane_mask.val()))
            >> self.beat_shift.val();
        self.command_ready.next = !self.splitter.busy.val()
            && self.notes.push_ready.val()
            && (self.beats.val() <= self.free.q.val());
        self.start.next =
            self.command_valid.val() && self.command_ready.val() && self.beats.val().any();
        self.splitter.start.next = self.start.val();
        self.splitter.address.next = self.command.val().address;
        self.splitter.beats.next = self.raw_beats.val();
        self.notes.push.next.offset = self.offset.val();
        self.notes.push.next.raw_beats = self.raw_beats.val();
        self.notes.push.next.beats = self.beats.val();
        self.notes.push_valid.next = self.start.val();

        self.m_axi_araddr.next = self.splitter.burst_address.val();
        self.m_axi_arlen.next = self.splitter.burst_len.val();
        self.m_axi_arsize.next = self.beat_shift.val();
        self.m_axi_arburst.next = self.incr.val();
        self.m_axi_arvalid.next = self.splitter.burst_valid.val();
        self.splitter.burst_ready.next = self.m_axi_arready.val();

        self.aligner.note.next = self.notes.pop.val();
        self.aligner.note_valid.next = self.notes.pop_valid.val();
        self.notes.pop_ready.next = self.aligner.note_ready.val();
        self.aligner.raw.next = self.m_axi_rdata.val();
        self.aligner.raw_bad.next = self.m_axi_rresp.val().any();
        self.aligner.raw_valid.next = self.m_axi_rvalid.val();
        self.m_axi_rready.next = self.aligner.raw_ready.val();
        self.error.next =
            self.m_axi_rvalid.val() && self.aligner.raw_ready.val() && self.m_axi_rresp.val().any();

        self.fifo.push.next.data = self.aligner.beat.val();
        self.fifo.push.next.bad = self.aligner.beat_bad.val();
        self.fifo.push_valid.next = self.aligner.beat_valid.val();
        self.aligner.beat_ready.next = self.fifo.push_ready.val();
        self.beat.next = self.fifo.pop.val();
        self.beat_valid.next = self.fifo.pop_valid.val();
        self.fifo.pop_ready.next = self.beat_ready.val();
        self.idle.next =
            !self.splitter.busy.val() && !self.notes.pop_valid.val() && self.aligner.idle.val();

        if self.start.val() {
            self.free.d.next = self.free.q.val() - self.beats.val();
        }
        if self.fifo.pop_valid.val() && self.beat_ready.val() {
            self.free.d.next = self.free.q.val() + 1;
            if self.start.val() {
                self.free.d.next = self.free.q.val() + 1 - self.beats.val();
            }
        }
        if self.reset.val() {
            self.free.d.next = self.capacity.val();
        }
    }
}
