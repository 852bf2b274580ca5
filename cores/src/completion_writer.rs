//! Message slots from hand-over to completion, and the completion queue.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::completion_status::CompletionStatus;
use crate::counts::ConnectionFailure;
use crate::generated::constants;
use crate::generated::host::PackCqe;
use crate::message_part::ReceiveEnd;
use crate::prim::Dff;
use crate::ram_bypass::RamBypass;
use crate::read_answers::{ReadClose, ReadReply};
use crate::slot_counter::SlotCounter;
use crate::wqe_fetch::Work;

/// What the writer does.
#[derive(Copy, Clone, Debug, PartialEq, LogicState)]
pub enum Complete {
    /// No message is there.
    Empty,
    /// The oldest message's record is there; its connection is asked about.
    Look,
    /// Waits for its end, and for room in the queue.
    Watch,
    /// A Read ended: waits until what was placed is in memory.
    Land,
    /// Writes the CQE.
    Write,
    /// Waits for the memory's answer.
    Answer,
}

/// Slots in a ring of `M` = 2^`MA`; the oldest message completes first.
///
/// In: `take` with `work` and `packets` (not without `slot_free`); `delivered`, `delivered_slot`; `failure`, the answer to
/// `failure_connection` in the same cycle or the next; `base` (a multiple of 32), `size_log2`, `consumer` (CQEs ever taken);
/// the AXI4 write channels. Out: `slot_free`, `slot` (of the next message); `retire` (commit: the oldest message completes).
/// A Read ends when it is delivered and whole (`read_reply`), and not in a cycle in which a response that names its slot commits: nothing is placed for it after
/// `retire` (`read_close`). With `lands` it is a Read: its CQE waits for `landed`.
/// A message that came, `receive` with `receive_valid`, is told where nothing else is to be told, taken with `receive_ready`.
/// A CQE is 32 bytes, one burst of four beats; the next message is looked at when it is answered. A full queue waits.
#[derive(LogicBlock)]
pub struct CompletionWriter<const M: usize, const MA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub take: Signal<In, Bit>,
    pub work: Signal<In, Work>,
    pub packets: Signal<In, Bits<25>>,
    pub slot_free: Signal<Out, Bit>,
    pub slot: Signal<Out, Bits<4>>,
    pub delivered: Signal<In, Bit>,
    pub delivered_slot: Signal<In, Bits<5>>,
    pub failure_connection: Signal<Out, Bits<12>>,
    pub failure: Signal<In, ConnectionFailure>,
    pub base: Signal<In, Bits<64>>,
    pub size_log2: Signal<In, Bits<5>>,
    pub consumer: Signal<In, Bits<32>>,
    pub awaddr: Signal<Out, Bits<64>>,
    pub awvalid: Signal<Out, Bit>,
    pub awready: Signal<In, Bit>,
    pub wdata: Signal<Out, Bits<64>>,
    pub wlast: Signal<Out, Bit>,
    pub wvalid: Signal<Out, Bit>,
    pub wready: Signal<In, Bit>,
    pub bvalid: Signal<In, Bit>,
    pub bready: Signal<Out, Bit>,
    pub retire: Signal<Out, Bit>,
    pub read_reply: Signal<In, ReadReply>,
    pub read_close: Signal<Out, ReadClose>,
    pub lands: Signal<Out, Bit>,
    pub landed: Signal<In, Bit>,
    pub receive: Signal<In, ReceiveEnd>,
    pub receive_valid: Signal<In, Bit>,
    pub receive_ready: Signal<Out, Bit>,
    step: Dff<Complete>,
    oldest: Dff<Bits<MA>>,
    newest: Dff<Bits<MA>>,
    count: Dff<Bits<5>>,
    produced: Dff<Bits<32>>,
    cqe: Dff<Bits<256>>,
    address: Dff<Bits<64>>,
    address_sent: Dff<Bit>,
    beat: Dff<Bits<3>>,
    records: RamBypass<Work, MA>,
    counters: [SlotCounter; M],
    ending: CompletionStatus,
    pack: PackCqe,
    pack_receive: PackCqe,
    told: Signal<Local, Bit>,
    told_last: Dff<Bit>,
    done: Signal<Local, Bit>,
    room: Signal<Local, Bit>,
    lap: Signal<Local, Bits<32>>,
    place: Signal<Local, Bits<32>>,
    reads: Constant<Bit>,
    asks_read: Constant<Bits<8>>,
    oldest_slot: Signal<Local, Bits<4>>,
    is_read: Signal<Local, Bit>,
    waits: Signal<Local, Bit>,
    bad_request: Constant<Bits<8>>,
    slots: Constant<Bits<5>>,
    one: Constant<Bits<32>>,
}

impl<const M: usize, const MA: usize> CompletionWriter<M, MA> {
    /// `reads`: there are Reads among the messages.
    pub fn new(reads: bool) -> Self {
        assert!(
            M == 1 << MA && (1..=4).contains(&MA),
            "2 to 16 message slots, a power of two"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            take: Default::default(),
            work: Default::default(),
            packets: Default::default(),
            slot_free: Default::default(),
            slot: Default::default(),
            delivered: Default::default(),
            delivered_slot: Default::default(),
            failure_connection: Default::default(),
            failure: Default::default(),
            base: Default::default(),
            size_log2: Default::default(),
            consumer: Default::default(),
            awaddr: Default::default(),
            awvalid: Default::default(),
            awready: Default::default(),
            wdata: Default::default(),
            wlast: Default::default(),
            wvalid: Default::default(),
            wready: Default::default(),
            bvalid: Default::default(),
            bready: Default::default(),
            retire: Default::default(),
            read_reply: Default::default(),
            read_close: Default::default(),
            lands: Default::default(),
            landed: Default::default(),
            receive: Default::default(),
            receive_valid: Default::default(),
            receive_ready: Default::default(),
            step: Default::default(),
            oldest: Default::default(),
            newest: Default::default(),
            count: Default::default(),
            produced: Default::default(),
            cqe: Default::default(),
            address: Default::default(),
            address_sent: Default::default(),
            beat: Default::default(),
            records: Default::default(),
            counters: std::array::from_fn(|_| Default::default()),
            ending: Default::default(),
            pack: Default::default(),
            pack_receive: Default::default(),
            told: Default::default(),
            told_last: Default::default(),
            done: Default::default(),
            room: Default::default(),
            lap: Default::default(),
            place: Default::default(),
            reads: Constant::new(reads),
            asks_read: Constant::new(constants::WQE_READ.into()),
            oldest_slot: Default::default(),
            is_read: Default::default(),
            waits: Default::default(),
            bad_request: Constant::new(constants::STATUS_BAD_REQUEST.into()),
            slots: Constant::new((M as LiteralType).into()),
            one: Constant::new(1.into()),
        }
    }
}

impl<const M: usize, const MA: usize> Logic for CompletionWriter<M, MA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            step,
            oldest,
            newest,
            count,
            produced,
            cqe,
            address,
            address_sent,
            beat,
            told_last
        );
        self.records.clock.next = self.clock.val();

        // The ring of slots.
        self.slot_free.next = self.count.q.val() < self.slots.val();
        self.slot.next = bit_cast::<4, MA>(self.newest.q.val());
        self.records.write_address.next = self.newest.q.val();
        self.records.write_data.next = self.work.val();
        self.records.write_enable.next = self.take.val();
        self.records.read_address.next = self.oldest.q.val();
        self.done.next = false;
        for i in 0..M {
            self.counters[i].clock.next = self.clock.val();
            self.counters[i].reset.next = self.reset.val();
            self.counters[i].packets.next = self.packets.val();
            self.counters[i].load.next = self.take.val() & (self.newest.q.val() == i.to_bits());
            self.counters[i].delivered.next =
                self.delivered.val() & (self.delivered_slot.val() == i.to_bits());
            if self.oldest.q.val() == i.to_bits() {
                self.done.next = self.counters[i].done.val();
            }
        }

        // The oldest message.
        self.failure_connection.next = bit_cast::<12, 16>(self.records.read_data.val().connection);
        self.ending.work.next = self.records.read_data.val();
        self.oldest_slot.next = bit_cast::<4, MA>(self.oldest.q.val());
        self.is_read.next =
            self.reads.val() & (self.records.read_data.val().opcode == self.asks_read.val());
        self.waits.next = self.is_read.val()
            & self.read_reply.val().commits
            & (self.read_reply.val().slot == self.oldest_slot.val());
        self.ending.done.next = self.done.val()
            & (!self.is_read.val()
                | self
                    .read_reply
                    .val()
                    .whole
                    .get_bit(self.oldest_slot.val().index()));
        self.ending.failure.next = self.failure.val();
        self.room.next = (self.produced.q.val() - self.consumer.val())
            < (self.one.val() << self.size_log2.val());
        self.lap.next = self.produced.q.val() >> self.size_log2.val();
        self.place.next = self.produced.q.val() & ((self.one.val() << self.size_log2.val()) - 1);
        self.pack.wr_id.next = self.records.read_data.val().wr_id;
        self.pack.status.next = self.ending.status.val();
        self.pack.opcode.next = self.records.read_data.val().opcode;
        self.pack.connection.next = self.records.read_data.val().connection;
        self.pack.length.next = self.records.read_data.val().length;
        self.pack.wqe_index.next = self.records.read_data.val().wqe_index;
        self.pack.phase.next = !self.lap.val().get_bit(0);
        self.pack.received.next = false;
        self.pack.has_immediate.next = false;
        self.pack.stream.next = 0.into();
        self.pack.message.next = 0.into();
        self.pack.immediate.next = 0.into();
        self.pack_receive.wr_id.next = self.receive.val().wr_id;
        self.pack_receive.status.next = 0.into();
        if self.receive.val().bad {
            self.pack_receive.status.next = self.bad_request.val();
        }
        self.pack_receive.opcode.next = 0.into();
        self.pack_receive.connection.next = self.receive.val().connection;
        self.pack_receive.length.next = self.receive.val().length;
        self.pack_receive.wqe_index.next = 0.into();
        self.pack_receive.phase.next = !self.lap.val().get_bit(0);
        self.pack_receive.received.next = true;
        self.pack_receive.has_immediate.next = self.receive.val().has_immediate;
        self.pack_receive.stream.next = self.receive.val().stream;
        self.pack_receive.message.next = self.receive.val().message;
        self.pack_receive.immediate.next = self.receive.val().immediate;

        self.retire.next = false;
        self.told.next = false;
        self.receive_ready.next = false;
        self.awaddr.next = self.address.q.val();
        self.awvalid.next = false;
        self.wdata.next = self.cqe.q.val().get_bits::<64>(0);
        self.wlast.next = self.beat.q.val() == 3;
        self.wvalid.next = false;
        self.bready.next = false;
        match self.step.q.val() {
            Complete::Empty => {
                // In turn with the oldest message.
                self.receive_ready.next =
                    self.room.val() & !(self.told_last.q.val() & self.count.q.val().any());
                if self.receive_valid.val() & self.receive_ready.val() {
                    self.told.next = true;
                } else if self.count.q.val().any() {
                    self.step.d.next = Complete::Look;
                }
            }
            Complete::Look => {
                self.step.d.next = Complete::Watch;
            }
            Complete::Watch => {
                // Whoever was not told of last goes first, if both could.
                self.receive_ready.next =
                    self.room.val() & !(self.told_last.q.val() & self.ending.ended.val());
                self.told.next = self.receive_valid.val() & self.receive_ready.val();
                if self.ending.ended.val() & self.room.val() & !self.told.val() & !self.waits.val()
                {
                    self.retire.next = true;
                    self.oldest.d.next = self.oldest.q.val() + 1;
                }
            }
            Complete::Land => {
                if self.landed.val() {
                    self.step.d.next = Complete::Write;
                }
            }
            Complete::Write => {
                self.awvalid.next = !self.address_sent.q.val();
                self.wvalid.next = self.beat.q.val() < 4;
                if self.awready.val() {
                    self.address_sent.d.next = true;
                }
                if self.wready.val() & self.wvalid.val() {
                    self.cqe.d.next = self.cqe.q.val() >> 64;
                    self.beat.d.next = self.beat.q.val() + 1;
                }
                if self.address_sent.q.val() & !self.wvalid.val() {
                    self.step.d.next = Complete::Answer;
                }
            }
            Complete::Answer => {
                self.bready.next = true;
                if self.bvalid.val() {
                    self.step.d.next = Complete::Empty;
                }
            }
        }

        self.lands.next = self.retire.val() & self.is_read.val();
        self.read_close.next.valid = self.retire.val();
        self.read_close.next.slot = self.oldest_slot.val();
        if self.retire.val() | self.told.val() {
            self.told_last.d.next = self.told.val();
            self.cqe.d.next = self.pack.bits.val();
            if self.told.val() {
                self.cqe.d.next = self.pack_receive.bits.val();
            }
            self.address.d.next = self.base.val() + (bit_cast::<64, 32>(self.place.val()) << 5);
            self.address_sent.d.next = false;
            self.beat.d.next = 0.into();
            self.produced.d.next = self.produced.q.val() + 1;
            self.step.d.next = Complete::Write;
            if self.lands.val() {
                self.step.d.next = Complete::Land;
            }
        }

        if self.take.val() {
            self.newest.d.next = self.newest.q.val() + 1;
        }
        if self.take.val() & !self.retire.val() {
            self.count.d.next = self.count.q.val() + 1;
        } else if self.retire.val() & !self.take.val() {
            self.count.d.next = self.count.q.val() - 1;
        }
        if self.reset.val() {
            self.step.d.next = Complete::Empty;
            self.oldest.d.next = 0.into();
            self.newest.d.next = 0.into();
            self.count.d.next = 0.into();
            self.produced.d.next = 0.into();
        }
    }
}
