//! Fetches WQEs from the send queue, one at a time.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::generated::constants;
use crate::generated::host::UnpackWqe;
use crate::prim::Dff;
use crate::ram_bypass::RamBypass;
use crate::receive_numbers::ReceiveNumbers;
use crate::ring_reader::RingReader;
use crate::types::{ConfigWrite, Message};

/// What is done with a WQE.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Fetch {
    /// Waits for one, and looks its connection up.
    Look,
    /// Counts its packets.
    Count,
    /// Offers it.
    Offer,
}

/// What completion needs of a WQE.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// The application's name for it.
    pub wr_id: Bits<64>,
    /// As in the WQE.
    pub opcode: Bits<8>,
    /// As in the WQE.
    pub connection: Bits<16>,
    /// As in the WQE.
    pub stream: Bits<16>,
    /// As in the WQE.
    pub message: Bits<16>,
    /// As in the WQE.
    pub length: Bits<32>,
    /// Its index, counted from 0.
    pub wqe_index: Bits<32>,
    /// It can't be done.
    pub bad: Bit,
}

/// One WQE at a time: 64 bytes, checks, hand-over.
///
/// In: `enable`, `base` (a multiple of 64), `size_log2`, `doorbell` (WQEs ever posted), `mtu_log2`, `config_write`;
/// `slot_free`; the AXI4 read channels; `message_ready`. Out: `message`, `message_valid` (not of a bad one); `take` (the
/// WQE gets its slot in this cycle, handed over or bad) with `work` and `packets` (0 if bad); `idle` (nothing is posted
/// that was not taken). Bad: an opcode that its profile does not offer, no such connection or (profile `Messages`) stream, or memory
/// answered with an error. A WQE is taken by the tables of that cycle: if a connection is configured while it waits, it is looked at again.
/// Latency: 14 cycles and memory's from doorbell to `message_valid`. `CA` address bits of connections, `XA` of all streams.
#[derive(LogicBlock)]
pub struct WqeFetch<const CA: usize, const XA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub base: Signal<In, Bits<64>>,
    pub size_log2: Signal<In, Bits<5>>,
    pub doorbell: Signal<In, Bits<32>>,
    pub mtu_log2: Signal<In, Bits<4>>,
    pub config_write: Signal<In, ConfigWrite>,
    pub slot_free: Signal<In, Bit>,
    pub araddr: Signal<Out, Bits<64>>,
    pub arvalid: Signal<Out, Bit>,
    pub arready: Signal<In, Bit>,
    pub rdata: Signal<In, Bits<64>>,
    pub rresp: Signal<In, Bits<2>>,
    pub rlast: Signal<In, Bit>,
    pub rvalid: Signal<In, Bit>,
    pub rready: Signal<Out, Bit>,
    pub message: Signal<Out, Message>,
    pub message_valid: Signal<Out, Bit>,
    pub message_ready: Signal<In, Bit>,
    pub take: Signal<Out, Bit>,
    pub work: Signal<Out, Work>,
    pub packets: Signal<Out, Bits<25>>,
    pub idle: Signal<Out, Bit>,
    step: Dff<Fetch>,
    reader: RingReader<512>,
    found: Dff<Bit>,
    count: Dff<Bits<25>>,
    connections: RamBypass<Bit, CA>,
    receives: ReceiveNumbers<CA, XA>,
    wqe: UnpackWqe,
    full: Signal<Local, Bits<33>>,
    known: Signal<Local, Bit>,
    bad: Signal<Local, Bit>,
    wide_one: Constant<Bits<33>>,
    outside: Constant<Bits<16>>,
    messages: Constant<Bit>,
    no_stream: Constant<Bits<16>>,
    stream_bits: Constant<Bits<5>>,
    asks_write: Constant<Bits<8>>,
    asks_last: Constant<Bits<8>>,
    asks_read: Constant<Bits<8>>,
    asks_write_imm: Constant<Bits<8>>,
    asks_send_imm: Constant<Bits<8>>,
    configured: Signal<Local, Bit>,
    open: Signal<Local, Bit>,
    connection_table: Constant<Bits<4>>,
}

impl<const CA: usize, const XA: usize> WqeFetch<CA, XA> {
    /// `messages`, `reads`: it knows the verbs that these profiles add.
    pub fn new(messages: bool, reads: bool) -> Self {
        assert!((1..=12).contains(&CA), "2 to 4096 connections");
        let stream_bits = (XA - CA) as LiteralType;
        // What a profile offers is a range from WRITE up.
        let last = if reads {
            constants::WQE_READ
        } else if messages {
            constants::WQE_SEND_IMM
        } else {
            constants::WQE_WRITE
        };
        Self {
            clock: Default::default(),
            reset: Default::default(),
            enable: Default::default(),
            base: Default::default(),
            size_log2: Default::default(),
            doorbell: Default::default(),
            mtu_log2: Default::default(),
            config_write: Default::default(),
            slot_free: Default::default(),
            araddr: Default::default(),
            arvalid: Default::default(),
            arready: Default::default(),
            rdata: Default::default(),
            rresp: Default::default(),
            rlast: Default::default(),
            rvalid: Default::default(),
            rready: Default::default(),
            message: Default::default(),
            message_valid: Default::default(),
            message_ready: Default::default(),
            take: Default::default(),
            work: Default::default(),
            packets: Default::default(),
            idle: Default::default(),
            step: Default::default(),
            reader: Default::default(),
            found: Default::default(),
            count: Default::default(),
            connections: Default::default(),
            receives: Default::default(),
            wqe: Default::default(),
            full: Default::default(),
            known: Default::default(),
            bad: Default::default(),
            wide_one: Constant::new(1.into()),
            outside: Constant::new((0xFFFF & !((1 << CA) - 1)).into()),
            messages: Constant::new(messages),
            no_stream: Constant::new((0xFFFF & !((1 << stream_bits) - 1)).into()),
            stream_bits: Constant::new(stream_bits.into()),
            asks_write: Constant::new(constants::WQE_WRITE.into()),
            asks_last: Constant::new(last.into()),
            asks_read: Constant::new(constants::WQE_READ.into()),
            asks_write_imm: Constant::new(constants::WQE_WRITE_IMM.into()),
            asks_send_imm: Constant::new(constants::WQE_SEND_IMM.into()),
            configured: Default::default(),
            open: Default::default(),
            connection_table: Constant::new(constants::TABLE_CONNECTION.into()),
        }
    }
}

impl<const CA: usize, const XA: usize> Logic for WqeFetch<CA, XA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, found, count);
        clock!(self, clock, reader, connections, receives);
        self.reader.reset.next = self.reset.val();
        self.reader.enable.next = self.enable.val();
        self.reader.base.next = self.base.val();
        self.reader.size_log2.next = self.size_log2.val();
        self.reader.doorbell.next = self.doorbell.val();
        self.araddr.next = self.reader.araddr.val();
        self.arvalid.next = self.reader.arvalid.val();
        self.reader.arready.next = self.arready.val();
        self.reader.rdata.next = self.rdata.val();
        self.reader.rresp.next = self.rresp.val();
        self.reader.rlast.next = self.rlast.val();
        self.reader.rvalid.next = self.rvalid.val();
        self.rready.next = self.reader.rready.val();
        self.reader.done.next = self.take.val();
        self.idle.next = self.reader.idle.val();
        self.wqe.bits.next = self.reader.element.val();
        self.connections.read_address.next = bit_cast::<CA, 16>(self.wqe.connection.val());
        self.connections.write_address.next = bit_cast::<CA, 16>(self.config_write.val().index);
        self.connections.write_data.next = self.config_write.val().data.get_bit(0);
        self.configured.next = self.config_write.val().valid
            & (self.config_write.val().table == self.connection_table.val());
        self.connections.write_enable.next = self.configured.val();
        self.receives.reset.next = self.reset.val();
        self.receives.start.next = self.configured.val();
        self.receives.start_connection.next = bit_cast::<CA, 16>(self.config_write.val().index);
        self.receives.stream.next = bit_cast::<XA, 16>(
            (self.wqe.connection.val() << self.stream_bits.val()) | self.wqe.stream.val(),
        );
        self.receives.take.next = false;

        self.message_valid.next = false;
        self.take.next = false;

        // Whole packets, and the rest; a message of no bytes takes one, and a Read.
        self.full.next = (bit_cast::<33, 32>(self.wqe.length.val())
            + ((self.wide_one.val() << self.mtu_log2.val()) - 1))
            >> self.mtu_log2.val();
        self.known.next = self.connections.read_data.val()
            & !(self.wqe.connection.val() & self.outside.val()).any();
        self.bad.next = (self.wqe.opcode.val() < self.asks_write.val())
            | (self.wqe.opcode.val() > self.asks_last.val())
            | (self.messages.val() & (self.wqe.stream.val() & self.no_stream.val()).any())
            | self.reader.error.val()
            | !self.found.q.val();

        self.message.next.connection = bit_cast::<12, 16>(self.wqe.connection.val());
        self.message.next.stream = self.wqe.stream.val();
        self.message.next.message = self.wqe.message.val();
        self.message.next.local_address = self.wqe.local_address.val();
        self.message.next.remote_address = self.wqe.remote_address.val();
        self.message.next.r_key = self.wqe.r_key.val();
        self.message.next.length = self.wqe.length.val();
        self.message.next.opcode = 0.into();
        self.message.next.receive = 0.into();
        self.message.next.immediate = 0.into();
        if self.messages.val() {
            self.message.next.opcode = self.wqe.opcode.val();
            self.message.next.receive = self.receives.number.val();
            if (self.wqe.opcode.val() == self.asks_write_imm.val())
                | (self.wqe.opcode.val() == self.asks_send_imm.val())
            {
                self.message.next.immediate = self.wqe.immediate.val();
            }
        }
        self.work.next.wr_id = self.wqe.wr_id.val();
        self.work.next.opcode = self.wqe.opcode.val();
        self.work.next.connection = self.wqe.connection.val();
        self.work.next.stream = self.wqe.stream.val();
        self.work.next.message = self.wqe.message.val();
        self.work.next.length = self.wqe.length.val();
        self.work.next.wqe_index = self.reader.index.val();
        self.work.next.bad = self.bad.val();
        self.open.next =
            self.slot_free.val() & !(self.messages.val() & self.receives.loading.val());
        self.packets.next = self.count.q.val();
        if self.bad.val() {
            self.packets.next = 0.into();
        }

        match self.step.q.val() {
            Fetch::Look => {
                if self.reader.here.val() {
                    self.step.d.next = Fetch::Count;
                }
            }
            Fetch::Count => {
                // By the table of the cycle before; if that changes now, once more.
                self.found.d.next = self.known.val();
                self.count.d.next = bit_cast::<25, 33>(self.full.val());
                if !self.wqe.length.val().any() | (self.wqe.opcode.val() == self.asks_read.val()) {
                    self.count.d.next = 1.into();
                }
                self.step.d.next = Fetch::Offer;
                if self.configured.val() {
                    self.step.d.next = Fetch::Look;
                }
            }
            Fetch::Offer => {
                self.message_valid.next = self.open.val() & !self.bad.val();
                self.take.next = self.open.val() & (self.bad.val() | self.message_ready.val());
                self.receives.take.next = self.messages.val()
                    & self.take.val()
                    & !self.bad.val()
                    & (self.wqe.opcode.val() != self.asks_write.val())
                    & (self.wqe.opcode.val() != self.asks_read.val());
                if self.take.val() | self.configured.val() {
                    self.step.d.next = Fetch::Look;
                }
            }
        }
        if self.reset.val() {
            self.step.d.next = Fetch::Look;
        }
    }
}
