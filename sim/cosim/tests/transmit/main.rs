//! The transmit side's cores, as emitted Verilog in Verilator, against small references of their own.
mod lint;
