//! Boards: tops, clocks, pins, build flows and their reports; and what outside tools say of a core: its area, its proofs.

pub mod area;
pub mod board;
pub mod error;
mod flow;
pub mod formal;
pub mod self_test;
pub mod synth;
pub mod tool;
mod workshop;

pub use area::{AreaOptions, AreaReport, area};
pub use error::FlowError;
pub use synth::{SynthOptions, SynthReport, synth};
