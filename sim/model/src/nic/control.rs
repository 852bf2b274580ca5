//! What holds a sender back: windows, time-outs, and the receiver's rate hints.
use metaroce_protocol::Sack;
use metaroce_protocol::constants::{MAX_BACKOFF_SHIFT, RATE_HINT_FULL, WRITE_OVERHEAD_BYTES};

use super::{Extra, Nic, PathState};
use crate::congestion::{AckEvent, LawSettings, ONE};
use crate::hint::{self, Activity};
use crate::mutant::Mutant;
use crate::send::{Patience, ProbeRule};
use crate::wire::Outgoing;

impl Nic {
    /// The law of paths that start from now on.
    pub fn set_law(&mut self, laws: Box<dyn LawSettings>) {
        self.laws = laws;
    }

    /// Who counts active connections; without one every hint is the whole line.
    pub fn set_activity(&mut self, activity: Box<dyn Activity>) {
        self.activity = Some(activity);
    }

    /// The time, for the events that come without one. Only rate hints and the ramps of planes look at it.
    pub fn on_clock(&mut self, now: u32) {
        self.clock = now;
        self.advance_ramps();
    }

    /// Transmissions that a path may have unresolved now.
    pub(super) fn window(&self, path: &PathState) -> u32 {
        let window = self.tunables.window.min(path.law.window() / ONE);
        window.min(self.ramp(path))
    }

    /// Silence after which a path is probed.
    pub(super) fn rto(&self, path: &PathState) -> u32 {
        self.rto_by(path.rtt.timeout())
    }

    /// The same by a measured time-out.
    pub(super) fn rto_by(&self, measured: Option<u32>) -> u32 {
        let floor = self.options.rto_floor;
        match measured {
            Some(timeout) if floor > 0 => timeout.max(floor),
            _ => self.tunables.rto,
        }
    }

    pub(super) fn on_applied_ack(&mut self, path: u32, sack: &Sack, rtt: Option<u32>, now: u32) {
        let paths = self.connection(path).config.path_count.max(1).into();
        self.connection_mut(path).bucket.set_hint(sack.rate_hint);
        self.on_plane_answer(path, now);
        let max_allowance = self.options.max_allowance;
        if self.path_mut(path).send.take_needless() {
            self.extra.count(Extra::NeedlessRetransmissions);
            self.connection_mut(path).reorder.on_needless(max_allowance);
        }
        let windows = self.windows_around(path);
        self.before_ack(path);
        let state = self.path_mut(path);
        let (received, marked) = state.acked;
        state.acked = (sack.received, sack.marked);
        if let Some(rtt) = rtt {
            state.rtt.on_sample(rtt);
        }
        let delivered: u32 = sack.received.wrapping_sub(received).into();
        let marked: u32 = sack.marked.wrapping_sub(marked).into();
        state.law.on_ack(&AckEvent {
            delivered,
            marked: marked.min(delivered),
            rtt,
            paths,
            windows,
            now,
        });
        self.after_ack(path);
        self.on_marks(path, delivered, marked.min(delivered));
        if marked > 0 {
            self.connection_mut(path).copies = 0;
        }
    }

    /// What the laws of a connection say together, if the path's wants to know.
    fn windows_around(&self, path: u32) -> u64 {
        if !self.path(path).law.looks_around() {
            return 0;
        }
        let first = (self.connection_of(path) * self.size.paths) as usize;
        let paths = &self.paths[first..first + self.size.paths as usize];
        let windows = paths.iter().flatten().map(|p| u64::from(p.law.window()));
        windows.sum()
    }

    /// How long a missing packet is not yet lost; `None`: no such path.
    pub(super) fn patience(&self, path: u32) -> Option<Patience> {
        self.paths.get(path as usize)?.as_ref()?;
        let connection = self.connections[self.connection_of(path) as usize].as_ref();
        let open = self.path(path).is_open();
        Some(Patience {
            // Of a closed epoch nothing more can come.
            allowance: connection
                .filter(|_| open)
                .map_or(0, |c| c.reorder.allowance()),
            early: self.options.max_allowance > 0
                || self.options.idle_copies
                || self.options.retransmission_copies
                || self.options.is(Mutant::BitsAheadOfEcho),
        })
    }

    /// When a path probes.
    pub(super) fn probe_rule(&self, path: &PathState, allowance: u32, quiet: bool) -> ProbeRule {
        let back_off = path.send.timeouts_in_row().min(MAX_BACKOFF_SHIFT);
        let no_back_off = self.options.is(Mutant::NoBackOff);
        ProbeRule {
            quiet: quiet && !self.options.is(Mutant::NoTailProbe),
            rto: self.rto(path) >> if no_back_off { back_off } else { 0 },
            max_retries: self.tunables.max_retries,
            tail_probes: 1 + self.options.extra_tail_probes + allowance,
            closed_from: path.law.window() / ONE,
        }
    }

    /// Whether a connection may send a new packet: its window over all paths, and its share of the receiver's line.
    pub(super) fn may_send(&mut self, connection: u32, now: u32) -> bool {
        self.is_in_connection_window(connection) && self.is_in_share(connection, now)
    }

    fn is_in_connection_window(&self, connection: u32) -> bool {
        let window = self.options.connection_window;
        let first = (connection * self.size.paths) as usize;
        let paths = &self.paths[first..first + self.size.paths as usize];
        let unresolved = || paths.iter().flatten().map(|p| p.send.unresolved());
        window == 0 || unresolved().sum::<u32>() < window
    }

    fn is_in_share(&mut self, connection: u32, now: u32) -> bool {
        let (rate, burst) = (self.options.line_rate, self.options.burst);
        match &mut self.connections[connection as usize] {
            Some(state) if rate > 0 => {
                state.bucket.fill(now, rate, burst);
                state.bucket.is_open()
            }
            _ => true,
        }
    }

    /// Ticks until the receiver's share lets the current message's next packet go, as of the last attempt; 0: now, or
    /// there is none.
    pub fn current_waits(&self) -> u32 {
        let packet = self.messages.current();
        let message = packet.and_then(|p| self.messages.in_slot(p.slot));
        let state = message.and_then(|m| self.connections[usize::from(m.wqe.connection)].as_ref());
        let rate = self.options.line_rate;
        state
            .filter(|_| rate > 0)
            .map_or(0, |s| s.bucket.opens_in(rate))
    }

    /// Packets that a path's window holds now, to look at; `None`: no such path.
    pub fn path_window(&self, path: u32) -> Option<u32> {
        let state = self.paths.get(path as usize)?.as_ref()?;
        Some(self.window(state))
    }

    /// UDP source port of a path now.
    pub fn entropy(&self, path: u32) -> Option<u16> {
        Some(self.paths.get(path as usize)?.as_ref()?.config.entropy)
    }

    /// Bytes of memory that its connections hold: tables of paths and connections, not the rare queues.
    pub fn memory(&self) -> usize {
        let paths = self.paths.iter().flatten().map(|p| p.send.memory());
        size_of_val(&self.paths[..]) + size_of_val(&self.connections[..]) + paths.sum::<usize>()
    }

    /// A data packet leaves, new or again.
    pub(super) fn on_sent(&mut self, path: u32, frame: &Outgoing) {
        if self.options.line_rate > 0 {
            let bytes = frame.payload_length() + WRITE_OVERHEAD_BYTES as u32;
            self.connection_mut(path).bucket.spend(bytes);
        }
    }

    /// The share of this receiver's line for each connection that is active now.
    pub(super) fn rate_hint(&mut self) -> u16 {
        let now = self.clock;
        match &mut self.activity {
            Some(activity) => hint::share(activity.active(now)),
            None => RATE_HINT_FULL,
        }
    }

    /// The hint that a connection's peer gave last.
    pub fn hint(&self, connection: u32) -> Option<u16> {
        let state = self.connections[connection as usize].as_ref()?;
        Some(state.bucket.hint())
    }

    pub(super) fn on_heard(&mut self, path: u32) {
        let (connection, now) = (self.connection_of(path), self.clock);
        if let Some(activity) = &mut self.activity {
            activity.on_heard(connection, now);
            self.push_hints();
        }
    }

    /// The number of posted buffers of a connection may have changed.
    pub(super) fn on_posted(&mut self, connection: u32) {
        let state = self.connections[connection as usize].as_ref();
        let buffers = state.map_or(0, |s| s.streams.values().map(|t| t.posted()).sum());
        if let Some(activity) = &mut self.activity {
            activity.on_posted(connection, buffers);
            self.push_hints();
        }
    }

    /// Where more connections share the line than before, each hears it at once: an ACK on its first path.
    fn push_hints(&mut self) {
        let now = self.clock;
        let active = self.activity.as_mut().map_or(0, |a| a.active(now));
        if active > self.active {
            for connection in 0..self.size.connections {
                let first = connection * self.size.paths;
                let mut paths = first..first + self.size.paths;
                let usable = self.connections[connection as usize].is_some();
                let path = paths.find(|&p| usable && self.paths[p as usize].is_some());
                if let Some(path) = path {
                    self.ask_for_ack(path);
                    self.asked.push_back(path);
                }
            }
        }
        self.active = active;
    }

    /// The next path whose ACK was asked for by something else than a frame.
    pub fn next_asked(&mut self) -> Option<u32> {
        self.asked.pop_front()
    }
}
