//! The NIC itself, in lockstep with the model.
use metaroce_cosim::axi_lite::{Access, Answer};
use metaroce_cosim::axi_mem::SharedMemory;
use metaroce_cosim::explain::is_answer;
use metaroce_cosim::lockstep::Lockstep;
use metaroce_cosim::station::{Failure, Station};

use crate::machine::{Cycle, Machine};
use crate::schedule::{Entry, insert_judgement};

/// A verilated NIC, and when its engines committed.
pub struct Verilated {
    station: Station,
    answers: Vec<Answer>,
    /// Cycles since set-up, once that is over.
    cycle: Option<u64>,
    completions: u64,
    schedule: Vec<Entry>,
    total: u64,
}

impl Verilated {
    /// A NIC fresh from reset.
    pub fn new(station: Station) -> Self {
        Self {
            station,
            answers: Vec::new(),
            cycle: None,
            completions: 0,
            schedule: Vec::new(),
            total: 0,
        }
    }

    /// The NIC, to plant faults and look at.
    pub fn station_mut(&mut self) -> &mut Station {
        &mut self.station
    }

    fn record(&mut self, cycle: u64, frames: &[(usize, Vec<u8>)], writes: u32, completions: u32) {
        let frames = frames.iter();
        let entry = Entry {
            writes,
            frames: frames.map(|(k, f)| (*k as u32, is_answer(f))).collect(),
            completions,
            ..Entry::new(cycle, self.station.commits())
        };
        if let Some((cycle, now, judge)) = entry.judgement() {
            insert_judgement(&mut self.schedule, cycle, now, judge);
        }
        if !entry.is_empty() {
            self.schedule.push(entry);
        }
    }
}

impl Machine for Verilated {
    fn memory(&self) -> &SharedMemory {
        self.station.memory()
    }

    fn access(&mut self, access: Access) {
        self.station.access(access);
    }

    fn take_answers(&mut self) -> Vec<Answer> {
        std::mem::take(&mut self.answers)
    }

    fn begin(&mut self) {
        self.cycle = Some(0);
    }

    fn is_running(&self) -> bool {
        self.cycle.is_some()
    }

    fn deliver(&mut self, plane: usize, frame: Vec<u8>) {
        self.station.deliver(plane, frame);
    }

    fn hold(&mut self, planes: u32) {
        self.station.hold(planes);
    }

    fn cycle(&mut self) -> Result<Cycle, Failure> {
        let stepped = self.station.cycle();
        self.total += 1;
        // A follower shall come as far as the NIC came.
        let frames = stepped.as_ref().map_or(&[][..], Vec::as_slice).to_vec();
        let answers = self.station.take_answers();
        let writes = answers.iter();
        let writes = writes.filter(|a| matches!(a.access, Access::Write(..)));
        let writes = writes.count() as u32;
        self.answers.extend(answers);
        let before = self.completions;
        self.completions = self.station.lockstep().tally.completions;
        let completions = (self.completions - before) as u32;
        if let Some(cycle) = self.cycle {
            self.record(cycle, &frames, writes, completions);
            self.cycle = Some(cycle + 1);
        }
        stepped?;
        Ok(Cycle {
            frames,
            accepted: self.station.lockstep().accepted(),
            completions,
        })
    }

    fn lockstep(&self) -> &Lockstep {
        self.station.lockstep()
    }

    fn schedule(&self) -> &[Entry] {
        &self.schedule
    }

    fn total_cycles(&self) -> u64 {
        self.total
    }
}
