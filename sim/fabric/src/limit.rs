//! The limit that no transport can beat on a lossless fabric, from wire bytes.
use metaroce_protocol::constants::ACK_FRAME_BYTES;

use crate::baseline;
use crate::metaroce;
use crate::port::Port;
use crate::scenario::{Kind, Scenario};
use crate::topology::{LinkId, Tier, Topology};
use crate::units::{Rate, Time};
use crate::workload::Flow;

/// Computes times on an empty fabric.
#[derive(Debug)]
pub struct Limit<'a> {
    scenario: &'a Scenario,
    topology: &'a Topology,
    ports: &'a [Port],
    overhead: u64,
}

impl<'a> Limit<'a> {
    /// `ports`: of each link.
    pub fn new(scenario: &'a Scenario, topology: &'a Topology, ports: &'a [Port]) -> Self {
        let transport = &scenario.transport;
        let frame = match transport.kind {
            Kind::Metaroce => metaroce::data_frame_bytes(0, metaroce::opcode(transport)),
            _ => baseline::OVERHEAD,
        };
        Self {
            scenario,
            topology,
            ports,
            overhead: u64::from(frame) + scenario.fabric.frame_gap.0,
        }
    }

    fn rate(&self, link: LinkId) -> Rate {
        self.ports[link as usize].rate
    }

    fn mtu(&self) -> u64 {
        self.scenario.transport.mtu.0
    }

    /// Bytes that a flow takes on a link.
    pub fn wire_bytes(&self, bytes: u64) -> u64 {
        bytes + bytes.div_ceil(self.mtu()) * self.overhead
    }

    /// From a packet's first byte sent to its last received.
    fn one_way(&self, flow: &Flow, frame: u64) -> Time {
        let links = self.topology.route(flow.from, flow.to, 0, 0);
        links.iter().map(|&link| self.hop(link, frame)).sum()
    }

    fn hop(&self, link: LinkId, frame: u64) -> Time {
        let wire = &self.topology.wires[link as usize];
        let switch = match self.topology.switch_at(link) {
            Some(_) => self.scenario.fabric.switch_delay.0,
            None => 0,
        };
        self.rate(link).time_of(frame) + wire.link.delay.0 + switch
    }

    /// A full packet there and its ACK back.
    pub fn round_trip(&self, flow: &Flow) -> Time {
        self.one_way(flow, self.wire_bytes(self.mtu())) + self.ack(flow)
    }

    /// An ACK on its way back.
    pub fn ack(&self, flow: &Flow) -> Time {
        let gap = self.scenario.fabric.frame_gap.0;
        self.one_way(flow, ACK_FRAME_BYTES as u64 + gap)
    }

    /// From a flow's start to its data's arrival, alone on the fabric.
    pub fn alone(&self, flow: &Flow) -> Time {
        let last = flow.bytes.min(self.mtu()) + self.overhead;
        let first_link = self.topology.host_links[flow.from as usize][0];
        let sent = self
            .host_rate(flow.from, flow.to)
            .time_of(self.wire_bytes(flow.bytes));
        let once = self.rate(first_link).time_of(last);
        // The last packet's own time on its first link is part of `sent`, unless planes share even that.
        sent.max(once) + self.one_way(flow, last) - once
    }

    /// Planes together.
    fn host_rate(&self, from: u32, to: u32) -> Rate {
        let rate = |host: u32, back: u32| {
            let links = &self.topology.host_links[host as usize];
            links.iter().map(|&link| self.rate(link + back).0).sum()
        };
        Rate(u64::min(rate(from, 0), rate(to, 1)))
    }

    /// From the start to the last completion at a sender: the longest chain of flows that wait for each other, or the
    /// busiest part of the fabric, whichever is later.
    pub fn makespan(&self, flows: &[Flow]) -> Time {
        self.longest_chain(flows).max(self.busiest(flows))
    }

    fn longest_chain(&self, flows: &[Flow]) -> Time {
        let mut arrived: Vec<Time> = Vec::with_capacity(flows.len());
        for flow in flows {
            let before = flow.after.iter().map(|&f| arrived[f as usize]);
            let start = before.fold(flow.start, Time::max);
            arrived.push(start + self.alone(flow));
        }
        let completed = flows.iter().zip(&arrived).map(|(f, at)| at + self.ack(f));
        completed.max().unwrap_or(0)
    }

    fn busiest(&self, flows: &[Flow]) -> Time {
        let hosts = self.topology.host_links.len();
        let leaves = self.scenario.fabric.all_leaves() as usize;
        let (mut sent, mut received) = (vec![0; hosts], vec![0; hosts]);
        let (mut up, mut down) = (vec![0; leaves], vec![0; leaves]);
        for flow in flows {
            let bytes = self.wire_bytes(flow.bytes);
            sent[flow.from as usize] += bytes;
            received[flow.to as usize] += bytes;
            let leaf = |host| self.topology.leaf_of(host).0 as usize;
            if leaf(flow.from) != leaf(flow.to) {
                up[leaf(flow.from)] += bytes;
                down[leaf(flow.to)] += bytes;
            }
        }
        let leaf_rates = self.leaf_rates(leaves);
        let hosts = (0..hosts).map(|h| {
            let rate = self.host_rate(h as u32, h as u32);
            rate.time_of(u64::max(sent[h], received[h]))
        });
        let leaves = (0..leaves).map(|n| {
            let (above, below) = leaf_rates[n];
            let up = if up[n] > 0 { above.time_of(up[n]) } else { 0 };
            let down = if down[n] > 0 {
                below.time_of(down[n])
            } else {
                0
            };
            up.max(down)
        });
        let busy = hosts.chain(leaves).max().unwrap_or(0);
        // Beside the last packet's own serialization, which `busy` holds.
        let latency = flows.iter().map(|f| self.one_way(f, 0) + self.ack(f));
        busy + latency.min().unwrap_or(0)
    }

    /// Up and down, all planes together.
    fn leaf_rates(&self, leaves: usize) -> Vec<(Rate, Rate)> {
        let mut rates = vec![(Rate(0), Rate(0)); leaves];
        for switch in &self.topology.switches {
            if let Tier::Leaf(n) = switch.tier {
                for &link in &switch.up {
                    rates[n as usize].0.0 += self.rate(link).0;
                    rates[n as usize].1.0 += self.rate(link + 1).0;
                }
            }
        }
        rates
    }
}
