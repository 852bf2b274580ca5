//! The other side of the engine's connections: the golden model, a frame in and a frame out a cycle each way.
use std::collections::VecDeque;

use metaroce_model::config::{Size, Tunables};
use metaroce_model::nic::{Decision, Inputs, Nic};
use metaroce_model::wire::Incoming;
use metaroce_protocol::Counter;

use super::messages::Messages;

/// A frame and the plane it comes on.
pub(super) type OnPlane = (u32, Incoming);

/// Data frames that wait for the engine at most.
const AHEAD: usize = 16;

/// ACKs that wait before the first goes, where they go path by path.
const GATHERED: usize = 64;

pub(super) struct Peer {
    pub nic: Nic,
    size: Size,
    messages: Messages,
    /// Data for the engine.
    data: VecDeque<OnPlane>,
    /// ACKs for the engine: by path, or all in the first.
    acks: Vec<VecDeque<OnPlane>>,
    /// ACKs go path by path, all that wait of one, and not in the order of the packets.
    gather: bool,
    gathered: bool,
    current: usize,
    walk: u32,
}

impl Peer {
    pub fn new(size: Size, tunables: Tunables, messages: Messages, gather: bool) -> Self {
        let queues = if gather {
            size.connections * size.paths
        } else {
            1
        };
        Self {
            nic: Nic::new(size, tunables),
            size,
            messages,
            data: VecDeque::new(),
            acks: vec![VecDeque::new(); queues as usize],
            gather,
            gathered: false,
            current: 0,
            walk: 0,
        }
    }

    /// The next data frame.
    pub fn next_data(&mut self) -> Option<OnPlane> {
        self.data.pop_front()
    }

    /// The next ACK.
    pub fn next_ack(&mut self) -> Option<OnPlane> {
        if self.acks[self.current].is_empty() {
            let waiting: usize = self.acks.iter().map(VecDeque::len).sum();
            self.gathered |= waiting >= GATHERED;
            if self.gather && !self.gathered {
                return None;
            }
            self.current = (0..self.acks.len()).max_by_key(|&path| self.acks[path].len())?;
        }
        self.acks[self.current].pop_front()
    }

    /// Takes what the engine sent: data is answered packet by packet, ACKs open the window.
    pub fn receive(&mut self, frame: &Incoming) {
        self.nic.receive(frame, self.nic.has_refusal_room());
        let Some(path) = self.nic.path_of(frame) else {
            return;
        };
        if let Some(ack) = self.nic.build_ack(path) {
            let queue = if self.gather { path as usize } else { 0 };
            self.acks[queue].push_back((ack.plane, ack.frame));
        }
    }

    /// Takes an ACK of the engine.
    pub fn acknowledge(&mut self, frame: &Incoming, now: u32) {
        self.nic.acknowledge(frame, now);
        if let Some(path) = self.nic.path_of(frame) {
            while self.nic.resolve(path).is_some() {}
        }
        while self.nic.retire().is_some() {}
    }

    /// Sends until enough waits for the engine, twice a cycle at most.
    pub fn transmit(&mut self, now: u32) {
        for _ in 0..2 {
            if self.data.len() >= AHEAD {
                return;
            }
            if !self.nic.has_current() && self.nic.has_message_room() {
                self.nic.load_message(self.messages.next());
            }
            self.walk = (self.walk + 1) % (self.size.connections * self.size.paths);
            let inputs = Inputs {
                walk: Some(self.walk),
                room: (1 << self.size.planes) - 1,
                retransmit: 1 << (now % self.size.planes),
                current: self.nic.has_current(),
                idle: false,
            };
            match self.nic.transmit(&inputs, now) {
                Decision::New(out)
                | Decision::Retransmit(out)
                | Decision::TailProbe(out)
                | Decision::TimeOutProbe(out) => self.data.push_back((out.plane, out.frame)),
                Decision::Nothing | Decision::Discard(_) | Decision::GiveUp(_) => {}
            }
        }
    }

    /// Packets that came when they should not have, or went again: none, in a bench without loss.
    pub fn irregular(&self) -> u64 {
        let of = |counter| u64::from(self.nic.counters().get(counter));
        of(Counter::RxDuplicate)
            + of(Counter::RxOutOfWindow)
            + of(Counter::TxRetransmissions)
            + of(Counter::RxAckInvalid)
    }
}
