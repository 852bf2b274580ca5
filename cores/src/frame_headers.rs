//! The header beats of a frame.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::common_header::CommonHeader;
use crate::generated::constants as protocol;
use crate::header_slots::HEADER_BYTES;
use crate::prim::Dff;
use crate::types::TxDescriptor;
use rust_hdl::prelude::*;

/// Bytes of Ethernet's header less those of the ICRC: IPv4's total length is headers + padded payload - 10.
const ETHERNET_LESS_ICRC: u64 = 10;

/// Beat `index` of the headers that a descriptor asks for.
///
/// `D` data bits (8 or 64), `K` = D / 8, `H` = 104 / K. No latency, but IPv4 total length is right one cycle after a new
/// descriptor, UDP length and IPv4 checksum two cycles: they stand at byte 16 and after it, and `index` starts at 0.
#[derive(LogicBlock)]
pub struct FrameHeaders<const D: usize, const K: usize, const H: usize> {
    pub clock: Signal<In, Clock>,
    pub descriptor: Signal<In, TxDescriptor>,
    pub index: Signal<In, Bits<7>>,
    /// First byte lowest.
    pub word: Signal<Out, Bits<D>>,
    /// `index` is the last header beat's.
    pub last: Signal<Out, Bit>,
    common: CommonHeader,
    total: Dff<Bits<16>>,
    udp_length: Dff<Bits<16>>,
    checksum: Dff<Bits<16>>,
    header: Signal<Local, Bits<832>>,
    header_last: Signal<Local, Bits<7>>,
    header_total: Signal<Local, Bits<16>>,
    padded: Signal<Local, Bits<16>>,
    sum: Signal<Local, Bits<17>>,
    slot: Signal<Local, Bits<D>>,
    big: Signal<Local, Bits<D>>,
    little: Signal<Local, Bits<D>>,
    octet: Signal<Local, Bits<8>>,
    places: [Constant<Bits<10>>; H],
    op_write: Constant<Bits<8>>,
    messages: Constant<Bit>,
    reads: Constant<Bit>,
    op_read_request: Constant<Bits<8>>,
    op_read_response: Constant<Bits<8>>,
    op_write_imm: Constant<Bits<8>>,
    op_send: Constant<Bits<8>>,
    op_send_imm: Constant<Bits<8>>,
    op_ack: Constant<Bits<8>>,
    op_refusal: Constant<Bits<8>>,
    write_last: Constant<Bits<7>>,
    write_imm_last: Constant<Bits<7>>,
    send_last: Constant<Bits<7>>,
    send_imm_last: Constant<Bits<7>>,
    read_request_last: Constant<Bits<7>>,
    read_response_last: Constant<Bits<7>>,
    ack_last: Constant<Bits<7>>,
    refusal_last: Constant<Bits<7>>,
    probe_last: Constant<Bits<7>>,
    write_total: Constant<Bits<16>>,
    write_imm_total: Constant<Bits<16>>,
    send_total: Constant<Bits<16>>,
    send_imm_total: Constant<Bits<16>>,
    read_request_total: Constant<Bits<16>>,
    read_response_total: Constant<Bits<16>>,
    ack_total: Constant<Bits<16>>,
    refusal_total: Constant<Bits<16>>,
    probe_total: Constant<Bits<16>>,
}

/// Last header beat of a frame of this many bytes without payload.
fn last_beat<const K: usize>(frame_bytes: u64) -> Constant<Bits<7>> {
    Constant::new(((frame_bytes - 4) / K as u64 - 1).into())
}

/// IPv4 total length of such a frame.
fn total(frame_bytes: u64) -> Constant<Bits<16>> {
    Constant::new((frame_bytes - 4 - ETHERNET_LESS_ICRC).into())
}

impl<const D: usize, const K: usize, const H: usize> FrameHeaders<D, K, H> {
    /// `messages`, `reads`: it knows the verbs that these profiles add.
    pub fn new(messages: bool, reads: bool) -> Self {
        assert!(
            D == 8 * K && H * K == HEADER_BYTES,
            "K is D / 8, H is 104 / K"
        );
        Self {
            clock: Default::default(),
            descriptor: Default::default(),
            index: Default::default(),
            word: Default::default(),
            last: Default::default(),
            common: Default::default(),
            total: Default::default(),
            udp_length: Default::default(),
            checksum: Default::default(),
            header: Default::default(),
            header_last: Default::default(),
            header_total: Default::default(),
            padded: Default::default(),
            sum: Default::default(),
            slot: Default::default(),
            big: Default::default(),
            octet: Default::default(),
            little: Default::default(),
            places: std::array::from_fn(|i| Constant::new(((D * (H - 1 - i)) as u64).into())),
            op_write: Constant::new(protocol::OPCODE_WRITE.into()),
            messages: Constant::new(messages),
            reads: Constant::new(reads),
            op_read_request: Constant::new(protocol::OPCODE_READ_REQUEST.into()),
            op_read_response: Constant::new(protocol::OPCODE_READ_RESPONSE.into()),
            op_write_imm: Constant::new(protocol::OPCODE_WRITE_IMM.into()),
            op_send: Constant::new(protocol::OPCODE_SEND.into()),
            op_send_imm: Constant::new(protocol::OPCODE_SEND_IMM.into()),
            op_ack: Constant::new(protocol::OPCODE_ACK.into()),
            op_refusal: Constant::new(protocol::OPCODE_REFUSAL.into()),
            write_last: last_beat::<K>(protocol::WRITE_OVERHEAD_BYTES),
            write_imm_last: last_beat::<K>(protocol::WRITE_IMM_OVERHEAD_BYTES),
            send_last: last_beat::<K>(protocol::SEND_OVERHEAD_BYTES),
            send_imm_last: last_beat::<K>(protocol::SEND_IMM_OVERHEAD_BYTES),
            read_request_last: last_beat::<K>(protocol::READ_REQUEST_FRAME_BYTES),
            read_response_last: last_beat::<K>(protocol::READ_RESPONSE_OVERHEAD_BYTES),
            ack_last: last_beat::<K>(protocol::ACK_FRAME_BYTES),
            refusal_last: last_beat::<K>(protocol::REFUSAL_FRAME_BYTES),
            probe_last: last_beat::<K>(protocol::PROBE_FRAME_BYTES),
            write_total: total(protocol::WRITE_OVERHEAD_BYTES),
            write_imm_total: total(protocol::WRITE_IMM_OVERHEAD_BYTES),
            send_total: total(protocol::SEND_OVERHEAD_BYTES),
            send_imm_total: total(protocol::SEND_IMM_OVERHEAD_BYTES),
            read_request_total: total(protocol::READ_REQUEST_FRAME_BYTES),
            read_response_total: total(protocol::READ_RESPONSE_OVERHEAD_BYTES),
            ack_total: total(protocol::ACK_FRAME_BYTES),
            refusal_total: total(protocol::REFUSAL_FRAME_BYTES),
            probe_total: total(protocol::PROBE_FRAME_BYTES),
        }
    }
}

impl<const D: usize, const K: usize, const H: usize> Logic for FrameHeaders<D, K, H> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, total, udp_length, checksum);

        // Lengths.
        self.header_last.next = self.probe_last.val();
        self.header_total.next = self.probe_total.val();
        if self.descriptor.val().opcode == self.op_write.val() {
            self.header_last.next = self.write_last.val();
            self.header_total.next = self.write_total.val();
        } else if self.descriptor.val().opcode == self.op_ack.val() {
            self.header_last.next = self.ack_last.val();
            self.header_total.next = self.ack_total.val();
        } else if self.descriptor.val().opcode == self.op_refusal.val() {
            self.header_last.next = self.refusal_last.val();
            self.header_total.next = self.refusal_total.val();
        }
        if self.messages.val() {
            if self.descriptor.val().opcode == self.op_write_imm.val() {
                self.header_last.next = self.write_imm_last.val();
                self.header_total.next = self.write_imm_total.val();
            } else if self.descriptor.val().opcode == self.op_send.val() {
                self.header_last.next = self.send_last.val();
                self.header_total.next = self.send_total.val();
            } else if self.descriptor.val().opcode == self.op_send_imm.val() {
                self.header_last.next = self.send_imm_last.val();
                self.header_total.next = self.send_imm_total.val();
            }
        }
        if self.reads.val() {
            if self.descriptor.val().opcode == self.op_read_request.val() {
                self.header_last.next = self.read_request_last.val();
                self.header_total.next = self.read_request_total.val();
            } else if self.descriptor.val().opcode == self.op_read_response.val() {
                self.header_last.next = self.read_response_last.val();
                self.header_total.next = self.read_response_total.val();
            }
        }
        self.padded.next = ((self.descriptor.val().payload + 3) >> 2) << 2;
        self.total.d.next = self.header_total.val() + self.padded.val();
        self.udp_length.d.next = self.total.q.val() - 20;
        self.sum.next = bit_cast::<17, 16>(self.descriptor.val().ip_sum)
            + bit_cast::<17, 16>(self.total.q.val());
        self.checksum.d.next = !(self.sum.val().get_bits::<16>(0) + self.sum.val().get_bit(16));

        // Headers.
        self.common.descriptor.next = self.descriptor.val();
        self.common.total.next = self.total.q.val();
        self.common.udp_length.next = self.udp_length.q.val();
        self.common.checksum.next = self.checksum.q.val();
        self.common.pad.next = bit_cast::<2, 16>(self.padded.val() - self.descriptor.val().payload);
        self.header.next = (bit_cast::<832, 512>(self.common.bits.val()) << 320)
            | bit_cast::<832, 320>(self.descriptor.val().tail);
        self.big.next = 0.into();
        self.slot.next = 0.into();
        self.octet.next = 0.into();
        for i in 0..H {
            self.slot.next = self
                .header
                .val()
                .get_bits::<D>(self.places[i].val().index());
            if self.index.val().index() == i {
                self.big.next = self.slot.val();
            }
        }
        self.little.next = 0.into();
        for i in 0..K {
            self.octet.next = self.big.val().get_bits::<8>(8 * i);
            self.little.next = (self.little.val() << 8) | bit_cast::<D, 8>(self.octet.val());
        }
        self.word.next = self.little.val();
        self.last.next = self.index.val() == self.header_last.val();
    }
}
