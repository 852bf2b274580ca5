//! What can go wrong between the driver and its device.
use metaroce_protocol::OutOfRange;
use metaroce_verbs::VerbsError;
use thiserror::Error;

/// The device failed, or is not what it should be.
#[derive(Debug, Error)]
pub enum DeviceError {
    /// The way to the device failed.
    #[error("the device can't be reached: {0}")]
    Backend(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The device answered a register access with an error.
    #[error("register {offset:#05x}: the device answered with AXI response {response}")]
    Register {
        /// Byte offset.
        offset: u32,
        /// AXI response: 2 slave error, 3 decode error.
        response: u8,
    },
    /// Whatever is there is not this NIC.
    #[error("ID register: needed {needed:#010x} (\"MRCE\"), found {found:#010x}")]
    NotThisNic {
        /// What a NIC says.
        needed: u32,
        /// What was read.
        found: u32,
    },
    /// The device's register map is another one.
    #[error("register map: this driver speaks major version {needed}, the device {found}")]
    Version {
        /// Major version of this driver.
        needed: u32,
        /// Major version of the device.
        found: u32,
    },
    /// A tunable leaves its range.
    #[error("{name} is {min}..={max}, found {found}")]
    Tunable {
        /// Register.
        name: &'static str,
        /// Smallest value.
        min: u32,
        /// Largest value.
        max: u32,
        /// Value given.
        found: u32,
    },
    /// The device is of a size without congestion laws.
    #[error("this NIC has no congestion laws: windows are fixed")]
    NoLaws,
    /// The device of a size without a receive queue has no verbs that need a peer's buffers.
    #[error("NOT_READY_TICKS: this NIC sends nothing that needs its peer's buffers")]
    NoReceives,
    /// An argument can't be.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
}

impl From<DeviceError> for VerbsError {
    fn from(error: DeviceError) -> Self {
        match error {
            DeviceError::OutOfRange(error) => error.into(),
            other => Self::provider(other),
        }
    }
}
