//! The transmit side's cores, as emitted Verilog in Verilator, against references.
mod answers;
#[path = "../datapath/mod.rs"]
mod datapath;
mod dut;
mod failures;
mod lint;
mod lockstep;
mod packets;
mod patience;
mod posts;
mod units;
mod waiting;
mod windows;
mod world;
