//! Reusable synthesizable cores, one a file.
pub mod counts;
pub mod types;
