//! The receiving side: in order only, or out of order too.
use std::collections::{BTreeMap, VecDeque};

use super::{RoceFrame, RoceKind};
use crate::units::Time;
use crate::workload::FlowId;

/// At most one congestion notification in this time (Zhu et al., section 3.2).
const NOTIFY: Time = 50_000_000;

/// One direction of a connection, at its end.
#[derive(Debug)]
pub struct Receiver {
    selective: bool,
    ack_every: u32,
    next: u64,
    /// A NAK for `next` is sent; go-back-N sends one a gap.
    asked: bool,
    since_ack: u32,
    /// Beyond a gap: whether it is its message's last.
    beyond: BTreeMap<u64, bool>,
    expected: VecDeque<FlowId>,
    whole: usize,
    notified: Option<Time>,
    /// Data packets that came twice.
    pub twice: u64,
    /// Answers.
    pub answers: u64,
}

impl Receiver {
    /// Nothing came yet.
    pub fn new(selective: bool, ack_every: u32) -> Self {
        Self {
            selective,
            ack_every,
            next: 0,
            asked: false,
            since_ack: 0,
            beyond: BTreeMap::new(),
            expected: VecDeque::new(),
            whole: 0,
            notified: None,
            twice: 0,
            answers: 0,
        }
    }

    /// A flow will come.
    pub fn expect(&mut self, flow: FlowId) {
        self.expected.push_back(flow);
    }

    /// A data packet: an answer and a notification, if any.
    pub fn on_data(
        &mut self,
        psn: u64,
        last: bool,
        marked: bool,
        now: Time,
    ) -> [Option<RoceFrame>; 2] {
        let due = self.notified.is_none_or(|at| now >= at + NOTIFY);
        let notify = (marked && due).then(|| {
            self.notified = Some(now);
            RoceFrame {
                psn,
                kind: RoceKind::Cnp,
            }
        });
        let answer = self.answer(psn, last);
        self.answers += u64::from(answer.is_some()) + u64::from(notify.is_some());
        [answer, notify]
    }

    fn answer(&mut self, psn: u64, last: bool) -> Option<RoceFrame> {
        if psn < self.next || self.beyond.contains_key(&psn) {
            self.twice += 1;
            return Some(self.ack());
        }
        if psn > self.next {
            return self.on_gap(psn, last);
        }
        self.asked = false;
        self.since_ack += 1;
        let mut ask = self.take(last);
        while let Some(last) = self.beyond.remove(&self.next) {
            ask |= self.take(last) || self.beyond.is_empty();
        }
        (ask || self.since_ack >= self.ack_every).then(|| self.ack())
    }

    fn on_gap(&mut self, psn: u64, last: bool) -> Option<RoceFrame> {
        if self.selective {
            self.beyond.insert(psn, last);
        } else if std::mem::replace(&mut self.asked, true) {
            return None;
        }
        Some(RoceFrame {
            psn: self.next,
            kind: RoceKind::Nak { seen: psn },
        })
    }

    fn take(&mut self, last: bool) -> bool {
        self.next += 1;
        self.whole += usize::from(last);
        last
    }

    fn ack(&mut self) -> RoceFrame {
        self.since_ack = 0;
        RoceFrame {
            psn: self.next,
            kind: RoceKind::Ack,
        }
    }

    /// Flows that are here whole since the last call.
    pub fn arrived(&mut self) -> impl Iterator<Item = FlowId> {
        let whole = std::mem::take(&mut self.whole);
        self.expected.drain(..whole)
    }
}
