//! What follows the common headers of a data packet.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::generated::constants;
use crate::generated::tails::{
    PackReadRequestTail, PackReadResponseTail, PackSendTail, PackWriteImmTail, PackWriteTail,
};
use crate::types::Message;

/// Opcode and headers of a packet of `message` whose first byte is byte `offset` of it; `slot`: its message's. `bare`: it has no payload. No cycle.
#[derive(LogicBlock)]
pub struct DataTail {
    pub message: Signal<In, Message>,
    pub offset: Signal<In, Bits<32>>,
    pub slot: Signal<In, Bits<5>>,
    pub opcode: Signal<Out, Bits<8>>,
    pub tail: Signal<Out, Bits<320>>,
    pub bare: Signal<Out, Bit>,
    write: PackWriteTail,
    write_imm: PackWriteImmTail,
    send: PackSendTail,
    read: PackReadRequestTail,
    response: PackReadResponseTail,
    messages: Constant<Bit>,
    reads: Constant<Bit>,
    asks_read: Constant<Bits<8>>,
    asks_write_imm: Constant<Bits<8>>,
    asks_send: Constant<Bits<8>>,
    asks_send_imm: Constant<Bits<8>>,
    op_write: Constant<Bits<8>>,
    op_write_imm: Constant<Bits<8>>,
    op_send: Constant<Bits<8>>,
    op_send_imm: Constant<Bits<8>>,
    op_read: Constant<Bits<8>>,
    op_response: Constant<Bits<8>>,
}

impl DataTail {
    /// `messages`, `reads`: it knows the verbs that these profiles add; else all is a WRITE.
    pub fn new(messages: bool, reads: bool) -> Self {
        Self {
            message: Default::default(),
            offset: Default::default(),
            slot: Default::default(),
            opcode: Default::default(),
            tail: Default::default(),
            bare: Default::default(),
            write: Default::default(),
            write_imm: Default::default(),
            send: Default::default(),
            read: Default::default(),
            response: Default::default(),
            messages: Constant::new(messages),
            reads: Constant::new(reads),
            asks_read: Constant::new(constants::WQE_READ.into()),
            asks_write_imm: Constant::new(constants::WQE_WRITE_IMM.into()),
            asks_send: Constant::new(constants::WQE_SEND.into()),
            asks_send_imm: Constant::new(constants::WQE_SEND_IMM.into()),
            op_write: Constant::new(constants::OPCODE_WRITE.into()),
            op_write_imm: Constant::new(constants::OPCODE_WRITE_IMM.into()),
            op_send: Constant::new(constants::OPCODE_SEND.into()),
            op_send_imm: Constant::new(constants::OPCODE_SEND_IMM.into()),
            op_read: Constant::new(constants::OPCODE_READ_REQUEST.into()),
            op_response: Constant::new(constants::OPCODE_READ_RESPONSE.into()),
        }
    }
}

impl Logic for DataTail {
    #[hdl_gen]
    fn update(&mut self) {
        self.write.msg_stream.next = self.message.val().stream;
        self.write.msg_message.next = self.message.val().message;
        self.write.msg_offset.next = self.offset.val();
        self.write.reth_address.next =
            self.message.val().remote_address + bit_cast::<64, 32>(self.offset.val());
        self.write.reth_r_key.next = self.message.val().r_key;
        self.write.reth_length.next = self.message.val().length;
        self.write_imm.msg_stream.next = self.message.val().stream;
        self.write_imm.msg_message.next = self.message.val().message;
        self.write_imm.msg_offset.next = self.offset.val();
        self.write_imm.reth_address.next = self.write.reth_address.val();
        self.write_imm.reth_r_key.next = self.message.val().r_key;
        self.write_imm.reth_length.next = self.message.val().length;
        self.write_imm.match_receive.next = self.message.val().receive;
        self.write_imm.match_length.next = self.message.val().length;
        self.write_imm.imm_immediate.next = self.message.val().immediate;
        self.send.msg_stream.next = self.message.val().stream;
        self.send.msg_message.next = self.message.val().message;
        self.send.msg_offset.next = self.offset.val();
        self.send.match_receive.next = self.message.val().receive;
        self.send.match_length.next = self.message.val().length;
        self.send.imm_immediate.next = self.message.val().immediate;

        self.read.msg_stream.next = self.message.val().stream;
        self.read.msg_message.next = self.message.val().message;
        self.read.msg_offset.next = self.offset.val();
        self.read.reth_address.next = self.write.reth_address.val();
        self.read.reth_r_key.next = self.message.val().r_key;
        self.read.reth_length.next = self.message.val().length;
        self.read.tag_tag.next = bit_cast::<16, 5>(self.slot.val());
        self.read.tag_length.next = self.message.val().length;
        self.response.msg_stream.next = self.message.val().stream;
        self.response.msg_message.next = self.message.val().message;
        self.response.msg_offset.next = self.offset.val();
        self.response.tag_tag.next = bit_cast::<16, 32>(self.message.val().receive);
        self.response.tag_length.next = self.message.val().length;

        self.opcode.next = self.op_write.val();
        self.tail.next = self.write.bits.val();
        self.bare.next = false;
        if self.messages.val() {
            if self.message.val().opcode == self.asks_write_imm.val() {
                self.opcode.next = self.op_write_imm.val();
                self.tail.next = self.write_imm.bits.val();
            } else if self.message.val().opcode == self.asks_send.val() {
                self.opcode.next = self.op_send.val();
                self.tail.next = self.send.bits.val();
            } else if self.message.val().opcode == self.asks_send_imm.val() {
                self.opcode.next = self.op_send_imm.val();
                self.tail.next = self.send.bits.val();
            }
        }
        if self.reads.val() {
            if self.message.val().opcode == self.asks_read.val() {
                self.opcode.next = self.op_read.val();
                self.tail.next = self.read.bits.val();
                self.bare.next = true;
            } else if self.message.val().opcode == self.op_response.val() {
                self.opcode.next = self.op_response.val();
                self.tail.next = self.response.bits.val();
            }
        }
    }
}
