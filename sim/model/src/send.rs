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
    /// A packet that was sent a second time since: its fate is the copy's.
    Copied(Psn),
    /// The PSN sent, and the slot of its message.
    Data {
        /// Slot in the path's sequence.
        psn: Psn,
        /// Slot of its message.
        slot: u8,
    },
}

/// A packet that must be sent again. It is named whole: by the time it is sent, its place in the table may be another's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lost {
    /// Its slot in the path's sequence.
    pub psn: Psn,
    /// The packet.
    pub packet: Packet,
}

/// What became of a transmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It was a probe.
    Probe,
    /// Its packet is at the receiver: the message's slot.
    Delivered(u8),
    /// Its packet must be sent again.
    Lost(Lost),
}

/// How patient the resolver is. The default is today's hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Patience {
    /// Transmissions after one that must have arrived before it is lost.
    pub allowance: u32,
    /// A packet that is at the receiver is delivered, whether or not its newest transmission has arrived: matters where
    /// a packet is sent twice.
    pub early: bool,
}

/// When a path probes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeRule {
    /// The NIC has no new data to send.
    pub quiet: bool,
    /// Silence that is a time-out, in ticks.
    pub rto: u32,
    /// Time-outs in a row that are allowed.
    pub max_retries: u32,
    /// Probes in a row on a quiet tail.
    pub tail_probes: u32,
    /// Unresolved transmissions from which on a law of congestion closes the path.
    pub closed_from: u32,
}

/// The newest retransmission, until its fate is known: was it needed?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Again {
    psn: Psn,
    tsn: Tsn,
}

/// Why a packet's newest transmission was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
enum Reason {
    /// For the first time.
    #[default]
    First,
    /// It was lost.
    Lost,
    /// As a second copy.
    Copy,
}

/// A packet of the path, by PSN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
struct InFlight {
    packet: Packet,
    /// Its newest transmission.
    tsn: Tsn,
    /// Why that was sent.
    reason: Reason,
}

/// Why a path wants to probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// Nothing behind the last packets shows a gap, or asks for the acknowledgement that opens the path.
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
    /// Probes since the last data.
    probes_in_row: u32,
    /// The last transmission asked for an acknowledgement.
    last_asked: bool,
    /// The newest time-out's probe: what was sent before it and is missing after it is lost, whatever the allowance.
    timeout_probe: Option<Tsn>,
    again: Option<Again>,
    /// By PSN; empty until something is sent: most paths of a large fabric only receive.
    in_flight: Vec<InFlight>,
    /// By TSN; the same.
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
            probes_in_row: 0,
            last_asked: false,
            timeout_probe: None,
            again: None,
            in_flight: Vec::new(),
            ring: Vec::new(),
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
        (psn, self.send_data(psn, packet, Reason::First, now))
    }

    /// The packet sent just now asks for an acknowledgement, or not.
    pub fn asks(&mut self, asks: bool) {
        self.last_asked = asks;
    }

    /// Sends a lost packet again: same PSN, new TSN.
    pub fn send_again(&mut self, lost: Lost, now: u32) -> Tsn {
        let Lost { psn, packet } = lost;
        let tsn = self.send_data(psn, packet, Reason::Lost, now);
        self.again = Some(Again { psn, tsn });
        tsn
    }

    /// The packet that a PSN names.
    pub fn packet(&self, psn: Psn) -> Packet {
        self.in_flight[self.index(psn)].packet
    }

    /// The packet that deserves a second copy most, of those whose only transmission is under way and not known to have
    /// arrived: one that was lost before, else (`any`) the newest.
    pub fn next_to_copy(&self, any: bool) -> Option<Psn> {
        let flight = self.next_psn.distance_from(self.cum);
        let newest_first = || (1..=flight).map(|back| self.next_psn.minus(back));
        let is = |psn: &Psn, reason| {
            self.in_flight[self.index(*psn)].reason == reason && self.is_under_way(*psn)
        };
        newest_first()
            .find(|psn| is(psn, Reason::Lost))
            .or_else(|| newest_first().find(|psn| any && is(psn, Reason::First)))
    }

    fn is_under_way(&self, psn: Psn) -> bool {
        let tsn = self.in_flight[self.index(psn)].tsn;
        let open = tsn.is_at_or_after(self.resolved) && self.next_tsn.is_after(tsn);
        let newest =
            matches!(self.ring[ring_index(tsn)], Transmission::Data { psn: p, .. } if p == psn);
        open && newest && !self.is_delivered(psn)
    }

    /// Sends a second copy, which takes over the fate of the first: a packet has one unresolved transmission at most.
    pub fn send_copy(&mut self, psn: Psn, now: u32) -> (Packet, Tsn) {
        let InFlight { packet, tsn, .. } = self.in_flight[self.index(psn)];
        self.ring[ring_index(tsn)] = Transmission::Copied(psn);
        (packet, self.send_data(psn, packet, Reason::Copy, now))
    }

    fn send_data(&mut self, psn: Psn, packet: Packet, reason: Reason, now: u32) -> Tsn {
        if self.in_flight.is_empty() {
            self.in_flight = vec![InFlight::default(); 1 << self.window_log2];
        }
        let slot = packet.slot;
        let tsn = self.transmit(Transmission::Data { psn, slot }, now);
        self.probes_in_row = 0;
        self.last_asked = true;
        // The place of one that arrived while it waited to be sent again may be a newer packet's.
        if self.next_psn.distance_from(psn) <= self.window() {
            let place = self.index(psn);
            self.in_flight[place] = InFlight {
                packet,
                tsn,
                reason,
            };
        }
        tsn
    }

    /// Sends a probe.
    pub fn send_probe(&mut self, probe: Probe, now: u32) -> Tsn {
        let tsn = self.transmit(Transmission::Probe, now);
        if probe == Probe::TimeOut {
            self.retries = self.retries_so_far() + 1;
            self.ack_since_timeout = false;
            self.timeout_probe = Some(tsn);
        }
        self.probes_in_row += 1;
        self.last_asked = true;
        tsn
    }

    fn transmit(&mut self, what: Transmission, now: u32) -> Tsn {
        if self.ring.is_empty() {
            self.ring = vec![Transmission::Probe; RING];
        }
        let tsn = self.next_tsn;
        self.ring[ring_index(tsn)] = what;
        self.next_tsn = tsn.next();
        self.last_tx = now;
        tsn
    }

    /// Which probe the path wants, if any.
    pub fn wants_probe(&self, now: u32, rule: &ProbeRule) -> Option<Probe> {
        let retries = self.retries_so_far();
        let limit = u64::from(rule.rto) << retries.min(MAX_BACKOFF_SHIFT);
        let silent = |since: u32| u64::from(now.wrapping_sub(since)) >= limit;
        let quiet = rule.quiet && self.probes_in_row < rule.tail_probes;
        let closed = self.unresolved() >= rule.closed_from && !self.last_asked;
        if self.unresolved() == 0 {
            None
        } else if silent(self.last_tx) && silent(self.last_ack) {
            Some(
                if retries >= rule.max_retries || self.unresolved() == MAX_UNRESOLVED {
                    Probe::GiveUp
                } else {
                    Probe::TimeOut
                },
            )
        } else if (quiet || closed) && self.unresolved() < MAX_UNRESOLVED {
            Some(Probe::Tail)
        } else {
            None
        }
    }

    /// No time-out in a row: the one just counted was found before the last ACK.
    pub fn forget_timeouts(&mut self) {
        self.ack_since_timeout = true;
    }

    /// Time-outs in a row, until an ACK is applied.
    pub fn timeouts_in_row(&self) -> u32 {
        self.retries_so_far()
    }

    /// When something was last sent.
    pub fn last_tx(&self) -> u32 {
        self.last_tx
    }

    /// Nothing but probes is unresolved, and nobody waits for them.
    pub fn forget_probes(&mut self) {
        self.resolved = self.next_tsn;
        self.timeout_probe = None;
    }

    /// The receiver's last word: it will take nothing more of what was sent. `false`: it can't be true.
    pub fn on_final(&mut self, cum: Psn, bits: Bitvector, now: u32) -> bool {
        let last = self.next_tsn.minus(1);
        self.can_be_true(cum, last) && self.on_ack(cum, last, bits, now) == AckVerdict::Applied
    }

    /// Time-outs in a row without an ACK.
    fn retries_so_far(&self) -> u32 {
        if self.ack_since_timeout {
            0
        } else {
            self.retries
        }
    }

    /// Whether an acknowledgement can be true: it speaks of what was sent.
    pub fn can_be_true(&self, cum: Psn, echo: Tsn) -> bool {
        echo.is_before(self.next_tsn) && self.next_psn.distance_from(cum) <= self.window()
    }

    /// An acknowledgement that can be true: replaces the snapshot if it is not older.
    pub fn on_ack(&mut self, cum: Psn, echo: Tsn, bits: Bitvector, now: u32) -> AckVerdict {
        if !(echo.is_at_or_after(self.echo) && cum.is_at_or_after(self.cum)) {
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

    /// Whether the newest retransmission was needless: its packet is at the receiver, and the echo says that the
    /// retransmission was not yet there. Says so once.
    pub fn take_needless(&mut self) -> bool {
        let Some(Again { psn, tsn }) = self.again else {
            return false;
        };
        let arrived = self.echo.is_at_or_after(tsn);
        let needless = !arrived && self.is_delivered(psn);
        if arrived || needless {
            self.again = None;
        }
        needless
    }

    /// Whether the snapshot says what became of the oldest unresolved transmission.
    pub fn can_resolve(&self, patience: Patience) -> bool {
        let oldest = self.resolved;
        if self.next_tsn == oldest {
            return false;
        }
        let reached = self.echo.is_at_or_after(oldest);
        match self.ring[ring_index(oldest)] {
            // Behind a probe may stand a copy of what is long delivered: the message must not wait for the probe's answer.
            Transmission::Probe => {
                reached || (patience.early && self.timeout_probe != Some(oldest))
            }
            Transmission::Copied(psn) => reached || (patience.early && self.is_delivered(psn)),
            Transmission::Data { psn, .. } if self.is_delivered(psn) => reached || patience.early,
            Transmission::Data { .. } => {
                reached
                    && (self.echo.distance_from(oldest) >= patience.allowance
                        || self.is_before_timeout(oldest))
            }
        }
    }

    /// A time-out's probe that was sent after it has arrived.
    fn is_before_timeout(&self, tsn: Tsn) -> bool {
        self.timeout_probe
            .is_some_and(|probe| self.echo.is_at_or_after(probe) && tsn.is_before(probe))
    }

    /// Resolves the oldest unresolved transmission; needs `can_resolve`.
    pub fn resolve(&mut self) -> Fate {
        let what = self.ring[ring_index(self.resolved)];
        self.timeout_probe = self.timeout_probe.filter(|&tsn| tsn != self.resolved);
        self.resolved = self.resolved.next();
        match what {
            Transmission::Probe => Fate::Probe,
            Transmission::Copied(psn) => {
                self.on_first_lost(psn);
                Fate::Probe
            }
            Transmission::Data { psn, slot } if self.is_delivered(psn) => Fate::Delivered(slot),
            Transmission::Data { psn, .. } => Fate::Lost(Lost {
                psn,
                packet: self.packet(psn),
            }),
        }
    }

    /// Bytes of its tables.
    pub fn memory(&self) -> usize {
        size_of_val(&self.in_flight[..]) + size_of_val(&self.ring[..])
    }

    /// The first transmission of a packet with a copy is lost: all hangs on the copy, so it deserves another.
    fn on_first_lost(&mut self, psn: Psn) {
        let place = self.index(psn);
        if !self.is_delivered(psn) && self.in_flight[place].reason == Reason::Copy {
            self.in_flight[place].reason = Reason::Lost;
        }
    }

    /// Whether the receiver has it, as far as the snapshot says.
    pub fn is_delivered(&self, psn: Psn) -> bool {
        psn.is_before(self.cum) || self.bits.is_received(psn, self.window_log2)
    }

    fn index(&self, psn: Psn) -> usize {
        psn.slot(self.window_log2)
    }

    fn window(&self) -> u32 {
        1 << self.window_log2
    }
}

fn ring_index(tsn: Tsn) -> usize {
    tsn.get() as usize % RING
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three packets sent, of which the receiver has the last.
    fn with_two_missing() -> (SendPath, Psn, Bitvector) {
        let psn = Psn::truncate(0xFF_FF00);
        let mut path = SendPath::new(8, psn, Tsn::truncate(7), 0);
        for index in 0..3 {
            path.send_new(Packet { slot: 0, index }, 0);
        }
        let mut bits = Bitvector::nothing_received(psn, 8);
        bits.mark(psn.plus(2), 8);
        (path, psn, bits)
    }

    #[test]
    fn what_was_lost_before_is_copied_first_and_nothing_that_arrived() {
        let (mut path, psn, bits) = with_two_missing();
        path.on_ack(psn, Tsn::truncate(9), bits, 1);
        assert_eq!(
            path.next_to_copy(true),
            Some(psn.plus(1)),
            "the newest missing"
        );
        let packet = Packet { slot: 0, index: 0 };
        let lost = Lost { psn, packet };
        assert_eq!(path.resolve(), Fate::Lost(lost));
        path.send_again(lost, 2);
        assert_eq!(path.next_to_copy(true), Some(psn));
        assert_eq!(path.next_to_copy(false), Some(psn));
        path.send_copy(psn, 3);
        assert_eq!(path.next_to_copy(false), None, "one copy each");
    }

    #[test]
    fn a_first_transmission_proven_lost_earns_its_copy_another() {
        let (mut path, psn, bits) = with_two_missing();
        path.send_copy(psn.plus(1), 1);
        path.send_copy(psn, 1);
        assert_eq!(path.next_to_copy(false), None);
        path.on_ack(psn, Tsn::truncate(9), bits, 2);
        let patience = Patience {
            early: true,
            ..Patience::default()
        };
        assert!(path.can_resolve(patience));
        assert_eq!(path.resolve(), Fate::Probe, "its fate is the copy's");
        assert_eq!(path.next_to_copy(false), Some(psn));
    }
}
