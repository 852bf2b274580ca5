//! Which Verilator and which C++ compiler, and their identity.

use std::collections::HashMap;
use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use crate::BuildError;
use crate::cache::workspace_folder;

/// The oldest Verilator that works: Debian 12's.
const OLDEST_VERILATOR: (u32, u32) = (5, 6);

/// The tools that build a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    /// Verilator's program.
    pub verilator: String,
    /// Verilator's version, or what it prints in place of one.
    pub version: String,
    /// Folder of the verilated run time's sources.
    pub include: PathBuf,
    /// The C++ compiler's program.
    pub compiler: String,
    /// First line of the compiler's `--version`.
    pub compiler_version: String,
}

/// By Verilator's and the compiler's program.
type Known = HashMap<(String, String), Arc<Toolchain>>;

/// The tools that the environment chooses, looked at once a process for each choice.
pub fn toolchain() -> Result<Arc<Toolchain>, BuildError> {
    static KNOWN: Mutex<Option<Known>> = Mutex::new(None);
    let choice = (chosen_verilator(), chosen_compiler());
    let mut known = KNOWN
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let known = known.get_or_insert_with(HashMap::new);
    if let Some(found) = known.get(&choice) {
        return Ok(found.clone());
    }
    let found = Arc::new(identify(&choice.0, &choice.1)?);
    known.insert(choice, found.clone());
    Ok(found)
}

fn chosen_verilator() -> String {
    if let Some(program) = env::var("VERILATOR").ok().filter(|v| !v.is_empty()) {
        return program;
    }
    let pinned = workspace_folder().map(|folder| folder.join(".venv/bin/verilator"));
    match pinned.filter(|path| path.exists()) {
        Some(path) => path.to_string_lossy().into_owned(),
        None => "verilator".into(),
    }
}

fn chosen_compiler() -> String {
    if let Some(program) = env::var("CXX").ok().filter(|v| !v.is_empty()) {
        return program;
    }
    let candidates = ["g++", "c++", "clang++"];
    let found = candidates.into_iter().find(|name| in_path(name));
    found.unwrap_or("g++").into()
}

fn in_path(name: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

fn identify(verilator: &str, compiler: &str) -> Result<Toolchain, BuildError> {
    let printed = ask_verilator(verilator, &["--version"])?;
    let root = ask_verilator(verilator, &["--getenv", "VERILATOR_ROOT"])?;
    let include = Path::new(&root).join("include");
    let config = include.join("verilated_config.h");
    let config = fs::read_to_string(&config).map_err(|e| BuildError::io("read", &config, e))?;
    // PyPI's build prints no number, but its header has one.
    let declared = version_in_header(&config).unwrap_or_default();
    let number = version_number(&printed).or_else(|| version_number(declared));
    if let Some(found) = number.filter(|found| *found < OLDEST_VERILATOR) {
        return Err(BuildError::ToolTooOld {
            program: verilator.into(),
            needed: format!("{}.{:03}", OLDEST_VERILATOR.0, OLDEST_VERILATOR.1),
            found: format!("{}.{:03}", found.0, found.1),
        });
    }
    Ok(Toolchain {
        verilator: verilator.into(),
        version: format!("{declared} ({printed})"),
        include,
        compiler: compiler.into(),
        compiler_version: ask_compiler(compiler)?,
    })
}

fn ask_verilator(program: &str, arguments: &[&str]) -> Result<String, BuildError> {
    let output = Command::new(program).args(arguments).output();
    let hint = "run ./setup, or set VERILATOR to its path";
    first_line(output).map_err(|source| BuildError::ToolMissing {
        tool: "Verilator",
        program: program.into(),
        hint,
        source,
    })
}

fn ask_compiler(program: &str) -> Result<String, BuildError> {
    let output = Command::new(program).arg("--version").output();
    let hint = "run ./setup, or set CXX to its path";
    first_line(output).map_err(|source| BuildError::ToolMissing {
        tool: "a C++ compiler",
        program: program.into(),
        hint,
        source,
    })
}

fn first_line(output: io::Result<Output>) -> io::Result<String> {
    let output = output?;
    if !output.status.success() {
        let tail = String::from_utf8_lossy(&output.stderr).trim().to_string();
        return Err(io::Error::other(format!("{}: {tail}", output.status)));
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().next().unwrap_or_default().trim().to_string())
}

/// `major.minor` after the word `Verilator`, or at the start of a bare number.
fn version_number(text: &str) -> Option<(u32, u32)> {
    let word = text
        .trim()
        .trim_start_matches("Verilator")
        .split_whitespace()
        .next()?;
    let (major, minor) = word.split_once('.')?;
    let minor: String = minor.chars().take_while(char::is_ascii_digit).collect();
    Some((major.parse().ok()?, minor.parse().ok()?))
}

fn version_in_header(text: &str) -> Option<&str> {
    let line = text
        .lines()
        .find(|line| line.starts_with("#define VERILATOR_VERSION "))?;
    line.split('"').nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn version_numbers_are_read_in_all_their_shapes() {
        assert_eq!(
            version_number("Verilator 5.006 2023-01-22 rev (Debian 5.006-3)"),
            Some((5, 6))
        );
        assert_eq!(version_number("5.49"), Some((5, 49)));
        assert_eq!(version_number(" rev vUNKNOWN-built20260516-4e853d8"), None);
        assert_eq!(version_number("Verilator 4.228 2022-10-01"), Some((4, 228)));
    }

    #[test]
    fn header_gives_the_version_that_the_program_hides() {
        let header =
            "/// x\n#define VERILATOR_VERSION \"5.49\"\n#define VERILATOR_VERSION_INTEGER \n";
        assert_eq!(version_in_header(header), Some("5.49"));
    }

    #[test]
    fn missing_tool_is_named_with_a_hint() {
        let error = identify("no-such-verilator", "g++")
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("no-such-verilator") && error.contains("./setup"),
            "{error}"
        );
    }
}
