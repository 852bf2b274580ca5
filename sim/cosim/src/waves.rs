//! Waveforms of the cycles around a failure.
//!
//! Simulations run untraced, which is faster. On a failure [`record_failure`] runs
//! the same seed again with a traced model, and keeps the cycles around it: FST
//! waves, a GTKWave save file with a marker on the cycle, an SVG picture, and the
//! same picture as WaveDrom JSON.
//!
//! A column of a picture is a cycle and shows what its rising edge samples, as does
//! [`Agent::sample`](crate::bus::Agent::sample).

use std::fs;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

mod gtkwave;
mod read;
mod svg;
mod wavedrom;

pub use read::{Row, Value, Window, read_window};

/// Cycles of waves that are kept before a failure.
pub const CYCLES_BEFORE: u64 = 200;

/// Cycles of waves that are kept after a failure.
pub const CYCLES_AFTER: u64 = 50;

/// Cycles in a picture before and after the failure: what fits a page.
pub const PICTURE_CYCLES: (u64, u64) = (12, 8);

/// Waves could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum WavesError {
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
    /// The wave file is not readable as one.
    #[error("cannot read waves from {}: {reason}", path.display())]
    Read {
        /// The wave file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The wave file has no such signal.
    #[error("no signal `{name}` in {}{}", path.display(), near(similar))]
    UnknownSignal {
        /// The name asked for.
        name: String,
        /// The wave file.
        path: PathBuf,
        /// Names that resemble it.
        similar: Vec<String>,
    },
    /// The rerun did not reach the failure.
    #[error("the rerun wrote no waves to {}: it ended before cycle {from}", path.display())]
    NoWaves {
        /// The wave file.
        path: PathBuf,
        /// First cycle of the window.
        from: u64,
    },
    /// The rerun itself failed in a way that it should not have.
    #[error("the rerun for waves failed: {0}")]
    Rerun(Box<dyn std::error::Error + Send + Sync>),
}

fn near(similar: &[String]) -> String {
    if similar.is_empty() {
        String::new()
    } else {
        format!("; it has {}", similar.join(", "))
    }
}

/// What to keep of a failure.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The failing cycle.
    pub cycle: u64,
    /// One line that says what failed; the picture's title.
    pub title: String,
    /// Signals of interest: a name at the end of a hierarchical name. Names that
    /// the design does not have are left out.
    pub signals: Vec<String>,
}

/// What the rerun must write.
#[derive(Debug, Clone)]
pub struct Request {
    /// The wave file.
    pub fst: PathBuf,
    /// The cycles to write.
    pub cycles: Range<u64>,
}

impl Request {
    /// Tells a traced model to write the waves.
    pub fn arm(
        &self,
        model: &mut crate::model::VerilatedModel,
    ) -> Result<(), verilator_sys::ModelError> {
        model.trace_window(&self.fst, self.cycles.clone())
    }
}

/// The files of one failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    /// The waves.
    pub fst: PathBuf,
    /// GTKWave's save file: `gtkwave FILE` opens the waves at the failure.
    pub gtkw: PathBuf,
    /// The picture.
    pub svg: PathBuf,
    /// The picture for WaveDrom.
    pub json: PathBuf,
}

/// Writes `<name>.fst`, `.gtkw`, `.svg` and `.json` into a folder.
///
/// `rerun` simulates again, from cycle 0 and with the same seed, a model built with
/// tracing and [armed](Request::arm), until the request's last cycle or until the
/// model itself fails; it returns an error only if that was not possible.
pub fn record_failure<E>(
    folder: &Path,
    name: &str,
    failure: &Failure,
    rerun: impl FnOnce(&Request) -> Result<(), E>,
) -> Result<Files, WavesError>
where
    E: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let path = |extension: &str| folder.join(format!("{name}.{extension}"));
    fs::create_dir_all(folder).map_err(|e| io_error("make the folder", folder, e))?;
    let fst = path("fst");
    // A file of an earlier run must not pass for this one's.
    if let Err(error) = fs::remove_file(&fst)
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(io_error("remove", &fst, error));
    }
    let from = failure.cycle.saturating_sub(CYCLES_BEFORE);
    let request = Request {
        fst: fst.clone(),
        cycles: from..failure.cycle + CYCLES_AFTER + 1,
    };
    rerun(&request).map_err(|error| WavesError::Rerun(error.into()))?;
    if !fst.is_file() {
        return Err(WavesError::NoWaves { path: fst, from });
    }
    let files = Files {
        fst,
        gtkw: path("gtkw"),
        svg: path("svg"),
        json: path("json"),
    };
    describe(&files, failure)?;
    Ok(files)
}

/// Everything but the waves themselves.
fn describe(files: &Files, failure: &Failure) -> Result<(), WavesError> {
    let (before, after) = PICTURE_CYCLES;
    let waves = read::Waves::open(&files.fst)?;
    let known: Vec<String> = failure
        .signals
        .iter()
        .filter(|name| waves.find(name).is_some())
        .cloned()
        .collect();
    let save = gtkwave::save_file(&waves, &files.fst, &known, failure.cycle);
    let window = waves.window(&known, failure.cycle, before, after)?;
    write(&files.gtkw, &save)?;
    write(&files.svg, &svg::draw(&window, &failure.title))?;
    write(&files.json, &wavedrom::json(&window, &failure.title))
}

/// The picture of these signals from `before` cycles before `cycle` to `after`
/// cycles after it, as SVG.
pub fn render_svg(
    fst: &Path,
    signals: &[String],
    cycle: u64,
    before: u64,
    after: u64,
) -> Result<String, WavesError> {
    let window = read_window(fst, signals, cycle, before, after)?;
    Ok(svg::draw(&window, &format!("cycle {cycle}")))
}

/// The same picture as WaveDrom JSON.
pub fn render_wavedrom(
    fst: &Path,
    signals: &[String],
    cycle: u64,
    before: u64,
    after: u64,
) -> Result<String, WavesError> {
    let window = read_window(fst, signals, cycle, before, after)?;
    Ok(wavedrom::json(&window, &format!("cycle {cycle}")))
}

/// All signals of a wave file, by their hierarchical names.
pub fn signal_names(fst: &Path) -> Result<Vec<String>, WavesError> {
    Ok(read::Waves::open(fst)?.names())
}

fn write(path: &Path, text: &str) -> Result<(), WavesError> {
    fs::write(path, text).map_err(|e| io_error("write", path, e))
}

fn io_error(action: &'static str, path: &Path, source: io::Error) -> WavesError {
    WavesError::Io {
        action,
        path: path.into(),
        source,
    }
}
