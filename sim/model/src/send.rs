//! The sender's side of a path: numbering, the snapshot of what the receiver said, and the fate of each transmission.
use metaroce_protocol::constants::{MAX_BACKOFF_SHIFT, MAX_UNRESOLVED, MAX_UNRESOLVED_DATA};
use metaroce_protocol::{Bitvector, Psn, Tsn};

/// Entries of the ring by TSN: one more than may be unresolved, so that full differs from empty.
const RING: usize = MAX_UNRESOLVED as usize + 1;

/// One packet's place in its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Packet {
    /// The message's slot.
    pub slot: u8,
    /// Packet of the message, from 0.
    pub index: u32,
}

/// One transmission, by TSN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transmission {
    /// A probe: nothing hangs on it.
    Probe,
    /// The PSN sent, and the slot of its message.
    Data {
        /// Slot in the path's sequence.
        psn: Psn,
        /// Slot of its message.
        slot: u8,
    },
}

/// What became of a transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was a probe.
    Probe,
    /// Its packet is at the receiver: the message's slot.
    Delivered(u8),
    /// Its packet must be sent again.
    Lost(Psn),
}

/// Why a path wants to probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Nothing behind the last packets shows a gap.
    Tail,
    /// Silence for too long.
    TimeOut,
    /// Silence after the last time-out allowed: the connection fails.
    GiveUp,
}

/// Whether an acknowledgement was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckVerdict {
    /// It replaced the snapshot.
    Applied,
    /// Older than the snapshot.
    Stale,
    /// Says what can't be true.
    Invalid,
}

/// One path, as its sender sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SendPath {
    /// PSN of the next new packet.
    pub next_psn: Psn,
    /// TSN of the next transmission.
    pub next_tsn: Tsn,
    /// Every TSN before it is resolved.
    pub resolved: Tsn,
    cum: Psn,
    bits: Bitvector,
    echo: Tsn,
    window_log2: u32,
    last_tx: u32,
    last_ack: u32,
    retries: u32,
    ack_since_timeout: bool,
    last_was_probe: bool,
    in_flight: Vec<Packet>,
    ring: Vec<Transmission>,
}

impl SendPath {
    /// A path that starts with `psn` (a multiple of 256) and `tsn` at time `now`.
    pub fn new(window_log2: u32, psn: Psn, tsn: Tsn, now: u32) -> Self {
        Self {
            next_psn: psn,
            next_tsn: tsn,
            resolved: tsn,
            cum: psn,
            bits: Bitvector::nothing_received(psn, window_log2),
            echo: tsn.minus(1),
            window_log2,
            last_tx: now,
            last_ack: now,
            retries: 0,
            ack_since_timeout: false,
            last_was_probe: false,
            in_flight: vec![Packet::default(); 1 << window_log2],
            ring: vec![Transmission::Probe; RING],
        }
    }

    /// Transmissions whose fate is open, 0..=255.
    pub fn unresolved(&self) -> u32 {
        self.next_tsn.distance_from(self.resolved)
    }

    /// New packets that may be sent now.
    pub fn headroom(&self, window: u32) -> u32 {
        let flight = self.next_psn.distance_from(self.cum);
        self.pipe_room(window)
            .min(self.window().saturating_sub(flight))
    }

    /// Transmissions, retransmissions too, that may be sent now.
    pub fn pipe_room(&self, window: u32) -> u32 {
        window
            .min(MAX_UNRESOLVED_DATA)
            .saturating_sub(self.unresolved())
    }

    /// Sends a new packet: its PSN.
    pub fn send_new(&mut self, packet: Packet, now: u32) -> (Psn, Tsn) {
        let psn = self.next_psn;
        self.next_psn = psn.next();
        let slot = self.index(psn);
        self.in_flight[slot] = packet;
        (
            psn,
            self.transmit(
                Transmission::Data {
                    psn,
                    slot: packet.slot,
                },
                now,
            ),
        )
    }

    /// Sends a lost packet again: same PSN, new TSN.
    pub fn send_again(&mut self, psn: Psn, now: u32) -> (Packet, Tsn) {
        let packet = self.in_flight[self.index(psn)];
        (
            packet,
            self.transmit(
                Transmission::Data {
                    psn,
                    slot: packet.slot,
                },
                now,
            ),
        )
    }

    /// Sends a probe.
    pub fn send_probe(&mut self, probe: Probe, now: u32) -> Tsn {
        if probe == Probe::TimeOut {
            self.retries = self.retries_so_far() + 1;
            self.ack_since_timeout = false;
        }
        self.transmit(Transmission::Probe, now)
    }

    fn transmit(&mut self, what: Transmission, now: u32) -> Tsn {
        let tsn = self.next_tsn;
        self.ring[tsn.get() as usize % RING] = what;
        self.next_tsn = tsn.next();
        self.last_tx = now;
        self.last_was_probe = what == Transmission::Probe;
        tsn
    }

    /// Which probe the path wants, if any. `quiet`: the NIC has no new data to send.
    pub fn wants_probe(&self, now: u32, quiet: bool, rto: u32, max_retries: u32) -> Option<Probe> {
        let retries = self.retries_so_far();
        let limit = u64::from(rto) << retries.min(MAX_BACKOFF_SHIFT);
        let silent = |since: u32| u64::from(now.wrapping_sub(since)) >= limit;
        if self.unresolved() == 0 {
            None
        } else if silent(self.last_tx) && silent(self.last_ack) {
            Some(
                if retries >= max_retries || self.unresolved() == MAX_UNRESOLVED {
                    Probe::GiveUp
                } else {
                    Probe::TimeOut
                },
            )
        } else if quiet && !self.last_was_probe && self.unresolved() < MAX_UNRESOLVED {
            Some(Probe::Tail)
        } else {
            None
        }
    }

    /// Time-outs in a row without an ACK.
    fn retries_so_far(&self) -> u32 {
        if self.ack_since_timeout {
            0
        } else {
            self.retries
        }
    }

    /// An acknowledgement: replaces the snapshot if it can be true and is not older.
    pub fn on_ack(&mut self, cum: Psn, echo: Tsn, bits: Bitvector, now: u32) -> AckVerdict {
        let possible = self.next_tsn.is_after(echo)
            && self.next_psn.is_at_or_after(cum)
            && self.next_psn.distance_from(cum) <= self.window();
        if !possible {
            AckVerdict::Invalid
        } else if !(echo.is_at_or_after(self.echo) && cum.is_at_or_after(self.cum)) {
            AckVerdict::Stale
        } else {
            (self.cum, self.echo, self.bits) = (cum, echo, bits);
            self.last_ack = now;
            self.ack_since_timeout = true;
            AckVerdict::Applied
        }
    }

    /// Highest TSN that the receiver has seen, as far as its sender knows.
    pub fn echo(&self) -> Tsn {
        self.echo
    }

    /// When the snapshot came.
    pub fn last_ack(&self) -> u32 {
        self.last_ack
    }

    /// Whether the snapshot's echo says something about the oldest unresolved transmission.
    pub fn can_resolve(&self) -> bool {
        self.echo.is_at_or_after(self.resolved)
    }

    /// Resolves the oldest unresolved transmission; needs `can_resolve`.
    pub fn resolve(&mut self) -> Fate {
        let what = self.ring[self.resolved.get() as usize % RING];
        self.resolved = self.resolved.next();
        match what {
            Transmission::Probe => Fate::Probe,
            Transmission::Data { psn, slot } if self.is_delivered(psn) => Fate::Delivered(slot),
            Transmission::Data { psn, .. } => Fate::Lost(psn),
        }
    }

    fn is_delivered(&self, psn: Psn) -> bool {
        psn.is_before(self.cum) || self.bits.is_received(psn, self.window_log2)
    }

    fn index(&self, psn: Psn) -> usize {
        psn.slot(self.window_log2)
    }

    fn window(&self) -> u32 {
        1 << self.window_log2
    }
}
