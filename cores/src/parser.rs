//! From a stream of frames to checked events and payload.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::crc32::crc32_residue;
use crate::generated::common::UnpackCommon;
use crate::generated::constants as protocol;
use crate::header_slots::HeaderSlots;
use crate::icrc::Icrc;
use crate::prim::Dff;
use crate::types::FrameEvent;
use rust_hdl::prelude::*;

/// Ethernet's header in bytes.
const ETHERNET_BYTES: u64 = 14;
/// IPv4 total length of a frame: without Ethernet's header.
const fn total(frame_bytes: u64) -> u64 {
    frame_bytes - ETHERNET_BYTES
}
/// Beat in which the payload of such a frame begins, `bytes` to a beat.
const fn payload_beat(overhead_bytes: u64, bytes: usize) -> u64 {
    (overhead_bytes - 4) / bytes as u64
}
/// Longer frames are counted as this long.
const LONGEST_BYTES: u64 = 1 << 15;

/// Checks frames in the order of docs/protocol.md, section 4, up to "opcode known". Each frame ends in exactly one of: a
/// drop pulse, an event to the receive engine, an event to the ACK engine; in frame order.
///
/// It knows WRITE, ACK, REFUSAL and PROBE, with `messages` WRITE_IMM, SEND and SEND_IMM, with `reads` READ_REQUEST and READ_RESPONSE.
/// The payload of a data packet leaves as it comes, packed beats; `payload_commit` or `payload_rollback` at the frame's end says
/// what it was worth, so the port is made for a `FrameFifo`. At most ceil(`max_payload` / K) beats leave a frame.
///
/// `D` data bits (8 or 64), `K` = D / 8, `H` = 104 / K. A beat a cycle, frames back to back. Two cycles from a frame's
/// last beat to its drop pulse, three to its event. While an event waits, the next frame's end waits.
#[derive(LogicBlock)]
pub struct Parser<const D: usize, const K: usize, const H: usize> {
    pub clock: Signal<In, Clock>,
    /// Synchronous, active high.
    pub reset: Signal<In, Bit>,
    pub s_axis_tdata: Signal<In, Bits<D>>,
    pub s_axis_tkeep: Signal<In, Bits<K>>,
    pub s_axis_tvalid: Signal<In, Bit>,
    /// Depends on registers and `payload_ready` only.
    pub s_axis_tready: Signal<Out, Bit>,
    pub s_axis_tlast: Signal<In, Bit>,
    /// First byte lowest; what lies beyond the payload's end does not count.
    pub payload: Signal<Out, Bits<D>>,
    pub payload_valid: Signal<Out, Bit>,
    pub payload_ready: Signal<In, Bit>,
    /// The frame is a good data packet: all its beats count.
    pub payload_commit: Signal<Out, Bit>,
    /// The frame is not: none of its beats counts.
    pub payload_rollback: Signal<Out, Bit>,
    /// Of both engines; `tail` beyond the opcode's headers is not defined.
    pub frame_event: Signal<Out, FrameEvent>,
    /// Data or PROBE.
    pub receive_valid: Signal<Out, Bit>,
    pub receive_ready: Signal<In, Bit>,
    /// ACK or REFUSAL.
    pub acknowledge_valid: Signal<Out, Bit>,
    pub acknowledge_ready: Signal<In, Bit>,
    /// One cycle each.
    pub drop_foreign: Signal<Out, Bit>,
    pub drop_malformed: Signal<Out, Bit>,
    pub drop_bad_icrc: Signal<Out, Bit>,
    pub drop_unknown_opcode: Signal<Out, Bit>,
    slots: HeaderSlots<D, H>,
    common: UnpackCommon,
    icrc: Icrc<D, K>,
    // The frame that comes in.
    index: Dff<Bits<7>>,
    length: Dff<Bits<16>>,
    ragged: Dff<Bit>,
    /// Payload bytes still to pass on.
    remaining: Dff<Bits<16>>,
    // A frame that has come in: its headers are in the slots for this cycle.
    ended: Dff<Bit>,
    ended_length: Dff<Bits<16>>,
    ended_ragged: Dff<Bit>,
    // The frame whose ICRC is there now.
    checked: Dff<Bit>,
    is_short: Dff<Bit>,
    is_foreign: Dff<Bit>,
    is_malformed: Dff<Bit>,
    is_known: Dff<Bit>,
    is_data: Dff<Bit>,
    is_receive: Dff<Bit>,
    held: Dff<FrameEvent>,
    held_receive: Dff<Bit>,
    held_acknowledge: Dff<Bit>,
    stall: Signal<Local, Bit>,
    take: Signal<Local, Bit>,
    word: Signal<Local, Bits<D>>,
    octet: Signal<Local, Bits<8>>,
    lanes: Signal<Local, Bits<4>>,
    beat_ragged: Signal<Local, Bit>,
    new_length: Signal<Local, Bits<16>>,
    total: Signal<Local, Bits<16>>,
    padded: Signal<Local, Bits<16>>,
    payload_bytes: Signal<Local, Bits<16>>,
    fits: Signal<Local, Bit>,
    data: Signal<Local, Bit>,
    data_total: Signal<Local, Bits<16>>,
    data_index: Signal<Local, Bits<7>>,
    foreign: Signal<Local, Bit>,
    malformed: Signal<Local, Bit>,
    opcode: Signal<Local, Bits<8>>,
    good: Signal<Local, Bit>,
    beat_shift: Constant<Bits<3>>,
    beat_bytes: Constant<Bits<16>>,
    beats: Constant<Bits<7>>,
    messages: Constant<Bit>,
    reads: Constant<Bit>,
    request: Signal<Local, Bit>,
    write_index: Constant<Bits<7>>,
    write_imm_index: Constant<Bits<7>>,
    send_index: Constant<Bits<7>>,
    send_imm_index: Constant<Bits<7>>,
    longest: Constant<Bits<16>>,
    shortest: Constant<Bits<16>>,
    max_payload: Constant<Bits<16>>,
    residue: Constant<Bits<32>>,
    ethertype: Constant<Bits<16>>,
    udp: Constant<Bits<8>>,
    port: Constant<Bits<16>>,
    version: Constant<Bits<4>>,
    ce: Constant<Bits<2>>,
    op_write: Constant<Bits<8>>,
    op_write_imm: Constant<Bits<8>>,
    op_send: Constant<Bits<8>>,
    op_send_imm: Constant<Bits<8>>,
    op_read_request: Constant<Bits<8>>,
    op_read_response: Constant<Bits<8>>,
    op_ack: Constant<Bits<8>>,
    op_refusal: Constant<Bits<8>>,
    op_probe: Constant<Bits<8>>,
    write_total: Constant<Bits<16>>,
    write_imm_total: Constant<Bits<16>>,
    send_total: Constant<Bits<16>>,
    send_imm_total: Constant<Bits<16>>,
    read_request_total: Constant<Bits<16>>,
    read_response_total: Constant<Bits<16>>,
    read_response_index: Constant<Bits<7>>,
    ack_total: Constant<Bits<16>>,
    refusal_total: Constant<Bits<16>>,
    probe_total: Constant<Bits<16>>,
}

impl<const D: usize, const K: usize, const H: usize> Parser<D, K, H> {
    /// `max_payload`: largest MTU in bytes, 1..=4096; `messages`, `reads`: it knows the verbs that these profiles add.
    pub fn new(max_payload: usize, messages: bool, reads: bool) -> Self {
        assert!(D == 8 * K && (K == 1 || K == 8), "{D} data bits, {K} bytes");
        assert!(
            (1..=protocol::MAX_PAYLOAD_BYTES as usize).contains(&max_payload),
            "a payload of {max_payload} bytes"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            s_axis_tdata: Default::default(),
            s_axis_tkeep: Default::default(),
            s_axis_tvalid: Default::default(),
            s_axis_tready: Default::default(),
            s_axis_tlast: Default::default(),
            payload: Default::default(),
            payload_valid: Default::default(),
            payload_ready: Default::default(),
            payload_commit: Default::default(),
            payload_rollback: Default::default(),
            frame_event: Default::default(),
            receive_valid: Default::default(),
            receive_ready: Default::default(),
            acknowledge_valid: Default::default(),
            acknowledge_ready: Default::default(),
            drop_foreign: Default::default(),
            drop_malformed: Default::default(),
            drop_bad_icrc: Default::default(),
            drop_unknown_opcode: Default::default(),
            slots: Default::default(),
            common: Default::default(),
            icrc: Default::default(),
            index: Default::default(),
            length: Default::default(),
            ragged: Default::default(),
            remaining: Default::default(),
            ended: Default::default(),
            ended_length: Default::default(),
            ended_ragged: Default::default(),
            checked: Default::default(),
            is_short: Default::default(),
            is_foreign: Default::default(),
            is_malformed: Default::default(),
            is_known: Default::default(),
            is_data: Default::default(),
            is_receive: Default::default(),
            held: Default::default(),
            held_receive: Default::default(),
            held_acknowledge: Default::default(),
            stall: Default::default(),
            take: Default::default(),
            word: Default::default(),
            octet: Default::default(),
            lanes: Default::default(),
            beat_ragged: Default::default(),
            new_length: Default::default(),
            total: Default::default(),
            padded: Default::default(),
            payload_bytes: Default::default(),
            fits: Default::default(),
            data: Default::default(),
            data_total: Default::default(),
            data_index: Default::default(),
            foreign: Default::default(),
            malformed: Default::default(),
            opcode: Default::default(),
            good: Default::default(),
            beat_shift: Constant::new(u64::from(K.trailing_zeros()).into()),
            beat_bytes: Constant::new((K as u64).into()),
            beats: Constant::new((H as u64).into()),
            messages: Constant::new(messages),
            reads: Constant::new(reads),
            request: Default::default(),
            write_index: Constant::new(payload_beat(protocol::WRITE_OVERHEAD_BYTES, K).into()),
            write_imm_index: Constant::new(
                payload_beat(protocol::WRITE_IMM_OVERHEAD_BYTES, K).into(),
            ),
            send_index: Constant::new(payload_beat(protocol::SEND_OVERHEAD_BYTES, K).into()),
            send_imm_index: Constant::new(
                payload_beat(protocol::SEND_IMM_OVERHEAD_BYTES, K).into(),
            ),
            longest: Constant::new(LONGEST_BYTES.into()),
            shortest: Constant::new(protocol::MIN_FRAME_BYTES.into()),
            max_payload: Constant::new((max_payload as u64).into()),
            residue: Constant::new(u64::from(crc32_residue()).into()),
            ethertype: Constant::new(protocol::ETHERTYPE_IPV4.into()),
            udp: Constant::new(protocol::IP_PROTOCOL_UDP.into()),
            port: Constant::new(protocol::UDP_PORT.into()),
            version: Constant::new(protocol::PATH_VERSION.into()),
            ce: Constant::new(protocol::ECN_MARKED.into()),
            op_write: Constant::new(protocol::OPCODE_WRITE.into()),
            op_write_imm: Constant::new(protocol::OPCODE_WRITE_IMM.into()),
            op_send: Constant::new(protocol::OPCODE_SEND.into()),
            op_send_imm: Constant::new(protocol::OPCODE_SEND_IMM.into()),
            op_read_request: Constant::new(protocol::OPCODE_READ_REQUEST.into()),
            op_read_response: Constant::new(protocol::OPCODE_READ_RESPONSE.into()),
            op_ack: Constant::new(protocol::OPCODE_ACK.into()),
            op_refusal: Constant::new(protocol::OPCODE_REFUSAL.into()),
            op_probe: Constant::new(protocol::OPCODE_PROBE.into()),
            write_total: Constant::new(total(protocol::WRITE_OVERHEAD_BYTES).into()),
            write_imm_total: Constant::new(total(protocol::WRITE_IMM_OVERHEAD_BYTES).into()),
            send_total: Constant::new(total(protocol::SEND_OVERHEAD_BYTES).into()),
            send_imm_total: Constant::new(total(protocol::SEND_IMM_OVERHEAD_BYTES).into()),
            read_request_total: Constant::new(total(protocol::READ_REQUEST_FRAME_BYTES).into()),
            read_response_total: Constant::new(
                total(protocol::READ_RESPONSE_OVERHEAD_BYTES).into(),
            ),
            read_response_index: Constant::new(
                payload_beat(protocol::READ_RESPONSE_OVERHEAD_BYTES, K).into(),
            ),
            ack_total: Constant::new(total(protocol::ACK_FRAME_BYTES).into()),
            refusal_total: Constant::new(total(protocol::REFUSAL_FRAME_BYTES).into()),
            probe_total: Constant::new(total(protocol::PROBE_FRAME_BYTES).into()),
        }
    }
}

impl<const D: usize, const K: usize, const H: usize> Logic for Parser<D, K, H> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, index, length, ragged, remaining);
        dff_setup!(self, clock, ended, ended_length, ended_ragged);
        dff_setup!(self, clock, checked, is_short, is_foreign, is_malformed);
        dff_setup!(self, clock, is_known, is_data, is_receive);
        dff_setup!(self, clock, held, held_receive, held_acknowledge);
        self.slots.clock.next = self.clock.val();
        self.icrc.clock.next = self.clock.val();

        // A beat comes in.
        self.stall.next =
            self.ended.q.val() && (self.held_receive.q.val() || self.held_acknowledge.q.val());
        self.s_axis_tready.next =
            !self.stall.val() && (self.payload_ready.val() || !self.remaining.q.val().any());
        self.take.next = self.s_axis_tvalid.val() && self.s_axis_tready.val();
        self.word.next = 0.into();
        self.octet.next = 0.into();
        self.lanes.next = 0.into();
        for i in 0..K {
            self.octet.next = self.s_axis_tdata.val().get_bits::<8>(8 * i);
            self.word.next = (self.word.val() << 8) | bit_cast::<D, 8>(self.octet.val());
            if self.s_axis_tkeep.val().get_bit(i) {
                self.lanes.next = self.lanes.val() + 1;
            }
        }
        self.beat_ragged.next = !self.s_axis_tkeep.val().all();
        if self.s_axis_tlast.val() {
            self.beat_ragged.next = !self.s_axis_tkeep.val().get_bit(0)
                || (self.s_axis_tkeep.val() & (self.s_axis_tkeep.val() + 1)).any();
        }
        self.slots.enable.next = self.take.val();
        self.slots.index.next = self.index.q.val();
        self.slots.word.next = self.word.val();
        self.icrc.advance.next = !self.stall.val();
        self.icrc.valid.next = self.take.val();
        self.icrc.data.next = self.s_axis_tdata.val();
        self.icrc.half.next = !self.s_axis_tkeep.val().all();
        self.icrc.position.next = self.index.q.val() << self.beat_shift.val();
        self.new_length.next = self.length.q.val();
        if self.length.q.val() < self.longest.val() {
            self.new_length.next = self.length.q.val() + bit_cast::<16, 4>(self.lanes.val());
        }
        if !self.stall.val() {
            self.ended.d.next = self.take.val() && self.s_axis_tlast.val();
            self.ended_length.d.next = self.new_length.val();
            self.ended_ragged.d.next = self.ragged.q.val() || self.beat_ragged.val();
        }
        if self.take.val() {
            if self.index.q.val() != self.beats.val() {
                self.index.d.next = self.index.q.val() + 1;
            }
            self.length.d.next = self.new_length.val();
            self.ragged.d.next = self.ragged.q.val() || self.beat_ragged.val();
            if self.s_axis_tlast.val() {
                self.index.d.next = 0.into();
                self.length.d.next = 0.into();
                self.ragged.d.next = false;
            }
        }

        // What the headers say.
        self.common.bits.next = self.slots.header.val().get_bits::<512>(320);
        self.opcode.next = self.common.bth_opcode.val();
        self.total.next = self.common.ipv4_total_length.val();
        self.data.next = self.opcode.val() == self.op_write.val();
        self.data_total.next = self.write_total.val();
        self.data_index.next = self.write_index.val();
        if self.messages.val() {
            if self.opcode.val() == self.op_write_imm.val() {
                self.data.next = true;
                self.data_total.next = self.write_imm_total.val();
                self.data_index.next = self.write_imm_index.val();
            } else if self.opcode.val() == self.op_send.val() {
                self.data.next = true;
                self.data_total.next = self.send_total.val();
                self.data_index.next = self.send_index.val();
            } else if self.opcode.val() == self.op_send_imm.val() {
                self.data.next = true;
                self.data_total.next = self.send_imm_total.val();
                self.data_index.next = self.send_imm_index.val();
            }
        }
        self.request.next = self.reads.val() && (self.opcode.val() == self.op_read_request.val());
        if self.reads.val() && (self.opcode.val() == self.op_read_response.val()) {
            self.data.next = true;
            self.data_total.next = self.read_response_total.val();
            self.data_index.next = self.read_response_index.val();
        }
        self.padded.next = self.total.val() - self.data_total.val();
        self.payload_bytes.next = self.padded.val() - bit_cast::<16, 2>(self.common.bth_pad.val());
        self.fits.next = (self.total.val() >= self.data_total.val())
            && (self.padded.val() >= bit_cast::<16, 2>(self.common.bth_pad.val()))
            && (self.payload_bytes.val() <= self.max_payload.val());
        self.foreign.next = (self.common.ethernet_ethertype.val() != self.ethertype.val())
            || (self.common.ipv4_version.val() != 4)
            || (self.common.ipv4_ihl.val() != 5)
            || self.common.ipv4_flags.val().get_bit(0)
            || self.common.ipv4_fragment_offset.val().any()
            || (self.common.ipv4_protocol.val() != self.udp.val())
            || (self.common.udp_destination_port.val() != self.port.val());
        // All frames are a multiple of 4 bytes, so total length is one and 2.
        self.malformed.next = self.ended_ragged.q.val()
            || (self.total.val() + 14 != self.ended_length.q.val())
            || (self.common.udp_length.val() + 20 != self.total.val())
            || (self.total.val().get_bits::<2>(0) != 2);
        self.is_known.d.next = true;
        if self.data.val() {
            if !self.fits.val() {
                self.malformed.next = true;
            }
        } else if self.request.val() {
            if self.total.val() != self.read_request_total.val() {
                self.malformed.next = true;
            }
        } else if self.opcode.val() == self.op_ack.val() {
            if self.total.val() != self.ack_total.val() {
                self.malformed.next = true;
            }
        } else if self.opcode.val() == self.op_refusal.val() {
            if self.total.val() != self.refusal_total.val() {
                self.malformed.next = true;
            }
        } else if self.opcode.val() == self.op_probe.val() {
            if self.total.val() != self.probe_total.val() {
                self.malformed.next = true;
            }
        } else {
            self.is_known.d.next = false;
        }
        if self.is_known.d.val() && (self.common.path_version.val() != self.version.val()) {
            self.malformed.next = true;
        }

        // Payload passes on.
        self.payload.next = self.s_axis_tdata.val();
        self.payload_valid.next = self.take.val()
            && (self.index.q.val() >= self.data_index.val())
            && self.remaining.q.val().any();
        if self.payload_valid.val() {
            self.remaining.d.next = self.remaining.q.val() - self.beat_bytes.val();
            if self.remaining.q.val() < self.beat_bytes.val() {
                self.remaining.d.next = 0.into();
            }
        }
        if self.take.val() && ((self.index.q.val() + 1) == self.data_index.val()) {
            self.remaining.d.next = 0.into();
            if self.data.val() && self.fits.val() {
                self.remaining.d.next = self.payload_bytes.val();
            }
        }
        if self.take.val() && self.s_axis_tlast.val() {
            self.remaining.d.next = 0.into();
        }

        // A frame has come in.
        self.checked.d.next = self.ended.q.val() && !self.stall.val();
        self.is_short.d.next = self.ended_length.q.val() < self.shortest.val();
        self.is_foreign.d.next = self.foreign.val();
        self.is_malformed.d.next = self.malformed.val();
        self.is_data.d.next = self.data.val();
        self.is_receive.d.next =
            self.data.val() || self.request.val() || (self.opcode.val() == self.op_probe.val());
        // A short one may follow at once, before the event that is built now is known to be good.
        if self.ended.q.val()
            && !self.stall.val()
            && (self.ended_length.q.val() >= self.shortest.val())
        {
            self.held.d.next.opcode = self.opcode.val();
            self.held.d.next.ce = self.common.ipv4_ecn.val() == self.ce.val();
            self.held.d.next.ack_request = self.common.bth_ack_request.val();
            self.held.d.next.dest_qp = self.common.bth_dest_qp.val();
            self.held.d.next.psn = self.common.bth_psn.val();
            self.held.d.next.path = self.common.path_path.val();
            self.held.d.next.epoch = self.common.path_epoch.val();
            self.held.d.next.tsn = self.common.path_tsn.val();
            self.held.d.next.timestamp = self.common.path_timestamp.val();
            self.held.d.next.payload = 0.into();
            if self.data.val() {
                self.held.d.next.payload = self.payload_bytes.val();
            }
            self.held.d.next.tail = self.slots.header.val().get_bits::<320>(0);
        }

        // Its ICRC is known.
        self.drop_malformed.next = false;
        self.drop_foreign.next = false;
        self.drop_bad_icrc.next = false;
        self.drop_unknown_opcode.next = false;
        self.good.next = false;
        if self.checked.q.val() {
            if self.is_short.q.val() {
                self.drop_malformed.next = true;
            } else if self.is_foreign.q.val() {
                self.drop_foreign.next = true;
            } else if self.is_malformed.q.val() {
                self.drop_malformed.next = true;
            } else if self.icrc.state.val() != self.residue.val() {
                self.drop_bad_icrc.next = true;
            } else if !self.is_known.q.val() {
                self.drop_unknown_opcode.next = true;
            } else {
                self.good.next = true;
            }
        }
        self.payload_commit.next = self.good.val() && self.is_data.q.val();
        self.payload_rollback.next =
            self.checked.q.val() && !(self.good.val() && self.is_data.q.val());

        // An event waits for its engine.
        self.frame_event.next = self.held.q.val();
        self.receive_valid.next = self.held_receive.q.val();
        self.acknowledge_valid.next = self.held_acknowledge.q.val();
        if self.receive_ready.val() {
            self.held_receive.d.next = false;
        }
        if self.acknowledge_ready.val() {
            self.held_acknowledge.d.next = false;
        }
        if self.good.val() {
            self.held_receive.d.next = self.is_receive.q.val();
            self.held_acknowledge.d.next = !self.is_receive.q.val();
        }
        if self.reset.val() {
            self.index.d.next = 0.into();
            self.length.d.next = 0.into();
            self.ragged.d.next = false;
            self.remaining.d.next = 0.into();
            self.ended.d.next = false;
            self.checked.d.next = false;
            self.held_receive.d.next = false;
            self.held_acknowledge.d.next = false;
        }
    }
}
