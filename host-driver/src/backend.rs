//! What a driver needs of the way to its device.
use crate::error::DeviceError;

mod arena;
pub mod verilated;

pub use arena::Arena;

/// Registers, and memory that the device can reach.
pub trait Backend {
    /// Reads a register by byte offset.
    fn read_register(&mut self, offset: u32) -> Result<u32, DeviceError>;

    /// Writes a register; it has taken effect when this returns.
    fn write_register(&mut self, offset: u32, value: u32) -> Result<(), DeviceError>;

    /// Makes `length` bytes that the device can reach; `name` is for messages. The address is a multiple of 4,096.
    fn allocate(&mut self, name: &str, length: usize) -> Result<u64, DeviceError>;

    /// Copies out of memory that was allocated.
    fn read_memory(&mut self, address: u64, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// Copies into memory that was allocated.
    fn write_memory(&mut self, address: u64, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Called while an application waits: a simulation goes on, hardware needs nothing.
    fn advance(&mut self) -> Result<(), DeviceError>;
}
