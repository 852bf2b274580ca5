//! Hybrid runs of the fabric simulator: some hosts are verilated NICs behind their drivers, all others run the model.
//!
//! [`run::run`] simulates a scenario so, and once more with models only; every frame on every link must be the same
//! (docs/fabric.md, "Hybrid runs").
pub mod bytes;
pub mod compare;
pub mod driver;
pub mod follower;
pub mod host;
pub mod hosts;
pub mod lab;
pub mod machine;
pub mod report;
pub mod run;
pub mod schedule;
pub mod show;
pub mod verilated;
pub mod waves;
