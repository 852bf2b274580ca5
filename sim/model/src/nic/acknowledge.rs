//! Commits of the ACK engine and of the resolver.
use metaroce_protocol::{Counter, Nak, RefusalReason, Sack};

use super::epoch::Standing;
use super::{Failure, Nic};
use crate::mutant::Mutant;
use crate::send::{AckVerdict, Fate, Lost};
use crate::wire::{Body, Incoming};

/// Second copies that one loss pays for (ours): what is under way at a round trip of 300 us and 400 Gb/s. More than a short
/// round trip can use, and a connection that loses nothing still sends none.
const COPIES_A_LOSS: u32 = 4096;

impl Nic {
    /// Whether an ACK can be true. A refusal always can.
    pub fn can_be_true(&self, frame: &Incoming) -> bool {
        let send = self.path_of(frame).and_then(|path| self.send_path(path));
        match (&frame.body, send) {
            (Body::Ack(_), Some(send)) => send.can_be_true(frame.psn, frame.tsn),
            _ => true,
        }
    }

    /// An ACK or a refusal meets the ACK engine.
    pub fn acknowledge(&mut self, frame: &Incoming, now: u32) {
        self.acknowledge_judged(frame, self.can_be_true(frame), now);
    }

    /// The same for a caller that has asked [`Self::can_be_true`] before the cycle's other commits.
    pub fn acknowledge_judged(&mut self, frame: &Incoming, can_be_true: bool, now: u32) {
        let Some(path) = self.admit_answer(frame) else {
            return;
        };
        if self.connection(path).failure.is_some() {
            self.counters.add(Counter::RxOnFailedConnection, 1);
            return;
        }
        match &frame.body {
            Body::Ack(_) if !can_be_true => self.counters.add(Counter::RxAckInvalid, 1),
            Body::Ack(sack) => self.apply_ack(path, frame, sack, now),
            Body::Refusal(nak) => self.on_refusal(path, nak, now),
            _ => {}
        }
    }

    fn apply_ack(&mut self, path: u32, frame: &Incoming, sack: &Sack, now: u32) {
        self.remember(path);
        let send = &mut self.path_mut(path).send;
        let newer = frame.tsn.is_after(send.echo());
        let verdict = send.on_ack(frame.psn, frame.tsn, sack.bitvector, now);
        if verdict == AckVerdict::Applied {
            let rtt = newer.then(|| now.wrapping_sub(frame.timestamp));
            self.on_applied_ack(path, sack, rtt, now);
        }
        let counter = match verdict {
            AckVerdict::Applied => Counter::RxAcks,
            AckVerdict::Stale => Counter::RxAckStale,
        };
        self.counters.add(counter, 1);
    }

    /// The packet is not marked at the receiver, so the next echo past it shows it as lost, and it is sent again.
    fn is_patient(&mut self, path: u32, now: u32) -> bool {
        let patience = self.options.not_ready_ticks;
        if patience == 0 {
            return false;
        }
        let end = now.wrapping_add(patience);
        let until = *self.connection_mut(path).bears_until.get_or_insert(end);
        (until.wrapping_sub(now) as i32) > 0
    }

    /// How long a connection bears that its peer has no buffer: for refusals that come from now on.
    pub fn set_patience(&mut self, ticks: u32) {
        self.options.not_ready_ticks = ticks;
    }

    fn on_refusal(&mut self, path: u32, nak: &Nak, now: u32) {
        self.counters.add(Counter::RxRefusals, 1);
        let &Nak {
            reason,
            stream,
            message,
            ..
        } = nak;
        if reason == RefusalReason::ReceiverNotReady && self.is_patient(path, now) {
            return;
        }
        self.fail(
            self.connection_of(path),
            Failure::Refused {
                reason,
                stream,
                message,
            },
        );
    }

    /// A packet is delivered. The connection's entry may be gone while its last packets are resolved.
    fn on_delivered(&mut self, path: u32) {
        let calm = self.options.allowance_calm;
        let connection = self.connection_of(path) as usize;
        if let Some(connection) = &mut self.connections[connection] {
            connection.bears_until = None;
            connection.reorder.on_resolved(calm);
        }
    }

    fn on_lost(&mut self, path: u32) {
        let state = self.path_mut(path);
        state.law.on_loss(state.send.last_ack());
        let connection = self.connection_of(path) as usize;
        if let Some(connection) = &mut self.connections[connection] {
            connection.copies = COPIES_A_LOSS;
        }
    }

    /// Resolves the path's oldest unresolved transmission. `None`: no acknowledgement says anything about it.
    pub fn resolve(&mut self, path: u32) -> Option<Fate> {
        let patience = self.patience(path)?;
        self.remember(path);
        let failed = self.failure(self.connection_of(path)).is_some();
        let state = self.paths.get_mut(path as usize)?.as_mut()?;
        if !state.send.can_resolve(patience) {
            return None;
        }
        let (fate, plane) = (state.send.resolve(), state.config.plane);
        match fate {
            // The slots of a failed connection may already belong to others.
            _ if failed => {}
            Fate::Probe => {}
            Fate::Delivered(slot) => {
                self.ring_of_mut(slot).on_delivered(slot);
                self.on_delivered(path);
                self.counters.add(Counter::ResolvedDelivered, 1);
            }
            Fate::Lost(_) if self.options.is(Mutant::NoRetransmission) => {}
            Fate::Lost(lost) if self.options.is(Mutant::RetransmitOnAnotherPath) => {
                self.move_packet(path, lost.packet);
            }
            Fate::Lost(lost) => {
                if self.options.is(Mutant::GoBackN) {
                    let sent = &state.send;
                    let later =
                        (1..sent.next_psn.distance_from(lost.psn)).map(|n| lost.psn.plus(n));
                    let later = later.map(|psn| Lost {
                        psn,
                        packet: sent.packet(psn),
                    });
                    self.retransmit[plane as usize].extend(later.map(|lost| (path, lost)));
                }
                match &mut state.standing {
                    Standing::Open => self.retransmit[plane as usize].push_back((path, lost)),
                    Standing::Closing { parked, .. } => parked.push(lost),
                    Standing::Draining(_) => self.move_packet(path, lost.packet),
                }
                self.counters.add(Counter::ResolvedLost, 1);
                self.on_lost(path);
            }
        }
        Some(fate)
    }
}
