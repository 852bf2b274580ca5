//! `metaroce area`: what a core costs and how fast it is.

mod harness;
mod ram;
mod registry;
mod table;

use std::collections::BTreeMap;
use std::path::Path;

use metaroce_emit::Design;
use serde::Serialize;

use crate::error::FlowError;
use crate::flow::nextpnr::Report;
use crate::flow::yosys::{Cells, sum};
use crate::flow::{ecp5, ice40, xcup};
use crate::synth::DEFAULT_SEEDS;
use crate::tool::{Tool, Toolbox};
use crate::workshop::Workshop;
pub use ram::{RamReport, RamRow, ram_bits};
pub(crate) use registry::{of as emitted, unknown};
pub use table::{AreaRow, AreaTable, entries};

/// How to measure.
#[derive(Clone, Debug, Default)]
pub struct AreaOptions {
    /// Seeds; 1 to 4 if empty.
    pub seeds: Vec<u32>,
    /// No place and route: cells only.
    pub cells_only: bool,
    /// Which programs the tools are, where they are not the usual ones.
    pub toolbox: Toolbox,
}

/// What a core costs. The cells of the frame around it ([`AreaReport::harness_ffs`]) are not counted.
#[derive(Clone, Debug, Serialize)]
pub struct AreaReport {
    /// The core.
    pub core: String,
    /// Its size.
    pub size: String,
    /// The device.
    pub device: String,
    /// ECP5: LUT4 + 2 CCU2C + 4 DPR16X4. HX8K: LUT4. UltraScale+: LUTs, of whatever width, and LUT RAMs.
    pub lut_equivalents: u64,
    /// Look-up tables as such.
    pub luts: u64,
    /// Flip-flops.
    pub ffs: u64,
    /// Block RAMs: ECP5 18 kbit, HX8K 4 kbit, UltraScale+ 18 kbit (one of 36 kbit counts as 2).
    pub rams: u64,
    /// The best seed's clock, MHz; none where no tool computes it.
    pub fmax_mhz: Option<f64>,
    /// Clock by seed, MHz.
    pub fmax_by_seed: BTreeMap<u32, f64>,
    /// Flip-flops of the frame: one on every bit of every port; see `area/harness.rs`.
    pub harness_ffs: u64,
    /// All cells, by kind, the frame's included.
    pub cells: BTreeMap<String, u64>,
    /// The tools and their versions.
    pub tools: BTreeMap<String, String>,
}

/// A device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Device {
    Ecp5(ecp5::Member),
    Hx8k,
    Xcup,
}

const DEVICES: [(&str, Device); 4] = [
    (
        "ecp5-85-6",
        Device::Ecp5(ecp5::Member {
            flag: "--85k",
            speed: 6,
        }),
    ),
    (
        "ecp5-85-8",
        Device::Ecp5(ecp5::Member {
            flag: "--um5g-85k",
            speed: 8,
        }),
    ),
    ("hx8k", Device::Hx8k),
    ("xcup", Device::Xcup),
];

/// Every device's name.
pub fn devices() -> impl Iterator<Item = &'static str> {
    DEVICES.iter().map(|(name, _)| *name)
}

/// Every core's name and its sizes, the one first that is meant when none is named.
pub fn cores() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    registry::SUBJECTS.iter().map(|subject| {
        (
            subject.name,
            subject.sizes.iter().map(|(size, _)| *size).collect(),
        )
    })
}

/// The Verilog of a core of a size, the usual one if none.
pub fn emit(core: &str, size: Option<&str>) -> Result<Design, FlowError> {
    registry::find(core, size).map(|(_, design)| design)
}

/// Asked of place and route, MHz: more than any core reaches, so that it never rests.
const GOAL_MHZ: f64 = 400.0;

/// Measures a core of a size (the usual one if none) on a device; logs go to `out/logs`.
pub fn area(
    core: &str,
    size: Option<&str>,
    device: &str,
    out: &Path,
    options: &AreaOptions,
) -> Result<AreaReport, FlowError> {
    let kind = DEVICES.iter().find(|(name, _)| *name == device);
    let (_, kind) = kind.ok_or_else(|| registry::unknown("device", device, devices()))?;
    let (size, design) = registry::find(core, size)?;
    let mut report = area_of(&design, *kind, out, options)?;
    report.core = core.into();
    report.size = size.into();
    report.device = device.into();
    Ok(report)
}

fn area_of(
    design: &Design,
    device: Device,
    out: &Path,
    options: &AreaOptions,
) -> Result<AreaReport, FlowError> {
    let shop = Workshop::open(out, &[], &options.toolbox)?;
    let place = match device {
        _ if options.cells_only => None,
        Device::Ecp5(_) => Some(Tool::NextpnrEcp5),
        Device::Hx8k => Some(Tool::NextpnrIce40),
        Device::Xcup => None,
    };
    let tools: Vec<Tool> = [Some(Tool::Yosys), place].into_iter().flatten().collect();
    let tools = options.toolbox.versions(&tools)?;
    let frame = harness::frame(design);
    shop.write("core.v", &design.verilog())?;
    shop.write("frame.v", &frame.verilog)?;
    let files = ["core.v", "frame.v"];
    let synthesise = match device {
        Device::Ecp5(_) => ecp5::synthesise,
        Device::Hx8k => ice40::synthesise,
        Device::Xcup => xcup::synthesise,
    };
    let cells = synthesise(&shop, &files, harness::TOP)?;
    let mut report = count(device, &cells, frame.in_bits + frame.out_bits);
    report.tools = tools;
    let seeds = if options.seeds.is_empty() {
        &DEFAULT_SEEDS[..]
    } else {
        &options.seeds
    };
    for &seed in seeds.iter().filter(|_| place.is_some()) {
        let placed = place_and_route(&shop, device, seed)?;
        if let Some((reached, _)) = placed.clock {
            tracing::info!(seed, fmax_mhz = reached, "placed and routed");
            report.fmax_by_seed.insert(seed, reached);
        }
    }
    report.fmax_mhz = report.fmax_by_seed.values().copied().reduce(f64::max);
    Ok(report)
}

fn place_and_route(shop: &Workshop, device: Device, seed: u32) -> Result<Report, FlowError> {
    match device {
        Device::Ecp5(member) => ecp5::place_and_route(shop, member, GOAL_MHZ, seed),
        Device::Hx8k => {
            ice40::place_and_route(shop, None, GOAL_MHZ, seed).map(|(_, report)| report)
        }
        Device::Xcup => Ok(Report::default()),
    }
}

fn count(device: Device, cells: &Cells, harness_ffs: u64) -> AreaReport {
    let all = |prefix: &str| -> u64 {
        cells
            .iter()
            .filter(|(kind, _)| kind.starts_with(prefix))
            .map(|(_, count)| count)
            .sum()
    };
    let (lut_equivalents, luts, ffs, rams) = match device {
        Device::Ecp5(_) => {
            let luts = sum(cells, &["LUT4"]);
            let equivalents =
                luts + 2 * sum(cells, &["CCU2C"]) + 4 * sum(cells, &["TRELLIS_DPR16X4"]);
            (
                equivalents,
                luts,
                sum(cells, &["TRELLIS_FF"]),
                all("DP16KD") + all("PDPW16KD"),
            )
        }
        Device::Hx8k => {
            let luts = sum(cells, &["SB_LUT4"]);
            (luts, luts, all("SB_DFF"), all("SB_RAM40"))
        }
        Device::Xcup => {
            let luts = (1..=6)
                .map(|inputs| sum(cells, &[&format!("LUT{inputs}")]))
                .sum::<u64>();
            // Widths in LUTs: RAM32M and RAM64M take four, their 16-wide brothers eight, others by ports.
            let lut_rams = 4 * sum(cells, &["RAM32M", "RAM64M", "RAM128X1D"])
                + 8 * sum(cells, &["RAM32M16", "RAM64M8"])
                + 2 * sum(cells, &["RAM32X1D", "RAM64X1D"])
                + sum(cells, &["RAM32X1S", "RAM64X1S", "SRL16E", "SRLC32E"]);
            (
                luts + lut_rams,
                luts,
                all("FD"),
                all("RAMB18") + 2 * all("RAMB36"),
            )
        }
    };
    AreaReport {
        core: String::new(),
        size: String::new(),
        device: String::new(),
        lut_equivalents,
        luts,
        ffs: ffs.saturating_sub(harness_ffs),
        rams,
        fmax_mhz: None,
        fmax_by_seed: BTreeMap::new(),
        harness_ffs,
        cells: cells.clone(),
        tools: BTreeMap::new(),
    }
}
