//! The sending side: go-back-N, or selective repeat.
use std::collections::{BTreeSet, VecDeque};

use super::RoceKind;
use super::dcqcn::Dcqcn;
use crate::units::{Rate, Time};
use crate::workload::FlowId;

/// What tunes a connection.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Selective repeat instead of go-back-N.
    pub selective: bool,
    /// Payload of a full packet, bytes.
    pub mtu: u64,
    /// Silence after which the oldest packet counts as lost.
    pub rto: Time,
    /// Time-outs in a row that end the connection.
    pub max_retries: u32,
    /// Of the host's link.
    pub line: Rate,
    /// Rate control.
    pub dcqcn: bool,
    /// Packets under way, of selective repeat (Mittal et al.: a bandwidth-delay product); go-back-N has no bound.
    pub window: u64,
}

#[derive(Clone, Copy, Debug)]
struct Message {
    flow: FlowId,
    bytes: u64,
    first: u64,
    /// Past its last packet.
    end: u64,
}

/// A packet that leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent {
    /// Its number.
    pub psn: u64,
    /// Payload.
    pub bytes: u32,
    /// The last of its message.
    pub last: bool,
    /// It was sent before.
    pub again: bool,
}

/// One direction of a connection, at its beginning.
#[derive(Debug)]
pub struct Sender {
    settings: Settings,
    messages: VecDeque<Message>,
    done: VecDeque<FlowId>,
    /// Everything before it is acknowledged.
    acknowledged: u64,
    next: u64,
    /// Past the last packet ever sent.
    highest: u64,
    end: u64,
    /// Selective repeat: arrived beyond the gap; and up to where holes have been sent again.
    arrived: BTreeSet<u64>,
    repaired: u64,
    repairing: bool,
    rate: Dcqcn,
    next_send: Time,
    heard: Time,
    retries: u32,
    /// Packets sent again.
    pub retransmissions: u64,
    /// Time-outs.
    pub timeouts: u64,
}

impl Sender {
    /// Nothing to send.
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            messages: VecDeque::new(),
            done: VecDeque::new(),
            acknowledged: 0,
            next: 0,
            highest: 0,
            end: 0,
            arrived: BTreeSet::new(),
            repaired: 0,
            repairing: false,
            rate: Dcqcn::new(settings.line),
            next_send: 0,
            heard: 0,
            retries: 0,
            retransmissions: 0,
            timeouts: 0,
        }
    }

    /// A flow more.
    pub fn post(&mut self, flow: FlowId, bytes: u64, now: Time) {
        if self.under_way() == 0 {
            self.heard = now;
        }
        let first = self.end;
        self.end = first + bytes.div_ceil(self.settings.mtu);
        self.messages.push_back(Message {
            flow,
            bytes,
            first,
            end: self.end,
        });
    }

    /// Packets sent and not acknowledged.
    pub fn under_way(&self) -> u64 {
        self.next.max(self.acknowledged) - self.acknowledged
    }

    /// Packets that may be.
    pub fn window(&self) -> u64 {
        if self.settings.selective {
            self.settings.window
        } else {
            u64::from(u32::MAX)
        }
    }

    /// Time-outs in a row.
    pub fn timeouts_in_row(&self) -> u32 {
        self.retries
    }

    fn has_packet(&self) -> bool {
        let fresh = self.next < self.end && self.under_way() < self.window();
        fresh || self.hole().is_some()
    }

    /// Whether a packet may leave now.
    pub fn may_send(&self, now: Time) -> bool {
        now >= self.next_send && self.has_packet()
    }

    /// Selective repeat: the next missing packet that was not yet sent again in this recovery.
    fn hole(&self) -> Option<u64> {
        if !self.repairing {
            return None;
        }
        let last = self.arrived.last().copied();
        // After a time-out the oldest is missing, whatever arrived.
        let last = last.unwrap_or(self.acknowledged + 1);
        let from = self.repaired.max(self.acknowledged);
        (from..last).find(|psn| !self.arrived.contains(psn))
    }

    /// The next packet.
    pub fn send(&mut self, now: Time) -> Option<Sent> {
        let psn = match self.hole() {
            Some(psn) => {
                self.repaired = psn + 1;
                psn
            }
            None => {
                self.next += 1;
                self.next - 1
            }
        };
        let place = self.messages.iter().find(|m| psn < m.end)?;
        let (offset, last) = (
            self.settings.mtu * (psn - place.first),
            psn + 1 == place.end,
        );
        let bytes = (place.bytes - offset).min(self.settings.mtu) as u32;
        let again = psn < self.highest;
        self.retransmissions += u64::from(again);
        self.highest = self.highest.max(psn + 1);
        let wire = u64::from(bytes + super::OVERHEAD);
        if self.settings.dcqcn {
            self.rate.on_sent(wire);
            self.next_send = now + self.rate.rate().time_of(wire);
        }
        if psn == self.acknowledged {
            self.heard = now;
        }
        Some(Sent {
            psn,
            bytes,
            last,
            again,
        })
    }

    /// An answer.
    pub fn on_answer(&mut self, psn: u64, kind: RoceKind, now: Time) {
        match kind {
            RoceKind::Cnp if self.settings.dcqcn => return self.rate.on_notification(now),
            RoceKind::Data { .. } | RoceKind::Cnp => return,
            RoceKind::Ack | RoceKind::Nak { .. } => {}
        }
        if psn > self.acknowledged {
            self.acknowledge(psn, now);
        }
        let RoceKind::Nak { seen } = kind else { return };
        if self.settings.selective {
            self.arrived.insert(seen);
            if !std::mem::replace(&mut self.repairing, true) {
                self.repaired = self.repaired.max(self.acknowledged);
            }
        } else if psn == self.acknowledged {
            self.next = psn;
        }
    }

    fn acknowledge(&mut self, psn: u64, now: Time) {
        self.acknowledged = psn;
        self.next = self.next.max(psn);
        (self.heard, self.retries) = (now, 0);
        self.arrived = self.arrived.split_off(&psn);
        self.repairing &= !self.arrived.is_empty();
        while let Some(message) = self.messages.pop_front_if(|m| m.end <= psn) {
            self.done.push_back(message.flow);
        }
    }

    /// Flows acknowledged since the last call.
    pub fn completed(&mut self) -> impl Iterator<Item = FlowId> {
        self.done.drain(..)
    }

    fn deadline(&self) -> Option<Time> {
        let backoff = self.settings.rto << self.retries.min(6);
        (self.under_way() > 0).then_some(self.heard + backoff)
    }

    /// When something may happen without a packet.
    pub fn next_wake(&self, now: Time) -> Option<Time> {
        let send = (self.has_packet() && self.next_send > now).then_some(self.next_send);
        let rate = if self.settings.dcqcn {
            self.rate.due()
        } else {
            None
        };
        let wake = [self.deadline(), send, rate].into_iter().flatten().min()?;
        Some(wake.max(now + 1))
    }

    /// Time passes: flows that fail.
    pub fn on_time(&mut self, now: Time) -> Vec<FlowId> {
        self.rate.on_time(now);
        if self.deadline().is_none_or(|deadline| now < deadline) {
            return Vec::new();
        }
        self.timeouts += 1;
        self.retries += 1;
        self.heard = now;
        if self.retries > self.settings.max_retries {
            (self.acknowledged, self.next) = (self.end, self.end);
            return self.messages.drain(..).map(|m| m.flow).collect();
        }
        if self.settings.selective {
            (self.repairing, self.repaired) = (true, self.acknowledged);
        } else {
            self.next = self.acknowledged;
        }
        Vec::new()
    }
}
