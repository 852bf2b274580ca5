//! The external tools, by environment variable. A tool that is missing fails the test.

use std::path::Path;
use std::process::Command;

/// The command of a tool: the variable's value, or the default name.
pub fn tool(variable: &str, default: &str) -> String {
    std::env::var(variable)
        .ok()
        .filter(|v| !v.is_empty())
        .unwrap_or_else(|| default.into())
}

pub fn verilator() -> String {
    tool("VERILATOR", "verilator")
}

pub fn iverilog() -> String {
    tool("IVERILOG", "iverilog")
}

pub fn vvp() -> String {
    tool("VVP", "vvp")
}

pub fn yosys() -> String {
    tool("YOSYS", "yosys")
}

/// Runs a tool in `dir`; returns what it printed. Failure to start or to succeed panics.
pub fn run(dir: &Path, program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program)
        .args(arguments)
        .current_dir(dir)
        .output();
    let output = output.unwrap_or_else(|e| {
        panic!("cannot start `{program}`: {e}; install it or set its variable")
    });
    let text = format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        output.status.success(),
        "`{program} {}` failed:\n{text}",
        arguments.join(" ")
    );
    text
}

/// Runs Verilator's strictest check. It must print no warning; newer versions always print a
/// report, whose lines start with `- `.
pub fn lint(dir: &Path, top: &str) {
    let text = run(
        dir,
        &verilator(),
        &["--lint-only", "-Wall", "--top-module", top, "-f", "files.f"],
    );
    let spoken: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with("- "))
        .collect();
    assert!(spoken.is_empty(), "{top}: {}", spoken.join("\n"));
}
