//! Verilated NICs of size `small`.
use metaroce_cosim::model::{Options, Sources, VerilatedModel};
use metaroce_cosim::station::{Failure, Station, Surroundings};
use metaroce_cosim::waves::Request;
use metaroce_fabric::packet::HostId;
use metaroce_model::config::Size;
use metaroce_protocol::table::host::Capabilities;
use metaroce_rtl::sizes;
use thiserror::Error;

use crate::verilated::Verilated;

/// Largest latency of host memory, cycles (ours).
const MEMORY_LATENCY: u64 = 24;
/// The clock rolls over soon.
pub const START_TIME: u32 = u32::MAX - 20_000;

/// Why there is no verilated NIC.
#[derive(Debug, Error)]
pub enum LabError {
    /// No Verilog.
    #[error("can't emit the NIC")]
    Emit(#[from] metaroce_emit::EmitError),
    /// No folder for it.
    #[error("can't write the NIC's Verilog")]
    Folder(#[from] std::io::Error),
    /// It can't be built or loaded.
    #[error("can't verilate the NIC")]
    Model(#[from] metaroce_cosim::Error),
    /// It does not come out of reset.
    #[error("the NIC does not start")]
    Start(#[from] Failure),
}

/// Emitted once, built once for all NICs without waves.
pub struct NicLab {
    sources: Sources,
    _folder: tempfile::TempDir,
}

impl NicLab {
    /// Emits the NIC.
    pub fn new() -> Result<Self, LabError> {
        let design = sizes::emit(sizes::Size::Small)?;
        let folder = tempfile::tempdir()?;
        design.write_to(folder.path())?;
        let sources = Sources::from_folder(&design.top, folder.path());
        Ok(Self {
            sources: sources.map_err(metaroce_cosim::Error::from)?,
            _folder: folder,
        })
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
        let mut options = Options::default();
        if waves.is_some() {
            options = options.with_trace();
        }
        let mut model = VerilatedModel::build(&self.sources, &options)?;
        if let Some(request) = waves {
            request
                .arm(&mut model)
                .map_err(metaroce_cosim::Error::from)?;
        }
        let surroundings = Surroundings {
            stall: 0.0,
            memory_latency: MEMORY_LATENCY,
            seed: seed.wrapping_mul(65_537).wrapping_add(host.into()),
            start_time: START_TIME,
        };
        let size = Size::from(&Self::capabilities());
        let station = Station::new(&name(host), model, size, &surroundings)?;
        Ok(Verilated::new(station))
    }
}

/// What messages call the NIC of a host.
pub fn name(host: HostId) -> String {
    format!("of host {host}")
}
