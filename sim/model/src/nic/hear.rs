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

/// The window of a path, as far as its sender knows, and those on their way.
#[derive(Debug)]
struct Window {
    told: u32,
    coming: VecDeque<u32>,
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
    windows: BTreeMap<u32, Window>,
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

    /// The window engine tells the window of a path after the oldest of its events that it has not told of; `None`: there is none.
    pub fn tell_window(&mut self, path: u32) -> Option<u32> {
        let next = self.hearing.windows.get_mut(&path)?.coming.pop_front()?;
        self.remember(path);
        self.hearing.windows.get_mut(&path)?.told = next;
        Some(next)
    }

    /// The law's window in whole packets, as the path's sender knows it.
    pub(super) fn told_window(&self, path: u32) -> u32 {
        match self.hearing.windows.get(&path) {
            Some(window) => window.told,
            None => self.law_window(path),
        }
    }

    fn law_window(&self, path: u32) -> u32 {
        (self.path(path).law.window() / ONE).min(LARGEST)
    }

    /// A path begins.
    pub(super) fn forget_windows(&mut self, path: u32) {
        self.hearing.windows.remove(&path);
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
        let coming = VecDeque::new();
        let window = Window { told, coming };
        self.hearing.windows.entry(path).or_insert(window);
    }

    /// Its law has heard of an event.
    pub(super) fn after_event(&mut self, path: u32) {
        let next = self.law_window(path);
        if self.is_late()
            && let Some(window) = self.hearing.windows.get_mut(&path)
        {
            window.coming.push_back(next);
        }
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
        self.after_event(late.path);
    }

    /// The time-out that a judgement goes by.
    pub(super) fn judged_rto(&self, path: u32, state: &PathState) -> u32 {
        let looks = self.looks.as_ref();
        let seen = looks.and_then(|looks| looks.measured(path, MEASURED));
        self.rto_by(seen.unwrap_or_else(|| state.rtt.timeout()))
    }
}
