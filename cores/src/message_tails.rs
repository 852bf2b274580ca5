//! What a data packet says about its message.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::generated::constants;
use crate::generated::tails::{UnpackSendTail, UnpackWriteImmTail, UnpackWriteTail};
use crate::message_part::MessagePart;
use crate::types::FrameEvent;

/// Takes MSG, MATCH and IMM out of the frame of a WRITE, WRITE_IMM, SEND or SEND_IMM; a READ_REQUEST is a message of no bytes. Of any other it says something. No cycle.
#[derive(LogicBlock)]
pub struct MessageTails {
    pub frame: Signal<In, FrameEvent>,
    pub part: Signal<Out, MessagePart>,
    write: UnpackWriteTail,
    write_imm: UnpackWriteImmTail,
    send: UnpackSendTail,
    op_write_imm: Constant<Bits<8>>,
    op_send: Constant<Bits<8>>,
    op_send_imm: Constant<Bits<8>>,
    op_read: Constant<Bits<8>>,
    stream_bits: Constant<Bits<5>>,
    stream_mask: Constant<Bits<16>>,
    connection_mask: Constant<Bits<16>>,
}

impl MessageTails {
    /// `connection_bits`, `stream_bits`: log2 of connections, and of the streams of each; together at most 16.
    pub fn new(connection_bits: usize, stream_bits: usize) -> Self {
        assert!(connection_bits + stream_bits <= 16, "index widths");
        Self {
            frame: Default::default(),
            part: Default::default(),
            write: Default::default(),
            write_imm: Default::default(),
            send: Default::default(),
            op_write_imm: Constant::new(constants::OPCODE_WRITE_IMM.into()),
            op_send: Constant::new(constants::OPCODE_SEND.into()),
            op_send_imm: Constant::new(constants::OPCODE_SEND_IMM.into()),
            op_read: Constant::new(constants::OPCODE_READ_REQUEST.into()),
            stream_bits: Constant::new((stream_bits as LiteralType).into()),
            stream_mask: Constant::new(((1 << stream_bits as LiteralType) - 1).into()),
            connection_mask: Constant::new(((1 << connection_bits as LiteralType) - 1).into()),
        }
    }
}

impl Logic for MessageTails {
    #[hdl_gen]
    fn update(&mut self) {
        self.write.bits.next = self.frame.val().tail;
        self.write_imm.bits.next = self.frame.val().tail;
        self.send.bits.next = self.frame.val().tail;
        // MSG stands first in all of them.
        self.part.next.stream = ((bit_cast::<16, 24>(self.frame.val().dest_qp)
            & self.connection_mask.val())
            << self.stream_bits.val())
            | (self.write.msg_stream.val() & self.stream_mask.val());
        self.part.next.beyond = (self.write.msg_stream.val() & !self.stream_mask.val()).any();
        self.part.next.message = self.write.msg_message.val();
        self.part.next.offset = self.write.msg_offset.val();
        self.part.next.payload = self.frame.val().payload;
        self.part.next.length = self.write.reth_length.val();
        self.part.next.takes = false;
        self.part.next.receive = 0.into();
        self.part.next.into_buffer = false;
        self.part.next.has_immediate = false;
        self.part.next.immediate = 0.into();
        if self.frame.val().opcode == self.op_write_imm.val() {
            self.part.next.length = self.write_imm.match_length.val();
            self.part.next.takes = true;
            self.part.next.receive = self.write_imm.match_receive.val();
            self.part.next.has_immediate = true;
            self.part.next.immediate = self.write_imm.imm_immediate.val();
        } else if self.frame.val().opcode == self.op_send.val() {
            self.part.next.length = self.send.match_length.val();
            self.part.next.takes = true;
            self.part.next.receive = self.send.match_receive.val();
            self.part.next.into_buffer = true;
        } else if self.frame.val().opcode == self.op_send_imm.val() {
            self.part.next.length = self.send.match_length.val();
            self.part.next.takes = true;
            self.part.next.receive = self.send.match_receive.val();
            self.part.next.into_buffer = true;
            self.part.next.has_immediate = true;
            self.part.next.immediate = self.send.imm_immediate.val();
        } else if self.frame.val().opcode == self.op_read.val() {
            self.part.next.length = 0.into();
        }
    }
}
