//! Reusable synthesizable cores, one a file.
pub mod counts;
pub mod prim;
pub mod transmit_path;
pub mod types;
