//! Messages at their receiver: which packet may be accepted, and when a message is whole.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::forwarded_table::ForwardedTable;
use crate::message_part::{
    AskedRead, MessageEntry, MessagePart, MessageVerdict, PostedBuffer, ReadAsk, ReceivePost,
    StreamCommit, StreamProgress, Taker, WholeMessage,
};
use crate::message_retire::MessageRetire;
use crate::posted_buffers::PostedBuffers;
use crate::prim::{Dff, RamSdp};
use crate::told_later::ToldLater;

/// `tracker::Stream` of the model for 2^TA streams, a packet a cycle, also back to back on one message.
///
/// `MA`, `PA`: log2 of a stream's messages in flight and posted buffers; `EA` = TA + MA, `BA` = TA + PA.
///
/// In cycle t: `part`. In t + 3: `refused` (it must not be accepted; the only output that hangs on an input, `accepted`). In t + 4, the commit: `accepted` comes in
/// (never of a refused one, false where there was no packet) with `ask`; `verdict` is there. A packet reads four cycles before its commit what posts and
/// ends of messages change: so `posted` and `retired` are said four cycles after they are written, in their order with commits.
/// `whole` with `whole_valid`, taken at once: a message ended, and `asked` with `asked_valid` if it is a Read; posts like `PostedBuffers`. `start`, while not `busy` and no packet is inside:
/// the streams of connection `start_connection` start anew, as all do after `reset`; `loading`, and `busy`, until they have. `vanished`: so many of their buffers, that no message took, are gone.
/// `backlog`: ends of messages wait; close the door, for a peer that hears of the delivery may send a message that finds no place.
#[derive(LogicBlock)]
pub struct MessageTracker<
    const CA: usize,
    const TA: usize,
    const MA: usize,
    const PA: usize,
    const EA: usize,
    const BA: usize,
> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub part: Signal<In, MessagePart>,
    pub refused: Signal<Out, Bit>,
    pub accepted: Signal<In, Bit>,
    pub ask: Signal<In, ReadAsk>,
    pub verdict: Signal<Out, MessageVerdict>,
    pub post: Signal<In, ReceivePost>,
    pub post_valid: Signal<In, Bit>,
    pub post_ready: Signal<Out, Bit>,
    pub hold: Signal<In, Bit>,
    pub posted: Signal<Out, StreamCommit>,
    pub whole: Signal<Out, WholeMessage>,
    pub whole_valid: Signal<Out, Bit>,
    pub asked: Signal<Out, AskedRead>,
    pub asked_valid: Signal<Out, Bit>,
    pub vanished: Signal<Out, Bits<16>>,
    pub retired: Signal<Out, StreamCommit>,
    pub start: Signal<In, Bit>,
    pub start_connection: Signal<In, Bits<CA>>,
    pub loading: Signal<Out, Bit>,
    pub backlog: Signal<Out, Bit>,
    pub busy: Signal<Out, Bit>,
    // What moves from cycle to cycle; index i is t + 1 + i.
    parts: [Dff<MessagePart>; 4],
    // t, t + 1
    rows: RamSdp<StreamProgress, TA>,
    buffers: PostedBuffers<TA, PA, BA>,
    entries: ForwardedTable<MessageEntry, EA>,
    takers: ForwardedTable<Taker, EA>,
    entry1: Signal<Local, Bits<EA>>,
    taker1: Signal<Local, Bits<EA>>,
    // t + 2
    entry2: Dff<Bits<EA>>,
    taker2: Dff<Bits<EA>>,
    row2: Dff<StreamProgress>,
    end2: Dff<Bits<32>>,
    buffer2: Dff<PostedBuffer>,
    past2: Dff<Bits<33>>,
    same_entry2: Dff<Bit>,
    same_taker2: Dff<Bit>,
    same_claims2: Dff<Bit>,
    // t + 3
    entry3: Dff<Bits<EA>>,
    taker3: Dff<Bits<EA>>,
    ahead3: Dff<Bits<16>>,
    place3: Dff<Bits<32>>,
    count3: Dff<Bits<16>>,
    past3: Dff<Bit>,
    short3: Dff<Bit>,
    address3: Dff<Bits<64>>,
    same_entry3: Dff<Bit>,
    same_taker3: Dff<Bit>,
    same_claims3: Dff<Bit>,
    there: Signal<Local, Bit>,
    taken: Signal<Local, Bit>,
    follows: Signal<Local, Bit>,
    limits: Signal<Local, Bit>,
    unposted: Signal<Local, Bit>,
    against_entry: Signal<Local, Bit>,
    against_last: Signal<Local, Bit>,
    message: Signal<Local, Bit>,
    another: Signal<Local, Bit>,
    from_entry: Signal<Local, Bits<32>>,
    // t + 4
    entry4: Dff<Bits<EA>>,
    taker4: Dff<Bits<EA>>,
    left4: Dff<Bits<32>>,
    first4: Dff<Bit>,
    invalid4: Dff<Bit>,
    unposted4: Dff<Bit>,
    short4: Dff<Bit>,
    address4: Dff<Bits<64>>,
    retire: MessageRetire<TA, MA, PA, EA, BA>,
    // What is said later.
    posts: ToldLater,
    ends: ToldLater,
    // A connection begins.
    filling: Dff<Bit>,
    /// All of them, after a reset.
    everything: Dff<Bit>,
    fill: Dff<Bits<EA>>,
    fill_last: Signal<Local, Bit>,
    message_bits: Constant<Bits<5>>,
    connection_bits: Constant<Bits<5>>,
    fill_mask: Constant<Bits<EA>>,
    lap: Constant<Bits<32>>,
    outside: Constant<Bits<32>>,
}

impl<
    const CA: usize,
    const TA: usize,
    const MA: usize,
    const PA: usize,
    const EA: usize,
    const BA: usize,
> Default for MessageTracker<CA, TA, MA, PA, EA, BA>
{
    fn default() -> Self {
        assert!(
            EA == TA + MA && CA <= TA && EA <= 16 && MA <= PA && MA <= 8,
            "a message's place is its stream and its number's low bits; each may take a buffer"
        );
        let entries_log2 = EA - CA;
        Self {
            clock: Default::default(),
            reset: Default::default(),
            part: Default::default(),
            refused: Default::default(),
            accepted: Default::default(),
            ask: Default::default(),
            verdict: Default::default(),
            post: Default::default(),
            post_valid: Default::default(),
            post_ready: Default::default(),
            hold: Default::default(),
            posted: Default::default(),
            whole: Default::default(),
            whole_valid: Default::default(),
            asked: Default::default(),
            asked_valid: Default::default(),
            vanished: Default::default(),
            retired: Default::default(),
            start: Default::default(),
            start_connection: Default::default(),
            loading: Default::default(),
            backlog: Default::default(),
            busy: Default::default(),
            parts: std::array::from_fn(|_| Default::default()),
            rows: Default::default(),
            buffers: Default::default(),
            entries: Default::default(),
            takers: Default::default(),
            entry1: Default::default(),
            taker1: Default::default(),
            entry2: Default::default(),
            taker2: Default::default(),
            row2: Default::default(),
            end2: Default::default(),
            buffer2: Default::default(),
            past2: Default::default(),
            same_entry2: Default::default(),
            same_taker2: Default::default(),
            same_claims2: Default::default(),
            entry3: Default::default(),
            taker3: Default::default(),
            ahead3: Default::default(),
            place3: Default::default(),
            count3: Default::default(),
            past3: Default::default(),
            short3: Default::default(),
            address3: Default::default(),
            same_entry3: Default::default(),
            same_taker3: Default::default(),
            same_claims3: Default::default(),
            there: Default::default(),
            taken: Default::default(),
            follows: Default::default(),
            limits: Default::default(),
            unposted: Default::default(),
            against_entry: Default::default(),
            against_last: Default::default(),
            message: Default::default(),
            another: Default::default(),
            from_entry: Default::default(),
            entry4: Default::default(),
            taker4: Default::default(),
            left4: Default::default(),
            first4: Default::default(),
            invalid4: Default::default(),
            unposted4: Default::default(),
            short4: Default::default(),
            address4: Default::default(),
            retire: Default::default(),
            posts: Default::default(),
            ends: Default::default(),
            filling: Default::default(),
            everything: Default::default(),
            fill: Default::default(),
            fill_last: Default::default(),
            message_bits: Constant::new((MA as LiteralType).into()),
            connection_bits: Constant::new((entries_log2 as LiteralType).into()),
            fill_mask: Constant::new(((1 << entries_log2 as LiteralType) - 1).into()),
            lap: Constant::new((1 << MA as LiteralType).into()),
            outside: Constant::new((0x1_0000_0000 - (1 << MA as LiteralType)).into()),
        }
    }
}

impl<
    const CA: usize,
    const TA: usize,
    const MA: usize,
    const PA: usize,
    const EA: usize,
    const BA: usize,
> Logic for MessageTracker<CA, TA, MA, PA, EA, BA>
{
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(
            self,
            clock,
            entry2,
            taker2,
            row2,
            end2,
            buffer2,
            past2,
            same_entry2,
            same_taker2,
            same_claims2
        );
        dff_setup!(
            self,
            clock,
            entry3,
            taker3,
            ahead3,
            place3,
            count3,
            past3,
            short3,
            address3,
            same_entry3,
            same_taker3,
            same_claims3
        );
        dff_setup!(
            self, clock, entry4, taker4, left4, first4, invalid4, unposted4, short4, address4,
            filling, everything, fill
        );
        clock!(
            self, clock, rows, buffers, entries, takers, retire, posts, ends
        );
        self.buffers.reset.next = self.reset.val();
        self.retire.reset.next = self.reset.val();
        self.posts.reset.next = self.reset.val();
        self.ends.reset.next = self.reset.val();

        // t: addresses of what no packet changes.
        self.rows.read_address.next = bit_cast::<TA, 16>(self.part.val().stream);
        self.buffers.part.next = self.part.val();
        self.parts[0].d.next = self.part.val();
        for i in 0..4 {
            self.parts[i].clock.next = self.clock.val();
        }
        for i in 1..4 {
            self.parts[i].d.next = self.parts[i - 1].q.val();
        }

        // t + 1: its words, and addresses of what packets change. Does it meet the packet before it?
        self.row2.d.next = self.rows.read_data.val();
        self.end2.d.next = self.buffers.past.val();
        self.buffer2.d.next = self.buffers.buffer.val();
        self.entry1.next = (bit_cast::<EA, 16>(self.parts[0].q.val().stream)
            << self.message_bits.val())
            | bit_cast::<EA, MA>(bit_cast::<MA, 16>(self.parts[0].q.val().message));
        self.taker1.next = (bit_cast::<EA, 16>(self.parts[0].q.val().stream)
            << self.message_bits.val())
            | bit_cast::<EA, MA>(bit_cast::<MA, 32>(self.parts[0].q.val().receive));
        self.entries.read_address.next = self.entry1.val();
        self.takers.read_address.next = self.taker1.val();
        self.entry2.d.next = self.entry1.val();
        self.taker2.d.next = self.taker1.val();
        self.past2.d.next = bit_cast::<33, 32>(self.parts[0].q.val().offset)
            + bit_cast::<33, 16>(self.parts[0].q.val().payload);
        self.same_entry2.d.next = self.entry1.val() == self.entry2.q.val();
        self.same_taker2.d.next =
            (self.taker1.val() == self.taker2.q.val()) & self.parts[1].q.val().takes;
        self.same_claims2.d.next = (self.parts[0].q.val().length == self.parts[1].q.val().length)
            & (self.parts[0].q.val().receive == self.parts[1].q.val().receive)
            & (self.parts[0].q.val().takes == self.parts[1].q.val().takes);

        // t + 2: where it stands.
        self.entry3.d.next = self.entry2.q.val();
        self.taker3.d.next = self.taker2.q.val();
        self.same_entry3.d.next = self.same_entry2.q.val();
        self.same_taker3.d.next = self.same_taker2.q.val();
        self.same_claims3.d.next = self.same_claims2.q.val();
        self.ahead3.d.next = self.parts[1].q.val().message - self.row2.q.val().message;
        self.place3.d.next = self.parts[1].q.val().receive - self.row2.q.val().first;
        self.count3.d.next = bit_cast::<16, 32>(self.end2.q.val() - self.row2.q.val().first);
        self.past3.d.next = self.past2.q.val() > bit_cast::<33, 32>(self.parts[1].q.val().length);
        self.short3.d.next = self.parts[1].q.val().into_buffer
            & (self.parts[1].q.val().length > self.buffer2.q.val().length);
        self.address3.d.next =
            self.buffer2.q.val().address + bit_cast::<64, 32>(self.parts[1].q.val().offset);

        // t + 3: against its message and its buffer, as the commit of this cycle leaves them. Both cases at once.
        self.limits.next = self.parts[2].q.val().beyond
            | self.past3.q.val()
            | (bit_cast::<32, 16>(self.ahead3.q.val()) & self.outside.val()).any()
            | (self.parts[2].q.val().takes
                & ((self.place3.q.val() & self.outside.val()).any()
                    | (bit_cast::<MA, 32>(self.place3.q.val())
                        > bit_cast::<MA, 16>(self.ahead3.q.val()))));
        self.unposted.next = self.parts[2].q.val().takes
            & (bit_cast::<16, 32>(self.place3.q.val()) >= self.count3.q.val());
        self.follows.next = self.same_entry3.q.val() & self.accepted.val();
        self.there.next = self.entries.read_data.val().lap
            ^ (bit_cast::<32, 16>(self.parts[2].q.val().message) & self.lap.val()).any();
        self.against_entry.next = self.there.val()
            & (self.entries.read_data.val().whole
                | (self.entries.read_data.val().left
                    < bit_cast::<32, 16>(self.parts[2].q.val().payload))
                | (self.entries.read_data.val().length != self.parts[2].q.val().length)
                | (self.entries.read_data.val().receive != self.parts[2].q.val().receive)
                | (self.entries.read_data.val().takes ^ self.parts[2].q.val().takes));
        self.against_last.next = !self.same_claims3.q.val()
            | !self.left4.q.val().any()
            | (self.left4.q.val() < bit_cast::<32, 16>(self.parts[2].q.val().payload));
        self.message.next = self.against_entry.val();
        if self.follows.val() {
            self.message.next = self.against_last.val();
        }
        self.taken.next = self.takers.read_data.val().lap
            ^ (self.parts[2].q.val().receive & self.lap.val()).any();
        self.another.next = self.taken.val()
            & (bit_cast::<MA, 8>(self.takers.read_data.val().message)
                != bit_cast::<MA, 16>(self.parts[2].q.val().message));
        if self.same_taker3.q.val() & self.accepted.val() {
            self.another.next = !self.same_entry3.q.val();
        }
        self.refused.next = self.limits.val()
            | self.message.val()
            | self.unposted.val()
            | self.short3.q.val()
            | (self.parts[2].q.val().takes & self.another.val());
        self.invalid4.d.next = self.limits.val()
            | self.message.val()
            | (self.parts[2].q.val().takes & self.another.val());
        self.unposted4.d.next = self.unposted.val();
        self.short4.d.next = self.short3.q.val();
        self.address4.d.next = self.address3.q.val();
        self.from_entry.next = self.parts[2].q.val().length;
        if self.there.val() {
            self.from_entry.next = self.entries.read_data.val().left;
        }
        self.left4.d.next =
            self.from_entry.val() - bit_cast::<32, 16>(self.parts[2].q.val().payload);
        self.first4.d.next = !self.there.val();
        if self.follows.val() {
            self.left4.d.next =
                self.left4.q.val() - bit_cast::<32, 16>(self.parts[2].q.val().payload);
            self.first4.d.next = false;
        }
        self.entry4.d.next = self.entry3.q.val();
        self.taker4.d.next = self.taker3.q.val();

        // t + 4: the commit.
        self.verdict.next.invalid = self.invalid4.q.val();
        self.verdict.next.not_ready = self.unposted4.q.val();
        self.verdict.next.too_long = self.short4.q.val();
        self.verdict.next.address = self.address4.q.val();
        self.entries.write_enable.next = self.accepted.val();
        self.entries.write_address.next = self.entry4.q.val();
        self.entries.write_data.next.lap =
            !(bit_cast::<32, 16>(self.parts[3].q.val().message) & self.lap.val()).any();
        self.entries.write_data.next.whole = !self.left4.q.val().any();
        self.entries.write_data.next.takes = self.parts[3].q.val().takes;
        self.entries.write_data.next.receive = self.parts[3].q.val().receive;
        self.entries.write_data.next.length = self.parts[3].q.val().length;
        self.entries.write_data.next.left = self.left4.q.val();
        self.takers.write_enable.next = self.accepted.val() & self.parts[3].q.val().takes;
        self.takers.write_address.next = self.taker4.q.val();
        self.takers.write_data.next.lap = !(self.parts[3].q.val().receive & self.lap.val()).any();
        self.takers.write_data.next.message =
            bit_cast::<8, MA>(bit_cast::<MA, 16>(self.parts[3].q.val().message));
        self.retire.ask.next = self.accepted.val() & !self.left4.q.val().any();
        self.retire.ask_stream.next = bit_cast::<TA, 16>(self.parts[3].q.val().stream);
        self.retire.immediate_enable.next = self.accepted.val() & self.first4.q.val();
        self.retire.immediate.next.valid = self.parts[3].q.val().has_immediate;
        self.retire.immediate.next.value = self.parts[3].q.val().immediate;
        self.retire.ask_read.next = self.ask.val();

        // Messages end, buffers are posted; both are said later.
        self.rows.write_enable.next = self.retire.progress_valid.val();
        self.rows.write_address.next = self.retire.progress_stream.val();
        self.rows.write_data.next = self.retire.progress.val();
        self.whole.next = self.retire.whole.val();
        self.whole_valid.next = self.retire.whole_valid.val();
        self.asked.next = self.retire.read.val();
        self.asked_valid.next = self.retire.read_valid.val();
        self.vanished.next = self.buffers.vanished.val();
        self.retire.wr_id_enable.next = self.buffers.posted.val().valid;
        self.retire.wr_id_address.next = self.buffers.post_place.val();
        self.retire.wr_id.next = self.post.val().wr_id;
        self.buffers.progress_valid.next = self.retire.progress_valid.val();
        self.buffers.progress_stream.next = self.retire.progress_stream.val();
        self.buffers.progress.next = self.retire.progress.val();
        self.buffers.post.next = self.post.val();
        self.buffers.post_valid.next = self.post_valid.val();
        self.buffers.hold.next = self.hold.val() | self.start.val() | self.filling.q.val();
        self.post_ready.next = self.buffers.post_ready.val();
        self.posts.done.next = self.buffers.posted.val();
        self.ends.done.next.valid = self.retire.progress_valid.val();
        self.ends.done.next.stream = bit_cast::<16, TA>(self.retire.progress_stream.val());
        self.posted.next = self.posts.told.val();
        self.retired.next = self.ends.told.val();
        self.backlog.next = self.retire.waits.val();
        self.loading.next = self.filling.q.val();
        self.busy.next = self.retire.busy.val()
            | self.buffers.busy.val()
            | self.filling.q.val()
            | self.posts.busy.val()
            | self.ends.busy.val();

        // A connection begins: its messages one a cycle, its streams with them.
        self.fill_last.next = (self.fill.q.val() & self.fill_mask.val()) == self.fill_mask.val();
        if self.everything.q.val() {
            self.fill_last.next = self.fill.q.val().all();
        }
        self.buffers.clear.next = self.filling.q.val();
        self.buffers.clear_stream.next =
            bit_cast::<TA, EA>(self.fill.q.val() >> self.message_bits.val());
        self.retire.clear.next = self.filling.q.val();
        self.retire.clear_stream.next = self.buffers.clear_stream.val();
        if self.filling.q.val() {
            self.fill.d.next = self.fill.q.val() + 1;
            self.filling.d.next = !self.fill_last.val();
            self.everything.d.next = self.everything.q.val() & !self.fill_last.val();
            self.rows.write_enable.next = true;
            self.rows.write_address.next = self.buffers.clear_stream.val();
            self.rows.write_data.next.message = 0.into();
            self.rows.write_data.next.first = 0.into();
            self.entries.write_enable.next = true;
            self.entries.write_address.next = self.fill.q.val();
            self.entries.write_data.next.lap = false;
            self.takers.write_enable.next = true;
            self.takers.write_address.next = self.fill.q.val();
            self.takers.write_data.next.lap = false;
        }
        // After a reset every entry of the connections' table is cleared: that is done here already.
        if self.start.val() & !self.everything.q.val() {
            self.filling.d.next = true;
            self.fill.d.next =
                bit_cast::<EA, CA>(self.start_connection.val()) << self.connection_bits.val();
        }
        self.retire.entry_enable.next = self.entries.write_enable.val();
        self.retire.entry_address.next = self.entries.write_address.val();
        self.retire.entry.next = self.entries.write_data.val();
        if self.reset.val() {
            self.filling.d.next = true;
            self.everything.d.next = true;
            self.fill.d.next = 0.into();
        }
    }
}
