//! The responder's part of Reads: from their turn to the delivery of what they asked for.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use metaroce_cores::generated::constants;
use metaroce_cores::message_part::AskedRead;
use metaroce_cores::prim::Dff;
use metaroce_cores::response_queue::ResponseQueue;
use metaroce_cores::response_slots::ResponseSlots;
use metaroce_cores::transmit_path::FailureWrite;
use metaroce_cores::types::{ConfigWrite, Message, WriteProgress};
use rust_hdl::prelude::*;

/// Reads whose turn has come wait for memory and for a slot; their responses hold a slot until they are delivered.
///
/// For `N` planes; `CA`: connections; 2^`QA` Reads wait at most, 16 of each connection. In: what `ResponseQueue` and `ResponseSlots` say. Out:
/// `loaded`, a response takes a slot: what was accepted by then counts it no more; `trace_load`: the same, a cycle later, for whoever commits; `trace_retire`:
/// the oldest response frees its slot; `busy`: no configuration may be written. Not of profile `Reads`: nothing ever enters, and synthesis removes it.
#[derive(LogicBlock)]
pub struct Responder<const N: usize, const CA: usize, const QA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub config_write: Signal<In, ConfigWrite>,
    pub mtu_log2: Signal<In, Bits<4>>,
    pub asked: Signal<In, AskedRead>,
    pub asked_valid: Signal<In, Bit>,
    pub asked_stop: Signal<Out, Bit>,
    pub placed: [Signal<In, Bit>; N],
    pub progress: [Signal<In, WriteProgress>; N],
    pub response: Signal<Out, Message>,
    pub response_slot: Signal<Out, Bits<4>>,
    pub response_valid: Signal<Out, Bit>,
    pub response_ready: Signal<In, Bit>,
    pub response_idle: Signal<Out, Bit>,
    pub coming: Signal<Out, Bits<CA>>,
    pub loaded: Signal<Out, Bit>,
    pub delivered_valid: Signal<In, Bit>,
    pub delivered_slot: Signal<In, Bits<5>>,
    pub failure: Signal<In, FailureWrite>,
    pub busy: Signal<Out, Bit>,
    pub trace_load: Signal<Out, Bit>,
    pub trace_retire: Signal<Out, Bit>,
    queue: ResponseQueue<N, CA, QA>,
    slots: ResponseSlots<CA>,
    told: Dff<Bit>,
    reads: Constant<Bit>,
    table_connection: Constant<Bits<4>>,
}

impl<const N: usize, const CA: usize, const QA: usize> Responder<N, CA, QA> {
    /// `stream_bits`: log2 of a connection's streams; `reads`: it is of profile `Reads`.
    pub fn new(stream_bits: usize, reads: bool) -> Self {
        assert!(!reads || QA >= CA + 4, "16 Reads of each connection");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            config_write: Default::default(),
            mtu_log2: Default::default(),
            asked: Default::default(),
            asked_valid: Default::default(),
            asked_stop: Default::default(),
            placed: std::array::from_fn(|_| Default::default()),
            progress: std::array::from_fn(|_| Default::default()),
            response: Default::default(),
            response_slot: Default::default(),
            response_valid: Default::default(),
            response_ready: Default::default(),
            response_idle: Default::default(),
            coming: Default::default(),
            loaded: Default::default(),
            delivered_valid: Default::default(),
            delivered_slot: Default::default(),
            failure: Default::default(),
            busy: Default::default(),
            trace_load: Default::default(),
            trace_retire: Default::default(),
            queue: ResponseQueue::new(stream_bits),
            slots: Default::default(),
            told: Default::default(),
            reads: Constant::new(reads),
            table_connection: Constant::new(constants::TABLE_CONNECTION.into()),
        }
    }
}

impl<const N: usize, const CA: usize, const QA: usize> Logic for Responder<N, CA, QA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, queue, slots, told);
        self.queue.reset.next = self.reset.val();
        self.slots.reset.next = self.reset.val();
        self.queue.mtu_log2.next = self.mtu_log2.val();
        self.queue.asked.next = self.asked.val();
        self.queue.asked_valid.next = self.reads.val() & self.asked_valid.val();
        for i in 0..N {
            self.queue.placed[i].next = self.placed[i].val();
            self.queue.progress[i].next = self.progress[i].val();
        }
        self.queue.start.next = self.config_write.val().valid
            & (self.config_write.val().table == self.table_connection.val());
        self.queue.start_connection.next = bit_cast::<CA, 16>(self.config_write.val().index);
        self.asked_stop.next = self.reads.val() & self.queue.purging.val();

        // A response takes a slot.
        self.response.next = self.queue.response.val();
        self.response_slot.next = self.slots.slot.val();
        self.response_valid.next =
            self.reads.val() & self.queue.response_valid.val() & self.slots.free.val();
        self.queue.ready.next = self.response_ready.val() & self.slots.free.val();
        self.response_idle.next =
            !self.reads.val() | self.queue.idle.val() | !self.slots.free.val();
        self.coming.next = self.queue.connection.val();
        self.loaded.next = self.reads.val() & self.queue.loaded.val();
        self.told.d.next = self.loaded.val();
        self.trace_load.next = self.told.q.val();
        self.slots.take.next = self.loaded.val();
        self.slots.connection.next = self.queue.connection.val();
        self.slots.packets.next = self.queue.packets.val();

        // And leaves it.
        self.slots.delivered.next = self.delivered_valid.val();
        self.slots.delivered_slot.next = self.delivered_slot.val();
        self.slots.failure.next = self.failure.val();
        self.trace_retire.next = self.reads.val() & self.slots.retire.val();
        self.busy.next = self.reads.val()
            & (self.queue.landing.val() | self.queue.purging.val() | self.told.q.val());
        if self.reset.val() {
            self.told.d.next = false;
        }
    }
}
