//! AXI4-Stream: a source of frames, a sink with back-pressure, a monitor of the rules.
//!
//! Signal names are `<prefix>_tdata` and so on. `tkeep`, `tlast` and `tuser` may be
//! missing: then all bytes count, each beat is a frame, and the user value is 0.
//! Byte 0 of a frame is in bits 7..0 of its first beat.

use std::collections::VecDeque;

use verilator_sys::{Direction, ModelError};

use crate::bus::{Agent, Stalls, Violation, record};
use crate::model::{PortId, VerilatedModel};

/// Widest bus: `tkeep` is handled in 64 bits. The unit is bytes.
pub const MAX_BYTES: usize = 64;

/// A frame and its `tuser`, which has the same value on all beats of a source and is
/// that of the last beat in a sink.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frame {
    /// The payload.
    pub data: Vec<u8>,
    /// Low 64 bits of `tuser`.
    pub user: u64,
}

impl From<Vec<u8>> for Frame {
    fn from(data: Vec<u8>) -> Self {
        Frame { data, user: 0 }
    }
}

/// A frame with the cycles of its first and last beat.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transferred {
    /// What went over the bus.
    pub frame: Frame,
    /// Cycle of the first beat's transfer.
    pub first_cycle: u64,
    /// Cycle of the last beat's transfer.
    pub last_cycle: u64,
    /// Cycle of each beat's transfer.
    pub cycles: Vec<u64>,
    /// Bytes of a beat.
    pub beat_bytes: usize,
}

impl Transferred {
    /// Cycle in which a byte of the frame was transferred; the last one for a byte after its end.
    pub fn cycle_of(&self, byte: usize) -> u64 {
        let beat = byte / self.beat_bytes;
        self.cycles.get(beat).copied().unwrap_or(self.last_cycle)
    }

    fn new(frame: Frame, cycles: Vec<u64>, beat_bytes: usize) -> Self {
        let at = |cycle: Option<&u64>| *cycle.expect("a frame has a beat at least");
        let (first_cycle, last_cycle) = (at(cycles.first()), at(cycles.last()));
        Self {
            frame,
            first_cycle,
            last_cycle,
            cycles,
            beat_bytes,
        }
    }
}

/// The ports of one stream.
#[derive(Debug, Clone)]
struct Ports {
    data: PortId,
    valid: PortId,
    ready: PortId,
    keep: Option<PortId>,
    last: Option<PortId>,
    user: Option<PortId>,
    /// Width of the data in bytes.
    bytes: usize,
}

impl Ports {
    /// Finds the ports; `forward` is the direction of all but `tready`.
    fn find(model: &VerilatedModel, prefix: &str, forward: Direction) -> Result<Self, ModelError> {
        let backward = match forward {
            Direction::Input => Direction::Output,
            Direction::Output => Direction::Input,
        };
        let name = |signal: &str| format!("{prefix}_{signal}");
        let data = model.port_like(&name("tdata"), forward, None)?;
        let width = model.width(data);
        if !width.is_multiple_of(8) || width as usize > 8 * MAX_BYTES {
            return Err(ModelError::PortMismatch {
                name: name("tdata"),
                needed: format!("1 to {MAX_BYTES} whole bytes"),
                found: format!("{width} bits"),
            });
        }
        let optional = |signal: &str, width: Option<u32>| match model.find(&name(signal)) {
            Some(_) => model.port_like(&name(signal), forward, width).map(Some),
            None => Ok(None),
        };
        Ok(Ports {
            data,
            valid: model.port_like(&name("tvalid"), forward, Some(1))?,
            ready: model.port_like(&name("tready"), backward, Some(1))?,
            keep: optional("tkeep", Some(width / 8))?,
            last: optional("tlast", Some(1))?,
            user: optional("tuser", None)?,
            bytes: width as usize / 8,
        })
    }
}

/// The low `count` bits set; `count` is at most 64.
fn ones(count: usize) -> u64 {
    u64::MAX.checked_shr(64 - count as u32).unwrap_or(0)
}

/// Sends frames into a model.
#[derive(Debug)]
pub struct AxisSource {
    ports: Ports,
    stalls: Stalls,
    queue: VecDeque<Frame>,
    /// Bytes of the first frame that were transferred.
    offset: usize,
    /// Whether a beat is on the bus, which then stays until it is taken.
    presenting: bool,
    cycles: Vec<u64>,
    sent: Vec<Transferred>,
    beats: u64,
}

impl AxisSource {
    /// A source for the model's inputs `<prefix>_tdata` and so on.
    pub fn new(model: &VerilatedModel, prefix: &str, stalls: Stalls) -> Result<Self, ModelError> {
        Ok(AxisSource {
            ports: Ports::find(model, prefix, Direction::Input)?,
            stalls,
            queue: VecDeque::new(),
            offset: 0,
            presenting: false,
            cycles: Vec::new(),
            sent: Vec::new(),
            beats: 0,
        })
    }

    /// Queues a frame of at least one byte.
    pub fn push(&mut self, frame: impl Into<Frame>) {
        let frame = frame.into();
        assert!(
            !frame.data.is_empty(),
            "a frame on a stream has at least one byte"
        );
        assert!(
            self.ports.keep.is_some() || frame.data.len().is_multiple_of(self.ports.bytes),
            "without tkeep a frame is whole beats of {} bytes, not {} bytes",
            self.ports.bytes,
            frame.data.len()
        );
        self.queue.push_back(frame);
    }

    /// Frames that are not wholly transferred yet.
    pub fn pending(&self) -> usize {
        self.queue.len()
    }

    /// Frames transferred, in order, since the last [`take_sent`](Self::take_sent).
    pub fn sent(&self) -> &[Transferred] {
        &self.sent
    }

    /// Takes the frames transferred so far.
    pub fn take_sent(&mut self) -> Vec<Transferred> {
        std::mem::take(&mut self.sent)
    }

    /// Beats transferred.
    pub fn beats(&self) -> u64 {
        self.beats
    }

    fn beat_length(&self) -> usize {
        (self.queue[0].data.len() - self.offset).min(self.ports.bytes)
    }

    fn is_last(&self) -> bool {
        // Without tlast every beat is a frame of its own for the model, but not for us.
        self.offset + self.beat_length() == self.queue[0].data.len()
    }

    fn present(&mut self, model: &mut VerilatedModel) {
        let (length, last) = (self.beat_length(), self.is_last());
        let frame = &self.queue[0];
        model.set_bytes(
            self.ports.data,
            &frame.data[self.offset..self.offset + length],
        );
        if let Some(keep) = self.ports.keep {
            model.set_u64(keep, ones(length));
        }
        if let Some(port) = self.ports.last {
            model.set_u64(port, last.into());
        }
        if let Some(user) = self.ports.user {
            model.set_u64(user, frame.user);
        }
        model.set_u64(self.ports.valid, 1);
        self.presenting = true;
    }

    /// Nothing valid: the other signals hold nonsense, which nobody may use.
    fn idle(&self, model: &mut VerilatedModel) {
        model.set_u64(self.ports.valid, 0);
        model.set_bytes(self.ports.data, &[0xa5; MAX_BYTES][..self.ports.bytes]);
        if let Some(last) = self.ports.last {
            model.set_u64(last, 1);
        }
    }
}

impl Agent for AxisSource {
    fn drive(&mut self, model: &mut VerilatedModel) {
        if self.presenting {
            return;
        }
        // Drawn in each free cycle, so that stalls do not depend on the queue.
        let wait = self.stalls.wait();
        if wait || self.queue.is_empty() {
            self.idle(model)
        } else {
            self.present(model)
        }
    }

    fn sample(&mut self, model: &VerilatedModel) {
        if !self.presenting || !model.is_set(self.ports.ready) {
            return;
        }
        self.presenting = false;
        self.beats += 1;
        self.cycles.push(model.cycle());
        if !self.is_last() {
            self.offset += self.ports.bytes;
            return;
        }
        self.offset = 0;
        let frame = self
            .queue
            .pop_front()
            .expect("the frame under way is in the queue");
        let cycles = std::mem::take(&mut self.cycles);
        self.sent
            .push(Transferred::new(frame, cycles, self.ports.bytes));
    }
}

/// A beat as it stands on the bus.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Beat {
    data: [u8; MAX_BYTES],
    keep: u64,
    last: bool,
    user: u64,
}

/// Collects frames and checks the stream's rules; drives nothing.
#[derive(Debug)]
pub struct AxisMonitor {
    ports: Ports,
    /// The beat that was offered and not taken in the cycle before.
    stalled: Option<Beat>,
    partial: Vec<u8>,
    cycles: Vec<u64>,
    frames: VecDeque<Transferred>,
    violations: Vec<Violation>,
    beats: u64,
}

impl AxisMonitor {
    /// Watches the model's outputs `<prefix>_tdata` and so on.
    pub fn of_output(model: &VerilatedModel, prefix: &str) -> Result<Self, ModelError> {
        Ok(Self::new(Ports::find(model, prefix, Direction::Output)?))
    }

    /// Watches the model's inputs `<prefix>_tdata` and so on.
    pub fn of_input(model: &VerilatedModel, prefix: &str) -> Result<Self, ModelError> {
        Ok(Self::new(Ports::find(model, prefix, Direction::Input)?))
    }

    fn new(ports: Ports) -> Self {
        AxisMonitor {
            ports,
            stalled: None,
            partial: Vec::new(),
            cycles: Vec::new(),
            frames: VecDeque::new(),
            violations: Vec::new(),
            beats: 0,
        }
    }

    fn beat(&self, model: &VerilatedModel) -> Beat {
        let mut data = [0; MAX_BYTES];
        model.get_bytes(self.ports.data, &mut data[..self.ports.bytes]);
        Beat {
            data,
            keep: self
                .ports
                .keep
                .map_or(ones(self.ports.bytes), |port| model.get_u64(port)),
            last: self.ports.last.is_none_or(|port| model.is_set(port)),
            user: self.ports.user.map_or(0, |port| model.get_u64(port)),
        }
    }

    fn check_stability(&mut self, cycle: u64, offered: Option<&Beat>) {
        let Some(before) = self.stalled.take() else {
            return;
        };
        let detail = match offered {
            None => "tvalid fell before tready rose".to_string(),
            Some(now) if *now != before => {
                let shown = |beat: &Beat| {
                    let bytes = &beat.data[..self.ports.bytes.min(16)];
                    format!(
                        "{bytes:02x?} keep {:#x} last {} user {:#x}",
                        beat.keep, beat.last, beat.user
                    )
                };
                format!("stalled with {}, then {}", shown(&before), shown(now))
            }
            Some(_) => return,
        };
        record(&mut self.violations, cycle, "stable while stalled", detail);
    }

    fn check_keep(&mut self, cycle: u64, beat: &Beat) {
        let full = ones(self.ports.bytes);
        let keep = beat.keep;
        if keep == 0 {
            record(
                &mut self.violations,
                cycle,
                "tkeep not empty",
                "a beat has no byte".into(),
            );
        } else if keep & keep.wrapping_add(1) != 0 {
            let detail = format!("tkeep must be ones from bit 0 up, but is {keep:#x}");
            record(&mut self.violations, cycle, "tkeep contiguous", detail);
        } else if !beat.last && keep != full {
            let detail = format!("tkeep before the last beat must be {full:#x}, but is {keep:#x}");
            record(
                &mut self.violations,
                cycle,
                "tkeep full before the last beat",
                detail,
            );
        }
    }

    fn take(&mut self, cycle: u64, beat: &Beat) {
        self.beats += 1;
        self.cycles.push(cycle);
        let lanes = beat.data[..self.ports.bytes].iter().enumerate();
        let kept = lanes.filter(|(lane, _)| beat.keep >> lane & 1 != 0);
        self.partial.extend(kept.map(|(_, byte)| *byte));
        if beat.last {
            let frame = Frame {
                data: std::mem::take(&mut self.partial),
                user: beat.user,
            };
            let cycles = std::mem::take(&mut self.cycles);
            self.frames
                .push_back(Transferred::new(frame, cycles, self.ports.bytes));
        }
    }
}

impl Agent for AxisMonitor {
    fn drive(&mut self, _model: &mut VerilatedModel) {}

    fn sample(&mut self, model: &VerilatedModel) {
        let cycle = model.cycle();
        let offered = model.is_set(self.ports.valid).then(|| self.beat(model));
        self.check_stability(cycle, offered.as_ref());
        let Some(beat) = offered else { return };
        if model.is_set(self.ports.ready) {
            self.check_keep(cycle, &beat);
            self.take(cycle, &beat);
        } else {
            self.stalled = Some(beat);
        }
    }
}

/// Takes frames from a model, with back-pressure, and checks the stream's rules.
#[derive(Debug)]
pub struct AxisSink {
    monitor: AxisMonitor,
    stalls: Stalls,
    held: bool,
}

impl AxisSink {
    /// A sink for the model's outputs `<prefix>_tdata` and so on.
    pub fn new(model: &VerilatedModel, prefix: &str, stalls: Stalls) -> Result<Self, ModelError> {
        Ok(AxisSink {
            monitor: AxisMonitor::of_output(model, prefix)?,
            stalls,
            held: false,
        })
    }

    /// Takes nothing from the next cycle on, or goes on.
    pub fn hold(&mut self, held: bool) {
        self.held = held;
    }
}

impl Agent for AxisSink {
    fn drive(&mut self, model: &mut VerilatedModel) {
        let wait = self.stalls.wait() || self.held;
        model.set_u64(self.monitor.ports.ready, (!wait).into());
    }

    fn sample(&mut self, model: &VerilatedModel) {
        self.monitor.sample(model);
    }
}

impl std::ops::Deref for AxisSink {
    type Target = AxisMonitor;

    fn deref(&self) -> &AxisMonitor {
        &self.monitor
    }
}

impl std::ops::DerefMut for AxisSink {
    fn deref_mut(&mut self) -> &mut AxisMonitor {
        &mut self.monitor
    }
}

impl AxisMonitor {
    /// Whole frames that nobody took yet, the oldest first.
    pub fn frames(&self) -> &VecDeque<Transferred> {
        &self.frames
    }

    /// Takes the oldest whole frame.
    pub fn pop(&mut self) -> Option<Transferred> {
        self.frames.pop_front()
    }

    /// Broken rules, at most the first hundred.
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }

    /// Beats transferred.
    pub fn beats(&self) -> u64 {
        self.beats
    }

    /// Whether a frame has begun and not ended.
    pub fn in_frame(&self) -> bool {
        !self.partial.is_empty()
    }
}
