//! Commits of the receive engine and of what answers for it.
use metaroce_protocol::{Counter, Msg, Nak, Psn, RefusalReason, Sack};

use super::placement::Effect;
use super::{Nic, PendingRefusal, REFUSALS};
use crate::mutant::Mutant;
use crate::receive::Verdict;
use crate::wire::{Body, Incoming, Outgoing};

/// What became of a data packet or a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// Its payload goes to this host address.
    Placed {
        /// Host address of the first byte.
        address: u64,
        /// Bytes.
        length: u32,
    },
    /// Nothing is written.
    Dropped,
}

impl Nic {
    /// [`Self::arrive`], and the path's cumulative point advances at once: for users without hardware.
    pub fn receive(&mut self, frame: &Incoming, refusal_room: bool) -> Received {
        let received = self.arrive(frame, refusal_room);
        if let Some(path) = self.path_of(frame) {
            self.advance(path);
        }
        received
    }

    /// The cumulative point of a path moves on by one accepted packet; `None` if all have moved it.
    pub fn advance(&mut self, path: u32) -> Option<Psn> {
        let receive = &mut self.paths.get_mut(path as usize)?.as_mut()?.receive;
        receive.advance().then_some(receive.cum)
    }

    /// Data or a probe meets the receive engine. `refusal_room`: whether a refusal could be queued.
    pub fn arrive(&mut self, frame: &Incoming, refusal_room: bool) -> Received {
        let profile = self.options.profile;
        if matches!(frame.body, Body::Verb(packet) if !profile.knows(packet.verb.opcode())) {
            self.counters.add(Counter::RxUnknownOpcode, 1);
            return Received::Dropped;
        }
        let Some(path) = self.admit(frame) else {
            return Received::Dropped;
        };
        let marked = frame.ce && frame.body.is_data();
        self.path_mut(path)
            .receive
            .on_arrival(frame.tsn, frame.timestamp, marked);
        self.counters.add(Counter::RxMarked, marked.into());
        if frame.body.is_data() {
            self.on_heard(path);
            return self.receive_data(path, frame, refusal_room);
        }
        self.counters.add(Counter::RxProbes, 1);
        self.ask_for_ack(path);
        Received::Dropped
    }

    fn receive_data(&mut self, path: u32, frame: &Incoming, refusal_room: bool) -> Received {
        let (receive, window_log2) = (&self.path(path).receive, self.size.window_log2);
        let received = match self.options.verdict(receive, frame.psn, window_log2) {
            Verdict::OutOfWindow => {
                self.counters.add(Counter::RxOutOfWindow, 1);
                Received::Dropped
            }
            Verdict::Duplicate => {
                self.counters.add(Counter::RxDuplicate, 1);
                self.ask_for_ack(path);
                match frame.body {
                    Body::Write(write) if self.options.is(Mutant::DuplicatePlaced) => {
                        Received::Placed {
                            address: write.reth.address,
                            length: write.payload,
                        }
                    }
                    _ => Received::Dropped,
                }
            }
            Verdict::New => match self.examine(path, &frame.body) {
                Err(reason) => {
                    self.refuse(path, frame, reason, refusal_room);
                    Received::Dropped
                }
                Ok(effect) => self.accept(path, frame, effect),
            },
        };
        self.path_mut(path).receive.remember_mark(frame.ce);
        received
    }

    fn accept(&mut self, path: u32, frame: &Incoming, effect: Effect) -> Received {
        let ack_every = self.tunables.ack_every;
        let only_skips = self.options.ack_only_skips;
        let state = &mut self.path_mut(path).receive;
        if state.on_accepted(
            frame.psn,
            frame.ce,
            frame.ack_request,
            ack_every,
            only_skips,
        ) {
            state.ack_pending = true;
        }
        if let Body::Write(write) = &frame.body {
            self.counters.add(Counter::RxWrites, 1);
            self.counters.add(Counter::RxWriteBytes, write.payload);
        } else {
            self.counters.add(Counter::RxVerbs, 1);
        }
        self.carry_out(path, effect)
    }

    pub(super) fn ask_for_ack(&mut self, path: u32) {
        let state = &mut self.path_mut(path).receive;
        state.ack_pending = true;
        state.on_asked();
    }

    fn refuse(&mut self, path: u32, frame: &Incoming, reason: RefusalReason, room: bool) {
        match reason {
            RefusalReason::BadKey => self.counters.add(Counter::RxBadKey, 1),
            RefusalReason::BadRange => self.counters.add(Counter::RxBadRange, 1),
            RefusalReason::ReceiverNotReady => self.counters.add(Counter::RxNotReady, 1),
            _ => self.counters.add(Counter::RxInvalidRequest, 1),
        }
        if !room {
            self.counters.add(Counter::RefusalsDropped, 1);
            return;
        }
        debug_assert!(
            self.refusals.len() < REFUSALS,
            "the refusal queue overflows"
        );
        let Msg {
            stream, message, ..
        } = frame.body.msg();
        self.refusals.push_back(PendingRefusal {
            path,
            psn: frame.psn,
            tsn: frame.tsn,
            reason,
            stream,
            message,
        });
    }

    /// Builds the ACK that a path asked for; `None` if it asked for none.
    pub fn build_ack(&mut self, path: u32) -> Option<Outgoing> {
        let state = self.paths.get_mut(path as usize)?.as_mut()?;
        if !std::mem::take(&mut state.receive.ack_pending) {
            return None;
        }
        self.counters.add(Counter::TxAcks, 1);
        let rate_hint = self.rate_hint();
        let r = &self.path(path).receive;
        let sack = Sack {
            received: r.received,
            marked: r.marked,
            rate_hint,
            bitvector: r.bits,
            ..Sack::default()
        };
        let header = self.header(path, r.cum, r.max_tsn, Body::Ack(sack));
        Some(self.address(
            path,
            Incoming {
                timestamp: r.echo_timestamp,
                ..header
            },
        ))
    }

    /// Builds the oldest refusal that waits.
    pub fn build_refusal(&mut self) -> Option<Outgoing> {
        let refusal = self.refusals.pop_front()?;
        self.counters.add(Counter::TxRefusals, 1);
        let PendingRefusal {
            path,
            psn,
            tsn,
            reason,
            stream,
            message,
        } = refusal;
        let body = Body::Refusal(Nak {
            reason,
            stream,
            message,
            ..Nak::default()
        });
        Some(self.address(path, self.header(path, psn, tsn, body)))
    }
}
