//! Hosts that come from outside: another implementation of the transport in the place of a model.
//!
//! They have real memory, so a flow to one of them has an address and a key there; all other hosts have no payload bytes.
use std::collections::BTreeMap;
use std::net::Ipv4Addr;

use metaroce_protocol::MacAddr;

use crate::host::Host;
use crate::packet::HostId;
use crate::scenario::Scenario;
use crate::workload::{Flow, FlowId};

/// Why a host can't be made.
pub type ForeignError = Box<dyn std::error::Error + Send + Sync>;

/// Where a flow's bytes go at its receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Address of the first byte.
    pub address: u64,
    /// Key of the region.
    pub r_key: u32,
}

/// What a host says of itself before anybody is connected.
#[derive(Clone, Debug, Default)]
pub struct Identity {
    /// Its QP number for each peer, in the order asked for.
    pub qps: Vec<u32>,
    /// Where the flows to it go.
    pub targets: BTreeMap<FlowId, Target>,
}

/// A flow of a host.
#[derive(Clone, Copy, Debug)]
pub struct Own<'a> {
    /// Its number.
    pub id: FlowId,
    /// The flow.
    pub flow: &'a Flow,
}

/// The other end of a connection.
#[derive(Clone, Debug)]
pub struct PeerEnd {
    /// Which host.
    pub host: HostId,
    /// Its QP number.
    pub qp: u32,
    /// Source ports of the paths to it; path k is on plane k modulo planes.
    pub ports: Vec<u16>,
}

/// Whoever makes hosts.
pub trait ForeignHosts {
    /// Which hosts it makes.
    fn hosts(&self) -> &[HostId];

    /// First step: a host with connections for `peers` and memory for the flows from and to it.
    fn open(
        &mut self,
        scenario: &Scenario,
        host: HostId,
        peers: &[HostId],
        flows: &[Own<'_>],
    ) -> Result<Identity, ForeignError>;

    /// Second step: it is joined to its peers; `targets`: of flows to hosts from outside.
    fn connect(
        &mut self,
        host: HostId,
        peers: &[PeerEnd],
        targets: &BTreeMap<FlowId, Target>,
    ) -> Result<Box<dyn Host>, ForeignError>;
}

/// Nobody.
pub struct Nobody;

impl ForeignHosts for Nobody {
    fn hosts(&self) -> &[HostId] {
        &[]
    }

    fn open(
        &mut self,
        _: &Scenario,
        host: HostId,
        _: &[HostId],
        _: &[Own<'_>],
    ) -> Result<Identity, ForeignError> {
        Err(format!("nobody makes host {host}").into())
    }

    fn connect(
        &mut self,
        host: HostId,
        _: &[PeerEnd],
        _: &BTreeMap<FlowId, Target>,
    ) -> Result<Box<dyn Host>, ForeignError> {
        Err(format!("nobody makes host {host}").into())
    }
}

/// Hosts have addresses of 10.0.0.0/8.
pub fn address_of(host: HostId) -> Ipv4Addr {
    Ipv4Addr::from(10 << 24 | host)
}

/// The host of an address.
pub fn host_of(address: Ipv4Addr) -> HostId {
    u32::from(address) & 0xFF_FFFF
}

/// Locally administered, and the host's number.
pub fn mac_of(host: HostId) -> MacAddr {
    let [a, b, c, d] = host.to_be_bytes();
    MacAddr([2, 0, a, b, c, d])
}
