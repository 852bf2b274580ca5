//! A file that comes in pieces.
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::error::SoftError;
use crate::setup::unfit;

/// Longest name of a file, in bytes.
const MAX_NAME: usize = 100;

/// Hashes what comes, and keeps it if there is a folder. The file has its name only once it is whole.
pub(super) struct Store {
    hash: Sha256,
    expected: u64,
    taken: u64,
    file: Option<(File, PathBuf, PathBuf)>,
}

impl Store {
    /// For a file of `expected` bytes. The name is a stranger's: letters, digits and `._-`, not beginning with a dot.
    pub(super) fn new(folder: Option<&Path>, name: &str, expected: u64) -> Result<Self, SoftError> {
        let harmless = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        if name.is_empty()
            || name.len() > MAX_NAME
            || name.starts_with('.')
            || !name.chars().all(harmless)
        {
            let needed = format!("a file name of 1 to {MAX_NAME} letters, digits, `.`, `_`, `-`");
            return Err(unfit(&needed, &format!("{name:?}")));
        }
        let file = folder.map(|folder| {
            let (whole, partial) = (folder.join(name), folder.join(format!(".{name}.partial")));
            let file = File::create(&partial).map_err(|cause| failed(&partial, cause))?;
            Ok::<_, SoftError>((file, partial, whole))
        });
        Ok(Self {
            hash: Sha256::new(),
            expected,
            taken: 0,
            file: file.transpose()?,
        })
    }

    /// The next piece.
    pub(super) fn take(&mut self, piece: &[u8]) -> Result<(), SoftError> {
        self.taken += piece.len() as u64;
        if self.taken > self.expected {
            return Err(unfit(
                &format!("{} bytes of the file", self.expected),
                &format!("{} bytes", self.taken),
            ));
        }
        self.hash.update(piece);
        if let Some((file, partial, _)) = &mut self.file {
            file.write_all(piece)
                .map_err(|cause| failed(partial, cause))?;
        }
        Ok(())
    }

    /// The file is whole: its SHA-256.
    pub(super) fn finish(mut self) -> Result<String, SoftError> {
        if self.taken != self.expected {
            return Err(unfit(
                &format!("{} bytes of the file", self.expected),
                &format!("{} bytes", self.taken),
            ));
        }
        if let Some((file, partial, whole)) = self.file.take() {
            file.sync_all()
                .and_then(|()| std::fs::rename(&partial, &whole))
                .map_err(|cause| failed(&whole, cause))?;
        }
        Ok(crate::transfer::hex(
            &std::mem::take(&mut self.hash).finalize(),
        ))
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        if let Some((_, partial, _)) = &self.file {
            let _ = std::fs::remove_file(partial);
        }
    }
}

fn failed(path: &Path, cause: std::io::Error) -> SoftError {
    SoftError::File {
        path: path.to_path_buf(),
        cause,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_lead_elsewhere_are_refused() {
        for name in [
            "",
            ".",
            "..",
            "../x",
            "a/b",
            ".hidden",
            "a\0b",
            "ä",
            &"x".repeat(101),
        ] {
            assert!(Store::new(None, name, 1).is_err(), "{name:?}");
        }
        Store::new(None, "file-1_a.bin", 1).unwrap();
    }

    #[test]
    fn a_file_appears_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let names = || std::fs::read_dir(folder.path()).unwrap().count();
        let mut store = Store::new(Some(folder.path()), "a", 3).unwrap();
        store.take(b"ab").unwrap();
        assert!(store.finish().is_err());
        assert_eq!(names(), 0);
        let mut store = Store::new(Some(folder.path()), "a", 3).unwrap();
        store.take(b"abc").unwrap();
        assert_eq!(
            store.finish().unwrap(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
        assert_eq!(std::fs::read(folder.path().join("a")).unwrap(), b"abc");
        assert_eq!(names(), 1);
        let mut store = Store::new(Some(folder.path()), "b", 3).unwrap();
        assert!(store.take(b"abcd").is_err());
    }
}
