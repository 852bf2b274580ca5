//! `metaroce formal`: contracts of cores, proved.
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;

use anyhow::{Result, bail};
use clap::Args;
use metaroce_bsp::formal::{self, Proof};
use metaroce_bsp::tool::Toolbox;
use serde::Serialize;

use crate::output::{Output, Stop};

/// Prove the contracts of cores on their emitted Verilog.
///
/// The properties stand beside the cores, in `cores/formal`. Each core is looked at for a stated number of cycles after
/// reset, or completely if it has no state; each `cover` must be reached, and a fault planted into the Verilog be found.
#[derive(Args)]
#[command(after_help = example())]
pub struct Formal {
    /// Cores, by name; all without one.
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(formal::cores()))]
    cores: Vec<String>,
    /// Folder for logs, and for traces of what failed.
    #[arg(long, default_value = "out/formal")]
    out: PathBuf,
}

fn example() -> String {
    "Example:\n  metaroce formal skid_buffer event_arbiter --json".into()
}

#[derive(Serialize)]
struct Report {
    proofs: Vec<Proof>,
    failed: usize,
    tools: BTreeMap<String, String>,
}

impl Formal {
    /// Proves and prints; a contract that does not hold is a failure.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        let toolbox = Toolbox::default().with_stop(stop.flag());
        let tools = formal::tools(&toolbox).map_err(crate::output::flow_error)?;
        let cores: Vec<&str> = match self.cores.as_slice() {
            [] => formal::cores().collect(),
            some => some.iter().map(String::as_str).collect(),
        };
        let progress = Mutex::new(output.progress(cores.len() as u64, "proving contracts"));
        let done = |ended| progress.lock().expect("no panic").set(ended as u64);
        let proofs = formal::prove_all(&cores, &self.out, &toolbox, done);
        drop(progress);
        let proofs = proofs.map_err(crate::output::flow_error)?;
        let failed = proofs.iter().filter(|proof| !proof.is_good()).count();
        let report = Report {
            proofs,
            failed,
            tools,
        };
        output.print_lines(&report, || lines(&report))?;
        if failed > 0 {
            bail!(
                "{failed} contracts fail; logs and traces: {}",
                self.out.display()
            );
        }
        Ok(())
    }
}

fn lines(report: &Report) -> Vec<String> {
    let mut lines = vec![format!(
        "{:18} {:30} {:>8} {:>6} {:>9} {:>6} {:>7}",
        "core", "size", "cycles", "holds", "reachable", "fault", "s"
    )];
    let word = |good| if good { "yes" } else { "NO" };
    for proof in &report.proofs {
        let fault = if proof.fault_found { "found" } else { "MISSED" };
        lines.push(format!(
            "{:18} {:30} {:>8} {:>6} {:>9} {:>6} {:>7.1}",
            proof.core,
            proof.size,
            proof
                .depth
                .map_or("complete".into(), |depth| depth.to_string()),
            word(proof.holds),
            word(proof.reachable),
            fault,
            proof.seconds
        ));
        lines.extend(proof.details.iter().map(|line| format!("    {line}")));
    }
    lines.extend(report.tools.values().cloned());
    lines
}
