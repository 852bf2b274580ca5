//! The receive engine: one WRITE or PROBE a cycle, also back to back on one path.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::counts::ReceiveCounts;
use crate::generated::constants;
use crate::generated::tails::UnpackWriteTail;
use crate::narrow::Narrowing;
use crate::prim::Dff;
use crate::ram_bypass::RamBypass;
use crate::receive_path::{ReceivePath, ReceiveState};
use crate::receive_tables::{AckToggle, ConnectionKey, PathKey, ReceiveEntries, Refused};
use crate::receive_window::ReceiveWindow;
use crate::region_check::{Region, RegionCheck};
use crate::types::{ConfigWrite, FrameEvent, Placement};

/// S0 (`valid`): tables get their addresses. S1, one cycle later: the verdict, all outputs, all writes. Nothing waits at S1.
///
/// In: `frame`, `frame_plane`, `valid`; `config_write`; `ack_every`; `refusal_room`; `built` (an ACK built in this cycle).
/// Out: `placement` and `placement_valid` with `plane`; `request`; `refused` and `refused_valid`; the record written,
/// `write_enable`, `write_path`, `write_state`, `write_seen`; `counts` (without those of answers); `commit`; `busy`.
/// Constant: `PATH_BITS`.
#[derive(LogicBlock)]
pub struct ReceiveEngine<
    const W: usize,
    const IW: usize,
    const G: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub frame: Signal<In, FrameEvent>,
    pub frame_plane: Signal<In, Bits<3>>,
    pub valid: Signal<In, Bit>,
    pub config_write: Signal<In, ConfigWrite>,
    pub ack_every: Signal<In, Bits<8>>,
    pub refusal_room: Signal<In, Bit>,
    pub built: Signal<In, AckToggle>,
    pub plane: Signal<Out, Bits<3>>,
    pub placement: Signal<Out, Placement>,
    pub placement_valid: Signal<Out, Bit>,
    pub request: Signal<Out, AckToggle>,
    pub refused: Signal<Out, Refused>,
    pub refused_valid: Signal<Out, Bit>,
    pub write_enable: Signal<Out, Bit>,
    pub write_path: Signal<Out, Bits<GA>>,
    pub write_state: Signal<Out, ReceiveState>,
    pub write_seen: Signal<Out, Bits<W>>,
    pub counts: Signal<Out, ReceiveCounts>,
    pub commit: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    // S0
    tail0: UnpackWriteTail,
    connection0: Signal<Local, Bits<CA>>,
    path0: Signal<Local, Bits<GA>>,
    region0: Signal<Local, Bits<RA>>,
    // S1
    valid1: Dff<Bit>,
    frame1: Dff<FrameEvent>,
    plane1: Dff<Bits<3>>,
    path1: Dff<Bits<GA>>,
    tail1: UnpackWriteTail,
    keys: RamBypass<ConnectionKey, CA>,
    paths: RamBypass<PathKey, GA>,
    regions: RamBypass<Region, RA>,
    states: RamBypass<ReceiveState, GA>,
    seens: RamBypass<Bits<W>, GA>,
    toggles: RamBypass<Bit, GA>,
    entries: ReceiveEntries,
    window: ReceiveWindow<W, IW, G>,
    check: RegionCheck,
    step: ReceivePath,
    write: Signal<Local, Bit>,
    known: Signal<Local, Bit>,
    live: Signal<Local, Bit>,
    accepted: Signal<Local, Bit>,
    bad: Signal<Local, Bit>,
    config_path: Signal<Local, Bit>,
    psn_used: Constant<Bits<24>>,
    tsn_used: Constant<Bits<24>>,
    received_used: Constant<Bits<16>>,
    path_bits: Constant<Bits<4>>,
    path_mask: Constant<Bits<8>>,
    window_bit: Constant<Bits<24>>,
    opcode_write: Constant<Bits<8>>,
    bad_key: Constant<Bits<8>>,
    bad_range: Constant<Bits<8>>,
    table_connection: Constant<Bits<4>>,
    table_path: Constant<Bits<4>>,
    table_region: Constant<Bits<4>>,
}

impl<
    const W: usize,
    const IW: usize,
    const G: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
> ReceiveEngine<W, IW, G, CA, GA, RA>
{
    /// `path_bits`: bits of a path number in its connection, GA - CA, at most 8.
    pub fn new(path_bits: usize, narrowing: &Narrowing) -> Self {
        assert!(
            GA == CA + path_bits && path_bits <= 8,
            "a global path number is connection and path"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            frame: Default::default(),
            frame_plane: Default::default(),
            valid: Default::default(),
            config_write: Default::default(),
            ack_every: Default::default(),
            refusal_room: Default::default(),
            built: Default::default(),
            plane: Default::default(),
            placement: Default::default(),
            placement_valid: Default::default(),
            request: Default::default(),
            refused: Default::default(),
            refused_valid: Default::default(),
            write_enable: Default::default(),
            write_path: Default::default(),
            write_state: Default::default(),
            write_seen: Default::default(),
            counts: Default::default(),
            commit: Default::default(),
            busy: Default::default(),
            tail0: Default::default(),
            connection0: Default::default(),
            path0: Default::default(),
            region0: Default::default(),
            valid1: Default::default(),
            frame1: Default::default(),
            plane1: Default::default(),
            path1: Default::default(),
            tail1: Default::default(),
            keys: Default::default(),
            paths: Default::default(),
            regions: Default::default(),
            states: Default::default(),
            seens: Default::default(),
            toggles: Default::default(),
            entries: Default::default(),
            window: Default::default(),
            check: Default::default(),
            step: Default::default(),
            write: Default::default(),
            known: Default::default(),
            live: Default::default(),
            accepted: Default::default(),
            bad: Default::default(),
            config_path: Default::default(),
            psn_used: Constant::new(Narrowing::low(narrowing.psn_bits)),
            tsn_used: Constant::new(Narrowing::low(narrowing.tsn_bits)),
            received_used: Constant::new(Narrowing::low(narrowing.received_bits)),
            path_bits: Constant::new((path_bits as LiteralType).into()),
            path_mask: Constant::new(((1 << path_bits) - 1).into()),
            window_bit: Constant::new((W as LiteralType).into()),
            opcode_write: Constant::new(constants::OPCODE_WRITE.into()),
            bad_key: Constant::new(constants::REASON_BAD_KEY.into()),
            bad_range: Constant::new(constants::REASON_BAD_RANGE.into()),
            table_connection: Constant::new(constants::TABLE_CONNECTION.into()),
            table_path: Constant::new(constants::TABLE_PATH.into()),
            table_region: Constant::new(constants::TABLE_REGION.into()),
        }
    }
}

impl<
    const W: usize,
    const IW: usize,
    const G: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
> Logic for ReceiveEngine<W, IW, G, CA, GA, RA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, valid1, frame1, plane1, path1);
        clock!(self, clock, keys, paths, regions, states, seens, toggles);

        // S0: addresses.
        self.tail0.bits.next = self.frame.val().tail;
        self.connection0.next = bit_cast::<CA, 24>(self.frame.val().dest_qp);
        self.path0.next = (bit_cast::<GA, CA>(self.connection0.val()) << self.path_bits.val())
            | bit_cast::<GA, 8>(self.frame.val().path & self.path_mask.val());
        self.region0.next = bit_cast::<RA, 32>(self.tail0.reth_r_key.val());
        self.keys.read_address.next = self.connection0.val();
        self.paths.read_address.next = self.path0.val();
        self.states.read_address.next = self.path0.val();
        self.seens.read_address.next = self.path0.val();
        self.toggles.read_address.next = self.path0.val();
        self.regions.read_address.next = self.region0.val();
        self.valid1.d.next = self.valid.val();
        self.frame1.d.next = self.frame.val();
        self.plane1.d.next = self.frame_plane.val();
        self.path1.d.next = self.path0.val();

        // S1: what the packet is.
        self.tail1.bits.next = self.frame1.q.val().tail;
        self.write.next = self.frame1.q.val().opcode == self.opcode_write.val();
        self.known.next = self.valid1.q.val()
            & self.keys.read_data.val().valid
            & (self.keys.read_data.val().local_qp == self.frame1.q.val().dest_qp)
            & ((self.frame1.q.val().path & self.path_mask.val()) == self.frame1.q.val().path)
            & self.paths.read_data.val().valid;
        self.live.next =
            self.known.val() & (self.paths.read_data.val().epoch == self.frame1.q.val().epoch);
        self.window.cum.next = self.states.read_data.val().cum;
        self.window.seen.next = self.seens.read_data.val();
        self.window.psn.next = self.frame1.q.val().psn;
        self.check.region.next = self.regions.read_data.val();
        self.check.r_key.next = self.tail1.reth_r_key.val();
        self.check.address.next = self.tail1.reth_address.val();
        self.check.payload.next = self.frame1.q.val().payload;
        self.bad.next = self.check.bad_key.val() | self.check.bad_range.val();
        self.accepted.next =
            self.live.val() & self.write.val() & self.window.fresh.val() & !self.bad.val();

        // S1: the path's new state. An ACK that is built in this cycle no longer pends.
        self.step.state.next = self.states.read_data.val();
        self.step.ack_every.next = self.ack_every.val();
        self.step.pending.next = (self.states.read_data.val().request
            ^ self.toggles.read_data.val())
            & !(self.built.val().valid
                & (bit_cast::<GA, 16>(self.built.val().path) == self.path1.q.val()));
        self.step.arrival.next.write = self.live.val() & self.write.val();
        self.step.arrival.next.probe = self.live.val() & !self.write.val();
        self.step.arrival.next.duplicate =
            self.live.val() & self.write.val() & self.window.duplicate.val();
        self.step.arrival.next.accepted = self.accepted.val();
        self.step.arrival.next.gap = self.window.gap.val();
        self.step.arrival.next.ce = self.frame1.q.val().ce;
        self.step.arrival.next.ack_request = self.frame1.q.val().ack_request;
        self.step.arrival.next.tsn = self.frame1.q.val().tsn;
        self.step.arrival.next.timestamp = self.frame1.q.val().timestamp;
        self.step.arrival.next.next_cum = self.window.next_cum.val();
        self.write_enable.next = self.live.val();
        self.write_path.next = self.path1.q.val();
        self.write_state.next = self.step.after.val();
        self.write_state.next.cum = self.step.after.val().cum & self.psn_used.val();
        self.write_state.next.received = self.step.after.val().received & self.received_used.val();
        self.write_state.next.marked = self.step.after.val().marked & self.received_used.val();
        self.write_seen.next = self.seens.read_data.val();
        if self.accepted.val() {
            self.write_seen.next = self.window.next_seen.val();
        }

        // S1: results.
        self.commit.next = self.valid1.q.val();
        self.busy.next = self.valid1.q.val();
        self.plane.next = self.plane1.q.val();
        self.placement.next.accept = self.accepted.val();
        self.placement.next.address = self.tail1.reth_address.val();
        self.placement.next.length = self.frame1.q.val().payload;
        self.placement_valid.next = self.valid1.q.val() & self.write.val();
        self.request.next.valid = self.step.push.val();
        self.request.next.path = bit_cast::<16, GA>(self.path1.q.val());
        self.request.next.plane = self.paths.read_data.val().plane;
        self.request.next.toggle = self.step.after.val().request;
        self.refused_valid.next = self.live.val()
            & self.write.val()
            & self.window.fresh.val()
            & self.bad.val()
            & self.refusal_room.val();
        self.refused.next.path = bit_cast::<16, GA>(self.path1.q.val());
        self.refused.next.plane = self.paths.read_data.val().plane;
        self.refused.next.psn = self.frame1.q.val().psn;
        self.refused.next.tsn = self.frame1.q.val().tsn;
        self.refused.next.reason = self.bad_range.val();
        if self.check.bad_key.val() {
            self.refused.next.reason = self.bad_key.val();
        }
        self.refused.next.stream = self.tail1.msg_stream.val();
        self.refused.next.message = self.tail1.msg_message.val();

        self.counts.next.rx_frames = self.valid1.q.val();
        self.counts.next.rx_unknown_connection = self.valid1.q.val() & !self.known.val();
        self.counts.next.rx_closed_epoch = self.known.val() & !self.live.val();
        self.counts.next.rx_duplicate =
            self.live.val() & self.write.val() & self.window.duplicate.val();
        self.counts.next.rx_out_of_window =
            self.live.val() & self.write.val() & self.window.beyond.val();
        self.counts.next.rx_bad_key =
            self.live.val() & self.write.val() & self.window.fresh.val() & self.check.bad_key.val();
        self.counts.next.rx_bad_range = self.live.val()
            & self.write.val()
            & self.window.fresh.val()
            & self.check.bad_range.val();
        self.counts.next.rx_writes = self.accepted.val();
        self.counts.next.rx_write_bytes = 0.into();
        if self.accepted.val() {
            self.counts.next.rx_write_bytes = self.frame1.q.val().payload;
        }
        self.counts.next.rx_probes = self.live.val() & !self.write.val();
        self.counts.next.rx_marked = self.live.val() & self.write.val() & self.frame1.q.val().ce;
        self.counts.next.tx_acks = false;
        self.counts.next.tx_refusals = false;
        self.counts.next.refusals_dropped = self.live.val()
            & self.write.val()
            & self.window.fresh.val()
            & self.bad.val()
            & !self.refusal_room.val();

        // Configuration: while it is written no stage holds anything.
        self.entries.data.next = self.config_write.val().data;
        self.keys.write_address.next = bit_cast::<CA, 16>(self.config_write.val().index);
        self.keys.write_data.next = self.entries.connection_key.val();
        self.keys.write_enable.next = self.config_write.val().valid
            & (self.config_write.val().table == self.table_connection.val());
        self.regions.write_address.next = bit_cast::<RA, 16>(self.config_write.val().index);
        self.regions.write_data.next = self.entries.region.val();
        self.regions.write_enable.next = self.config_write.val().valid
            & (self.config_write.val().table == self.table_region.val());
        self.config_path.next = self.config_write.val().valid
            & (self.config_write.val().table == self.table_path.val());
        self.paths.write_address.next = bit_cast::<GA, 16>(self.config_write.val().index);
        self.paths.write_data.next = self.entries.path_key.val();
        self.paths.write_enable.next = self.config_path.val();
        if self.config_path.val() {
            self.write_enable.next = true;
            self.write_path.next = bit_cast::<GA, 16>(self.config_write.val().index);
            self.write_state.next.cum = self.entries.first_psn.val();
            self.write_state.next.max_tsn =
                (self.entries.first_tsn.val() - 1) & self.tsn_used.val();
            self.write_state.next.echo_timestamp = 0.into();
            self.write_state.next.received = 0.into();
            self.write_state.next.marked = 0.into();
            self.write_state.next.since_ack = 0.into();
            self.write_state.next.last_marked = false;
            self.write_state.next.request = false;
            self.write_seen.next = 0.into();
            if (self.entries.first_psn.val() & self.window_bit.val()).any() {
                self.write_seen.next = !bits::<W>(0);
            }
        }
        self.states.write_address.next = self.write_path.val();
        self.states.write_data.next = self.write_state.val();
        self.states.write_enable.next = self.write_enable.val();
        self.seens.write_address.next = self.write_path.val();
        self.seens.write_data.next = self.write_seen.val();
        self.seens.write_enable.next = self.write_enable.val();
        self.toggles.write_address.next = bit_cast::<GA, 16>(self.built.val().path);
        self.toggles.write_data.next = self.built.val().toggle;
        self.toggles.write_enable.next = self.built.val().valid;
        if self.config_path.val() {
            self.toggles.write_address.next = bit_cast::<GA, 16>(self.config_write.val().index);
            self.toggles.write_data.next = false;
            self.toggles.write_enable.next = true;
        }

        if self.reset.val() {
            self.valid1.d.next = false;
        }
    }
}
