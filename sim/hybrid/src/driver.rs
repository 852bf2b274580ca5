//! The way from the driver to a machine in the fabric. While it sets up, a register access takes the cycles that it takes;
//! afterwards writes are posted, as on PCI Express: they take effect when the machine gets to them.
use std::cell::RefCell;
use std::rc::Rc;

use metaroce_cosim::axi_lite::Access;
use metaroce_host_driver::{Arena, Backend, DeviceError};
use thiserror::Error;

use crate::machine::Machine;

/// A set-up access that takes longer than this many cycles has hung.
const ACCESS_LIMIT: u64 = 100_000;

/// A machine that its host and its driver share.
pub type Shared = Rc<RefCell<dyn Machine>>;

#[derive(Debug, Error)]
enum Trouble {
    #[error("register access {0:x?} has no answer after {ACCESS_LIMIT} cycles")]
    Hung(Access),
    #[error("the NIC failed while it was set up: {0}")]
    Failed(String),
    #[error("register {0:#x} was to be read while the network runs")]
    LateRead(u32),
}

impl From<Trouble> for DeviceError {
    fn from(trouble: Trouble) -> Self {
        DeviceError::Backend(Box::new(trouble))
    }
}

/// The way to a machine.
pub struct MachineBackend {
    machine: Shared,
    memory: Arena,
}

impl MachineBackend {
    /// To this machine.
    pub fn new(machine: Shared) -> Self {
        let memory = Arena::new(machine.borrow().memory().clone());
        Self { machine, memory }
    }

    fn is_running(&self) -> bool {
        self.machine.borrow().is_running()
    }

    fn perform(&mut self, offset: u32, access: Access) -> Result<u32, DeviceError> {
        let mut machine = self.machine.borrow_mut();
        machine.access(access);
        for _ in 0..ACCESS_LIMIT {
            let stepped = machine.cycle();
            stepped.map_err(|failure| Trouble::Failed(failure.to_string()))?;
            match machine.take_answers().pop() {
                None => {}
                Some(answer) if answer.response == 0 => return Ok(answer.value),
                Some(answer) => {
                    let response = answer.response;
                    return Err(DeviceError::Register { offset, response });
                }
            }
        }
        Err(Trouble::Hung(access).into())
    }
}

impl Backend for MachineBackend {
    fn read_register(&mut self, offset: u32) -> Result<u32, DeviceError> {
        if self.is_running() {
            return Err(Trouble::LateRead(offset).into());
        }
        self.perform(offset, Access::Read(offset))
    }

    fn write_register(&mut self, offset: u32, value: u32) -> Result<(), DeviceError> {
        let access = Access::Write(offset, value);
        if self.is_running() {
            self.machine.borrow_mut().access(access);
            return Ok(());
        }
        self.perform(offset, access).map(|_| ())
    }

    fn allocate(&mut self, name: &str, length: usize) -> Result<u64, DeviceError> {
        Ok(self.memory.allocate(name, length))
    }

    fn read_memory(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.memory.read(address, bytes)
    }

    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        self.memory.write(address, bytes)
    }

    /// The network's time goes on by itself.
    fn advance(&mut self) -> Result<(), DeviceError> {
        Ok(())
    }
}
