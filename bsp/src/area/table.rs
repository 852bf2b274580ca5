//! The table of figures: what cores and engines cost and how fast they are, as they grow.
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Mutex;

use metaroce_emit::Design;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{AreaOptions, AreaReport, area, emit};
use crate::error::FlowError;

/// Something in the table.
struct Entry {
    core: &'static str,
    size: &'static str,
    /// What the size is.
    of: &'static str,
    device: &'static str,
    /// Placed and routed: it fits the device.
    placed: bool,
}

const fn entry(
    core: &'static str,
    size: &'static str,
    of: &'static str,
    device: &'static str,
) -> Entry {
    Entry {
        core,
        size,
        of,
        device,
        placed: true,
    }
}

/// One that has more RAMs than the device.
const fn cells(core: &'static str, of: &'static str) -> Entry {
    Entry {
        placed: false,
        ..entry(core, "medium", of, "ecp5-85-8")
    }
}

const TINY: &str = "2 x 4, window 32, 1 plane";
const SMALL: &str = "4 x 16, window 256, 4 planes";
const MEDIUM: &str = "64 x 16, window 256, 4 planes";

/// What is measured, in the order of the page and of the work: what takes longest last.
const ENTRIES: &[Entry] = &[
    entry("sack_table", "w32a3", "8 paths, window 32", "ecp5-85-8"),
    entry(
        "sack_table",
        "w256a10",
        "1,024 paths, window 256",
        "ecp5-85-8",
    ),
    entry(
        "sack_table",
        "w256a10",
        "1,024 paths, window 256",
        "ecp5-85-6",
    ),
    entry("parser", "d64", "frames of 64 bits a cycle", "ecp5-85-8"),
    entry(
        "wide_icrc",
        "w256",
        "frames of 256 bits a cycle",
        "ecp5-85-8",
    ),
    entry(
        "wide_icrc",
        "w512",
        "frames of 512 bits a cycle",
        "ecp5-85-8",
    ),
    entry("receive_engine", "w256a10", MEDIUM, "ecp5-85-8"),
    entry("ack_engine", "small", SMALL, "ecp5-85-8"),
    entry("ack_engine", "medium", MEDIUM, "ecp5-85-8"),
    entry("resolver", "small", SMALL, "ecp5-85-8"),
    entry("resolver", "medium", MEDIUM, "ecp5-85-8"),
    entry("window_engine", "small", SMALL, "ecp5-85-8"),
    entry("transmit_engine", "small", SMALL, "ecp5-85-8"),
    entry("transmit_engine", "medium", MEDIUM, "ecp5-85-8"),
    entry("receive_side", "tiny", TINY, "ecp5-85-8"),
    entry("receive_side", "small", SMALL, "ecp5-85-8"),
    entry("receive_side", "medium", MEDIUM, "ecp5-85-8"),
    entry("transmit_side", "tiny", TINY, "ecp5-85-8"),
    entry("transmit_side", "small", SMALL, "ecp5-85-8"),
    cells("transmit_side", MEDIUM),
    entry("engine", "tiny", TINY, "ecp5-85-8"),
    cells("engine", MEDIUM),
    entry("engine", "small", SMALL, "ecp5-85-8"),
];

/// A row of the table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AreaRow {
    /// The core.
    pub core: String,
    /// Its size.
    pub size: String,
    /// Connections x paths, and what else the size is.
    pub of: String,
    /// The device.
    pub device: String,
    /// Digest of the Verilog that was measured.
    pub verilog: String,
    /// As of [`AreaReport::lut_equivalents`].
    pub lut_equivalents: u64,
    /// Flip-flops.
    pub ffs: u64,
    /// Block RAMs of 18 kbit.
    pub rams: u64,
    /// Clock by seed, MHz; none: not placed.
    pub fmax_by_seed: BTreeMap<u32, f64>,
}

/// The table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AreaTable {
    /// The tools and their versions.
    pub tools: BTreeMap<String, String>,
    /// What is measured, in the order of the page.
    pub rows: Vec<AreaRow>,
}

/// Core, size and device of every row, in the order of the page.
pub fn entries() -> impl Iterator<Item = [&'static str; 3]> {
    ENTRIES.iter().map(|e| [e.core, e.size, e.device])
}

impl AreaTable {
    /// Measures everything, `jobs` at a time, but what `known` has of the same Verilog and seeds. `keep` hears of each row that is
    /// done, with all that were before it.
    pub fn measure(
        known: &Self,
        out: &Path,
        options: &AreaOptions,
        jobs: usize,
        keep: impl Fn(&Self) + Sync,
    ) -> Result<Self, FlowError> {
        let (mut waiting, mut there) = (Vec::new(), BTreeMap::new());
        for (index, entry) in ENTRIES.iter().enumerate() {
            let verilog = digest(&emit(entry.core, Some(entry.size))?);
            match known.find(entry, &verilog, options) {
                Some(row) => _ = there.insert(index, (row.clone(), known.tools.clone())),
                None => waiting.insert(0, (index, verilog)),
            }
        }
        let (waiting, measured) = (Mutex::new(waiting), Mutex::new(there));
        let next = || waiting.lock().expect("no panic").pop();
        let work = || -> Result<(), FlowError> {
            while let Some((index, verilog)) = next() {
                let report = ENTRIES[index].measure(out, options)?;
                let row = ENTRIES[index].row(&report, verilog);
                let mut measured = measured.lock().expect("no panic");
                measured.insert(index, (row, report.tools));
                keep(&Self::of(&measured));
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs.max(1)).map(|_| scope.spawn(work)).collect();
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().expect("no panic"))
        })?;
        Ok(Self::of(&measured.into_inner().expect("no panic")))
    }

    fn of(measured: &BTreeMap<usize, (AreaRow, BTreeMap<String, String>)>) -> Self {
        let mut table = Self::default();
        for (row, tools) in measured.values() {
            table.tools.extend(tools.clone());
            table.rows.push(row.clone());
        }
        table
    }

    /// What is known of an entry, if it is of this Verilog and has the seeds that are asked for.
    fn find(&self, entry: &Entry, verilog: &str, options: &AreaOptions) -> Option<&AreaRow> {
        let row = self.rows.iter().find(|row| {
            [&*row.core, &*row.size, &*row.device] == [entry.core, entry.size, entry.device]
        })?;
        let mut seeds = options.seeds.iter();
        let placed = entry.placed && !options.cells_only;
        let has_seeds = !placed || seeds.all(|seed| row.fmax_by_seed.contains_key(seed));
        (row.verilog == verilog && has_seeds).then_some(row)
    }

    /// Its page; `file` is the name of the file that holds it.
    pub fn page(&self, file: &str) -> String {
        let mut page = format!(
            "# What the hardware costs\n\n\
             `metaroce area --table docs/{file}` measures what is missing or of older Verilog (`{file}` has its digest), and writes `{file}` and this page; a row \
             by itself is `metaroce area CORE --size SIZE --device DEVICE`. No figure here is of a board: cells are by synthesis, the clock by place and route with the seeds named, and more seeds find faster ones. A size is \
             connections x paths of each.\n\n\
             LUT equivalents are LUT4 + 2 CCU2C + 4 DPR16X4; RAMs are of 18 kbit. The core alone is counted, without the registers that stand on its \
             ports while it is measured. `ecp5-85-8` is an LFE5UM5G-85 of speed 8, `ecp5-85-6` an LFE5U-85 of speed 6; either has 83,640 LUTs and 208 \
             RAMs. Where no clock is stated, only cells are counted: the core was not placed, or has more RAMs than that.\n\n\
             | core | size | which is | device | LUT equivalents | flip-flops | RAMs | clock [MHz] by seed |\n\
             | --- | --- | --- | --- | ---: | ---: | ---: | --- |\n"
        );
        for row in &self.rows {
            let clocks = row.fmax_by_seed.iter();
            let clocks: Vec<_> = clocks
                .map(|(seed, mhz)| format!("{seed}: {mhz:.1}"))
                .collect();
            let clock = if clocks.is_empty() {
                "-".into()
            } else {
                clocks.join(", ")
            };
            let AreaRow {
                core,
                size,
                of,
                device,
                lut_equivalents,
                ffs,
                rams,
                ..
            } = row;
            let _ = writeln!(
                page,
                "| `{core}` | {size} | {of} | {device} | {lut_equivalents} | {ffs} | {rams} | {clock} |"
            );
        }
        let missing: Vec<_> = entries().filter(|entry| !self.has(entry)).collect();
        if !missing.is_empty() {
            let names = missing
                .iter()
                .map(|[core, size, device]| format!("`{core}` {size} on {device}"));
            let names: Vec<_> = names.collect();
            let _ = writeln!(page, "\nNot measured yet: {}.", names.join(", "));
        }
        page += "\nTools:\n\n";
        for (tool, version) in &self.tools {
            let _ = writeln!(page, "- {tool}: {version}");
        }
        page
    }

    /// Whether a row of this core, size and device is there.
    fn has(&self, [core, size, device]: &[&str; 3]) -> bool {
        let mut rows = self.rows.iter();
        rows.any(|row| row.core == *core && row.size == *size && row.device == *device)
    }
}

impl Entry {
    fn measure(&self, out: &Path, options: &AreaOptions) -> Result<AreaReport, FlowError> {
        let Self {
            core, size, device, ..
        } = self;
        let options = AreaOptions {
            cells_only: options.cells_only || !self.placed,
            ..options.clone()
        };
        let out = out.join(format!("{core}-{size}-{device}"));
        area(core, Some(size), device, &out, &options)
    }

    fn row(&self, report: &AreaReport, verilog: String) -> AreaRow {
        AreaRow {
            core: report.core.clone(),
            size: report.size.clone(),
            of: self.of.into(),
            device: report.device.clone(),
            verilog,
            lut_equivalents: report.lut_equivalents,
            ffs: report.ffs,
            rams: report.rams,
            fmax_by_seed: report.fmax_by_seed.clone(),
        }
    }
}

/// Of a design's whole text: 64 bits are enough to tell that it has changed.
fn digest(design: &Design) -> String {
    let sum = Sha256::digest(design.verilog());
    sum[..8].iter().map(|byte| format!("{byte:02x}")).collect()
}
