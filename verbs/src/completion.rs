//! How messages end.
use std::time::{Duration, Instant};

use metaroce_protocol::CompletionStatus;

use crate::device::Shared;
use crate::error::VerbsError;

/// Whose end a completion tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed {
    /// A message that was posted here.
    Request,
    /// A posted buffer: a message of the peer took it.
    Receive,
}

/// One message's end (ibv_wc).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkCompletion {
    /// The application's name for the request, or for the buffer.
    pub wr_id: u64,
    /// Which of the two it was.
    pub completed: Completed,
    /// Connection index.
    pub connection: u32,
    /// Success, or why not.
    pub status: CompletionStatus,
    /// Bytes of the message.
    pub length: u32,
    /// What the peer handed over with it.
    pub immediate: Option<u32>,
}

impl WorkCompletion {
    /// An error unless it is a success.
    pub fn check(&self) -> Result<(), VerbsError> {
        match self.status {
            CompletionStatus::Success => Ok(()),
            status => Err(VerbsError::Work {
                wr_id: self.wr_id,
                status,
            }),
        }
    }
}

/// Completions of all connections of a device, in the order of posting in each stream (ibv_cq).
pub struct CompletionQueue {
    device: Shared,
}

impl CompletionQueue {
    pub(crate) fn new(device: Shared) -> Self {
        Self { device }
    }

    /// The next completion, if there is one (ibv_poll_cq).
    pub fn poll(&self) -> Result<Option<WorkCompletion>, VerbsError> {
        self.device.borrow_mut().poll()
    }

    /// Waits for the next completion, so long at most.
    pub fn wait(&self, limit: Duration) -> Result<WorkCompletion, VerbsError> {
        let began = Instant::now();
        loop {
            if let Some(completion) = self.poll()? {
                return Ok(completion);
            }
            if began.elapsed() >= limit {
                return Err(VerbsError::TimedOut {
                    seconds: limit.as_secs(),
                });
            }
            self.device.borrow_mut().advance()?;
        }
    }
}
