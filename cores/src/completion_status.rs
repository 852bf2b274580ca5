//! How a message ended (docs/protocol.md, "Completion").
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;

use crate::counts::ConnectionFailure;
use crate::generated::constants;
use crate::wqe_fetch::Work;

/// Whether the oldest message ends, and how. No cycle.
///
/// In: `work`, `done` (every packet is delivered), `failure` of its connection. Out: `ended`, `status`. A bad request ends at
/// once; a message delivered as a whole succeeds, whatever became of its connection.
#[derive(LogicBlock)]
pub struct CompletionStatus {
    pub work: Signal<In, Work>,
    pub done: Signal<In, Bit>,
    pub failure: Signal<In, ConnectionFailure>,
    pub ended: Signal<Out, Bit>,
    pub status: Signal<Out, Bits<8>>,
    success: Constant<Bits<8>>,
    bad_request: Constant<Bits<8>>,
    retry_exceeded: Constant<Bits<8>>,
    flushed: Constant<Bits<8>>,
}

impl Default for CompletionStatus {
    fn default() -> Self {
        Self {
            work: Default::default(),
            done: Default::default(),
            failure: Default::default(),
            ended: Default::default(),
            status: Default::default(),
            success: Constant::new(constants::STATUS_SUCCESS.into()),
            bad_request: Constant::new(constants::STATUS_BAD_REQUEST.into()),
            retry_exceeded: Constant::new(constants::STATUS_RETRY_EXCEEDED.into()),
            flushed: Constant::new(constants::STATUS_FLUSHED.into()),
        }
    }
}

impl Logic for CompletionStatus {
    #[hdl_gen]
    fn update(&mut self) {
        self.ended.next = self.work.val().bad | self.done.val() | self.failure.val().failed;
        self.status.next = self.flushed.val();
        if self.work.val().bad {
            self.status.next = self.bad_request.val();
        } else if self.done.val() {
            self.status.next = self.success.val();
        } else if (self.failure.val().status == self.retry_exceeded.val())
            | ((self.failure.val().refused_stream == self.work.val().stream)
                & (self.failure.val().refused_message == self.work.val().message))
        {
            self.status.next = self.failure.val().status;
        }
    }
}
