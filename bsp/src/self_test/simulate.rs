//! The self-test in Verilator.

use metaroce_cosim::Error;
use metaroce_cosim::model::{Options, Sources, VerilatedModel};
use metaroce_emit::Design;

use crate::error::{FlowError, at};

/// LEDs that move or tell of a run that is not over: heartbeat, running.
const HEARTBEAT: u64 = 1;
const RUNNING: u64 = 1 << 1;
/// LEDs of a good end, but for the heartbeat: completions, memory, sent again, no errors, passed.
pub const PASSED: u64 = 0b1011_1100;
/// Cycles of reset before the run: the first alone would do.
const RESET_CYCLES: usize = 4;
/// Cycles after which the test hangs: far beyond its own limit.
const MOST_CYCLES: u64 = 1 << 23;

/// The self-test, verilated.
pub struct Simulation {
    model: VerilatedModel,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The LEDs, without the heartbeat; see `Sequencer`.
    pub leds: u64,
    /// Cycles from reset to the end.
    pub cycles: u64,
}

impl Outcome {
    /// Anything but a passed test is an error.
    pub fn check(self) -> Result<Self, FlowError> {
        if self.leds == PASSED {
            return Ok(self);
        }
        Err(FlowError::SelfTestFailed {
            leds: self.leds,
            cycles: self.cycles,
        })
    }
}

impl Simulation {
    /// Builds the model of `super::emit`'s design.
    pub fn build(design: &Design) -> Result<Self, FlowError> {
        let here = std::env::temp_dir();
        let folder = at("make a folder in", &here, tempfile::tempdir_in(&here))?;
        let verilog = folder.path().join("verilog");
        design.write_to(&verilog)?;
        let model = Sources::from_folder(&design.top, &verilog)
            .map_err(Error::from)
            .and_then(|sources| VerilatedModel::build(&sources, &Options::small()))
            .map_err(FlowError::Simulation)?;
        Ok(Self { model })
    }

    /// Resets it and runs it to its end. `plant`: faults, see `SelfTest`.
    pub fn run(&mut self, plant: u64) -> Result<Outcome, FlowError> {
        self.play(plant).map_err(FlowError::Simulation)
    }

    fn play(&mut self, plant: u64) -> Result<Outcome, Error> {
        let model = &mut self.model;
        let (reset, planted, leds) = (
            model.port("reset")?,
            model.port("plant")?,
            model.port("leds")?,
        );
        model.set_u64(planted, plant);
        model.set_u64(reset, 1);
        for _ in 0..RESET_CYCLES {
            model.tick()?;
        }
        model.set_u64(reset, 0);
        let began = model.cycle();
        loop {
            model.tick()?;
            let shown = model.get_u64(leds);
            let cycles = model.cycle() - began;
            if shown & RUNNING == 0 || cycles > MOST_CYCLES {
                return Ok(Outcome {
                    leds: shown & !HEARTBEAT,
                    cycles,
                });
            }
        }
    }
}
