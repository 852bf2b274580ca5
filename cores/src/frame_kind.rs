//! What an opcode says about its frame.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use crate::generated::constants as protocol;
use rust_hdl::prelude::*;

/// Bytes of the ICRC.
const ICRC_BYTES: u64 = 4;

/// An opcode's kind and headers. No register.
#[derive(LogicBlock)]
pub struct FrameKind {
    pub opcode: Signal<In, Bits<8>>,
    /// False: the other outputs are those of a PROBE.
    pub known: Signal<Out, Bit>,
    /// Payload may follow.
    pub data: Signal<Out, Bit>,
    /// For the receive engine, else for the ACK engine.
    pub receive: Signal<Out, Bit>,
    /// Bytes of all headers: 64 to 104, a multiple of 8.
    pub header_bytes: Signal<Out, Bits<7>>,
    messages: Constant<Bit>,
    op_write: Constant<Bits<8>>,
    op_write_imm: Constant<Bits<8>>,
    op_send: Constant<Bits<8>>,
    op_send_imm: Constant<Bits<8>>,
    op_ack: Constant<Bits<8>>,
    op_refusal: Constant<Bits<8>>,
    op_probe: Constant<Bits<8>>,
    write_bytes: Constant<Bits<7>>,
    write_imm_bytes: Constant<Bits<7>>,
    send_bytes: Constant<Bits<7>>,
    send_imm_bytes: Constant<Bits<7>>,
    ack_bytes: Constant<Bits<7>>,
    refusal_bytes: Constant<Bits<7>>,
    probe_bytes: Constant<Bits<7>>,
}

/// Headers of a frame of so many bytes without payload.
fn headers(frame_bytes: u64) -> Constant<Bits<7>> {
    Constant::new((frame_bytes - ICRC_BYTES).into())
}

impl FrameKind {
    /// `messages`: it knows the verbs that profile `Messages` adds.
    pub fn new(messages: bool) -> Self {
        Self {
            opcode: Default::default(),
            known: Default::default(),
            data: Default::default(),
            receive: Default::default(),
            header_bytes: Default::default(),
            messages: Constant::new(messages),
            op_write: Constant::new(protocol::OPCODE_WRITE.into()),
            op_write_imm: Constant::new(protocol::OPCODE_WRITE_IMM.into()),
            op_send: Constant::new(protocol::OPCODE_SEND.into()),
            op_send_imm: Constant::new(protocol::OPCODE_SEND_IMM.into()),
            op_ack: Constant::new(protocol::OPCODE_ACK.into()),
            op_refusal: Constant::new(protocol::OPCODE_REFUSAL.into()),
            op_probe: Constant::new(protocol::OPCODE_PROBE.into()),
            write_bytes: headers(protocol::WRITE_OVERHEAD_BYTES),
            write_imm_bytes: headers(protocol::WRITE_IMM_OVERHEAD_BYTES),
            send_bytes: headers(protocol::SEND_OVERHEAD_BYTES),
            send_imm_bytes: headers(protocol::SEND_IMM_OVERHEAD_BYTES),
            ack_bytes: headers(protocol::ACK_FRAME_BYTES),
            refusal_bytes: headers(protocol::REFUSAL_FRAME_BYTES),
            probe_bytes: headers(protocol::PROBE_FRAME_BYTES),
        }
    }
}

impl Logic for FrameKind {
    #[hdl_gen]
    fn update(&mut self) {
        self.known.next = true;
        self.data.next = false;
        self.receive.next = false;
        self.header_bytes.next = self.probe_bytes.val();
        if self.opcode.val() == self.op_write.val() {
            self.data.next = true;
            self.receive.next = true;
            self.header_bytes.next = self.write_bytes.val();
        } else if self.opcode.val() == self.op_ack.val() {
            self.header_bytes.next = self.ack_bytes.val();
        } else if self.opcode.val() == self.op_refusal.val() {
            self.header_bytes.next = self.refusal_bytes.val();
        } else if self.opcode.val() == self.op_probe.val() {
            self.receive.next = true;
        } else {
            self.known.next = false;
        }
        if self.messages.val() {
            if self.opcode.val() == self.op_write_imm.val() {
                self.known.next = true;
                self.data.next = true;
                self.receive.next = true;
                self.header_bytes.next = self.write_imm_bytes.val();
            } else if self.opcode.val() == self.op_send.val() {
                self.known.next = true;
                self.data.next = true;
                self.receive.next = true;
                self.header_bytes.next = self.send_bytes.val();
            } else if self.opcode.val() == self.op_send_imm.val() {
                self.known.next = true;
                self.data.next = true;
                self.receive.next = true;
                self.header_bytes.next = self.send_imm_bytes.val();
            }
        }
    }
}
