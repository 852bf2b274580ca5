//! The transmit side's cores, as emitted Verilog in Verilator, against references.
#[path = "../datapath/mod.rs"]
mod datapath;
mod dut;
mod failures;
mod lint;
mod lockstep;
mod packets;
mod units;
mod windows;
mod world;
