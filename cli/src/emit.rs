//! `metaroce emit`: the NIC as Verilog.
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use metaroce_rtl::sizes::{self, Size};
use serde::Serialize;

use crate::output::Output;

/// Write the NIC of a size as Verilog: one file a module, and files.f.
#[derive(Args)]
#[command(
    after_help = "Example:\n  metaroce emit --size small --out out/verilog\n  verilator --lint-only -Wall -F out/verilog/files.f"
)]
pub struct Emit {
    /// Folder for the files; it is made. An earlier set in it is replaced, anything else refused.
    #[arg(long)]
    out: PathBuf,
    /// Size, by name.
    #[arg(long, default_value = "small", value_parser = sizes())]
    size: Size,
}

#[derive(Serialize)]
struct Report {
    top: String,
    size: String,
    modules: usize,
    files: Vec<PathBuf>,
}

/// A parser that names the sizes there are in `--help` and when it refuses.
pub fn sizes() -> impl TypedValueParser<Value = Size> {
    let names = Size::ALL.iter().map(|size| size.name());
    PossibleValuesParser::new(names).try_map(|name| {
        let found = Size::ALL.iter().find(|size| size.name() == name);
        found.copied().ok_or("no such size")
    })
}

impl Emit {
    /// Emits and prints what was written.
    pub fn run(&self, output: &Output) -> Result<()> {
        let name = self.size.name();
        let design = sizes::emit(self.size).with_context(|| format!("can't emit size `{name}`"))?;
        let files = design
            .write_to(&self.out)
            .with_context(|| format!("can't write {}", self.out.display()))?;
        let report = Report {
            top: design.top.clone(),
            size: name.into(),
            modules: design.modules.len(),
            files,
        };
        output.print(&report, || {
            vec![
                ("top", report.top.clone()),
                ("size", report.size.clone()),
                ("modules", report.modules.to_string()),
                ("file list", self.out.join("files.f").display().to_string()),
            ]
        })
    }
}
