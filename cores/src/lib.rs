//! Reusable synthesizable cores, one a file.
pub mod counts;
pub mod prim;
#[rustfmt::skip]
pub mod generated;
pub mod transmit_path;
pub mod types;
