//! What can go wrong between an application and its device.
use metaroce_protocol::OutOfRange;
use thiserror::Error;

/// A call failed. Nothing was posted and nothing was registered by it.
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
    /// All of something are in use.
    #[error("no {what} left: the device has {limit}")]
    Exhausted {
        /// Connections, regions, queue entries.
        what: &'static str,
        /// How many there are.
        limit: u32,
    },
    /// A local range leaves its region.
    #[error("bytes {start}..{end} are not in a region of {length} bytes")]
    OutsideRegion {
        /// First byte.
        start: u64,
        /// After the last byte.
        end: u64,
        /// The region's length.
        length: u64,
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
    /// An argument can't be.
    #[error(transparent)]
    OutOfRange(#[from] OutOfRange),
    /// The connection has no peer yet, or already one.
    #[error("the connection is {found}, it must be {needed}")]
    State {
        /// State that the call needs.
        needed: &'static str,
        /// State it is in.
        found: &'static str,
    },
    /// Nothing came in time.
    #[error("no completion after {rounds} rounds of waiting")]
    TimedOut {
        /// Rounds waited.
        rounds: u64,
    },
}
