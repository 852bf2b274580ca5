//! What can go wrong, with what was needed and what was found.

use std::io;
use std::path::{Path, PathBuf};

/// A model could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// A tool is not installed.
    #[error("{tool} is needed, but `{program}` does not start: {source}; {hint}")]
    ToolMissing {
        /// What the tool is.
        tool: &'static str,
        /// The name or path that was tried.
        program: String,
        /// What to do about it.
        hint: &'static str,
        /// Why it did not start.
        source: io::Error,
    },
    /// A tool is older than the oldest that works.
    #[error("`{program}` is Verilator {found}, but {needed} or newer is needed")]
    ToolTooOld {
        /// The name or path that was tried.
        program: String,
        /// The oldest version that works.
        needed: String,
        /// The version that it says it has.
        found: String,
    },
    /// The Verilog file list is unusable.
    #[error("{}:{line}: {reason}", path.display())]
    FileList {
        /// The list.
        path: PathBuf,
        /// Line in the list, from 1 (0: the list as a whole).
        line: usize,
        /// What is wrong with it.
        reason: String,
    },
    /// Verilator refused the design.
    #[error("Verilator refused `{top}` ({status}):\n{tail}")]
    Verilate {
        /// Name of the top module.
        top: String,
        /// Exit status.
        status: String,
        /// The end of what it printed.
        tail: String,
    },
    /// The C++ compiler or the linker failed.
    #[error("{compiler} failed on {what} ({status}):\n{tail}")]
    Compile {
        /// The compiler's program.
        compiler: String,
        /// What it was working on.
        what: String,
        /// Exit status.
        status: String,
        /// The end of what it printed.
        tail: String,
    },
    /// Verilator's output is not of the shape that we read.
    #[error("Verilator's {what} is not understood: {found}")]
    Output {
        /// Which part of the output.
        what: &'static str,
        /// The text in question.
        found: String,
    },
    /// No space is left where models are built.
    #[error("no space left on the disk of {}; free some, or set METAROCE_CACHE to another disk", path.display())]
    DiskFull {
        /// The cache's folder.
        path: PathBuf,
    },
    /// A file operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The operation, as a verb.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
}

impl BuildError {
    /// A file error, with a full disk told apart from the rest.
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            io::ErrorKind::StorageFull => BuildError::DiskFull { path },
            _ => BuildError::Io {
                action,
                path,
                source,
            },
        }
    }
}

/// A built model could not be loaded, or failed while it ran.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The shared object does not load.
    #[error("cannot load the model {}: {reason}", path.display())]
    Load {
        /// The shared object.
        path: PathBuf,
        /// The loader's message.
        reason: String,
    },
    /// The model's constructor failed.
    #[error("the model cannot be created: {message}")]
    Create {
        /// Verilator's message.
        message: String,
    },
    /// The model stopped: `$stop`, `$fatal`, or logic that does not settle.
    /// Every later evaluation gives the same error.
    #[error("the model failed: {message}")]
    Fatal {
        /// Verilator's message, with file and line.
        message: String,
    },
    /// There is no port of this name.
    #[error("no port `{name}`; the model has: {}", known.join(", "))]
    UnknownPort {
        /// The name asked for.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// A port is not of the width or direction that its use needs.
    #[error("port `{name}` must be {needed}, but is {found}")]
    PortMismatch {
        /// The port.
        name: String,
        /// What its use needs.
        needed: String,
        /// What it is.
        found: String,
    },
    /// The model was built without tracing.
    #[error("the model was built without tracing, so that it cannot write {}", path.display())]
    NotTraced {
        /// The wave file asked for.
        path: PathBuf,
    },
    /// The wave file cannot be written.
    #[error("cannot write the wave file {}: {reason}", path.display())]
    Trace {
        /// The wave file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}
