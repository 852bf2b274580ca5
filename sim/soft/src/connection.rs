//! A connection: what libibverbs calls a reliable queue pair, over many paths.
use std::collections::HashMap;
use std::net::IpAddr;
use std::ops::Range;

use metaroce_protocol::{Counter, OutOfRange, PathEntry, Psn, Tsn, Wqe, WqeOpcode};
use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::device::{LaneAttributes, Shared};
use crate::error::SoftError;
use crate::memory::MemoryRegion;

/// A path's first PSN is a multiple of this (docs/protocol.md, section 3).
const PSN_STEP: u32 = 256;
/// Paths of a connection: a path number is a byte.
const MAX_PATHS: usize = 255;

/// Where a connection's sequences begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionAttributes {
    /// First PSN of each path, a multiple of 256.
    pub first_psn: Psn,
    /// First TSN of each path.
    pub first_tsn: Tsn,
}

impl ConnectionAttributes {
    /// Somewhere: old packets of another connection should miss.
    pub fn random() -> Self {
        let mut source = rand::rng();
        Self {
            first_psn: Psn::truncate(source.random::<u32>() / PSN_STEP * PSN_STEP),
            first_tsn: Tsn::truncate(source.random()),
        }
    }
}

/// What a peer must know of this end, exchanged by other means before data flows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Queue pair number.
    pub qp: u32,
    /// Address on each plane.
    pub addresses: Vec<IpAddr>,
    /// Where its sequences begin.
    pub attributes: ConnectionAttributes,
}

/// One path: a plane and an entropy, the same at both ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathAttributes {
    /// Plane.
    pub plane: u32,
    /// UDP source port: what the fabric's ECMP hashes.
    pub entropy: u16,
}

/// A connection. Dropped, it is closed: its work ends without completions.
pub struct Connection {
    device: Shared,
    index: usize,
    qp: u32,
    attributes: ConnectionAttributes,
    connected: bool,
    /// Messages posted, by stream.
    messages: HashMap<u16, u16>,
}

impl Connection {
    pub(crate) fn new(device: Shared, attributes: ConnectionAttributes) -> Result<Self, SoftError> {
        let (index, qp) = device.borrow_mut().reserve()?;
        Ok(Self {
            device,
            index,
            qp,
            attributes,
            connected: false,
            messages: HashMap::new(),
        })
    }

    /// Its index on the device.
    pub fn index(&self) -> u32 {
        self.index as u32
    }

    /// What the peer must be told.
    pub fn local(&self) -> Peer {
        Peer {
            qp: self.qp,
            addresses: self.device.borrow().options.addresses.clone(),
            attributes: self.attributes,
        }
    }

    /// Frames of the peer that its checks let through; wraps.
    pub fn frames_received(&self) -> u32 {
        use Counter::{RxAckStale, RxAcks, RxDuplicate, RxProbes, RxWrites};
        let device = self.device.borrow();
        let counters = device.lane(self.index).map(|l| l.endpoint.nic.counters());
        let counted = [RxWrites, RxProbes, RxDuplicate, RxAcks, RxAckStale];
        counters.map_or(0, |c| {
            counted.iter().fold(0, |sum, &n| c.get(n).wrapping_add(sum))
        })
    }

    /// Its counters that are not 0, by name.
    pub fn counters(&self) -> Vec<(String, u32)> {
        let device = self.device.borrow();
        let counters = device.lane(self.index).map(|l| l.endpoint.nic.counters());
        let named = Counter::ALL
            .iter()
            .map(|&n| (n.name().to_string(), counters.map_or(0, |c| c.get(n))));
        named.filter(|&(_, value)| value != 0).collect()
    }

    /// Joins it to a peer over these paths (ibv_modify_qp to RTR and RTS in one).
    pub fn connect(&mut self, peer: &Peer, paths: &[PathAttributes]) -> Result<(), SoftError> {
        if self.connected {
            return Err(SoftError::State {
                needed: "unconnected",
                found: "connected",
            });
        }
        let local = self.local();
        check(&local, peer, paths)?;
        let mut device = self.device.borrow_mut();
        let mut senders = Vec::new();
        for path in paths {
            match device.sender(path.plane as usize, path.entropy) {
                Ok(sender) => senders.push(sender),
                Err(error) => {
                    device.release(&senders);
                    return Err(error);
                }
            }
        }
        let paths = paths
            .iter()
            .map(|path| path_entry(path, &local.attributes, &peer.attributes))
            .collect();
        let attributes = LaneAttributes {
            local_qp: local.qp,
            remote_qp: peer.qp,
            paths,
            senders,
            peers: peer.addresses.clone(),
        };
        device.open_lane(self.index, attributes);
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
    ) -> Result<(), SoftError> {
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
            // Each connection has a model of its own, in which it is the first.
            connection: 0,
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
        let lane = device.lane_mut(self.index).ok_or(SoftError::State {
            needed: "connected",
            found: "unconnected",
        })?;
        lane.endpoint.post(wqe);
        lane.dirty = true;
        *number = number.wrapping_add(1);
        Ok(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.device.borrow_mut().close_lane(self.index);
    }
}

fn check(local: &Peer, peer: &Peer, paths: &[PathAttributes]) -> Result<(), SoftError> {
    let planes = local.addresses.len();
    let fitting = peer.addresses.len() == planes
        && peer.addresses[0].is_ipv4() == local.addresses[0].is_ipv4()
        && peer
            .addresses
            .iter()
            .all(|a| a.is_ipv4() == peer.addresses[0].is_ipv4());
    if !fitting {
        return Err(SoftError::Addresses {
            needed: format!(
                "as many as here, of the same IP version: {:?}",
                local.addresses
            ),
            found: format!("{:?}", peer.addresses),
        });
    }
    let out_of_range = |what, max, found| Err(OutOfRange { what, max, found }.into());
    for end in [local, peer] {
        let low = end.attributes.first_psn.get() % PSN_STEP;
        if low != 0 {
            return out_of_range("first PSN modulo 256", 0, low.into());
        }
    }
    if paths.is_empty() || paths.len() > MAX_PATHS {
        return out_of_range(
            "paths of a connection (1 at least)",
            MAX_PATHS as u64,
            paths.len() as u64,
        );
    }
    match paths.iter().find(|path| path.plane as usize >= planes) {
        None => Ok(()),
        Some(path) => out_of_range("plane", planes as u64 - 1, path.plane.into()),
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
