//! Ended messages on their way to the completion queue.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::landing::Landing;
use crate::message_part::{ReceiveEnd, WholeMessage};
use crate::prim::Dff;
use crate::stream_fifo::StreamFifo;
use crate::types::WriteProgress;

/// An ended message, and how much each plane had been told to write by then.
#[derive(LogicStruct, Copy, Clone, Debug, Default, PartialEq)]
pub struct WaitingEnd {
    pub whole: WholeMessage,
    pub marks: Bits<128>,
}

/// A message that took a buffer is told once all that was placed before its end is in memory; how slow the completion queue may be, nothing else waits.
///
/// For N planes and at most 2^QA - 1 ends at a time: who posts buffers keeps to that. In: `whole`, `whole_valid`; by plane `placed` (a
/// write of a byte at least was ordered), and the `progress` of its `AxiWriter`; `out_ready`. Out: `out`, `out_valid`.
#[derive(LogicBlock)]
pub struct ReceiveCompletions<const N: usize, const QA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub whole: Signal<In, WholeMessage>,
    pub whole_valid: Signal<In, Bit>,
    pub placed: [Signal<In, Bit>; N],
    pub progress: [Signal<In, WriteProgress>; N],
    pub out: Signal<Out, ReceiveEnd>,
    pub out_valid: Signal<Out, Bit>,
    pub out_ready: Signal<In, Bit>,
    /// How much each plane was told to write.
    counts: [Dff<Bits<16>>; N],
    waiting: StreamFifo<WaitingEnd, QA>,
    landings: [Landing; N],
    head_marks: Signal<Local, Bits<128>>,
    landed: Signal<Local, Bit>,
    written: StreamFifo<WholeMessage, QA>,
    count: Signal<Local, Bits<16>>,
    marks: Signal<Local, Bits<128>>,
    places: [Constant<Bits<7>>; N],
    stream_bits: Constant<Bits<5>>,
    stream_mask: Constant<Bits<16>>,
}

impl<const N: usize, const QA: usize> ReceiveCompletions<N, QA> {
    /// `stream_bits`: log2 of a connection's streams.
    pub fn new(stream_bits: usize) -> Self {
        assert!((1..=8).contains(&N), "1 to 8 planes");
        Self {
            clock: Default::default(),
            reset: Default::default(),
            whole: Default::default(),
            whole_valid: Default::default(),
            placed: std::array::from_fn(|_| Default::default()),
            progress: std::array::from_fn(|_| Default::default()),
            out: Default::default(),
            out_valid: Default::default(),
            out_ready: Default::default(),
            counts: std::array::from_fn(|_| Default::default()),
            waiting: Default::default(),
            landings: std::array::from_fn(|_| Default::default()),
            head_marks: Default::default(),
            landed: Default::default(),
            written: Default::default(),
            count: Default::default(),
            marks: Default::default(),
            places: std::array::from_fn(|i| Constant::new((16 * i as LiteralType).into())),
            stream_bits: Constant::new((stream_bits as LiteralType).into()),
            stream_mask: Constant::new(((1 << stream_bits as LiteralType) - 1).into()),
        }
    }
}

impl<const N: usize, const QA: usize> Logic for ReceiveCompletions<N, QA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, waiting, written);
        self.waiting.reset.next = self.reset.val();
        self.written.reset.next = self.reset.val();

        // What was ordered in the cycle of the end counts too.
        self.marks.next = 0.into();
        self.head_marks.next = self.waiting.pop.val().marks;
        self.landed.next = self.waiting.pop_valid.val();
        for i in 0..N {
            self.counts[i].clock.next = self.clock.val();
            self.count.next = self.counts[i].q.val();
            if self.placed[i].val() {
                self.count.next = self.counts[i].q.val() + 1;
            }
            self.counts[i].d.next = self.count.val();
            self.marks.next =
                self.marks.val() | (bit_cast::<128, 16>(self.count.val()) << self.places[i].val());
            self.landings[i].clock.next = self.clock.val();
            self.landings[i].reset.next = self.reset.val();
            self.landings[i].progress.next = self.progress[i].val();
            self.landings[i].mark.next = self
                .head_marks
                .val()
                .get_bits::<16>(self.places[i].val().index());
            if !self.landings[i].landed.val() {
                self.landed.next = false;
            }
        }
        for i in 0..N {
            self.landings[i].look.next = self.waiting.pop_valid.val();
            self.landings[i].next_mark.next = self.landed.val();
        }
        self.waiting.push.next.whole = self.whole.val();
        self.waiting.push.next.marks = self.marks.val();
        self.waiting.push_valid.next = self.whole_valid.val() & self.whole.val().took;
        self.waiting.pop_ready.next = self.landed.val();
        self.written.push.next = self.waiting.pop.val().whole;
        self.written.push_valid.next = self.landed.val();

        self.out.next.connection = self.written.pop.val().stream >> self.stream_bits.val();
        self.out.next.stream = self.written.pop.val().stream & self.stream_mask.val();
        self.out.next.message = self.written.pop.val().message;
        self.out.next.length = self.written.pop.val().length;
        self.out.next.has_immediate = self.written.pop.val().has_immediate;
        self.out.next.immediate = self.written.pop.val().immediate;
        self.out.next.wr_id = self.written.pop.val().wr_id;
        self.out.next.bad = false;
        self.out_valid.next = self.written.pop_valid.val();
        self.written.pop_ready.next = self.out_ready.val();
        if self.reset.val() {
            for i in 0..N {
                self.counts[i].d.next = 0.into();
            }
        }
    }
}
