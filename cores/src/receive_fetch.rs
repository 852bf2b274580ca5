//! Posted buffers from the receive queue in host memory.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::generated::constants;
use crate::generated::host::UnpackRqe;
use crate::message_part::{ReceiveEnd, ReceivePost};
use crate::prim::Dff;
use crate::ram_bypass::RamBypass;
use crate::ring_reader::RingReader;
use crate::types::ConfigWrite;

/// What is done with an RQE.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Fetch {
    /// Waits for one, and looks its connection up.
    Look,
    /// Offers it to its stream, or says that it is bad.
    Offer,
}

/// One RQE at a time, ahead of the messages that will take them: 32 bytes, check, post.
///
/// In: `enable`, `base` (a multiple of 32), `size_log2`, `doorbell` (RQEs ever posted), `config_write`, `hold`; the AXI4 read channels;
/// `post_ready`; `freed` (a post's completion left for memory), `vanished` (so many posts will have none: their connection was set up anew).
/// Out: `post` with `post_valid`, until `post_ready`; `bad` with `bad_valid`, until `bad_ready`: no such connection or stream, or memory answered
/// with an error: it is posted nowhere. One that waits for room in its stream is judged by what its connection is now: so a connection that is taken
/// down holds nobody up. At most 2^OA posts are without their completion, however slow the completion queue is: so completions have a place each.
#[derive(LogicBlock)]
pub struct ReceiveFetch<const CA: usize, const OA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub base: Signal<In, Bits<64>>,
    pub size_log2: Signal<In, Bits<5>>,
    pub doorbell: Signal<In, Bits<32>>,
    pub config_write: Signal<In, ConfigWrite>,
    pub hold: Signal<In, Bit>,
    pub araddr: Signal<Out, Bits<64>>,
    pub arvalid: Signal<Out, Bit>,
    pub arready: Signal<In, Bit>,
    pub rdata: Signal<In, Bits<64>>,
    pub rresp: Signal<In, Bits<2>>,
    pub rlast: Signal<In, Bit>,
    pub rvalid: Signal<In, Bit>,
    pub rready: Signal<Out, Bit>,
    pub post: Signal<Out, ReceivePost>,
    pub post_valid: Signal<Out, Bit>,
    pub post_ready: Signal<In, Bit>,
    pub bad: Signal<Out, ReceiveEnd>,
    pub bad_valid: Signal<Out, Bit>,
    pub bad_ready: Signal<In, Bit>,
    pub freed: Signal<In, Bit>,
    pub vanished: Signal<In, Bits<16>>,
    step: Dff<Fetch>,
    reader: RingReader<256>,
    outstanding: Dff<Bits<16>>,
    connections: RamBypass<Bit, CA>,
    rqe: UnpackRqe,
    known: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    posted: Signal<Local, Bit>,
    kept: Signal<Local, Bits<16>>,
    most: Constant<Bits<16>>,
    stream_bits: Constant<Bits<5>>,
    no_stream: Constant<Bits<16>>,
    no_connection: Constant<Bits<16>>,
    connection_table: Constant<Bits<4>>,
}

impl<const CA: usize, const OA: usize> ReceiveFetch<CA, OA> {
    /// `stream_bits`: log2 of a connection's streams.
    pub fn new(stream_bits: usize) -> Self {
        assert!(CA + stream_bits <= 16 && OA <= 15, "index widths");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            enable: Default::default(),
            base: Default::default(),
            size_log2: Default::default(),
            doorbell: Default::default(),
            config_write: Default::default(),
            hold: Default::default(),
            araddr: Default::default(),
            arvalid: Default::default(),
            arready: Default::default(),
            rdata: Default::default(),
            rresp: Default::default(),
            rlast: Default::default(),
            rvalid: Default::default(),
            rready: Default::default(),
            post: Default::default(),
            post_valid: Default::default(),
            post_ready: Default::default(),
            bad: Default::default(),
            bad_valid: Default::default(),
            bad_ready: Default::default(),
            freed: Default::default(),
            vanished: Default::default(),
            step: Default::default(),
            reader: Default::default(),
            outstanding: Default::default(),
            connections: Default::default(),
            rqe: Default::default(),
            known: Default::default(),
            room: Default::default(),
            posted: Default::default(),
            kept: Default::default(),
            most: Constant::new((1 << OA as LiteralType).into()),
            stream_bits: Constant::new((stream_bits as LiteralType).into()),
            no_stream: Constant::new((0xFFFF & !((1 << stream_bits as LiteralType) - 1)).into()),
            no_connection: Constant::new((0xFFFF & !((1 << CA as LiteralType) - 1)).into()),
            connection_table: Constant::new(constants::TABLE_CONNECTION.into()),
        }
    }
}

impl<const CA: usize, const OA: usize> Logic for ReceiveFetch<CA, OA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, outstanding);
        clock!(self, clock, reader, connections);
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
        self.rqe.bits.next = self.reader.element.val();
        self.connections.read_address.next = bit_cast::<CA, 16>(self.rqe.connection.val());
        self.connections.write_address.next = bit_cast::<CA, 16>(self.config_write.val().index);
        self.connections.write_data.next = self.config_write.val().data.get_bit(0);
        self.connections.write_enable.next = self.config_write.val().valid
            & (self.config_write.val().table == self.connection_table.val());

        self.known.next = self.connections.read_data.val()
            & !(self.rqe.connection.val() & self.no_connection.val()).any()
            & !(self.rqe.stream.val() & self.no_stream.val()).any()
            & !self.reader.error.val();
        self.room.next = self.outstanding.q.val() < self.most.val();
        self.post.next.stream =
            (self.rqe.connection.val() << self.stream_bits.val()) | self.rqe.stream.val();
        self.post.next.address = self.rqe.address.val();
        self.post.next.length = self.rqe.length.val();
        self.post.next.wr_id = self.rqe.wr_id.val();
        self.post_valid.next = false;
        self.posted.next = false;
        self.bad.next.connection = self.rqe.connection.val();
        self.bad.next.stream = self.rqe.stream.val();
        self.bad.next.message = 0.into();
        self.bad.next.length = 0.into();
        self.bad.next.has_immediate = false;
        self.bad.next.immediate = 0.into();
        self.bad.next.wr_id = self.rqe.wr_id.val();
        self.bad.next.bad = true;
        self.bad_valid.next = false;
        self.reader.done.next = false;
        match self.step.q.val() {
            Fetch::Look => {
                if self.reader.here.val() {
                    self.step.d.next = Fetch::Offer;
                }
            }
            Fetch::Offer => {
                self.post_valid.next = self.known.val() & self.room.val();
                self.posted.next = self.post_valid.val() & self.post_ready.val();
                self.bad_valid.next = !self.known.val() & !self.hold.val();
                self.reader.done.next =
                    self.posted.val() | (self.bad_valid.val() & self.bad_ready.val());
                if self.reader.done.val() {
                    self.step.d.next = Fetch::Look;
                }
            }
        }
        // After a reset nothing is outstanding, and what was before vanishes.
        self.kept.next = 0.into();
        if self.vanished.val() <= self.outstanding.q.val() {
            self.kept.next = self.outstanding.q.val() - self.vanished.val();
        }
        self.outstanding.d.next = self.kept.val();
        if self.posted.val() & !self.freed.val() {
            self.outstanding.d.next = self.kept.val() + 1;
        } else if self.freed.val() & !self.posted.val() {
            self.outstanding.d.next = self.kept.val() - 1;
        }
        if self.reset.val() {
            self.step.d.next = Fetch::Look;
            self.outstanding.d.next = 0.into();
        }
    }
}
