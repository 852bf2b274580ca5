//! Reusable synthesizable cores, one a file.
pub mod types;
