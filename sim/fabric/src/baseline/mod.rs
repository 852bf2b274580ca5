//! What MetaRoCE is compared with, on the same fabric: RoCEv2 on one path, with go-back-N or selective repeat, and DCQCN.
//!
//! Written from published descriptions: InfiniBand specification volume 1, 9.7 (go-back-N), Mittal et al., SIGCOMM 2018
//! (selective repeat), Zhu et al., SIGCOMM 2015 (DCQCN). Simplified: a message is never larger than a connection's numbers,
//! numbers don't wrap, there are no credits at the end of a connection, memory takes everything at once, and selective
//! repeat has one time-out instead of two.
mod dcqcn;
mod receiver;
mod sender;

use std::collections::{BTreeMap, VecDeque};

use crate::host::{Counts, Host, Outcome, PathView, Room};
use crate::packet::{Frame, HostId, Packet, Purpose};
use crate::scenario::{Kind, Scenario};
use crate::units::{Rate, Time};
use crate::workload::{Flow, FlowId};

use receiver::Receiver;
use sender::{Sender, Settings};

/// Bytes of a data frame beyond its payload: Ethernet 14, IPv4 20, UDP 8, BTH 12, RETH 16, ICRC 4.
pub const OVERHEAD: u32 = 74;
/// Bytes of an ACK, NAK or CNP: Ethernet 14, IPv4 20, UDP 8, BTH 12, AETH 4, ICRC 4, and 2 to Ethernet's shortest frame.
const ANSWER_BYTES: u32 = 64;

/// A frame of RoCEv2, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoceFrame {
    /// Packet sequence number, not wrapped.
    pub psn: u64,
    /// What it is.
    pub kind: RoceKind,
}

/// Kinds of frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoceKind {
    /// Data.
    Data {
        /// The last packet of its message.
        last: bool,
    },
    /// Everything before `psn` is there.
    Ack,
    /// And `psn` is missing though later packets came; `seen`: the one that came (selective repeat uses it).
    Nak {
        /// Which one.
        seen: u64,
    },
    /// Congestion notification.
    Cnp,
}

/// A connection, both sides.
#[derive(Debug)]
struct Peer {
    entropy: u16,
    sender: Sender,
    receiver: Receiver,
}

/// A host.
#[derive(Debug)]
pub struct RoceHost {
    id: HostId,
    peers: BTreeMap<HostId, Peer>,
    answers: VecDeque<(HostId, RoceFrame)>,
    /// The peer that sent last: the next one's turn.
    turn: HostId,
    outcomes: Vec<Outcome>,
}

/// All hosts.
pub fn build(
    scenario: &Scenario,
    flows: &[Flow],
    random: &mut rand_chacha::ChaCha8Rng,
) -> Vec<RoceHost> {
    use rand::Rng;
    let t = &scenario.transport;
    let hosts = scenario.fabric.hosts() as u32;
    let mut hosts: Vec<_> = (0..hosts).map(RoceHost::new).collect();
    let settings = Settings {
        selective: t.kind == Kind::SelectiveRepeat,
        mtu: t.mtu.0,
        rto: t.rto.0,
        max_retries: t.max_retries,
        line: scenario.fabric.link.rate,
        dcqcn: t.dcqcn,
        window: u64::from(t.paths) * u64::from(t.window),
    };
    for (id, flow) in flows.iter().enumerate() {
        for (here, there) in [(flow.from, flow.to), (flow.to, flow.from)] {
            let entropy = random.random_range(0xC000..=u16::MAX);
            hosts[here as usize]
                .peers
                .entry(there)
                .or_insert_with(|| Peer {
                    entropy,
                    sender: Sender::new(settings),
                    receiver: Receiver::new(settings.selective, t.ack_every),
                });
        }
        let peer = hosts[flow.to as usize].peers.get_mut(&flow.from);
        peer.expect("just made").receiver.expect(id as FlowId);
    }
    hosts
}

impl RoceHost {
    fn new(id: HostId) -> Self {
        Self {
            id,
            peers: BTreeMap::new(),
            answers: VecDeque::new(),
            turn: 0,
            outcomes: Vec::new(),
        }
    }

    fn packet(&self, to: HostId, frame: RoceFrame, bytes: u32, purpose: Purpose) -> Packet {
        Packet {
            frame: Frame::Roce(frame),
            from: self.id,
            to,
            plane: 0,
            entropy: self.peers[&to].entropy,
            bytes,
            marked: false,
            purpose,
            ingress: 0,
        }
    }
}

impl Host for RoceHost {
    fn start(&mut self, flow: FlowId, to: HostId, bytes: u64, now: Time) {
        let peer = self.peers.get_mut(&to).expect("flows have connections");
        peer.sender.post(flow, bytes, now);
    }

    fn receive(&mut self, packet: &Packet, now: Time) {
        let Frame::Roce(frame) = packet.frame else {
            return;
        };
        let from = packet.from;
        let peer = self.peers.get_mut(&from).expect("flows have connections");
        match frame.kind {
            RoceKind::Data { last } => {
                let receiver = &mut peer.receiver;
                let answers = receiver.on_data(frame.psn, last, packet.marked, now);
                self.answers
                    .extend(answers.into_iter().flatten().map(|a| (from, a)));
                self.outcomes
                    .extend(receiver.arrived().map(Outcome::Arrived));
            }
            kind => {
                peer.sender.on_answer(frame.psn, kind, now);
                self.outcomes
                    .extend(peer.sender.completed().map(Outcome::Completed));
            }
        }
    }

    fn poll(&mut self, room: Room, now: Time) -> Option<Packet> {
        if room.control & 1 == 1
            && let Some((to, frame)) = self.answers.pop_front()
        {
            return Some(self.packet(to, frame, ANSWER_BYTES, Purpose::Answer));
        }
        if room.data & 1 == 0 {
            return None;
        }
        let after = self.peers.range(self.turn + 1..).map(|(&to, _)| to);
        let before = self.peers.range(..=self.turn).map(|(&to, _)| to);
        let order = after
            .chain(before)
            .find(|to| self.peers[to].sender.may_send(now));
        let to = order?;
        self.turn = to;
        let sent = self.peers.get_mut(&to)?.sender.send(now)?;
        let purpose = if sent.again {
            Purpose::Again
        } else {
            Purpose::First
        };
        let kind = RoceKind::Data { last: sent.last };
        let frame = RoceFrame {
            psn: sent.psn,
            kind,
        };
        Some(self.packet(to, frame, sent.bytes + OVERHEAD, purpose))
    }

    fn next_wake(&mut self, now: Time) -> Option<Time> {
        let wakes = self
            .peers
            .values()
            .filter_map(|peer| peer.sender.next_wake(now));
        wakes.min()
    }

    fn wake(&mut self, now: Time) {
        for peer in self.peers.values_mut() {
            let failed = peer.sender.on_time(now);
            self.outcomes.extend(
                failed
                    .into_iter()
                    .map(|f| Outcome::Failed(f, "retry_exceeded".into())),
            );
        }
    }

    fn outcomes(&mut self) -> Vec<Outcome> {
        std::mem::take(&mut self.outcomes)
    }

    fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for peer in self.peers.values() {
            counts.retransmissions += peer.sender.retransmissions;
            counts.timeouts += peer.sender.timeouts;
            counts.spurious += peer.receiver.twice;
            counts.answers += peer.receiver.answers;
        }
        counts
    }

    fn paths(&self, to: HostId) -> Vec<PathView> {
        let view = |peer: &Peer| PathView {
            path: 0,
            plane: 0,
            entropy: peer.entropy,
            unresolved: peer.sender.under_way() as u32,
            window: peer.sender.window() as u32,
            timeouts: peer.sender.timeouts_in_row(),
        };
        self.peers.get(&to).map(view).into_iter().collect()
    }

    fn memory(&self) -> usize {
        self.peers.len() * size_of::<Peer>()
    }
}

/// Bits a second of a share of a rate.
fn scale(rate: Rate, share: f64) -> Rate {
    Rate((rate.0 as f64 * share) as u64)
}
