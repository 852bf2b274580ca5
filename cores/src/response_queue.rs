//! Reads whose turn has come, until their response takes a slot.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::generated::constants;
use crate::landing::Landing;
use crate::message_part::AskedRead;
use crate::prim::Dff;
use crate::stream_fifo::StreamFifo;
use crate::types::{Message, WriteProgress};

/// A Read becomes a response once all that was placed before its turn is in memory; in their order.
///
/// For N planes, and 2^QA Reads at a time, three cycles apart at least: who accepts them keeps to that. In: `asked`, `asked_valid`; by plane `placed` (a write of a byte at least was
/// ordered) and the `progress` of its `AxiWriter`; `mtu_log2`; `ready` (it takes a slot). Out: `response`, `response_valid`, its `packets`, `connection` of it, a cycle
/// before it too; `loaded`: it is taken; `idle`: none waits; `landing`: one waits for memory. `start`, while nothing is `landing`: connection
/// `start_connection` starts anew, and its Reads are forgotten; no Read may come until `purging` is over.
#[derive(LogicBlock)]
pub struct ResponseQueue<const N: usize, const CA: usize, const QA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub asked: Signal<In, AskedRead>,
    pub asked_valid: Signal<In, Bit>,
    pub placed: [Signal<In, Bit>; N],
    pub progress: [Signal<In, WriteProgress>; N],
    pub mtu_log2: Signal<In, Bits<4>>,
    pub start: Signal<In, Bit>,
    pub start_connection: Signal<In, Bits<CA>>,
    pub response: Signal<Out, Message>,
    pub response_valid: Signal<Out, Bit>,
    pub packets: Signal<Out, Bits<25>>,
    pub connection: Signal<Out, Bits<CA>>,
    pub ready: Signal<In, Bit>,
    pub loaded: Signal<Out, Bit>,
    pub idle: Signal<Out, Bit>,
    pub landing: Signal<Out, Bit>,
    pub purging: Signal<Out, Bit>,
    /// How much each plane was told to write.
    counts: [Dff<Bits<16>>; N],
    count: Signal<Local, Bits<16>>,
    marks: Signal<Local, Bits<128>>,
    // The newest, until it finds a place in both queues: a full one has one in the next cycle.
    fresh_until: Dff<Bit>,
    fresh_waiting: Dff<Bit>,
    fresh: Dff<AskedRead>,
    fresh_marks: Dff<Bits<128>>,
    // What waits for memory: by then it must be there.
    until: StreamFifo<Bits<128>, QA>,
    until_have: Dff<Bit>,
    until_next: Dff<Bits<128>>,
    landings: [Landing; N],
    landed: Signal<Local, Bit>,
    /// So many of those that wait are there.
    there: Dff<Bits<16>>,
    gone: Signal<Local, Bit>,
    // The same Reads, and the oldest.
    waiting: StreamFifo<AskedRead, QA>,
    have: Dff<Bit>,
    settled: Dff<Bit>,
    oldest: Dff<AskedRead>,
    next_packets: Dff<Bits<25>>,
    full: Signal<Local, Bits<33>>,
    wide_one: Constant<Bits<33>>,
    // A connection starts anew: each Read leaves the queue, and comes back to its end if it is another's.
    left: Dff<Bits<QA>>,
    started: Dff<Bits<CA>>,
    begins: Dff<Bit>,
    turned: Dff<AskedRead>,
    turned_valid: Dff<Bit>,
    mine: Signal<Local, Bit>,
    turns: Signal<Local, Bit>,
    places: [Constant<Bits<7>>; N],
    stream_bits: Constant<Bits<5>>,
    stream_mask: Constant<Bits<16>>,
    responds: Constant<Bits<8>>,
}

impl<const N: usize, const CA: usize, const QA: usize> ResponseQueue<N, CA, QA> {
    /// `stream_bits`: log2 of a connection's streams.
    pub fn new(stream_bits: usize) -> Self {
        assert!((1..=8).contains(&N), "1 to 8 planes");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            asked: Default::default(),
            asked_valid: Default::default(),
            placed: std::array::from_fn(|_| Default::default()),
            progress: std::array::from_fn(|_| Default::default()),
            mtu_log2: Default::default(),
            start: Default::default(),
            start_connection: Default::default(),
            response: Default::default(),
            response_valid: Default::default(),
            packets: Default::default(),
            connection: Default::default(),
            ready: Default::default(),
            loaded: Default::default(),
            idle: Default::default(),
            landing: Default::default(),
            purging: Default::default(),
            counts: std::array::from_fn(|_| Default::default()),
            count: Default::default(),
            marks: Default::default(),
            fresh_until: Default::default(),
            fresh_waiting: Default::default(),
            fresh: Default::default(),
            fresh_marks: Default::default(),
            until: Default::default(),
            until_have: Default::default(),
            until_next: Default::default(),
            landings: std::array::from_fn(|_| Default::default()),
            landed: Default::default(),
            there: Default::default(),
            gone: Default::default(),
            waiting: Default::default(),
            have: Default::default(),
            settled: Default::default(),
            oldest: Default::default(),
            next_packets: Default::default(),
            full: Default::default(),
            wide_one: Constant::new(1.into()),
            left: Default::default(),
            started: Default::default(),
            begins: Default::default(),
            turned: Default::default(),
            turned_valid: Default::default(),
            mine: Default::default(),
            turns: Default::default(),
            places: std::array::from_fn(|i| Constant::new((16 * i as LiteralType).into())),
            stream_bits: Constant::new((stream_bits as LiteralType).into()),
            stream_mask: Constant::new(((1 << stream_bits as LiteralType) - 1).into()),
            responds: Constant::new(constants::OPCODE_READ_RESPONSE.into()),
        }
    }
}

impl<const N: usize, const CA: usize, const QA: usize> Logic for ResponseQueue<N, CA, QA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            fresh_until,
            fresh_waiting,
            fresh,
            fresh_marks,
            until_have,
            until_next,
            there,
            have,
            settled,
            oldest,
            next_packets,
            left,
            started,
            begins,
            turned,
            turned_valid
        );
        clock!(self, clock, until, waiting);
        self.until.reset.next = self.reset.val();
        self.waiting.reset.next = self.reset.val();

        // What was ordered in the cycle of the turn counts too.
        self.marks.next = 0.into();
        for i in 0..N {
            self.counts[i].clock.next = self.clock.val();
            self.count.next = self.counts[i].q.val();
            if self.placed[i].val() {
                self.count.next = self.counts[i].q.val() + 1;
            }
            self.counts[i].d.next = self.count.val();
            self.marks.next =
                self.marks.val() | (bit_cast::<128, 16>(self.count.val()) << self.places[i].val());
        }
        if self.until.push_ready.val() {
            self.fresh_until.d.next = false;
        }
        if self.waiting.push_ready.val() {
            self.fresh_waiting.d.next = false;
        }
        if self.asked_valid.val() {
            self.fresh_until.d.next = true;
            self.fresh_waiting.d.next = true;
            self.fresh.d.next = self.asked.val();
            self.fresh_marks.d.next = self.marks.val();
        }
        self.until.push.next = self.fresh_marks.q.val();
        self.until.push_valid.next = self.fresh_until.q.val();

        // The oldest that waits for memory.
        self.landed.next = self.until_have.q.val();
        for i in 0..N {
            self.landings[i].clock.next = self.clock.val();
            self.landings[i].reset.next = self.reset.val();
            self.landings[i].progress.next = self.progress[i].val();
            self.landings[i].mark.next = self
                .until_next
                .q
                .val()
                .get_bits::<16>(self.places[i].val().index());
            self.landings[i].look.next = self.until_have.q.val();
            if !self.landings[i].landed.val() {
                self.landed.next = false;
            }
        }
        for i in 0..N {
            self.landings[i].next_mark.next = self.landed.val();
        }
        self.until.pop_ready.next = !self.until_have.q.val();
        if !self.until_have.q.val() {
            self.until_have.d.next = self.until.pop_valid.val();
            self.until_next.d.next = self.until.pop.val();
        }
        if self.landed.val() {
            self.until_have.d.next = false;
        }
        self.landing.next = self.fresh_until.q.val()
            | self.fresh_waiting.q.val()
            | self.until_have.q.val()
            | self.until.level.val().any();

        // A connection starts anew.
        self.purging.next =
            self.begins.q.val() | self.left.q.val().any() | self.turned_valid.q.val();
        self.begins.d.next = self.start.val();
        if self.start.val() {
            self.started.d.next = self.start_connection.val();
        }
        self.turns.next = self.left.q.val().any() & self.waiting.pop_valid.val();
        self.mine.next =
            bit_cast::<CA, 16>(self.waiting.pop.val().stream >> self.stream_bits.val())
                == self.started.q.val();
        self.turned.d.next = self.waiting.pop.val();
        self.turned_valid.d.next = self.turns.val() & !self.mine.val();
        if self.turns.val() {
            self.left.d.next = self.left.q.val() - 1;
        }
        if self.begins.q.val() {
            self.left.d.next = self.waiting.level.val();
        }
        self.waiting.push.next = self.fresh.q.val();
        self.waiting.push_valid.next = self.fresh_waiting.q.val();
        if self.turned_valid.q.val() {
            self.waiting.push.next = self.turned.q.val();
            self.waiting.push_valid.next = true;
        }

        // The oldest of all, as a message.
        self.connection.next =
            bit_cast::<CA, 16>(self.oldest.q.val().stream >> self.stream_bits.val());
        self.response.next.connection =
            bit_cast::<12, 16>(self.oldest.q.val().stream >> self.stream_bits.val());
        self.response.next.stream = self.oldest.q.val().stream & self.stream_mask.val();
        self.response.next.message = self.oldest.q.val().message;
        self.response.next.local_address = self.oldest.q.val().address;
        self.response.next.remote_address = 0.into();
        self.response.next.r_key = 0.into();
        self.response.next.length = self.oldest.q.val().length;
        self.response.next.opcode = self.responds.val();
        self.response.next.receive = bit_cast::<32, 16>(self.oldest.q.val().tag);
        self.response.next.immediate = 0.into();
        // Whole packets, and the rest; a response of no bytes takes one.
        self.full.next = (bit_cast::<33, 32>(self.oldest.q.val().length)
            + ((self.wide_one.val() << self.mtu_log2.val()) - 1))
            >> self.mtu_log2.val();
        self.next_packets.d.next = bit_cast::<25, 33>(self.full.val());
        if !self.oldest.q.val().length.any() {
            self.next_packets.d.next = 1.into();
        }
        self.packets.next = self.next_packets.q.val();
        self.response_valid.next = self.settled.q.val()
            & self.there.q.val().any()
            & !self.start.val()
            & !self.purging.val();
        self.loaded.next = self.response_valid.val() & self.ready.val();
        self.settled.d.next = self.have.q.val() & !self.loaded.val();
        self.gone.next = self.loaded.val() | (self.turns.val() & self.mine.val());
        self.waiting.pop_ready.next = self.turns.val();
        if !self.have.q.val() & !self.purging.val() & !self.start.val() {
            self.waiting.pop_ready.next = true;
            self.have.d.next = self.waiting.pop_valid.val();
            self.oldest.d.next = self.waiting.pop.val();
        }
        if self.loaded.val() {
            self.have.d.next = false;
        }
        if self.begins.q.val() & self.have.q.val() & (self.connection.val() == self.started.q.val())
        {
            self.have.d.next = false;
            self.settled.d.next = false;
            self.gone.next = true;
        }
        if self.landed.val() & !self.gone.val() {
            self.there.d.next = self.there.q.val() + 1;
        }
        if self.gone.val() & !self.landed.val() {
            self.there.d.next = self.there.q.val() - 1;
        }
        self.idle.next = !self.fresh_waiting.q.val()
            & !self.have.q.val()
            & !self.waiting.level.val().any()
            & !self.purging.val();

        if self.reset.val() {
            self.fresh_until.d.next = false;
            self.fresh_waiting.d.next = false;
            self.until_have.d.next = false;
            self.there.d.next = 0.into();
            self.have.d.next = false;
            self.settled.d.next = false;
            self.left.d.next = 0.into();
            self.begins.d.next = false;
            self.turned_valid.d.next = false;
            for i in 0..N {
                self.counts[i].d.next = 0.into();
            }
        }
    }
}
