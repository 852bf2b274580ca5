//! Verbs over a MetaRoCE device: device, memory region, connection, completion queue; post and poll.
//!
//! The device is whatever a [`Backend`] reaches: registers, and memory that the device reads and writes. Words are the
//! field's: what libibverbs calls a queue pair is a [`Connection`] here, since it has many paths and streams.
mod backend;
mod completion;
mod connection;
mod device;
mod error;
mod memory;
mod queues;

pub use backend::Backend;
pub use backend::verilated::{Lab, VerilatedBackend};
pub use completion::{CompletionQueue, WorkCompletion};
pub use connection::{Connection, ConnectionAttributes, PathAttributes, Peer};
pub use device::{Attributes, Device, DeviceOptions};
pub use error::DeviceError;
pub use memory::MemoryRegion;
