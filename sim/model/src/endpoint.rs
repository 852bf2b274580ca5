//! The NIC with its engines in a canonical order: for users without hardware. No clock, no socket: time and frames come in,
//! frames and completions go out.
use std::collections::VecDeque;

use metaroce_protocol::Wqe;

use crate::config::Size;
use crate::nic::{Completion, Decision, Inputs, MemoryOrder, Nic, ReceiveCompletion, Received};
use crate::wire::{Body, Incoming, Outgoing};

/// A NIC that runs by itself.
#[derive(Debug)]
pub struct Endpoint {
    /// The NIC, for configuration and counters.
    pub nic: Nic,
    posted: VecDeque<Wqe>,
    answers: VecDeque<Outgoing>,
    received: VecDeque<ReceiveCompletion>,
    walk: u32,
}

impl Endpoint {
    /// Takes over a configured NIC.
    pub fn new(nic: Nic) -> Self {
        Self {
            nic,
            posted: VecDeque::new(),
            answers: VecDeque::new(),
            received: VecDeque::new(),
            walk: 0,
        }
    }

    /// Posts a message.
    pub fn post(&mut self, wqe: Wqe) {
        self.posted.push_back(wqe);
    }

    /// A frame that passed the parser's checks. The caller writes what is `Placed`, then carries out what
    /// [`Self::poll_order`] gives, then polls completions.
    pub fn handle(&mut self, frame: &Incoming, now: u32) -> Received {
        self.nic.on_clock(now);
        if frame.body.is_data() || frame.body == Body::Probe {
            let received = self.nic.receive(frame, self.nic.has_refusal_room());
            self.received
                .extend(std::iter::from_fn(|| self.nic.retire_receive()));
            self.build_answers(frame);
            return received;
        }
        match frame.body {
            Body::Sync(_) => self.answers.extend(self.nic.on_sync(frame)),
            Body::SyncAck(_) => self.nic.on_sync_ack(frame, now),
            _ => self.nic.acknowledge(frame, now),
        }
        if let Some(path) = self.nic.path_of(frame) {
            while self.nic.resolve(path).is_some() {}
            self.nic.reopen(path, now);
        }
        Received::Dropped
    }

    fn build_answers(&mut self, frame: &Incoming) {
        let ack = self
            .nic
            .path_of(frame)
            .and_then(|path| self.nic.build_ack(path));
        self.answers.extend(ack);
        while let Some(refusal) = self.nic.build_refusal() {
            self.answers.push_back(refusal);
        }
    }

    /// The next frame to send now, if any.
    pub fn poll_transmit(&mut self, now: u32) -> Option<Outgoing> {
        self.nic.on_clock(now);
        while let Some(path) = self.nic.next_asked() {
            self.answers.extend(self.nic.build_ack(path));
        }
        if let Some(answer) = self.answers.pop_front() {
            return Some(answer);
        }
        self.load();
        for _ in 0..self.paths() {
            let inputs = self.inputs();
            let sync = self.nic.build_sync(self.walk, now);
            self.walk = (self.walk + 1) % self.paths();
            if sync.is_some() {
                return sync;
            }
            match self.nic.transmit(&inputs, now) {
                Decision::TailProbe(f)
                | Decision::TimeOutProbe(f)
                | Decision::Retransmit(f)
                | Decision::New(f) => return Some(f),
                Decision::Nothing | Decision::Discard(_) | Decision::GiveUp(_) => self.load(),
            }
        }
        None
    }

    /// What memory must do next; [`Nic::executed`] hears the result.
    pub fn poll_order(&mut self) -> Option<MemoryOrder> {
        self.nic.next_order()
    }

    /// The next completion.
    pub fn poll_completion(&mut self) -> Option<Completion> {
        while self.nic.retire_response() {}
        self.nic.retire()
    }

    /// The next message that is placed whole at this receiver, whether it took a posted buffer or not.
    pub fn poll_receive(&mut self) -> Option<ReceiveCompletion> {
        self.received.pop_front()
    }

    fn load(&mut self) {
        while !self.nic.has_current() && self.nic.has_message_room() {
            let Some(wqe) = self.posted.pop_front() else {
                break;
            };
            self.nic.load_message(wqe);
        }
        while !self.nic.has_current_response() && self.nic.load_response() {}
    }

    fn paths(&self) -> u32 {
        let Size {
            connections, paths, ..
        } = self.nic.size();
        connections * paths
    }

    fn inputs(&self) -> Inputs {
        let all = (1 << self.nic.size().planes) - 1;
        let current = self.nic.has_current();
        let idle = self.posted.is_empty() || !self.nic.has_message_room();
        Inputs {
            walk: Some(self.walk),
            room: all,
            retransmit: all,
            current,
            idle,
        }
    }
}
