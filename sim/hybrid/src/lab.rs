//! Verilated NICs of size `small` for hosts of a fabric.
use metaroce_cosim::bus::Pace;
pub use metaroce_cosim::lab::LabError;
use metaroce_cosim::station::Surroundings;
use metaroce_cosim::waves::Request;
use metaroce_fabric::packet::HostId;
use metaroce_protocol::table::host::Capabilities;
use metaroce_rtl::sizes;

use crate::verilated::Verilated;

/// Largest latency of host memory, cycles (ours).
const MEMORY_LATENCY: u64 = 24;
/// The clock rolls over soon.
pub const START_TIME: u32 = u32::MAX - 20_000;

/// Emitted once, built once for all NICs without waves.
pub struct NicLab(metaroce_cosim::lab::NicLab);

impl NicLab {
    /// Emits the NIC.
    pub fn new() -> Result<Self, LabError> {
        metaroce_cosim::lab::NicLab::new(sizes::Size::Small).map(Self)
    }

    /// What every NIC of the lab says of itself.
    pub fn capabilities() -> Capabilities {
        sizes::Size::Small.capabilities()
    }

    /// A NIC for a host, fresh from reset; with waves if they are wanted.
    pub fn nic(
        &self,
        host: HostId,
        seed: u64,
        waves: Option<&Request>,
    ) -> Result<Verilated, LabError> {
        let surroundings = Surroundings {
            pace: Pace::Full,
            memory_latency: MEMORY_LATENCY,
            seed: seed.wrapping_mul(65_537).wrapping_add(host.into()),
            start_time: START_TIME,
        };
        let station = self.0.station(&name(host), &surroundings, waves)?;
        Ok(Verilated::new(station))
    }
}

/// What messages call the NIC of a host.
pub fn name(host: HostId) -> String {
    format!("of host {host}")
}
