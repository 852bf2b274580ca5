//! The sockets behind the verbs.
use std::net::IpAddr;

use metaroce_model::config::TrackerSize;
use metaroce_model::tracker::ReceiveBuffer;
use metaroce_protocol::{Counter, Wqe, WqeOpcode};
use metaroce_verbs::{
    Capabilities, ConnectionAttributes, PathAttributes, Peer, Provider, ReceiveRequest, Region,
    VerbsError, WorkCompletion, WorkRequest,
};

use super::{CONNECTIONS, Inner, Lane, LaneAttributes, LaneSender, SLOTS, WINDOW_LOG2};
use crate::memory::REGIONS;

/// Paths of a connection: a path number is a byte.
const MAX_PATHS: u32 = 255;

impl Provider for Inner {
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            verbs: WqeOpcode::ALL.into(),
            connections: CONNECTIONS as u32,
            paths: MAX_PATHS,
            planes: self.options.addresses.len() as u32,
            window: 1 << WINDOW_LOG2,
            regions: REGIONS as u32,
            messages: SLOTS,
            streams: TrackerSize::SOFTWARE.streams.into(),
            receives: TrackerSize::SOFTWARE.receives,
            mtu: 1 << self.options.mtu_log2,
        }
    }

    fn register_memory(&mut self, length: usize) -> Result<Region, VerbsError> {
        let entry = self.register(length)?;
        Ok(Region {
            address: entry.base,
            length,
            r_key: entry.r_key,
        })
    }

    fn deregister_memory(&mut self, region: &Region) {
        self.deregister(region.r_key as usize % REGIONS);
    }

    fn read_memory(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), VerbsError> {
        let found = self.memory.get(address, bytes.len());
        found
            .map(|found| bytes.copy_from_slice(found))
            .ok_or_else(|| outside(address, bytes.len()))
    }

    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), VerbsError> {
        let place = self.memory.get_mut(address, bytes.len());
        place
            .map(|place| place.copy_from_slice(bytes))
            .ok_or_else(|| outside(address, bytes.len()))
    }

    fn create_connection(
        &mut self,
        attributes: ConnectionAttributes,
    ) -> Result<(u32, Peer), VerbsError> {
        let (index, qp) = self.reserve()?;
        let local = Peer {
            qp,
            mac: Default::default(),
            addresses: self.options.addresses.clone(),
            attributes,
        };
        Ok((index as u32, local))
    }

    fn connect(
        &mut self,
        connection: u32,
        local: &Peer,
        peer: &Peer,
        paths: &[PathAttributes],
    ) -> Result<(), VerbsError> {
        check_addresses(&local.addresses, &peer.addresses)?;
        let mut senders = Vec::new();
        for path in paths {
            match self.sender(path.plane as usize, path.entropy) {
                Ok(index) => senders.push(LaneSender {
                    plane: path.plane,
                    entropy: path.entropy,
                    index,
                }),
                Err(error) => {
                    self.release(&senders);
                    return Err(error.into());
                }
            }
        }
        let entry = |path: &PathAttributes| path.entry(&local.attributes, &peer.attributes);
        let attributes = LaneAttributes {
            local_qp: local.qp,
            remote_qp: peer.qp,
            paths: paths.iter().map(entry).collect(),
            senders,
            peers: peer.addresses.clone(),
        };
        self.open_lane(connection as usize, attributes);
        Ok(())
    }

    fn close_connection(&mut self, connection: u32) {
        self.close_lane(connection as usize);
    }

    fn post(&mut self, request: &WorkRequest) -> Result<(), VerbsError> {
        let lane = self.connected(request.connection)?;
        // Each connection has a model of its own, in which it is the first.
        lane.endpoint.post(Wqe {
            connection: 0,
            ..request.wqe()
        });
        lane.dirty = true;
        Ok(())
    }

    fn post_receive(&mut self, request: &ReceiveRequest) -> Result<(), VerbsError> {
        let lane = self.connected(request.connection)?;
        lane.dirty = true;
        let buffer = ReceiveBuffer {
            address: request.address,
            length: request.length,
            wr_id: request.wr_id,
        };
        if lane.endpoint.nic.post_receive(0, request.stream, buffer) {
            return Ok(());
        }
        Err(VerbsError::Exhausted {
            what: "receive buffer of this stream",
            limit: TrackerSize::SOFTWARE.receives.into(),
        })
    }

    fn poll(&mut self) -> Result<Option<WorkCompletion>, VerbsError> {
        if self.completions.is_empty() {
            self.progress()?;
        }
        Ok(self.completions.pop_front())
    }

    fn advance(&mut self) -> Result<(), VerbsError> {
        if !self.progress()? {
            self.rest();
        }
        Ok(())
    }

    fn counter(&mut self, counter: Counter) -> Result<u32, VerbsError> {
        Ok(self.tally().get(counter))
    }
}

impl Inner {
    fn connected(&mut self, connection: u32) -> Result<&mut Lane, VerbsError> {
        self.lane_mut(connection as usize).ok_or(VerbsError::State {
            needed: "connected",
            found: "unconnected",
        })
    }
}

fn check_addresses(local: &[IpAddr], peer: &[IpAddr]) -> Result<(), VerbsError> {
    let same_version = peer.iter().all(|a| a.is_ipv4() == local[0].is_ipv4());
    if peer.len() == local.len() && same_version {
        return Ok(());
    }
    Err(VerbsError::Addresses {
        needed: format!("as many as here, of the same IP version: {local:?}"),
        found: format!("{peer:?}"),
    })
}

fn outside(address: u64, length: usize) -> VerbsError {
    VerbsError::OutsideRegion {
        start: address,
        end: address.saturating_add(length as u64),
        length: 0,
    }
}
