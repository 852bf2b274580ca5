//! Where a flow works, so that what stands in its output folder is whole or absent.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::error::{FlowError, at};
use crate::tool::Toolbox;

/// An output folder and the temporary folder inside it in which tools write.
///
/// The temporary folder is on the same file system, so what is finished is moved out of it in one
/// step; it is removed at the end, whatever the end is. Logs go to `logs` beside it and stay.
pub(crate) struct Workshop {
    out: PathBuf,
    logs: PathBuf,
    bench: tempfile::TempDir,
    toolbox: Toolbox,
}

impl Workshop {
    /// Makes the folders; takes away what an earlier run left under these names.
    pub fn open(out: &Path, artefacts: &[&str], toolbox: &Toolbox) -> Result<Self, FlowError> {
        // Tools run in another folder.
        let out = if out.is_absolute() {
            out.to_path_buf()
        } else {
            at("find", Path::new("."), env::current_dir())?.join(out)
        };
        let logs = out.join("logs");
        at("make folder", &logs, fs::create_dir_all(&logs))?;
        for name in artefacts {
            let old = out.join(name);
            if old.exists() {
                at("remove the earlier", &old, fs::remove_file(&old))?;
            }
        }
        let bench = tempfile::Builder::new().prefix(".build").tempdir_in(&out);
        let bench = at("make a folder in", &out, bench)?;
        Ok(Self {
            out,
            logs,
            bench,
            toolbox: toolbox.clone(),
        })
    }

    /// The tools.
    pub fn toolbox(&self) -> &Toolbox {
        &self.toolbox
    }

    /// Where tools work.
    pub fn bench(&self) -> &Path {
        self.bench.path()
    }

    /// Where logs stay.
    pub fn logs(&self) -> &Path {
        &self.logs
    }

    /// Writes an input of a tool.
    pub fn write(&self, name: &str, text: &str) -> Result<PathBuf, FlowError> {
        let path = self.bench().join(name);
        at("write", &path, fs::write(&path, text))?;
        Ok(path)
    }

    /// Moves a finished file to the output folder.
    pub fn publish(&self, name: &str, as_name: &str) -> Result<PathBuf, FlowError> {
        let (from, to) = (self.bench().join(name), self.out.join(as_name));
        // A full disk may show only here.
        at(
            "write",
            &to,
            File::options()
                .append(true)
                .open(&from)
                .and_then(|file| file.sync_all()),
        )?;
        at("write", &to, fs::rename(&from, &to))?;
        Ok(to)
    }
}
