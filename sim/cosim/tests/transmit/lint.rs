//! Every size of the transmit side is silent under `verilator --lint-only -Wall`.
use std::process::Command;

use metaroce_emit::Design;
use metaroce_rtl::sizes::{Size, emit_transmit_side};

fn lint(design: &Design) {
    let dir = tempfile::tempdir().unwrap();
    let files = design.write_to(dir.path()).unwrap();
    let verilator = std::env::var_os("VERILATOR").unwrap_or_else(|| "verilator".into());
    let sources = files
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "v"));
    let output = Command::new(verilator)
        .args(["--lint-only", "-Wall", "--top-module", &design.top])
        .args(sources)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&said)
    );
    assert_eq!(String::from_utf8_lossy(&said), "");
}

#[test]
fn every_size_is_lint_clean() {
    for &size in Size::ALL {
        match emit_transmit_side(size) {
            Ok(design) => lint(&design),
            Err(error) => panic!("{error}"),
        }
    }
}
