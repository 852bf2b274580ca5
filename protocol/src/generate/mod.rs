//! Text that follows from the table: hardware, documents, dissector. Pure functions; the program `generate` writes.
/// A line of text. Writing to a string can't fail.
macro_rules! line {
    ($text:expr, $($format:tt)+) => {{
        let _ = writeln!($text, $($format)+);
    }};
}

mod dissector;
mod docs;
mod hardware;

pub use dissector::dissector;

use thiserror::Error;

/// What brings committed text up to date.
pub const MEND: &str = "cargo run -p metaroce-protocol --bin generate";

/// A file's path from the workspace's root, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Generated {
    /// Path from the workspace's root.
    pub path: &'static str,
    /// The whole file.
    pub text: String,
}

/// A document that can't be filled.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum FenceError {
    /// The name after `generated:` is unknown.
    #[error("{path} asks for generated text {name:?}; known are {known}")]
    Unknown {
        /// The document.
        path: &'static str,
        /// Name asked for.
        name: String,
        /// Names that exist.
        known: String,
    },
    /// A fence has no end.
    #[error("{path}: the fence of {name:?} has no line {END:?}")]
    Open {
        /// The document.
        path: &'static str,
        /// Name of the fence.
        name: String,
    },
}

const START: &str = "<!-- generated: ";
const END: &str = "<!-- end of generated -->";

/// Files that are generated as a whole.
pub fn whole_files() -> Vec<Generated> {
    hardware::files()
}

/// Documents with generated parts.
pub const DOCUMENTS: &[&str] = &["docs/protocol.md", "docs/registers.md"];

/// Puts fresh text into the fences of the document at `path`. Lines outside fences stay.
pub fn fill(path: &'static str, document: &str) -> Result<String, FenceError> {
    let mut filled = String::new();
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        filled.push_str(line);
        filled.push('\n');
        let Some(name) = line
            .strip_prefix(START)
            .and_then(|rest| rest.strip_suffix(" -->"))
        else {
            continue;
        };
        let sections = docs::SECTIONS;
        let Some((_, text)) = sections.iter().find(|(known, _)| *known == name) else {
            let known: Vec<_> = sections.iter().map(|(known, _)| *known).collect();
            return Err(FenceError::Unknown {
                path,
                name: name.into(),
                known: known.join(", "),
            });
        };
        if !lines.any(|line| line == END) {
            return Err(FenceError::Open {
                path,
                name: name.into(),
            });
        }
        filled.push_str(&text());
        filled.push_str(END);
        filled.push('\n');
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_lies_in_a_fence_changes() {
        let stale = format!("a\n{START}refusals -->\nold\n{END}\nb\n");
        let fresh = fill("x", &stale).unwrap();
        assert!(
            fresh.starts_with(&format!("a\n{START}refusals -->\n|"))
                && fresh.ends_with(&format!("{END}\nb\n"))
        );
        assert!(fresh.contains("bad_key") && !fresh.contains("old"));
        assert_eq!(fill("x", &fresh), Ok(fresh.clone()));
    }

    #[test]
    fn a_broken_fence_is_named() {
        let error = fill("x", &format!("{START}layout -->\n{END}\n")).unwrap_err();
        assert!(
            error
                .to_string()
                .starts_with("x asks for generated text \"layout\"; known are headers,")
        );
        let error = fill("x", &format!("{START}headers -->\n")).unwrap_err();
        assert!(matches!(error, FenceError::Open { .. }));
    }
}
