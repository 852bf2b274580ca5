//! The host's part of messages that come: the receive queue, and their completions.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use metaroce_cores::message_part::{ReceiveEnd, ReceivePost, WholeMessage};
use metaroce_cores::receive_completions::ReceiveCompletions;
use metaroce_cores::receive_fetch::ReceiveFetch;
use metaroce_cores::types::{ConfigWrite, WriteProgress};
use rust_hdl::prelude::*;

/// log2 of the buffers that are posted and without their completion, and of the places where completions wait: a block RAM is no smaller.
const POSTS_LOG2: usize = 8;
const ENDS_LOG2: usize = 9;

/// Buffers from the receive queue to their streams; messages that took one, once their bytes are in memory, and RQEs that can't be posted to the completion queue.
///
/// For `N` planes and 2^`CA` connections. In: what `ReceiveFetch` and `ReceiveCompletions` say. Out: `receive` with `receive_valid`, until `receive_ready`;
/// `refused`, the oldest RQE is told as bad in this cycle. Not of profile `Messages`: nothing ever leaves it, and synthesis removes it.
#[derive(LogicBlock)]
pub struct ReceiveHost<const N: usize, const CA: usize> {
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
    pub vanished: Signal<In, Bits<16>>,
    pub whole: Signal<In, WholeMessage>,
    pub whole_valid: Signal<In, Bit>,
    pub placed: [Signal<In, Bit>; N],
    pub progress: [Signal<In, WriteProgress>; N],
    pub receive: Signal<Out, ReceiveEnd>,
    pub receive_valid: Signal<Out, Bit>,
    pub receive_ready: Signal<In, Bit>,
    pub refused: Signal<Out, Bit>,
    fetch: ReceiveFetch<CA, POSTS_LOG2>,
    completions: ReceiveCompletions<N, ENDS_LOG2>,
    messages: Constant<Bit>,
}

impl<const N: usize, const CA: usize> ReceiveHost<N, CA> {
    /// What CAPABILITIES says of it.
    pub const POSTS_LOG2: u8 = POSTS_LOG2 as u8;

    /// `stream_bits`: log2 of a connection's streams; `messages`: it is of profile `Messages`.
    pub fn new(stream_bits: usize, messages: bool) -> Self {
        const { assert!(POSTS_LOG2 < ENDS_LOG2, "a place for each completion") };
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
            vanished: Default::default(),
            whole: Default::default(),
            whole_valid: Default::default(),
            placed: std::array::from_fn(|_| Default::default()),
            progress: std::array::from_fn(|_| Default::default()),
            receive: Default::default(),
            receive_valid: Default::default(),
            receive_ready: Default::default(),
            refused: Default::default(),
            fetch: ReceiveFetch::new(stream_bits),
            completions: ReceiveCompletions::new(stream_bits),
            messages: Constant::new(messages),
        }
    }
}

impl<const N: usize, const CA: usize> Logic for ReceiveHost<N, CA> {
    #[hdl_gen]
    fn update(&mut self) {
        clock!(self, clock, fetch, completions);
        self.fetch.reset.next = self.reset.val();
        self.completions.reset.next = self.reset.val();

        // The receive queue.
        self.fetch.enable.next = self.enable.val();
        self.fetch.base.next = self.base.val();
        self.fetch.size_log2.next = self.size_log2.val();
        self.fetch.doorbell.next = self.doorbell.val();
        self.fetch.config_write.next = self.config_write.val();
        self.fetch.hold.next = self.hold.val();
        self.araddr.next = self.fetch.araddr.val();
        self.arvalid.next = self.messages.val() & self.fetch.arvalid.val();
        self.fetch.arready.next = self.arready.val();
        self.fetch.rdata.next = self.rdata.val();
        self.fetch.rresp.next = self.rresp.val();
        self.fetch.rlast.next = self.rlast.val();
        self.fetch.rvalid.next = self.rvalid.val();
        self.rready.next = self.messages.val() & self.fetch.rready.val();
        self.post.next = self.fetch.post.val();
        self.post_valid.next = self.messages.val() & self.fetch.post_valid.val();
        self.fetch.post_ready.next = self.post_ready.val();
        self.fetch.vanished.next = self.vanished.val();

        // Messages that end.
        self.completions.whole.next = self.whole.val();
        self.completions.whole_valid.next = self.whole_valid.val();
        for i in 0..N {
            self.completions.placed[i].next = self.placed[i].val();
            self.completions.progress[i].next = self.progress[i].val();
        }

        // To the completion queue: what came first, an RQE that can't be posted when nothing else waits.
        self.completions.out_ready.next = self.receive_ready.val();
        self.fetch.freed.next = self.completions.out_valid.val() & self.receive_ready.val();
        self.fetch.bad_ready.next = !self.completions.out_valid.val() & self.receive_ready.val();
        self.receive.next = self.completions.out.val();
        if !self.completions.out_valid.val() {
            self.receive.next = self.fetch.bad.val();
        }
        self.receive_valid.next =
            self.messages.val() & (self.completions.out_valid.val() | self.fetch.bad_valid.val());
        self.refused.next =
            self.messages.val() & self.fetch.bad_valid.val() & self.fetch.bad_ready.val();
    }
}
