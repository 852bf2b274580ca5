//! A connection's own NIC model: a lane costs nothing while nothing happens on it, however many others there are.
use std::net::{IpAddr, Ipv4Addr};

use metaroce_model::config::{Size, Tunables};
use metaroce_model::endpoint::Endpoint;
use metaroce_model::nic::Nic;
use metaroce_protocol::{ConnectionEntry, PathEntry, RegionEntry};

use super::DeviceOptions;
use crate::memory::REGIONS;

/// Bits of the bitvector, log2: the protocol's largest.
const WINDOW_LOG2: u32 = 8;
/// Messages under way on a connection.
const SLOTS: u32 = 16;

/// A connection at work.
pub(crate) struct Lane {
    pub(crate) endpoint: Endpoint,
    /// Index among the senders, by path.
    pub(crate) senders: Vec<usize>,
    /// The peer's address, by plane.
    pub(crate) peers: Vec<IpAddr>,
    /// Something happened since it had nothing to send.
    pub(crate) dirty: bool,
}

/// What a lane is made of.
pub(crate) struct LaneAttributes {
    pub(crate) local_qp: u32,
    pub(crate) remote_qp: u32,
    /// By path.
    pub(crate) paths: Vec<PathEntry>,
    /// By path.
    pub(crate) senders: Vec<usize>,
    /// By plane.
    pub(crate) peers: Vec<IpAddr>,
}

impl Lane {
    pub(crate) fn new(
        options: &DeviceOptions,
        attributes: LaneAttributes,
        regions: impl Iterator<Item = (u32, RegionEntry)>,
        now: u32,
    ) -> Self {
        let LaneAttributes {
            local_qp,
            remote_qp,
            paths,
            senders,
            peers,
        } = attributes;
        let size = Size {
            connections: 1,
            paths: (paths.len() as u32).next_power_of_two(),
            window_log2: WINDOW_LOG2,
            planes: options.addresses.len() as u32,
            regions: REGIONS as u32,
            slots: SLOTS,
        };
        let tunables = Tunables {
            window: options.window,
            rto: options.rto,
            max_retries: options.max_retries,
            ack_every: options.ack_every,
            mtu_log2: options.mtu_log2,
        };
        let mut nic = Nic::new(size, tunables);
        for (index, entry) in regions {
            nic.write_region(index, entry);
        }
        for (number, path) in (0..).zip(&paths) {
            nic.write_path(number, *path, now);
        }
        nic.write_connection(
            0,
            ConnectionEntry {
                valid: true,
                local_qp,
                remote_qp,
                path_count: paths.len() as u8,
                // Sockets know the addresses.
                dst_mac: Default::default(),
                src_mac: Default::default(),
                src_ip: Ipv4Addr::UNSPECIFIED,
                dst_ip: Ipv4Addr::UNSPECIFIED,
                ip_sum: 0,
            },
        );
        Self {
            endpoint: Endpoint::new(nic),
            senders,
            peers,
            dirty: true,
        }
    }
}
