//! The compliance suite: numbered test points against any endpoint that speaks docs/protocol.md, and wrong endpoints that
//! the points must catch.
//!
//! The suite plays the remote end with the frame codec alone. [`target::Target`] is all that it asks of an endpoint; what
//! an endpoint can't do makes a point `skipped`, never `passed`.
pub mod bench;
pub mod check;
pub mod document;
pub mod heard;
pub mod mutants;
pub mod points;
pub mod report;
pub mod run;
pub mod setup;
pub mod target;
pub mod targets;
