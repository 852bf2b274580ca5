//! A connection: what libibverbs calls a reliable queue pair, over many paths.
use std::collections::HashMap;
use std::net::Ipv4Addr;
use std::ops::Range;

use metaroce_protocol::frame::Addresses;
use metaroce_protocol::{
    ConfigTable, ConnectionEntry, MacAddr, OutOfRange, PathEntry, Psn, Tsn, Wqe, WqeOpcode,
};

use crate::device::Shared;
use crate::error::DeviceError;
use crate::memory::MemoryRegion;

/// Upper bits of a QP number: zero is reserved by InfiniBand, and a guess should miss.
const QP_TAG: u32 = 0x0A_1000;
/// A path's first PSN is a multiple of this (docs/protocol.md, section 3).
const PSN_STEP: u32 = 256;

/// Where a connection's sequences begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionAttributes {
    /// First PSN of each path, a multiple of 256.
    pub first_psn: Psn,
    /// First TSN of each path.
    pub first_tsn: Tsn,
}

/// What a peer must know of this end, exchanged by other means before data flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Queue pair number.
    pub qp: u32,
    /// Ethernet address.
    pub mac: MacAddr,
    /// IPv4 address.
    pub ip: Ipv4Addr,
    /// Where its sequences begin.
    pub attributes: ConnectionAttributes,
}

/// One path: a plane and an entropy, the same at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathAttributes {
    /// Plane.
    pub plane: u32,
    /// UDP source port: what the fabric's ECMP hashes.
    pub entropy: u16,
}

/// A connection.
pub struct Connection {
    device: Shared,
    index: u32,
    attributes: ConnectionAttributes,
    connected: bool,
    /// Messages posted, by stream.
    messages: HashMap<u16, u16>,
}

impl Connection {
    pub(crate) fn new(device: Shared, index: u32, attributes: ConnectionAttributes) -> Self {
        Self {
            device,
            index,
            attributes,
            connected: false,
            messages: HashMap::new(),
        }
    }

    /// Its index on the device.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// What the peer must be told.
    pub fn local(&self) -> Peer {
        let options = self.device.borrow().options;
        Peer {
            qp: QP_TAG | self.index,
            mac: options.mac,
            ip: options.ip,
            attributes: self.attributes,
        }
    }

    /// Joins it to a peer over these paths (ibv_modify_qp to RTR and RTS in one).
    pub fn connect(&mut self, peer: &Peer, paths: &[PathAttributes]) -> Result<(), DeviceError> {
        if self.connected {
            return Err(DeviceError::State {
                needed: "unconnected",
                found: "connected",
            });
        }
        let local = self.local();
        let mut device = self.device.borrow_mut();
        let (path_limit, planes) = (device.attributes.paths, device.attributes.planes);
        check(paths, path_limit, planes)?;
        for end in [&local, peer] {
            let low = end.attributes.first_psn.get() % PSN_STEP;
            if low != 0 {
                return Err(OutOfRange {
                    what: "first PSN modulo 256",
                    max: 0,
                    found: low.into(),
                }
                .into());
            }
        }
        // Paths first: a connection that exists must not lead to paths that do not.
        for (number, path) in (0..).zip(paths) {
            let entry = path_entry(path, &local.attributes, &peer.attributes);
            device.write_entry(
                ConfigTable::Path,
                self.index * path_limit + number,
                entry.to_words(),
            )?;
        }
        let entry = connection_entry(&local, peer, paths.len());
        device.write_entry(ConfigTable::Connection, self.index, entry.to_words())?;
        self.connected = true;
        Ok(())
    }

    /// Posts an RDMA Write of a range of a local region to a remote address (IBV_WR_RDMA_WRITE).
    pub fn post_write(
        &mut self,
        wr_id: u64,
        stream: u16,
        local: (&MemoryRegion, Range<usize>),
        remote_address: u64,
        r_key: u32,
    ) -> Result<(), DeviceError> {
        if !self.connected {
            return Err(DeviceError::State {
                needed: "connected",
                found: "unconnected",
            });
        }
        let (region, range) = local;
        let length = u32::try_from(range.len()).map_err(|_| OutOfRange {
            what: "bytes of a message",
            max: u32::MAX.into(),
            found: range.len() as u64,
        })?;
        let local_address = region.slice(range)?;
        let number = self.messages.entry(stream).or_default();
        let wqe = Wqe {
            opcode: WqeOpcode::Write,
            connection: self.index as u16,
            stream,
            message: *number,
            r_key,
            length,
            local_address,
            remote_address,
            wr_id,
            ..Wqe::default()
        };
        let mut device = self.device.borrow_mut();
        let device = &mut *device;
        device.queues.post(&mut *device.backend, &wqe)?;
        *number = number.wrapping_add(1);
        Ok(())
    }
}

fn check(paths: &[PathAttributes], path_limit: u32, planes: u32) -> Result<(), DeviceError> {
    if paths.is_empty() || paths.len() > path_limit as usize {
        let (max, found) = (path_limit.into(), paths.len() as u64);
        return Err(OutOfRange {
            what: "paths of a connection (1 at least)",
            max,
            found,
        }
        .into());
    }
    match paths.iter().find(|path| path.plane >= planes) {
        None => Ok(()),
        Some(path) => Err(OutOfRange {
            what: "plane",
            max: u64::from(planes) - 1,
            found: path.plane.into(),
        }
        .into()),
    }
}

fn path_entry(
    path: &PathAttributes,
    local: &ConnectionAttributes,
    peer: &ConnectionAttributes,
) -> PathEntry {
    PathEntry {
        valid: true,
        plane: path.plane as u8,
        epoch: 0,
        entropy: path.entropy,
        first_psn_tx: local.first_psn,
        first_tsn_tx: local.first_tsn,
        first_psn_rx: peer.first_psn,
        first_tsn_rx: peer.first_tsn,
    }
}

fn connection_entry(local: &Peer, peer: &Peer, paths: usize) -> ConnectionEntry {
    let entry = ConnectionEntry {
        valid: true,
        local_qp: local.qp,
        remote_qp: peer.qp,
        path_count: paths as u8,
        dst_mac: peer.mac,
        src_mac: local.mac,
        src_ip: local.ip,
        dst_ip: peer.ip,
        ip_sum: 0,
    };
    ConnectionEntry {
        ip_sum: Addresses::from(&entry).ip_sum(),
        ..entry
    }
}
