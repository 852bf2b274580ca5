//! Builds ACKs and REFUSALs: one answer a cycle over all planes.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::generated::constants;
use crate::generated::tails::{PackNak, PackSack};
use crate::prim::{Dff, RamSdp};
use crate::receive_path::ReceiveState;
use crate::receive_tables::{
    AckToggle, ConnectionAddress, PathBegin, PathKey, ReceiveEntries, Refused,
};
use crate::round_robin::RoundRobin;
use crate::sack_advance::SackSlot;
use crate::sack_table::Advance;
use crate::types::{ConfigWrite, TxDescriptor};

/// 0: a plane whose answer slot is free, planes in turn, a refusal and an ACK in turn. 1: its path. 2, 3: whether it is still
/// wanted. 4, the build: the path's record is read as it is before this cycle, straight from RAM. 5: the answer.
///
/// In: each plane's oldest request for an ACK, `request_path`, `request_valid`; the oldest refusal, `refused`, `refused_valid`
/// (stays until popped); `answer_ready`, which falls only by an answer; `hold`; the engine's record write, `advance` and `begins`;
/// `config_write`. Out: `request_pop`, `refused_pop`; `answer`, `answer_valid`; `built`, which is also the trace of an ACK;
/// `refusal_built`, a cycle before the refusal is popped; `busy`. One plane is answered in every sixth cycle at most.
/// Constant: `PATH_BITS`.
///
/// A request whose path has none pending (it was configured anew) or has moved to another plane is dropped. A refusal whose
/// path has moved goes to the path's new plane. A request comes long after its packet's commit, and a plane holds one at a
/// time: so no table here needs a bypass.
#[derive(LogicBlock)]
pub struct AnswerBuilder<const N: usize, const G: usize, const CA: usize, const GA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub hold: Signal<In, Bit>,
    pub config_write: Signal<In, ConfigWrite>,
    pub request_path: [Signal<In, Bits<GA>>; N],
    pub request_valid: [Signal<In, Bit>; N],
    pub request_pop: [Signal<Out, Bit>; N],
    pub refused: Signal<In, Refused>,
    pub refused_valid: Signal<In, Bit>,
    pub refused_pop: Signal<Out, Bit>,
    pub write_enable: Signal<In, Bit>,
    pub write_path: Signal<In, Bits<GA>>,
    pub write_state: Signal<In, ReceiveState>,
    pub write_slot: Signal<In, SackSlot>,
    pub write_slot_enable: Signal<In, Bit>,
    pub advance: Signal<In, Advance>,
    pub begins: Signal<In, PathBegin>,
    pub answer: Signal<Out, TxDescriptor>,
    pub answer_valid: [Signal<Out, Bit>; N],
    pub answer_ready: [Signal<In, Bit>; N],
    pub built: Signal<Out, AckToggle>,
    pub refusal_built: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    // 0
    turns: RoundRobin<N>,
    last: Dff<Bits<3>>,
    last_refusal: Dff<Bit>,
    moved: Dff<Bit>,
    moved_plane: Dff<Bits<3>>,
    engaged: [Dff<Bit>; N],
    refusal_plane: Signal<Local, Bits<3>>,
    refusal_free: Signal<Local, Bit>,
    refusing: Signal<Local, Bit>,
    refuse0: Signal<Local, Bit>,
    ack0: Signal<Local, Bit>,
    // What moves from stage to stage; index i is stage i + 1, of `paths` i + 2.
    valids: [Dff<Bit>; 5],
    refuses: [Dff<Bit>; 5],
    planes: [Dff<Bits<3>>; 5],
    /// Stage 1, one hot: the plane whose request is taken.
    takes: [Dff<Bit>; N],
    paths: [Dff<Bits<GA>>; 4],
    // 2 and 3
    path_keys: RamSdp<PathKey, GA>,
    asked: RamSdp<Bit, GA>,
    toggles: RamSdp<Bit, GA>,
    // 4
    path_key4: Dff<PathKey>,
    asked4: Dff<Bit>,
    toggle4: Dff<Bit>,
    here: Signal<Local, Bit>,
    ack: Signal<Local, Bit>,
    refusal: Signal<Local, Bit>,
    addresses: RamSdp<ConnectionAddress, CA>,
    states: RamSdp<ReceiveState, GA>,
    cums: RamSdp<Bits<24>, GA>,
    rows: [RamSdp<Bits<16>, GA>; G],
    // 5
    path_key5: Dff<PathKey>,
    answered5: Dff<Bit>,
    row: Signal<Local, Bits<16>>,
    bitvector: Signal<Local, Bits<256>>,
    sack: PackSack,
    nak: PackNak,
    // Configuration.
    entries: ReceiveEntries,
    path_bits: Constant<Bits<4>>,
    path_mask: Constant<Bits<8>>,
    last_row: Constant<Bits<8>>,
    window: Constant<Bits<24>>,
    all: Constant<Bits<16>>,
    opcode_ack: Constant<Bits<8>>,
    opcode_refusal: Constant<Bits<8>>,
    rate_hint: Constant<Bits<16>>,
    table_connection: Constant<Bits<4>>,
    table_path: Constant<Bits<4>>,
}

impl<const N: usize, const G: usize, const CA: usize, const GA: usize> AnswerBuilder<N, G, CA, GA> {
    /// `path_bits`: bits of a path number in its connection, GA - CA, at most 8.
    pub fn new(path_bits: usize) -> Self {
        assert!(
            GA == CA + path_bits && path_bits <= 8,
            "a global path number is connection and path"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            hold: Default::default(),
            config_write: Default::default(),
            request_path: std::array::from_fn(|_| Default::default()),
            request_valid: std::array::from_fn(|_| Default::default()),
            request_pop: std::array::from_fn(|_| Default::default()),
            refused: Default::default(),
            refused_valid: Default::default(),
            refused_pop: Default::default(),
            write_enable: Default::default(),
            write_path: Default::default(),
            write_state: Default::default(),
            write_slot: Default::default(),
            write_slot_enable: Default::default(),
            advance: Default::default(),
            begins: Default::default(),
            answer: Default::default(),
            answer_valid: std::array::from_fn(|_| Default::default()),
            answer_ready: std::array::from_fn(|_| Default::default()),
            built: Default::default(),
            refusal_built: Default::default(),
            busy: Default::default(),
            turns: Default::default(),
            last: Default::default(),
            last_refusal: Default::default(),
            moved: Default::default(),
            moved_plane: Default::default(),
            engaged: std::array::from_fn(|_| Default::default()),
            refusal_plane: Default::default(),
            refusal_free: Default::default(),
            refusing: Default::default(),
            refuse0: Default::default(),
            ack0: Default::default(),
            valids: std::array::from_fn(|_| Default::default()),
            refuses: std::array::from_fn(|_| Default::default()),
            planes: std::array::from_fn(|_| Default::default()),
            takes: std::array::from_fn(|_| Default::default()),
            paths: std::array::from_fn(|_| Default::default()),
            path_keys: Default::default(),
            asked: Default::default(),
            toggles: Default::default(),
            path_key4: Default::default(),
            asked4: Default::default(),
            toggle4: Default::default(),
            here: Default::default(),
            ack: Default::default(),
            refusal: Default::default(),
            addresses: Default::default(),
            states: Default::default(),
            cums: Default::default(),
            rows: std::array::from_fn(|_| Default::default()),
            path_key5: Default::default(),
            answered5: Default::default(),
            row: Default::default(),
            bitvector: Default::default(),
            sack: Default::default(),
            nak: Default::default(),
            entries: Default::default(),
            path_bits: Constant::new((path_bits as LiteralType).into()),
            path_mask: Constant::new(((1 << path_bits) - 1).into()),
            last_row: Constant::new((16 * (G as LiteralType - 1)).into()),
            window: Constant::new((16 * G as LiteralType).into()),
            all: Constant::new(0xFFFF.into()),
            opcode_ack: Constant::new(constants::OPCODE_ACK.into()),
            opcode_refusal: Constant::new(constants::OPCODE_REFUSAL.into()),
            rate_hint: Constant::new(constants::RATE_HINT_FULL.into()),
            table_connection: Constant::new(constants::TABLE_CONNECTION.into()),
            table_path: Constant::new(constants::TABLE_PATH.into()),
        }
    }
}

impl<const N: usize, const G: usize, const CA: usize, const GA: usize> Logic
    for AnswerBuilder<N, G, CA, GA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, last, last_refusal, moved, moved_plane);
        dff_setup!(
            self, clock, path_key4, asked4, toggle4, path_key5, answered5
        );
        clock!(
            self, clock, path_keys, asked, toggles, addresses, states, cums
        );

        // 0: what can be answered. A plane that a stage serves waits: its slot is no longer free.
        self.refusal_plane.next = self.refused.val().plane;
        if self.moved.q.val() {
            self.refusal_plane.next = self.moved_plane.q.val();
        }
        self.refusing.next = false;
        self.busy.next = false;
        for i in 0..5 {
            self.valids[i].clock.next = self.clock.val();
            self.refuses[i].clock.next = self.clock.val();
            self.planes[i].clock.next = self.clock.val();
            if self.valids[i].q.val() {
                self.busy.next = true;
                if self.refuses[i].q.val() {
                    self.refusing.next = true;
                }
            }
        }
        self.refusal_free.next = false;
        for i in 0..N {
            self.engaged[i].clock.next = self.clock.val();
            self.takes[i].clock.next = self.clock.val();
            self.turns.wants[i].next = false;
            if !self.hold.val() & self.answer_ready[i].val() & !self.engaged[i].q.val() {
                self.turns.wants[i].next = self.request_valid[i].val();
                if self.refusal_plane.val() == i.to_bits() {
                    self.refusal_free.next = self.refused_valid.val() & !self.refusing.val();
                }
            }
        }
        self.turns.last.next = self.last.q.val();
        self.refuse0.next =
            self.refusal_free.val() & !(self.last_refusal.q.val() & self.turns.any.val());
        self.ack0.next = self.turns.any.val() & !self.refuse0.val();
        self.valids[0].d.next = self.ack0.val() | self.refuse0.val();
        self.refuses[0].d.next = self.refuse0.val();
        self.planes[0].d.next = self.refusal_plane.val();
        for i in 0..N {
            self.takes[i].d.next = self.ack0.val() & (self.turns.turn.val() == i.to_bits());
        }
        if self.ack0.val() {
            self.planes[0].d.next = self.turns.turn.val();
            self.last.d.next = self.turns.turn.val();
            self.last_refusal.d.next = false;
        }
        if self.refuse0.val() {
            self.last_refusal.d.next = true;
        }
        for i in 1..5 {
            self.valids[i].d.next = self.valids[i - 1].q.val();
            self.refuses[i].d.next = self.refuses[i - 1].q.val();
            self.planes[i].d.next = self.planes[i - 1].q.val();
        }

        // 1: its path. The request stayed where it was: a plane is engaged until its answer has left.
        self.paths[0].d.next = bit_cast::<GA, 16>(self.refused.val().path);
        for i in 0..N {
            self.request_pop[i].next = self.takes[i].q.val();
            if self.takes[i].q.val() {
                self.paths[0].d.next = self.request_path[i].val();
            }
        }
        for i in 0..4 {
            self.paths[i].clock.next = self.clock.val();
        }
        for i in 1..4 {
            self.paths[i].d.next = self.paths[i - 1].q.val();
        }

        // 2 and 3: is it still wanted?
        self.path_keys.read_address.next = self.paths[0].q.val();
        self.asked.read_address.next = self.paths[0].q.val();
        self.toggles.read_address.next = self.paths[0].q.val();
        self.path_key4.d.next = self.path_keys.read_data.val();
        self.asked4.d.next = self.asked.read_data.val();
        self.toggle4.d.next = self.toggles.read_data.val();

        // 4: the build.
        self.here.next =
            self.valids[3].q.val() & (self.path_key4.q.val().plane == self.planes[3].q.val());
        self.ack.next = self.here.val()
            & !self.refuses[3].q.val()
            & (self.asked4.q.val() ^ self.toggle4.q.val());
        self.refusal.next = self.here.val() & self.refuses[3].q.val();
        if self.refusal.val() {
            self.moved.d.next = false;
        } else if self.valids[3].q.val() & self.refuses[3].q.val() {
            self.moved.d.next = true;
            self.moved_plane.d.next = self.path_key4.q.val().plane;
        }
        self.built.next.valid = self.ack.val();
        self.built.next.path = bit_cast::<16, GA>(self.paths[2].q.val());
        self.built.next.plane = self.planes[3].q.val();
        self.built.next.toggle = self.asked4.q.val();
        self.refusal_built.next = self.refusal.val();
        self.states.read_address.next = self.paths[2].q.val();
        self.cums.read_address.next = self.paths[2].q.val();
        self.addresses.read_address.next =
            bit_cast::<CA, GA>(self.paths[2].q.val() >> self.path_bits.val());
        self.path_key5.d.next = self.path_key4.q.val();
        self.answered5.d.next = self.ack.val() | self.refusal.val();

        // 5: the answer.
        self.refused_pop.next = self.answered5.q.val() & self.refuses[4].q.val();
        self.answer.next.ack_request = false;
        self.answer.next.dest_qp = self.addresses.read_data.val().remote_qp;
        self.answer.next.path = bit_cast::<8, GA>(self.paths[3].q.val()) & self.path_mask.val();
        self.answer.next.epoch = self.path_key5.q.val().epoch;
        self.answer.next.entropy = self.path_key5.q.val().entropy;
        self.answer.next.dst_mac = self.addresses.read_data.val().dst_mac;
        self.answer.next.src_mac = self.addresses.read_data.val().src_mac;
        self.answer.next.src_ip = self.addresses.read_data.val().src_ip;
        self.answer.next.dst_ip = self.addresses.read_data.val().dst_ip;
        self.answer.next.ip_sum = self.addresses.read_data.val().ip_sum;
        self.answer.next.payload = 0.into();
        self.answer.next.local_address = 0.into();
        self.answer.next.opcode = self.opcode_ack.val();
        self.answer.next.psn = self.cums.read_data.val();
        self.answer.next.tsn = self.states.read_data.val().max_tsn;
        self.answer.next.timestamp = self.states.read_data.val().echo_timestamp;
        self.bitvector.next = 0.into();
        for i in 0..G {
            self.rows[i].read_address.next = self.paths[2].q.val();
            self.row.next = self.rows[i].read_data.val();
            self.bitvector.next = (self.bitvector.val() >> 16)
                | (bit_cast::<256, 16>(self.row.val()) << self.last_row.val());
        }
        self.sack.received.next = self.states.read_data.val().received;
        self.sack.marked.next = self.states.read_data.val().marked;
        self.sack.rate_hint.next = self.rate_hint.val();
        self.sack.bitvector.next = self.bitvector.val();
        self.nak.reason.next = self.refused.val().reason;
        self.nak.stream.next = self.refused.val().stream;
        self.nak.message.next = self.refused.val().message;
        self.answer.next.tail = self.sack.bits.val();
        if self.refuses[4].q.val() {
            self.answer.next.opcode = self.opcode_refusal.val();
            self.answer.next.psn = self.refused.val().psn;
            self.answer.next.tsn = self.refused.val().tsn;
            self.answer.next.timestamp = 0.into();
            self.answer.next.tail = self.nak.bits.val();
        }
        for i in 0..N {
            self.answer_valid[i].next =
                self.answered5.q.val() & (self.planes[4].q.val() == i.to_bits());
            self.engaged[i].d.next = self.engaged[i].q.val();
            if self.valids[4].q.val() & (self.planes[4].q.val() == i.to_bits()) {
                self.engaged[i].d.next = false;
            }
            if self.valids[0].d.val() & (self.planes[0].d.val() == i.to_bits()) {
                self.engaged[i].d.next = true;
            }
        }

        // Tables: the engine's records, the configuration, the own toggles.
        self.states.write_address.next = self.write_path.val();
        self.states.write_data.next = self.write_state.val();
        self.states.write_enable.next = self.write_enable.val();
        self.asked.write_address.next = self.write_path.val();
        self.asked.write_data.next = self.write_state.val().request;
        self.asked.write_enable.next = self.write_enable.val();
        self.cums.write_address.next = bit_cast::<GA, 16>(self.advance.val().path);
        self.cums.write_data.next = self.advance.val().cum;
        self.cums.write_enable.next = self.advance.val().valid;
        for i in 0..G {
            self.rows[i].clock.next = self.clock.val();
            self.rows[i].write_address.next = self.write_path.val();
            self.rows[i].write_data.next = self.write_slot.val().word;
            self.rows[i].write_enable.next =
                self.write_slot_enable.val() & (self.write_slot.val().row == i.to_bits());
        }
        self.entries.data.next = self.config_write.val().data;
        self.addresses.write_address.next = bit_cast::<CA, 16>(self.config_write.val().index);
        self.addresses.write_data.next = self.entries.connection_address.val();
        self.addresses.write_enable.next = self.config_write.val().valid
            & (self.config_write.val().table == self.table_connection.val());
        self.path_keys.write_address.next = bit_cast::<GA, 16>(self.config_write.val().index);
        self.path_keys.write_data.next = self.entries.path_key.val();
        self.path_keys.write_enable.next = self.config_write.val().valid
            & (self.config_write.val().table == self.table_path.val());
        self.toggles.write_address.next = self.paths[2].q.val();
        self.toggles.write_data.next = self.asked4.q.val();
        self.toggles.write_enable.next = self.ack.val();
        if self.begins.val().valid {
            self.toggles.write_address.next = bit_cast::<GA, 16>(self.begins.val().path);
            self.toggles.write_data.next = false;
            self.toggles.write_enable.next = true;
            self.cums.write_address.next = bit_cast::<GA, 16>(self.begins.val().path);
            self.cums.write_data.next = self.begins.val().psn;
            self.cums.write_enable.next = true;
            for i in 0..G {
                self.rows[i].write_enable.next = true;
                self.rows[i].write_data.next = 0.into();
                if (self.begins.val().psn & self.window.val()).any() {
                    self.rows[i].write_data.next = self.all.val();
                }
            }
        }

        if self.reset.val() {
            for i in 0..5 {
                self.valids[i].d.next = false;
            }
            for i in 0..N {
                self.engaged[i].d.next = false;
                self.takes[i].d.next = false;
            }
            self.answered5.d.next = false;
            self.moved.d.next = false;
        }
    }
}
