//! A run: events in order of time until every flow has ended.
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::baseline;
use crate::event::{Agenda, Event};
use crate::foreign::{ForeignError, ForeignHosts, Nobody};
use crate::host::{Counts, Host, Outcome, Room};
use crate::limit::Limit;
use crate::metaroce;
use crate::network::Network;
use crate::outcome::{Fct, FlowTime, Summary, Unfinished, jain, microseconds};
use crate::packet::HostId;
use crate::record::{Record, Sample};
use crate::runs::{Stopped, go_on_or_stop};
use crate::scenario::{Kind, Scenario};
use crate::sighting::Sighting;
use crate::topology::LinkId;
use crate::trace::Trace;
use crate::units::Time;
use crate::workload::{self, Flow, FlowId};

/// Points of a plot (ours): as many as a page is wide in pixels, half.
const SAMPLES: Time = 500;
/// Packets of a host's link that a sample holds at the least (ours): one more or less changes a rate by a twentieth.
const SAMPLE_PACKETS: Time = 20;

/// Flows whose times are all in a result (ours): as many as a reader looks at one by one.
const MOST_FLOWS: usize = 64;

/// What became of a flow so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Flows before it that have not arrived.
    waiting: usize,
    started: Option<Time>,
    /// Its data is at its receiver.
    pub arrived: Option<Time>,
    /// Its sender knows.
    pub completed: Option<Time>,
    failed: Option<String>,
}

impl Progress {
    /// From its start to its completion.
    pub fn fct(&self) -> Option<Time> {
        Some(self.completed? - self.started?)
    }
}

/// A scenario in motion.
#[derive(Debug)]
pub struct Simulation {
    scenario: Scenario,
    seed: u64,
    network: Network,
    agenda: Agenda,
    hosts: Vec<Box<dyn Host>>,
    flows: Vec<Flow>,
    progress: Vec<Progress>,
    /// By flow: who waits for it.
    dependents: Vec<Vec<FlowId>>,
    /// By host: when it is to be woken.
    wakes: Vec<Option<Time>>,
    now: Time,
    open: usize,
    events: u64,
    limit: Time,
    connections: usize,
    /// Why it can't go on.
    stopped: Option<String>,
    /// What is looked at while it runs.
    record: Record,
}

impl Simulation {
    /// At time 0; every host runs the scenario's transport here.
    pub fn new(scenario: &Scenario, seed: u64) -> Self {
        let set_up = Self::set_up(scenario, seed, &mut || true);
        set_up.unwrap_or_else(|_| unreachable!("nobody stops it"))
    }

    /// At time 0, unless `go_on` says no before all hosts are built; it is asked now and then.
    pub fn set_up(
        scenario: &Scenario,
        seed: u64,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Self, Stopped> {
        // Where nobody makes hosts, only a stop ends it early.
        Self::with_foreign(scenario, seed, &mut Nobody, go_on).map_err(|_| Stopped)
    }

    /// The same; some hosts come from outside.
    pub fn with_foreign(
        scenario: &Scenario,
        seed: u64,
        foreign: &mut dyn ForeignHosts,
        go_on: &mut dyn FnMut() -> bool,
    ) -> Result<Self, ForeignError> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut agenda = Agenda::default();
        let network = Network::new(scenario, seed ^ 0x5EED, &mut agenda);
        let hosts = scenario.fabric.hosts() as u32;
        let flows = workload::flows(&scenario.workload, hosts, &mut random);
        let limit = Limit::new(scenario, &network.topology, &network.ports);
        go_on_or_stop(go_on)?;
        let makespan = limit.makespan(&flows);
        go_on_or_stop(go_on)?;
        let hosts = build_hosts(scenario, &network, &flows, &mut random, foreign, go_on)?;
        let pairs: std::collections::BTreeSet<_> = flows.iter().map(|f| (f.from, f.to)).collect();
        let mut simulation = Self {
            scenario: scenario.clone(),
            seed,
            wakes: vec![None; hosts.len()],
            hosts,
            progress: vec![Progress::default(); flows.len()],
            dependents: vec![Vec::new(); flows.len()],
            open: flows.len(),
            flows,
            network,
            agenda,
            now: 0,
            events: 0,
            limit: makespan,
            connections: pairs.len(),
            stopped: None,
            record: Record::new(scenario),
        };
        simulation.plan_flows();
        Ok(simulation)
    }

    fn plan_flows(&mut self) {
        for (id, flow) in self.flows.iter().enumerate() {
            self.progress[id].waiting = flow.after.len();
            for &before in &flow.after {
                self.dependents[before as usize].push(id as FlowId);
            }
            if flow.after.is_empty() {
                self.agenda.plan(flow.start, Event::Start(id as FlowId));
            }
        }
        if self.record.interval > 0 {
            self.agenda.plan(self.record.interval, Event::Sample);
        }
    }

    /// Share of the flows that have ended, 0 to 1.
    pub fn done(&self) -> f64 {
        1.0 - self.open as f64 / self.flows.len().max(1) as f64
    }

    /// Runs to the end, or until `go_on` says no; it is asked now and then.
    pub fn run(&mut self, mut go_on: impl FnMut(&Self) -> bool) -> Summary {
        while self.open > 0 && self.stopped.is_none() {
            if self.events.is_multiple_of(1 << 16) && !go_on(self) {
                break;
            }
            let Some((at, event)) = self.agenda.take_next() else {
                break;
            };
            if at > self.scenario.limit.0 {
                break;
            }
            self.now = at;
            self.events += 1;
            self.happen(event);
        }
        self.summary()
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Arrive { packet, link } => self.arrive(packet, link),
            Event::Free(link) => match self.sender_of(link) {
                Some(host) => {
                    self.network.ports[link as usize].free_planned = false;
                    self.pump(host);
                }
                None => self.network.on_free(link, self.now, &mut self.agenda),
            },
            Event::Wake(host) => {
                if self.wakes[host as usize] == Some(self.now) {
                    self.wakes[host as usize] = None;
                    self.hosts[host as usize].wake(self.now);
                    self.pump(host);
                }
            }
            Event::Start(flow) => self.start(flow),
            Event::Change(entry) => self.network.change(entry),
            Event::Pause { link, stop } => {
                self.network
                    .on_pause(link, stop, self.now, &mut self.agenda);
                if let Some(host) = self.sender_of(link) {
                    self.pump(host);
                }
            }
            Event::Sample => {
                self.record
                    .sample(self.now, &self.network, &self.hosts, &self.flows);
                let next = self.now + self.record.interval;
                self.agenda.plan(next, Event::Sample);
            }
        }
    }

    fn sender_of(&self, link: LinkId) -> Option<HostId> {
        match self.network.topology.wires[link as usize].from {
            crate::topology::End::Host(host) => Some(host),
            crate::topology::End::Switch(_) => None,
        }
    }

    fn arrive(&mut self, packet: u32, link: LinkId) {
        if let Some(switch) = self.network.topology.switch_at(link) {
            self.network
                .forward(packet, link, switch, self.now, &mut self.agenda);
            return;
        }
        let packet = self.network.pool.take(packet);
        self.record.on_received(&packet, self.now);
        self.hosts[packet.to as usize].receive(&packet, self.now);
        self.pump(packet.to);
    }

    fn start(&mut self, flow: FlowId) {
        let Flow {
            from, to, bytes, ..
        } = self.flows[flow as usize];
        self.progress[flow as usize].started = Some(self.now);
        self.hosts[from as usize].start(flow, to, bytes, self.now);
        self.pump(from);
    }

    /// A host sends what it can and says what happened.
    fn pump(&mut self, host: HostId) {
        loop {
            let room = self.room(host);
            if room.control == 0 {
                break;
            }
            let Some(packet) = self.hosts[host as usize].poll(room, self.now) else {
                break;
            };
            let links = &self.network.topology.host_links[host as usize];
            let link = links[usize::from(packet.plane)];
            self.record.on_sent(&packet, self.now);
            self.network.send(link, packet, self.now, &mut self.agenda);
        }
        for outcome in self.hosts[host as usize].outcomes() {
            self.on_outcome(outcome);
        }
        self.record
            .on_pumped(host, &*self.hosts[host as usize], self.now);
        let wake = self.hosts[host as usize].next_wake(self.now);
        let planned = &mut self.wakes[host as usize];
        if let Some(at) = wake
            && planned.is_none_or(|before| before > at)
        {
            *planned = Some(at);
            self.agenda.plan(at, Event::Wake(host));
        }
    }

    fn room(&self, host: HostId) -> Room {
        let links = &self.network.topology.host_links[host as usize];
        let mut room = Room {
            control: 0,
            data: 0,
        };
        for (plane, &link) in links.iter().enumerate() {
            let port = &self.network.ports[link as usize];
            let free = u32::from(!port.free_planned) << plane;
            room.control |= free;
            room.data |= if port.paused { 0 } else { free };
        }
        room
    }

    fn on_outcome(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Arrived(flow) => {
                self.progress[flow as usize].arrived = Some(self.now);
                for next in std::mem::take(&mut self.dependents[flow as usize]) {
                    let waiting = &mut self.progress[next as usize].waiting;
                    *waiting -= 1;
                    if *waiting == 0 {
                        let at = self.flows[next as usize].start.max(self.now);
                        self.agenda.plan(at, Event::Start(next));
                    }
                }
            }
            Outcome::Completed(flow) => {
                self.progress[flow as usize].completed = Some(self.now);
                self.open -= 1;
            }
            Outcome::Failed(flow, reason) => {
                self.progress[flow as usize].failed = Some(reason);
                self.open -= 1;
            }
            Outcome::Stopped(reason) => self.stopped = Some(reason),
        }
    }

    /// Takes samples as it runs, for a page of plots: five hundred over the time that the limit allows, or as many as hold
    /// enough packets.
    pub fn record_samples(&mut self) {
        if self.record.interval == 0 {
            let packet = self.scenario.transport.mtu.0;
            let packet = self.scenario.fabric.link.rate.time_of(packet);
            let shortest = (SAMPLE_PACKETS * packet).max(1);
            self.record.interval = (self.limit / SAMPLES).max(shortest);
            self.agenda.plan(self.record.interval, Event::Sample);
        }
    }

    /// What [`Self::record_samples`] took.
    pub fn samples(&self) -> &[Sample] {
        &self.record.samples
    }

    /// Keeps every frame on every link.
    pub fn record_sightings(&mut self) {
        self.network.sightings = Some(Vec::new());
    }

    /// What [`Self::record_sightings`] kept, in order of time.
    pub fn sightings(&self) -> &[Sighting] {
        self.network.sightings.as_deref().unwrap_or_default()
    }

    /// Why the run ended before its flows, if a host ended it.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// Switches and links.
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Keeps the frames of the first flow's connection.
    pub fn record_trace(&mut self) {
        self.record.trace = Trace::between(self.flows[0].from, self.flows[0].to);
    }

    /// What [`Self::record_trace`] kept.
    pub fn trace(&self) -> &Trace {
        &self.record.trace
    }

    /// Flows and what became of them.
    pub fn flows(&self) -> impl Iterator<Item = (&Flow, &Progress)> {
        self.flows.iter().zip(&self.progress)
    }

    fn summary(&self) -> Summary {
        let unfinished = self.unfinished();
        let times = self.completion_times();
        let goodputs: Vec<f64> = times
            .iter()
            .map(|&(b, t)| b as f64 / t.max(1) as f64)
            .collect();
        let last = self.progress.iter().filter_map(|p| p.completed).max();
        let makespan = last.unwrap_or(self.now);
        let finished = unfinished.is_empty();
        let (mut counts, mut memory) = (Counts::default(), 0);
        for host in &self.hosts {
            counts.add(&host.counts());
            memory += host.memory();
        }
        let share = self.limit as f64 / makespan.max(1) as f64;
        let summary = Summary {
            scenario: self.scenario.name.clone(),
            seed: self.seed,
            transport: self.scenario.transport.kind,
            finished,
            unfinished,
            fct_us: Fct::of(times.iter().map(|&(_, time)| time).collect()),
            flows: self.flow_times(),
            makespan_us: microseconds(makespan),
            limit_us: microseconds(self.limit),
            goodput_share: if finished { share } else { 0.0 },
            jain: jain(&goodputs),
            plane_share: self.record.plane_share(),
            recovery: self.record.recovery(&self.scenario),
            events: self.events,
            bytes_per_connection: (memory / self.connections.max(1)) as u64,
            ..Summary::empty()
        };
        summary.with_counts(&self.network.tally, &counts)
    }

    fn flow_times(&self) -> Vec<Option<FlowTime>> {
        if self.flows.len() > MOST_FLOWS {
            return Vec::new();
        }
        let limit = Limit::new(&self.scenario, &self.network.topology, &self.network.ports);
        let time = |(flow, progress): (&Flow, &Progress)| {
            let took = progress.completed? - progress.started?;
            Some(FlowTime {
                us: microseconds(took),
                share: (limit.alone(flow) + limit.ack(flow)) as f64 / took.max(1) as f64,
            })
        };
        self.flows().map(time).collect()
    }

    /// Bytes and time of each flow that completed.
    pub fn completion_times(&self) -> Vec<(u64, Time)> {
        let times = self
            .flows()
            .filter_map(|(flow, progress)| Some((flow.bytes, progress.fct()?)));
        times.collect()
    }

    fn unfinished(&self) -> Vec<Unfinished> {
        let open = (0..).zip(self.flows());
        let open = open.filter(|(_, (_, progress))| progress.completed.is_none());
        open.map(|(id, (flow, progress))| Unfinished {
            flow: id,
            from: flow.from,
            to: flow.to,
            reason: self.reason(flow, progress),
            paths: self.describe_paths(flow),
        })
        .collect()
    }

    fn reason(&self, flow: &Flow, progress: &Progress) -> String {
        if let Some(reason) = progress.failed.as_ref().or(self.stopped.as_ref()) {
            return reason.clone();
        }
        if progress.started.is_some() {
            let limit = self.scenario.limit;
            return format!("not complete after {limit}");
        }
        let missing = flow
            .after
            .iter()
            .find(|&&f| self.progress[f as usize].arrived.is_none());
        match missing {
            Some(flow) => format!("waits for flow {flow}"),
            None => "not yet started".into(),
        }
    }

    fn describe_paths(&self, flow: &Flow) -> Vec<String> {
        let paths = self.hosts[flow.from as usize].paths(flow.to);
        let describe = |p: &crate::host::PathView| {
            format!(
                "path {} (plane {}, port {}): {} unresolved, window {}, {} time-outs in a row",
                p.path, p.plane, p.entropy, p.unresolved, p.window, p.timeouts
            )
        };
        paths
            .iter()
            .filter(|p| p.unresolved > 0)
            .map(describe)
            .collect()
    }
}

fn build_hosts(
    scenario: &Scenario,
    network: &Network,
    flows: &[Flow],
    random: &mut ChaCha8Rng,
    foreign: &mut dyn ForeignHosts,
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Vec<Box<dyn Host>>, ForeignError> {
    match scenario.transport.kind {
        Kind::Metaroce => metaroce::build(scenario, network, flows, random, foreign, go_on),
        Kind::GoBackN | Kind::SelectiveRepeat => {
            let hosts = baseline::build(scenario, flows, random);
            Ok(hosts
                .into_iter()
                .map(|h| Box::new(h) as Box<dyn Host>)
                .collect())
        }
    }
}
