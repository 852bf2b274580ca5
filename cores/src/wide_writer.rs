//! Writes host memory through a wide AXI4 port.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::burst_splitter::BurstSplitter;
use crate::byte_rotator::ByteRotator;
use crate::lane_mask::LaneMask;
use crate::prim::Dff;
use crate::types::WriteProgress;
use rust_hdl::prelude::*;

/// `AxiWriter` for beats of 256 and 512 bits: no cycle is lost between commands, so it takes as many cycles as memory's beats,
/// or as the beats that it throws away.
///
/// `D` data bits, `K` = D / 8. The first address is offered one cycle after the command, the first data four. AXI ids are 0,
/// bursts INCR. A beat of memory is made of two packed beats, rotated by the address; `place` to `data` is the pipeline.
#[derive(LogicBlock)]
pub struct WideWriter<const D: usize, const K: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high. Nothing may be under way at the memory.
    pub reset: Signal<In, Bit>,
    /// False: the beats are thrown away.
    pub command_write: Signal<In, Bit>,
    /// Of the first byte; any alignment.
    pub command_address: Signal<In, Bits<64>>,
    /// Bytes, 0..=32768.
    pub command_length: Signal<In, Bits<16>>,
    pub command_valid: Signal<In, Bit>,
    pub command_ready: Signal<Out, Bit>,
    /// First byte lowest; what lies beyond the last byte does not count.
    pub beat: Signal<In, Bits<D>>,
    pub beat_valid: Signal<In, Bit>,
    pub beat_ready: Signal<Out, Bit>,
    /// No command is under way, every write was answered.
    pub idle: Signal<Out, Bit>,
    /// What it does.
    pub progress: Signal<Out, WriteProgress>,
    /// One cycle: memory answered with an error.
    pub error: Signal<Out, Bit>,
    pub m_axi_awaddr: Signal<Out, Bits<64>>,
    pub m_axi_awlen: Signal<Out, Bits<8>>,
    pub m_axi_awsize: Signal<Out, Bits<3>>,
    pub m_axi_awburst: Signal<Out, Bits<2>>,
    pub m_axi_awvalid: Signal<Out, Bit>,
    pub m_axi_awready: Signal<In, Bit>,
    pub m_axi_wdata: Signal<Out, Bits<D>>,
    pub m_axi_wstrb: Signal<Out, Bits<K>>,
    pub m_axi_wlast: Signal<Out, Bit>,
    pub m_axi_wvalid: Signal<Out, Bit>,
    pub m_axi_wready: Signal<In, Bit>,
    pub m_axi_bresp: Signal<In, Bits<2>>,
    pub m_axi_bvalid: Signal<In, Bit>,
    pub m_axi_bready: Signal<Out, Bit>,
    splitter: BurstSplitter,
    // The command.
    /// Beats to write.
    left: Dff<Bits<16>>,
    /// Beats to take; while `left` is 0, to throw away.
    packed_left: Dff<Bits<16>>,
    offset: Dff<Bits<6>>,
    /// Lanes of the last beat, 0 for all.
    end_lanes: Dff<Bits<6>>,
    first: Dff<Bit>,
    /// Place of the next beat in its block of a burst's largest size.
    place: Dff<Bits<8>>,
    /// Bursts whose address was taken, less those whose data are sent: -1 is possible, data may be first.
    ahead: Dff<Bits<16>>,
    unanswered: Dff<Bits<16>>,
    // The pipeline: 1 and 2 rotate, 3 joins.
    rotator: ByteRotator<D, K>,
    valids: [Dff<Bit>; 2],
    lasts: [Dff<Bit>; 2],
    strobe: [Dff<Bits<K>>; 2],
    /// Lanes that the newer of two packed beats gives.
    newer: [Dff<Bits<K>>; 2],
    newer_mask: LaneMask<D, K>,
    held: Dff<Bits<D>>,
    data: Dff<Bits<D>>,
    strobes: Dff<Bits<K>>,
    last: Dff<Bit>,
    data_valid: Dff<Bit>,
    packed_beats: Signal<Local, Bits<16>>,
    beats: Signal<Local, Bits<16>>,
    start_offset: Signal<Local, Bits<6>>,
    start: Signal<Local, Bit>,
    advance: Signal<Local, Bit>,
    may_send: Signal<Local, Bit>,
    send: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    burst_end: Signal<Local, Bit>,
    address_taken: Signal<Local, Bit>,
    beat_shift: Constant<Bits<3>>,
    lane_mask: Constant<Bits<6>>,
    block_mask: Constant<Bits<8>>,
    lanes: Constant<Bits<K>>,
    incr: Constant<Bits<2>>,
}

impl<const D: usize, const K: usize> WideWriter<D, K> {
    /// `burst_beats`: beats of the longest burst, a power of two, at most 4096 bytes.
    pub fn new(burst_beats: usize) -> Self {
        Self {
            clock: Default::default(),
            reset: Default::default(),
            command_write: Default::default(),
            command_address: Default::default(),
            command_length: Default::default(),
            command_valid: Default::default(),
            command_ready: Default::default(),
            beat: Default::default(),
            beat_valid: Default::default(),
            beat_ready: Default::default(),
            idle: Default::default(),
            progress: Default::default(),
            error: Default::default(),
            m_axi_awaddr: Default::default(),
            m_axi_awlen: Default::default(),
            m_axi_awsize: Default::default(),
            m_axi_awburst: Default::default(),
            m_axi_awvalid: Default::default(),
            m_axi_awready: Default::default(),
            m_axi_wdata: Default::default(),
            m_axi_wstrb: Default::default(),
            m_axi_wlast: Default::default(),
            m_axi_wvalid: Default::default(),
            m_axi_wready: Default::default(),
            m_axi_bresp: Default::default(),
            m_axi_bvalid: Default::default(),
            m_axi_bready: Default::default(),
            splitter: BurstSplitter::new(K, burst_beats),
            left: Default::default(),
            packed_left: Default::default(),
            offset: Default::default(),
            end_lanes: Default::default(),
            first: Default::default(),
            place: Default::default(),
            ahead: Default::default(),
            unanswered: Default::default(),
            rotator: Default::default(),
            valids: std::array::from_fn(|_| Default::default()),
            lasts: std::array::from_fn(|_| Default::default()),
            strobe: std::array::from_fn(|_| Default::default()),
            newer: std::array::from_fn(|_| Default::default()),
            newer_mask: Default::default(),
            held: Default::default(),
            data: Default::default(),
            strobes: Default::default(),
            last: Default::default(),
            data_valid: Default::default(),
            packed_beats: Default::default(),
            beats: Default::default(),
            start_offset: Default::default(),
            start: Default::default(),
            advance: Default::default(),
            may_send: Default::default(),
            send: Default::default(),
            ends: Default::default(),
            burst_end: Default::default(),
            address_taken: Default::default(),
            beat_shift: Constant::new(u64::from(K.trailing_zeros()).into()),
            lane_mask: Constant::new((K as u64 - 1).into()),
            block_mask: Constant::new((burst_beats as u64 - 1).into()),
            lanes: Constant::new(Bits::<K>::mask()),
            incr: Constant::new(1.into()),
        }
    }
}

impl<const D: usize, const K: usize> Logic for WideWriter<D, K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            left,
            packed_left,
            offset,
            end_lanes,
            first,
            place
        );
        dff_setup!(
            self, clock, ahead, unanswered, held, data, strobes, last, data_valid
        );
        for i in 0..2 {
            self.valids[i].clock.next = self.clock.val();
            self.lasts[i].clock.next = self.clock.val();
            self.strobe[i].clock.next = self.clock.val();
            self.newer[i].clock.next = self.clock.val();
            self.valids[i].d.next = self.valids[i].q.val();
            self.lasts[i].d.next = self.lasts[i].q.val();
            self.strobe[i].d.next = self.strobe[i].q.val();
            self.newer[i].d.next = self.newer[i].q.val();
        }
        self.splitter.clock.next = self.clock.val();
        self.splitter.reset.next = self.reset.val();
        self.rotator.clock.next = self.clock.val();

        // A command, as soon as the one before has taken its last beat.
        self.start_offset.next = self.command_address.val().get_bits::<6>(0) & self.lane_mask.val();
        self.packed_beats.next = (self.command_length.val()
            + bit_cast::<16, 6>(self.lane_mask.val()))
            >> self.beat_shift.val();
        self.beats.next = (self.command_length.val()
            + bit_cast::<16, 6>(self.start_offset.val())
            + bit_cast::<16, 6>(self.lane_mask.val()))
            >> self.beat_shift.val();
        self.ends.next = false;
        if self.left.q.val().any() {
            self.ends.next = self.send.val() && (self.left.q.val() == 1);
        } else if self.packed_left.q.val().any() {
            self.ends.next = self.beat_valid.val() && (self.packed_left.q.val() == 1);
        } else {
            self.ends.next = true;
        }
        self.command_ready.next = self.ends.val() && self.splitter.free.val();
        self.start.next =
            self.command_valid.val() && self.command_ready.val() && self.packed_beats.val().any();
        self.splitter.start.next = self.start.val() && self.command_write.val();
        self.splitter.address.next = self.command_address.val();
        self.splitter.beats.next = self.beats.val();

        // Addresses.
        self.m_axi_awaddr.next = self.splitter.burst_address.val();
        self.m_axi_awlen.next = self.splitter.burst_len.val();
        self.m_axi_awsize.next = self.beat_shift.val();
        self.m_axi_awburst.next = self.incr.val();
        self.m_axi_awvalid.next = self.splitter.burst_valid.val();
        self.splitter.burst_ready.next = self.m_axi_awready.val();
        self.address_taken.next = self.splitter.burst_valid.val() && self.m_axi_awready.val();

        // Beats: of a burst whose address was taken or is offered now.
        self.advance.next = !self.data_valid.q.val() || self.m_axi_wready.val();
        self.may_send.next = self.left.q.val().any() && self.advance.val();
        if !self.ahead.q.val().any() && !self.splitter.burst_valid.val() {
            self.may_send.next = false;
        }
        if self.ahead.q.val().all() {
            self.may_send.next = false;
        }
        self.send.next =
            self.may_send.val() && (self.beat_valid.val() || !self.packed_left.q.val().any());
        self.beat_ready.next =
            self.packed_left.q.val().any() && (self.may_send.val() || !self.left.q.val().any());
        self.burst_end.next =
            (self.left.q.val() == 1) || (self.place.q.val() == self.block_mask.val());
        if self.send.val() {
            self.left.d.next = self.left.q.val() - 1;
            self.first.d.next = false;
            self.place.d.next = (self.place.q.val() + 1) & self.block_mask.val();
        }
        if self.beat_ready.val() && self.beat_valid.val() {
            self.packed_left.d.next = self.packed_left.q.val() - 1;
        }
        if self.address_taken.val() && !(self.send.val() && self.burst_end.val()) {
            self.ahead.d.next = self.ahead.q.val() + 1;
        }
        if !self.address_taken.val() && self.send.val() && self.burst_end.val() {
            self.ahead.d.next = self.ahead.q.val() - 1;
        }

        // The pipeline.
        self.rotator.advance.next = self.advance.val();
        self.rotator.data.next = self.beat.val();
        self.rotator.amount.next = self.offset.q.val();
        self.newer_mask.lanes.next = self.newer[1].q.val();
        if self.advance.val() {
            self.valids[0].d.next = self.send.val();
            self.lasts[0].d.next = self.burst_end.val();
            self.newer[0].d.next = self.lanes.val() << self.offset.q.val();
            self.strobe[0].d.next = self.lanes.val();
            if self.first.q.val() {
                self.strobe[0].d.next = self.lanes.val() << self.offset.q.val();
            }
            if (self.left.q.val() == 1) && self.end_lanes.q.val().any() {
                self.strobe[0].d.next = !(self.lanes.val() << self.end_lanes.q.val());
                if self.first.q.val() {
                    self.strobe[0].d.next = (self.lanes.val() << self.offset.q.val())
                        & (!(self.lanes.val() << self.end_lanes.q.val()));
                }
            }
            self.valids[1].d.next = self.valids[0].q.val();
            self.lasts[1].d.next = self.lasts[0].q.val();
            self.newer[1].d.next = self.newer[0].q.val();
            self.strobe[1].d.next = self.strobe[0].q.val();
            if self.valids[1].q.val() {
                self.held.d.next = self.rotator.rotated.val();
            }
            self.data_valid.d.next = self.valids[1].q.val();
            self.last.d.next = self.lasts[1].q.val();
            self.strobes.d.next = self.strobe[1].q.val();
            self.data.d.next = (self.rotator.rotated.val() & self.newer_mask.mask.val())
                | (self.held.q.val() & !self.newer_mask.mask.val());
        }
        self.m_axi_wdata.next = self.data.q.val();
        self.m_axi_wstrb.next = self.strobes.q.val();
        self.m_axi_wlast.next = self.last.q.val();
        self.m_axi_wvalid.next = self.data_valid.q.val();

        // Answers.
        self.m_axi_bready.next = true;
        self.error.next = self.m_axi_bvalid.val() && self.m_axi_bresp.val().any();
        if self.address_taken.val() && !self.m_axi_bvalid.val() {
            self.unanswered.d.next = self.unanswered.q.val() + 1;
        }
        if !self.address_taken.val() && self.m_axi_bvalid.val() {
            self.unanswered.d.next = self.unanswered.q.val() - 1;
        }
        self.idle.next = !self.left.q.val().any()
            && !self.packed_left.q.val().any()
            && !self.splitter.busy.val()
            && !self.valids[0].q.val()
            && !self.valids[1].q.val()
            && !self.data_valid.q.val()
            && !self.unanswered.q.val().any();
        self.progress.next.started = self.start.val() && self.command_write.val();
        self.progress.next.ready = !self.splitter.busy.val();
        self.progress.next.asked = self.address_taken.val();
        self.progress.next.answered = self.m_axi_bvalid.val();

        if self.start.val() {
            self.packed_left.d.next = self.packed_beats.val();
            self.left.d.next = 0.into();
            if self.command_write.val() {
                self.left.d.next = self.beats.val();
            }
            self.offset.d.next = self.start_offset.val();
            self.end_lanes.d.next = (self.command_length.val().get_bits::<6>(0)
                + self.start_offset.val())
                & self.lane_mask.val();
            self.first.d.next = true;
            self.place.d.next =
                bit_cast::<8, 64>(self.command_address.val() >> self.beat_shift.val())
                    & self.block_mask.val();
        }
        if self.reset.val() {
            self.left.d.next = 0.into();
            self.packed_left.d.next = 0.into();
            self.ahead.d.next = 0.into();
            self.unanswered.d.next = 0.into();
            for i in 0..2 {
                self.valids[i].d.next = false;
            }
            self.data_valid.d.next = false;
        }
    }
}
