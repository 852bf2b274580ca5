//! Why there is no bitstream or no figure.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use metaroce_emit::EmitError;

/// A flow's failure.
#[derive(Debug, thiserror::Error)]
pub enum FlowError {
    /// An outside tool is not there, or cannot even tell its version.
    #[error(
        "cannot run {tool} as `{program}`: run ./setup, or set {variable} to its path: {source}"
    )]
    ToolMissing {
        /// The tool's name.
        tool: &'static str,
        /// What was looked for.
        program: String,
        /// Environment variable that names it.
        variable: &'static str,
        /// The operating system's answer.
        #[source]
        source: io::Error,
    },
    /// An outside tool failed.
    #[error("`{command}` {status}; the end of its log:\n{tail}\nwhole log: {}", log.display())]
    ToolFailed {
        /// What ran.
        command: String,
        /// Its exit code or signal.
        status: Status,
        /// Last lines of its output.
        tail: String,
        /// All of its output.
        log: PathBuf,
    },
    /// An outside tool took too long and was ended.
    #[error("`{command}` was ended after {seconds} s; whole log: {}", log.display())]
    ToolTimeout {
        /// What ran.
        command: String,
        /// Its limit in seconds.
        seconds: u64,
        /// All of its output.
        log: PathBuf,
    },
    /// An outside tool said that all is well, but what it should have written is not there.
    #[error("`{command}` ended well but left no {}; whole log: {}", path.display(), log.display())]
    OutputMissing {
        /// What ran.
        command: String,
        /// The missing or empty file.
        path: PathBuf,
        /// All of its output.
        log: PathBuf,
    },
    /// A report of a tool does not say what it should.
    #[error("{}: {reason}", path.display())]
    Report {
        /// The report.
        path: PathBuf,
        /// What is missing or odd.
        reason: String,
    },
    /// No seed met the clock.
    #[error(
        "timing not met: {needed_mhz:.2} MHz needed, {best_mhz:.2} MHz is the best of seeds {}; no bitstream was written; logs: {}",
        list(tried),
        logs.display()
    )]
    TimingMissed {
        /// The clock needed, MHz.
        needed_mhz: f64,
        /// The best of all seeds, MHz.
        best_mhz: f64,
        /// Seeds tried and the clock that each reached, MHz.
        tried: Vec<(u32, f64)>,
        /// Folder of the logs.
        logs: PathBuf,
    },
    /// The design has more than the device.
    #[error("does not fit {device}: {}; whole log: {}", needs(needs_list), log.display())]
    DoesNotFit {
        /// The device.
        device: String,
        /// Kind of cell, needed, available.
        needs_list: Vec<(String, u64, u64)>,
        /// All of the tool's output.
        log: PathBuf,
    },
    /// A file or folder could not be written or read.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
    /// The self-test failed in Verilator: no bitstream is built of it.
    #[error(
        "the self-test failed in Verilator after {cycles} cycles, LEDs {leds:08b} (bit 0 without heartbeat); no bitstream was written"
    )]
    SelfTestFailed {
        /// LEDs at its end.
        leds: u64,
        /// Cycles that it took.
        cycles: u64,
    },
    /// There is no verilated model, or it failed by itself.
    #[error("cannot run the self-test in Verilator: {0}")]
    Simulation(#[source] metaroce_cosim::Error),
    /// Somebody asked it to stop.
    #[error("interrupted")]
    Interrupted,
    /// No Verilog was written.
    #[error(transparent)]
    Emit(#[from] EmitError),
    /// A name that is not known.
    #[error("no {kind} is called `{name}`; there are: {}", known.join(", "))]
    Unknown {
        /// Board, core, size, device.
        kind: &'static str,
        /// What was asked for.
        name: String,
        /// What there is.
        known: Vec<String>,
    },
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// With this exit code.
    Code(i32),
    /// By a signal.
    Signal,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Status::Code(code) => write!(f, "ended with exit code {code}"),
            Status::Signal => write!(f, "was ended by a signal"),
        }
    }
}

/// Gives an operating system's answer its action and path.
pub(crate) fn at<T>(
    action: &'static str,
    path: &Path,
    result: io::Result<T>,
) -> Result<T, FlowError> {
    result.map_err(|source| FlowError::Io {
        action,
        path: path.into(),
        source,
    })
}

fn list(tried: &[(u32, f64)]) -> String {
    let each: Vec<String> = tried
        .iter()
        .map(|(seed, mhz)| format!("{seed} ({mhz:.2} MHz)"))
        .collect();
    each.join(", ")
}

fn needs(list: &[(String, u64, u64)]) -> String {
    let each: Vec<String> = list
        .iter()
        .map(|(kind, used, available)| format!("{used} {kind} of {available}"))
        .collect();
    each.join(", ")
}
