//! What a device must be able to do. Lengths, ranges, states and capabilities are checked before it is asked.
use metaroce_protocol::Counter;

use crate::capabilities::Capabilities;
use crate::completion::WorkCompletion;
use crate::error::VerbsError;
use crate::peer::{ConnectionAttributes, PathAttributes, Peer};
use crate::work::{ReceiveRequest, WorkRequest};

/// Memory that a device reaches and that peers may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Address of the first byte.
    pub address: u64,
    /// Bytes.
    pub length: usize,
    /// Key that a peer needs.
    pub r_key: u32,
}

/// A device behind the verbs.
pub trait Provider {
    /// What it can do.
    fn capabilities(&self) -> Capabilities;

    /// Makes memory of zeros and opens it to the peers.
    fn register_memory(&mut self, length: usize) -> Result<Region, VerbsError>;

    /// Closes it to the peers.
    fn deregister_memory(&mut self, region: &Region);

    /// Copies out of registered memory.
    fn read_memory(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), VerbsError>;

    /// Copies into registered memory.
    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), VerbsError>;

    /// Takes a connection: its index, and what its peer must be told.
    fn create_connection(
        &mut self,
        attributes: ConnectionAttributes,
    ) -> Result<(u32, Peer), VerbsError>;

    /// Joins it to a peer. Whether the addresses fit is the device's to check.
    fn connect(
        &mut self,
        connection: u32,
        local: &Peer,
        peer: &Peer,
        paths: &[PathAttributes],
    ) -> Result<(), VerbsError>;

    /// Gives a connection back; its work ends without completions.
    fn close_connection(&mut self, connection: u32);

    /// Posts a message of a connection that has a peer.
    fn post(&mut self, request: &WorkRequest) -> Result<(), VerbsError>;

    /// Posts a buffer; asked only of a device whose capabilities say that it takes some.
    fn post_receive(&mut self, request: &ReceiveRequest) -> Result<(), VerbsError>;

    /// The next completion, if there is one.
    fn poll(&mut self) -> Result<Option<WorkCompletion>, VerbsError>;

    /// Called while an application waits: a simulation goes on, sockets are looked at, hardware needs nothing.
    fn advance(&mut self) -> Result<(), VerbsError>;

    /// Reads a counter; 32 bits that wrap.
    fn counter(&mut self, counter: Counter) -> Result<u32, VerbsError>;
}
