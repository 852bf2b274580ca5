//! Verbs: what an application says to any MetaRoCE device, and what it hears.
//!
//! [`Device`], [`MemoryRegion`], [`Connection`], [`CompletionQueue`]: post and poll. What libibverbs calls a queue pair is a
//! [`Connection`] here, since it has many paths and streams. A device is a [`Provider`]: `metaroce-host-driver` for hardware,
//! `metaroce-soft` for sockets. A device and what lives on it belong to one thread.
mod capabilities;
mod completion;
mod connection;
mod device;
mod error;
mod memory;
mod peer;
mod provider;
mod work;

pub use capabilities::Capabilities;
pub use completion::{Completed, CompletionQueue, WorkCompletion};
pub use connection::Connection;
pub use device::Device;
pub use error::VerbsError;
pub use memory::MemoryRegion;
pub use peer::{ConnectionAttributes, PathAttributes, Peer};
pub use provider::{Provider, Region};
pub use work::{Operation, ReceiveRequest, Remote, WorkRequest};
