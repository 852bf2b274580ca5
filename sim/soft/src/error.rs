//! What can go wrong between an application, its sockets and its peer.
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use metaroce_protocol::OutOfRange;
use metaroce_verbs::VerbsError;
use thiserror::Error;

/// A call failed.
#[derive(Debug, Error)]
pub enum SoftError {
    /// A verb failed as it would on any device.
    #[error(transparent)]
    Verbs(VerbsError),
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
    /// Two live connections would have the same peer.
    #[error(
        "queue pair {qp:#x} of {addresses:?} has a live connection here: two peers can't have one identity"
    )]
    Identity {
        /// The peer's queue pair number.
        qp: u32,
        /// Its addresses.
        addresses: Vec<IpAddr>,
    },
    /// Memory does not hold what it must.
    #[error("byte {offset} of what was read is {found:#04x}, needed {needed:#04x}")]
    Differs {
        /// Place of the first wrong byte.
        offset: usize,
        /// What it must be.
        needed: u8,
        /// What it is.
        found: u8,
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

/// A verb's failure, through the socket's own errors and back.
impl From<VerbsError> for SoftError {
    fn from(error: VerbsError) -> Self {
        match error {
            VerbsError::Provider(own) => match own.downcast::<Self>() {
                Ok(own) => *own,
                Err(other) => Self::Verbs(VerbsError::Provider(other)),
            },
            other => Self::Verbs(other),
        }
    }
}

impl From<OutOfRange> for SoftError {
    fn from(error: OutOfRange) -> Self {
        Self::Verbs(error.into())
    }
}

impl From<SoftError> for VerbsError {
    fn from(error: SoftError) -> Self {
        match error {
            SoftError::Verbs(error) => error,
            own => Self::provider(own),
        }
    }
}
