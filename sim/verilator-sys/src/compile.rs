//! Runs the tools: Verilator, the C++ compiler on many files at once, the linker.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::{BuildError, Toolchain};

/// Lines of a tool's output that an error carries.
const TAIL_LINES: usize = 30;

/// Options for all C++: the run time and the models must agree on them.
///
/// - Hidden symbols and no GNU-unique ones: two models in one process must not
///   share a run time, least of all of two Verilator versions.
/// - `VL_USER_*`: the shim has those functions.
/// - `VL_TIME_CONTEXT`: time is an instance's, not the process's.
const COMMON_FLAGS: &[&str] = &[
    "-std=gnu++17",
    "-fPIC",
    "-pthread",
    "-faligned-new",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-w",
    "-DVL_USER_FATAL",
    "-DVL_USER_STOP",
    "-DVL_USER_FINISH",
    "-DVL_TIME_CONTEXT",
];

/// One C++ file to compile.
pub(crate) struct Unit {
    pub(crate) source: PathBuf,
    pub(crate) object: PathBuf,
    /// `-O0` and the like.
    pub(crate) optimise: &'static str,
}

/// What all units of one compilation have in common.
pub(crate) struct Compilation<'a> {
    pub(crate) tools: &'a Toolchain,
    /// Included before each file.
    pub(crate) prelude: &'a Path,
    pub(crate) traced: bool,
    pub(crate) include_folders: Vec<&'a Path>,
}

impl Compilation<'_> {
    fn command(&self, unit: &Unit) -> Command {
        let mut command = Command::new(&self.tools.compiler);
        command.args(COMMON_FLAGS).arg(unit.optimise);
        // clang has no such switch, and does not need it.
        if !self.tools.compiler_version.contains("clang") {
            command.arg("-fno-gnu-unique");
        }
        let traced = u8::from(self.traced);
        command.args([
            format!("-DVM_TRACE={traced}"),
            format!("-DVM_TRACE_FST={traced}"),
        ]);
        command.args([
            "-DVM_COVERAGE=0",
            "-DVM_SC=0",
            "-DVM_TRACE_VCD=0",
            "-DVM_TRACE_SAIF=0",
        ]);
        command.arg("-include").arg(self.prelude);
        for folder in self
            .include_folders
            .iter()
            .copied()
            .chain([self.tools.include.as_path()])
        {
            command.arg("-I").arg(folder);
        }
        command.arg("-I").arg(self.tools.include.join("vltstd"));
        command
            .arg("-c")
            .arg(&unit.source)
            .arg("-o")
            .arg(&unit.object);
        command
    }

    /// Compiles all units, as many at once as there are processors.
    pub(crate) fn run(&self, units: &[Unit]) -> Result<(), BuildError> {
        let next = AtomicUsize::new(0);
        let failure = Mutex::new(None);
        let workers = thread::available_parallelism()
            .map_or(1, |n| n.get())
            .min(units.len());
        let work = || {
            while let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = self.compile(unit) {
                    // The first error is told; the rest of the queue is dropped.
                    failure
                        .lock()
                        .unwrap_or_else(|p| p.into_inner())
                        .get_or_insert(error);
                    next.store(units.len(), Ordering::Relaxed);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(work);
            }
        });
        failure
            .into_inner()
            .unwrap_or_else(|p| p.into_inner())
            .map_or(Ok(()), Err)
    }

    fn compile(&self, unit: &Unit) -> Result<(), BuildError> {
        let what = unit
            .source
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        run_compiler(self.tools, self.command(unit), &what)
    }
}

/// Links objects into a shared object of which only the shim's functions show.
pub(crate) fn link(
    tools: &Toolchain,
    objects: &[PathBuf],
    library: &Path,
    traced: bool,
) -> Result<(), BuildError> {
    let mut command = Command::new(&tools.compiler);
    command
        .args(["-shared", "-pthread", "-Wl,-z,defs", "-o"])
        .arg(library)
        .args(objects);
    if traced {
        command.args(["-lz", "-llz4"]);
    }
    command.arg("-latomic");
    run_compiler(tools, command, "the model's shared object")
}

fn run_compiler(tools: &Toolchain, mut command: Command, what: &str) -> Result<(), BuildError> {
    let output = command.output().map_err(|source| BuildError::ToolMissing {
        tool: "a C++ compiler",
        program: tools.compiler.clone(),
        hint: "run ./setup, or set CXX to its path",
        source,
    })?;
    if output.status.success() {
        return Ok(());
    }
    Err(BuildError::Compile {
        compiler: tools.compiler.clone(),
        what: what.into(),
        status: output.status.to_string(),
        tail: tail(&output),
    })
}

/// The end of a tool's output.
pub(crate) fn tail(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(TAIL_LINES)..].join("\n")
}
