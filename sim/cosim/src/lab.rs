//! Verilated NICs of one size: emitted once, built once for all of them.
use metaroce_emit::Design;
use metaroce_model::config::Size;
use metaroce_rtl::sizes;
use thiserror::Error;

use crate::model::{Options, Sources, VerilatedModel};
use crate::station::{Failure, Station, Surroundings};
use crate::waves::Request;

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
    Model(#[from] crate::Error),
    /// It does not come out of reset.
    #[error("the NIC does not start")]
    Start(#[from] Failure),
}

/// Where NICs of one size come from.
pub struct NicLab {
    built: sizes::Size,
    sources: Sources,
    _folder: tempfile::TempDir,
}

impl NicLab {
    /// Emits the NIC.
    pub fn new(built: sizes::Size) -> Result<Self, LabError> {
        Self::changed(built, |_| ())
    }

    /// Emits the NIC and changes it: a fault that something must find.
    pub fn changed(built: sizes::Size, change: impl FnOnce(&mut Design)) -> Result<Self, LabError> {
        let mut design = sizes::emit(built)?;
        change(&mut design);
        let folder = tempfile::tempdir()?;
        design.write_to(folder.path())?;
        let sources = Sources::from_folder(&design.top, folder.path());
        Ok(Self {
            built,
            sources: sources.map_err(crate::Error::from)?,
            _folder: folder,
        })
    }

    /// The dimensions of its NICs.
    pub fn size(&self) -> Size {
        Size::from(&self.built.capabilities())
    }

    /// The size that was emitted.
    pub fn built(&self) -> sizes::Size {
        self.built
    }

    /// A NIC fresh from reset; with waves if they are wanted.
    pub fn station(
        &self,
        name: &str,
        surroundings: &Surroundings,
        waves: Option<&Request>,
    ) -> Result<Station, LabError> {
        let mut options = Options::default();
        if waves.is_some() {
            options = options.with_trace();
        }
        let mut model = VerilatedModel::build(&self.sources, &options)?;
        if let Some(request) = waves {
            request.arm(&mut model).map_err(crate::Error::from)?;
        }
        let capabilities = self.built.capabilities();
        Ok(Station::new(name, model, capabilities, surroundings)?)
    }
}
