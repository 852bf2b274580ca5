//! Sets hosts with machines up through their driver, and joins them to the fabric.
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use metaroce_fabric::foreign::{
    ForeignError, ForeignHosts, Identity, Own, PeerEnd, Target, address_of, mac_of,
};
use metaroce_fabric::host::Host;
use metaroce_fabric::packet::HostId;
use metaroce_fabric::scenario::Scenario;
use metaroce_fabric::units::Time;
use metaroce_fabric::workload::FlowId;
use metaroce_host_driver::{DeviceOptions, open};
use metaroce_verbs::{ConnectionAttributes, PathAttributes, Peer};
use thiserror::Error;

use crate::bytes;
use crate::driver::{MachineBackend, Shared};
use crate::host::{ClockedHost, Parts, State};

/// Bytes of a stream's beat: the rate of a link is that of its stream.
const BEAT_BYTES: u64 = 8;

/// Picoseconds of a cycle of the NICs of a scenario.
pub fn cycle_time(scenario: &Scenario) -> Time {
    scenario.fabric.link.rate.time_of(BEAT_BYTES).max(1)
}

/// A scenario that the hardware is too small for.
#[derive(Debug, Error)]
#[error("{what}: the hardware has {most}, the scenario needs {needed}")]
struct TooLarge {
    what: &'static str,
    most: u32,
    needed: u32,
}

/// Makes the machine of a host.
pub type MakeMachine<'a> = dyn FnMut(HostId) -> Result<Shared, ForeignError> + 'a;

/// Hosts with machines.
pub struct Hosts<'a> {
    ids: Vec<HostId>,
    make: Box<MakeMachine<'a>>,
    opened: BTreeMap<HostId, Parts>,
    /// Those that are joined to the fabric.
    pub joined: BTreeMap<HostId, ClockedHost>,
}

impl<'a> Hosts<'a> {
    /// These hosts, with the machines that `make` gives.
    pub fn new(
        ids: &[HostId],
        make: impl FnMut(HostId) -> Result<Shared, ForeignError> + 'a,
    ) -> Self {
        Self {
            ids: ids.to_vec(),
            make: Box::new(make),
            opened: BTreeMap::new(),
            joined: BTreeMap::new(),
        }
    }
}

impl ForeignHosts for Hosts<'_> {
    fn hosts(&self) -> &[HostId] {
        &self.ids
    }

    fn open(
        &mut self,
        scenario: &Scenario,
        id: HostId,
        peers: &[HostId],
        flows: &[Own<'_>],
    ) -> Result<Identity, ForeignError> {
        let machine = (self.make)(id)?;
        let device = open(MachineBackend::new(machine.clone()), options(scenario, id))?;
        let has = device.capabilities();
        let planes = scenario.fabric.planes;
        fits("planes", has.planes, planes)?;
        fits("paths of a connection", has.paths, scenario.transport.paths)?;
        fits("connections", has.connections, peers.len() as u32)?;
        let (mut outgoing, mut incoming) = (0, 0);
        let mut sources = BTreeMap::new();
        let mut sinks = BTreeMap::new();
        for own in flows {
            let bytes = own.flow.bytes;
            if own.flow.from == id {
                let end = outgoing + bytes as usize;
                sources.insert(own.id, (own.flow.to, outgoing..end));
                outgoing = end;
            } else {
                sinks.insert(incoming, (own.id, own.flow.from, bytes));
                incoming += bytes;
            }
        }
        let connect = |&peer: &HostId| {
            let connection = device.create_connection(ConnectionAttributes::default())?;
            Ok::<_, ForeignError>((peer, connection))
        };
        let peers: Vec<_> = peers.iter().map(connect).collect::<Result<_, _>>()?;
        let outgoing = device.register_memory(outgoing.max(1))?;
        let incoming = device.register_memory((incoming as usize).max(1))?;
        let target = |offset| Target {
            address: incoming.address() + offset,
            r_key: incoming.r_key(),
        };
        let identity = Identity {
            qps: peers.iter().map(|(_, c)| c.local().qp).collect(),
            targets: sinks.iter().map(|(&o, &(f, ..))| (f, target(o))).collect(),
        };
        let parts = Parts {
            id,
            machine,
            device,
            peers,
            outgoing,
            incoming,
            sources,
            sinks,
            cycle: cycle_time(scenario),
            planes,
        };
        self.opened.insert(id, parts);
        Ok(identity)
    }

    fn connect(
        &mut self,
        id: HostId,
        ends: &[PeerEnd],
        targets: &BTreeMap<FlowId, Target>,
    ) -> Result<Box<dyn Host>, ForeignError> {
        let opened = self.opened.remove(&id);
        let mut parts = opened.ok_or_else(|| format!("host {id} was not opened"))?;
        for ((_, connection), end) in parts.peers.iter_mut().zip(ends) {
            let peer = Peer {
                qp: end.qp,
                mac: mac_of(end.host),
                addresses: vec![address_of(end.host).into()],
                attributes: ConnectionAttributes::default(),
            };
            let paths = (0..)
                .zip(&end.ports)
                .map(|(path, &entropy)| PathAttributes {
                    plane: path % parts.planes,
                    entropy,
                });
            connection.connect(&peer, &paths.collect::<Vec<_>>())?;
        }
        fill(&parts, targets)?;
        parts.machine.borrow_mut().begin();
        let host = ClockedHost(Rc::new(RefCell::new(State::new(parts, targets.clone()))));
        self.joined.insert(id, host.clone());
        Ok(Box::new(host))
    }
}

/// Host memory holds what the flows carry.
fn fill(parts: &Parts, targets: &BTreeMap<FlowId, Target>) -> Result<(), ForeignError> {
    for (flow, (to, range)) in &parts.sources {
        let address = targets.get(flow).map_or(0, |target| target.address);
        let bytes = bytes::payload(parts.id, *to, address, range.len());
        parts.outgoing.write(range.start, &bytes)?;
    }
    Ok(())
}

fn fits(what: &'static str, most: u32, needed: u32) -> Result<(), TooLarge> {
    match needed <= most {
        true => Ok(()),
        false => Err(TooLarge { what, most, needed }),
    }
}

fn options(scenario: &Scenario, id: HostId) -> DeviceOptions {
    let t = &scenario.transport;
    DeviceOptions {
        window: t.window,
        rto: (t.rto.0 / cycle_time(scenario)) as u32,
        max_retries: t.max_retries,
        ack_every: t.ack_every,
        mtu_log2: t.mtu.0.ilog2(),
        ..DeviceOptions::new(mac_of(id), address_of(id))
    }
}
