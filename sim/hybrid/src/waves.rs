//! Waves of a NIC around a difference: the same run once more, traced.
use std::cell::RefCell;
use std::path::{Path, PathBuf};

use metaroce_cosim::waves::{self, Request, WavesError};
use metaroce_fabric::packet::HostId;

use crate::compare::Difference;
use crate::run::HybridError;
use crate::verilated::Verilated;

/// What a reader looks for first: the engines' commits, then the stream of a plane (`K`).
const SIGNALS: &[&str] = &[
    "trace_transmit_valid",
    "trace_transmit_kind",
    "trace_transmit_path",
    "trace_receive_valid",
    "trace_acknowledge_valid",
    "trace_resolve_valid",
    "tx_axis_K_tvalid",
    "tx_axis_K_tready",
    "tx_axis_K_tlast",
    "tx_axis_K_tdata",
];

/// A cycle of a NIC.
#[derive(Clone, Debug)]
pub struct Moment {
    /// Whose.
    pub host: HostId,
    /// From its reset.
    pub cycle: u64,
    /// The plane to look at.
    pub plane: usize,
    /// What happens there.
    pub title: String,
}

impl Moment {
    /// Of a difference that a NIC made.
    pub fn of(difference: &Difference) -> Option<Self> {
        let (host, cycle, plane) = difference.moment?;
        Some(Self {
            host,
            cycle,
            plane,
            title: difference.what.clone(),
        })
    }
}

/// Writes waves, save file and picture; `rerun` does the same run again.
pub fn record(
    out: &Path,
    moment: &Moment,
    rerun: impl FnOnce(&Request) -> Result<(), HybridError>,
) -> Result<PathBuf, WavesError> {
    let plane = moment.plane.to_string();
    let shown = waves::Failure {
        cycle: moment.cycle,
        title: moment.title.clone(),
        signals: SIGNALS.iter().map(|s| s.replace('K', &plane)).collect(),
    };
    waves::record_failure(out, "difference", &shown, rerun).map(|files| files.fst)
}

/// The NIC goes on for the rest of the window: what follows a failure explains it.
pub fn finish(nic: &RefCell<Verilated>, request: &Request) -> Result<(), HybridError> {
    let mut nic = nic.borrow_mut();
    let model = nic.station_mut().model_mut();
    while model.cycle() <= request.cycles.end {
        model
            .tick()
            .map_err(metaroce_cosim::Error::from)
            .map_err(crate::lab::LabError::from)?;
    }
    Ok(())
}
