//! A MetaRoCE peer over UDP sockets: the golden model on any Linux host, no kernel module.
//!
//! Words are `metaroce-host-driver`'s: [`Device`], [`MemoryRegion`], [`Connection`], [`CompletionQueue`]; post and poll. A
//! device is one thread's: it works while that thread calls into it.
mod capture;
mod clock;
mod completion;
mod connection;
mod device;
mod error;
mod memory;
mod outer;
mod socket;

pub use clock::TICK;
pub use completion::{CompletionQueue, WorkCompletion};
pub use connection::{Connection, ConnectionAttributes, PathAttributes, Peer};
pub use device::{CONNECTIONS, Device, DeviceOptions, MAX_PLANES, Statistics};
pub use error::SoftError;
pub use memory::{MemoryRegion, REGIONS};
