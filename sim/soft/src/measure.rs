//! Bandwidth and latency as perftest measures them: the same message, again and again.
use serde::Serialize;

mod bandwidth;
mod latency;

pub use bandwidth::{Bandwidth, Load, bandwidth};
pub use latency::{Latency, Ping, latency};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verb {
    /// RDMA Write.
    Write,
    /// Send into posted buffers.
    Send,
    /// RDMA Read.
    Read,
}
