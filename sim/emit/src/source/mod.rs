//! A look at the Rust source itself, for what rust-hdl's tree has lost.
//!
//! The tree keeps no trace of `..=`, of guards of `match` arms, of attributes, of `.index()`
//! and `.into()`, and it takes any function whose name starts with `bits` for a cast. Inside
//! an `#[hdl_gen]` update this check therefore accepts only the forms that [`crate::emit`]
//! gives exactly; the emitter refuses what it can see itself.

mod file;
mod update;

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{EmitError, Refusal};

/// Checks one Rust file, or every `.rs` file below a folder.
pub fn check_source(path: &Path) -> Result<(), EmitError> {
    let mut files = Vec::new();
    collect(path, &mut files)?;
    files.sort();
    let mut refused = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).map_err(|source| io(&file, source))?;
        refused.extend(file::check(&text, &file.display().to_string()));
    }
    answer(refused)
}

/// Checks a text; `name` stands for its file in refusals.
pub fn check_text(text: &str, name: &str) -> Result<(), EmitError> {
    answer(file::check(text, name))
}

fn answer(refused: Vec<Refusal>) -> Result<(), EmitError> {
    if refused.is_empty() {
        Ok(())
    } else {
        Err(EmitError::Refused(refused))
    }
}

fn io(path: &Path, source: std::io::Error) -> EmitError {
    EmitError::Io {
        path: path.to_path_buf(),
        source,
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) -> Result<(), EmitError> {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    for entry in fs::read_dir(path).map_err(|source| io(path, source))? {
        let inner = entry.map_err(|source| io(path, source))?.path();
        if inner.is_dir() || inner.extension().is_some_and(|e| e == "rs") {
            collect(&inner, files)?;
        }
    }
    Ok(())
}
