//! Runs the command as a user does.
#![allow(dead_code)] // each test uses its part

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// The command, from the workspace's root.
pub fn metaroce() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_metaroce"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    command
}

/// A folder of the test's own.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// Bytes that no simple error leaves as they are.
pub fn file(folder: &Path, bytes: usize) -> PathBuf {
    let path = folder.join(format!("input-{bytes}"));
    let content: Vec<u8> = (0..bytes as u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    std::fs::write(&path, content).expect("a file");
    path
}

/// Runs `cosim` on a file with these further words.
pub fn cosim(file: &Path, out: &Path, words: &[&str]) -> Output {
    let mut command = metaroce();
    command
        .args(["cosim", "--json", "--file"])
        .arg(file)
        .arg("--out")
        .arg(out)
        .args(words);
    command.output().expect("the command runs")
}

/// The one JSON object on stdout.
pub fn json(output: &Output) -> Value {
    let stdout = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&stdout)
        .unwrap_or_else(|e| panic!("{e}: {stdout}{}", String::from_utf8_lossy(&output.stderr)))
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The run passed and nothing differed.
pub fn assert_identical(output: &Output) -> Value {
    let report = json(output);
    assert_eq!(report["identical"], true, "{report:#}");
    assert_eq!(report["lockstep_mismatches"], 0);
    assert!(output.status.success());
    report
}

/// Whether the long form is asked for.
pub fn long() -> bool {
    std::env::var_os("METAROCE_LONG").is_some()
}
