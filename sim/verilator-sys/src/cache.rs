//! Where built things are kept: one folder an entry, made whole or not at all.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::BuildError;

/// The folder of built models; see the crate's documentation.
pub fn cache_folder() -> PathBuf {
    if let Some(folder) = env::var_os("METAROCE_CACHE").filter(|v| !v.is_empty()) {
        return folder.into();
    }
    if let Some(folder) = env::var_os("CARGO_TARGET_DIR").filter(|v| !v.is_empty()) {
        return Path::new(&folder).join("verilated");
    }
    workspace_folder()
        .unwrap_or_default()
        .join("target/verilated")
}

/// The folder with `Cargo.lock`, from the current folder upwards.
pub(crate) fn workspace_folder() -> Option<PathBuf> {
    let current = env::current_dir().ok()?;
    current
        .ancestors()
        .find(|folder| folder.join("Cargo.lock").is_file())
        .map(Path::to_path_buf)
}

/// A hash over length-prefixed parts, so that no two lists of parts meet.
#[derive(Default)]
pub(crate) struct Key(Sha256);

impl Key {
    pub(crate) fn add(&mut self, part: impl AsRef<[u8]>) {
        let part = part.as_ref();
        self.0.update((part.len() as u64).to_le_bytes());
        self.0.update(part);
    }

    /// 128 bits are plenty against accidents.
    pub(crate) fn finish(self) -> String {
        let digest = self.0.finalize();
        digest
            .iter()
            .take(16)
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }
}

/// The entry `name`, made by `make` in a temporary folder if it is not there yet.
/// Also tells whether it was made now. Processes and threads that want the same
/// entry wait for the one that makes it.
pub(crate) fn entry<F>(cache: &Path, name: &str, make: F) -> Result<(PathBuf, bool), BuildError>
where
    F: FnOnce(&Path) -> Result<(), BuildError>,
{
    let finished = cache.join(name);
    if finished.is_dir() {
        return Ok((finished, false));
    }
    fs::create_dir_all(cache).map_err(|e| BuildError::io("make the folder", cache, e))?;
    let _lock = lock(&cache.join(format!("{name}.lock")))?;
    if finished.is_dir() {
        return Ok((finished, false));
    }
    let prefix = format!("tmp-{name}-");
    remove_leftovers(cache, &prefix);
    let work = tempfile::Builder::new()
        .prefix(&prefix)
        .tempdir_in(cache)
        .map_err(|e| BuildError::io("make a folder in", cache, e))?;
    make(work.path()).map_err(|error| tell_full_disk(error, cache))?;
    fs::rename(work.path(), &finished).map_err(|e| BuildError::io("rename to", &finished, e))?;
    // The folder has moved: nothing is left to remove.
    let _moved = work.keep();
    Ok((finished, true))
}

/// Held until dropped; a process that dies lets go too.
fn lock(path: &Path) -> Result<File, BuildError> {
    let file = File::create(path).map_err(|e| BuildError::io("create", path, e))?;
    file.lock().map_err(|e| BuildError::io("lock", path, e))?;
    Ok(file)
}

/// We hold the entry's lock, so that a work folder of it belongs to nobody alive.
fn remove_leftovers(cache: &Path, prefix: &str) {
    let Ok(entries) = fs::read_dir(cache) else {
        return;
    };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(prefix) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Tools tell of a full disk only in their text.
fn tell_full_disk(error: BuildError, cache: &Path) -> BuildError {
    match &error {
        BuildError::Verilate { tail, .. } | BuildError::Compile { tail, .. }
            if tail.contains("No space left on device") =>
        {
            BuildError::DiskFull {
                path: cache.to_path_buf(),
            }
        }
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn entry_is_made_once_by_many_threads() {
        let cache = tempfile::tempdir().unwrap();
        let made = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let make = |work: &Path| {
                        made.fetch_add(1, Ordering::SeqCst);
                        fs::write(work.join("x"), "y").map_err(|e| BuildError::io("write", work, e))
                    };
                    let (folder, _) = entry(cache.path(), "a", make).unwrap();
                    assert_eq!(fs::read(folder.join("x")).unwrap(), b"y");
                });
            }
        });
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn failed_entry_leaves_nothing_and_is_tried_again() {
        let cache = tempfile::tempdir().unwrap();
        let fail = |_: &Path| {
            Err(BuildError::Output {
                what: "x",
                found: "y".into(),
            })
        };
        assert!(entry(cache.path(), "a", fail).is_err());
        assert!(!cache.path().join("a").exists());
        fs::create_dir(cache.path().join("tmp-a-killed")).unwrap();
        assert!(entry(cache.path(), "a", |_| Ok(())).unwrap().1);
        assert!(!cache.path().join("tmp-a-killed").exists());
    }

    #[test]
    fn full_disk_in_a_tools_text_is_told_as_such() {
        let cache = tempfile::tempdir().unwrap();
        let make = |_: &Path| {
            Err(BuildError::Compile {
                compiler: "g++".into(),
                what: "model".into(),
                status: "exit status: 1".into(),
                tail: "fatal error: error writing to x.o: No space left on device".into(),
            })
        };
        assert!(matches!(
            entry(cache.path(), "a", make),
            Err(BuildError::DiskFull { .. })
        ));
    }

    #[test]
    fn key_keeps_parts_apart() {
        let key = |parts: &[&str]| {
            let mut key = Key::default();
            parts.iter().for_each(|part| key.add(part));
            key.finish()
        };
        assert_ne!(key(&["ab", "c"]), key(&["a", "bc"]));
        assert_eq!(key(&["ab"]).len(), 32);
    }
}
