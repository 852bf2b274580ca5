//! Registers and memories: the only cores whose Verilog is not made from `update()`.
//!
//! Each returns a mark from `hdl()`; the emitter prints the text, with the widths of its
//! ports, and the emitter's tests compare it with the `update()` here.

mod dff;
mod ram_lut;
mod ram_sdp;

pub use dff::Dff;
pub use ram_lut::RamLut;
pub use ram_sdp::RamSdp;

use rust_hdl::core::ast::{Verilog, VerilogLiteral};

/// The mark of a primitive of this kind with this start value.
fn mark(kind: &str, init: VerilogLiteral) -> Verilog {
    let text = format!("{init:x}");
    let digits = text.split_once("'h").map_or("0", |(_, digits)| digits);
    Verilog::Custom(format!("metaroce-prim {kind} init={digits}"))
}
