//! AXI4 memory behind a model's master port: host memory as a NIC sees it.
//!
//! Signal names are `<prefix>_awaddr` and so on. A master may have only the write
//! or only the read channels; ids, sizes, bursts and responses may be missing.
//!
//! A write becomes visible when its response is presented, and a read looks at
//! memory when its first beat is: the latest moments that AXI4 allows, so that a
//! master which does not wait for its responses is found out.

use std::cell::{Ref, RefCell, RefMut};
use std::ops::RangeInclusive;
use std::rc::Rc;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use verilator_sys::ModelError;

use crate::bus::{Agent, Pace, Stalls, Violation, record};
use crate::model::VerilatedModel;

mod burst;
mod channel;
mod memory;
mod read;
mod write;

use burst::{Burst, INCR};
use channel::Inbound;
pub use memory::{Access, Memory, Region};
use read::ReadHalf;
use write::WriteHalf;

/// Widest bus: strobes are handled in 64 bits. The unit is bytes.
pub const MAX_BYTES: usize = 64;

/// `xRESP` (AXI4, table A3-4).
const OKAY: u8 = 0;
/// No such address.
const DECERR: u8 = 3;

/// When the memory is ready and when it answers.
#[derive(Debug, Clone)]
pub struct Timing {
    /// Waits before it takes a write address.
    pub write_address: Stalls,
    /// Waits before it takes a beat of write data.
    pub write_data: Stalls,
    /// Waits before it presents a write response.
    pub write_response: Stalls,
    /// Waits before it takes a read address.
    pub read_address: Stalls,
    /// Waits before it presents a beat of read data.
    pub read_data: Stalls,
    /// Cycles between a whole request and its answer.
    pub latency: RangeInclusive<u64>,
    /// Whether answers to different ids may overtake each other.
    pub reorder: bool,
    /// Decides latencies and order.
    pub seed: u64,
}

impl Timing {
    /// Always ready, answers in the next cycle and in order.
    pub fn ideal() -> Self {
        let never = Stalls::never;
        Timing {
            write_address: never(),
            write_data: never(),
            write_response: never(),
            read_address: never(),
            read_data: never(),
            latency: 0..=0,
            reorder: false,
            seed: 0,
        }
    }

    /// Waits with this probability on every channel, and answers after a random
    /// latency, in any order that AXI4 allows.
    pub fn random(probability: f64, latency: RangeInclusive<u64>, seed: u64) -> Self {
        Self::paced(Pace::Random(probability), latency, seed)
    }

    /// The same for any pace.
    pub fn paced(pace: Pace, latency: RangeInclusive<u64>, seed: u64) -> Self {
        // A seed for each channel: they must not wait in step.
        let stalls = |channel: u64| pace.stalls(seed.wrapping_mul(8).wrapping_add(channel));
        Timing {
            write_address: stalls(1),
            write_data: stalls(2),
            write_response: stalls(3),
            read_address: stalls(4),
            read_data: stalls(5),
            latency,
            reorder: true,
            seed,
        }
    }
}

/// A run of bytes that became visible in memory, or was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriteRecord {
    /// Cycle in which it became visible.
    pub cycle: u64,
    /// Address of the first byte.
    pub address: u64,
    /// The bytes.
    pub data: Vec<u8>,
    /// Whether it reached memory; if not, a violation says why.
    pub accepted: bool,
}

/// Address and bytes of a run without a gap.
type Run = (u64, Vec<u8>);

/// A request whose answer is due at a cycle.
#[derive(Debug)]
struct Pending<T> {
    id: u64,
    due: u64,
    what: T,
}

/// Memory that several ports and the host look at.
pub type SharedMemory = Rc<RefCell<Memory>>;

impl From<Memory> for SharedMemory {
    fn from(memory: Memory) -> Self {
        Rc::new(RefCell::new(memory))
    }
}

/// What the two halves share.
#[derive(Debug)]
struct Shared {
    memory: SharedMemory,
    /// Bytes of the bus.
    bytes: u64,
    latency: RangeInclusive<u64>,
    reorder: bool,
    random: ChaCha8Rng,
    violations: Vec<Violation>,
    writes: Vec<WriteRecord>,
}

/// The memory; an [`Agent`] for a model with AXI4 master ports.
#[derive(Debug)]
pub struct AxiMemory {
    shared: Shared,
    write: Option<WriteHalf>,
    read: Option<ReadHalf>,
}

impl AxiMemory {
    /// Memory behind the model's ports `<prefix>_awaddr` and so on: its own, or one shared by several ports.
    pub fn new(
        model: &VerilatedModel,
        prefix: &str,
        memory: impl Into<SharedMemory>,
        timing: Timing,
    ) -> Result<Self, ModelError> {
        let has = |signal: &str| model.find(&format!("{prefix}_{signal}")).is_some();
        let (has_write, has_read) = (has("awaddr"), has("araddr"));
        // With neither half, the error names the port that is missing.
        let data = model.port(&format!(
            "{prefix}_{}",
            if has_read && !has_write {
                "rdata"
            } else {
                "wdata"
            }
        ))?;
        let width = model.width(data);
        let bytes = u64::from(width / 8);
        if !width.is_multiple_of(8) || !bytes.is_power_of_two() || bytes > MAX_BYTES as u64 {
            return Err(ModelError::PortMismatch {
                name: model.description(data).name.clone(),
                needed: format!("a power of two of bytes, at most {MAX_BYTES}"),
                found: format!("{width} bits"),
            });
        }
        let random = ChaCha8Rng::seed_from_u64(timing.seed);
        let write = has_write
            .then(|| WriteHalf::find(model, prefix, &timing))
            .transpose()?;
        let read = has_read
            .then(|| ReadHalf::find(model, prefix, &timing, width))
            .transpose()?;
        let Timing {
            latency, reorder, ..
        } = timing;
        let (violations, writes) = (Vec::new(), Vec::new());
        let shared = Shared {
            memory: memory.into(),
            bytes,
            latency,
            reorder,
            random,
            violations,
            writes,
        };
        Ok(AxiMemory {
            shared,
            write,
            read,
        })
    }

    /// The memory as it is visible now.
    pub fn memory(&self) -> Ref<'_, Memory> {
        self.shared.memory.borrow()
    }

    /// The memory, for the host's own writes.
    pub fn memory_mut(&mut self) -> RefMut<'_, Memory> {
        self.shared.memory.borrow_mut()
    }

    /// Broken rules, at most the first hundred.
    pub fn violations(&self) -> &[Violation] {
        &self.shared.violations
    }

    /// All writes since the last [`take_writes`](Self::take_writes), in the order
    /// in which they became visible.
    pub fn writes(&self) -> &[WriteRecord] {
        &self.shared.writes
    }

    /// Takes the log of writes.
    pub fn take_writes(&mut self) -> Vec<WriteRecord> {
        std::mem::take(&mut self.shared.writes)
    }

    /// Whether no request is under way.
    pub fn is_idle(&self) -> bool {
        let write = self.write.as_ref().is_none_or(WriteHalf::is_idle);
        let read = self.read.as_ref().is_none_or(ReadHalf::is_idle);
        write && read
    }
}

impl Agent for AxiMemory {
    fn drive(&mut self, model: &mut VerilatedModel) {
        if let Some(write) = &mut self.write {
            write.drive(model, &mut self.shared);
        }
        if let Some(read) = &mut self.read {
            read.drive(model, &mut self.shared);
        }
    }

    fn sample(&mut self, model: &VerilatedModel) {
        if let Some(write) = &mut self.write {
            write.sample(model, &mut self.shared);
        }
        if let Some(read) = &mut self.read {
            read.sample(model, &mut self.shared);
        }
    }
}

impl Shared {
    fn break_rule(&mut self, cycle: u64, rule: &'static str, detail: String) {
        record(&mut self.violations, cycle, rule, detail);
    }

    fn due(&mut self, cycle: u64) -> u64 {
        cycle + 1 + self.random.random_range(self.latency.clone())
    }

    /// The answer to give now: the oldest of any id whose time has come, if answers
    /// may overtake, else the oldest of all.
    fn choose<T>(&mut self, answers: &mut Vec<Pending<T>>, cycle: u64) -> Option<Pending<T>> {
        let is_oldest = |index: usize| {
            answers[..index]
                .iter()
                .all(|other| other.id != answers[index].id)
        };
        let limit = if self.reorder {
            answers.len()
        } else {
            answers.len().min(1)
        };
        let ready: Vec<usize> = (0..limit)
            .filter(|index| answers[*index].due <= cycle && is_oldest(*index))
            .collect();
        let chosen = match ready.len() {
            0 => return None,
            1 => ready[0],
            count => ready[self.random.random_range(0..count)],
        };
        Some(answers.remove(chosen))
    }

    /// An address channel's values, checked.
    fn burst(&mut self, channel: &Inbound, signals: &AddressSignals, cycle: u64) -> Burst {
        let full = u64::from(self.bytes.trailing_zeros());
        let size = channel.value(signals.size, full);
        let address = channel.value(signals.address, 0);
        let kind = channel.value(signals.burst, INCR);
        if kind != INCR {
            let detail = format!("burst at {address:#x} must be INCR ({INCR}), but is {kind}");
            self.break_rule(cycle, "INCR bursts", detail);
        }
        if size > full {
            let detail = format!(
                "{} bytes a beat at {address:#x} on a bus of {}",
                1_u64 << size,
                self.bytes
            );
            self.break_rule(cycle, "beat not wider than the bus", detail);
        }
        let beats = channel.value(signals.length, 0) as u32 + 1;
        let burst = Burst {
            id: channel.value(signals.id, 0),
            address,
            beats,
            size: 1 << size.min(full),
        };
        if burst.crosses_boundary() {
            let detail = format!("{beats} beats of {} bytes at {address:#x}", burst.size);
            self.break_rule(cycle, "no burst over a 4 KiB boundary", detail);
        }
        burst
    }
}

/// Names of an address channel's signals.
struct AddressSignals {
    id: &'static str,
    address: &'static str,
    length: &'static str,
    size: &'static str,
    burst: &'static str,
}

impl AddressSignals {
    fn names(&self) -> [&'static str; 5] {
        [self.id, self.address, self.length, self.size, self.burst]
    }
}

fn same_width(prefix: &str, name: &str, needed: u32, found: u32) -> Result<(), ModelError> {
    if needed == found {
        return Ok(());
    }
    Err(ModelError::PortMismatch {
        name: format!("{prefix}_{name}"),
        needed: format!("{needed} bits wide"),
        found: format!("{found} bits"),
    })
}
