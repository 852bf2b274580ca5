//! The end of messages at their receiver: in order in each stream.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::message_part::{
    AskedRead, Immediate, MessageEntry, ReadAsk, StreamProgress, WholeMessage,
};
use crate::prim::{Dff, RamSdp};
use crate::resolve_queue::ResolveQueue;

/// What is done for a stream.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Retire {
    Idle,
    Read,
    Find,
    Look,
    Decide,
}

/// Ends the next message of a stream if it is whole: 6 cycles after its last packet's commit, and one every third cycle on one stream.
///
/// `TA`, `MA`, `PA`: address bits of streams, of the messages of one, of its buffers; `EA` = TA + MA, `BA` = TA + PA.
/// In: `ask`, a message of `ask_stream` is whole; what was written: `entry_enable`, `entry_address`, `entry`; `immediate_enable`,
/// `immediate` and `ask_read` at the same address; `wr_id_enable`, `wr_id_address`, `wr_id`; `clear`: stream `clear_stream` starts, and the entry
/// at `entry_address` is empty. Out: `progress_valid`, `progress_stream`, `progress` (the commit); `whole_valid`, `whole` in
/// the same cycle, taken at once, and `read_valid`, `read` if it is a Read; `waits` (streams have waited for their turn for 15 cycles), `busy`.
#[derive(LogicBlock)]
pub struct MessageRetire<
    const TA: usize,
    const MA: usize,
    const PA: usize,
    const EA: usize,
    const BA: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub ask: Signal<In, Bit>,
    pub ask_stream: Signal<In, Bits<TA>>,
    pub entry_enable: Signal<In, Bit>,
    pub entry_address: Signal<In, Bits<EA>>,
    pub entry: Signal<In, MessageEntry>,
    pub immediate_enable: Signal<In, Bit>,
    pub immediate: Signal<In, Immediate>,
    pub ask_read: Signal<In, ReadAsk>,
    pub wr_id_enable: Signal<In, Bit>,
    pub wr_id_address: Signal<In, Bits<BA>>,
    pub wr_id: Signal<In, Bits<64>>,
    pub clear: Signal<In, Bit>,
    pub clear_stream: Signal<In, Bits<TA>>,
    pub progress_valid: Signal<Out, Bit>,
    pub progress_stream: Signal<Out, Bits<TA>>,
    pub progress: Signal<Out, StreamProgress>,
    pub whole_valid: Signal<Out, Bit>,
    pub whole: Signal<Out, WholeMessage>,
    pub read_valid: Signal<Out, Bit>,
    pub read: Signal<Out, AskedRead>,
    pub waits: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    step: Dff<Retire>,
    queue: ResolveQueue<TA>,
    asked: Dff<Bit>,
    waited: Dff<Bits<4>>,
    rows: RamSdp<StreamProgress, TA>,
    entries: RamSdp<MessageEntry, EA>,
    immediates: RamSdp<Immediate, EA>,
    asks: RamSdp<ReadAsk, EA>,
    wr_ids: RamSdp<Bits<64>, BA>,
    stream: Dff<Bits<TA>>,
    row: Dff<StreamProgress>,
    found: Dff<MessageEntry>,
    found_immediate: Dff<Immediate>,
    found_ask: Dff<ReadAsk>,
    found_wr_id: Dff<Bits<64>>,
    present: Signal<Local, Bit>,
    ready: Signal<Local, Bit>,
    lap: Constant<Bits<16>>,
    message_bits: Constant<Bits<5>>,
    buffer_bits: Constant<Bits<5>>,
}

impl<const TA: usize, const MA: usize, const PA: usize, const EA: usize, const BA: usize> Default
    for MessageRetire<TA, MA, PA, EA, BA>
{
    fn default() -> Self {
        assert!(
            EA == TA + MA && BA == TA + PA,
            "places are streams and numbers' low bits"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            ask: Default::default(),
            ask_stream: Default::default(),
            entry_enable: Default::default(),
            entry_address: Default::default(),
            entry: Default::default(),
            immediate_enable: Default::default(),
            immediate: Default::default(),
            ask_read: Default::default(),
            wr_id_enable: Default::default(),
            wr_id_address: Default::default(),
            wr_id: Default::default(),
            clear: Default::default(),
            clear_stream: Default::default(),
            progress_valid: Default::default(),
            progress_stream: Default::default(),
            progress: Default::default(),
            whole_valid: Default::default(),
            whole: Default::default(),
            read_valid: Default::default(),
            read: Default::default(),
            waits: Default::default(),
            busy: Default::default(),
            step: Default::default(),
            queue: Default::default(),
            asked: Default::default(),
            waited: Default::default(),
            rows: Default::default(),
            entries: Default::default(),
            immediates: Default::default(),
            asks: Default::default(),
            wr_ids: Default::default(),
            stream: Default::default(),
            row: Default::default(),
            found: Default::default(),
            found_immediate: Default::default(),
            found_ask: Default::default(),
            found_wr_id: Default::default(),
            present: Default::default(),
            ready: Default::default(),
            lap: Constant::new((1 << MA as LiteralType).into()),
            message_bits: Constant::new((MA as LiteralType).into()),
            buffer_bits: Constant::new((PA as LiteralType).into()),
        }
    }
}

impl<const TA: usize, const MA: usize, const PA: usize, const EA: usize, const BA: usize> Logic
    for MessageRetire<TA, MA, PA, EA, BA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            step,
            asked,
            waited,
            stream,
            row,
            found,
            found_immediate,
            found_ask,
            found_wr_id
        );
        clock!(self, clock, queue, rows, entries, immediates, asks, wr_ids);
        self.queue.reset.next = self.reset.val();
        self.queue.push.next = self.ask.val();
        self.queue.path.next = self.ask_stream.val();
        self.queue.pop.next = false;
        self.asked.d.next = self.ask.val();
        // An ACK leaves 20 cycles after its packet's commit: for some cycles nobody can know what waits here.
        self.waited.d.next = 0.into();
        if self.queue.valid.val() {
            self.waited.d.next = self.waited.q.val() + 1;
            if self.waits.val() {
                self.waited.d.next = self.waited.q.val();
            }
        }
        self.waits.next = self.waited.q.val() == 15;
        self.busy.next = self.queue.busy.val() | self.queue.valid.val() | self.asked.q.val();

        // The next message of a stream, and what is kept of it.
        self.rows.read_address.next = self.queue.head.val();
        self.entries.read_address.next = (bit_cast::<EA, TA>(self.stream.q.val())
            << self.message_bits.val())
            | bit_cast::<EA, MA>(bit_cast::<MA, 16>(self.row.q.val().message));
        self.immediates.read_address.next = self.entries.read_address.val();
        self.asks.read_address.next = self.entries.read_address.val();
        self.wr_ids.read_address.next = (bit_cast::<BA, TA>(self.stream.q.val())
            << self.buffer_bits.val())
            | bit_cast::<BA, PA>(bit_cast::<PA, 32>(self.row.q.val().first));
        self.present.next =
            self.found.q.val().lap ^ (self.row.q.val().message & self.lap.val()).any();
        self.ready.next = self.present.val()
            & self.found.q.val().whole
            & (!self.found.q.val().takes | (self.found.q.val().receive == self.row.q.val().first));

        self.progress.next.message = self.row.q.val().message + 1;
        self.progress.next.first = self.row.q.val().first;
        if self.found.q.val().takes {
            self.progress.next.first = self.row.q.val().first + 1;
        }
        self.progress_valid.next = false;
        self.progress_stream.next = self.stream.q.val();
        self.whole_valid.next = false;
        self.whole.next.stream = bit_cast::<16, TA>(self.stream.q.val());
        self.whole.next.message = self.row.q.val().message;
        self.whole.next.length = self.found.q.val().length;
        self.whole.next.has_immediate = self.found_immediate.q.val().valid;
        self.whole.next.immediate = self.found_immediate.q.val().value;
        self.whole.next.took = self.found.q.val().takes;
        self.whole.next.wr_id = self.found_wr_id.q.val();
        self.read_valid.next = false;
        self.read.next.stream = bit_cast::<16, TA>(self.stream.q.val());
        self.read.next.message = self.row.q.val().message;
        self.read.next.tag = self.found_ask.q.val().tag;
        self.read.next.address = self.found_ask.q.val().address;
        self.read.next.length = self.found_ask.q.val().length;
        match self.step.q.val() {
            Retire::Idle => {
                if self.queue.valid.val() {
                    self.queue.pop.next = true;
                    self.stream.d.next = self.queue.head.val();
                    self.step.d.next = Retire::Read;
                }
            }
            Retire::Read => {
                self.busy.next = true;
                self.row.d.next = self.rows.read_data.val();
                self.step.d.next = Retire::Find;
            }
            Retire::Find => {
                self.busy.next = true;
                self.step.d.next = Retire::Look;
            }
            Retire::Look => {
                self.busy.next = true;
                self.found.d.next = self.entries.read_data.val();
                self.found_immediate.d.next = self.immediates.read_data.val();
                self.found_ask.d.next = self.asks.read_data.val();
                self.found_wr_id.d.next = self.wr_ids.read_data.val();
                self.step.d.next = Retire::Decide;
            }
            Retire::Decide => {
                self.busy.next = true;
                self.whole_valid.next = self.ready.val();
                self.read_valid.next = self.ready.val() & self.found_ask.q.val().valid;
                self.progress_valid.next = self.ready.val();
                self.row.d.next = self.progress.val();
                self.step.d.next = Retire::Idle;
                if self.ready.val() {
                    self.step.d.next = Retire::Find;
                }
            }
        }

        // What is written.
        self.rows.write_address.next = self.stream.q.val();
        self.rows.write_data.next = self.progress.val();
        self.rows.write_enable.next = self.progress_valid.val();
        self.entries.write_address.next = self.entry_address.val();
        self.entries.write_data.next = self.entry.val();
        self.entries.write_enable.next = self.entry_enable.val();
        self.immediates.write_address.next = self.entry_address.val();
        self.immediates.write_data.next = self.immediate.val();
        self.immediates.write_enable.next = self.immediate_enable.val();
        self.asks.write_address.next = self.entry_address.val();
        self.asks.write_data.next = self.ask_read.val();
        self.asks.write_enable.next = self.immediate_enable.val();
        self.wr_ids.write_address.next = self.wr_id_address.val();
        self.wr_ids.write_data.next = self.wr_id.val();
        self.wr_ids.write_enable.next = self.wr_id_enable.val();
        if self.clear.val() {
            self.rows.write_address.next = self.clear_stream.val();
            self.rows.write_data.next.message = 0.into();
            self.rows.write_data.next.first = 0.into();
            self.rows.write_enable.next = true;
        }
        if self.reset.val() {
            self.step.d.next = Retire::Idle;
            self.asked.d.next = false;
            self.waited.d.next = 0.into();
        }
    }
}
