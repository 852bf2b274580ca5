//! The first difference between hardware and model.
use std::fmt;

/// Hardware and model differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The NIC's name.
    pub nic: Box<str>,
    /// Cycle in which it shows.
    pub cycle: u64,
    /// The plane on which it shows, if it does on one.
    pub plane: Option<usize>,
    /// Signal, packet field, memory byte or counter.
    pub what: String,
    /// What the model says.
    pub expected: String,
    /// What the hardware did.
    pub found: String,
    /// The frames that differ, if frames do: the model's, the hardware's.
    pub frames: Option<Box<[Vec<u8>; 2]>>,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            nic,
            cycle,
            what,
            expected,
            found,
            ..
        } = self;
        write!(
            f,
            "NIC {nic}, cycle {cycle}: {what}: the model says {expected}, the hardware {found}"
        )
    }
}

impl std::error::Error for Mismatch {}

impl Mismatch {
    pub(super) fn on_plane(mut self, plane: usize) -> Self {
        self.plane = Some(plane);
        self
    }
}
