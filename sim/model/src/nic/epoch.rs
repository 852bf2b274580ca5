//! Path epochs: a path changes its entropy or is given up, and every packet still counts once.
//!
//! Sender: `Open` -> [`Nic::reroute`] -> `Closing` (SYNC on a healthy path until answered; nothing is sent on the path) ->
//! final state of the receiver -> `Draining` (what it lacks goes to other paths) -> [`Nic::reopen`] -> `Open`.
use metaroce_protocol::constants::MAX_BACKOFF_SHIFT;
use metaroce_protocol::{Counter, Psn, Sack, Sync, Tsn};

use super::{Extra, Failure, Marks, Nic, PathState};
use crate::congestion::RttEstimate;
use crate::receive::ReceivePath;
use crate::send::{Lost, Packet, SendPath};
use crate::wire::{Body, Incoming, Outgoing};

/// What the next epoch starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Next {
    epoch: u8,
    entropy: u16,
    psn: Psn,
    tsn: Tsn,
}

/// A sender's path: what may be done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Everything.
    Open,
    /// Its epoch is to end; lost packets wait for the receiver's last word.
    Closing {
        next: Next,
        /// When the last SYNC was sent, and how many were.
        asked: Option<u32>,
        tries: u32,
        parked: Vec<Lost>,
    },
    /// The last word is here.
    Draining(Next),
}

/// The receiver's last word on an epoch, kept for a SYNC that comes again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Closed {
    epoch: u8,
    cum: Psn,
    max_tsn: Tsn,
    echo_timestamp: u32,
    sack: Sack,
}

impl PathState {
    pub(super) fn is_open(&self) -> bool {
        self.standing == Standing::Open
    }
}

impl Nic {
    /// Ends the epoch of a path, which goes on with another entropy once its peer has agreed. `false`: the path can't, or
    /// is already about to.
    pub fn reroute(&mut self, path: u32, entropy: u16) -> bool {
        let whole = self.is_whole() && self.failure(self.connection_of(path)).is_none();
        let state = self.paths.get_mut(path as usize).and_then(Option::as_mut);
        let Some(state) = state.filter(|s| whole && s.is_open()) else {
            return false;
        };
        let next = Next {
            epoch: state.epoch_tx.wrapping_add(1),
            entropy,
            // The bitvector's laps start at a multiple of its largest width.
            psn: Psn::truncate((state.send.next_psn.get() + 255) & !255),
            tsn: state.send.next_tsn,
        };
        let queue = &mut self.retransmit[usize::from(state.config.plane)];
        let parked = (queue.iter().filter(|&&(p, _)| p == path)).map(|&(_, lost)| lost);
        let parked = parked.collect();
        queue.retain(|&(p, _)| p != path);
        state.standing = Standing::Closing {
            next,
            asked: None,
            tries: 0,
            parked,
        };
        self.extra.count(Extra::EpochsEnded);
        true
    }

    /// The SYNC that a closing path must send now, if any: the first at once, then after a time-out that doubles, each on
    /// another healthy path.
    pub fn build_sync(&mut self, path: u32, now: u32) -> Option<Outgoing> {
        let state = self.paths.get(path as usize)?.as_ref()?;
        let &Standing::Closing {
            next, asked, tries, ..
        } = &state.standing
        else {
            return None;
        };
        let wait = u64::from(self.tunables.rto) << tries.min(MAX_BACKOFF_SHIFT);
        let due = asked.is_none_or(|at| u64::from(now.wrapping_sub(at)) >= wait);
        if !due || self.connection(path).failure.is_some() {
            return None;
        }
        if tries > self.tunables.max_retries {
            self.fail(self.connection_of(path), Failure::RetryExceeded);
            return None;
        }
        let via = self.healthy_path(path, tries);
        let sync = Sync {
            via: self.path_in_connection(via),
            epoch: next.epoch,
            ..Sync::default()
        };
        let frame = Incoming {
            timestamp: now,
            ack_request: true,
            ..self.header(path, next.psn, next.tsn, Body::Sync(sync))
        };
        if let Standing::Closing { asked, tries, .. } = &mut self.path_mut(path).standing {
            *asked = Some(now);
            *tries += 1;
        }
        self.extra.count(Extra::TxSyncs);
        Some(self.address(via, frame))
    }

    /// Another path of the connection that is open, on a plane that is not suspect; the path itself where there is none.
    fn healthy_path(&self, path: u32, tries: u32) -> u32 {
        let (first, count) = (self.connection_of(path) * self.size.paths, self.size.paths);
        let place = path - first;
        let healthy = |&p: &u32| {
            let state = self.paths[p as usize].as_ref();
            p != path && state.is_some_and(|s| s.is_open() && !self.is_suspect(s))
        };
        (0..count)
            .map(|n| first + (place + 1 + tries + n) % count)
            .find(healthy)
            .unwrap_or(path)
    }

    /// A SYNC arrives: the path's epoch ends here, and the answer is the last word on it.
    pub fn on_sync(&mut self, frame: &Incoming) -> Option<Outgoing> {
        let Body::Sync(sync) = frame.body else {
            return None;
        };
        let Some(path) = self
            .lookup(frame.dest_qp, frame.path)
            .filter(|_| self.is_whole())
        else {
            self.counters.add(Counter::RxUnknownConnection, 1);
            return None;
        };
        let epoch_rx = self.path(path).epoch_rx;
        if frame.epoch == epoch_rx && sync.epoch != epoch_rx {
            self.close_epoch(path, &sync, frame);
        }
        let state = self.path(path);
        let known = state.closed.filter(|closed| closed.epoch == frame.epoch);
        let Some(closed) = known.filter(|_| state.epoch_rx == sync.epoch) else {
            self.counters.add(Counter::RxClosedEpoch, 1);
            return None;
        };
        let answer = Incoming {
            epoch: closed.epoch,
            timestamp: closed.echo_timestamp,
            ..self.header(path, closed.cum, closed.max_tsn, Body::SyncAck(closed.sack))
        };
        let via = self.lookup(frame.dest_qp, sync.via).unwrap_or(path);
        Some(self.address(via, answer))
    }

    fn close_epoch(&mut self, path: u32, sync: &Sync, frame: &Incoming) {
        let window_log2 = self.size.window_log2;
        let rate_hint = self.rate_hint();
        let state = self.path_mut(path);
        let old = &state.receive;
        state.closed = Some(Closed {
            epoch: frame.epoch,
            cum: old.cum,
            max_tsn: old.max_tsn,
            echo_timestamp: old.echo_timestamp,
            sack: Sack {
                received: old.received,
                marked: old.marked,
                rate_hint,
                bitvector: old.bits,
                ..Sack::default()
            },
        });
        state.receive = ReceivePath::new(window_log2, frame.psn, frame.tsn);
        state.epoch_rx = sync.epoch;
        // Those packets come again on other paths, and are refused there.
        self.refusals.retain(|refusal| refusal.path != path);
    }

    /// The receiver's last word on an epoch arrives.
    pub fn on_sync_ack(&mut self, frame: &Incoming, now: u32) {
        let Body::SyncAck(sack) = frame.body else {
            return;
        };
        let Some(path) = self.admit_answer(frame) else {
            return;
        };
        let state = self.path_mut(path);
        let Standing::Closing { next, parked, .. } = &state.standing else {
            return;
        };
        let (next, parked) = (*next, parked.clone());
        if !state.send.on_final(frame.psn, sack.bitvector, now) {
            self.counters.add(Counter::RxAckInvalid, 1);
            return;
        }
        state.standing = Standing::Draining(next);
        for lost in parked {
            if self.path(path).send.is_delivered(lost.psn) {
                self.on_delivered_late(path, lost.packet);
            } else {
                self.move_packet(path, lost.packet);
            }
        }
    }

    /// What the receiver lacks of a closed epoch goes to other paths, with numbers of its own there.
    pub(super) fn move_packet(&mut self, path: u32, packet: Packet) {
        self.extra.count(Extra::PacketsMoved);
        self.moved.push_back((self.connection_of(path), packet));
    }

    /// A drained path starts its next epoch. `false`: there is none, or the resolver has more to do.
    pub fn reopen(&mut self, path: u32, now: u32) -> bool {
        let window_log2 = self.size.window_log2;
        let Some(state) = self.paths.get_mut(path as usize).and_then(Option::as_mut) else {
            return false;
        };
        let Standing::Draining(next) = state.standing else {
            return false;
        };
        if state.send.unresolved() > 0 {
            return false;
        }
        state.send = SendPath::new(window_log2, next.psn, next.tsn, now);
        state.epoch_tx = next.epoch;
        state.config.entropy = next.entropy;
        state.law = self.laws.start(now);
        (state.rtt, state.acked) = (RttEstimate::default(), (0, 0));
        state.marks = Marks::default();
        state.standing = Standing::Open;
        true
    }
}
