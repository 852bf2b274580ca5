//! A host of the fabric behind which a machine runs, clocked at the rate of its links.
//!
//! The machine's streams end in store-and-forward MACs: a frame goes onto its link when it is whole in its MAC, and an
//! arriving one into the NIC when its last bit is there. A MAC holds two whole frames; then it takes no more.
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fmt;
use std::ops::Range;
use std::rc::Rc;

use metaroce_cosim::station::Failure;
use metaroce_fabric::foreign::{Target, host_of};
use metaroce_fabric::host::{Counts, Host, Outcome, PathView, Room};
use metaroce_fabric::packet::{Frame, HostId, Packet, Purpose};
use metaroce_fabric::units::Time;
use metaroce_fabric::workload::FlowId;
use metaroce_model::wire::{Body, Incoming};
use metaroce_protocol::{CompletionStatus, Counter, frame};
use metaroce_verbs::{Connection, Device, MemoryRegion, Remote, VerbsError};

use crate::bytes;
use crate::driver::Shared;

/// Whole frames that a MAC holds (ours).
const MAC_FRAMES: usize = 2;
/// Work requests in the send queue (ours): less than it has entries.
const POSTED: usize = 32;

/// A frame that left the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When its last beat did.
    pub at: Time,
    /// The machine's cycle, from its reset.
    pub cycle: u64,
    /// Over which plane.
    pub plane: usize,
    /// All of it.
    pub bytes: Vec<u8>,
}

/// Why a host can't go on.
#[derive(Clone, Debug)]
pub struct Stop {
    /// In a line.
    pub text: String,
    /// The difference or the broken rule, if it is one of the machine.
    pub frames: Option<Box<[Vec<u8>; 2]>>,
    /// Cycle from reset, and plane.
    pub cycle: u64,
    /// On which it shows.
    pub plane: usize,
}

impl Stop {
    fn of(failure: &Failure, cycle: u64) -> Self {
        let frames = match failure {
            Failure::Mismatch(mismatch) => mismatch.frames.clone(),
            _ => None,
        };
        Self {
            text: failure.to_string(),
            frames,
            cycle: failure.cycle().unwrap_or(cycle),
            plane: failure.plane().unwrap_or(0),
        }
    }

    fn saying(text: String, cycle: u64) -> Self {
        Self {
            text,
            frames: None,
            cycle,
            plane: 0,
        }
    }
}

/// What a host is made of.
pub struct Parts {
    /// Its number.
    pub id: HostId,
    /// What runs behind the driver.
    pub machine: Shared,
    /// The driver's device.
    pub device: Device,
    /// By peer, in order of their numbers.
    pub peers: Vec<(HostId, Connection)>,
    /// What its flows carry.
    pub outgoing: MemoryRegion,
    /// What flows to it carry.
    pub incoming: MemoryRegion,
    /// Where each of its flows goes, and where in `outgoing` it lies.
    pub sources: BTreeMap<FlowId, (HostId, Range<usize>)>,
    /// By offset in `incoming`: the flow that ends there, its sender and its bytes.
    pub sinks: BTreeMap<u64, (FlowId, HostId, u64)>,
    /// Picoseconds of a cycle.
    pub cycle: Time,
    /// Planes of the fabric.
    pub planes: u32,
}

/// A host at work.
pub struct State {
    parts: Parts,
    targets: BTreeMap<FlowId, Target>,
    macs: Vec<VecDeque<Packet>>,
    backlog: VecDeque<FlowId>,
    posted: usize,
    /// By QP and path: the PSN that has not been sent yet.
    next_psn: HashMap<(u32, u8), u32>,
    /// By flow to this host: bytes that have not been accepted.
    missing: BTreeMap<FlowId, u64>,
    outcomes: Vec<Outcome>,
    /// Every frame that left the machine.
    pub sent: Vec<Sent>,
    /// Why it can't go on.
    pub stop: Option<Stop>,
}

impl State {
    /// Before anything happened.
    pub fn new(parts: Parts, targets: BTreeMap<FlowId, Target>) -> Self {
        let sinks = parts.sinks.values();
        let missing = sinks.map(|&(flow, _, bytes)| (flow, bytes)).collect();
        Self {
            macs: vec![VecDeque::new(); parts.planes as usize],
            parts,
            targets,
            backlog: VecDeque::new(),
            posted: 0,
            next_psn: HashMap::new(),
            missing,
            outcomes: Vec::new(),
            sent: Vec::new(),
            stop: None,
        }
    }

    /// What runs behind the driver.
    pub fn machine(&self) -> &Shared {
        &self.parts.machine
    }

    /// The first flow to this host whose bytes are not in memory as they were sent.
    pub fn wrong_memory(&self) -> Result<Option<FlowId>, VerbsError> {
        let base = self.parts.incoming.address();
        for (&offset, &(flow, from, bytes)) in &self.parts.sinks {
            let range = offset as usize..(offset + bytes) as usize;
            let found = self.parts.incoming.read(range)?;
            if found != bytes::payload(from, self.parts.id, base + offset, bytes as usize) {
                return Ok(Some(flow));
            }
        }
        Ok(None)
    }

    fn halt(&mut self, stop: Stop) {
        if self.stop.is_none() {
            self.outcomes.push(Outcome::Stopped(stop.text.clone()));
            self.stop = Some(stop);
        }
    }

    fn halt_saying(&mut self, error: impl fmt::Display) {
        let cycle = self.parts.machine.borrow().total_cycles();
        self.halt(Stop::saying(
            format!("host {}: {error}", self.parts.id),
            cycle,
        ));
    }

    fn post(&mut self) -> Result<(), VerbsError> {
        while self.posted < POSTED
            && let Some(flow) = self.backlog.pop_front()
        {
            let target = self.targets.get(&flow).copied().unwrap_or_default();
            let remote = Remote {
                address: target.address,
                r_key: target.r_key,
            };
            let (to, local) = self.parts.sources[&flow].clone();
            let place = self.parts.peers.iter().position(|&(peer, _)| peer == to);
            let (_, connection) = &mut self.parts.peers[place.expect("flows have connections")];
            connection.post_write(flow.into(), 0, (&self.parts.outgoing, local), remote)?;
            self.posted += 1;
        }
        Ok(())
    }

    fn step(&mut self, now: Time) {
        let full = |mac: &VecDeque<Packet>| u32::from(mac.len() >= MAC_FRAMES);
        let held = (0..).zip(&self.macs).map(|(k, mac)| full(mac) << k).sum();
        let stepped = {
            let mut machine = self.parts.machine.borrow_mut();
            machine.hold(held);
            let cycle = machine.total_cycles();
            machine.cycle().map_err(|failure| Stop::of(&failure, cycle))
        };
        let cycle = match stepped {
            Ok(cycle) => cycle,
            Err(stop) => return self.halt(stop),
        };
        for (plane, bytes) in cycle.frames {
            self.on_frame(plane, bytes, now);
        }
        if let Some((address, length)) = cycle.accepted {
            self.on_accepted(address, length.into());
        }
        if cycle.completions > 0
            && let Err(error) = self.complete()
        {
            self.halt_saying(error);
        }
        let answers = self.parts.machine.borrow_mut().take_answers();
        if let Some(answer) = answers.iter().find(|a| a.response != 0) {
            self.halt_saying(format!("register access refused: {answer:x?}"));
        }
    }

    fn on_frame(&mut self, plane: usize, bytes: Vec<u8>, now: Time) {
        match self.packet(plane, &bytes) {
            Some(packet) => self.macs[plane].push_back(packet),
            None => self.halt_saying("a frame that no parser accepts, or of a plane that is none"),
        }
        let cycle = self.parts.machine.borrow().total_cycles();
        self.sent.push(Sent {
            at: now,
            cycle,
            plane,
            bytes,
        });
    }

    fn packet(&mut self, plane: usize, bytes: &[u8]) -> Option<Packet> {
        let parsed = frame::parse(bytes).ok()?;
        let frame::Ip::V4(ip) = parsed.ip else {
            return None;
        };
        let headers = Incoming::from(&parsed);
        self.macs.get(plane)?;
        Some(Packet {
            frame: Frame::Metaroce(headers),
            from: self.parts.id,
            to: host_of(ip.destination),
            plane: plane as u8,
            entropy: parsed.udp.source_port,
            bytes: bytes.len() as u32,
            marked: false,
            purpose: self.purpose(&headers),
            ingress: 0,
        })
    }

    fn purpose(&mut self, headers: &Incoming) -> Purpose {
        match headers.body {
            Body::Probe => Purpose::Probe,
            Body::Write(_) => {
                let next = self.next_psn.entry((headers.dest_qp, headers.path));
                let next = next.or_default();
                if headers.psn.get() != *next {
                    return Purpose::Again;
                }
                *next = headers.psn.plus(1).get();
                Purpose::First
            }
            _ => Purpose::Answer,
        }
    }

    fn on_accepted(&mut self, address: u64, length: u64) {
        let offset = address.wrapping_sub(self.parts.incoming.address());
        let Some((_, &(flow, ..))) = self.parts.sinks.range(..=offset).next_back() else {
            return;
        };
        let missing = self.missing.get_mut(&flow).expect("every sink is counted");
        *missing = missing.saturating_sub(length);
        if *missing == 0 {
            self.outcomes.push(Outcome::Arrived(flow));
        }
    }

    fn complete(&mut self) -> Result<(), VerbsError> {
        while let Some(completion) = self.parts.device.completion_queue().poll()? {
            let flow = completion.wr_id as FlowId;
            self.posted -= 1;
            self.outcomes.push(match completion.status {
                CompletionStatus::Success => Outcome::Completed(flow),
                other => Outcome::Failed(flow, other.name().into()),
            });
        }
        self.post()
    }
}

/// A host, shared by the simulation and by who looks at it afterwards.
#[derive(Clone)]
pub struct ClockedHost(pub Rc<RefCell<State>>);

impl fmt::Debug for ClockedHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClockedHost({})", self.0.borrow().parts.id)
    }
}

impl Host for ClockedHost {
    fn start(&mut self, flow: FlowId, _to: HostId, _bytes: u64, _now: Time) {
        let mut state = self.0.borrow_mut();
        state.backlog.push_back(flow);
        if let Err(error) = state.post() {
            state.halt_saying(error);
        }
    }

    fn receive(&mut self, packet: &Packet, _now: Time) {
        let Frame::Metaroce(headers) = &packet.frame else {
            return;
        };
        let frame = bytes::frame(packet, headers);
        let state = self.0.borrow();
        let mut machine = state.parts.machine.borrow_mut();
        machine.deliver(packet.plane.into(), frame);
    }

    fn poll(&mut self, room: Room, _now: Time) -> Option<Packet> {
        let mut state = self.0.borrow_mut();
        let free = |plane: usize, packet: &Packet| {
            let planes = match packet.is_data() {
                true => room.data,
                false => room.control,
            };
            planes >> plane & 1 == 1
        };
        let mut macs = state.macs.iter_mut().enumerate();
        macs.find_map(|(plane, mac)| mac.pop_front_if(|packet| free(plane, packet)))
    }

    fn next_wake(&mut self, now: Time) -> Option<Time> {
        let state = self.0.borrow();
        let cycle = state.parts.cycle;
        state.stop.is_none().then_some((now / cycle + 1) * cycle)
    }

    fn wake(&mut self, now: Time) {
        self.0.borrow_mut().step(now);
    }

    fn outcomes(&mut self) -> Vec<Outcome> {
        std::mem::take(&mut self.0.borrow_mut().outcomes)
    }

    fn counts(&self) -> Counts {
        let state = self.0.borrow();
        let machine = state.parts.machine.borrow();
        let counters = machine.lockstep().nic().counters();
        let count = |counter| u64::from(counters.get(counter));
        let timeouts = count(Counter::TxTimeoutProbes);
        Counts {
            retransmissions: count(Counter::TxRetransmissions),
            spurious: count(Counter::RxDuplicate),
            probes: count(Counter::TxTailProbes) + timeouts,
            timeouts,
            answers: count(Counter::TxAcks),
            ..Counts::default()
        }
    }

    fn paths(&self, to: HostId) -> Vec<PathView> {
        let state = self.0.borrow();
        let machine = state.parts.machine.borrow();
        let nic = machine.lockstep().nic();
        let paths = nic.size().paths;
        let peers = state.parts.peers.iter();
        let connection = peers
            .filter(|(peer, _)| *peer == to)
            .map(|(_, c)| c.index());
        let view = |connection: u32, path: u32| {
            let global = connection * paths + path;
            let send = nic.send_path(global)?;
            Some(PathView {
                path,
                plane: path % state.parts.planes,
                entropy: nic.entropy(global)?,
                unresolved: send.unresolved(),
                window: nic.path_window(global)?,
                timeouts: send.timeouts_in_row(),
            })
        };
        connection
            .flat_map(|c| (0..paths).filter_map(move |path| view(c, path)))
            .collect()
    }

    fn memory(&self) -> usize {
        let state = self.0.borrow();
        let machine = state.parts.machine.borrow();
        machine.lockstep().nic().memory()
    }
}
