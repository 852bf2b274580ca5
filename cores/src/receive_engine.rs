//! The receive engine: one data packet or PROBE a cycle, also back to back on one path.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::counts::ReceiveCounts;
use crate::forwarded_table::ForwardedTable;
use crate::generated::constants;
use crate::generated::tails::{UnpackReadRequestTail, UnpackWriteTail};
use crate::message_part::{MessageVerdict, ReadAsk};
use crate::narrow::Narrowing;
use crate::prim::{Dff, RamSdp};
use crate::read_answers::{ReadAnswers, ReadClose, ReadOpen, ReadReply};
use crate::receive_path::{ReceivePath, ReceiveState};
use crate::receive_tables::{
    AckToggle, ConnectionKey, PathBegin, PathKey, ReceiveEntries, Refused,
};
use crate::region_check::{Region, RegionCheck};
use crate::response_room::ResponseRoom;
use crate::sack_advance::SackSlot;
use crate::sack_table::{Advance, SackTable};
use crate::types::{ConfigWrite, FrameEvent, Placement};

/// Five stages, and nothing waits in one. 0 (`valid`): the configuration's tables get their addresses. 1, 2: their words, in
/// registers; the path's slots are read. 3: known, open, inside its region? 4, the commit, four cycles after `valid`: verdict, all
/// outputs, all writes. Only what the commit may change is read late enough to hold every earlier commit.
///
/// The message tracker stands beside it: three cycles after `valid` comes `tracker_refuses`, one later `tracker`; at the commit `accepted` goes out, and `ask`, where it is a READ_REQUEST. Responses have no part in it.
/// Reads: `read_open`, `read_close`, `read_reply` as of `ReadAnswers`; `response_next`, `response_loaded` as of `ResponseRoom`.
///
/// In: `frame`, `frame_plane`, `valid`; `config_write`; `ack_every`; `refusal_room`; `built` (an ACK built in this cycle).
/// Out: `placement` and `placement_valid` with `plane`; `refused` and `refused_valid`; the record written, `write_enable`,
/// `write_path`, `write_state`, and its slots, `write_slot_enable`, `write_slot`; `counts` (without those of answers); `commit`.
/// Later: `advance`; the request for an ACK, `request_valid`, `request_path`, `request_plane`, once what its packet made of
/// the cumulative point has advanced. `begins`: a path's record is set up, the cycle after its entry. `loading`: a path's slots are being set up, no event may enter; `busy`.
#[derive(LogicBlock)]
pub struct ReceiveEngine<
    const G: usize,
    const CA: usize,
    const GA: usize,
    const RA: usize,
    const SA: usize,
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
    pub tracker_refuses: Signal<In, Bit>,
    pub tracker: Signal<In, MessageVerdict>,
    pub accepted: Signal<Out, Bit>,
    pub ask: Signal<Out, ReadAsk>,
    pub read_open: Signal<In, ReadOpen>,
    pub read_close: Signal<In, ReadClose>,
    pub read_reply: Signal<Out, ReadReply>,
    pub response_next: Signal<In, Bits<CA>>,
    pub response_loaded: Signal<In, Bit>,
    pub plane: Signal<Out, Bits<3>>,
    pub placement: Signal<Out, Placement>,
    pub placement_valid: Signal<Out, Bit>,
    pub request_valid: Signal<Out, Bit>,
    pub request_path: Signal<Out, Bits<GA>>,
    pub request_plane: Signal<Out, Bits<3>>,
    pub refused: Signal<Out, Refused>,
    pub refused_valid: Signal<Out, Bit>,
    pub write_enable: Signal<Out, Bit>,
    pub write_path: Signal<Out, Bits<GA>>,
    pub write_state: Signal<Out, ReceiveState>,
    pub write_slot: Signal<Out, SackSlot>,
    pub write_slot_enable: Signal<Out, Bit>,
    pub advance: Signal<Out, Advance>,
    pub begins: Signal<Out, PathBegin>,
    pub counts: Signal<Out, ReceiveCounts>,
    pub commit: Signal<Out, Bit>,
    pub loading: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    // The door.
    tail0: UnpackWriteTail,
    connection0: Signal<Local, Bits<CA>>,
    path0: Signal<Local, Bits<GA>>,
    keys: RamSdp<ConnectionKey, CA>,
    path_keys: RamSdp<PathKey, GA>,
    regions: RamSdp<Region, RA>,
    // What moves from stage to stage; index i is stage i + 1.
    valids: [Dff<Bit>; 4],
    frames: [Dff<FrameEvent>; 4],
    planes: [Dff<Bits<3>>; 4],
    paths: [Dff<Bits<GA>>; 4],
    // 1 and 2: configuration.
    tail1: UnpackWriteTail,
    tail2: UnpackWriteTail,
    key2: Dff<ConnectionKey>,
    path_key2: Dff<PathKey>,
    region2: Dff<Region>,
    check: RegionCheck,
    // 3: checks.
    exists3: Dff<Bit>,
    names3: Dff<Bit>,
    open3: Dff<Bit>,
    data3: Dff<Bit>,
    write3: Dff<Bit>,
    send3: Dff<Bit>,
    request3: Dff<Bit>,
    response3: Dff<Bit>,
    past3: Dff<Bits<33>>,
    crowded3: Signal<Local, Bit>,
    path_plane3: Dff<Bits<3>>,
    known3: Signal<Local, Bit>,
    live3: Signal<Local, Bit>,
    bad3: Signal<Local, Bit>,
    rejected3: Signal<Local, Bit>,
    sack: SackTable<G, GA, SA>,
    // 4: the commit.
    known4: Dff<Bit>,
    live4: Dff<Bit>,
    data4: Dff<Bit>,
    write4: Dff<Bit>,
    send4: Dff<Bit>,
    request4: Dff<Bit>,
    response4: Dff<Bit>,
    past4: Dff<Bits<33>>,
    crowded4: Dff<Bit>,
    read4: UnpackReadRequestTail,
    reads_answered: ReadAnswers,
    response_room: ResponseRoom<CA>,
    takes4: Signal<Local, Bit>,
    rejected4: Dff<Bit>,
    bad4: Dff<Bit>,
    bad_key4: Dff<Bit>,
    path_plane4: Dff<Bits<3>>,
    quiet: Dff<Bits<8>>,
    tail4: UnpackWriteTail,
    states: ForwardedTable<ReceiveState, GA>,
    toggles: ForwardedTable<Bit, GA>,
    step: ReceivePath,
    refusable: Signal<Local, Bit>,
    // Configuration.
    entries: ReceiveEntries,
    begin: Dff<PathBegin>,
    tsn_used: Constant<Bits<24>>,
    received_used: Constant<Bits<16>>,
    path_bits: Constant<Bits<4>>,
    path_mask: Constant<Bits<8>>,
    messages: Constant<Bit>,
    reads: Constant<Bit>,
    opcode_read: Constant<Bits<8>>,
    opcode_response: Constant<Bits<8>>,
    opcode_write: Constant<Bits<8>>,
    opcode_write_imm: Constant<Bits<8>>,
    opcode_send: Constant<Bits<8>>,
    opcode_send_imm: Constant<Bits<8>>,
    bad_key: Constant<Bits<8>>,
    bad_range: Constant<Bits<8>>,
    not_ready: Constant<Bits<8>>,
    invalid_request: Constant<Bits<8>>,
    table_connection: Constant<Bits<4>>,
    table_path: Constant<Bits<4>>,
    table_region: Constant<Bits<4>>,
}

impl<const G: usize, const CA: usize, const GA: usize, const RA: usize, const SA: usize>
    ReceiveEngine<G, CA, GA, RA, SA>
{
    /// `path_bits`: bits of a path number in its connection, GA - CA, at most 8; `messages`: it hears the tracker; it, and
    /// `reads`: it knows the verbs that these profiles add.
    pub fn new(path_bits: usize, messages: bool, reads: bool, narrowing: &Narrowing) -> Self {
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
            tracker_refuses: Default::default(),
            tracker: Default::default(),
            accepted: Default::default(),
            ask: Default::default(),
            read_open: Default::default(),
            read_close: Default::default(),
            read_reply: Default::default(),
            response_next: Default::default(),
            response_loaded: Default::default(),
            plane: Default::default(),
            placement: Default::default(),
            placement_valid: Default::default(),
            request_valid: Default::default(),
            request_path: Default::default(),
            request_plane: Default::default(),
            refused: Default::default(),
            refused_valid: Default::default(),
            write_enable: Default::default(),
            write_path: Default::default(),
            write_state: Default::default(),
            write_slot: Default::default(),
            write_slot_enable: Default::default(),
            advance: Default::default(),
            begins: Default::default(),
            counts: Default::default(),
            commit: Default::default(),
            loading: Default::default(),
            busy: Default::default(),
            tail0: Default::default(),
            connection0: Default::default(),
            path0: Default::default(),
            keys: Default::default(),
            path_keys: Default::default(),
            regions: Default::default(),
            valids: std::array::from_fn(|_| Default::default()),
            frames: std::array::from_fn(|_| Default::default()),
            planes: std::array::from_fn(|_| Default::default()),
            paths: std::array::from_fn(|_| Default::default()),
            tail1: Default::default(),
            tail2: Default::default(),
            key2: Default::default(),
            path_key2: Default::default(),
            region2: Default::default(),
            check: Default::default(),
            exists3: Default::default(),
            names3: Default::default(),
            open3: Default::default(),
            data3: Default::default(),
            write3: Default::default(),
            send3: Default::default(),
            request3: Default::default(),
            response3: Default::default(),
            past3: Default::default(),
            crowded3: Default::default(),
            path_plane3: Default::default(),
            known3: Default::default(),
            live3: Default::default(),
            bad3: Default::default(),
            rejected3: Default::default(),
            sack: SackTable::new(Narrowing::low(narrowing.psn_bits)),
            known4: Default::default(),
            live4: Default::default(),
            data4: Default::default(),
            write4: Default::default(),
            send4: Default::default(),
            request4: Default::default(),
            response4: Default::default(),
            past4: Default::default(),
            crowded4: Default::default(),
            read4: Default::default(),
            reads_answered: Default::default(),
            response_room: Default::default(),
            takes4: Default::default(),
            rejected4: Default::default(),
            bad4: Default::default(),
            bad_key4: Default::default(),
            path_plane4: Default::default(),
            quiet: Default::default(),
            tail4: Default::default(),
            states: Default::default(),
            toggles: Default::default(),
            step: Default::default(),
            refusable: Default::default(),
            entries: Default::default(),
            begin: Default::default(),
            tsn_used: Constant::new(Narrowing::low(narrowing.tsn_bits)),
            received_used: Constant::new(Narrowing::low(narrowing.received_bits)),
            path_bits: Constant::new((path_bits as LiteralType).into()),
            path_mask: Constant::new(((1 << path_bits) - 1).into()),
            messages: Constant::new(messages),
            reads: Constant::new(reads),
            opcode_read: Constant::new(constants::OPCODE_READ_REQUEST.into()),
            opcode_response: Constant::new(constants::OPCODE_READ_RESPONSE.into()),
            opcode_write: Constant::new(constants::OPCODE_WRITE.into()),
            opcode_write_imm: Constant::new(constants::OPCODE_WRITE_IMM.into()),
            opcode_send: Constant::new(constants::OPCODE_SEND.into()),
            opcode_send_imm: Constant::new(constants::OPCODE_SEND_IMM.into()),
            bad_key: Constant::new(constants::REASON_BAD_KEY.into()),
            bad_range: Constant::new(constants::REASON_BAD_RANGE.into()),
            not_ready: Constant::new(constants::REASON_RECEIVER_NOT_READY.into()),
            invalid_request: Constant::new(constants::REASON_INVALID_REQUEST.into()),
            table_connection: Constant::new(constants::TABLE_CONNECTION.into()),
            table_path: Constant::new(constants::TABLE_PATH.into()),
            table_region: Constant::new(constants::TABLE_REGION.into()),
        }
    }
}

impl<const G: usize, const CA: usize, const GA: usize, const RA: usize, const SA: usize> Logic
    for ReceiveEngine<G, CA, GA, RA, SA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            key2,
            path_key2,
            region2,
            exists3,
            names3,
            open3,
            data3,
            write3,
            send3,
            request3,
            response3,
            past3,
            path_plane3
        );
        dff_setup!(
            self,
            clock,
            known4,
            live4,
            data4,
            write4,
            send4,
            request4,
            response4,
            past4,
            crowded4,
            rejected4,
            bad4,
            bad_key4,
            path_plane4,
            quiet,
            begin
        );
        clock!(
            self,
            clock,
            keys,
            path_keys,
            regions,
            check,
            sack,
            states,
            toggles,
            reads_answered,
            response_room
        );
        self.reads_answered.reset.next = self.reset.val();
        self.sack.reset.next = self.reset.val();

        // 0: addresses of the configuration; nothing writes it while a stage holds anything.
        self.tail0.bits.next = self.frame.val().tail;
        self.connection0.next = bit_cast::<CA, 24>(self.frame.val().dest_qp);
        self.path0.next = (bit_cast::<GA, CA>(self.connection0.val()) << self.path_bits.val())
            | bit_cast::<GA, 8>(self.frame.val().path & self.path_mask.val());
        self.keys.read_address.next = self.connection0.val();
        self.path_keys.read_address.next = self.path0.val();
        self.regions.read_address.next = bit_cast::<RA, 32>(self.tail0.reth_r_key.val());
        self.valids[0].d.next = self.valid.val();
        self.frames[0].d.next = self.frame.val();
        self.planes[0].d.next = self.frame_plane.val();
        self.paths[0].d.next = self.path0.val();
        self.busy.next = self.sack.busy.val();
        for i in 0..4 {
            self.valids[i].clock.next = self.clock.val();
            self.frames[i].clock.next = self.clock.val();
            self.planes[i].clock.next = self.clock.val();
            self.paths[i].clock.next = self.clock.val();
            if self.valids[i].q.val() {
                self.busy.next = true;
            }
        }
        for i in 1..4 {
            self.valids[i].d.next = self.valids[i - 1].q.val();
            self.frames[i].d.next = self.frames[i - 1].q.val();
            self.planes[i].d.next = self.planes[i - 1].q.val();
            self.paths[i].d.next = self.paths[i - 1].q.val();
        }

        // 1: the configuration; the path's slots get their addresses.
        self.key2.d.next = self.keys.read_data.val();
        self.path_key2.d.next = self.path_keys.read_data.val();
        self.region2.d.next = self.regions.read_data.val();
        self.tail1.bits.next = self.frames[0].q.val().tail;
        self.check.address.next = self.tail1.reth_address.val();
        self.check.bytes.next = bit_cast::<32, 16>(self.frames[0].q.val().payload);
        if self.reads.val() & (self.frames[0].q.val().opcode == self.opcode_read.val()) {
            self.check.bytes.next = self.tail1.reth_length.val();
        }
        self.response_room.connection.next = bit_cast::<CA, 24>(self.frames[0].q.val().dest_qp);
        self.sack.path.next = self.paths[0].q.val();
        self.sack.psn.next = self.frames[0].q.val().psn;

        // 2: what the packet is; the path's record gets its address.
        self.tail2.bits.next = self.frames[1].q.val().tail;
        self.check.region.next = self.region2.q.val();
        self.check.r_key.next = self.tail2.reth_r_key.val();
        self.names3.d.next = self.key2.q.val().local_qp == self.frames[1].q.val().dest_qp;
        self.exists3.d.next = self.valids[1].q.val()
            & self.key2.q.val().valid
            & self.path_key2.q.val().valid
            & ((self.frames[1].q.val().path & self.path_mask.val()) == self.frames[1].q.val().path);
        self.open3.d.next = self.path_key2.q.val().epoch == self.frames[1].q.val().epoch;
        self.write3.d.next = self.frames[1].q.val().opcode == self.opcode_write.val();
        self.send3.d.next = self.messages.val()
            & ((self.frames[1].q.val().opcode == self.opcode_send.val())
                | (self.frames[1].q.val().opcode == self.opcode_send_imm.val()));
        self.request3.d.next =
            self.reads.val() & (self.frames[1].q.val().opcode == self.opcode_read.val());
        self.response3.d.next =
            self.reads.val() & (self.frames[1].q.val().opcode == self.opcode_response.val());
        self.past3.d.next = bit_cast::<33, 32>(self.tail2.msg_offset.val())
            + bit_cast::<33, 16>(self.frames[1].q.val().payload);
        self.data3.d.next = self.write3.d.val()
            | self.send3.d.val()
            | self.request3.d.val()
            | self.response3.d.val()
            | (self.messages.val()
                & (self.frames[1].q.val().opcode == self.opcode_write_imm.val()));
        self.path_plane3.d.next = self.path_key2.q.val().plane;
        self.states.read_address.next = self.paths[1].q.val();
        self.toggles.read_address.next = self.paths[1].q.val();

        // 3: whether it reaches the check of its PSN, and may land.
        self.known3.next = self.exists3.q.val() & self.names3.q.val();
        self.live3.next = self.known3.val() & self.open3.q.val();
        self.bad3.next = !self.send3.q.val()
            & !self.response3.q.val()
            & (self.check.bad_key.val() | self.check.bad_range.val());
        self.crowded3.next = self.request3.q.val() & self.response_room.full.val();
        self.sack.take.next = self.live3.val() & self.data3.q.val();
        self.rejected3.next = self.bad3.val()
            | self.crowded3.val()
            | (self.messages.val() & self.tracker_refuses.val() & !self.response3.q.val());
        self.sack.bad.next = self.rejected3.val();
        self.known4.d.next = self.known3.val();
        self.live4.d.next = self.live3.val();
        self.data4.d.next = self.data3.q.val();
        self.write4.d.next = self.write3.q.val();
        self.send4.d.next = self.send3.q.val();
        self.request4.d.next = self.request3.q.val();
        self.response4.d.next = self.response3.q.val();
        self.past4.d.next = self.past3.q.val();
        self.crowded4.d.next = self.crowded3.val();
        self.rejected4.d.next = self.rejected3.val();
        self.bad4.d.next = self.bad3.val();
        self.bad_key4.d.next =
            !self.send3.q.val() & !self.response3.q.val() & self.check.bad_key.val();
        self.path_plane4.d.next = self.path_plane3.q.val();
        self.quiet.d.next = 0.into();
        if self.ack_every.val().any() {
            self.quiet.d.next = self.ack_every.val() - 1;
        }

        // 4: the path's new state. An ACK that is built in this cycle no longer pends.
        self.step.state.next = self.states.read_data.val();
        self.step.quiet.next = self.quiet.q.val();
        self.step.pending.next = (self.states.read_data.val().request
            ^ self.toggles.read_data.val())
            & !(self.built.val().valid
                & (bit_cast::<GA, 16>(self.built.val().path) == self.paths[3].q.val()));
        self.step.arrival.next.write = self.live4.q.val() & self.data4.q.val();
        self.step.arrival.next.probe = self.live4.q.val() & !self.data4.q.val();
        self.step.arrival.next.duplicate = self.sack.duplicate.val();
        self.step.arrival.next.accepted = self.sack.accepted.val();
        self.step.arrival.next.gap = self.sack.gap.val();
        self.step.arrival.next.ce = self.frames[3].q.val().ce;
        self.step.arrival.next.ack_request = self.frames[3].q.val().ack_request;
        self.step.arrival.next.tsn = self.frames[3].q.val().tsn;
        self.step.arrival.next.timestamp = self.frames[3].q.val().timestamp;
        self.write_enable.next = self.live4.q.val();
        self.write_path.next = self.paths[3].q.val();
        self.write_state.next = self.step.after.val();
        self.write_state.next.received = self.step.after.val().received & self.received_used.val();
        self.write_state.next.marked = self.step.after.val().marked & self.received_used.val();
        self.write_slot.next = self.sack.slot.val();
        self.write_slot_enable.next = self.sack.accepted.val();

        // 4: results.
        self.tail4.bits.next = self.frames[3].q.val().tail;
        self.commit.next = self.valids[3].q.val();
        self.plane.next = self.planes[3].q.val();
        self.takes4.next = self.sack.accepted.val() & !self.response4.q.val();
        self.placement.next.accept = self.sack.accepted.val();
        self.accepted.next = self.takes4.val();
        self.placement.next.address = self.tail4.reth_address.val();
        if self.send4.q.val() {
            self.placement.next.address = self.tracker.val().address;
        }
        if self.response4.q.val() {
            self.placement.next.accept = self.sack.accepted.val() & self.reads_answered.hit.val();
            self.placement.next.address = self.reads_answered.address.val();
        }
        self.placement.next.length = self.frames[3].q.val().payload;
        self.placement_valid.next = self.valids[3].q.val() & self.data4.q.val();
        self.refusable.next = self.sack.fresh.val() & self.rejected4.q.val();
        self.refused_valid.next = self.refusable.val() & self.refusal_room.val();
        self.refused.next.path = bit_cast::<16, GA>(self.paths[3].q.val());
        self.refused.next.plane = self.path_plane4.q.val();
        self.refused.next.psn = self.frames[3].q.val().psn;
        self.refused.next.tsn = self.frames[3].q.val().tsn;
        self.refused.next.reason = self.bad_range.val();
        if self.bad_key4.q.val() {
            self.refused.next.reason = self.bad_key.val();
        } else if !self.bad4.q.val() & self.messages.val() {
            if self.tracker.val().invalid | self.crowded4.q.val() {
                self.refused.next.reason = self.invalid_request.val();
            } else if self.tracker.val().not_ready {
                self.refused.next.reason = self.not_ready.val();
            }
        }
        self.refused.next.stream = self.tail4.msg_stream.val();
        self.refused.next.message = self.tail4.msg_message.val();

        self.counts.next.rx_frames = self.valids[3].q.val();
        self.counts.next.rx_unknown_connection = self.valids[3].q.val() & !self.known4.q.val();
        self.counts.next.rx_closed_epoch = self.known4.q.val() & !self.live4.q.val();
        self.counts.next.rx_duplicate = self.sack.duplicate.val();
        self.counts.next.rx_out_of_window = self.sack.beyond.val();
        self.counts.next.rx_bad_key = self.sack.fresh.val() & self.bad_key4.q.val();
        self.counts.next.rx_bad_range =
            self.refusable.val() & (self.refused.val().reason == self.bad_range.val());
        self.counts.next.rx_not_ready =
            self.refusable.val() & (self.refused.val().reason == self.not_ready.val());
        self.counts.next.rx_invalid_request =
            self.refusable.val() & (self.refused.val().reason == self.invalid_request.val());
        self.counts.next.rx_writes =
            self.sack.accepted.val() & (self.write4.q.val() | !self.messages.val());
        self.counts.next.rx_verbs =
            self.sack.accepted.val() & !self.write4.q.val() & self.messages.val();
        self.counts.next.rx_write_bytes = 0.into();
        if self.counts.val().rx_writes {
            self.counts.next.rx_write_bytes = self.frames[3].q.val().payload;
        }
        self.counts.next.rx_probes = self.live4.q.val() & !self.data4.q.val();
        self.counts.next.rx_marked =
            self.live4.q.val() & self.data4.q.val() & self.frames[3].q.val().ce;
        self.counts.next.rx_messages = false;
        self.counts.next.rx_stray_response =
            self.sack.accepted.val() & self.response4.q.val() & !self.reads_answered.hit.val();
        self.counts.next.tx_acks = false;
        self.counts.next.tx_refusals = false;
        self.counts.next.refusals_dropped = self.refusable.val() & !self.refusal_room.val();

        // 4: Reads, and what answers them.
        self.read4.bits.next = self.frames[3].q.val().tail;
        self.ask.next.valid = self.request4.q.val();
        self.ask.next.tag = self.read4.tag_tag.val();
        self.ask.next.address = self.read4.reth_address.val();
        self.ask.next.length = self.read4.reth_length.val();
        self.response_room.accepted.next = self.sack.accepted.val() & self.request4.q.val();
        self.response_room.coming.next = self.response_next.val();
        self.response_room.loaded.next = self.response_loaded.val();
        self.reads_answered.open.next = self.read_open.val();
        self.reads_answered.close.next = self.read_close.val();
        self.reads_answered.tail.next = self.frames[3].q.val().tail;
        self.reads_answered.payload.next = self.frames[3].q.val().payload;
        self.reads_answered.past.next = self.past4.q.val();
        self.reads_answered.connection.next =
            bit_cast::<12, CA>(bit_cast::<CA, 24>(self.frames[3].q.val().dest_qp));
        self.reads_answered.accepted.next = self.sack.accepted.val() & self.response4.q.val();
        self.read_reply.next.whole = self.reads_answered.whole.val();
        self.read_reply.next.commits = self.valids[3].q.val() & self.response4.q.val();
        self.read_reply.next.slot = self.reads_answered.slot.val();

        // Later: what the packet did to the cumulative point, and the ACK it asked for.
        self.sack.rider.next = bit_cast::<4, 3>(self.path_plane4.q.val()) << 1;
        if self.step.push.val() {
            self.sack.rider.next = (bit_cast::<4, 3>(self.path_plane4.q.val()) << 1) | 1;
        }
        self.request_valid.next = self.sack.rider_out.val().get_bit(0);
        self.request_plane.next = self.sack.rider_out.val().get_bits::<3>(1);
        self.request_path.next = self.sack.rider_path.val();
        self.advance.next = self.sack.advance.val();

        // Configuration: while it is written no stage holds anything.
        self.entries.data.next = self.config_write.val().data;
        self.keys.write_address.next = bit_cast::<CA, 16>(self.config_write.val().index);
        self.keys.write_data.next = self.entries.connection_key.val();
        self.keys.write_enable.next = self.config_write.val().valid
            & (self.config_write.val().table == self.table_connection.val());
        self.response_room.start.next = self.keys.write_enable.val();
        self.response_room.start_connection.next = self.keys.write_address.val();
        self.regions.write_address.next = bit_cast::<RA, 16>(self.config_write.val().index);
        self.regions.write_data.next = self.entries.region.val();
        self.regions.write_enable.next = self.config_write.val().valid
            & (self.config_write.val().table == self.table_region.val());
        self.path_keys.write_address.next = bit_cast::<GA, 16>(self.config_write.val().index);
        self.path_keys.write_data.next = self.entries.path_key.val();
        self.path_keys.write_enable.next = self.begin.d.val().valid;

        // A path begins: what commits write as well is written a cycle later, so that no decoding is before its tables.
        self.begin.d.next.valid = self.config_write.val().valid
            & (self.config_write.val().table == self.table_path.val());
        self.begin.d.next.path = self.config_write.val().index;
        self.begin.d.next.psn = self.entries.first_psn.val();
        self.begin.d.next.tsn = self.entries.first_tsn.val();
        self.begins.next = self.begin.q.val();
        self.sack.load.next = self.begin.q.val().valid;
        self.sack.load_path.next = bit_cast::<GA, 16>(self.begin.q.val().path);
        self.sack.load_psn.next = self.begin.q.val().psn;
        self.loading.next = self.sack.loading.val() | self.begin.q.val().valid;
        if self.begin.q.val().valid {
            self.busy.next = true;
            self.write_enable.next = true;
            self.write_path.next = bit_cast::<GA, 16>(self.begin.q.val().path);
            self.write_state.next.max_tsn = (self.begin.q.val().tsn - 1) & self.tsn_used.val();
            self.write_state.next.echo_timestamp = 0.into();
            self.write_state.next.received = 0.into();
            self.write_state.next.marked = 0.into();
            self.write_state.next.since_ack = 0.into();
            self.write_state.next.last_marked = false;
            self.write_state.next.request = false;
        }
        self.states.write_address.next = self.write_path.val();
        self.states.write_data.next = self.write_state.val();
        self.states.write_enable.next = self.write_enable.val();
        self.toggles.write_address.next = bit_cast::<GA, 16>(self.built.val().path);
        self.toggles.write_data.next = self.built.val().toggle;
        self.toggles.write_enable.next = self.built.val().valid;
        if self.begin.q.val().valid {
            self.toggles.write_address.next = bit_cast::<GA, 16>(self.begin.q.val().path);
            self.toggles.write_data.next = false;
            self.toggles.write_enable.next = true;
        }

        if self.reset.val() {
            for i in 0..4 {
                self.valids[i].d.next = false;
            }
            self.begin.d.next.valid = false;
            self.exists3.d.next = false;
            self.known4.d.next = false;
            self.live4.d.next = false;
        }
    }
}
