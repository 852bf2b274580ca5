//! Builds ACKs and REFUSALs: one answer a cycle over all planes.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::generated::constants;
use crate::generated::tails::{PackNak, PackSack};
use crate::prim::Dff;
use crate::ram_bypass::RamBypass;
use crate::receive_path::ReceiveState;
use crate::receive_tables::{AckToggle, ConnectionAddress, PathKey, ReceiveEntries, Refused};
use crate::round_robin::RoundRobin;
use crate::types::{ConfigWrite, TxDescriptor};

/// S0: a plane whose answer slot is free, planes in turn, a refusal and an ACK in turn. S1, one cycle later: the answer, from
/// the path's record as it is then.
///
/// In: each plane's oldest request for an ACK, `request_path`, `request_valid`; the oldest refusal, `refused`, `refused_valid`
/// (stays until popped); `answer_ready`, which falls only by an answer; `hold`; the engine's record write; `config_write`.
/// Out: `request_pop`, `refused_pop`; `answer`, `answer_valid`; `built`, which is also the trace of an ACK; `refusal_built`;
/// `busy`. Constant: `PATH_BITS`.
///
/// A request whose path has none pending (it was configured anew) or has moved to another plane is dropped. A refusal whose
/// path has moved goes to the path's new plane.
#[derive(LogicBlock)]
pub struct AnswerBuilder<const N: usize, const W: usize, const CA: usize, const GA: usize> {
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
    pub write_seen: Signal<In, Bits<W>>,
    pub answer: Signal<Out, TxDescriptor>,
    pub answer_valid: [Signal<Out, Bit>; N],
    pub answer_ready: [Signal<In, Bit>; N],
    pub built: Signal<Out, AckToggle>,
    pub refusal_built: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    // S0
    turns: RoundRobin<N>,
    last: Dff<Bits<3>>,
    last_refusal: Dff<Bit>,
    moved: Dff<Bit>,
    moved_plane: Dff<Bits<3>>,
    refusal_plane: Signal<Local, Bits<3>>,
    refusal_free: Signal<Local, Bit>,
    refuse0: Signal<Local, Bit>,
    ack0: Signal<Local, Bit>,
    path0: Signal<Local, Bits<GA>>,
    // S1
    valid1: Dff<Bit>,
    refuse1: Dff<Bit>,
    plane1: Dff<Bits<3>>,
    path1: Dff<Bits<GA>>,
    paths: RamBypass<PathKey, GA>,
    addresses: RamBypass<ConnectionAddress, CA>,
    states: RamBypass<ReceiveState, GA>,
    seens: RamBypass<Bits<W>, GA>,
    toggles: RamBypass<Bit, GA>,
    entries: ReceiveEntries,
    sack: PackSack,
    nak: PackNak,
    here: Signal<Local, Bit>,
    ack: Signal<Local, Bit>,
    refusal: Signal<Local, Bit>,
    config_path: Signal<Local, Bit>,
    path_bits: Constant<Bits<4>>,
    path_mask: Constant<Bits<8>>,
    opcode_ack: Constant<Bits<8>>,
    opcode_refusal: Constant<Bits<8>>,
    rate_hint: Constant<Bits<16>>,
    table_connection: Constant<Bits<4>>,
    table_path: Constant<Bits<4>>,
}

impl<const N: usize, const W: usize, const CA: usize, const GA: usize> AnswerBuilder<N, W, CA, GA> {
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
            write_seen: Default::default(),
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
            refusal_plane: Default::default(),
            refusal_free: Default::default(),
            refuse0: Default::default(),
            ack0: Default::default(),
            path0: Default::default(),
            valid1: Default::default(),
            refuse1: Default::default(),
            plane1: Default::default(),
            path1: Default::default(),
            paths: Default::default(),
            addresses: Default::default(),
            states: Default::default(),
            seens: Default::default(),
            toggles: Default::default(),
            entries: Default::default(),
            sack: Default::default(),
            nak: Default::default(),
            here: Default::default(),
            ack: Default::default(),
            refusal: Default::default(),
            config_path: Default::default(),
            path_bits: Constant::new((path_bits as LiteralType).into()),
            path_mask: Constant::new(((1 << path_bits) - 1).into()),
            opcode_ack: Constant::new(constants::OPCODE_ACK.into()),
            opcode_refusal: Constant::new(constants::OPCODE_REFUSAL.into()),
            rate_hint: Constant::new(constants::RATE_HINT_FULL.into()),
            table_connection: Constant::new(constants::TABLE_CONNECTION.into()),
            table_path: Constant::new(constants::TABLE_PATH.into()),
        }
    }
}

impl<const N: usize, const W: usize, const CA: usize, const GA: usize> Logic
    for AnswerBuilder<N, W, CA, GA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            last,
            last_refusal,
            moved,
            moved_plane,
            valid1,
            refuse1,
            plane1,
            path1
        );
        clock!(self, clock, paths, addresses, states, seens, toggles);

        // S0: what can be answered. The plane that S1 serves waits: its slot is no longer free.
        self.refusal_plane.next = self.refused.val().plane;
        if self.moved.q.val() {
            self.refusal_plane.next = self.moved_plane.q.val();
        }
        self.refusal_free.next = false;
        for i in 0..N {
            self.turns.wants[i].next = false;
            if !self.hold.val()
                & self.answer_ready[i].val()
                & !(self.valid1.q.val() & (self.plane1.q.val() == i.to_bits()))
            {
                self.turns.wants[i].next = self.request_valid[i].val();
                if self.refusal_plane.val() == i.to_bits() {
                    self.refusal_free.next =
                        self.refused_valid.val() & !(self.valid1.q.val() & self.refuse1.q.val());
                }
            }
        }
        self.turns.last.next = self.last.q.val();
        self.refuse0.next =
            self.refusal_free.val() & !(self.last_refusal.q.val() & self.turns.any.val());
        self.ack0.next = self.turns.any.val() & !self.refuse0.val();
        self.path0.next = bit_cast::<GA, 16>(self.refused.val().path);
        self.plane1.d.next = self.refusal_plane.val();
        for i in 0..N {
            self.request_pop[i].next = false;
            if self.ack0.val() & (self.turns.turn.val() == i.to_bits()) {
                self.request_pop[i].next = true;
                self.path0.next = self.request_path[i].val();
            }
        }
        if self.ack0.val() {
            self.plane1.d.next = self.turns.turn.val();
            self.last.d.next = self.turns.turn.val();
            self.last_refusal.d.next = false;
        }
        if self.refuse0.val() {
            self.last_refusal.d.next = true;
        }
        self.valid1.d.next = self.ack0.val() | self.refuse0.val();
        self.refuse1.d.next = self.refuse0.val();
        self.path1.d.next = self.path0.val();
        self.paths.read_address.next = self.path0.val();
        self.states.read_address.next = self.path0.val();
        self.seens.read_address.next = self.path0.val();
        self.toggles.read_address.next = self.path0.val();
        self.addresses.read_address.next =
            bit_cast::<CA, GA>(self.path0.val() >> self.path_bits.val());

        // S1: whether it is still wanted here.
        self.here.next =
            self.valid1.q.val() & (self.paths.read_data.val().plane == self.plane1.q.val());
        self.ack.next = self.here.val()
            & !self.refuse1.q.val()
            & (self.states.read_data.val().request ^ self.toggles.read_data.val());
        self.refusal.next = self.here.val() & self.refuse1.q.val();
        self.refused_pop.next = self.refusal.val();
        if self.refusal.val() {
            self.moved.d.next = false;
        } else if self.valid1.q.val() & self.refuse1.q.val() {
            self.moved.d.next = true;
            self.moved_plane.d.next = self.paths.read_data.val().plane;
        }

        // S1: the answer.
        self.answer.next.ack_request = false;
        self.answer.next.dest_qp = self.addresses.read_data.val().remote_qp;
        self.answer.next.path = bit_cast::<8, GA>(self.path1.q.val()) & self.path_mask.val();
        self.answer.next.epoch = self.paths.read_data.val().epoch;
        self.answer.next.entropy = self.paths.read_data.val().entropy;
        self.answer.next.dst_mac = self.addresses.read_data.val().dst_mac;
        self.answer.next.src_mac = self.addresses.read_data.val().src_mac;
        self.answer.next.src_ip = self.addresses.read_data.val().src_ip;
        self.answer.next.dst_ip = self.addresses.read_data.val().dst_ip;
        self.answer.next.ip_sum = self.addresses.read_data.val().ip_sum;
        self.answer.next.payload = 0.into();
        self.answer.next.local_address = 0.into();
        self.answer.next.opcode = self.opcode_ack.val();
        self.answer.next.psn = self.states.read_data.val().cum;
        self.answer.next.tsn = self.states.read_data.val().max_tsn;
        self.answer.next.timestamp = self.states.read_data.val().echo_timestamp;
        self.sack.received.next = self.states.read_data.val().received;
        self.sack.marked.next = self.states.read_data.val().marked;
        self.sack.rate_hint.next = self.rate_hint.val();
        self.sack.bitvector.next = bit_cast::<256, W>(self.seens.read_data.val());
        self.nak.reason.next = self.refused.val().reason;
        self.nak.stream.next = self.refused.val().stream;
        self.nak.message.next = self.refused.val().message;
        self.answer.next.tail = self.sack.bits.val();
        if self.refuse1.q.val() {
            self.answer.next.opcode = self.opcode_refusal.val();
            self.answer.next.psn = self.refused.val().psn;
            self.answer.next.tsn = self.refused.val().tsn;
            self.answer.next.timestamp = 0.into();
            self.answer.next.tail = self.nak.bits.val();
        }
        for i in 0..N {
            self.answer_valid[i].next =
                (self.ack.val() | self.refusal.val()) & (self.plane1.q.val() == i.to_bits());
        }
        self.built.next.valid = self.ack.val();
        self.built.next.path = bit_cast::<16, GA>(self.path1.q.val());
        self.built.next.plane = self.plane1.q.val();
        self.built.next.toggle = self.states.read_data.val().request;
        self.refusal_built.next = self.refusal.val();
        self.busy.next = self.valid1.q.val();

        // Tables: the engine's records, the configuration, the own toggles.
        self.states.write_address.next = self.write_path.val();
        self.states.write_data.next = self.write_state.val();
        self.states.write_enable.next = self.write_enable.val();
        self.seens.write_address.next = self.write_path.val();
        self.seens.write_data.next = self.write_seen.val();
        self.seens.write_enable.next = self.write_enable.val();
        self.entries.data.next = self.config_write.val().data;
        self.addresses.write_address.next = bit_cast::<CA, 16>(self.config_write.val().index);
        self.addresses.write_data.next = self.entries.connection_address.val();
        self.addresses.write_enable.next = self.config_write.val().valid
            & (self.config_write.val().table == self.table_connection.val());
        self.paths.write_address.next = bit_cast::<GA, 16>(self.config_write.val().index);
        self.paths.write_data.next = self.entries.path_key.val();
        self.config_path.next = self.config_write.val().valid
            & (self.config_write.val().table == self.table_path.val());
        self.paths.write_enable.next = self.config_path.val();
        self.toggles.write_address.next = self.path1.q.val();
        self.toggles.write_data.next = self.states.read_data.val().request;
        self.toggles.write_enable.next = self.ack.val();
        if self.config_path.val() {
            self.toggles.write_address.next = bit_cast::<GA, 16>(self.config_write.val().index);
            self.toggles.write_data.next = false;
            self.toggles.write_enable.next = true;
        }

        if self.reset.val() {
            self.valid1.d.next = false;
            self.moved.d.next = false;
        }
    }
}
