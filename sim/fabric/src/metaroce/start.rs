//! How many paths a connection starts with, and how wide their windows may grow.
use metaroce_model::config::paths_for;
use metaroce_model::congestion::{AckEvent, AimdSettings, DelaySettings, Law, LawSettings, ONE};

use super::setup::{line_rate, opcode};
use super::{TICK, data_frame_bytes};
use crate::limit::Limit;
use crate::packet::HostId;
use crate::scenario::{self, Scenario, Transport};
use crate::workload::Flow;

/// A connection's start.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start {
    /// Its paths.
    pub paths: u32,
    /// Their widest window, packets.
    window: u32,
}

impl Start {
    /// As the scenario says; with `bootstrap_window` from the round trip, which connection set-up measures on a quiet fabric.
    /// Many paths of narrow windows spread best; only where those are too many for the round trip the windows are wide.
    pub fn of(scenario: &Scenario, limit: &Limit<'_>, (from, to): (HostId, HostId)) -> Self {
        let t = &scenario.transport;
        let wide = Self {
            paths: t.paths,
            window: t.window,
        };
        if t.bootstrap_window == 0 {
            return wide;
        }
        let bytes = t.mtu.0;
        let flow = Flow {
            from,
            to,
            bytes,
            start: 0,
            after: Vec::new(),
        };
        let round_trip = (limit.round_trip(&flow) / TICK) as u32;
        let packet = data_frame_bytes(bytes as u32, opcode(t));
        let paths = |window| {
            let planes = scenario.fabric.planes;
            paths_for(round_trip, line_rate(scenario), packet, window, planes)
        };
        let (narrow, most) = (paths(t.bootstrap_window), t.paths);
        if narrow < most {
            Self {
                paths: narrow,
                window: t.bootstrap_window,
            }
        } else {
            let paths = paths(t.window).min(most);
            Self { paths, ..wide }
        }
    }

    /// What moves its windows.
    pub fn law(self, t: &Transport) -> Box<dyn LawSettings> {
        let (cap, first) = (self.window, t.first_window.min(self.window));
        match t.law {
            scenario::Law::Fixed => Box::new(Capped(cap)),
            scenario::Law::Aimd => Box::new(AimdSettings {
                first,
                cap,
                increase: 256 * t.increase,
                coupled: t.coupled,
                ..AimdSettings::default()
            }),
            scenario::Law::Delay => Box::new(DelaySettings {
                first,
                cap,
                increase: 256 * t.increase,
                ..DelaySettings::default()
            }),
        }
    }
}

/// A window of so many packets, whatever happens.
#[derive(Clone, Copy, Debug)]
struct Capped(u32);

impl LawSettings for Capped {
    fn start(&self, _: u32) -> Box<dyn Law> {
        Box::new(*self)
    }
}

impl Law for Capped {
    fn on_ack(&mut self, _: &AckEvent) {}

    fn on_loss(&mut self, _: u32) {}

    fn on_timeout(&mut self, _: u32) {}

    fn window(&self) -> u32 {
        self.0 * ONE
    }
}
