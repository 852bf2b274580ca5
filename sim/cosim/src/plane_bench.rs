//! How many beats a plane moves in a cycle: descriptors become frames, and the same frames are received.
use metaroce_protocol::Opcode;
use metaroce_rtl::planes::{Width, emit_receiver, emit_sender};
use serde::Serialize;

use crate::Error;
use crate::axi_mem::{Access, AxiMemory, Memory, Timing};
use crate::axis::{AxisSink, AxisSource, Transferred};
use crate::bus::{Agent, Stalls, step};
use crate::lab::LabError;
use crate::model::{Options, PortId, Sources, VerilatedModel};
use crate::words::Packer;

const BASE: u64 = 0x1_0000_0000;
/// Host memory of the bench, bytes.
const BYTES: usize = 1 << 20;
/// Bytes between payloads: each begins at another lane.
const STRIDE: u64 = 4096 + 13;
/// Frames that do not count: the pipeline fills.
const WARM_UP: usize = 20;

/// What is asked of a plane.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PlaneLoad {
    /// Bits of a beat.
    pub width: usize,
    /// Payload of each frame, bytes; 0: PROBEs.
    pub payload: usize,
    /// Frames that count.
    pub frames: usize,
    /// Cycles from an address to its first beat of data, less one.
    pub latency: u64,
}

/// Beats and cycles on one stream, from the first beat that counts to the last.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StreamRate {
    /// Beats.
    pub beats: u64,
    /// Cycles.
    pub cycles: u64,
    /// Cycles without a beat within frames.
    pub gaps_within: u64,
    /// Cycles without a beat between frames.
    pub gaps_between: u64,
    /// Beats over cycles.
    pub beats_per_cycle: f64,
}

/// What a plane did.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct PlaneRates {
    /// The load.
    pub load: PlaneLoad,
    /// Bytes of a frame.
    pub frame_bytes: usize,
    /// Frames sent.
    pub send: StreamRate,
    /// Frames received.
    pub receive: StreamRate,
}

impl StreamRate {
    fn of(frames: &[Transferred]) -> Self {
        let beats = frames.iter().map(|frame| frame.cycles.len() as u64).sum();
        let between = |pair: &[Transferred]| pair[1].first_cycle - pair[0].last_cycle - 1;
        let cycles = frames[frames.len() - 1].last_cycle - frames[0].first_cycle + 1;
        let gaps_between = frames.windows(2).map(between).sum();
        Self {
            beats,
            cycles,
            gaps_within: cycles - beats - gaps_between,
            gaps_between,
            beats_per_cycle: beats as f64 / cycles as f64,
        }
    }
}

/// The two halves of a plane, verilated.
pub struct PlaneBench {
    width: Width,
    sender: VerilatedModel,
    receiver: VerilatedModel,
}

impl PlaneBench {
    /// Emits and verilates them.
    pub fn new(width: Width) -> Result<Self, LabError> {
        let model = |design: metaroce_emit::Design| -> Result<VerilatedModel, LabError> {
            let folder = tempfile::tempdir()?;
            design.write_to(folder.path())?;
            let sources = Sources::from_folder(&design.top, folder.path());
            let sources = sources.map_err(Error::from)?;
            Ok(VerilatedModel::build(&sources, &Options::small())?)
        };
        Ok(Self {
            width,
            sender: model(emit_sender(width)?)?,
            receiver: model(emit_receiver(width)?)?,
        })
    }

    /// Sends frames as fast as they go, and receives them as fast.
    pub fn run(
        &mut self,
        payload: usize,
        frames: usize,
        latency: u64,
    ) -> Result<PlaneRates, Error> {
        let all = frames + WARM_UP;
        let sent = send(&mut self.sender, payload, all, latency)?;
        let received = receive(&mut self.receiver, &sent, payload, latency)?;
        Ok(PlaneRates {
            load: PlaneLoad {
                width: self.width.bits(),
                payload,
                frames,
                latency,
            },
            frame_bytes: sent[0].frame.data.len(),
            send: StreamRate::of(&sent[WARM_UP..]),
            receive: StreamRate::of(&received[WARM_UP..]),
        })
    }
}

/// A word that is offered so many times.
struct Offer {
    data: PortId,
    valid: PortId,
    ready: PortId,
    words: std::collections::VecDeque<Vec<u8>>,
}

impl Offer {
    fn new(model: &VerilatedModel, name: &str) -> Result<Self, Error> {
        Ok(Self {
            data: model.port(name)?,
            valid: model.port(&format!("{name}_valid"))?,
            ready: model.port(&format!("{name}_ready"))?,
            words: Default::default(),
        })
    }
}

impl Agent for Offer {
    fn drive(&mut self, model: &mut VerilatedModel) {
        if let Some(word) = self.words.front() {
            model.set_bytes(self.data, word);
        }
        model.set_u64(self.valid, (!self.words.is_empty()).into());
    }

    fn sample(&mut self, model: &VerilatedModel) {
        if model.is_set(self.ready) {
            self.words.pop_front();
        }
    }
}

fn reset(model: &mut VerilatedModel) -> Result<(), Error> {
    let reset = model.port("reset")?;
    model.set_u64(reset, 1);
    for _ in 0..2 {
        model.tick()?;
    }
    model.set_u64(reset, 0);
    Ok(())
}

fn memory(model: &VerilatedModel, latency: u64) -> Result<AxiMemory, Error> {
    let mut memory = Memory::new();
    memory.add("host", BASE, BYTES, Access::ReadWrite);
    let timing = Timing {
        latency: latency..=latency,
        ..Timing::ideal()
    };
    Ok(AxiMemory::new(model, "m_axi", memory, timing)?)
}

/// Where the payload of a frame lies.
fn address(number: usize) -> u64 {
    BASE + number as u64 * STRIDE % (BYTES as u64 - STRIDE)
}

/// A frame's descriptor: what the rate may depend on, else zeros.
fn descriptor(number: usize, payload: usize) -> Vec<u8> {
    let opcode = if payload > 0 {
        Opcode::Write
    } else {
        Opcode::Probe
    };
    // Names, numbers and addresses of the headers: 313 bits.
    Packer::default()
        .field(opcode.code().into(), 8)
        .field(0, 1)
        .wide(&[0; 39])
        .field(payload as u64, 16)
        .field(address(number), 64)
        .wide(&[0; 40])
        .bytes()
        .to_vec()
}

fn send(
    model: &mut VerilatedModel,
    payload: usize,
    frames: usize,
    latency: u64,
) -> Result<Vec<Transferred>, Error> {
    reset(model)?;
    let mut memory = memory(model, latency)?;
    let mut data = Offer::new(model, "data")?;
    data.words = (0..frames)
        .map(|number| descriptor(number, payload))
        .collect();
    let mut sink = AxisSink::new(model, "m_axis", Stalls::never())?;
    while sink.frames().len() < frames {
        step(model, &mut [&mut data, &mut memory, &mut sink])?;
    }
    Ok(std::iter::from_fn(|| sink.pop()).collect())
}

fn receive(
    model: &mut VerilatedModel,
    frames: &[Transferred],
    payload: usize,
    latency: u64,
) -> Result<Vec<Transferred>, Error> {
    reset(model)?;
    let mut memory = memory(model, latency)?;
    let mut placements = Offer::new(model, "placement")?;
    let mut source = AxisSource::new(model, "s_axis", Stalls::never())?;
    frames
        .iter()
        .for_each(|frame| source.push(frame.frame.clone()));
    let (valid, ready) = (model.port("receive_valid")?, model.port("receive_ready")?);
    let mut events = 0;
    while source.pending() > 0 || events < frames.len() {
        model.set_u64(ready, 1);
        step(model, &mut [&mut source, &mut placements, &mut memory])?;
        model.eval()?;
        if model.is_set(valid) {
            if payload > 0 {
                let placement = Packer::default()
                    .field(1, 1)
                    .field(address(events), 64)
                    .field(payload as u64, 16);
                placements.words.push_back(placement.bytes().to_vec());
            }
            events += 1;
        }
    }
    Ok(source.take_sent())
}
