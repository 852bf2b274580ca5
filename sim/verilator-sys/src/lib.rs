//! Builds Verilog into a shared object with Verilator, loads it, and drives it.
//!
//! # Models are built at run time
//!
//! No build script: [`build`] takes a list of Verilog files and a top, runs
//! `verilator --cc`, compiles the result with a generic C shim into a shared
//! object, and keeps that in a cache keyed by everything that went in (sources,
//! tools, options). [`RawModel::create`] then loads it.
//!
//! One mechanism thus serves NICs of any size, the test of every core, a user's
//! own blocks, traced and untraced models, and either Verilator version, and a
//! change of Verilog never rebuilds Rust. It costs a shared object's load and
//! a hash of the sources when nothing changed.
//!
//! The verilated run time (`verilated.cpp`, the FST writer, threads) does not
//! depend on the model: it is compiled once for each tool version and linked
//! into every model, so that a small model takes a second or two.
//!
//! # Environment
//!
//! | variable | meaning | default |
//! | --- | --- | --- |
//! | `VERILATOR` | Verilator's path or name | the workspace's `.venv/bin/verilator`, else `verilator` |
//! | `CXX` | C++ compiler | `g++`, else `c++`, else `clang++` |
//! | `METAROCE_CACHE` | folder of built models | `verilated` in `CARGO_TARGET_DIR` or in the workspace's `target` |
//!
//! # Safety
//!
//! All `unsafe` of the workspace's simulation is in `ffi.rs`. A model's fatal
//! error (`$stop`, `$fatal`, a loop that does not settle) is a [`ModelError`],
//! never the end of the process.

mod builder;
mod cache;
mod compile;
mod error;
mod ffi;
mod header;
mod sources;
mod tools;

pub use builder::{Artefact, Optimise, Options, build};
pub use cache::cache_folder;
pub use error::{BuildError, ModelError};
pub use ffi::{Initial, RawModel};
pub use header::{Direction, Port};
pub use sources::Sources;
pub use tools::{Toolchain, toolchain};
