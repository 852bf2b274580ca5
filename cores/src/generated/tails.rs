//! Headers after the common ones.
//!
//! Generated from the table of `metaroce-protocol`: don't edit, run `cargo run -p metaroce-protocol --bin generate`.
use rust_hdl::prelude::*;

/// Fields of MSG, RETH out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackWriteTail {
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<In, Bits<320>>,
    /// Stream in the connection.
    pub msg_stream: Signal<Out, Bits<16>>,
    /// Message number in the stream, wraps.
    pub msg_message: Signal<Out, Bits<16>>,
    /// Bytes of the message before this packet's first.
    pub msg_offset: Signal<Out, Bits<32>>,
    /// Remote address of this packet's first byte.
    pub reth_address: Signal<Out, Bits<64>>,
    /// Key of the remote region.
    pub reth_r_key: Signal<Out, Bits<32>>,
    /// Bytes of the whole message.
    pub reth_length: Signal<Out, Bits<32>>,
}

impl Logic for UnpackWriteTail {
    #[hdl_gen]
    fn update(&mut self) {
        self.msg_stream.next = self.bits.val().get_bits::<16>(304);
        self.msg_message.next = self.bits.val().get_bits::<16>(288);
        self.msg_offset.next = self.bits.val().get_bits::<32>(256);
        self.reth_address.next = self.bits.val().get_bits::<64>(192);
        self.reth_r_key.next = self.bits.val().get_bits::<32>(160);
        self.reth_length.next = self.bits.val().get_bits::<32>(128);
    }
}

/// A word out of the fields of MSG, RETH; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackWriteTail {
    /// Stream in the connection.
    pub msg_stream: Signal<In, Bits<16>>,
    /// Message number in the stream, wraps.
    pub msg_message: Signal<In, Bits<16>>,
    /// Bytes of the message before this packet's first.
    pub msg_offset: Signal<In, Bits<32>>,
    /// Remote address of this packet's first byte.
    pub reth_address: Signal<In, Bits<64>>,
    /// Key of the remote region.
    pub reth_r_key: Signal<In, Bits<32>>,
    /// Bytes of the whole message.
    pub reth_length: Signal<In, Bits<32>>,
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<Out, Bits<320>>,
}

impl Logic for PackWriteTail {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = (bit_cast::<320, 16>(self.msg_stream.val()) << 304)
            | (bit_cast::<320, 16>(self.msg_message.val()) << 288)
            | (bit_cast::<320, 32>(self.msg_offset.val()) << 256)
            | (bit_cast::<320, 64>(self.reth_address.val()) << 192)
            | (bit_cast::<320, 32>(self.reth_r_key.val()) << 160)
            | (bit_cast::<320, 32>(self.reth_length.val()) << 128);
    }
}

/// Fields of MSG, RETH, MATCH, IMM out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackWriteImmTail {
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<In, Bits<320>>,
    /// Stream in the connection.
    pub msg_stream: Signal<Out, Bits<16>>,
    /// Message number in the stream, wraps.
    pub msg_message: Signal<Out, Bits<16>>,
    /// Bytes of the message before this packet's first.
    pub msg_offset: Signal<Out, Bits<32>>,
    /// Remote address of this packet's first byte.
    pub reth_address: Signal<Out, Bits<64>>,
    /// Key of the remote region.
    pub reth_r_key: Signal<Out, Bits<32>>,
    /// Bytes of the whole message.
    pub reth_length: Signal<Out, Bits<32>>,
    /// Posted buffer of the stream, counted from 0, wraps.
    pub match_receive: Signal<Out, Bits<32>>,
    /// Bytes of the whole message.
    pub match_length: Signal<Out, Bits<32>>,
    /// Handed to the receiver with the message.
    pub imm_immediate: Signal<Out, Bits<32>>,
}

impl Logic for UnpackWriteImmTail {
    #[hdl_gen]
    fn update(&mut self) {
        self.msg_stream.next = self.bits.val().get_bits::<16>(304);
        self.msg_message.next = self.bits.val().get_bits::<16>(288);
        self.msg_offset.next = self.bits.val().get_bits::<32>(256);
        self.reth_address.next = self.bits.val().get_bits::<64>(192);
        self.reth_r_key.next = self.bits.val().get_bits::<32>(160);
        self.reth_length.next = self.bits.val().get_bits::<32>(128);
        self.match_receive.next = self.bits.val().get_bits::<32>(96);
        self.match_length.next = self.bits.val().get_bits::<32>(64);
        self.imm_immediate.next = self.bits.val().get_bits::<32>(32);
    }
}

/// A word out of the fields of MSG, RETH, MATCH, IMM; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackWriteImmTail {
    /// Stream in the connection.
    pub msg_stream: Signal<In, Bits<16>>,
    /// Message number in the stream, wraps.
    pub msg_message: Signal<In, Bits<16>>,
    /// Bytes of the message before this packet's first.
    pub msg_offset: Signal<In, Bits<32>>,
    /// Remote address of this packet's first byte.
    pub reth_address: Signal<In, Bits<64>>,
    /// Key of the remote region.
    pub reth_r_key: Signal<In, Bits<32>>,
    /// Bytes of the whole message.
    pub reth_length: Signal<In, Bits<32>>,
    /// Posted buffer of the stream, counted from 0, wraps.
    pub match_receive: Signal<In, Bits<32>>,
    /// Bytes of the whole message.
    pub match_length: Signal<In, Bits<32>>,
    /// Handed to the receiver with the message.
    pub imm_immediate: Signal<In, Bits<32>>,
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<Out, Bits<320>>,
}

impl Logic for PackWriteImmTail {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = (bit_cast::<320, 16>(self.msg_stream.val()) << 304)
            | (bit_cast::<320, 16>(self.msg_message.val()) << 288)
            | (bit_cast::<320, 32>(self.msg_offset.val()) << 256)
            | (bit_cast::<320, 64>(self.reth_address.val()) << 192)
            | (bit_cast::<320, 32>(self.reth_r_key.val()) << 160)
            | (bit_cast::<320, 32>(self.reth_length.val()) << 128)
            | (bit_cast::<320, 32>(self.match_receive.val()) << 96)
            | (bit_cast::<320, 32>(self.match_length.val()) << 64)
            | (bit_cast::<320, 32>(self.imm_immediate.val()) << 32);
    }
}

/// Fields of MSG, MATCH, IMM out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackSendTail {
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<In, Bits<320>>,
    /// Stream in the connection.
    pub msg_stream: Signal<Out, Bits<16>>,
    /// Message number in the stream, wraps.
    pub msg_message: Signal<Out, Bits<16>>,
    /// Bytes of the message before this packet's first.
    pub msg_offset: Signal<Out, Bits<32>>,
    /// Posted buffer of the stream, counted from 0, wraps.
    pub match_receive: Signal<Out, Bits<32>>,
    /// Bytes of the whole message.
    pub match_length: Signal<Out, Bits<32>>,
    /// Handed to the receiver with the message.
    pub imm_immediate: Signal<Out, Bits<32>>,
}

impl Logic for UnpackSendTail {
    #[hdl_gen]
    fn update(&mut self) {
        self.msg_stream.next = self.bits.val().get_bits::<16>(304);
        self.msg_message.next = self.bits.val().get_bits::<16>(288);
        self.msg_offset.next = self.bits.val().get_bits::<32>(256);
        self.match_receive.next = self.bits.val().get_bits::<32>(224);
        self.match_length.next = self.bits.val().get_bits::<32>(192);
        self.imm_immediate.next = self.bits.val().get_bits::<32>(160);
    }
}

/// A word out of the fields of MSG, MATCH, IMM; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackSendTail {
    /// Stream in the connection.
    pub msg_stream: Signal<In, Bits<16>>,
    /// Message number in the stream, wraps.
    pub msg_message: Signal<In, Bits<16>>,
    /// Bytes of the message before this packet's first.
    pub msg_offset: Signal<In, Bits<32>>,
    /// Posted buffer of the stream, counted from 0, wraps.
    pub match_receive: Signal<In, Bits<32>>,
    /// Bytes of the whole message.
    pub match_length: Signal<In, Bits<32>>,
    /// Handed to the receiver with the message.
    pub imm_immediate: Signal<In, Bits<32>>,
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<Out, Bits<320>>,
}

impl Logic for PackSendTail {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = (bit_cast::<320, 16>(self.msg_stream.val()) << 304)
            | (bit_cast::<320, 16>(self.msg_message.val()) << 288)
            | (bit_cast::<320, 32>(self.msg_offset.val()) << 256)
            | (bit_cast::<320, 32>(self.match_receive.val()) << 224)
            | (bit_cast::<320, 32>(self.match_length.val()) << 192)
            | (bit_cast::<320, 32>(self.imm_immediate.val()) << 160);
    }
}

/// Fields of MSG, RETH, TAG out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackReadRequestTail {
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<In, Bits<320>>,
    /// Stream in the connection.
    pub msg_stream: Signal<Out, Bits<16>>,
    /// Message number in the stream, wraps.
    pub msg_message: Signal<Out, Bits<16>>,
    /// Bytes of the message before this packet's first.
    pub msg_offset: Signal<Out, Bits<32>>,
    /// Remote address of this packet's first byte.
    pub reth_address: Signal<Out, Bits<64>>,
    /// Key of the remote region.
    pub reth_r_key: Signal<Out, Bits<32>>,
    /// Bytes of the whole message.
    pub reth_length: Signal<Out, Bits<32>>,
    /// Chosen by the requester, comes back.
    pub tag_tag: Signal<Out, Bits<16>>,
    /// Bytes of the whole response.
    pub tag_length: Signal<Out, Bits<32>>,
}

impl Logic for UnpackReadRequestTail {
    #[hdl_gen]
    fn update(&mut self) {
        self.msg_stream.next = self.bits.val().get_bits::<16>(304);
        self.msg_message.next = self.bits.val().get_bits::<16>(288);
        self.msg_offset.next = self.bits.val().get_bits::<32>(256);
        self.reth_address.next = self.bits.val().get_bits::<64>(192);
        self.reth_r_key.next = self.bits.val().get_bits::<32>(160);
        self.reth_length.next = self.bits.val().get_bits::<32>(128);
        self.tag_tag.next = self.bits.val().get_bits::<16>(112);
        self.tag_length.next = self.bits.val().get_bits::<32>(64);
    }
}

/// A word out of the fields of MSG, RETH, TAG; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackReadRequestTail {
    /// Stream in the connection.
    pub msg_stream: Signal<In, Bits<16>>,
    /// Message number in the stream, wraps.
    pub msg_message: Signal<In, Bits<16>>,
    /// Bytes of the message before this packet's first.
    pub msg_offset: Signal<In, Bits<32>>,
    /// Remote address of this packet's first byte.
    pub reth_address: Signal<In, Bits<64>>,
    /// Key of the remote region.
    pub reth_r_key: Signal<In, Bits<32>>,
    /// Bytes of the whole message.
    pub reth_length: Signal<In, Bits<32>>,
    /// Chosen by the requester, comes back.
    pub tag_tag: Signal<In, Bits<16>>,
    /// Bytes of the whole response.
    pub tag_length: Signal<In, Bits<32>>,
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<Out, Bits<320>>,
}

impl Logic for PackReadRequestTail {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = (bit_cast::<320, 16>(self.msg_stream.val()) << 304)
            | (bit_cast::<320, 16>(self.msg_message.val()) << 288)
            | (bit_cast::<320, 32>(self.msg_offset.val()) << 256)
            | (bit_cast::<320, 64>(self.reth_address.val()) << 192)
            | (bit_cast::<320, 32>(self.reth_r_key.val()) << 160)
            | (bit_cast::<320, 32>(self.reth_length.val()) << 128)
            | (bit_cast::<320, 16>(self.tag_tag.val()) << 112)
            | (bit_cast::<320, 32>(self.tag_length.val()) << 64);
    }
}

/// Fields of MSG, TAG out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackReadResponseTail {
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<In, Bits<320>>,
    /// Stream in the connection.
    pub msg_stream: Signal<Out, Bits<16>>,
    /// Message number in the stream, wraps.
    pub msg_message: Signal<Out, Bits<16>>,
    /// Bytes of the message before this packet's first.
    pub msg_offset: Signal<Out, Bits<32>>,
    /// Chosen by the requester, comes back.
    pub tag_tag: Signal<Out, Bits<16>>,
    /// Bytes of the whole response.
    pub tag_length: Signal<Out, Bits<32>>,
}

impl Logic for UnpackReadResponseTail {
    #[hdl_gen]
    fn update(&mut self) {
        self.msg_stream.next = self.bits.val().get_bits::<16>(304);
        self.msg_message.next = self.bits.val().get_bits::<16>(288);
        self.msg_offset.next = self.bits.val().get_bits::<32>(256);
        self.tag_tag.next = self.bits.val().get_bits::<16>(240);
        self.tag_length.next = self.bits.val().get_bits::<32>(192);
    }
}

/// A word out of the fields of MSG, TAG; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackReadResponseTail {
    /// Stream in the connection.
    pub msg_stream: Signal<In, Bits<16>>,
    /// Message number in the stream, wraps.
    pub msg_message: Signal<In, Bits<16>>,
    /// Bytes of the message before this packet's first.
    pub msg_offset: Signal<In, Bits<32>>,
    /// Chosen by the requester, comes back.
    pub tag_tag: Signal<In, Bits<16>>,
    /// Bytes of the whole response.
    pub tag_length: Signal<In, Bits<32>>,
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<Out, Bits<320>>,
}

impl Logic for PackReadResponseTail {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = (bit_cast::<320, 16>(self.msg_stream.val()) << 304)
            | (bit_cast::<320, 16>(self.msg_message.val()) << 288)
            | (bit_cast::<320, 32>(self.msg_offset.val()) << 256)
            | (bit_cast::<320, 16>(self.tag_tag.val()) << 240)
            | (bit_cast::<320, 32>(self.tag_length.val()) << 192);
    }
}

/// Fields of SACK out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackSack {
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<In, Bits<320>>,
    /// Packets received on the path, wraps.
    pub received: Signal<Out, Bits<16>>,
    /// Of those the ones with congestion experienced, wraps.
    pub marked: Signal<Out, Bits<16>>,
    /// Share of the receiver's line rate for this sender, in 1/65535.
    pub rate_hint: Signal<Out, Bits<16>>,
    /// Bit i of this number speaks of the slot PSN mod 256 = i, with lap parity.
    pub bitvector: Signal<Out, Bits<256>>,
}

impl Logic for UnpackSack {
    #[hdl_gen]
    fn update(&mut self) {
        self.received.next = self.bits.val().get_bits::<16>(304);
        self.marked.next = self.bits.val().get_bits::<16>(288);
        self.rate_hint.next = self.bits.val().get_bits::<16>(272);
        self.bitvector.next = self.bits.val().get_bits::<256>(0);
    }
}

/// A word out of the fields of SACK; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackSack {
    /// Packets received on the path, wraps.
    pub received: Signal<In, Bits<16>>,
    /// Of those the ones with congestion experienced, wraps.
    pub marked: Signal<In, Bits<16>>,
    /// Share of the receiver's line rate for this sender, in 1/65535.
    pub rate_hint: Signal<In, Bits<16>>,
    /// Bit i of this number speaks of the slot PSN mod 256 = i, with lap parity.
    pub bitvector: Signal<In, Bits<256>>,
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<Out, Bits<320>>,
}

impl Logic for PackSack {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = (bit_cast::<320, 16>(self.received.val()) << 304)
            | (bit_cast::<320, 16>(self.marked.val()) << 288)
            | (bit_cast::<320, 16>(self.rate_hint.val()) << 272)
            | bit_cast::<320, 256>(self.bitvector.val());
    }
}

/// Fields of NAK out of a word. Combinational.
#[derive(LogicBlock, Default)]
pub struct UnpackNak {
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<In, Bits<320>>,
    /// Reason.
    pub reason: Signal<Out, Bits<8>>,
    /// Stream of the refused packet.
    pub stream: Signal<Out, Bits<16>>,
    /// Message of the refused packet.
    pub message: Signal<Out, Bits<16>>,
}

impl Logic for UnpackNak {
    #[hdl_gen]
    fn update(&mut self) {
        self.reason.next = self.bits.val().get_bits::<8>(312);
        self.stream.next = self.bits.val().get_bits::<16>(272);
        self.message.next = self.bits.val().get_bits::<16>(256);
    }
}

/// A word out of the fields of NAK; all other bits 0. Combinational.
#[derive(LogicBlock, Default)]
pub struct PackNak {
    /// Reason.
    pub reason: Signal<In, Bits<8>>,
    /// Stream of the refused packet.
    pub stream: Signal<In, Bits<16>>,
    /// Message of the refused packet.
    pub message: Signal<In, Bits<16>>,
    /// The word, first byte of the wire uppermost.
    pub bits: Signal<Out, Bits<320>>,
}

impl Logic for PackNak {
    #[hdl_gen]
    fn update(&mut self) {
        self.bits.next = (bit_cast::<320, 8>(self.reason.val()) << 312)
            | (bit_cast::<320, 16>(self.stream.val()) << 272)
            | (bit_cast::<320, 16>(self.message.val()) << 256);
    }
}
