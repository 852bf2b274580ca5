//! The transmit decision.
use metaroce_protocol::{Counter, Psn, Tsn};

use super::{Extra, Failure, Nic};
use crate::mutant::Mutant;
use crate::send::{Packet, Probe};
use crate::wire::{Body, Incoming, Outgoing};

/// What timing gives to a decision: everything else is state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// Global number of the path that the background walk looks at.
    pub walk: Option<u32>,
    /// Planes whose transmit pipeline has room, bit by plane.
    pub room: u32,
    /// Planes whose oldest retransmission is visible.
    pub retransmit: u32,
    /// A current message is there.
    pub current: bool,
    /// No WQE waits to become one.
    pub idle: bool,
}

/// What the transmit engine does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Nothing can or need be sent.
    Nothing,
    /// Probe of a quiet tail.
    TailProbe(Outgoing),
    /// Probe after silence.
    TimeOutProbe(Outgoing),
    /// A lost packet again.
    Retransmit(Outgoing),
    /// The current message's next packet.
    New(Outgoing),
    /// A failed connection's retransmission on this path is thrown away.
    Discard(u32),
    /// The connection of this path gives up.
    GiveUp(u32),
}

impl Nic {
    /// One transmit decision, in the order of docs/protocol.md section 5, and what it entails.
    pub fn transmit(&mut self, inputs: &Inputs, now: u32) -> Decision {
        let decision = self
            .probe(inputs, now)
            .or_else(|| self.retransmission(inputs, now))
            .or_else(|| self.new_data(inputs, now).map(Decision::New))
            .unwrap_or(Decision::Nothing);
        if let Decision::GiveUp(path) = decision {
            self.give_up(self.connection_of(path));
        }
        decision
    }

    /// A connection that has decided to give up fails.
    pub fn give_up(&mut self, connection: u32) {
        self.fail(connection, Failure::RetryExceeded);
    }

    fn probe(&mut self, inputs: &Inputs, now: u32) -> Option<Decision> {
        let path = inputs.walk?;
        let state = self.paths.get(path as usize)?.as_ref()?;
        let connection = self.connections[self.connection_of(path) as usize].as_ref()?;
        let more = self.has_response_to_send() || !self.moved.is_empty();
        let quiet = inputs.idle && !inputs.current && !more;
        if !state.is_open() {
            return None;
        }
        if connection.failure.is_some() || inputs.room >> state.config.plane & 1 == 0 {
            return None;
        }
        if self.is_suspect(state) {
            return self.plane_probe(path, now).map(Decision::TailProbe);
        }
        let rule = self.probe_rule(state, connection.reorder.allowance(), quiet);
        let probe = state.send.wants_probe(now, &rule);
        if quiet
            && matches!(probe, Some(Probe::Tail) | None)
            && let Some(copy) = self.copy(path, now)
        {
            return Some(Decision::Retransmit(copy));
        }
        let probe = probe?;
        if probe == Probe::GiveUp {
            return Some(Decision::GiveUp(path));
        }
        let outgoing = self.send_probe(path, probe, now);
        Some(if probe == Probe::Tail {
            Decision::TailProbe(outgoing)
        } else {
            Decision::TimeOutProbe(outgoing)
        })
    }

    /// Sends a probe.
    pub(super) fn send_probe(&mut self, path: u32, probe: Probe, now: u32) -> Outgoing {
        let psn = self.path(path).send.next_psn;
        let tsn = self.path_mut(path).send.send_probe(probe, now);
        let frame = Incoming {
            timestamp: now,
            ack_request: true,
            ..self.header(path, psn, tsn, Body::Probe)
        };
        let outgoing = self.address(path, frame);
        if probe == Probe::TimeOut {
            self.on_law_timeout(path, now);
            self.on_path_timeout(path);
            self.counters.add(Counter::TxTimeoutProbes, 1);
        } else {
            self.counters.add(Counter::TxTailProbes, 1);
        }
        outgoing
    }

    /// A second copy of a packet under way on a path, if the connection may idle like that.
    fn copy(&mut self, path: u32, now: u32) -> Option<Outgoing> {
        let any = self.options.idle_copies;
        if !(any || self.options.retransmission_copies) || self.connection(path).copies == 0 {
            return None;
        }
        let state = self.path(path);
        if state.send.pipe_room(self.window(state)) == 0 {
            return None;
        }
        let psn = state.send.next_to_copy(any)?;
        let (packet, tsn) = self.path_mut(path).send.send_copy(psn, now);
        self.connection_mut(path).copies -= 1;
        self.extra.count(Extra::TxCopies);
        Some(self.sent_again(path, psn, tsn, packet, now))
    }

    /// The frame of a packet that goes a second time.
    fn sent_again(&mut self, path: u32, psn: Psn, tsn: Tsn, packet: Packet, now: u32) -> Outgoing {
        let header = self.header(path, psn, tsn, self.body(packet));
        let header = Incoming {
            timestamp: now,
            ack_request: true,
            ..header
        };
        let outgoing = self.outgoing_data(path, packet, header);
        self.on_sent(path, &outgoing);
        outgoing
    }

    fn retransmission(&mut self, inputs: &Inputs, now: u32) -> Option<Decision> {
        let planes = self.size.planes;
        let plane = (1..=planes)
            .map(|n| (self.last_retransmit_plane + n) % planes)
            .find(|&plane| {
                let visible = inputs.room & inputs.retransmit;
                visible >> plane & 1 == 1
                    && self.retransmit[plane as usize]
                        .front()
                        .is_some_and(|&(path, _)| self.may_retransmit(path))
            })?;
        self.last_retransmit_plane = plane;
        self.retransmit_head(plane, now)
    }

    /// The oldest lost packet of a plane goes again, or is thrown away.
    pub(super) fn retransmit_head(&mut self, plane: u32, now: u32) -> Option<Decision> {
        let (path, lost) = self.retransmit[plane as usize].pop_front()?;
        if self.connection(path).failure.is_some() {
            self.counters.add(Counter::TxDiscarded, 1);
            return Some(Decision::Discard(path));
        }
        if self.patience(path)?.early && self.path(path).send.is_delivered(lost.psn) {
            self.extra.count(Extra::SparedRetransmissions);
            self.on_delivered_late(path, lost.packet);
            return Some(Decision::Discard(path));
        }
        if self.options.is(Mutant::RetransmitWithNewPsn) {
            let (psn, tsn) = self.path_mut(path).send.send_new(lost.packet, now);
            return Some(Decision::Retransmit(self.sent_again(
                path,
                psn,
                tsn,
                lost.packet,
                now,
            )));
        }
        let tsn = self.path_mut(path).send.send_again(lost, now);
        self.counters.add(Counter::TxRetransmissions, 1);
        let outgoing = self.sent_again(path, lost.psn, tsn, lost.packet, now);
        Some(Decision::Retransmit(outgoing))
    }

    /// A packet that was taken for lost has arrived after all.
    pub(super) fn on_delivered_late(&mut self, path: u32, packet: Packet) {
        let max_allowance = self.options.max_allowance;
        self.connection_mut(path).reorder.on_needless(max_allowance);
        let slot = packet.slot;
        self.ring_of_mut(slot).on_delivered(slot);
        self.counters.add(Counter::ResolvedDelivered, 1);
    }

    pub(super) fn may_retransmit(&self, path: u32) -> bool {
        self.connection(path).failure.is_some()
            || self.path(path).send.pipe_room(self.tunables.window) > 0
    }

    /// New data of the current message and of the current response, in turn where there are both.
    fn new_data(&mut self, inputs: &Inputs, now: u32) -> Option<Outgoing> {
        let request = self.messages.current().filter(|_| inputs.current);
        let response = self.responses.current();
        let turn = if self.last_was_response {
            [request, response]
        } else {
            [response, request]
        };
        self.moved_packet(inputs.room, now).or_else(|| {
            turn.into_iter()
                .flatten()
                .find_map(|packet| self.new_packet(packet, inputs.room, now))
        })
    }

    /// The oldest packet of a closed epoch, on another path.
    fn moved_packet(&mut self, room: u32, now: u32) -> Option<Outgoing> {
        let &(connection, packet) = self.moved.front()?;
        if self.failure(connection).is_some() {
            self.moved.pop_front();
            self.counters.add(Counter::TxDiscarded, 1);
            return None;
        }
        let ((psn, tsn), path) = self.place(connection, packet, room, now)?;
        self.moved.pop_front();
        Some(self.sent_again(path, psn, tsn, packet, now))
    }

    /// Gives a packet a path and a number on it.
    fn place(
        &mut self,
        connection: u32,
        packet: Packet,
        room: u32,
        now: u32,
    ) -> Option<((Psn, Tsn), u32)> {
        let path = self.select(connection, room)?;
        self.take_turn(path);
        Some((self.path_mut(path).send.send_new(packet, now), path))
    }

    fn new_packet(&mut self, packet: Packet, room: u32, now: u32) -> Option<Outgoing> {
        let message = self.ring_of(packet.slot).in_slot(packet.slot)?;
        let connection = message.wqe.connection.into();
        if self.failure(connection).is_some() || !self.may_send(connection, now) {
            return None;
        }
        let path = self.select(connection, room)?;
        self.take_turn(path);
        Some(self.send_new(path, packet, now))
    }

    /// Sends a new packet on a path.
    pub(super) fn send_new(&mut self, path: u32, packet: Packet, now: u32) -> Outgoing {
        let segment = self
            .message(packet.slot)
            .segment(packet.index, self.tunables.mtu_log2);
        let (psn, tsn) = self.path_mut(path).send.send_new(packet, now);
        self.last_was_response = packet.slot >= super::RESPONSE_SLOTS;
        let full = self.path(path).send.headroom(self.window(self.path(path))) == 0;
        let ack_request = segment.last || full;
        self.path_mut(path).send.asks(ack_request);
        let header = self.header(path, psn, tsn, self.body(packet));
        let header = Incoming {
            timestamp: now,
            ack_request,
            ..header
        };
        let outgoing = self.outgoing_data(path, packet, header);
        self.on_sent(path, &outgoing);
        self.ring_of_mut(packet.slot).advance();
        if matches!(outgoing.frame.body, Body::Write(_)) {
            self.counters.add(Counter::TxWrites, 1);
            self.counters.add(Counter::TxWriteBytes, segment.length);
        } else {
            self.counters.add(Counter::TxVerbs, 1);
        }
        outgoing
    }

    /// Of the planes with room and a path with headroom the one served longest ago; of its paths with headroom the next of
    /// its round.
    fn select(&self, connection: u32, room: u32) -> Option<u32> {
        let able = |plane: u32| {
            self.paths_on(connection, plane)
                .filter(|&path| self.usable_headroom(self.path(path)) > 0)
        };
        let plane = self
            .planes_in_turn()
            .find(|&plane| room >> plane & 1 == 1 && able(plane).next().is_some())?;
        self.next_of_round(|| able(plane))
    }

    /// The planes, the one served longest ago first.
    pub(super) fn planes_in_turn(&self) -> impl Iterator<Item = u32> {
        let planes = self.size.planes;
        let last = if self.options.is(Mutant::LowestPlaneFirst) {
            planes - 1
        } else {
            self.last_new_plane
        };
        (1..=planes).map(move |n| (last + n) % planes)
    }

    /// The lowest number not served in this round, or, if all were, the lowest of a new round.
    pub(super) fn next_of_round<I: Iterator<Item = u32>>(
        &self,
        able: impl Fn() -> I,
    ) -> Option<u32> {
        able()
            .find(|&path| !self.served[self.number_of(path)])
            .or_else(|| able().next())
    }

    /// A path and its plane take their turn; a round of the plane begins if the path had its turn already.
    pub(super) fn take_turn(&mut self, path: u32) {
        self.last_new_plane = self.path(path).config.plane.into();
        let number = self.number_of(path);
        if self.served[number] {
            let plane = self.path(path).config.plane.into();
            let round: Vec<u32> = self.paths_on(self.connection_of(path), plane).collect();
            for path in round {
                let number = self.number_of(path);
                self.served[number] = false;
            }
        }
        self.served[number] = true;
    }

    /// The paths of a connection on a plane.
    pub(super) fn paths_on(&self, connection: u32, plane: u32) -> impl Iterator<Item = u32> {
        let first = connection * self.size.paths;
        (first..first + self.size.paths).filter(move |&path| {
            let state = self.paths[path as usize].as_ref();
            state.is_some_and(|state| u32::from(state.config.plane) == plane)
        })
    }

    /// A path's number in its connection.
    pub(super) fn number_of(&self, path: u32) -> usize {
        (path % self.size.paths) as usize
    }

    fn outgoing_data(&self, path: u32, packet: Packet, frame: Incoming) -> Outgoing {
        let message = self.message(packet.slot);
        let segment = message.segment(packet.index, self.tunables.mtu_log2);
        let local_address = message
            .wqe
            .local_address
            .wrapping_add(segment.offset.into());
        Outgoing {
            local_address,
            ..self.address(path, frame)
        }
    }
}
