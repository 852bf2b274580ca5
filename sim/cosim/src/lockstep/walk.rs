//! The background walk passes over no path that may want a probe.
use std::collections::BTreeMap;

use super::{Lockstep, Mismatch, Outcome};

/// Cycles between two checks.
const EVERY: u64 = 1_024;

/// Since when paths with something unresolved have not been looked at.
#[derive(Debug, Default)]
pub(super) struct Unlooked(BTreeMap<u32, u64>);

impl Unlooked {
    /// Something was sent on the path.
    pub fn sent(&mut self, path: u32, cycle: u64) {
        self.0.entry(path).or_insert(cycle);
    }

    /// The walk looked at it, and found something unresolved or not.
    pub fn looked(&mut self, path: u32, unresolved: bool, cycle: u64) {
        self.0.remove(&path);
        if unresolved {
            self.sent(path, cycle);
        }
    }
}

impl Lockstep {
    /// A round is as many looks as there are paths at most, two cycles each if as many paths enter it; configuration holds it up for a while.
    /// For whoever tells every look, and not only those that end in a probe.
    pub fn check_walk(&mut self) -> Outcome {
        if !self.cycle.is_multiple_of(EVERY) {
            return Ok(());
        }
        let paths = u64::from(self.size.connections * self.size.paths);
        let longest = 2 * paths + 4 * EVERY;
        let (nic, cycle) = (&self.nic, self.cycle);
        let wants = |&path: &u32| {
            let send = nic.send_path(path);
            send.is_some_and(|send| send.unresolved() > 0)
                && nic.failure(path / self.size.paths).is_none()
        };
        self.unlooked.0.retain(|path, _| wants(path));
        let late = self
            .unlooked
            .0
            .iter()
            .find(|&(_, &since)| cycle - since > longest);
        late.map_or(Ok(()), |(path, since)| Err(self.passed_over(*path, *since)))
    }

    fn passed_over(&self, path: u32, since: u64) -> Mismatch {
        let expected = format!("path {path}, unresolved since cycle {since}");
        self.differs("trace_judge_path", expected, "none of its looks")
    }
}
