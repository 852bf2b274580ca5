//! What can go wrong between an application, its sockets and its peer.
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use metaroce_protocol::{CompletionStatus, OutOfRange};
use thiserror::Error;

/// A call failed.
#[derive(Debug, Error)]
pub enum SoftError {
    /// Somebody else has the port.
    #[error(
        "UDP port {port} of {address} is in use: one peer at a time can have it (needed: a free port; choose another address, or end the other program)"
    )]
    PortInUse {
        /// Own address.
        address: IpAddr,
        /// The port.
        port: u16,
    },
    /// A socket can't be had.
    #[error("no socket on {address} port {port}: {cause}")]
    Socket {
        /// Own address.
        address: IpAddr,
        /// The port.
        port: u16,
        /// Why.
        cause: io::Error,
    },
    /// Sending or receiving failed for good.
    #[error("can't {what} on {address}: {cause}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// Own address.
        address: IpAddr,
        /// Why.
        cause: io::Error,
    },
    /// A datagram does not fit into a packet of the network.
    #[error(
        "a datagram of {needed} bytes exceeds the network's MTU on the way from {address}: choose a smaller payload"
    )]
    TooLong {
        /// UDP payload bytes.
        needed: usize,
        /// Own address.
        address: IpAddr,
    },
    /// An argument can't be.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// Own and peer's addresses do not fit together.
    #[error("addresses: needed {needed}, found {found}")]
    Addresses {
        /// What would fit.
        needed: String,
        /// What was given.
        found: String,
    },
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
    /// All of something are in use.
    #[error("no {what} left: the device has {limit}")]
    Exhausted {
        /// Connections, regions.
        what: &'static str,
        /// How many there are.
        limit: usize,
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
    /// The control connection can't be had.
    #[error("can't reach a peer's set-up port at {address}: {cause}")]
    Unreachable {
        /// Where to.
        address: String,
        /// Why.
        cause: io::Error,
    },
    /// The set-up port can't be had.
    #[error("can't listen for set-ups on {address}: {cause}")]
    Listen {
        /// Own address.
        address: SocketAddr,
        /// Why.
        cause: io::Error,
    },
    /// The peer went away.
    #[error("the peer is gone: {0}")]
    PeerGone(String),
    /// The peer said something that the set-up exchange does not know.
    #[error("set-up exchange: needed {needed}, found {found}")]
    Setup {
        /// What would fit.
        needed: String,
        /// What came.
        found: String,
    },
    /// The peer does not want this work.
    #[error("the peer refused: {0}")]
    Refused(String),
    /// A file failed.
    #[error("{}: {cause}", .path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The capture can't be written.
    #[error("the capture can't be written: {0}")]
    Capture(String),
    /// A CPU can't be had.
    #[error("can't stay on CPU {cpu}: {cause}")]
    Cpu {
        /// Which.
        cpu: usize,
        /// Why.
        cause: io::Error,
    },
    /// Another program's run failed.
    #[error("{program}: needed {needed}, found {found}")]
    Program {
        /// Which.
        program: &'static str,
        /// What it should do.
        needed: String,
        /// What it did.
        found: String,
    },
    /// The caller's stop was set.
    #[error("interrupted")]
    Interrupted,
}

fn hint(status: CompletionStatus) -> &'static str {
    match status {
        CompletionStatus::RetryExceeded => ": the peer answers no more, or nothing reaches it",
        _ => "",
    }
}
