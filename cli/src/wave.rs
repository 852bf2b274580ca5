//! `metaroce wave`: a failure's waves as a picture, or in GTKWave.
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use clap::Args;
use metaroce_cosim::waves;
use serde::Serialize;

use crate::output::{Output, write_whole};

/// Draw the cycles of a wave file as SVG, or open a failure in GTKWave.
#[derive(Args)]
#[command(
    after_help = "Example:\n  metaroce wave out/cosim/failure.fst --cycle 20731 --signal tx_axis_0_tdata --svg out/look.svg\n  metaroce wave out/cosim/failure.fst --open"
)]
pub struct Wave {
    /// Wave file (FST).
    fst: PathBuf,
    /// Cycle to mark.
    #[arg(long, required_unless_present_any = ["open", "list"])]
    cycle: Option<u64>,
    /// Signal to draw, by the end of its hierarchical name; may be given several times.
    #[arg(long = "signal", required_unless_present_any = ["open", "list"])]
    signals: Vec<String>,
    /// Cycles before the marked one.
    #[arg(long, default_value_t = 12)]
    before: u64,
    /// Cycles after it.
    #[arg(long, default_value_t = 6)]
    after: u64,
    /// Picture to write.
    #[arg(long, required_unless_present_any = ["open", "list"])]
    svg: Option<PathBuf>,
    /// Open GTKWave, with the save file beside the waves.
    #[arg(long)]
    open: bool,
    /// List the signals.
    #[arg(long)]
    list: bool,
}

#[derive(Serialize)]
struct Drawn {
    picture: PathBuf,
}

impl Wave {
    /// Draws, lists or opens.
    pub fn run(&self, output: &Output) -> Result<()> {
        if !self.fst.is_file() {
            bail!("there is no wave file {}", self.fst.display());
        }
        if self.list {
            let names = waves::signal_names(&self.fst)?;
            return output.print_lines(&names, || names.clone());
        }
        if self.open {
            return self.open_viewer();
        }
        let (cycle, svg) = self
            .cycle
            .zip(self.svg.as_ref())
            .expect("clap asked for both");
        let picture = waves::render_svg(&self.fst, &self.signals, cycle, self.before, self.after)?;
        write_whole(svg, picture.as_bytes())
            .with_context(|| format!("can't write {}", svg.display()))?;
        let drawn = Drawn {
            picture: svg.clone(),
        };
        output.print(&drawn, || vec![("picture", svg.display().to_string())])
    }

    fn open_viewer(&self) -> Result<()> {
        let save = self.fst.with_extension("gtkw");
        let target = if save.is_file() { &save } else { &self.fst };
        let status = Command::new("gtkwave").arg(target).status();
        let status = status.context("can't start gtkwave; `apt-get install gtkwave` brings it")?;
        if !status.success() {
            bail!("gtkwave ended with {status}");
        }
        Ok(())
    }
}
