//! What every command prints: a table or one JSON object; and how it ends.
use std::fmt;
use std::io::{IsTerminal, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use metaroce_bsp::FlowError;
use serde::Serialize;

/// Work shorter than this shows no progress.
const QUIET: Duration = Duration::from_secs(2);

/// How often a spinner turns.
const TICK: Duration = Duration::from_millis(200);

/// Table or JSON.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    json: bool,
}

impl Output {
    /// `json`: stdout is one JSON object and nothing else.
    pub fn new(json: bool) -> Self {
        Self { json }
    }

    /// Prints a result: name and value a line, or JSON.
    pub fn print<T: Serialize, N: AsRef<str>>(
        &self,
        result: &T,
        rows: impl FnOnce() -> Vec<(N, String)>,
    ) -> Result<()> {
        self.print_lines(result, || {
            let rows = rows();
            let names = rows.iter().map(|(name, _)| name.as_ref().len());
            let width = names.max().unwrap_or(0);
            rows.iter()
                .map(|(name, value)| format!("{:width$}  {value}", name.as_ref()))
                .collect()
        })
    }

    /// Prints a result: these lines, or JSON.
    pub fn print_lines<T: Serialize>(
        &self,
        result: &T,
        lines: impl FnOnce() -> Vec<String>,
    ) -> Result<()> {
        let text = if self.json {
            serde_json::to_string_pretty(result).context("can't write the result as JSON")?
        } else {
            lines().join("\n")
        };
        match writeln!(std::io::stdout(), "{text}") {
            // Whoever reads us has had enough: `metaroce registers | head`.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            other => other.context("can't write to stdout"),
        }
    }

    /// Does work of unknown length; one line on stderr says so when it takes long.
    pub fn wait<T>(&self, what: &str, work: impl FnOnce() -> T) -> T {
        let spinner = ProgressBar::new_spinner().with_message(what.to_string());
        let style = ProgressStyle::with_template("{spinner} {msg}, {elapsed}");
        spinner.set_style(style.expect("the template is right"));
        let terminal = std::io::stderr().is_terminal();
        let (done, ended) = std::sync::mpsc::channel::<()>();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                if ended.recv_timeout(QUIET) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                if !terminal {
                    eprintln!("{what} ...");
                }
                while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                    spinner.tick();
                }
                spinner.finish_and_clear();
            });
            let result = work();
            drop(done);
            result
        })
    }

    /// A bar on stderr that shows itself when work takes long.
    pub fn progress(&self, length: u64, what: &str) -> Progress {
        let bar = ProgressBar::hidden();
        bar.set_length(length);
        let style = ProgressStyle::with_template("{msg} [{bar:30}] {percent}% {eta}")
            .expect("the template is right");
        bar.set_style(style.progress_chars("=> "));
        bar.set_message(what.to_string());
        Progress {
            bar,
            began: std::time::Instant::now(),
            shown: false,
            what: what.to_string(),
        }
    }
}

/// Progress of one piece of work.
pub struct Progress {
    bar: ProgressBar,
    began: std::time::Instant,
    shown: bool,
    what: String,
}

impl Progress {
    /// So much is done.
    pub fn set(&mut self, position: u64) {
        if !self.shown && self.began.elapsed() > QUIET {
            self.shown = true;
            self.bar
                .set_draw_target(indicatif::ProgressDrawTarget::stderr());
            // Where stderr is no terminal the bar stays hidden: one line says what goes on.
            if self.bar.is_hidden() {
                eprintln!("{} ...", self.what);
            }
        }
        self.bar.set_position(position);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Set by ^C, SIGTERM and SIGHUP: long work looks at it and ends cleanly.
#[derive(Clone, Debug, Default)]
pub struct Stop(Arc<AtomicBool>);

impl Stop {
    /// Listens to ^C.
    pub fn on_interrupt() -> Result<Self> {
        let stop = Self::default();
        let flag = stop.0.clone();
        ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed))
            .context("can't listen to ^C")?;
        Ok(stop)
    }

    /// What ^C sets, for who looks at it deep inside.
    pub fn flag(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }

    /// Fails once ^C was pressed.
    pub fn check(&self) -> Result<()> {
        if self.0.load(Ordering::Relaxed) {
            Err(Ending::Interrupted.into())
        } else {
            Ok(())
        }
    }
}

/// Ends that are not plain failures.
#[derive(Debug)]
pub enum Ending {
    /// ^C.
    Interrupted,
    /// The command's words are off.
    Usage(String),
    /// The result, already printed, is a failure.
    Reported(String),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Interrupted => write!(f, "interrupted; nothing half-written is left"),
            Ending::Usage(text) | Ending::Reported(text) => write!(f, "{text}"),
        }
    }
}

impl std::error::Error for Ending {}

/// Wrong use: exit code 2.
pub fn usage(text: &str) -> anyhow::Error {
    Ending::Usage(text.into()).into()
}

/// A failure that the printed result tells: exit code 1.
pub fn reported(text: &str) -> anyhow::Error {
    Ending::Reported(text.into()).into()
}

/// A flow's failure: an unknown name is wrong use, and ^C is no failure of a tool.
pub fn flow_error(error: FlowError) -> anyhow::Error {
    match error {
        FlowError::Interrupted => Ending::Interrupted.into(),
        FlowError::Unknown { .. } => usage(&error.to_string()),
        other => other.into(),
    }
}

/// The exit code of a failed command.
pub fn exit_code(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Ending>() {
        Some(Ending::Usage(_)) => 2,
        Some(Ending::Interrupted) => 130,
        _ => 1,
    }
}

/// Fails where [`write_whole`] would, before the work whose result is to be written; leaves nothing behind.
pub fn check_writable(path: &Path) -> Result<()> {
    let check = || {
        if path.exists() && !path.is_file() {
            bail!("it is no plain file");
        }
        let there = path.ancestors().skip(1).find(|folder| folder.exists());
        let folder = there.unwrap_or(Path::new("."));
        tempfile::Builder::new().tempfile_in(folder)?;
        Ok(())
    };
    check().with_context(|| format!("can't write {}", path.display()))
}

/// Writes a file whole or not at all. What is no plain file (a device, a pipe, a folder) is not replaced.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || {
        if path.exists() && !path.is_file() {
            bail!("it is no plain file");
        }
        let folder = path
            .parent()
            .filter(|p| !p.as_os_str().is_empty())
            .unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)?;
        // As `File::create` does: the umask takes away what others may not.
        let everyone = std::fs::Permissions::from_mode(0o666);
        let mut file = tempfile::Builder::new()
            .permissions(everyone)
            .tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    write().with_context(|| format!("can't write {}", path.display()))
}
