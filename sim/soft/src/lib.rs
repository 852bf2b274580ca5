//! A MetaRoCE peer over UDP sockets: the golden model on any Linux host, no kernel module.
//!
//! Words are `metaroce-host-driver`'s: [`Device`], [`MemoryRegion`], [`Connection`], [`CompletionQueue`]; post and poll. A
//! device is one thread's: it works while that thread calls into it.
mod bench;
mod capture;
mod client;
mod clock;
mod completion;
mod connection;
mod device;
mod error;
mod measure;
mod memory;
mod outer;
mod serve;
pub mod setup;
mod socket;
mod transfer;

pub use bench::{ModelBench, SoftBench, SoftBenchOptions, bench_model, bench_soft, pin};
pub use client::{Client, FIRST_ENTROPY, Summary, spread};
pub use clock::TICK;
pub use completion::{CompletionQueue, WorkCompletion};
pub use connection::{Connection, ConnectionAttributes, PathAttributes, Peer};
pub use device::{CONNECTIONS, Device, DeviceOptions, MAX_PLANES, Statistics};
pub use error::SoftError;
pub use measure::{Bandwidth, Latency, bandwidth, latency};
pub use memory::{MemoryRegion, REGIONS};
pub use serve::{ServeOptions, Served, Server};
pub use transfer::{PIECE, Transfer, transfer_file};
