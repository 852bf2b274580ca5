//! How messages end.
use std::time::{Duration, Instant};

use metaroce_protocol::CompletionStatus;

use crate::device::Device;
use crate::error::SoftError;

/// One message's end (ibv_wc).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkCompletion {
    /// The application's name for the work.
    pub wr_id: u64,
    /// Connection index.
    pub connection: u32,
    /// Success, or why not.
    pub status: CompletionStatus,
    /// Bytes of the message.
    pub length: u32,
}

impl WorkCompletion {
    /// An error unless it is a success.
    pub fn check(&self) -> Result<(), SoftError> {
        match self.status {
            CompletionStatus::Success => Ok(()),
            status => Err(SoftError::Work {
                wr_id: self.wr_id,
                status,
            }),
        }
    }
}

/// Completions of all connections of a device, in the order of posting in each (ibv_cq).
pub struct CompletionQueue {
    device: Device,
}

impl CompletionQueue {
    pub(crate) fn new(device: Device) -> Self {
        Self { device }
    }

    /// The next completion, if there is one (ibv_poll_cq). Lets the device work first if none is there.
    pub fn poll(&self) -> Result<Option<WorkCompletion>, SoftError> {
        let mut inner = self.device.0.borrow_mut();
        if inner.completions.is_empty() {
            inner.progress()?;
        }
        Ok(inner.completions.pop_front())
    }

    /// Waits for the next completion, so long at most.
    pub fn wait(&self, limit: Duration) -> Result<WorkCompletion, SoftError> {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(completion) = self.poll()? {
                return Ok(completion);
            }
            if Instant::now() >= deadline {
                return Err(SoftError::TimedOut {
                    seconds: limit.as_secs(),
                });
            }
            self.device.0.borrow_mut().rest()?;
        }
    }
}
