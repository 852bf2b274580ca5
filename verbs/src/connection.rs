//! A connection: what libibverbs calls a reliable queue pair, over many paths.
use std::collections::HashMap;
use std::ops::Range;

use metaroce_protocol::OutOfRange;

use crate::capabilities::Capabilities;
use crate::device::Shared;
use crate::error::VerbsError;
use crate::memory::MemoryRegion;
use crate::peer::{ConnectionAttributes, PathAttributes, Peer, check_paths};
use crate::work::{Operation, ReceiveRequest, Remote, WorkRequest};

/// Bytes of a word that an atomic works on.
const WORD: usize = 8;

/// A connection. Dropped, it is closed: its work ends without completions.
pub struct Connection {
    device: Shared,
    capabilities: Capabilities,
    index: u32,
    local: Peer,
    connected: bool,
    /// Messages posted, by stream.
    messages: HashMap<u16, u16>,
}

impl Connection {
    pub(crate) fn new(
        device: Shared,
        attributes: ConnectionAttributes,
    ) -> Result<Self, VerbsError> {
        let (index, local) = device.borrow_mut().create_connection(attributes)?;
        let capabilities = device.borrow().capabilities();
        Ok(Self {
            device,
            capabilities,
            index,
            local,
            connected: false,
            messages: HashMap::new(),
        })
    }

    /// Its index on the device.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// What the peer must be told.
    pub fn local(&self) -> Peer {
        self.local.clone()
    }

    /// Joins it to a peer over these paths (ibv_modify_qp to RTR and RTS in one).
    pub fn connect(&mut self, peer: &Peer, paths: &[PathAttributes]) -> Result<(), VerbsError> {
        if self.connected {
            return Err(VerbsError::State {
                needed: "unconnected",
                found: "connected",
            });
        }
        peer.attributes.check()?;
        check_paths(paths, &self.capabilities)?;
        let mut device = self.device.borrow_mut();
        device.connect(self.index, &self.local, peer, paths)?;
        self.connected = true;
        Ok(())
    }

    /// RDMA Write of local bytes to a remote address.
    pub fn post_write(
        &mut self,
        wr_id: u64,
        stream: u16,
        local: (&MemoryRegion, Range<usize>),
        remote: Remote,
    ) -> Result<(), VerbsError> {
        let immediate = None;
        self.post(wr_id, stream, local, Operation::Write { remote, immediate })
    }

    /// RDMA Write that hands over an immediate: it takes a buffer that the peer posted, without filling it.
    pub fn post_write_immediate(
        &mut self,
        wr_id: u64,
        stream: u16,
        local: (&MemoryRegion, Range<usize>),
        remote: Remote,
        immediate: u32,
    ) -> Result<(), VerbsError> {
        let immediate = Some(immediate);
        self.post(wr_id, stream, local, Operation::Write { remote, immediate })
    }

    /// Send of local bytes into the next buffer that the peer posted on this stream.
    pub fn post_send(
        &mut self,
        wr_id: u64,
        stream: u16,
        local: (&MemoryRegion, Range<usize>),
        immediate: Option<u32>,
    ) -> Result<(), VerbsError> {
        self.post(wr_id, stream, local, Operation::Send { immediate })
    }

    /// RDMA Read of remote bytes into local ones.
    pub fn post_read(
        &mut self,
        wr_id: u64,
        stream: u16,
        local: (&MemoryRegion, Range<usize>),
        remote: Remote,
    ) -> Result<(), VerbsError> {
        self.post(wr_id, stream, local, Operation::Read { remote })
    }

    /// Adds to a remote word of 64 bits; the word before comes to the local offset, little-endian.
    pub fn post_fetch_add(
        &mut self,
        wr_id: u64,
        stream: u16,
        (region, offset): (&MemoryRegion, usize),
        remote: Remote,
        add: u64,
    ) -> Result<(), VerbsError> {
        let local = (region, offset..offset.saturating_add(WORD));
        self.post(wr_id, stream, local, Operation::FetchAdd { remote, add })
    }

    /// Puts the second of `[compare, swap]` into a remote word of 64 bits if it holds the first; the word before comes to
    /// the local offset, little-endian.
    pub fn post_compare_swap(
        &mut self,
        wr_id: u64,
        stream: u16,
        (region, offset): (&MemoryRegion, usize),
        remote: Remote,
        [compare, swap]: [u64; 2],
    ) -> Result<(), VerbsError> {
        let local = (region, offset..offset.saturating_add(WORD));
        let operation = Operation::CompareSwap {
            remote,
            compare,
            swap,
        };
        self.post(wr_id, stream, local, operation)
    }

    /// Posts a request (ibv_post_send).
    pub fn post(
        &mut self,
        wr_id: u64,
        stream: u16,
        local: (&MemoryRegion, Range<usize>),
        operation: Operation,
    ) -> Result<(), VerbsError> {
        self.capabilities.require(operation.opcode())?;
        let (local_address, length) = self.check(stream, local)?;
        let number = self.messages.entry(stream).or_default();
        let request = WorkRequest {
            wr_id,
            connection: self.index,
            stream,
            message: *number,
            local_address,
            length,
            operation,
        };
        self.device.borrow_mut().post(&request)?;
        *number = number.wrapping_add(1);
        Ok(())
    }

    /// Posts a buffer for a message of the peer on this stream (ibv_post_recv). Messages take buffers in their order.
    pub fn post_receive(
        &mut self,
        wr_id: u64,
        stream: u16,
        local: (&MemoryRegion, Range<usize>),
    ) -> Result<(), VerbsError> {
        if self.capabilities.receives == 0 {
            return Err(self.capabilities.unsupported("receive"));
        }
        let (address, length) = self.check(stream, local)?;
        let request = ReceiveRequest {
            wr_id,
            connection: self.index,
            stream,
            address,
            length,
        };
        self.device.borrow_mut().post_receive(&request)
    }

    /// Address and length of local bytes of a connection that has a peer.
    fn check(
        &self,
        stream: u16,
        (region, range): (&MemoryRegion, Range<usize>),
    ) -> Result<(u64, u32), VerbsError> {
        if !self.connected {
            return Err(VerbsError::State {
                needed: "connected",
                found: "unconnected",
            });
        }
        if !region.is_on(&self.device) {
            return Err(VerbsError::ForeignRegion);
        }
        if u32::from(stream) >= self.capabilities.streams {
            return Err(OutOfRange {
                what: "stream",
                max: u64::from(self.capabilities.streams) - 1,
                found: stream.into(),
            }
            .into());
        }
        let address = region.slice(range.clone())?;
        let length = u32::try_from(range.len()).map_err(|_| OutOfRange {
            what: "bytes of a message",
            max: u32::MAX.into(),
            found: range.len() as u64,
        })?;
        Ok((address, length))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.device.borrow_mut().close_connection(self.index);
    }
}
