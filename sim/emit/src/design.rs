//! What an emission gives: modules in dependency order, and their files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::EmitError;
use crate::names::forbidden;
use crate::print::SIGNATURE;

/// Which way a port goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into the module.
    Input,
    /// Out of the module.
    Output,
}

/// A port of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its Verilog name: interface fields and array places are joined by `_`.
    pub name: String,
    /// Its width in bits, at least 1.
    pub width: usize,
    /// Its direction.
    pub direction: Direction,
    /// Whether its Rust type is `Clock`.
    pub is_clock: bool,
}

/// One Verilog module; its file is `<name>.v`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// The module's name.
    pub name: String,
    /// The whole text of its file.
    pub verilog: String,
}

/// An emitted block and everything below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Design {
    /// The top module's name.
    pub top: String,
    /// Every module once, sub-modules before those that use them.
    pub modules: Vec<Module>,
    ports: Vec<Port>,
}

impl Design {
    /// The top module's ports, in the order of the Rust fields.
    pub fn ports(&self) -> &[Port] {
        &self.ports
    }

    /// All modules as one text.
    pub fn verilog(&self) -> String {
        let texts: Vec<&str> = self.modules.iter().map(|m| m.verilog.as_str()).collect();
        texts.join("\n")
    }

    /// Writes one file a module and `files.f`, which lists them in order, into `dir`. The set
    /// is written beside `dir` and moved as a whole: on failure `dir` is as before. An earlier
    /// set in `dir` is replaced; a folder with anything else in it is refused.
    pub fn write_to(&self, dir: &Path) -> Result<Vec<PathBuf>, EmitError> {
        let parent = match dir.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        refuse_others(dir)?;
        at(parent, fs::create_dir_all(parent))?;
        let fresh = at(
            parent,
            tempfile::Builder::new().prefix(".emit").tempdir_in(parent),
        )?;
        let mut names: Vec<String> = self
            .modules
            .iter()
            .map(|m| format!("{}.v", m.name))
            .collect();
        for (module, name) in self.modules.iter().zip(&names) {
            let path = fresh.path().join(name);
            at(&path, fs::write(&path, &module.verilog))?;
        }
        let list = fresh.path().join("files.f");
        at(&list, fs::write(&list, names.join("\n") + "\n"))?;
        replace(fresh, dir, parent)?;
        names.push("files.f".into());
        Ok(names.into_iter().map(|name| dir.join(name)).collect())
    }
}

/// Fails if `dir` holds what `write_to` has not written: it would be lost.
fn refuse_others(dir: &Path) -> Result<(), EmitError> {
    if !dir.exists() {
        return Ok(());
    }
    let list = dir.join("files.f");
    let mut names = BTreeSet::new();
    for entry in at(dir, fs::read_dir(dir))? {
        let path = at(dir, entry)?.path();
        if path == list {
            continue;
        }
        if !is_emitted(&path) {
            return occupied(dir, path);
        }
        names.extend(
            path.file_name()
                .map(|name| name.to_string_lossy().into_owned()),
        );
    }
    // A list of anything else is not of an emitted set either.
    if list.exists() {
        let text = at(&list, fs::read_to_string(&list))?;
        let listed: BTreeSet<String> = text.lines().map(str::to_owned).collect();
        if names.is_empty() || !names.is_subset(&listed) {
            return occupied(dir, list);
        }
    }
    Ok(())
}

fn occupied<T>(dir: &Path, other: PathBuf) -> Result<T, EmitError> {
    let dir = dir.to_path_buf();
    Err(EmitError::Occupied { dir, other })
}

/// Whether a plain file begins as every emitted one does.
fn is_emitted(path: &Path) -> bool {
    let plain = fs::symlink_metadata(path).is_ok_and(|data| data.is_file());
    plain && fs::read(path).is_ok_and(|bytes| bytes.starts_with(SIGNATURE.as_bytes()))
}

/// Puts `fresh` in the place of `dir`; what stood there is kept until the new set stands.
fn replace(fresh: tempfile::TempDir, dir: &Path, parent: &Path) -> Result<(), EmitError> {
    let old = at(
        parent,
        tempfile::Builder::new().prefix(".emit").tempdir_in(parent),
    )?;
    let kept = old.path().join("old");
    let stood = dir.exists();
    if stood {
        at(dir, fs::rename(dir, &kept))?;
    }
    let moved = fs::rename(fresh.path(), dir);
    if moved.is_err() && stood {
        at(dir, fs::rename(&kept, dir))?;
    }
    at(dir, moved)?;
    // The folder has moved: nothing is left to remove under its first name.
    let _ = fresh.keep();
    Ok(())
}

fn at<T>(path: &Path, result: std::io::Result<T>) -> Result<T, EmitError> {
    result.map_err(|source| EmitError::Io {
        path: path.to_path_buf(),
        source,
    })
}

/// What a module above needs to know of a module.
#[derive(Clone)]
pub(crate) struct Summary {
    /// Stands for the module's name in texts until all modules are known.
    pub mark: String,
    pub ports: Vec<Port>,
    /// Input ports that reach each output port without a register between.
    pub through: BTreeMap<String, BTreeSet<String>>,
}

struct Entry {
    /// The text without the module's own name.
    text: String,
    wish: String,
    mark: String,
}

/// Modules by content, in the order of their first use.
#[derive(Default)]
pub(crate) struct Store {
    entries: Vec<Entry>,
}

/// Stands for a module's own name before its content is known.
pub(crate) const SELF_MARK: &str = "\u{1}self\u{1}";

impl Store {
    /// Adds a module, or finds the same text again; returns the mark of its name.
    pub fn intern(&mut self, text: String, wish: &str) -> String {
        if let Some(entry) = self.entries.iter().find(|entry| entry.text == text) {
            return entry.mark.clone();
        }
        let mark = format!("\u{1}{:016x}\u{1}", digest(&text));
        self.entries.push(Entry {
            text,
            wish: wish.into(),
            mark: mark.clone(),
        });
        mark
    }

    /// Names all modules; the last one added is the top.
    pub fn finish(self, top: &str, ports: Vec<Port>) -> Design {
        let mut wishes: BTreeMap<&str, usize> = BTreeMap::new();
        wishes.insert(top, 1);
        let last = self.entries.len() - 1;
        for entry in &self.entries[..last] {
            *wishes.entry(entry.wish.as_str()).or_insert(0) += 1;
        }
        let name = |place: usize, entry: &Entry| {
            if place == last {
                return top.to_string();
            }
            let alone = wishes.get(entry.wish.as_str()) == Some(&1) && entry.wish != top;
            if alone && forbidden(&entry.wish).is_none() {
                return entry.wish.clone();
            }
            // The content's own number: the same whatever else is in the design.
            format!("{}_{}", entry.wish, &entry.mark[1..9])
        };
        let names: Vec<String> = self
            .entries
            .iter()
            .enumerate()
            .map(|(i, e)| name(i, e))
            .collect();
        let mut modules = Vec::new();
        for (place, entry) in self.entries.iter().enumerate() {
            let mut verilog = entry.text.replace(SELF_MARK, &names[place]);
            for (other, name) in self.entries[..place].iter().zip(&names) {
                verilog = verilog.replace(&other.mark, name);
            }
            modules.push(Module {
                name: names[place].clone(),
                verilog,
            });
        }
        Design {
            top: top.into(),
            modules,
            ports,
        }
    }
}

/// FNV-1a, 64 bits: for names only, identity is decided by the whole text.
fn digest(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}
