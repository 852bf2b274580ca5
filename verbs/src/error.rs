//! What can go wrong between an application and any device.
use metaroce_protocol::{CompletionStatus, OutOfRange};
use thiserror::Error;

/// A call failed. Nothing was posted and nothing was registered by it.
#[derive(Debug, Error)]
pub enum VerbsError {
    /// The device lacks this verb.
    #[error("this device has no `{verb}`; it has {offered}")]
    Unsupported {
        /// The verb.
        verb: &'static str,
        /// The verbs that it has.
        offered: String,
    },
    /// An argument can't be.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// A local range leaves its region.
    #[error("bytes {start}..{end} are not in a region of {length} bytes")]
    OutsideRegion {
        /// First byte.
        start: u64,
        /// After the last byte.
        end: u64,
        /// The region's length.
        length: u64,
    },
    /// A region of another device was named.
    #[error("the memory region belongs to another device")]
    ForeignRegion,
    /// All of something are in use.
    #[error("no {what} left: the device has {limit}")]
    Exhausted {
        /// Connections, regions, queue entries.
        what: &'static str,
        /// How many there are.
        limit: u64,
    },
    /// Own and peer's addresses do not fit together.
    #[error("addresses: needed {needed}, found {found}")]
    Addresses {
        /// What would fit.
        needed: String,
        /// What was given.
        found: String,
    },
    /// The connection has no peer yet, or already one.
    #[error("the connection is {found}, it must be {needed}")]
    State {
        /// State that the call needs.
        needed: &'static str,
        /// State it is in.
        found: &'static str,
    },
    /// A message did not end well.
    #[error("message {wr_id} ended with `{}`{}", .status.name(), hint(*.status))]
    Work {
        /// The application's name for it.
        wr_id: u64,
        /// How it ended.
        status: CompletionStatus,
    },
    /// No completion came.
    #[error("no completion within {seconds} s")]
    TimedOut {
        /// Seconds waited.
        seconds: u64,
    },
    /// The device's own trouble.
    #[error(transparent)]
    Provider(Box<dyn std::error::Error + Send + Sync>),
}

impl VerbsError {
    /// Wraps a device's own error.
    pub fn provider(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Provider(Box::new(error))
    }
}

fn hint(status: CompletionStatus) -> &'static str {
    match status {
        CompletionStatus::RetryExceeded => ": the peer answers no more, or nothing reaches it",
        CompletionStatus::ReceiverNotReady => ": the peer posted no buffer in time",
        _ => "",
    }
}
