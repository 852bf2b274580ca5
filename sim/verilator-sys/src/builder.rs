//! From Verilog to a shared object in the cache.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::cache::{self, Key};
use crate::compile::{Compilation, Unit, link, tail};
use crate::header::{self, Direction, Member};
use crate::{BuildError, Sources, Toolchain, cache_folder, toolchain};

const SHIM: &str = include_str!("shim/shim.cpp");
const PRELUDE: &str = include_str!("shim/runtime.h");

/// The recipe is part of the key: a change of a flag here builds anew.
const RECIPE: [&str; 4] = [
    SHIM,
    PRELUDE,
    include_str!("builder.rs"),
    include_str!("compile.rs"),
];

/// The class that Verilator makes, whatever the top's name.
const CLASS: &str = "Vdut";

/// A model's C++ up to this many bytes is compiled as one file: most of the time
/// of a small file goes to Verilator's own headers.
const ONE_FILE_LIMIT: u64 = 400_000;

/// Bytes to which Verilator splits the C++ of a large model, for parallel compilation.
const SPLIT: u32 = 150_000;

/// How hard the C++ compiler works on the model. The run time is always `-O2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Optimise {
    /// `-O0`: for a handful of cycles.
    None,
    /// `-O1`: for the test of a core.
    Little,
    /// `-O2`: for long runs.
    #[default]
    Full,
}

impl Optimise {
    fn flag(self) -> &'static str {
        match self {
            Optimise::None => "-O0",
            Optimise::Little => "-O1",
            Optimise::Full => "-O2",
        }
    }
}

/// How a model is built.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    /// With the means to write FST waves; makes evaluation slower even when off.
    pub traced: bool,
    /// How hard the C++ compiler works.
    pub optimise: Optimise,
    /// Any lint warning of Verilator is an error (`-Wall`); otherwise none is.
    pub strict_lint: bool,
    /// Values of the top's Verilog parameters.
    pub parameters: Vec<(String, String)>,
    /// Further flags for Verilator.
    pub verilator_flags: Vec<String>,
}

impl Options {
    /// For the test of a core: quick to build.
    pub fn small() -> Self {
        Options {
            optimise: Optimise::Little,
            ..Options::default()
        }
    }

    /// The same with waves.
    pub fn with_trace(mut self) -> Self {
        self.traced = true;
        self
    }

    /// The same with any lint warning an error.
    pub fn with_strict_lint(mut self) -> Self {
        self.strict_lint = true;
        self
    }

    /// The same with a Verilog parameter of the top set.
    pub fn with_parameter(mut self, name: impl Into<String>, value: impl ToString) -> Self {
        self.parameters.push((name.into(), value.to_string()));
        self
    }
}

/// A built model.
#[derive(Debug, Clone)]
pub struct Artefact {
    /// The shared object.
    pub library: PathBuf,
    /// Whether it was built now, not found in the cache.
    pub built: bool,
    /// What it took to build or to find.
    pub elapsed: Duration,
}

/// Builds a model, or finds it in the cache.
pub fn build(sources: &Sources, options: &Options) -> Result<Artefact, BuildError> {
    let start = Instant::now();
    let tools = toolchain()?;
    let cache = cache_folder();
    let name = entry_name(&tools, sources, options)?;
    let make = |work: &Path| make_model(&tools, &cache, sources, options, work);
    let (folder, built) = cache::entry(&cache, &name, make)?;
    Ok(Artefact {
        library: folder.join("model.so"),
        built,
        elapsed: start.elapsed(),
    })
}

fn entry_name(
    tools: &Toolchain,
    sources: &Sources,
    options: &Options,
) -> Result<String, BuildError> {
    let mut key = tools_key(tools);
    key.add(&sources.top);
    key.add(format!("{options:?}"));
    for (name, text) in sources.contents()? {
        key.add(name);
        key.add(text);
    }
    // A name that says something, but never escapes the folder.
    let safe = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let top: String = sources.top.chars().map(safe).take(40).collect();
    Ok(format!("{top}-{}", key.finish()))
}

fn tools_key(tools: &Toolchain) -> Key {
    let mut key = Key::default();
    for part in [&tools.version, &tools.compiler, &tools.compiler_version] {
        key.add(part);
    }
    RECIPE.iter().for_each(|part| key.add(part));
    key
}

fn make_model(
    tools: &Toolchain,
    cache: &Path,
    sources: &Sources,
    options: &Options,
    work: &Path,
) -> Result<(), BuildError> {
    let generated = work.join("cpp");
    verilate(tools, sources, options, &generated)?;
    let makefile = read(&generated.join(format!("{CLASS}_classes.mk")))?;
    let runtime = runtime_objects(tools, cache, options.traced, &makefile)?;
    let members = header::ports(&read(&generated.join(format!("{CLASS}.h")))?)?;
    write(
        &generated.join("shim.cpp"),
        &shim_text(&members, options.traced),
    )?;
    let prelude = generated.join("runtime.h");
    write(&prelude, PRELUDE)?;

    let units = model_units(&generated, &makefile, options.optimise)?;
    let include_folders = vec![generated.as_path()];
    Compilation {
        tools,
        prelude: &prelude,
        traced: options.traced,
        include_folders,
    }
    .run(&units)?;
    let objects: Vec<PathBuf> = units
        .into_iter()
        .map(|unit| unit.object)
        .chain(runtime)
        .collect();
    link(tools, &objects, &work.join("model.so"), options.traced)?;
    // The shared object is all that is used again.
    fs::remove_dir_all(&generated).map_err(|e| BuildError::io("remove", &generated, e))
}

fn verilate(
    tools: &Toolchain,
    sources: &Sources,
    options: &Options,
    folder: &Path,
) -> Result<(), BuildError> {
    let mut command = Command::new(&tools.verilator);
    command
        .args([
            "--cc",
            "-O3",
            "--prefix",
            CLASS,
            "--top-module",
            &sources.top,
            "--Mdir",
        ])
        .arg(folder);
    // Unknown values are zero, and what has no initial value is chosen when the
    // model is created: deterministic both.
    command.args(["--x-assign", "0", "--x-initial", "unique"]);
    command.args(["--output-split", &SPLIT.to_string()]);
    // Waves count in nanoseconds, whatever a file says.
    command.args(["--timescale-override", "1ns/1ns"]);
    if options.traced {
        command.arg("--trace-fst");
    }
    command.arg(if options.strict_lint {
        "-Wall"
    } else {
        "-Wno-fatal"
    });
    command.args(
        options
            .parameters
            .iter()
            .map(|(name, value)| format!("-G{name}={value}")),
    );
    command.args(&options.verilator_flags);
    command.args(
        sources
            .include_folders
            .iter()
            .map(|f| format!("+incdir+{}", f.display())),
    );
    command.args(&sources.files);
    let output = command
        .output()
        .map_err(|e| BuildError::io("run", Path::new(&tools.verilator), e))?;
    if output.status.success() {
        return Ok(());
    }
    Err(BuildError::Verilate {
        top: sources.top.clone(),
        status: output.status.to_string(),
        tail: tail(&output),
    })
}

/// The model's files: one that includes all of them if they are small.
fn model_units(folder: &Path, makefile: &str, optimise: Optimise) -> Result<Vec<Unit>, BuildError> {
    let fast = ["VM_CLASSES_FAST", "VM_SUPPORT_FAST"]
        .map(|list| header::makefile_list(makefile, list))
        .concat();
    let slow = ["VM_CLASSES_SLOW", "VM_SUPPORT_SLOW"]
        .map(|list| header::makefile_list(makefile, list))
        .concat();
    let path = |name: &String| folder.join(format!("{name}.cpp"));
    let mut size = 0;
    for name in fast.iter().chain(&slow) {
        let file = path(name);
        size += fs::metadata(&file)
            .map_err(|e| BuildError::io("read", &file, e))?
            .len();
    }
    let unit = |source: PathBuf, optimise| Unit {
        object: source.with_extension("o"),
        source,
        optimise,
    };
    if size <= ONE_FILE_LIMIT {
        let all = folder.join("all.cpp");
        let names = fast.iter().chain(&slow).map(String::as_str).chain(["shim"]);
        let text: String = names
            .map(|name| format!("#include \"{name}.cpp\"\n"))
            .collect();
        write(&all, &text)?;
        return Ok(vec![unit(all, optimise.flag())]);
    }
    let fast = fast.iter().map(|name| unit(path(name), optimise.flag()));
    // Construction and wave declarations run once: not worth the compiler's time.
    let slow = slow.iter().map(|name| unit(path(name), "-O0"));
    Ok(fast
        .chain(slow)
        .chain([unit(folder.join("shim.cpp"), "-O2")])
        .collect())
}

/// Verilator's own run time, from its own cache entry.
fn runtime_objects(
    tools: &Toolchain,
    cache: &Path,
    traced: bool,
    makefile: &str,
) -> Result<Vec<PathBuf>, BuildError> {
    let names = ["VM_GLOBAL_FAST", "VM_GLOBAL_SLOW"]
        .map(|list| header::makefile_list(makefile, list))
        .concat();
    let mut key = tools_key(tools);
    key.add([u8::from(traced)]);
    names.iter().for_each(|name| key.add(name));
    let make = |work: &Path| {
        let prelude = work.join("runtime.h");
        write(&prelude, PRELUDE)?;
        let units: Vec<Unit> = names
            .iter()
            .map(|name| Unit {
                source: tools.include.join(format!("{name}.cpp")),
                object: work.join(format!("{name}.o")),
                optimise: "-O2",
            })
            .collect();
        Compilation {
            tools,
            prelude: &prelude,
            traced,
            include_folders: Vec::new(),
        }
        .run(&units)
    };
    let (folder, _) = cache::entry(cache, &format!("runtime-{}", key.finish()), make)?;
    Ok(names
        .iter()
        .map(|name| folder.join(format!("{name}.o")))
        .collect())
}

fn shim_text(members: &[Member], traced: bool) -> String {
    let mut text = format!(
        "#define VSYS_TRACED {}\n#define VSYS_PORTS(X)",
        u8::from(traced)
    );
    for Member { port, member } in members {
        // A Verilog escaped name may hold anything but white space.
        let name = port.name.escape_default();
        let is_output = u8::from(port.direction == Direction::Output);
        let _ = write!(
            text,
            " \\\n    X({member}, \"{name}\", {}, {is_output})",
            port.width
        );
    }
    text + "\n" + SHIM
}

fn read(path: &Path) -> Result<String, BuildError> {
    fs::read_to_string(path).map_err(|e| BuildError::io("read", path, e))
}

fn write(path: &Path, text: &str) -> Result<(), BuildError> {
    fs::write(path, text).map_err(|e| BuildError::io("write", path, e))
}
