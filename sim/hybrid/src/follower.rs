//! The model in a NIC's place: it commits when a schedule says, and computes what.
use std::collections::VecDeque;

use metaroce_cosim::axi_lite::{Access, Answer};
use metaroce_cosim::axi_mem::{Memory, SharedMemory};
use metaroce_cosim::lockstep::{Lockstep, Mismatch};
use metaroce_cosim::station::Failure;
use metaroce_protocol::registers as map;
use metaroce_protocol::table::host::Capabilities;

use crate::machine::{Cycle, Machine};
use crate::schedule::Entry;

/// The model, without any NIC.
pub struct Follower {
    name: String,
    capabilities: Capabilities,
    memory: SharedMemory,
    lockstep: Lockstep,
    schedule: Vec<Entry>,
    /// Entries that are over.
    done: usize,
    /// Register writes that have not taken effect.
    writes: VecDeque<(u32, u32)>,
    answers: Vec<Answer>,
    /// Cycles since set-up, once that is over.
    cycle: Option<u64>,
    start_time: u32,
}

impl Follower {
    /// Of a NIC with these capabilities, whose clock starts from `start_time`.
    pub fn new(
        name: &str,
        capabilities: Capabilities,
        start_time: u32,
        schedule: Vec<Entry>,
    ) -> Self {
        let memory: SharedMemory = Memory::new().into();
        Self {
            name: name.into(),
            capabilities,
            lockstep: Lockstep::new(name, capabilities, memory.clone()),
            memory,
            schedule,
            done: 0,
            writes: VecDeque::new(),
            answers: Vec::new(),
            cycle: None,
            start_time,
        }
    }

    /// What a driver reads while it sets up: an entry of a table stands at once.
    fn read(&self, offset: u32) -> u32 {
        match offset {
            o if o == map::ID.offset => map::ID_VALUE,
            o if o == map::VERSION.offset => map::VERSION_VALUE,
            o if o == map::CAPABILITIES.word(0) => self.capabilities.to_words()[0],
            o if o == map::CAPABILITIES.word(1) => self.capabilities.to_words()[1],
            _ => 0,
        }
    }

    fn differs(&self, what: &str, expected: &str, found: &str) -> Failure {
        Failure::Mismatch(Mismatch {
            nic: self.name.as_str().into(),
            cycle: self.cycle.unwrap_or(0),
            plane: None,
            what: what.into(),
            expected: expected.into(),
            found: found.into(),
            frames: None,
        })
    }

    fn follow(&mut self, entry: &Entry) -> Result<Cycle, Failure> {
        for _ in 0..entry.writes {
            let write = self.writes.pop_front();
            let (offset, value) =
                write.ok_or_else(|| self.differs("register write", "none", "one"))?;
            self.lockstep.on_register_write(offset, value)?;
        }
        self.lockstep.on_commits(&entry.commits(), entry.cycle)?;
        let mut cycle = Cycle {
            accepted: self.lockstep.accepted(),
            completions: entry.completions,
            ..Cycle::default()
        };
        for &(plane, answer) in &entry.frames {
            let plane = plane as usize;
            let frame = self.lockstep.take_frame(plane, answer)?;
            cycle.frames.push((plane, frame));
        }
        if !self.lockstep.place_all() {
            return Err(self.differs("placement", "outside host memory", "accepted"));
        }
        for _ in 0..entry.completions {
            let (address, cqe) = self.lockstep.take_completion()?;
            let mut memory = self.memory.borrow_mut();
            let place = memory.bytes_mut(address, cqe.len());
            let place =
                place.ok_or_else(|| self.differs("completion", "outside host memory", "one"))?;
            place.copy_from_slice(&cqe);
        }
        Ok(cycle)
    }
}

impl Machine for Follower {
    fn memory(&self) -> &SharedMemory {
        &self.memory
    }

    fn access(&mut self, access: Access) {
        let value = match access {
            Access::Read(offset) => self.read(offset),
            Access::Write(offset, value) if self.cycle.is_some() => {
                return self.writes.push_back((offset, value));
            }
            Access::Write(offset, value) => {
                let written = self.lockstep.on_register_write(offset, value);
                let written = written.and_then(|()| self.lockstep.configure_now(self.start_time));
                written.expect("an entry that was just asked for");
                0
            }
        };
        self.answers.push(Answer {
            access,
            value,
            response: 0,
        });
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
        self.lockstep.on_frame_in(plane, &frame);
    }

    /// The schedule has it already.
    fn hold(&mut self, _planes: u32) {}

    fn cycle(&mut self) -> Result<Cycle, Failure> {
        let Some(cycle) = self.cycle else {
            return Ok(Cycle::default());
        };
        let entry = self.schedule.get(self.done).filter(|e| e.cycle == cycle);
        let result = match entry.cloned() {
            Some(entry) => {
                self.done += 1;
                self.follow(&entry)
            }
            None => Ok(Cycle::default()),
        };
        self.cycle = Some(cycle + 1);
        result
    }

    fn lockstep(&self) -> &Lockstep {
        &self.lockstep
    }

    fn schedule(&self) -> &[Entry] {
        &self.schedule
    }

    fn total_cycles(&self) -> u64 {
        self.cycle.unwrap_or(0)
    }
}
