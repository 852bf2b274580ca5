//! From Verilog to cells, clocks and bitstreams, with the open tools.

pub(crate) mod ecp5;
pub(crate) mod ice40;
pub(crate) mod nextpnr;
pub(crate) mod xcup;
pub(crate) mod yosys;
