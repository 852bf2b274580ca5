//! From rust-hdl's tree to width-exact Verilog.
