//! When hardware's congestion control hears of something, and when its word counts: both some cycles late (docs/architecture.md,
//! "Congestion"). A model that follows nobody hears and obeys at once.
use std::collections::{BTreeMap, VecDeque};

use super::{Nic, PathState};
use crate::config::Congestion;
use crate::congestion::{AimdSettings, DelaySettings, Fixed, ONE};

/// Largest window that is told, in packets.
const LARGEST: u32 = 256;
/// From the ACK that measures a round trip to the judgement that knows it.
const MEASURED: u64 = 4;

/// From the cycle in which a law hears of an event to that in which its window is told.
const TOLD: u64 = 15;

/// A window on its way to its sender.
#[derive(Clone, Copy, Debug)]
struct Coming {
    /// The cycle in which it is told.
    due: u64,
    path: u32,
    packets: u32,
}

/// A time-out that waits for a cycle without an applied ACK.
#[derive(Clone, Copy, Debug)]
struct Late {
    path: u32,
    now: u32,
    /// The first cycle in which it may be heard.
    from: u64,
}

/// What is on its way in hardware's congestion control.
#[derive(Debug, Default)]
pub(super) struct Hearing {
    /// It listens: there is a law, or round trips are measured.
    listens: bool,
    /// By path: its window, as far as its sender knows.
    windows: BTreeMap<u32, u32>,
    coming: VecDeque<Coming>,
    late: Option<Late>,
    /// The last cycle in which an ACK was applied.
    applied: Option<u64>,
}

impl Nic {
    /// What the registers of congestion control say: for paths that begin from now on.
    pub fn set_congestion(&mut self, congestion: &Congestion) {
        let Congestion {
            law,
            first,
            cap,
            increase,
            decrease,
            margin_log2,
            gain,
            rto_floor,
        } = *congestion;
        self.set_law(match law {
            1 => Box::new(AimdSettings {
                first,
                cap,
                increase,
                decrease,
                coupled: false,
            }),
            2 => Box::new(DelaySettings {
                first,
                cap,
                increase,
                margin_log2,
                gain,
            }),
            _ => Box::new(Fixed),
        });
        self.options.rto_floor = rto_floor;
        self.hearing.listens = law != 0 || rto_floor != 0;
    }

    /// Whether events and windows take hardware's time.
    fn is_late(&self) -> bool {
        self.looks.is_some() && self.hearing.listens
    }

    /// The window engine tells a path's window in this cycle, in packets. `None`: it tells none.
    pub fn tell_window(&mut self) -> Option<(u32, u32)> {
        let cycle = self.looks.as_ref()?.cycle();
        let due = self.hearing.coming.front()?.due == cycle;
        let Coming { path, packets, .. } =
            due.then(|| self.hearing.coming.pop_front()).flatten()?;
        self.remember(path);
        self.hearing.windows.insert(path, packets);
        Some((path, packets))
    }

    /// The law's window in whole packets, as the path's sender knows it.
    pub(super) fn told_window(&self, path: u32) -> u32 {
        match self.hearing.windows.get(&path) {
            Some(&told) => told,
            None => self.law_window(path),
        }
    }

    fn law_window(&self, path: u32) -> u32 {
        (self.path(path).law.window() / ONE).min(LARGEST)
    }

    /// A path begins.
    pub(super) fn forget_windows(&mut self, path: u32) {
        self.hearing.windows.remove(&path);
        self.hearing.coming.retain(|coming| coming.path != path);
    }

    /// An ACK is applied: its law is about to hear of it.
    pub(super) fn before_ack(&mut self, path: u32) {
        if self.is_late() {
            let looks = self.looks();
            self.hearing.applied = Some(looks.cycle());
            let measured = self.path(path).rtt.timeout();
            self.looks().measures(path, measured);
            self.keep_window(path);
        }
    }

    /// The window before an event, unless it is known.
    fn keep_window(&mut self, path: u32) {
        let told = self.law_window(path);
        self.hearing.windows.entry(path).or_insert(told);
    }

    /// Its law has heard of an ACK.
    pub(super) fn after_ack(&mut self, path: u32) {
        if self.is_late() {
            let cycle = self.looks().cycle();
            self.comes(path, cycle);
        }
    }

    /// Its law heard of something in this cycle.
    fn comes(&mut self, path: u32, heard: u64) {
        self.hearing.coming.push_back(Coming {
            due: heard + TOLD,
            path,
            packets: self.law_window(path),
        });
    }

    /// A time-out's probe is sent.
    pub(super) fn on_law_timeout(&mut self, path: u32, now: u32) {
        if self.is_late() {
            let from = self.looks().cycle() + 1;
            self.hearing.late = Some(Late { path, now, from });
        } else {
            self.path_mut(path).law.on_timeout(now);
        }
    }

    /// A cycle begins: a time-out has been heard in the first cycle after it in which no ACK was applied.
    pub(super) fn hear_late(&mut self, cycle: u64) {
        let Some(mut late) = self.hearing.late.take() else {
            return;
        };
        if self.hearing.applied == Some(late.from) {
            late.from += 1;
        }
        if late.from >= cycle {
            self.hearing.late = Some(late);
            return;
        }
        self.keep_window(late.path);
        self.path_mut(late.path).law.on_timeout(late.now);
        self.comes(late.path, late.from);
    }

    /// The time-out that a judgement goes by.
    pub(super) fn judged_rto(&self, path: u32, state: &PathState) -> u32 {
        let looks = self.looks.as_ref();
        let seen = looks.and_then(|looks| looks.measured(path, MEASURED));
        self.rto_by(seen.unwrap_or_else(|| state.rtt.timeout()))
    }
}
