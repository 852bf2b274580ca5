//! What follows from the table of layouts.
//!
//! Generated from the table of `metaroce-protocol`: don't edit, run `cargo run -p metaroce-protocol --bin generate`.
#![allow(missing_docs)] // the derive makes methods that can carry no document
pub mod common;
pub mod constants;
pub mod host;
pub mod registers;
pub mod tails;
