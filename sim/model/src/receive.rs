//! The receiver's side of a path: what a data packet or a probe does to its state.
use std::collections::VecDeque;

use metaroce_protocol::{Bitvector, Psn, Tsn};

use crate::window;

/// Where a packet's PSN stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// In the window and not yet received.
    New,
    /// Before the window, or its slot is marked.
    Duplicate,
    /// Beyond the window.
    OutOfWindow,
}

/// One path, as its receiver sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivePath {
    /// First PSN not received, as far as it has advanced.
    pub cum: Psn,
    /// What is received from `cum` on.
    pub bits: Bitvector,
    /// Highest TSN seen.
    pub max_tsn: Tsn,
    /// Timestamp of the packet with `max_tsn`.
    pub echo_timestamp: u32,
    /// Packets that reached the PSN check, and probes; wraps.
    pub received: u16,
    /// Those with congestion experienced; wraps.
    pub marked: u16,
    /// An ACK is asked for and not yet built.
    pub ack_pending: bool,
    /// What `cum` becomes with each accepted packet, until it advances.
    advances: VecDeque<Psn>,
    /// One after the highest PSN accepted.
    highest: Psn,
    /// PSNs before `highest` that are not received.
    missing: u32,
    window_log2: u32,
    since_ack: u32,
    last_marked: bool,
    /// The newest arrival left a TSN out.
    skipped: bool,
}

impl ReceivePath {
    /// A path that expects `first_psn` and `first_tsn`.
    pub fn new(window_log2: u32, first_psn: Psn, first_tsn: Tsn) -> Self {
        Self {
            cum: first_psn,
            bits: Bitvector::nothing_received(first_psn, window_log2),
            max_tsn: first_tsn.minus(1),
            echo_timestamp: 0,
            received: 0,
            marked: 0,
            ack_pending: false,
            advances: VecDeque::new(),
            highest: first_psn,
            missing: 0,
            window_log2,
            since_ack: 0,
            last_marked: false,
            skipped: false,
        }
    }

    /// The verdict on `psn`; changes nothing.
    pub fn verdict(&self, psn: Psn) -> Verdict {
        if !psn.is_at_or_after(self.cum) {
            Verdict::Duplicate
        } else if psn.distance_from(self.cum) >= 1 << self.window_log2 {
            Verdict::OutOfWindow
        } else if self.bits.is_received(psn, self.window_log2) {
            Verdict::Duplicate
        } else {
            Verdict::New
        }
    }

    /// Every packet that got this far moves the echo and the counts.
    pub fn on_arrival(&mut self, tsn: Tsn, timestamp: u32, marked: bool) {
        self.skipped = tsn.is_after(self.max_tsn.next());
        if tsn.is_after(self.max_tsn) {
            self.max_tsn = tsn;
            self.echo_timestamp = timestamp;
        }
        self.received = self.received.wrapping_add(1);
        self.marked = self.marked.wrapping_add(marked.into());
    }

    /// An accepted packet: marks its slot and decides whether it asks for an ACK. `only_skips`: a gap asks once, by the
    /// packet that shows it, and not with every packet behind it. `cum` follows by [`Self::advance`].
    pub fn on_accepted(
        &mut self,
        psn: Psn,
        marked: bool,
        ack_request: bool,
        ack_every: u32,
        only_skips: bool,
    ) -> bool {
        let gap = if only_skips {
            self.skipped
        } else {
            // Where nothing is missing `cum` is `highest`, however far it has advanced.
            psn != if self.missing == 0 {
                self.highest
            } else {
                self.cum
            }
        };
        self.bits.mark(psn, self.window_log2);
        if psn.is_at_or_after(self.highest) {
            self.missing += psn.distance_from(self.highest);
            self.highest = psn.next();
        } else {
            self.missing = self.missing.saturating_sub(1);
        }
        let cum = window::first_missing(&self.bits, self.cum, self.window_log2);
        self.advances.push_back(cum);
        self.since_ack += 1;
        let ask = ack_request || gap || marked != self.last_marked || self.since_ack >= ack_every;
        if ask {
            self.since_ack = 0;
        }
        ask
    }

    /// `cum` becomes what the oldest accepted packet that has not advanced it made of it; whether there was one.
    pub fn advance(&mut self) -> bool {
        let next = self.advances.pop_front();
        self.cum = next.unwrap_or(self.cum);
        next.is_some()
    }

    /// CE of the newest data packet, for the next one to compare with.
    pub fn remember_mark(&mut self, marked: bool) {
        self.last_marked = marked;
    }

    /// Asked for by a duplicate or a probe.
    pub fn on_asked(&mut self) {
        self.since_ack = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Which of the packets with these PSNs (TSNs alike) ask for an ACK, where none asks by count.
    fn asking(psns: &[u32], only_skips: bool) -> Vec<u32> {
        let first = 0xFF_FF00;
        let mut path = ReceivePath::new(8, Psn::truncate(first), Tsn::truncate(first));
        let asks = |&&n: &&u32| {
            path.on_arrival(Tsn::truncate(first + n), 0, false);
            let asks = path.on_accepted(Psn::truncate(first + n), false, false, 255, only_skips);
            assert!(path.advance());
            asks
        };
        psns.iter().filter(asks).copied().collect()
    }

    #[test]
    fn a_gap_is_answered_with_every_packet_behind_it_or_once() {
        let with_two_gaps = [0, 1, 3, 4, 5, 254, 255, 257, 258];
        assert_eq!(asking(&with_two_gaps[..8], false), [3, 4, 5, 254, 255, 257]);
        assert_eq!(asking(&with_two_gaps, true), [3, 254, 257]);
        assert_eq!(asking(&[0, 1, 2, 3], true), [0; 0]);
    }

    #[test]
    fn a_cumulative_point_that_lags_asks_for_no_ack_in_order_and_takes_no_slot_twice() {
        let first = 0xFF_FF00;
        let psn = |n: u32| Psn::truncate(first + n);
        let mut path = ReceivePath::new(8, psn(0), Tsn::truncate(0));
        let accept =
            |path: &mut ReceivePath, n: u32| path.on_accepted(psn(n), false, false, 255, false);
        assert!((0..20).all(|n| !accept(&mut path, n)), "in order");
        assert_eq!(path.cum, psn(0));
        assert_eq!(path.verdict(psn(3)), Verdict::Duplicate);
        assert_eq!(path.verdict(psn(256)), Verdict::OutOfWindow);
        (0..20).for_each(|_| assert!(path.advance()));
        assert!(!path.advance(), "nothing is left to advance");
        assert_eq!(path.cum, psn(20));
        assert!(accept(&mut path, 21), "a gap");
        assert!(accept(&mut path, 22) && path.advance() && path.advance());
        assert!(!accept(&mut path, 20), "the gap is filled");
        assert!(
            !accept(&mut path, 23),
            "in order again, before the point moves"
        );
        assert!(path.advance() && path.cum == psn(23) && path.advance() && path.cum == psn(24));
    }
}
