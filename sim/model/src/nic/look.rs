//! What a look at a path saw: hardware chooses by its records as they were some cycles before it sends.
use std::collections::VecDeque;

use super::follow::Judged;

/// Cycles that are remembered: more than from a look to its commit.
const KEPT: u64 = 12;

/// What a path may send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Transmissions.
    pub pipe: u32,
    /// New packets.
    pub new: u32,
}

/// A choice that was committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chosen {
    /// Path number in its connection.
    pub number: u32,
    pub plane: u32,
    /// It is a time-out's.
    pub timeout: bool,
}

/// The newest cycles: what changed, and what it was before.
#[derive(Debug, Default)]
pub(super) struct Looks {
    cycle: u64,
    rooms: VecDeque<(u64, (u32, Room))>,
    choices: VecDeque<(u64, Chosen)>,
    judged: VecDeque<(u64, Judged)>,
    failures: VecDeque<(u64, u32)>,
    measured: VecDeque<(u64, (u32, Option<u32>))>,
}

fn forget<T>(entries: &mut VecDeque<(u64, T)>, before: u64) {
    while entries.front().is_some_and(|entry| entry.0 < before) {
        entries.pop_front();
    }
}

impl Looks {
    /// A cycle begins; later than the one before.
    pub fn begin(&mut self, cycle: u64) {
        self.cycle = cycle;
        let oldest = cycle.saturating_sub(KEPT);
        forget(&mut self.rooms, oldest);
        forget(&mut self.choices, oldest);
        forget(&mut self.judged, oldest);
        forget(&mut self.failures, oldest);
        forget(&mut self.measured, oldest);
    }

    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// The room of a path is about to change.
    pub fn changes(&mut self, path: u32, before: Room) {
        self.rooms.push_back((self.cycle, (path, before)));
    }

    /// What it was when the cycle `ago` began; `None`: what it is.
    pub fn room(&self, path: u32, ago: u64) -> Option<Room> {
        self.before(&self.rooms, path, ago)
    }

    /// The measured time-out of a path is about to change.
    pub fn measures(&mut self, path: u32, before: Option<u32>) {
        self.measured.push_back((self.cycle, (path, before)));
    }

    /// What it was when the cycle `ago` began; `None`: what it is.
    pub fn measured(&self, path: u32, ago: u64) -> Option<Option<u32>> {
        self.before(&self.measured, path, ago)
    }

    fn before<T: Copy>(&self, log: &VecDeque<(u64, (u32, T))>, path: u32, ago: u64) -> Option<T> {
        let since = log.iter().filter(|entry| entry.0 + ago >= self.cycle);
        let mut changes = since.map(|entry| entry.1).filter(|entry| entry.0 == path);
        changes.next().map(|(_, before)| before)
    }

    pub fn choose(&mut self, chosen: Chosen) {
        self.choices.push_back((self.cycle, chosen));
    }

    /// Choices committed from `first` to `last` cycles ago.
    pub fn choices(&self, first: u64, last: u64) -> impl Iterator<Item = &Chosen> {
        let ages = last..=first;
        let choices = self.choices.iter();
        let young = choices.filter(move |entry| ages.contains(&(self.cycle - entry.0)));
        young.map(|entry| &entry.1)
    }

    pub fn judge(&mut self, judged: Judged) {
        self.judged.push_back((self.cycle, judged));
    }

    /// The path judged `ago` cycles ago, if it wants something.
    pub fn judged(&self, ago: u64) -> Option<Judged> {
        let mut judged = self.judged.iter();
        let found = judged.find(|entry| entry.0 + ago == self.cycle);
        found.map(|entry| entry.1)
    }

    pub fn fail(&mut self, connection: u32) {
        self.failures.push_back((self.cycle, connection));
    }

    /// Whether a connection that has failed now did so since the cycle `ago` began.
    pub fn failed_since(&self, connection: u32, ago: u64) -> bool {
        let mut failures = self.failures.iter();
        failures.any(|entry| entry.1 == connection && entry.0 + ago >= self.cycle)
    }
}
