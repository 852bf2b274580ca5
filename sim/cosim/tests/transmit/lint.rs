//! Every size of the transmit side is silent under `verilator --lint-only -Wall`.
use metaroce_rtl::sizes::{Size, emit, emit_transmit_side};

use crate::datapath::lint;

#[test]
fn every_size_is_lint_clean() {
    for &size in Size::ALL {
        let profile = size.profile();
        lint(&emit_transmit_side(size, profile).unwrap_or_else(|error| panic!("{error}")));
    }
}

/// The largest takes a while: `tests/emitted_verilog_lints_clean.sh` looks at it.
#[test]
fn every_whole_nic_is_lint_clean() {
    for &size in Size::ALL.iter().filter(|&&size| size != Size::Large) {
        lint(&emit(size).unwrap_or_else(|error| panic!("{error}")));
    }
}
