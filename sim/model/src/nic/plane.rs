//! Planes: suspected when several of their paths fall silent, probed, and brought back with a ramp.
use super::{Extra, Nic, PathState};
use crate::send::Probe;
use crate::wire::{Body, Incoming, Outgoing};

/// Time-outs in a row that count against a plane (ours): one may be a lost probe and a lost tail, two are rarely.
const TIMEOUTS: u32 = 2;
/// Steps of the ramp: the window doubles at each, from 1 to 256 packets.
const RAMP_STEPS: u32 = 8;

/// What the sender thinks of a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Health {
    /// It carries data.
    #[default]
    Up,
    /// It carries probes only.
    Suspect {
        /// Probes answered in a row.
        answered: u32,
    },
    /// It carries data, within a window that grows.
    Recovering {
        /// Since when.
        since: u32,
    },
}

impl Nic {
    /// What this sender thinks of a plane.
    pub fn health(&self, plane: u32) -> Health {
        self.health[plane as usize]
    }

    pub(super) fn is_suspect(&self, path: &PathState) -> bool {
        matches!(
            self.health(path.config.plane.into()),
            Health::Suspect { .. }
        )
    }

    /// New packets that a path may be given.
    pub(super) fn usable_headroom(&self, path: &PathState) -> u32 {
        if path.is_open() && !self.is_suspect(path) {
            path.send.headroom(self.window(path))
        } else {
            0
        }
    }

    /// Packets that a recovering plane allows a path.
    pub(super) fn ramp(&self, path: &PathState) -> u32 {
        match self.health(path.config.plane.into()) {
            Health::Recovering { since } => 1 << self.ramp_step(since),
            _ => u32::MAX,
        }
    }

    fn ramp_step(&self, since: u32) -> u32 {
        let ticks = self.options.ramp_ticks.max(1);
        (self.clock.wrapping_sub(since) / ticks).min(RAMP_STEPS)
    }

    /// The time: planes at the end of their ramp are up.
    pub(super) fn advance_ramps(&mut self) {
        for plane in 0..self.health.len() {
            if let Health::Recovering { since } = self.health[plane]
                && self.ramp_step(since) >= RAMP_STEPS
            {
                self.health[plane] = Health::Up;
            }
        }
    }

    /// A path was silent for a time-out.
    pub(super) fn on_path_timeout(&mut self, path: u32) {
        let state = self.path(path);
        let (plane, timeouts) = (state.config.plane, state.send.timeouts_in_row());
        let entropy = state.config.entropy;
        let silent = self.paths.iter().flatten().filter(|s| {
            s.config.plane == plane && s.is_open() && s.send.timeouts_in_row() >= TIMEOUTS
        });
        let enough = self.options.suspect_paths > 0
            && silent.count() >= self.options.suspect_paths as usize
            && self.has_another_plane(plane);
        if enough {
            self.suspect(plane);
        } else if self.options.reroute_after > 0 && timeouts >= self.options.reroute_after {
            self.reroute(path, next_entropy(entropy));
        }
    }

    fn has_another_plane(&self, plane: u8) -> bool {
        let mut others = self.paths.iter().flatten();
        others.any(|s| s.config.plane != plane && s.is_open() && !self.is_suspect(s))
    }

    /// All load of a plane moves at once: every epoch on it ends.
    fn suspect(&mut self, plane: u8) {
        self.health[usize::from(plane)] = Health::Suspect { answered: 0 };
        self.extra.count(Extra::PlanesSuspected);
        for path in 0..self.paths.len() as u32 {
            if let Some(state) = &self.paths[path as usize]
                && state.config.plane == plane
            {
                self.reroute(path, state.config.entropy);
            }
        }
    }

    /// The probe that an open path on a suspect plane sends once a time-out.
    pub(super) fn plane_probe(&mut self, path: u32, now: u32) -> Option<Outgoing> {
        let rto = self.tunables.rto;
        let state = self.path_mut(path);
        if !state.is_open() || now.wrapping_sub(state.send.last_tx()) < rto {
            return None;
        }
        let unanswered = state.send.unresolved() > 0;
        state.send.forget_probes();
        let psn = state.send.next_psn;
        let tsn = state.send.send_probe(Probe::Tail, now);
        let plane = usize::from(state.config.plane);
        if unanswered && let Health::Suspect { answered } = &mut self.health[plane] {
            *answered = 0;
        }
        self.extra.count(Extra::TxPlaneProbes);
        let frame = Incoming {
            timestamp: now,
            ack_request: true,
            ..self.header(path, psn, tsn, Body::Probe)
        };
        Some(self.address(path, frame))
    }

    /// An ACK came back over a plane.
    pub(super) fn on_plane_answer(&mut self, path: u32, now: u32) {
        let state = self.path(path);
        let (plane, open) = (usize::from(state.config.plane), state.is_open());
        let Health::Suspect { answered } = &mut self.health[plane] else {
            return;
        };
        *answered += u32::from(open);
        if *answered >= self.options.recovery_probes.max(1) {
            self.health[plane] = Health::Recovering { since: now };
            self.extra.count(Extra::PlanesRecovered);
        }
    }
}

/// Another port of the dynamic range (RFC 6335), far from this one.
pub(super) fn next_entropy(entropy: u16) -> u16 {
    0xC000 | entropy.wrapping_add(0x0E35)
}
