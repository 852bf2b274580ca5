//! The hardware behind the verbs: registers and rings.
//!
//! The device is whatever a [`Backend`] reaches: registers, and memory that the device reads and writes. [`open`] gives a
//! [`metaroce_verbs::Device`].
mod backend;
mod congestion;
mod device;
mod error;
mod queues;

pub use backend::verilated::{Lab, VerilatedBackend};
pub use backend::{Arena, Backend};
pub use congestion::{Congestion, Law};
pub use device::{DeviceOptions, open};
pub use error::DeviceError;
