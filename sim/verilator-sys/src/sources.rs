//! The Verilog that a model is built from.

use std::fs;
use std::path::{Path, PathBuf};

use crate::BuildError;

/// Verilog files in order, and the name of their top module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sources {
    /// Name of the top module.
    pub top: String,
    /// The files, in the order that Verilator reads them.
    pub files: Vec<PathBuf>,
    /// Folders searched for `` `include `` files.
    pub include_folders: Vec<PathBuf>,
}

impl Sources {
    /// These files.
    pub fn new(
        top: impl Into<String>,
        files: impl IntoIterator<Item = impl Into<PathBuf>>,
    ) -> Self {
        Sources {
            top: top.into(),
            files: files.into_iter().map(Into::into).collect(),
            include_folders: Vec::new(),
        }
    }

    /// The files that `folder/files.f` lists: a path a line, relative to the
    /// folder; `+incdir+FOLDER`; `//` and `#` start a comment line.
    pub fn from_folder(top: impl Into<String>, folder: &Path) -> Result<Self, BuildError> {
        let list = folder.join("files.f");
        let text = fs::read_to_string(&list).map_err(|e| BuildError::io("read", &list, e))?;
        let mut sources = Sources::new(top, Vec::<PathBuf>::new());
        for (index, line) in text.lines().map(str::trim).enumerate() {
            if line.is_empty() || line.starts_with("//") || line.starts_with('#') {
                continue;
            }
            if let Some(include) = line.strip_prefix("+incdir+") {
                sources.include_folders.push(folder.join(include));
            } else if line.starts_with(['+', '-']) {
                let reason = format!("only file names and +incdir+ are understood, found `{line}`");
                return Err(BuildError::FileList {
                    path: list,
                    line: index + 1,
                    reason,
                });
            } else {
                sources.files.push(folder.join(line));
            }
        }
        if sources.files.is_empty() {
            let reason = "at least one file is needed, found none".to_string();
            return Err(BuildError::FileList {
                path: list,
                line: 0,
                reason,
            });
        }
        Ok(sources)
    }

    /// Every file whose text decides the model, included ones too, by name.
    pub(crate) fn contents(&self) -> Result<Vec<(String, Vec<u8>)>, BuildError> {
        let mut included = Vec::new();
        for folder in &self.include_folders {
            let entries = fs::read_dir(folder).map_err(|e| BuildError::io("list", folder, e))?;
            for entry in entries {
                let path = entry.map_err(|e| BuildError::io("list", folder, e))?.path();
                if path.is_file() {
                    included.push(path);
                }
            }
        }
        included.sort();
        let all = self.files.iter().chain(&included);
        all.map(|path| {
            // The name without its folder: a model emitted twice is one model.
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let text = fs::read(path).map_err(|e| BuildError::io("read", path, e))?;
            Ok((name, text))
        })
        .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_list_takes_paths_comments_and_include_folders() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(
            folder.path().join("files.f"),
            "// made by emit\n\na.v\n+incdir+inc\nsub/b.v\n",
        )
        .unwrap();
        let sources = Sources::from_folder("a", folder.path()).unwrap();
        assert_eq!(
            sources.files,
            [folder.path().join("a.v"), folder.path().join("sub/b.v")]
        );
        assert_eq!(sources.include_folders, [folder.path().join("inc")]);
    }

    #[test]
    fn file_list_refuses_options_and_says_where() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("files.f"), "a.v\n--exe\n").unwrap();
        let error = Sources::from_folder("a", folder.path())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("files.f:2:") && error.contains("--exe"),
            "{error}"
        );
    }

    #[test]
    fn empty_file_list_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("files.f"), "# nothing\n").unwrap();
        assert!(matches!(
            Sources::from_folder("a", folder.path()),
            Err(BuildError::FileList { .. })
        ));
    }
}
