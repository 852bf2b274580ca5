//! What the tests of the datapath's cores share: a block becomes a running model of its emitted Verilog.
#![allow(dead_code)] // each test file uses a part

use std::path::Path;
use std::process::Command;

use metaroce_cosim::model::{Options, Sources, VerilatedModel};
use metaroce_emit::Design;
use rust_hdl::prelude::*;

/// Emits a block.
pub fn design<B: Block>(mut block: B, name: &str) -> Design {
    block.connect_all();
    metaroce_emit::emit(&block, name).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a model of a block's Verilog, reset and one cycle after it.
pub fn model<B: Block>(block: B, name: &str) -> VerilatedModel {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("verilog");
    design(block, name)
        .write_to(&path)
        .unwrap_or_else(|error| panic!("{error}"));
    let sources = Sources::from_folder(name, &path).unwrap_or_else(|error| panic!("{error}"));
    let mut model = VerilatedModel::build(&sources, &Options::small())
        .unwrap_or_else(|error| panic!("{error}"));
    reset(&mut model);
    model
}

/// Holds reset for two cycles, all other inputs 0.
pub fn reset(model: &mut VerilatedModel) {
    let Some(reset) = model.find("reset") else {
        return;
    };
    model.set_u64(reset, 1);
    for _ in 0..2 {
        model.tick().expect("a cycle");
    }
    model.set_u64(reset, 0);
}

/// A tool by its variable, or its name.
pub fn tool(variable: &str, name: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| name.into())
}

/// Verilator must have nothing to say.
pub fn lint(design: &Design) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("verilog");
    design.write_to(&path).expect("files");
    let output = Command::new(tool("VERILATOR", "verilator"))
        .args([
            "--lint-only",
            "-Wall",
            "--top-module",
            &design.top,
            "-f",
            "files.f",
        ])
        .current_dir(&path)
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
        "{}: {}",
        design.top,
        said.join("\n")
    );
}

/// Yosys must make a netlist of it.
pub fn synthesise(design: &Design, script: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("verilog");
    design.write_to(&path).expect("files");
    let files: Vec<String> = design
        .modules
        .iter()
        .map(|module| format!("{}.v", module.name))
        .collect();
    let script = format!(
        "read_verilog {}; {script} -top {}; check -assert",
        files.join(" "),
        design.top
    );
    run(&path, &tool("YOSYS", "yosys"), &["-q", "-p", &script]);
}

fn run(folder: &Path, program: &str, arguments: &[&str]) {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output();
    let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program}: {said}");
}
