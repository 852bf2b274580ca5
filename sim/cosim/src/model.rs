//! A verilated model with named ports, a clock and a cycle counter.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use verilator_sys::{BuildError, Direction, ModelError, RawModel};
pub use verilator_sys::{Initial, Optimise, Options, Port, Sources};

/// The clock's port, unless said otherwise.
pub const CLOCK: &str = "clock";

/// Wave time units (ns) of a clock cycle. Cycle `c` begins at `c * CYCLE_TIME` with
/// the clock low and its inputs applied; its rising edge is half a cycle later.
pub const CYCLE_TIME: u64 = 10;

/// Levels of the hierarchy in waves: all that Verilator allows.
const DEPTH: u32 = 99;

/// A model could not be built, or failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It could not be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// It could not be loaded or used, or failed while running.
    #[error(transparent)]
    Model(#[from] ModelError),
}

/// A port's number in one model; cheap to copy, found once by [`VerilatedModel::port`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PortId(usize);

/// A running model.
///
/// # A cycle
///
/// Set inputs, [`settle`](Self::settle) (the clock falls, combinational outputs
/// follow the inputs), look at outputs, [`rise`](Self::rise) (registers take their
/// next values). What one sees between `settle` and `rise` of cycle `c` is what
/// the registers sample at edge `c`. [`tick`](Self::tick) is both, for when nothing
/// depends on combinational outputs.
///
/// Setting an output or a value wider than its port is a mistake in the testbench
/// and panics.
pub struct VerilatedModel {
    raw: RawModel,
    names: HashMap<&'static str, PortId>,
    clock: Option<PortId>,
    cycle: u64,
    trace: Trace,
    /// Time of the last dump.
    dumped: Option<u64>,
}

/// Whether waves are written.
enum Trace {
    Off,
    /// From the window's first cycle on.
    Armed(PathBuf, Range<u64>),
    /// Up to this cycle.
    On(u64),
}

impl VerilatedModel {
    /// Builds (or finds) a model and makes an instance, whose memory is all zeros
    /// and whose clock, if it has one, is the port [`CLOCK`].
    pub fn build(sources: &Sources, options: &Options) -> Result<Self, Error> {
        Self::build_with(sources, options, Initial::Zero, CLOCK)
    }

    /// The same with other initial values and another clock port.
    pub fn build_with(
        sources: &Sources,
        options: &Options,
        initial: Initial,
        clock: &str,
    ) -> Result<Self, Error> {
        let artefact = verilator_sys::build(sources, options)?;
        let raw = RawModel::create(&artefact, initial)?;
        let ports = raw.ports().iter().enumerate();
        let names: HashMap<_, _> = ports
            .map(|(id, port)| (port.name.as_str(), PortId(id)))
            .collect();
        let clock = names.get(clock).copied();
        Ok(VerilatedModel {
            raw,
            names,
            clock,
            cycle: 0,
            trace: Trace::Off,
            dumped: None,
        })
    }

    /// The port of this name.
    pub fn port(&self, name: &str) -> Result<PortId, ModelError> {
        self.find(name).ok_or_else(|| {
            let known = self
                .raw
                .ports()
                .iter()
                .map(|port| port.name.clone())
                .collect();
            ModelError::UnknownPort {
                name: name.into(),
                known,
            }
        })
    }

    /// The port of this name, if there is one.
    pub fn find(&self, name: &str) -> Option<PortId> {
        self.names.get(name).copied()
    }

    /// The input of this name and width in bits.
    pub fn input(&self, name: &str, width: u32) -> Result<PortId, ModelError> {
        self.port_like(name, Direction::Input, Some(width))
    }

    /// The output of this name and width in bits.
    pub fn output(&self, name: &str, width: u32) -> Result<PortId, ModelError> {
        self.port_like(name, Direction::Output, Some(width))
    }

    pub(crate) fn port_like(
        &self,
        name: &str,
        direction: Direction,
        width: Option<u32>,
    ) -> Result<PortId, ModelError> {
        let id = self.port(name)?;
        let port = self.description(id);
        if port.direction == direction && width.is_none_or(|width| width == port.width) {
            return Ok(id);
        }
        let bits = |width: Option<u32>| width.map_or("any".into(), |width| width.to_string());
        Err(ModelError::PortMismatch {
            name: name.into(),
            needed: format!("an {direction:?} of {} bits", bits(width)),
            found: format!("an {:?} of {} bits", port.direction, port.width),
        })
    }

    /// Name, width and direction.
    pub fn description(&self, port: PortId) -> &'static Port {
        &self.raw.ports()[port.0]
    }

    /// All ports of the top.
    pub fn ports(&self) -> &'static [Port] {
        self.raw.ports()
    }

    /// Width in bits.
    pub fn width(&self, port: PortId) -> u32 {
        self.description(port).width
    }

    /// Sets an input; of one wider than 64 bits the low ones, and the rest to zero.
    #[inline]
    pub fn set_u64(&mut self, port: PortId, value: u64) {
        self.raw.set(port.0, value);
    }

    /// The value, or the low 64 bits of it.
    #[inline]
    pub fn get_u64(&self, port: PortId) -> u64 {
        self.raw.get(port.0)
    }

    /// Whether any of the low 64 bits is set.
    #[inline]
    pub fn is_set(&self, port: PortId) -> bool {
        self.get_u64(port) != 0
    }

    /// Sets an input from bytes, the least significant first; missing ones are zero.
    pub fn set_bytes(&mut self, port: PortId, bytes: &[u8]) {
        self.raw.set_bytes(port.0, bytes);
    }

    /// The low bytes of a port, the least significant first; beyond its width, zeros.
    pub fn get_bytes(&self, port: PortId, bytes: &mut [u8]) {
        self.raw.get_bytes(port.0, bytes);
    }

    /// Sets an input from 32-bit words, the least significant first.
    pub fn set_words(&mut self, port: PortId, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.raw.set_bytes(port.0, &bytes);
    }

    /// The low 32-bit words of a port, the least significant first.
    pub fn get_words(&self, port: PortId, words: &mut [u32]) {
        let mut bytes = vec![0; words.len() * 4];
        self.raw.get_bytes(port.0, &mut bytes);
        for (word, chunk) in words.iter_mut().zip(bytes.as_chunks::<4>().0) {
            *word = u32::from_le_bytes(*chunk);
        }
    }

    /// Settles the logic and leaves the clock as it is.
    #[inline]
    pub fn eval(&mut self) -> Result<(), ModelError> {
        self.raw.eval()
    }

    /// First half of a cycle: the clock falls, and combinational outputs follow
    /// the inputs.
    #[inline]
    pub fn settle(&mut self) -> Result<(), ModelError> {
        self.half_cycle(0)
    }

    /// Second half: the clock rises, and the cycle counter counts.
    #[inline]
    pub fn rise(&mut self) -> Result<(), ModelError> {
        self.half_cycle(1)?;
        self.cycle += 1;
        Ok(())
    }

    /// A whole cycle, of which only registered outputs can be seen.
    #[inline]
    pub fn tick(&mut self) -> Result<(), ModelError> {
        self.settle()?;
        self.rise()
    }

    #[inline]
    fn half_cycle(&mut self, level: u64) -> Result<(), ModelError> {
        let clock = self.clock.expect("the model has a clock port");
        self.raw.set(clock.0, level);
        let result = self.raw.eval();
        if !matches!(self.trace, Trace::Off) {
            // The last state of a failing model belongs into its waves.
            self.trace_half_cycle(level)?;
        }
        result
    }

    #[cold]
    fn trace_half_cycle(&mut self, level: u64) -> Result<(), ModelError> {
        if let Trace::Armed(path, cycles) = &self.trace {
            if level != 0 || !cycles.contains(&self.cycle) {
                return Ok(());
            }
            let end = cycles.end;
            self.raw.trace_open(path, DEPTH)?;
            self.trace = Trace::On(end);
        }
        if matches!(self.trace, Trace::On(end) if self.cycle >= end) {
            self.trace_close();
            return Ok(());
        }
        // A model that goes on after a failure settles once more in the same half cycle.
        let time = self.cycle * CYCLE_TIME + level * CYCLE_TIME / 2;
        if self.dumped.replace(time) == Some(time) {
            return Ok(());
        }
        self.raw.trace_dump(time)
    }

    /// Rising edges so far: the number of the cycle that is under way.
    pub fn cycle(&self) -> u64 {
        self.cycle
    }

    /// Whether the model called `$finish`.
    pub fn finished(&self) -> bool {
        self.raw.finished()
    }

    /// Writes FST waves from here on; the model must be built with
    /// [`Options::with_trace`].
    pub fn trace_open(&mut self, path: &Path) -> Result<(), ModelError> {
        self.raw.trace_open(path, DEPTH)?;
        self.trace = Trace::On(u64::MAX);
        Ok(())
    }

    /// Writes FST waves of these cycles only, which must not be over yet.
    pub fn trace_window(&mut self, path: &Path, cycles: Range<u64>) -> Result<(), ModelError> {
        if !self.raw.traced() {
            return Err(ModelError::NotTraced { path: path.into() });
        }
        self.trace = Trace::Armed(path.into(), cycles);
        Ok(())
    }

    /// Ends the wave file. Also done when the model is dropped.
    pub fn trace_close(&mut self) {
        self.raw.trace_close();
        self.trace = Trace::Off;
    }
}
