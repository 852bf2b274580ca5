//! `metaroce synth`: a board's bitstream.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::board::alchitry_cu;
use crate::error::FlowError;
use crate::flow::ice40;
use crate::flow::yosys::Cells;
use crate::self_test::{self, Simulation};
use crate::tool::{Tool, Toolbox};
use crate::workshop::Workshop;

/// How to build a bitstream.
#[derive(Clone, Debug, Default)]
pub struct SynthOptions {
    /// Clock that must be met, MHz; the board's own without it. It changes no PLL: a higher one asks for a margin.
    pub clock_mhz: Option<f64>,
    /// Seeds to try in turn until the clock is met; 1 to 4 if empty.
    pub seeds: Vec<u32>,
    /// Which programs the tools are, where they are not the usual ones.
    pub toolbox: Toolbox,
}

/// A bitstream and what it cost.
#[derive(Clone, Debug, Serialize)]
pub struct SynthReport {
    /// The board.
    pub board: String,
    /// The bitstream's file.
    pub bitstream: PathBuf,
    /// Always true: a missed clock is an error and leaves no bitstream.
    pub timing_met: bool,
    /// Clock of the design, MHz.
    pub clock_mhz: f64,
    /// Clock that it reaches in the slowest corner of the tools' model, MHz.
    pub fmax_mhz: f64,
    /// The seed that met it.
    pub seed: u32,
    /// Clocks reached by every seed tried, MHz.
    pub fmax_by_seed: BTreeMap<u32, f64>,
    /// Logic cells used (a look-up table and a flip-flop).
    pub cells: u64,
    /// Logic cells of the device.
    pub cells_available: u64,
    /// Block RAMs used, 4 kbit each.
    pub rams: u64,
    /// Block RAMs of the device.
    pub rams_available: u64,
    /// Cycles that the self-test takes in Verilator.
    pub self_test_cycles: u64,
    /// Size of the NIC inside.
    pub size: String,
    /// The tools and their versions.
    pub tools: BTreeMap<String, String>,
}

/// Every board.
pub const BOARDS: &[&str] = &[alchitry_cu::NAME];

/// Builds the self-test's bitstream for a board into `out`, as `<board>.bin`; logs are in `out/logs`.
///
/// What an earlier run left under that name is removed first: after an error there is no bitstream.
pub fn synth(board: &str, out: &Path, options: &SynthOptions) -> Result<SynthReport, FlowError> {
    if board != alchitry_cu::NAME {
        let known = BOARDS.iter().map(|board| board.to_string()).collect();
        return Err(FlowError::Unknown {
            kind: "board",
            name: board.into(),
            known,
        });
    }
    let file = format!("{board}.bin");
    let shop = Workshop::open(out, &[&file], &options.toolbox)?;
    // Before minutes of other work.
    options.toolbox.versions(TOOLS)?;
    tracing::info!(board, "emitting the self-test");
    let design = self_test::emit()?;
    tracing::info!(board, "running it in Verilator");
    let outcome = Simulation::build(&design)?.run(0)?.check()?;
    options.toolbox.check_stop()?;
    let design = design.verilog();
    let build = Build {
        name: board,
        top: alchitry_cu::TOP,
        verilog: &[("self_test.v", &design), ("board.v", &alchitry_cu::top())],
        pins: Some(&alchitry_cu::pcf()),
        clock_mhz: options.clock_mhz.unwrap_or(alchitry_cu::CLOCK.output_mhz),
        seeds: &options.seeds,
        toolbox: &options.toolbox,
    };
    let built = build.run_in(&shop)?;
    Ok(SynthReport {
        board: board.into(),
        bitstream: built.bitstream,
        timing_met: true,
        clock_mhz: build.clock_mhz,
        fmax_mhz: built.fmax_mhz,
        seed: built.seed,
        fmax_by_seed: built.tried,
        cells: built.cells.0,
        cells_available: built.cells.1,
        rams: built.rams.0,
        rams_available: built.rams.1,
        self_test_cycles: outcome.cycles,
        size: self_test::SIZE.into(),
        tools: built.tools,
    })
}

/// What a bitstream takes.
const TOOLS: &[Tool] = &[Tool::Yosys, Tool::NextpnrIce40, Tool::Icepack];

/// Seeds that are tried unless others are named.
pub const DEFAULT_SEEDS: [u32; 4] = [1, 2, 3, 4];

/// One way from Verilog to an iCE40 bitstream.
pub struct Build<'a> {
    /// The bitstream's name, without `.bin`.
    pub name: &'a str,
    /// Top module.
    pub top: &'a str,
    /// Files and their texts.
    pub verilog: &'a [(&'a str, &'a str)],
    /// Text of the constraint file; pins are placed freely without one.
    pub pins: Option<&'a str>,
    /// Clock that must be met, MHz.
    pub clock_mhz: f64,
    /// Seeds to try in turn; [`DEFAULT_SEEDS`] if empty.
    pub seeds: &'a [u32],
    /// The tools.
    pub toolbox: &'a Toolbox,
}

/// What a [`Build`] gives.
#[derive(Clone, Debug)]
pub struct Built {
    /// The bitstream's file.
    pub bitstream: PathBuf,
    /// The seed that met the clock.
    pub seed: u32,
    /// The clock reached, MHz.
    pub fmax_mhz: f64,
    /// Clocks reached by every seed tried, MHz.
    pub tried: BTreeMap<u32, f64>,
    /// Logic cells used and available.
    pub cells: (u64, u64),
    /// Block RAMs used and available.
    pub rams: (u64, u64),
    /// The tools and their versions.
    pub tools: BTreeMap<String, String>,
}

impl Build<'_> {
    /// Runs it; after an error there is no bitstream.
    pub fn run(&self, out: &Path) -> Result<Built, FlowError> {
        let file = format!("{}.bin", self.name);
        self.run_in(&Workshop::open(out, &[&file], self.toolbox)?)
    }

    fn run_in(&self, shop: &Workshop) -> Result<Built, FlowError> {
        let tools = self.toolbox.versions(TOOLS)?;
        for (name, text) in self.verilog {
            shop.write(name, text)?;
        }
        if let Some(pins) = self.pins {
            shop.write("pins.pcf", pins)?;
        }
        let names: Vec<&str> = self.verilog.iter().map(|(name, _)| *name).collect();
        let _: Cells = ice40::synthesise_narrowed(shop, &names, self.top)?;
        let seeds = if self.seeds.is_empty() {
            &DEFAULT_SEEDS
        } else {
            self.seeds
        };
        let mut tried: Vec<(u32, f64)> = Vec::new();
        for &seed in seeds {
            let pins = self.pins.map(|_| "pins.pcf");
            let (met, report) = ice40::place_and_route(shop, pins, self.clock_mhz, seed)?;
            // A design without a path between registers has no clock to miss.
            let reached = report.clock.map_or(self.clock_mhz, |(reached, _)| reached);
            tracing::info!(seed, fmax_mhz = reached, met, "placed and routed");
            tried.push((seed, reached));
            if !met {
                continue;
            }
            ice40::pack(shop, seed)?;
            let used = |kind: &str| report.used.get(kind).copied().unwrap_or_default();
            return Ok(Built {
                bitstream: shop.publish("top.bin", &format!("{}.bin", self.name))?,
                seed,
                fmax_mhz: reached,
                tried: tried.into_iter().collect(),
                cells: used("ICESTORM_LC"),
                rams: used("ICESTORM_RAM"),
                tools,
            });
        }
        let best_mhz = tried.iter().map(|(_, mhz)| *mhz).fold(0.0, f64::max);
        Err(FlowError::TimingMissed {
            needed_mhz: self.clock_mhz,
            best_mhz,
            tried,
            logs: shop.logs().into(),
        })
    }
}
