//! Posted buffers from the receive queue in host memory.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::generated::constants;
use crate::generated::host::UnpackRqe;
use crate::message_part::ReceivePost;
use crate::prim::Dff;
use crate::ram_bypass::RamBypass;
use crate::types::ConfigWrite;

/// Where the RQE under work stands.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Fetch {
    Idle,
    /// Asks memory for it.
    Ask,
    /// Takes its beats.
    Take,
    /// Looks its connection up.
    Look,
    /// Is it known?
    Check,
    /// Offers it to its stream.
    Offer,
}

/// One RQE at a time, ahead of the messages that will take them: 32 bytes by one burst of four beats, check, post.
///
/// In: `enable`, `base` (a multiple of 32), `size_log2`, `doorbell` (RQEs ever posted), `config_write`; the AXI4 read channels;
/// `post_ready`; `freed` (a post's completion left for memory). Out: `post` with `post_valid`, until `post_ready`; `bad` (one cycle: no such
/// connection or stream, or memory answered with an error: it is posted nowhere) with `bad_wr_id`, not without `bad_ready`; `taken`, RQEs done with.
/// At most 2^OA posts are without their completion, however slow the completion queue is: so completions have a place each.
#[derive(LogicBlock)]
pub struct ReceiveFetch<const CA: usize, const OA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub enable: Signal<In, Bit>,
    pub base: Signal<In, Bits<64>>,
    pub size_log2: Signal<In, Bits<5>>,
    pub doorbell: Signal<In, Bits<32>>,
    pub config_write: Signal<In, ConfigWrite>,
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
    pub bad: Signal<Out, Bit>,
    pub bad_wr_id: Signal<Out, Bits<64>>,
    pub bad_ready: Signal<In, Bit>,
    pub freed: Signal<In, Bit>,
    pub taken: Signal<Out, Bits<32>>,
    step: Dff<Fetch>,
    done: Dff<Bits<32>>,
    words: Dff<Bits<256>>,
    error: Dff<Bit>,
    known: Dff<Bit>,
    outstanding: Dff<Bits<16>>,
    connections: RamBypass<Bit, CA>,
    rqe: UnpackRqe,
    place: Signal<Local, Bits<32>>,
    room: Signal<Local, Bit>,
    posted: Signal<Local, Bit>,
    one: Constant<Bits<32>>,
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
            bad_wr_id: Default::default(),
            bad_ready: Default::default(),
            freed: Default::default(),
            taken: Default::default(),
            step: Default::default(),
            done: Default::default(),
            words: Default::default(),
            error: Default::default(),
            known: Default::default(),
            outstanding: Default::default(),
            connections: Default::default(),
            rqe: Default::default(),
            place: Default::default(),
            room: Default::default(),
            posted: Default::default(),
            one: Constant::new(1.into()),
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
        dff_setup!(self, clock, step, done, words, error, known, outstanding);
        self.connections.clock.next = self.clock.val();
        self.rqe.bits.next = self.words.q.val();
        self.connections.read_address.next = bit_cast::<CA, 16>(self.rqe.connection.val());
        self.connections.write_address.next = bit_cast::<CA, 16>(self.config_write.val().index);
        self.connections.write_data.next = self.config_write.val().data.get_bit(0);
        self.connections.write_enable.next = self.config_write.val().valid
            & (self.config_write.val().table == self.connection_table.val());

        self.place.next = self.done.q.val() & ((self.one.val() << self.size_log2.val()) - 1);
        self.araddr.next = self.base.val() + (bit_cast::<64, 32>(self.place.val()) << 5);
        self.arvalid.next = false;
        self.rready.next = false;
        self.taken.next = self.done.q.val();
        self.room.next = self.outstanding.q.val() < self.most.val();
        self.post.next.stream =
            (self.rqe.connection.val() << self.stream_bits.val()) | self.rqe.stream.val();
        self.post.next.address = self.rqe.address.val();
        self.post.next.length = self.rqe.length.val();
        self.post.next.wr_id = self.rqe.wr_id.val();
        self.post_valid.next = false;
        self.posted.next = false;
        self.bad.next = false;
        self.bad_wr_id.next = self.rqe.wr_id.val();
        match self.step.q.val() {
            Fetch::Idle => {
                if self.enable.val() & (self.doorbell.val() != self.done.q.val()) {
                    self.error.d.next = false;
                    self.step.d.next = Fetch::Ask;
                }
            }
            Fetch::Ask => {
                self.arvalid.next = true;
                if self.arready.val() {
                    self.step.d.next = Fetch::Take;
                }
            }
            Fetch::Take => {
                self.rready.next = true;
                if self.rvalid.val() {
                    self.words.d.next =
                        (self.words.q.val() >> 64) | (bit_cast::<256, 64>(self.rdata.val()) << 192);
                    self.error.d.next = self.error.q.val() | self.rresp.val().any();
                    if self.rlast.val() {
                        self.step.d.next = Fetch::Look;
                    }
                }
            }
            Fetch::Look => {
                self.step.d.next = Fetch::Check;
            }
            Fetch::Check => {
                self.known.d.next = self.connections.read_data.val()
                    & !(self.rqe.connection.val() & self.no_connection.val()).any()
                    & !(self.rqe.stream.val() & self.no_stream.val()).any()
                    & !self.error.q.val();
                self.step.d.next = Fetch::Offer;
            }
            Fetch::Offer => {
                self.post_valid.next = self.known.q.val() & self.room.val();
                self.posted.next = self.post_valid.val() & self.post_ready.val();
                self.bad.next = !self.known.q.val() & self.bad_ready.val();
                if self.posted.val() | self.bad.val() {
                    self.done.d.next = self.done.q.val() + 1;
                    self.step.d.next = Fetch::Idle;
                }
            }
        }
        if self.posted.val() & !self.freed.val() {
            self.outstanding.d.next = self.outstanding.q.val() + 1;
        } else if self.freed.val() & !self.posted.val() {
            self.outstanding.d.next = self.outstanding.q.val() - 1;
        }
        if self.reset.val() {
            self.step.d.next = Fetch::Idle;
            self.done.d.next = 0.into();
            self.outstanding.d.next = 0.into();
        }
    }
}
