//! `metaroce area`: what a core costs on a device, and how fast it is.
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use anyhow::{Context, Result};
use clap::Args;
use metaroce_bsp::AreaOptions;
use metaroce_bsp::area::{AreaTable, RamRow, entries};
use metaroce_bsp::tool::Toolbox;

use crate::output::{Output, Stop, check_writable, usage, write_whole};

/// Measure a core on a device: cells by synthesis, clock by place and route.
///
/// Every port of the core gets a register, and only the core's own cells are counted. LUT equivalents on ECP5 are
/// LUT4 + 2 CCU2C + 4 DPR16X4. No open tool places UltraScale+ (`xcup`): no clock is stated for it.
#[derive(Args)]
#[command(after_help = example())]
pub struct Area {
    /// Core, by name.
    #[arg(required_unless_present_any = ["table", "ram_bits"])]
    core: Option<String>,
    /// Size of the core, by name; its first without it.
    #[arg(long)]
    size: Option<String>,
    /// Device, by name.
    #[arg(long, required_unless_present_any = ["table", "ram_bits"], value_parser = clap::builder::PossibleValuesParser::new(metaroce_bsp::area::devices()))]
    device: Option<String>,
    /// Measure the whole table of figures instead, into this .json file and the page beside it: the rows that the file lacks, or that
    /// are of another Verilog or lack a seed.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["core", "size", "device"])]
    table: Option<PathBuf>,
    /// Count RAM bits of the NIC instead, in the emitted Verilog of sizes small, medium and large: bits a path, a connection and a stream, by block.
    #[arg(long, conflicts_with_all = ["core", "size", "device", "table"])]
    ram_bits: bool,
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
        "Cores and their sizes:\n{cores}\n\nExample:\n  metaroce area plane_rx --size tiny --device ecp5-85-8 --json\n  metaroce area --table docs/area.json --seeds 1\n  metaroce area --ram-bits"
    )
}

/// What the file holds; nothing, if it is not there yet.
fn known_table(file: &Path) -> Result<AreaTable> {
    let text = match std::fs::read_to_string(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(AreaTable::default());
        }
        text => text.with_context(|| format!("can't read {}", file.display()))?,
    };
    serde_json::from_str(&text)
        .with_context(|| format!("{} is no table of figures", file.display()))
}

/// Counts and prints RAM bits.
fn print_ram_bits(output: &Output) -> Result<()> {
    let report = output.wait("emitting three sizes", metaroce_bsp::area::ram_bits);
    let report = report.map_err(crate::output::flow_error)?;
    let numbers = |numbers: [u64; 3]| numbers.map(|number| number.to_string()).join(", ");
    output.print(&report, || {
        let mut rows = vec![
            ("sizes", report.sizes.join(", ")),
            ("paths", numbers(report.paths)),
            ("connections", numbers(report.connections)),
            ("streams", numbers(report.streams)),
            ("all bits", numbers(report.bits)),
            (
                "by block",
                "bits a path, a connection, a stream; bits of all else, by size".into(),
            ),
        ];
        rows.extend(report.rows.iter().chain([&report.total]).map(|row| {
            let RamRow {
                block,
                path,
                connection,
                stream,
                other,
            } = row;
            let bits = format!("{path}, {connection}, {stream}; {}", numbers(*other));
            (block.as_str(), bits)
        }));
        rows
    })
}

impl Area {
    /// Measures and prints.
    pub fn run(&self, output: &Output, stop: &Stop) -> Result<()> {
        if self.ram_bits {
            return print_ram_bits(output);
        }
        let options = AreaOptions {
            seeds: self.seeds.clone(),
            cells_only: self.cells_only,
            toolbox: Toolbox::default().with_stop(stop.flag()),
        };
        let (Some(core), Some(device)) = (&self.core, &self.device) else {
            let file = self.table.as_deref().expect("clap asks for one of them");
            return self.run_table(file, &options, output);
        };
        let size = self.size.as_deref();
        let work = || metaroce_bsp::area(core, size, device, &self.out, &options);
        let report = output.wait(&format!("measuring {core}"), work);
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

    /// Measures the table and writes it.
    fn run_table(&self, file: &Path, options: &AreaOptions, output: &Output) -> Result<()> {
        if file.extension().is_none_or(|extension| extension != "json") {
            let file = file.display();
            return Err(usage(&format!(
                "table: {file} must end in .json; the page stands beside it"
            )));
        }
        let page = file.with_extension("md");
        [file, &page].into_iter().try_for_each(check_writable)?;
        let known = known_table(file)?;
        let jobs = std::thread::available_parallelism().map_or(1, usize::from);
        let progress = Mutex::new(output.progress(entries().count() as u64, "rows"));
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        let write = |table: &AreaTable| -> Result<()> {
            let text = serde_json::to_string_pretty(table)? + "\n";
            write_whole(file, text.as_bytes())?;
            write_whole(&page, table.page(&name).as_bytes())
        };
        // A row is minutes of work: each is kept, whatever becomes of the others. A disk that is full shows at the last write.
        let table = AreaTable::measure(&known, &self.out, options, jobs, |table| {
            let _ = write(table);
            let rows = table.rows.len() as u64;
            progress.lock().expect("no panic").set(rows);
        });
        drop(progress);
        let table = table.map_err(crate::output::flow_error)?;
        write(&table)?;
        output.print(&table, || {
            vec![
                ("rows", table.rows.len().to_string()),
                ("page", page.display().to_string()),
            ]
        })
    }
}
