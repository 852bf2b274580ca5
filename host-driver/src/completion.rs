//! How messages end.
use metaroce_protocol::CompletionStatus;

use crate::device::Shared;
use crate::error::DeviceError;

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

/// Completions of all connections of a device, in the order of posting (ibv_cq).
pub struct CompletionQueue {
    device: Shared,
}

impl CompletionQueue {
    pub(crate) fn new(device: Shared) -> Self {
        Self { device }
    }

    /// The next completion, if there is one (ibv_poll_cq).
    pub fn poll(&self) -> Result<Option<WorkCompletion>, DeviceError> {
        let mut device = self.device.borrow_mut();
        let device = &mut *device;
        let cqe = device.queues.poll(&mut *device.backend)?;
        Ok(cqe.map(|cqe| WorkCompletion {
            wr_id: cqe.wr_id,
            connection: cqe.connection.into(),
            status: cqe.status,
            length: cqe.length,
        }))
    }

    /// Waits for the next completion, so many rounds at most.
    pub fn wait(&self, rounds: u64) -> Result<WorkCompletion, DeviceError> {
        for _ in 0..rounds {
            if let Some(completion) = self.poll()? {
                return Ok(completion);
            }
            self.device.borrow_mut().backend.advance()?;
        }
        Err(DeviceError::TimedOut { rounds })
    }
}
