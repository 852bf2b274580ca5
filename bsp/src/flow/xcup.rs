//! UltraScale+: cells only. No open tool places it, so no clock is ever stated.

use crate::error::FlowError;
use crate::flow::yosys::{self, Cells};
use crate::workshop::Workshop;

/// Synthesises `files`.
pub(crate) fn synthesise(shop: &Workshop, files: &[&str], top: &str) -> Result<Cells, FlowError> {
    yosys::synthesise(
        shop,
        files,
        &format!("synth_xilinx -family xcup -flatten -noiopad -top {top}"),
    )
}
