//! Errors of the codec.
use thiserror::Error;

/// Fewer bytes than a layout takes.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{what} needs {needed} bytes, found {found}")]
pub struct TooShort {
    /// Name of the layout.
    pub what: &'static str,
    /// Bytes it takes.
    pub needed: usize,
    /// Bytes that were there.
    pub found: usize,
}

/// A value that its place can't hold.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
#[error("{what} is at most {max}, found {found}")]
pub struct OutOfRange {
    /// Name of the quantity.
    pub what: &'static str,
    /// Largest value.
    pub max: u64,
    /// Value given.
    pub found: u64,
}
