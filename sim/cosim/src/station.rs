//! One verilated NIC with its buses, its host memory, and the lockstep that follows it.
use metaroce_protocol::table::host::Capabilities;
use verilator_sys::ModelError;

use crate::axi_lite::{self, AxiLiteMaster};
use crate::axi_mem::{AxiMemory, Memory, SharedMemory, Timing};
use crate::axis::{AxisSink, AxisSource};
use crate::bus::{Agent, Pace, Stalls, Violation};
use crate::lockstep::{Lockstep, Mismatch};
use crate::model::{PortId, VerilatedModel};
use crate::trace::{Commits, TracePorts};

/// Cycles of reset.
const RESET_CYCLES: u32 = 4;

/// How the surroundings of a NIC behave.
#[derive(Clone, Copy, Debug)]
pub struct Surroundings {
    /// How often its buses wait.
    pub pace: Pace,
    /// Largest latency of host memory, cycles.
    pub memory_latency: u64,
    /// Decides all of it.
    pub seed: u64,
    /// What the NIC's clock starts from.
    pub start_time: u32,
}

/// A fault planted on purpose: one bit of payload that the NIC reads from its host turns, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plant {
    /// First cycle in which it may happen.
    pub cycle: u64,
}

/// Why a simulation can't go on.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Hardware and model differ.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// A bus rule is broken.
    #[error("NIC {nic}, cycle {}: {}: {}", .violation.cycle, .violation.rule, .violation.detail)]
    Violation {
        /// The NIC's name.
        nic: String,
        /// The rule and how it was broken.
        violation: Violation,
    },
    /// The verilated model failed.
    #[error("the verilated NIC failed: {0}")]
    Model(#[from] ModelError),
}

impl Failure {
    /// The cycle in which it shows, if it has one.
    pub fn cycle(&self) -> Option<u64> {
        match self {
            Failure::Mismatch(mismatch) => Some(mismatch.cycle),
            Failure::Violation { violation, .. } => Some(violation.cycle),
            Failure::Model(_) => None,
        }
    }

    /// The plane on which it shows, if it does on one.
    pub fn plane(&self) -> Option<usize> {
        match self {
            Failure::Mismatch(mismatch) => mismatch.plane,
            _ => None,
        }
    }

    /// The NIC that failed, if one did.
    pub fn nic(&self) -> Option<&str> {
        match self {
            Failure::Mismatch(mismatch) => Some(&mismatch.nic),
            Failure::Violation { nic, .. } => Some(nic),
            Failure::Model(_) => None,
        }
    }
}

/// A NIC under test.
pub struct Station {
    name: String,
    model: VerilatedModel,
    rx: Vec<AxisSource>,
    tx: Vec<AxisSink>,
    payload: Vec<AxiMemory>,
    control: AxiMemory,
    registers: AxiLiteMaster,
    memory: SharedMemory,
    trace: TracePorts,
    lockstep: Lockstep,
    plant: Option<Plant>,
    payload_read: [PortId; 2],
    answers: Vec<axi_lite::Answer>,
    commits: Commits,
    quiet_for: u64,
}

impl Station {
    /// Puts a freshly built model of such a NIC into its surroundings and resets it.
    pub fn new(
        name: &str,
        mut model: VerilatedModel,
        capabilities: Capabilities,
        surroundings: &Surroundings,
    ) -> Result<Self, Failure> {
        let memory: SharedMemory = Memory::new().into();
        let mut seeds = Seeds {
            pace: surroundings.pace,
            next: surroundings.seed.wrapping_mul(1_000),
        };
        let latency = surroundings.memory_latency;
        let port = |prefix: &str, model: &VerilatedModel, seeds: &mut Seeds| {
            let timing = Timing::paced(seeds.pace, 0..=latency, seeds.draw());
            AxiMemory::new(model, prefix, memory.clone(), timing)
        };
        let planes = 0..u32::from(capabilities.planes);
        let rx = planes
            .clone()
            .map(|k| AxisSource::new(&model, &format!("rx_axis_{k}"), seeds.stalls()))
            .collect::<Result<_, _>>()?;
        let tx = planes
            .clone()
            .map(|k| AxisSink::new(&model, &format!("tx_axis_{k}"), seeds.stalls()))
            .collect::<Result<_, _>>()?;
        let payload = planes
            .map(|k| port(&format!("m_axi_{k}"), &model, &mut seeds))
            .collect::<Result<_, _>>()?;
        let control = port("m_axi_ctl", &model, &mut seeds)?;
        let registers = AxiLiteMaster::new(&model, "s_axil", seeds.stalls())?;
        let trace = TracePorts::find(&model)?;
        let payload_read = [model.port("m_axi_0_rdata")?, model.port("m_axi_0_rvalid")?];
        reset(&mut model, surroundings.start_time)?;
        Ok(Self {
            name: name.into(),
            lockstep: Lockstep::new(name, capabilities, memory.clone()),
            model,
            rx,
            tx,
            payload,
            control,
            registers,
            memory,
            trace,
            plant: None,
            payload_read,
            answers: Vec::new(),
            commits: Commits::default(),
            quiet_for: 0,
        })
    }

    /// Plants a fault.
    pub fn plant(&mut self, plant: Plant) {
        self.plant = Some(plant);
    }

    /// From now on these bits of a port of the commit trace are read wrong: something for the lockstep to find.
    pub fn flip_trace(&mut self, port: &str, bits: u64) -> Result<(), ModelError> {
        self.trace.flip(self.model.port(port)?, bits);
        Ok(())
    }

    /// The commit trace's ports, and the bits of each.
    pub fn trace_ports(&self) -> impl Iterator<Item = (&'static str, u32)> {
        let ports = self.model.ports().iter();
        ports
            .map(|port| (port.name.as_str(), port.width))
            .filter(|(name, _)| name.starts_with("trace_"))
    }

    /// Whether a planted fault still waits for its moment.
    pub fn is_planted(&self) -> bool {
        self.plant.is_some()
    }

    /// The model, to arm waves.
    pub fn model_mut(&mut self) -> &mut VerilatedModel {
        &mut self.model
    }

    /// Host memory.
    pub fn memory(&self) -> &SharedMemory {
        &self.memory
    }

    /// The lockstep.
    pub fn lockstep(&self) -> &Lockstep {
        &self.lockstep
    }

    /// Frames that wait to enter, or have begun to, on a plane.
    pub fn pending(&self, plane: usize) -> usize {
        self.rx[plane].pending()
    }

    /// Queues a register access.
    pub fn access(&mut self, access: axi_lite::Access) {
        self.registers.push(access);
    }

    /// The answers since the last call.
    pub fn take_answers(&mut self) -> Vec<axi_lite::Answer> {
        std::mem::take(&mut self.answers)
    }

    /// A frame arrives on a plane.
    pub fn deliver(&mut self, plane: usize, frame: Vec<u8>) {
        self.quiet_for = 0;
        self.rx[plane].push(frame);
    }

    /// The newest cycle's commits.
    pub fn commits(&self) -> &Commits {
        &self.commits
    }

    /// Planes, bit by plane, whose frames nobody takes until the next call.
    pub fn hold(&mut self, planes: u32) {
        for (plane, sink) in self.tx.iter_mut().enumerate() {
            sink.hold(planes >> plane & 1 == 1);
        }
    }

    /// Whether every register access is answered and every entry that was asked for is written.
    pub fn is_configured(&self) -> bool {
        self.registers.is_idle() && self.lockstep.is_configured()
    }

    /// Cycles since anything was committed or crossed a bus.
    pub fn quiet_for(&self) -> u64 {
        self.quiet_for
    }

    /// One cycle. Gives the frames that left, by plane.
    pub fn cycle(&mut self) -> Result<Vec<(usize, Vec<u8>)>, Failure> {
        for agent in agents(
            &mut self.rx,
            &mut self.tx,
            &mut self.payload,
            &mut self.control,
            &mut self.registers,
        ) {
            agent.drive(&mut self.model);
        }
        self.turn_planted_bit();
        self.model.settle()?;
        let model = &self.model;
        for agent in agents(
            &mut self.rx,
            &mut self.tx,
            &mut self.payload,
            &mut self.control,
            &mut self.registers,
        ) {
            agent.sample(model);
        }
        let commits = self.trace.read(model);
        self.commits = commits;
        let frames = self.compare(&commits)?;
        self.model.rise()?;
        self.check_buses()?;
        Ok(frames)
    }

    fn turn_planted_bit(&mut self) {
        let [data, valid] = self.payload_read;
        let due = self
            .plant
            .is_some_and(|plant| plant.cycle <= self.model.cycle());
        if due && self.model.is_set(valid) {
            // The memory drives a beat once and leaves it until it is taken, so the turned bit stays.
            self.model.set_u64(data, self.model.get_u64(data) ^ 1);
            self.plant = None;
        }
    }

    fn compare(&mut self, commits: &Commits) -> Result<Vec<(usize, Vec<u8>)>, Failure> {
        let cycle = self.model.cycle();
        self.note_activity(commits);
        for (plane, source) in self.rx.iter_mut().enumerate() {
            for sent in source.take_sent() {
                self.lockstep.on_frame_in(plane, &sent.frame.data);
            }
        }
        while let Some(answer) = self.registers.pop() {
            if let axi_lite::Access::Write(offset, value) = answer.access {
                self.lockstep.on_register_write(offset, value)?;
            }
            self.answers.push(answer);
        }
        if let Some((offset, value)) = self.registers.under_way() {
            self.lockstep.on_register_begun(offset, value);
        }
        self.lockstep.on_commits(commits, cycle)?;
        self.lockstep.check_walk()?;
        let mut frames = Vec::new();
        for (plane, sink) in self.tx.iter_mut().enumerate() {
            while let Some(sent) = sink.pop() {
                self.quiet_for = 0;
                self.lockstep.on_frame_out(plane, &sent)?;
                frames.push((plane, sent.frame.data));
            }
        }
        for (plane, port) in self.payload.iter_mut().enumerate() {
            for record in port.take_writes() {
                self.lockstep.on_placed(plane, &record)?;
            }
        }
        for record in self.control.take_writes() {
            self.lockstep.on_completion(&record)?;
        }
        Ok(frames)
    }

    fn note_activity(&mut self, commits: &Commits) {
        let idle = Commits {
            now: commits.now,
            judge: commits.judge,
            offers: commits.offers,
            ..Commits::default()
        };
        let under_way = self.rx.iter().any(|source| source.pending() > 0)
            || self.tx.iter().any(|sink| sink.in_frame())
            || !self.payload.iter().all(AxiMemory::is_idle)
            || !self.control.is_idle()
            || !self.registers.is_idle();
        self.quiet_for = if *commits != idle || under_way {
            0
        } else {
            self.quiet_for + 1
        };
    }

    fn check_buses(&self) -> Result<(), Failure> {
        let streams = self.tx.iter().map(|sink| sink.violations());
        let memories = self
            .payload
            .iter()
            .chain([&self.control])
            .map(AxiMemory::violations);
        match streams.chain(memories).flatten().next() {
            None => Ok(()),
            Some(violation) => Err(Failure::Violation {
                nic: self.name.clone(),
                violation: violation.clone(),
            }),
        }
    }

    /// The NIC is quiet: nothing may be left over, and its counters must be those read from the registers.
    pub fn check_quiet(
        &mut self,
        counter: impl Fn(metaroce_protocol::Counter) -> u32,
    ) -> Result<(), Failure> {
        Ok(self.lockstep.on_quiet(counter)?)
    }
}

fn agents<'a>(
    rx: &'a mut [AxisSource],
    tx: &'a mut [AxisSink],
    payload: &'a mut [AxiMemory],
    control: &'a mut AxiMemory,
    registers: &'a mut AxiLiteMaster,
) -> impl Iterator<Item = &'a mut dyn Agent> {
    let rx = rx.iter_mut().map(|a| a as &mut dyn Agent);
    let tx = tx.iter_mut().map(|a| a as &mut dyn Agent);
    let payload = payload.iter_mut().map(|a| a as &mut dyn Agent);
    rx.chain(tx)
        .chain(payload)
        .chain([control as &mut dyn Agent, registers as &mut dyn Agent])
}

fn reset(model: &mut VerilatedModel, start_time: u32) -> Result<(), ModelError> {
    let (reset, start) = (model.port("reset")?, model.port("start_time")?);
    model.set_u64(start, start_time.into());
    model.set_u64(reset, 1);
    for _ in 0..RESET_CYCLES {
        model.tick()?;
    }
    model.set_u64(reset, 0);
    Ok(())
}

/// A seed of its own for each bus: they must not wait in step.
struct Seeds {
    pace: Pace,
    next: u64,
}

impl Seeds {
    fn draw(&mut self) -> u64 {
        self.next = self.next.wrapping_add(1);
        self.next
    }

    fn stalls(&mut self) -> Stalls {
        match self.pace {
            Pace::Full => Stalls::never(),
            pace => pace.stalls(self.draw()),
        }
    }
}
