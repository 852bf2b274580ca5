//! Switches and links at work: queues, marks, drops, losses, failures, pauses.
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use crate::event::{Agenda, Event};
use crate::loss::{self, LossState};
use crate::packet::{HostId, Packet, PacketId, Pool, Purpose};
use crate::port::{Port, Queued};
use crate::scenario::{LoadBalancing, Scenario};
use crate::sighting::Sighting;
use crate::topology::{End, LinkId, SwitchId, Topology, Way};
use crate::units::Time;

/// What happened to packets.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Data packets that hosts sent.
    pub sent: u64,
    /// All packets that hosts sent.
    pub sent_all: u64,
    /// Random losses.
    pub lost: u64,
    /// No room in a buffer.
    pub dropped: u64,
    /// Sent into a link that is down, or waiting when it failed.
    pub dead: u64,
    /// Marked by a switch.
    pub marked: u64,
    /// Most packets in one queue of a switch.
    pub peak_queue_packets: usize,
    /// Most bytes in one.
    pub peak_queue_bytes: u64,
    /// Pauses (PFC).
    pub pauses: u64,
}

/// What a plan does to a link.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Which link.
    pub link: LinkId,
    /// Whether it carries packets from then on.
    pub up: bool,
}

/// All planes at work.
#[derive(Debug)]
pub struct Network {
    /// What is where.
    pub topology: Topology,
    /// By link.
    pub ports: Vec<Port>,
    /// Packets on their way.
    pub pool: Pool,
    /// What happened so far.
    pub tally: Tally,
    /// Bytes that wait in a switch.
    held: Vec<u64>,
    /// PFC: by link, bytes that came over it and wait; whether its sender is stopped.
    ingress: Vec<(u64, bool)>,
    /// Every frame on every link, if that is wanted.
    pub sightings: Option<Vec<Sighting>>,
    /// By entry of the plan.
    pub changes: Vec<Vec<Change>>,
    scenario: Scenario,
    random: ChaCha8Rng,
    gap: u32,
}

impl Network {
    /// All links as a scenario wants them; its failures become `changes` of the agenda.
    pub fn new(scenario: &Scenario, seed: u64, agenda: &mut Agenda) -> Self {
        let topology = Topology::new(&scenario.fabric);
        let fabric = &scenario.fabric;
        let ports = topology.wires.iter().map(|wire| {
            let behind = match wire.to {
                End::Switch(_) => fabric.switch_delay.0,
                End::Host(_) => 0,
            };
            let mut port = Port::new(wire.link, behind, fabric.ecn);
            let rules = scenario.loss.iter().filter(|l| loss::concerns(l, wire));
            port.losses = rules.map(LossState::new).collect();
            port
        });
        let mut network = Self {
            ports: ports.collect(),
            pool: Pool::default(),
            tally: Tally::default(),
            held: vec![0; topology.switches.len()],
            ingress: vec![(0, false); topology.wires.len()],
            sightings: None,
            changes: Vec::new(),
            scenario: scenario.clone(),
            random: ChaCha8Rng::seed_from_u64(seed),
            gap: fabric.frame_gap.0 as u32,
            topology,
        };
        network.plan_changes(agenda);
        network
    }

    fn plan_changes(&mut self, agenda: &mut Agenda) {
        for slow in self.scenario.slow.clone() {
            let target = (slow.host, slow.leaf, slow.spine);
            for link in self.topology.links(slow.plane, target) {
                self.ports[link as usize].rate = slow.rate;
            }
        }
        for failure in self.scenario.failure.clone() {
            let target = (failure.host, failure.leaf, failure.spine);
            let links = self.topology.links(Some(failure.plane), target);
            for (at, up) in [(Some(failure.at), false), (failure.until, true)] {
                let Some(at) = at else { continue };
                agenda.plan(at.0, Event::Change(self.changes.len() as u32));
                let changes = links.iter().map(|&link| Change { link, up });
                self.changes.push(changes.collect());
            }
        }
    }

    /// An entry of the plan happens.
    pub fn change(&mut self, entry: u32) {
        for change in self.changes[entry as usize].clone() {
            let port = &mut self.ports[change.link as usize];
            port.up = change.up;
            if !change.up {
                for queued in port.drain() {
                    self.tally.dead += 1;
                    self.release(change.link, queued);
                    self.pool.take(queued.packet);
                }
            }
        }
    }

    /// A host sends a packet over an idle link.
    pub fn send(&mut self, link: LinkId, packet: Packet, now: Time, agenda: &mut Agenda) {
        self.tally.sent_all += 1;
        self.tally.sent += u64::from(packet.is_data());
        let bytes = packet.bytes + self.gap;
        let packet = self.pool.put(packet);
        self.launch(link, Queued { packet, bytes }, now, agenda);
        self.ports[link as usize].free_planned = true;
        agenda.plan(self.ports[link as usize].busy_until, Event::Free(link));
    }

    /// A packet goes onto the wire.
    fn launch(&mut self, link: LinkId, queued: Queued, now: Time, agenda: &mut Agenda) {
        let port = &mut self.ports[link as usize];
        let sent = port.send(now, queued.bytes);
        let packet = self.pool.get(queued.packet);
        let lost = port.loses(packet.is_data(), &mut self.random);
        if let Some(sightings) = &mut self.sightings {
            sightings.push(Sighting {
                at: now,
                link,
                packet: *packet,
                lost: lost || !port.up,
            });
        }
        if lost || !port.up {
            self.tally.lost += u64::from(port.up);
            self.tally.dead += u64::from(!port.up);
            self.pool.take(queued.packet);
            return;
        }
        let packet = queued.packet;
        agenda.plan(sent + port.delay, Event::Arrive { packet, link });
    }

    /// A packet arrives at a switch, and joins a queue.
    pub fn forward(
        &mut self,
        packet: PacketId,
        over: LinkId,
        switch: SwitchId,
        now: Time,
        agenda: &mut Agenda,
    ) {
        let link = self.choose(switch, packet);
        let bytes = self.pool.get(packet).bytes + self.gap;
        let queued = Queued { packet, bytes };
        let port = &self.ports[link as usize];
        let buffer = self.scenario.fabric.buffer;
        let used = if buffer.shared {
            self.held[switch as usize]
        } else {
            port.bytes
        };
        let room = used + u64::from(bytes) <= buffer.size.0;
        if !room || !port.up {
            self.tally.dropped += u64::from(port.up);
            self.tally.dead += u64::from(!port.up);
            self.pool.take(packet);
            return;
        }
        if port.marks(&mut self.random) {
            self.tally.marked += 1;
            self.pool.get_mut(packet).marked = true;
        }
        if port.busy_until <= now && !port.has_work() && !port.paused {
            self.launch(link, queued, now, agenda);
            return;
        }
        self.enqueue(link, switch, queued, over, now, agenda);
    }

    fn enqueue(
        &mut self,
        link: LinkId,
        switch: SwitchId,
        queued: Queued,
        over: LinkId,
        now: Time,
        agenda: &mut Agenda,
    ) {
        let packet = self.pool.get_mut(queued.packet);
        packet.ingress = over;
        let first = packet.purpose == Purpose::Answer && self.scenario.fabric.answers_first;
        let port = &mut self.ports[link as usize];
        port.push(queued, first);
        self.tally.peak_queue_packets = self.tally.peak_queue_packets.max(port.packets());
        self.tally.peak_queue_bytes = self.tally.peak_queue_bytes.max(port.bytes);
        self.held[switch as usize] += u64::from(queued.bytes);
        self.plan_free(link, now, agenda);
        self.on_held(over, queued.bytes, now, agenda);
    }

    fn plan_free(&mut self, link: LinkId, now: Time, agenda: &mut Agenda) {
        let port = &mut self.ports[link as usize];
        if !port.free_planned && port.has_work() {
            port.free_planned = true;
            agenda.plan(port.busy_until.max(now), Event::Free(link));
        }
    }

    /// A link of a switch has sent its last packet: the next one.
    pub fn on_free(&mut self, link: LinkId, now: Time, agenda: &mut Agenda) {
        let port = &mut self.ports[link as usize];
        port.free_planned = false;
        if port.busy_until > now {
            return self.plan_free(link, now, agenda);
        }
        if let Some(queued) = self.ports[link as usize].pop() {
            self.release(link, queued);
            self.on_released(queued.packet, queued.bytes, now, agenda);
            self.launch(link, queued, now, agenda);
        }
        self.plan_free(link, now, agenda);
    }

    fn release(&mut self, link: LinkId, queued: Queued) {
        if let End::Switch(switch) = self.topology.wires[link as usize].from {
            self.held[switch as usize] -= u64::from(queued.bytes);
        }
    }

    /// PFC: more bytes of an ingress wait.
    fn on_held(&mut self, over: LinkId, bytes: u32, now: Time, agenda: &mut Agenda) {
        let Some(pfc) = self.scenario.fabric.pfc else {
            return;
        };
        let (held, stopped) = &mut self.ingress[over as usize];
        *held += u64::from(bytes);
        if *held >= pfc.stop.0 && !*stopped {
            *stopped = true;
            self.tally.pauses += 1;
            let at = now + self.ports[over as usize].delay;
            agenda.plan(
                at,
                Event::Pause {
                    link: over,
                    stop: true,
                },
            );
        }
    }

    /// PFC: fewer do.
    fn on_released(&mut self, packet: PacketId, bytes: u32, now: Time, agenda: &mut Agenda) {
        let Some(pfc) = self.scenario.fabric.pfc else {
            return;
        };
        let over = self.pool.get(packet).ingress;
        let (held, stopped) = &mut self.ingress[over as usize];
        *held = held.saturating_sub(bytes.into());
        if *held <= pfc.go.0 && *stopped {
            *stopped = false;
            let at = now + self.ports[over as usize].delay;
            agenda.plan(
                at,
                Event::Pause {
                    link: over,
                    stop: false,
                },
            );
        }
    }

    /// PFC: a link's sender hears that it must stop or may go on.
    pub fn on_pause(&mut self, link: LinkId, stop: bool, now: Time, agenda: &mut Agenda) {
        self.ports[link as usize].paused = stop;
        self.plan_free(link, now, agenda);
    }

    fn choose(&mut self, switch: SwitchId, packet: PacketId) -> LinkId {
        let packet = self.pool.get(packet);
        let (from, to, entropy) = (packet.from, packet.to, packet.entropy);
        match (
            self.topology.way(switch, to),
            self.scenario.fabric.load_balancing,
        ) {
            (Way::Down(link), _) => link,
            (Way::Up, LoadBalancing::Ecmp) => self.topology.hashed(switch, from, to, entropy),
            (Way::Up, LoadBalancing::Packet) => self.shortest_up(switch),
        }
    }

    /// One of the links up with the least that waits, at random.
    fn shortest_up(&mut self, switch: SwitchId) -> LinkId {
        let up = &self.topology.switches[switch as usize].up;
        let bytes = |link: LinkId| self.ports[link as usize].bytes;
        let least = up.iter().map(|&link| bytes(link)).min().unwrap_or(0);
        let shortest = up.iter().filter(|&&link| bytes(link) == least);
        *shortest
            .choose(&mut self.random)
            .expect("the topology is connected")
    }

    /// The host at the end of a link, if there is one.
    pub fn host_at(&self, link: LinkId) -> Option<HostId> {
        match self.topology.wires[link as usize].to {
            End::Host(host) => Some(host),
            End::Switch(_) => None,
        }
    }
}
