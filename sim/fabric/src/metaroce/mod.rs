//! A host that runs the golden model.
mod setup;
mod start;

use std::collections::{BTreeMap, VecDeque};

use metaroce_model::counters::Extra;
use metaroce_model::nic::{Completion, Decision, Health, Inputs, Nic};
use metaroce_model::wire::{Body, Incoming, Outgoing, Verb};
use metaroce_protocol::constants::MIN_FRAME_BYTES;
use metaroce_protocol::{CompletionStatus, Counter, Opcode, Wqe, WqeOpcode};

use crate::foreign::{Target, host_of};
use crate::host::{Counts, Host, Outcome, PathView, Room};
use crate::packet::{Frame, HostId, Packet, Purpose};
use crate::units::Time;
use crate::workload::FlowId;

pub use setup::{build, opcode};

/// Picoseconds of a tick of the model's clock: 1 ns.
pub const TICK: Time = 1_000;

fn ticks(now: Time) -> u32 {
    (now / TICK) as u32
}

/// A connection as its host sees it.
#[derive(Debug, Default)]
struct Peer {
    /// Flows that come from there, in the order of their messages.
    expected: VecDeque<FlowId>,
    /// Number of the next message to send.
    next_message: u16,
}

/// A host.
#[derive(Debug)]
pub struct NicHost {
    id: HostId,
    nic: Nic,
    paths: u32,
    planes: u32,
    opcode: WqeOpcode,
    /// By connection.
    peers: Vec<Peer>,
    /// By peer host: the connection to it.
    connection_to: Vec<(HostId, u32)>,
    posted: VecDeque<Wqe>,
    /// Of flows whose receivers have real memory; all others go to address 0.
    targets: BTreeMap<FlowId, Target>,
    /// By plane: paths that may owe an ACK.
    asked: Vec<VecDeque<u32>>,
    answers: VecDeque<Outgoing>,
    /// Global numbers of the paths that this host has sent on.
    own_paths: Vec<u32>,
    /// How often timers are looked at.
    walk_every: Time,
    /// Place in `own_paths` where the walk over timers and tails goes on, and how many paths it has left.
    walk: usize,
    walk_left: usize,
    /// Something happened that a quiet tail may want a probe for.
    changed: bool,
    /// Data packets that came twice though no copy was meant.
    spurious: u64,
    outcomes: Vec<Outcome>,
}

impl NicHost {
    fn inputs(&self, room: u32) -> Inputs {
        Inputs {
            walk: None,
            room,
            retransmit: room,
            current: self.nic.has_current(),
            idle: self.posted.is_empty() || !self.nic.has_message_room(),
        }
    }

    fn load(&mut self) {
        while !self.nic.has_current() && self.nic.has_message_room() {
            let Some(wqe) = self.posted.pop_front() else {
                break;
            };
            self.nic.load_message(wqe);
        }
    }

    fn answer(&mut self, room: u32) -> Option<Outgoing> {
        while let Some(path) = self.nic.next_asked() {
            let plane = self.plane_of(path);
            self.asked[plane].push_back(path);
        }
        for plane in 0..self.planes as usize {
            if room >> plane & 1 == 0 {
                continue;
            }
            while let Some(path) = self.asked[plane].pop_front() {
                if let Some(ack) = self.nic.build_ack(path) {
                    return Some(ack);
                }
            }
        }
        let place = self.answers.iter().position(|a| room >> a.plane & 1 == 1)?;
        self.answers.remove(place)
    }

    fn plane_of(&self, path: u32) -> usize {
        (path % self.paths % self.planes) as usize
    }

    fn send(&mut self, room: u32, now: u32) -> Option<(Outgoing, Purpose)> {
        loop {
            self.load();
            let inputs = self.inputs(room);
            let copies = self.nic.extra().get(Extra::TxCopies);
            let decision = self.nic.transmit(&inputs, now);
            match self.outgoing(decision, copies) {
                Some(sent) => {
                    self.changed = true;
                    return Some(sent);
                }
                None if matches!(decision, Decision::Nothing) => break,
                None => {}
            }
        }
        let inputs = self.inputs(room);
        if self.changed && inputs.idle && !inputs.current {
            self.changed = false;
            self.walk_left = self.own_paths.len();
        }
        self.walk_on(&inputs, now)
    }

    /// Timers and quiet tails, path by path, until one sends something.
    fn walk_on(&mut self, inputs: &Inputs, now: u32) -> Option<(Outgoing, Purpose)> {
        let quiet = inputs.idle && !inputs.current;
        while self.walk_left > 0 {
            self.walk_left -= 1;
            self.walk = (self.walk + 1) % self.own_paths.len();
            let path = self.own_paths[self.walk];
            if let Some(sync) = self.nic.build_sync(path, now) {
                return Some((sync, Purpose::Answer));
            }
            if !self.needs_timer(path) {
                continue;
            }
            // Everything else has had its turn: only probes and copies are left.
            let inputs = Inputs {
                walk: Some(path),
                retransmit: 0,
                current: false,
                idle: quiet,
                ..*inputs
            };
            let copies = self.nic.extra().get(Extra::TxCopies);
            let decision = self.nic.transmit(&inputs, now);
            if let Some(sent) = self.outgoing(decision, copies) {
                // Paths take turns with copies, so that the newest packets of all of them go first.
                if sent.1 == Purpose::Copy {
                    self.walk_left = self.own_paths.len();
                }
                return Some(sent);
            }
        }
        None
    }

    fn needs_timer(&self, path: u32) -> bool {
        let health = self.nic.health(self.plane_of(path) as u32);
        let unresolved = self.nic.send_path(path).map_or(0, |p| p.unresolved());
        unresolved > 0 || matches!(health, Health::Suspect { .. })
    }

    fn outgoing(&self, decision: Decision, copies: u32) -> Option<(Outgoing, Purpose)> {
        match decision {
            Decision::TailProbe(frame) | Decision::TimeOutProbe(frame) => {
                Some((frame, Purpose::Probe))
            }
            Decision::Retransmit(frame) if self.nic.extra().get(Extra::TxCopies) != copies => {
                Some((frame, Purpose::Copy))
            }
            Decision::Retransmit(frame) => Some((frame, Purpose::Again)),
            Decision::New(frame) => Some((frame, Purpose::First)),
            Decision::Nothing | Decision::Discard(_) | Decision::GiveUp(_) => None,
        }
    }

    fn packet(&self, outgoing: &Outgoing, purpose: Purpose) -> Packet {
        Packet {
            frame: Frame::Metaroce(outgoing.frame),
            from: self.id,
            to: host_of(outgoing.connection.dst_ip),
            plane: outgoing.plane as u8,
            entropy: outgoing.entropy,
            bytes: frame_bytes(&outgoing.frame),
            marked: false,
            purpose,
            ingress: 0,
        }
    }

    fn receive_data(&mut self, frame: &Incoming, purpose: Purpose) {
        let twice = self.nic.counters().get(Counter::RxDuplicate);
        let room = self.nic.has_refusal_room();
        let _ = self.nic.receive(frame, room);
        let twice = self.nic.counters().get(Counter::RxDuplicate) != twice;
        self.spurious += u64::from(twice && purpose != Purpose::Copy);
        while let Some(whole) = self.nic.retire_receive() {
            let peer = &mut self.peers[whole.connection as usize];
            self.outcomes
                .extend(peer.expected.pop_front().map(Outcome::Arrived));
        }
        if let Some(path) = self.nic.path_of(frame) {
            let plane = self.plane_of(path);
            self.asked[plane].push_back(path);
        }
        while let Some(refusal) = self.nic.build_refusal() {
            self.answers.push_back(refusal);
        }
    }

    fn receive_answer(&mut self, frame: &Incoming, now: u32) {
        match frame.body {
            Body::Sync(_) => self.answers.extend(self.nic.on_sync(frame)),
            Body::SyncAck(_) => self.nic.on_sync_ack(frame, now),
            _ => self.nic.acknowledge(frame, now),
        }
        if let Some(path) = self.nic.path_of(frame) {
            while self.nic.resolve(path).is_some() {}
            self.nic.reopen(path, now);
        }
        self.complete();
    }

    fn complete(&mut self) {
        while let Some(Completion { wqe, status, .. }) = self.nic.retire() {
            let flow = wqe.wr_id as FlowId;
            self.outcomes.push(match status {
                CompletionStatus::Success => Outcome::Completed(flow),
                other => Outcome::Failed(flow, other.name().into()),
            });
        }
    }

    fn connection_to(&self, to: HostId) -> Option<u32> {
        let place = self.connection_to.binary_search_by_key(&to, |&(h, _)| h);
        place.ok().map(|place| self.connection_to[place].1)
    }

    /// The receiver's side of a flow, before anything is sent.
    pub fn expect(&mut self, flow: FlowId, from: HostId) {
        let connection = self.connection_to(from).expect("flows have connections");
        self.peers[connection as usize].expected.push_back(flow);
    }
}

impl Host for NicHost {
    fn start(&mut self, flow: FlowId, to: HostId, bytes: u64, _: Time) {
        let connection = self.connection_to(to).expect("flows have connections");
        let peer = &mut self.peers[connection as usize];
        let target = self.targets.get(&flow).copied().unwrap_or_default();
        let wqe = Wqe {
            opcode: self.opcode,
            connection: connection as u16,
            message: peer.next_message,
            length: bytes as u32,
            remote_address: target.address,
            r_key: target.r_key,
            wr_id: flow.into(),
            ..Wqe::default()
        };
        peer.next_message = peer.next_message.wrapping_add(1);
        self.posted.push_back(wqe);
        let first = connection * self.paths;
        if !self.own_paths.contains(&first) {
            self.own_paths.extend(first..first + self.paths);
        }
    }

    fn receive(&mut self, packet: &Packet, now: Time) {
        let Frame::Metaroce(frame) = packet.frame else {
            return;
        };
        let frame = Incoming {
            ce: packet.marked,
            ..frame
        };
        self.nic.on_clock(ticks(now));
        if frame.body.is_data() || frame.body == Body::Probe {
            self.receive_data(&frame, packet.purpose);
        } else {
            self.changed = true;
            self.receive_answer(&frame, ticks(now));
        }
    }

    fn poll(&mut self, room: Room, now: Time) -> Option<Packet> {
        self.nic.on_clock(ticks(now));
        if let Some(answer) = self.answer(room.control) {
            return Some(self.packet(&answer, Purpose::Answer));
        }
        let (frame, purpose) = self.send(room.data, ticks(now))?;
        Some(self.packet(&frame, purpose))
    }

    fn next_wake(&mut self, now: Time) -> Option<Time> {
        let waits = if self.nic.has_current() {
            self.nic.current_waits()
        } else {
            0
        };
        let share = (waits > 0).then(|| now + Time::from(waits) * TICK);
        let busy = !self.posted.is_empty() || self.own_paths.iter().any(|&p| self.needs_timer(p));
        let timer = busy.then_some(now + self.walk_every);
        [share, timer].into_iter().flatten().min()
    }

    fn wake(&mut self, now: Time) {
        self.nic.on_clock(ticks(now));
        self.walk_left = self.own_paths.len();
        self.complete();
    }

    fn outcomes(&mut self) -> Vec<Outcome> {
        std::mem::take(&mut self.outcomes)
    }

    fn counts(&self) -> Counts {
        let (counters, extra) = (self.nic.counters(), self.nic.extra());
        let count = |counter| u64::from(counters.get(counter));
        let timeouts = count(Counter::TxTimeoutProbes);
        Counts {
            retransmissions: count(Counter::TxRetransmissions)
                + u64::from(extra.get(Extra::PacketsMoved)),
            copies: extra.get(Extra::TxCopies).into(),
            spurious: self.spurious,
            probes: count(Counter::TxTailProbes) + timeouts,
            timeouts,
            answers: count(Counter::TxAcks),
            reroutes: extra.get(Extra::EpochsEnded).into(),
            planes_suspected: extra.get(Extra::PlanesSuspected).into(),
            planes_recovered: extra.get(Extra::PlanesRecovered).into(),
        }
    }

    fn paths(&self, to: HostId) -> Vec<PathView> {
        let Some(connection) = self.connection_to(to) else {
            return Vec::new();
        };
        let view = |path| {
            let send = self.nic.send_path(connection * self.paths + path)?;
            Some(PathView {
                path,
                plane: path % self.planes,
                entropy: self.nic.entropy(connection * self.paths + path)?,
                unresolved: send.unresolved(),
                window: self.nic.path_window(connection * self.paths + path)?,
                timeouts: send.timeouts_in_row(),
            })
        };
        (0..self.paths).filter_map(view).collect()
    }

    fn memory(&self) -> usize {
        self.nic.memory()
    }
}

/// Bytes of a frame: Ethernet to ICRC, payload and pad.
pub fn frame_bytes(frame: &Incoming) -> u32 {
    let opcode = match frame.body {
        Body::Write(_) => Opcode::Write,
        Body::Ack(_) => Opcode::Ack,
        Body::Refusal(_) => Opcode::Refusal,
        Body::Probe => Opcode::Probe,
        Body::Sync(_) => Opcode::Sync,
        Body::SyncAck(_) => Opcode::SyncAck,
        Body::Verb(packet) => match packet.verb {
            Verb::WriteImm { .. } => Opcode::WriteImm,
            Verb::Send { imm: None, .. } => Opcode::Send,
            Verb::Send { imm: Some(_), .. } => Opcode::SendImm,
            Verb::ReadRequest { .. } => Opcode::ReadRequest,
            Verb::ReadResponse { .. } => Opcode::ReadResponse,
            Verb::FetchAdd(_) => Opcode::FetchAdd,
            Verb::CompareSwap(_) => Opcode::CompareSwap,
            Verb::AtomicResponse { .. } => Opcode::AtomicResponse,
        },
    };
    let payload = frame.body.payload().next_multiple_of(4);
    (MIN_FRAME_BYTES + opcode.header_bytes()) as u32 + payload
}

/// Bytes of a full data frame of a flow.
pub fn data_frame_bytes(payload: u32, opcode: WqeOpcode) -> u32 {
    let opcode = match opcode {
        WqeOpcode::Send => Opcode::Send,
        _ => Opcode::Write,
    };
    (MIN_FRAME_BYTES + opcode.header_bytes()) as u32 + payload.next_multiple_of(4)
}
