//! Connections between the hosts of a scenario, as host software sets them up before the first packet.
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use metaroce_model::config::{Options, Size, TrackerSize, Tunables};
use metaroce_model::hint::{HeardLately, PostedBuffers};
use metaroce_model::nic::Nic;
use metaroce_model::tracker::ReceiveBuffer;
use metaroce_protocol::{
    ConnectionEntry, MacAddr, PathEntry, Profile, Psn, RegionEntry, Tsn, WqeOpcode,
};
use rand_chacha::ChaCha8Rng;

use super::start::Start;
use super::{NicHost, Peer, TICK};
use crate::entropy;
use crate::foreign::{ForeignError, ForeignHosts, Identity, Own, PeerEnd, address_of, host_of};
use crate::host::Host;
use crate::limit::Limit;
use crate::network::Network;
use crate::packet::HostId;
use crate::runs::go_on_or_stop;
use crate::scenario::{Hints, Scenario, Transport};
use crate::units::{Duration, MICROSECOND, Time};
use crate::workload::{Flow, FlowId};

/// All hosts, with a connection for every pair that exchanges flows. Some come from outside; `go_on` is asked at each host
/// whether to.
pub fn build(
    scenario: &Scenario,
    network: &Network,
    flows: &[Flow],
    random: &mut ChaCha8Rng,
    foreign: &mut dyn ForeignHosts,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<Box<dyn Host>>, ForeignError> {
    let mut peers = vec![BTreeSet::new(); scenario.fabric.hosts() as usize];
    for flow in flows {
        peers[flow.from as usize].insert(flow.to);
        peers[flow.to as usize].insert(flow.from);
    }
    let limit = Limit::new(scenario, &network.topology, &network.ports);
    let mut longest = 0;
    for flow in flows {
        go_on_or_stop(go_on)?;
        longest = limit.round_trip(flow).max(longest);
    }
    let mut hosts = Vec::with_capacity(peers.len());
    for (id, peers) in (0..).zip(&peers) {
        go_on_or_stop(go_on)?;
        hosts.push(host(scenario, id, peers, longest));
    }
    let outside = open(scenario, &peers, flows, foreign)?;
    let mut ends: BTreeMap<HostId, Vec<PeerEnd>> = BTreeMap::new();
    for from in 0..hosts.len() as HostId {
        for &to in &peers[from as usize] {
            go_on_or_stop(go_on)?;
            let there = hosts[to as usize].connection_to(from);
            let there = there.expect("connections have two ends");
            let qp = outside.get(&to).map_or(there, |id| id.qps[there as usize]);
            let pair = (from, to);
            let start = Start::of(scenario, &limit, pair);
            let ports = entropy::ports(scenario, &network.topology, pair, start.paths, random);
            let host = &mut hosts[from as usize];
            host.nic.set_law(start.law(&scenario.transport));
            connect(host, to, qp, &ports);
            if outside.contains_key(&from) {
                let end = PeerEnd {
                    host: to,
                    qp,
                    ports,
                };
                ends.entry(from).or_default().push(end);
            }
        }
    }
    for (id, flow) in flows.iter().enumerate() {
        post(&mut hosts[flow.to as usize], id as FlowId, flow);
    }
    hand_over_hints(&mut hosts);
    let targets = outside.values().flat_map(|id| id.targets.clone());
    let targets: BTreeMap<_, _> = targets.collect();
    let join = |mut host: NicHost| {
        if !outside.contains_key(&host.id) {
            host.targets = targets.clone();
            return Ok(Box::new(host) as Box<dyn Host>);
        }
        let ends = ends.get(&host.id).map_or(&[][..], Vec::as_slice);
        foreign.connect(host.id, ends, &targets)
    };
    hosts.into_iter().map(join).collect()
}

/// Hosts from outside say who they are.
fn open(
    scenario: &Scenario,
    peers: &[BTreeSet<HostId>],
    flows: &[Flow],
    foreign: &mut dyn ForeignHosts,
) -> Result<BTreeMap<HostId, Identity>, ForeignError> {
    let mut identities = BTreeMap::new();
    for host in foreign.hosts().to_vec() {
        let peers: Vec<_> = peers[host as usize].iter().copied().collect();
        let own = (0..).zip(flows).map(|(id, flow)| Own { id, flow });
        let own = own.filter(|own| own.flow.from == host || own.flow.to == host);
        let own: Vec<_> = own.collect();
        identities.insert(host, foreign.open(scenario, host, &peers, &own)?);
    }
    Ok(identities)
}

fn host(scenario: &Scenario, id: HostId, peers: &BTreeSet<HostId>, round_trip: u64) -> NicHost {
    let t = &scenario.transport;
    let planes = scenario.fabric.planes;
    let connections = peers.len().max(1).next_power_of_two() as u32;
    let size = Size {
        connections,
        paths: t.paths,
        window_log2: 8,
        planes,
        regions: 1,
        slots: 16,
        trackers: TrackerSize::SOFTWARE,
    };
    let mut nic = Nic::with_options(size, tunables(t), options(scenario));
    nic.write_region(0, region());
    match t.hints {
        Hints::Off => {}
        Hints::Posted => nic.set_activity(Box::new(PostedBuffers::default())),
        Hints::Heard => {
            let lately = (4 * round_trip / TICK) as u32;
            nic.set_activity(Box::new(HeardLately::new(lately)));
        }
    }
    NicHost {
        id,
        nic,
        paths: t.paths,
        planes,
        opcode: opcode(t),
        peers: peers.iter().map(|_| Peer::default()).collect(),
        connection_to: (peers.iter().copied()).zip(0..).collect(),
        posted: VecDeque::new(),
        targets: BTreeMap::new(),
        asked: vec![VecDeque::new(); planes as usize],
        answers: VecDeque::new(),
        own_paths: Vec::new(),
        walk_every: walk_every(t),
        walk: 0,
        walk_left: 0,
        changed: false,
        spurious: 0,
        outcomes: Vec::new(),
    }
}

/// What flows are: Sends where posted buffers count.
pub fn opcode(transport: &Transport) -> WqeOpcode {
    match transport.hints {
        Hints::Posted => WqeOpcode::Send,
        _ => WqeOpcode::Write,
    }
}

/// How often timers are looked at (ours): a fraction of the shortest time-out, and of any round trip between leaves.
fn walk_every(t: &Transport) -> Time {
    (t.rto_floor.0 / 32).max(MICROSECOND)
}

fn in_ticks(duration: Duration) -> u32 {
    (duration.0 / TICK) as u32
}

fn tunables(t: &Transport) -> Tunables {
    Tunables {
        window: t.window,
        rto: in_ticks(t.rto),
        max_retries: t.max_retries,
        ack_every: t.ack_every,
        mtu_log2: t.mtu.0.ilog2(),
    }
}

/// Of all planes, bytes a tick in 1/256.
pub(super) fn line_rate(scenario: &Scenario) -> u32 {
    let planes = u64::from(scenario.fabric.planes);
    (scenario.fabric.link.rate.0 * planes / 8 * 256 / (1_000_000_000_000 / TICK)) as u32
}

fn options(scenario: &Scenario) -> Options {
    let t = &scenario.transport;
    let line = line_rate(scenario);
    Options {
        profile: Profile::Whole,
        rto_floor: in_ticks(t.rto_floor),
        connection_window: t.connection_window,
        line_rate: if t.hints == Hints::Off { 0 } else { line },
        burst: t.burst.0 as u32,
        max_allowance: t.max_allowance,
        first_allowance: t.first_allowance,
        allowance_calm: t.allowance_calm,
        idle_copies: t.idle_copies,
        ack_only_skips: t.ack_only_skips,
        retransmission_copies: t.retransmission_copies,
        extra_tail_probes: t.extra_tail_probes,
        reroute_after: t.reroute_after,
        reroute_marked: t.reroute_marked,
        suspect_paths: t.suspect_paths,
        recovery_probes: t.recovery_probes,
        ramp_ticks: in_ticks(t.ramp),
        ..Options::default()
    }
}

/// All of memory: no byte is ever written.
fn region() -> RegionEntry {
    RegionEntry {
        valid: true,
        r_key: 0,
        base: 0,
        length: u64::MAX,
    }
}

fn connect(host: &mut NicHost, to: HostId, there: u32, ports: &[u16]) {
    let here = host.connection_to(to).expect("connections have two ends");
    let entry = ConnectionEntry {
        valid: true,
        local_qp: here,
        remote_qp: there,
        path_count: ports.len().min(255) as u8,
        dst_mac: MacAddr::default(),
        src_mac: MacAddr::default(),
        src_ip: address_of(host.id),
        dst_ip: address_of(to),
        ip_sum: 0,
    };
    host.nic.write_connection(here, entry);
    for (path, &entropy) in (0..).zip(ports) {
        let entry = PathEntry {
            valid: true,
            plane: (path % host.planes) as u8,
            epoch: 0,
            entropy,
            first_psn_tx: Psn::default(),
            first_tsn_tx: Tsn::default(),
            first_psn_rx: Psn::default(),
            first_tsn_rx: Tsn::default(),
        };
        host.nic.write_path(here * host.paths + path, entry, 0);
    }
}

/// The receiver's side of a flow.
fn post(host: &mut NicHost, id: FlowId, flow: &Flow) {
    host.expect(id, flow.from);
    if host.opcode == WqeOpcode::Send {
        let connection = host.connection_to(flow.from).expect("it is expected");
        let buffer = ReceiveBuffer {
            address: 0,
            length: flow.bytes as u32,
            wr_id: id.into(),
        };
        // A stream holds 256 buffers; flows beyond wait in this simulation's memory of what to expect.
        let _ = host.nic.post_receive(connection, 0, buffer);
    }
}

/// Set-up carries the receiver's hint: every sender knows it before its first packet.
fn hand_over_hints(hosts: &mut [NicHost]) {
    for receiver in 0..hosts.len() {
        while let Some(path) = hosts[receiver].nic.next_asked() {
            let Some(ack) = hosts[receiver].nic.build_ack(path) else {
                continue;
            };
            let sender = host_of(ack.connection.dst_ip);
            hosts[sender as usize].receive_hint(&ack.frame);
        }
    }
}

impl NicHost {
    fn receive_hint(&mut self, ack: &metaroce_model::wire::Incoming) {
        self.nic.acknowledge(ack, 0);
        self.outcomes().clear();
    }
}
