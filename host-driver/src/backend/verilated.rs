//! A verilated NIC in this process: one of the two of a testbed.
use std::cell::RefCell;
use std::rc::Rc;

use metaroce_cosim::axi_lite::{Access, Answer};
use metaroce_cosim::station::Failure;
use metaroce_cosim::testbed::Testbed;
use metaroce_protocol::Counter;
use thiserror::Error;

use super::{Arena, Backend};
use crate::error::DeviceError;

/// Cycles that pass while an application waits once.
const CYCLES_PER_ROUND: u64 = 64;
/// A register access that takes longer than this has hung.
const ACCESS_LIMIT: u64 = 100_000;

/// Two NICs and what joins them, shared by the drivers of both.
#[derive(Clone)]
pub struct Lab(Rc<RefCell<Inner>>);

struct Inner {
    testbed: Testbed,
    failure: Option<Failure>,
    /// The simulation stops by itself after this cycle.
    last_cycle: u64,
    memory: [Arena; 2],
}

impl Inner {
    fn has_stopped(&self) -> bool {
        self.testbed.cycle() > self.last_cycle
    }

    /// Keeps the reason of a failure.
    fn stop(&mut self, result: Result<(), Failure>) -> Result<(), DeviceError> {
        result.map_err(|failure| {
            let error = LabError::Stopped(failure.to_string());
            self.failure = Some(failure);
            error.into()
        })
    }
}

#[derive(Debug, Error)]
enum LabError {
    #[error("the simulation has stopped: {0}")]
    Stopped(String),
    #[error("register access {0:x?} has no answer after {ACCESS_LIMIT} cycles")]
    Hung(Access),
}

impl From<LabError> for DeviceError {
    fn from(error: LabError) -> Self {
        DeviceError::Backend(Box::new(error))
    }
}

impl Lab {
    /// Takes over a testbed.
    pub fn new(testbed: Testbed) -> Self {
        let memory = [0, 1].map(|nic: usize| Arena::new(testbed.stations[nic].memory().clone()));
        Self(Rc::new(RefCell::new(Inner {
            testbed,
            failure: None,
            last_cycle: u64::MAX,
            memory,
        })))
    }

    /// The way to NIC A (0) or B (1).
    pub fn backend(&self, nic: usize) -> VerilatedBackend {
        VerilatedBackend {
            lab: self.clone(),
            nic,
        }
    }

    /// One cycle of everything.
    pub fn step(&self) -> Result<(), DeviceError> {
        let mut inner = self.0.borrow_mut();
        if let Some(failure) = &inner.failure {
            return Err(LabError::Stopped(failure.to_string()).into());
        }
        if inner.has_stopped() {
            return Err(LabError::Stopped(format!(
                "cycle {} was to be the last",
                inner.last_cycle
            ))
            .into());
        }
        let stepped = inner.testbed.step();
        inner.stop(stepped)
    }

    /// Lets the simulation stop by itself after this cycle: what drives it then gets an error.
    pub fn stop_after(&self, cycle: u64) {
        self.0.borrow_mut().last_cycle = cycle;
    }

    /// Whether it stopped so.
    pub fn has_stopped(&self) -> bool {
        self.0.borrow().has_stopped()
    }

    /// Looks at the testbed, or changes it.
    pub fn with<T>(&self, use_it: impl FnOnce(&mut Testbed) -> T) -> T {
        use_it(&mut self.0.borrow_mut().testbed)
    }

    /// A quiet NIC (0 or 1): nothing may be left over, and its counters must be the model's.
    pub fn check_quiet(
        &self,
        nic: usize,
        counter: impl Fn(Counter) -> u32,
    ) -> Result<(), DeviceError> {
        let mut inner = self.0.borrow_mut();
        let checked = inner.testbed.stations[nic].check_quiet(counter);
        inner.stop(checked)
    }

    /// Why the simulation stopped, if it did.
    pub fn take_failure(&self) -> Option<Failure> {
        self.0.borrow_mut().failure.take()
    }
}

/// One NIC of a [`Lab`].
pub struct VerilatedBackend {
    lab: Lab,
    nic: usize,
}

impl VerilatedBackend {
    fn perform(&mut self, access: Access) -> Result<Answer, DeviceError> {
        self.lab
            .with(|testbed| testbed.stations[self.nic].access(access));
        for _ in 0..ACCESS_LIMIT {
            self.lab.step()?;
            if let Some(answer) = self
                .lab
                .with(|testbed| testbed.stations[self.nic].take_answers().pop())
            {
                return Ok(answer);
            }
        }
        Err(LabError::Hung(access).into())
    }
}

fn check(offset: u32, answer: Answer) -> Result<u32, DeviceError> {
    match answer.response {
        0 => Ok(answer.value),
        response => Err(DeviceError::Register { offset, response }),
    }
}

impl Backend for VerilatedBackend {
    fn read_register(&mut self, offset: u32) -> Result<u32, DeviceError> {
        check(offset, self.perform(Access::Read(offset))?)
    }

    fn write_register(&mut self, offset: u32, value: u32) -> Result<(), DeviceError> {
        check(offset, self.perform(Access::Write(offset, value))?).map(|_| ())
    }

    fn allocate(&mut self, name: &str, length: usize) -> Result<u64, DeviceError> {
        Ok(self.lab.0.borrow_mut().memory[self.nic].allocate(name, length))
    }

    fn read_memory(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.lab.0.borrow().memory[self.nic].read(address, bytes)
    }

    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.lab.0.borrow_mut().memory[self.nic].write(address, bytes)
    }

    fn advance(&mut self) -> Result<(), DeviceError> {
        (0..CYCLES_PER_ROUND).try_for_each(|_| self.lab.step())
    }
}
