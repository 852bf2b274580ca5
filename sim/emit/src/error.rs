//! What can go wrong: a refusal names its module, its statement and its reason.

use std::fmt;
use std::path::PathBuf;

/// One thing that cannot be given exactly in Verilog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The module: the path of field names from the top.
    pub module: String,
    /// The statement as it reads in Rust; empty if the module as a whole is refused.
    pub statement: String,
    /// Why it is refused, and what to write instead where that is known.
    pub reason: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.statement.is_empty() {
            write!(f, "{}: {}", self.module, self.reason)
        } else {
            write!(f, "{}: `{}`: {}", self.module, self.statement, self.reason)
        }
    }
}

/// Why no Verilog was written.
#[derive(Debug, thiserror::Error)]
pub enum EmitError {
    /// The block holds something that cannot be given exactly.
    #[error("refused:\n{}", list(.0))]
    Refused(Vec<Refusal>),
    /// A file could not be written or read.
    #[error("{path}: {source}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's answer.
        source: std::io::Error,
    },
    /// The folder for the files holds something else.
    #[error("{dir} is not replaced: it holds {other}, which no emit has written")]
    Occupied {
        /// The folder.
        dir: PathBuf,
        /// What is in it.
        other: PathBuf,
    },
}

impl EmitError {
    /// The refusals, if this is a refusal.
    pub fn refusals(&self) -> &[Refusal] {
        match self {
            EmitError::Refused(all) => all,
            EmitError::Io { .. } | EmitError::Occupied { .. } => &[],
        }
    }
}

fn list(refusals: &[Refusal]) -> String {
    let lines: Vec<String> = refusals.iter().map(|r| format!("  {r}")).collect();
    lines.join("\n")
}
