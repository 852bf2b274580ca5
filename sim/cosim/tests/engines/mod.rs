//! What the tests of receive and host side share: a block becomes a running model of its emitted Verilog.
#![allow(dead_code)] // each test file uses a part

use std::path::Path;
use std::process::Command;

use metaroce_cosim::model::{Options, Sources, VerilatedModel};
use rust_hdl::prelude::*;

/// Emits a block, checks that Verilator has nothing to say about it, and runs a model of it, after a reset of two cycles.
pub fn model<B: Block>(mut block: B, name: &str) -> VerilatedModel {
    block.connect_all();
    let design = metaroce_emit::emit(&block, name).unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("verilog");
    design
        .write_to(&path)
        .unwrap_or_else(|error| panic!("{error}"));
    lint(&path, name);
    let sources = Sources::from_folder(name, &path).unwrap_or_else(|error| panic!("{error}"));
    let mut model = VerilatedModel::build(&sources, &Options::small())
        .unwrap_or_else(|error| panic!("{error}"));
    if let Some(reset) = model.find("reset") {
        model.set_u64(reset, 1);
        (0..2).for_each(|_| model.tick().expect("a cycle"));
        model.set_u64(reset, 0);
    }
    model
}

fn lint(folder: &Path, top: &str) {
    let verilator = std::env::var("VERILATOR").unwrap_or_else(|_| "verilator".into());
    let output = Command::new(verilator)
        .args(["--lint-only", "-Wall", "--top-module", top, "-f", "files.f"])
        .current_dir(folder)
        .output()
        .expect("verilator runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned()
        + &String::from_utf8_lossy(&output.stdout);
    // The summary that newer versions print is no complaint.
    let said: Vec<&str> = said
        .lines()
        .filter(|line| !line.starts_with("- "))
        .collect();
    assert!(
        output.status.success() && said.is_empty(),
        "{top}: {}",
        said.join("\n")
    );
}

/// A word wider than 64 bits, put together field by field: first field lowest.
#[derive(Clone, Default)]
pub struct Word {
    bytes: Vec<u8>,
    at: usize,
}

impl Word {
    /// Adds a field of `bits` bits above what is there.
    pub fn field(mut self, value: u64, bits: usize) -> Self {
        assert!(
            bits == 64 || value >> bits == 0,
            "{value:#x} in {bits} bits"
        );
        self.bytes
            .resize((self.at + bits).div_ceil(8).max(self.bytes.len()), 0);
        for i in 0..bits {
            let at = self.at + i;
            self.bytes[at / 8] |= ((value >> i & 1) as u8) << (at % 8);
        }
        self.at += bits;
        self
    }

    /// Adds whole bytes; what is there must end on a byte's bound or not: any place will do.
    pub fn bytes(self, bytes: &[u8]) -> Self {
        bytes
            .iter()
            .fold(self, |word, &byte| word.field(byte.into(), 8))
    }

    /// The bytes, least significant first.
    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Takes such a word apart.
pub struct Fields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Fields<'a> {
    /// From the bytes, least significant first.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next `bits` bits.
    pub fn field(&mut self, bits: usize) -> u64 {
        let value = (0..bits).fold(0, |value, i| {
            let at = self.at + i;
            value | u64::from(self.bytes[at / 8] >> (at % 8) & 1) << i
        });
        self.at += bits;
        value
    }
}
