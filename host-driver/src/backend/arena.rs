//! Memory of a simulated host, handed out piece by piece.
use metaroce_cosim::axi_mem::{Access, SharedMemory};
use thiserror::Error;

use crate::error::DeviceError;

/// Where host memory begins: above 32 bits, so that no half of an address can go missing unseen.
const BASE: u64 = 0x12_3456_0000;
/// Between two allocations lies memory that nobody may touch.
const PAGE: u64 = 4096;

/// A simulated host's memory.
pub struct Arena {
    memory: SharedMemory,
    next: u64,
}

#[derive(Debug, Error)]
#[error("{length} bytes at {address:#x} were not allocated")]
struct NotAllocated {
    address: u64,
    length: usize,
}

fn not_allocated(address: u64, length: usize) -> DeviceError {
    DeviceError::Backend(Box::new(NotAllocated { address, length }))
}

impl Arena {
    /// Of memory in which nothing is allocated.
    pub fn new(memory: SharedMemory) -> Self {
        Self { memory, next: BASE }
    }

    /// Makes `length` bytes; the address is a multiple of 4,096.
    pub fn allocate(&mut self, name: &str, length: usize) -> u64 {
        let address = self.next;
        self.next = address + (length as u64).next_multiple_of(PAGE) + PAGE;
        let mut memory = self.memory.borrow_mut();
        memory.add(name, address, length, Access::ReadWrite);
        address
    }

    /// Copies out of what was allocated.
    pub fn read(&self, address: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let memory = self.memory.borrow();
        let found = memory.bytes(address, bytes.len());
        bytes.copy_from_slice(found.ok_or_else(|| not_allocated(address, bytes.len()))?);
        Ok(())
    }

    /// Copies into what was allocated.
    pub fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError> {
        let mut memory = self.memory.borrow_mut();
        let place = memory.bytes_mut(address, bytes.len());
        let place = place.ok_or_else(|| not_allocated(address, bytes.len()))?;
        place.copy_from_slice(bytes);
        Ok(())
    }
}
