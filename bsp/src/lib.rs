//! Boards: tops, clocks, pins, build flows and their reports.

pub mod area;
pub mod board;
pub mod error;
mod flow;
pub mod self_test;
pub mod synth;
pub mod tool;
mod workshop;

pub use area::{AreaOptions, AreaReport, area};
pub use error::FlowError;
pub use synth::{SynthOptions, SynthReport, synth};
