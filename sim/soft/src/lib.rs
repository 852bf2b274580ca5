//! A MetaRoCE peer over UDP sockets: the golden model on any Linux host, no kernel module.
//!
//! [`Device`] is a device behind `metaroce-verbs`: it works while its thread calls into it.
mod bench;
mod capture;
mod client;
mod clock;
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
pub use client::{Client, FIRST_ENTROPY, Summary, ask_device, spread};
pub use clock::TICK;
pub use device::{CONNECTIONS, Device, DeviceInfo, DeviceOptions, MAX_PLANES, Statistics};
pub use error::SoftError;
pub use measure::{Bandwidth, Latency, Load, Ping, Verb, bandwidth, latency};
pub use memory::REGIONS;
pub use serve::{ServeOptions, Served, Server};
pub use transfer::{PIECE, Transfer, transfer_file};
