//! Reusable synthesizable cores, one a file.
pub mod counts;
#[rustfmt::skip]
pub mod generated;
pub mod prim;
pub mod transmit_path;
pub mod types;
