//! `metaroce area`: what a core costs on a device, and how fast it is.
use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use metaroce_bsp::AreaOptions;
use metaroce_bsp::tool::Toolbox;

use crate::output::{Output, Stop};

/// Measure a core on a device: cells by synthesis, clock by place and route.
///
/// Every port of the core gets a register, and only the core's own cells are counted. LUT equivalents on ECP5 are
/// LUT4 + 2 CCU2C + 4 DPR16X4. No open tool places UltraScale+ (`xcup`): no clock is stated for it.
#[derive(Args)]
#[command(after_help = example())]
pub struct Area {
    /// Core, by name.
    core: String,
    /// Size of the core, by name; its first without it.
    #[arg(long)]
    size: Option<String>,
    /// Device, by name.
    #[arg(long, value_parser = clap::builder::PossibleValuesParser::new(metaroce_bsp::area::devices()))]
    device: String,
    /// Seeds of place and route.
    #[arg(long, value_delimiter = ',', default_value = "1,2,3,4")]
    seeds: Vec<u32>,
    /// Cells only: no place and route, no clock.
    #[arg(long)]
    cells_only: bool,
    /// Folder for logs of the tools.
    #[arg(long, default_value = "out/area")]
    out: PathBuf,
}

fn example() -> String {
    let cores = metaroce_bsp::area::cores()
        .map(|(core, sizes)| format!("  {core}: {}", sizes.join(", ")))
        .collect::<Vec<_>>()
        .join("\n");
    format!(
        "Cores and their sizes:\n{cores}\n\nExample:\n  metaroce area plane_rx --size tiny --device ecp5-85-8 --json"
    )
}

impl Area {
    /// Measures and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        let options = AreaOptions {
            seeds: self.seeds.clone(),
            cells_only: self.cells_only,
            toolbox: Toolbox::default().with_stop(stop.flag()),
        };
        let size = self.size.as_deref();
        let work = || metaroce_bsp::area(&self.core, size, &self.device, &self.out, &options);
        let report = output.wait(&format!("measuring {}", self.core), work);
        let report = report.map_err(crate::output::flow_error)?;
        output.print(&report, || {
            let clock = report.fmax_mhz.map_or("not computed".into(), |best| {
                let seeds = report.fmax_by_seed.iter();
                let seeds: Vec<String> = seeds
                    .map(|(seed, mhz)| format!("{seed}: {mhz:.1}"))
                    .collect();
                format!("{best:.1} MHz (by seed {})", seeds.join(", "))
            });
            let mut rows = vec![
                ("core", format!("{} {}", report.core, report.size)),
                ("device", report.device.clone()),
                ("LUT equivalents", report.lut_equivalents.to_string()),
                ("LUTs", report.luts.to_string()),
                ("flip-flops", report.ffs.to_string()),
                ("RAMs", report.rams.to_string()),
                ("clock", clock),
            ];
            rows.extend(report.tools.values().map(|tool| ("tool", tool.clone())));
            rows
        })
    }
}
