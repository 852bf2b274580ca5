//! Buffers that are posted on streams, until messages take them.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::message_part::{MessagePart, PostedBuffer, ReceivePost, StreamCommit, StreamProgress};
use crate::prim::{Dff, RamSdp};

/// What a post is about.
#[derive(Copy, Clone, PartialEq, Debug, LogicState)]
enum Post {
    Idle,
    Read,
    Look,
}

/// A ring of 2^PA buffers for each of 2^TA streams; `BA` = TA + PA.
///
/// In cycle t: `part`. In t + 1: `past` (number of the next buffer that will be posted), `buffer` (the part's).
/// In: `post`, `post_valid`, held until `post_ready`, which comes with its commit, three cycles later at the earliest and not
/// while its stream is full; `hold`: none begins. `progress` of the stream `progress_stream`, whenever it moves (`progress_valid`); `clear`: the stream
/// `clear_stream` has none. Out: `posted`, the commit; `post_place` of it; `vanished`, buffers that a `clear` two cycles before took away; `busy`.
#[derive(LogicBlock)]
pub struct PostedBuffers<const TA: usize, const PA: usize, const BA: usize> {
    pub clock: Signal<In, Clock>,
    pub reset: Signal<In, Bit>,
    pub part: Signal<In, MessagePart>,
    pub past: Signal<Out, Bits<32>>,
    pub buffer: Signal<Out, PostedBuffer>,
    pub post: Signal<In, ReceivePost>,
    pub post_valid: Signal<In, Bit>,
    pub post_ready: Signal<Out, Bit>,
    pub hold: Signal<In, Bit>,
    pub progress_valid: Signal<In, Bit>,
    pub progress_stream: Signal<In, Bits<TA>>,
    pub progress: Signal<In, StreamProgress>,
    pub clear: Signal<In, Bit>,
    pub clear_stream: Signal<In, Bits<TA>>,
    pub posted: Signal<Out, StreamCommit>,
    pub vanished: Signal<Out, Bits<16>>,
    pub post_place: Signal<Out, Bits<BA>>,
    pub busy: Signal<Out, Bit>,
    step: Dff<Post>,
    ends: RamSdp<Bits<32>, TA>,
    buffers: RamSdp<PostedBuffer, BA>,
    // What a post looks at.
    own_ends: RamSdp<Bits<32>, TA>,
    own_firsts: RamSdp<Bits<32>, TA>,
    own_end: Dff<Bits<32>>,
    own_first: Dff<Bits<32>>,
    cleared: Dff<Bit>,
    was_cleared: Dff<Bit>,
    count: Signal<Local, Bits<32>>,
    room: Signal<Local, Bit>,
    commit: Signal<Local, Bit>,
    stream_bits: Constant<Bits<5>>,
    depth: Constant<Bits<32>>,
}

impl<const TA: usize, const PA: usize, const BA: usize> Default for PostedBuffers<TA, PA, BA> {
    fn default() -> Self {
        assert!(
            BA == TA + PA && TA <= 16 && (1..=8).contains(&PA),
            "a buffer's place is its stream and its number's low bits"
        );
        Self {
            clock: Default::default(),
            reset: Default::default(),
            part: Default::default(),
            past: Default::default(),
            buffer: Default::default(),
            post: Default::default(),
            post_valid: Default::default(),
            post_ready: Default::default(),
            hold: Default::default(),
            progress_valid: Default::default(),
            progress_stream: Default::default(),
            progress: Default::default(),
            clear: Default::default(),
            clear_stream: Default::default(),
            posted: Default::default(),
            vanished: Default::default(),
            post_place: Default::default(),
            busy: Default::default(),
            step: Default::default(),
            ends: Default::default(),
            buffers: Default::default(),
            own_ends: Default::default(),
            own_firsts: Default::default(),
            own_end: Default::default(),
            own_first: Default::default(),
            cleared: Default::default(),
            was_cleared: Default::default(),
            count: Default::default(),
            room: Default::default(),
            commit: Default::default(),
            stream_bits: Constant::new((PA as LiteralType).into()),
            depth: Constant::new((1 << PA as LiteralType).into()),
        }
    }
}

impl<const TA: usize, const PA: usize, const BA: usize> Logic for PostedBuffers<TA, PA, BA> {
    #[hdl_gen]
    fn update(&mut self) {
        dff_setup!(self, clock, step, own_end, own_first, cleared, was_cleared);
        clock!(self, clock, ends, buffers, own_ends, own_firsts);

        // A packet.
        self.ends.read_address.next = bit_cast::<TA, 16>(self.part.val().stream);
        self.past.next = self.ends.read_data.val();
        self.buffers.read_address.next = (bit_cast::<BA, 16>(self.part.val().stream)
            << self.stream_bits.val())
            | bit_cast::<BA, PA>(bit_cast::<PA, 32>(self.part.val().receive));
        self.buffer.next = self.buffers.read_data.val();

        // A post: its stream's ring is read, then written if it has room.
        self.own_ends.read_address.next = bit_cast::<TA, 16>(self.post.val().stream);
        self.own_firsts.read_address.next = bit_cast::<TA, 16>(self.post.val().stream);
        if self.clear.val() {
            self.own_ends.read_address.next = self.clear_stream.val();
            self.own_firsts.read_address.next = self.clear_stream.val();
        }
        self.own_end.d.next = self.own_ends.read_data.val();
        self.own_first.d.next = self.own_firsts.read_data.val();
        self.count.next = self.own_end.q.val() - self.own_first.q.val();
        self.room.next = self.count.val() < self.depth.val();
        self.commit.next = false;
        self.busy.next = true;
        match self.step.q.val() {
            Post::Idle => {
                self.busy.next = false;
                if self.post_valid.val() & !self.hold.val() {
                    self.step.d.next = Post::Read;
                }
            }
            Post::Read => {
                self.step.d.next = Post::Look;
            }
            Post::Look => {
                self.step.d.next = Post::Idle;
                self.commit.next = self.room.val();
            }
        }
        self.post_ready.next = self.commit.val();
        self.posted.next.valid = self.commit.val();
        self.posted.next.stream = self.post.val().stream;
        self.post_place.next = (bit_cast::<BA, 16>(self.post.val().stream)
            << self.stream_bits.val())
            | bit_cast::<BA, PA>(bit_cast::<PA, 32>(self.own_end.q.val()));
        self.buffers.write_address.next = self.post_place.val();
        self.buffers.write_data.next.address = self.post.val().address;
        self.buffers.write_data.next.length = self.post.val().length;
        self.buffers.write_enable.next = self.commit.val();

        self.ends.write_address.next = bit_cast::<TA, 16>(self.post.val().stream);
        self.ends.write_data.next = self.own_end.q.val() + 1;
        self.ends.write_enable.next = self.commit.val();
        self.own_firsts.write_address.next = self.progress_stream.val();
        self.own_firsts.write_data.next = self.progress.val().first;
        self.own_firsts.write_enable.next = self.progress_valid.val();
        if self.clear.val() {
            self.ends.write_address.next = self.clear_stream.val();
            self.ends.write_data.next = 0.into();
            self.ends.write_enable.next = true;
            self.own_firsts.write_address.next = self.clear_stream.val();
            self.own_firsts.write_data.next = 0.into();
            self.own_firsts.write_enable.next = true;
        }
        // RAM gives what was there before the cycle: of a stream that is cleared again, nothing.
        self.cleared.d.next = self.clear.val();
        self.was_cleared.d.next = self.cleared.q.val();
        self.vanished.next = 0.into();
        if self.was_cleared.q.val() {
            self.vanished.next = bit_cast::<16, 32>(self.count.val());
        }
        self.own_ends.write_address.next = self.ends.write_address.val();
        self.own_ends.write_data.next = self.ends.write_data.val();
        self.own_ends.write_enable.next = self.ends.write_enable.val();
        if self.reset.val() {
            self.step.d.next = Post::Idle;
            self.cleared.d.next = false;
            self.was_cleared.d.next = false;
        }
    }
}
