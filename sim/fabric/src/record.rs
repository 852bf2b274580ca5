//! What is looked at while a simulation runs: samples over time, and the marks of a failure.
use crate::host::Host;
use crate::network::Network;
use crate::outcome::{Recovery, microseconds};
use crate::packet::{HostId, Packet};
use crate::scenario::Scenario;
use crate::trace::Trace;
use crate::units::Time;
use crate::workload::Flow;

/// Time between two samples where failures are to be timed (ours): a round trip or so.
const FAILURE_INTERVAL: Time = 10_000_000;

/// What was seen at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// When.
    pub at: Time,
    /// Bytes of whole data frames that hosts received since the last sample, by plane.
    pub received: Vec<u64>,
    /// Packets in the longest queue of a switch.
    pub queue: usize,
    /// Window and packets under way of each path of the first flow.
    pub paths: Vec<(u32, u32)>,
}

/// Everything that was seen.
#[derive(Clone, Debug, Default)]
pub struct Record {
    /// Time between two samples; 0: none.
    pub interval: Time,
    /// In order.
    pub samples: Vec<Sample>,
    /// The frames of one connection.
    pub trace: Trace,
    /// Bytes of whole data frames since the last sample, by plane.
    received: Vec<u64>,
    /// All of them.
    total: Vec<u64>,
    watch_failures: bool,
    /// By host: planes suspected so far; when that last changed.
    suspected: Vec<(u64, Option<Time>)>,
}

impl Record {
    /// For a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let planes = scenario.fabric.planes as usize;
        let failures = !scenario.failure.is_empty();
        Self {
            interval: if failures { FAILURE_INTERVAL } else { 0 },
            received: vec![0; planes],
            total: vec![0; planes],
            watch_failures: failures,
            suspected: vec![(0, None); scenario.fabric.hosts() as usize],
            ..Self::default()
        }
    }

    /// A packet reaches its host.
    pub fn on_received(&mut self, packet: &Packet, now: Time) {
        self.trace.on_packet(packet, now, true);
        if packet.is_data() {
            self.received[usize::from(packet.plane)] += u64::from(packet.bytes);
        }
    }

    /// A host sends a packet.
    pub fn on_sent(&mut self, packet: &Packet, now: Time) {
        self.trace.on_packet(packet, now, false);
    }

    /// A host has done what it could.
    pub fn on_pumped(&mut self, id: HostId, host: &dyn Host, now: Time) {
        if self.watch_failures {
            let suspected = host.counts().planes_suspected;
            let seen = &mut self.suspected[id as usize];
            if suspected > seen.0 {
                *seen = (suspected, Some(now));
            }
        }
    }

    /// Takes a sample.
    pub fn sample(&mut self, at: Time, network: &Network, hosts: &[Box<dyn Host>], flows: &[Flow]) {
        let queue = network.ports.iter().map(|p| p.packets()).max().unwrap_or(0);
        let first = &flows[0];
        let paths = hosts[first.from as usize].paths(first.to);
        for (total, received) in self.total.iter_mut().zip(&self.received) {
            *total += received;
        }
        self.samples.push(Sample {
            at,
            received: self.received.clone(),
            queue,
            paths: paths.iter().map(|p| (p.window, p.unresolved)).collect(),
        });
        self.received.fill(0);
    }

    /// Bytes of whole data frames by plane against their mean.
    pub fn plane_share(&self) -> Vec<f64> {
        let totals: Vec<f64> = (self.total.iter().zip(&self.received))
            .map(|(a, b)| (a + b) as f64)
            .collect();
        let mean = totals.iter().sum::<f64>() / totals.len() as f64;
        totals.iter().map(|t| t / mean.max(1.0)).collect()
    }

    /// What the first failure did.
    pub fn recovery(&self, scenario: &Scenario) -> Option<Recovery> {
        let failure = scenario.failure.first()?;
        let since = |at: Time, from: Time| microseconds(at.saturating_sub(from));
        let noticed = self.suspected.iter().filter_map(|s| s.1);
        let before = self.rate_before(failure.at.0);
        let planes = f64::from(scenario.fabric.planes);
        let rest = before * (planes - 1.0) / planes;
        Some(Recovery {
            noticed_first_us: noticed.clone().min().map(|t| since(t, failure.at.0)),
            noticed_last_us: noticed.max().map(|t| since(t, failure.at.0)),
            rest_at_line_rate_us: self
                .reaches(failure.at.0, 0.95 * rest)
                .map(|t| since(t, failure.at.0)),
            all_at_line_rate_us: failure.until.and_then(|until| {
                self.reaches(until.0, 0.95 * before)
                    .map(|t| since(t, until.0))
            }),
        })
    }

    /// Bytes of a sample, mean of the last ten before a time.
    fn rate_before(&self, at: Time) -> f64 {
        let before = self.samples.iter().rev().filter(|s| s.at <= at).take(10);
        let bytes: Vec<u64> = before.map(|s| s.received.iter().sum()).collect();
        bytes.iter().sum::<u64>() as f64 / bytes.len().max(1) as f64
    }

    /// The first time after `from` from which two samples in a row hold so many bytes. The first sample holds older bytes.
    fn reaches(&self, from: Time, bytes: f64) -> Option<Time> {
        let enough = |s: &Sample| s.received.iter().sum::<u64>() as f64 >= bytes;
        let after = self
            .samples
            .windows(2)
            .filter(|w| w[0].at >= from + 2 * self.interval);
        after
            .filter(|w| enough(&w[0]) && enough(&w[1]))
            .map(|w| w[0].at)
            .next()
    }
}
