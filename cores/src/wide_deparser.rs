//! From a descriptor and placed payload to a frame on a stream of wide beats.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::beat::Beat;
use crate::frame_delay::FrameDelay;
use crate::frame_plan::{FramePlan, FramePlanner};
use crate::lane_mask::LaneMask;
use crate::prim::{Dff, RamLut};
use crate::types::TxDescriptor;
use crate::wide_icrc::WideIcrc;
use rust_hdl::prelude::*;

/// `Deparser` for beats of 256 and 512 bits: one frame of each descriptor, headers, payload, pad, ICRC.
///
/// `D` data bits, `K` = D / 8. A descriptor is taken in its second cycle at the earliest: one in two cycles, as many as the
/// shortest frames have beats of 512 bits. A beat a cycle if payload is there, no idle cycle between frames. 15 cycles from a
/// descriptor to its frame's first beat: all of it waits for the ICRC, so that none waits within.
/// A frame with a bad payload beat leaves with its ICRC inverted: nobody will take it.
#[derive(LogicBlock)]
pub struct WideDeparser<const D: usize, const K: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    pub descriptor: Signal<In, TxDescriptor>,
    pub descriptor_valid: Signal<In, Bit>,
    /// It is not needed any more.
    pub descriptor_ready: Signal<Out, Bit>,
    /// Payload as it lies in the frame: its first byte in the lane after the headers' last.
    pub beat: Signal<In, Beat<D>>,
    pub beat_valid: Signal<In, Bit>,
    pub beat_ready: Signal<Out, Bit>,
    pub m_axis_tdata: Signal<Out, Bits<D>>,
    pub m_axis_tkeep: Signal<Out, Bits<K>>,
    pub m_axis_tvalid: Signal<Out, Bit>,
    pub m_axis_tready: Signal<In, Bit>,
    pub m_axis_tlast: Signal<Out, Bit>,
    /// The descriptor was looked at: it stays.
    pub in_frame: Signal<Out, Bit>,
    /// No frame is under way.
    pub idle: Signal<Out, Bit>,
    planner: FramePlanner<K>,
    icrc: WideIcrc<D, K>,
    delay: FrameDelay<D>,
    // The frame under way.
    active: Dff<Bit>,
    plan: Dff<FramePlan>,
    /// Headers to come, first byte lowest; behind them zeros.
    header: Dff<Bits<832>>,
    /// Lanes of payload in its first beat and in its last.
    low: Dff<Bits<K>>,
    high: Dff<Bits<K>>,
    index: Dff<Bits<8>>,
    bad: Dff<Bit>,
    room: Dff<Bit>,
    needs: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    step: Signal<Local, Bit>,
    ends: Signal<Local, Bit>,
    load: Signal<Local, Bit>,
    bad_now: Signal<Local, Bit>,
    // 1: its beat, in parts.
    word: Dff<Bits<D>>,
    payload: Dff<Bits<D>>,
    lanes: Dff<Bits<K>>,
    word_valid: Dff<Bit>,
    /// It is more than the ICRC alone.
    word_counts: Dff<Bit>,
    /// The last that counts.
    word_final: Dff<Bit>,
    word_last: Dff<Bit>,
    word_missing: Dff<Bits<6>>,
    word_place: Dff<Bits<4>>,
    word_bad: Dff<Bit>,
    mask: LaneMask<D, K>,
    joined: Signal<Local, Bits<D>>,
    // ICRCs of the frames in `delay`.
    states: RamLut<Bits<32>, 4>,
    state_in: Dff<Bits<4>>,
    state_out: Dff<Bits<4>>,
    // 2: the beat at the door.
    data: Dff<Bits<D>>,
    keep: Dff<Bits<K>>,
    last: Dff<Bit>,
    valid: Dff<Bit>,
    advance: Signal<Local, Bit>,
    pop: Signal<Local, Bit>,
    state: Signal<Local, Bits<32>>,
    placed: Signal<Local, Bits<D>>,
    kept: Signal<Local, Bits<K>>,
    every: Constant<Bits<K>>,
    word_lanes: Constant<Bits<K>>,
    places: [Constant<Bits<4>>; 16],
    place_bits: [Constant<Bits<10>>; 16],
    place_lanes: [Constant<Bits<7>>; 16],
    beat_bits: Constant<Bits<10>>,
}

impl<const D: usize, const K: usize> WideDeparser<D, K> {
    /// `messages`: it knows the verbs that profile `Messages` adds.
    pub fn new(messages: bool) -> Self {
        assert!(
            D == 8 * K && (K == 32 || K == 64),
            "D is 256 or 512, K is D / 8"
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
            planner: FramePlanner::new(messages),
            icrc: Default::default(),
            delay: Default::default(),
            active: Default::default(),
            plan: Default::default(),
            header: Default::default(),
            low: Default::default(),
            high: Default::default(),
            index: Default::default(),
            bad: Default::default(),
            room: Default::default(),
            needs: Default::default(),
            waits: Default::default(),
            step: Default::default(),
            ends: Default::default(),
            load: Default::default(),
            bad_now: Default::default(),
            word: Default::default(),
            payload: Default::default(),
            lanes: Default::default(),
            word_valid: Default::default(),
            word_counts: Default::default(),
            word_final: Default::default(),
            word_last: Default::default(),
            word_missing: Default::default(),
            word_place: Default::default(),
            word_bad: Default::default(),
            mask: Default::default(),
            joined: Default::default(),
            states: Default::default(),
            state_in: Default::default(),
            state_out: Default::default(),
            data: Default::default(),
            keep: Default::default(),
            last: Default::default(),
            valid: Default::default(),
            advance: Default::default(),
            pop: Default::default(),
            state: Default::default(),
            placed: Default::default(),
            kept: Default::default(),
            every: Constant::new(Bits::<K>::mask()),
            word_lanes: Constant::new(0xF.into()),
            places: std::array::from_fn(|i| Constant::new((i as u64).into())),
            place_bits: std::array::from_fn(|i| Constant::new((32 * i as u64).into())),
            place_lanes: std::array::from_fn(|i| Constant::new((4 * i as u64).into())),
            beat_bits: Constant::new((D as u64).into()),
        }
    }
}

impl<const D: usize, const K: usize> Logic for WideDeparser<D, K> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self, clock, active, plan, header, low, high, index, bad, room
        );
        dff_setup!(self, clock, word, payload, lanes, word_valid, word_counts);
        dff_setup!(
            self,
            clock,
            word_final,
            word_last,
            word_missing,
            word_place,
            word_bad
        );
        dff_setup!(self, clock, state_in, state_out, data, keep, last, valid);
        self.planner.clock.next = self.clock.val();
        self.icrc.clock.next = self.clock.val();
        self.icrc.reset.next = self.reset.val();
        self.delay.clock.next = self.clock.val();
        self.delay.reset.next = self.reset.val();
        self.states.clock.next = self.clock.val();

        // A descriptor.
        self.planner.reset.next = self.reset.val();
        self.planner.descriptor.next = self.descriptor.val();
        self.planner.descriptor_valid.next = self.descriptor_valid.val();
        self.load.next = self.planner.planned.val()
            && (!self.active.q.val() || (self.step.val() && self.ends.val()));
        self.planner.take.next = self.load.val();
        self.descriptor_ready.next = self.load.val();
        self.in_frame.next = self.planner.planned.val();

        // A beat of the frame under way.
        self.room.d.next = (self.delay.space.val() >> 2).any();
        self.needs.next = self.plan.q.val().has_payload
            && (self.index.q.val() >= self.plan.q.val().payload_first)
            && (self.index.q.val() <= self.plan.q.val().payload_last);
        self.ends.next = self.index.q.val() == self.plan.q.val().last;
        // Headers wait for the first payload, so that it does not keep the frame waiting.
        self.waits.next = self.plan.q.val().has_payload
            && (self.index.q.val() <= self.plan.q.val().payload_last)
            && !self.beat_valid.val();
        self.step.next = self.active.q.val() && self.room.q.val() && !self.waits.val();
        self.beat_ready.next = self.active.q.val() && self.room.q.val() && self.needs.val();
        self.bad_now.next = self.bad.q.val() || (self.needs.val() && self.beat.val().bad);
        if self.step.val() {
            self.index.d.next = self.index.q.val() + 1;
            self.header.d.next = self.header.q.val() >> self.beat_bits.val();
            self.bad.d.next = self.bad_now.val();
            if self.ends.val() {
                self.active.d.next = false;
            }
        }
        if self.load.val() {
            self.active.d.next = true;
            self.plan.d.next = self.planner.plan.val();
            self.header.d.next = self.planner.header.val();
            self.low.d.next = self.planner.low.val();
            self.high.d.next = self.planner.high.val();
            self.index.d.next = 0.into();
            self.bad.d.next = false;
        }

        // 1
        self.word_valid.d.next = self.step.val();
        self.word.d.next = self.header.q.val().get_bits::<D>(0);
        self.payload.d.next = self.beat.val().data;
        self.lanes.d.next = 0.into();
        if self.needs.val() {
            self.lanes.d.next = self.every.val();
            if self.index.q.val() == self.plan.q.val().payload_first {
                self.lanes.d.next = self.low.q.val();
            }
            if self.index.q.val() == self.plan.q.val().payload_last {
                self.lanes.d.next = self.high.q.val();
                if self.index.q.val() == self.plan.q.val().payload_first {
                    self.lanes.d.next = self.high.q.val() & self.low.q.val();
                }
            }
        }
        self.word_counts.d.next = !(self.plan.q.val().icrc_alone && self.ends.val());
        self.word_final.d.next = self.index.q.val() == self.plan.q.val().last_counting;
        self.word_last.d.next = self.ends.val();
        self.word_missing.d.next = self.plan.q.val().missing;
        self.word_place.d.next = self.plan.q.val().place;
        self.word_bad.d.next = self.bad_now.val();

        // Into the delay and the ICRC.
        self.mask.lanes.next = self.lanes.q.val();
        self.joined.next = self.word.q.val() | (self.payload.q.val() & self.mask.mask.val());
        self.icrc.valid.next = self.word_valid.q.val() && self.word_counts.q.val();
        self.icrc.data.next = self.joined.val();
        self.icrc.last.next = self.word_final.q.val();
        self.icrc.missing.next = self.word_missing.q.val();
        self.delay.push_valid.next = self.word_valid.q.val();
        self.delay.data.next = self.joined.val();
        self.delay.ending.next.last = self.word_last.q.val();
        self.delay.ending.next.place = self.word_place.q.val();
        self.delay.ending.next.bad = self.word_bad.q.val();
        self.states.write_enable.next = self.icrc.done.val();
        self.states.write_address.next = self.state_in.q.val();
        self.states.write_data.next = self.icrc.state.val();
        if self.icrc.done.val() {
            self.state_in.d.next = self.state_in.q.val() + 1;
        }

        // 2: the ICRC goes in.
        self.advance.next = !self.valid.q.val() || self.m_axis_tready.val();
        self.delay.pop_ready.next = self.advance.val();
        self.pop.next = self.advance.val() && self.delay.pop_valid.val();
        self.states.read_address.next = self.state_out.q.val();
        if self.pop.val() && self.delay.pop_ending.val().last {
            self.state_out.d.next = self.state_out.q.val() + 1;
        }
        self.state.next = self.states.read_data.val();
        if !self.delay.pop_ending.val().bad {
            self.state.next = !self.states.read_data.val();
        }
        self.placed.next = self.delay.pop_data.val();
        self.kept.next = self.every.val();
        if self.delay.pop_ending.val().last {
            self.kept.next = 0.into();
            for i in 0..16 {
                if self.delay.pop_ending.val().place == self.places[i].val() {
                    self.placed.next = self.delay.pop_data.val()
                        | (bit_cast::<D, 32>(self.state.val()) << self.place_bits[i].val());
                }
                if self.delay.pop_ending.val().place >= self.places[i].val() {
                    self.kept.next =
                        self.kept.val() | (self.word_lanes.val() << self.place_lanes[i].val());
                }
            }
        }
        if self.advance.val() {
            self.valid.d.next = self.delay.pop_valid.val();
            self.data.d.next = self.placed.val();
            self.keep.d.next = self.kept.val();
            self.last.d.next = self.delay.pop_ending.val().last;
        }
        self.m_axis_tdata.next = self.data.q.val();
        self.m_axis_tkeep.next = self.keep.q.val();
        self.m_axis_tlast.next = self.last.q.val();
        self.m_axis_tvalid.next = self.valid.q.val();
        self.idle.next = !self.planner.planned.val()
            && !self.active.q.val()
            && !self.word_valid.q.val()
            && self.delay.empty.val()
            && !self.valid.q.val();
        if self.reset.val() {
            self.active.d.next = false;
            self.room.d.next = false;
            self.word_valid.d.next = false;
            self.state_in.d.next = 0.into();
            self.state_out.d.next = 0.into();
            self.valid.d.next = false;
        }
    }
}
