//! Co-simulation: bus drivers and monitors, scoreboard against the model, waveforms of a failure.
//!
//! The generic half knows nothing of the protocol:
//!
//! - [`model`]: a verilated model with named ports, a clock and a cycle counter.
//! - [`bus`]: what all bus agents share: the order of a cycle, seeded stalls,
//!   recorded violations.
//! - [`axis`]: AXI4-Stream source, sink and monitor.
//! - [`axi_mem`]: AXI4 memory with named regions.
//! - [`waves`]: waveforms of the cycles around a failure.
//!
//! ```no_run
//! use metaroce_cosim::axis::{AxisSink, AxisSource};
//! use metaroce_cosim::bus::{Stalls, step};
//! use metaroce_cosim::model::{Options, Sources, VerilatedModel};
//!
//! # fn main() -> Result<(), metaroce_cosim::Error> {
//! let sources = Sources::from_folder("top", "out/verilog".as_ref())?;
//! let mut model = VerilatedModel::build(&sources, &Options::small())?;
//! let mut source = AxisSource::new(&model, "rx", Stalls::random(0.3, 1))?;
//! let mut sink = AxisSink::new(&model, "tx", Stalls::random(0.5, 2))?;
//! source.push(vec![1, 2, 3]);
//! while sink.frames().is_empty() {
//!     step(&mut model, &mut [&mut source, &mut sink])?;
//! }
//! assert!(sink.violations().is_empty());
//! # Ok(())
//! # }
//! ```

pub mod axi_lite;
pub mod axi_mem;
pub mod axis;
pub mod bus;
pub mod capture;
pub mod engine_bench;
pub mod explain;
pub mod host;
pub mod host_view;
pub mod lab;
pub mod lockstep;
pub mod model;
pub mod plane_bench;
pub mod planes;
pub mod station;
pub mod testbed;
pub mod trace;
pub mod traffic;
pub mod waves;
pub mod words;

pub use model::Error;
