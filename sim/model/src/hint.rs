//! Receiver's rate hints: who counts the active connections, and the bucket that holds their sender to its share.
use std::collections::BTreeMap;
use std::fmt::Debug;

use metaroce_protocol::constants::RATE_HINT_FULL;

/// Counts the connections that share a receiver's line now. Replaceable: MetaRoCE counts posted receive buffers.
pub trait Activity: Debug + Send {
    /// Data of the connection arrived.
    fn on_heard(&mut self, connection: u32, now: u32);
    /// The connection has this many posted buffers that no message has taken.
    fn on_posted(&mut self, connection: u32, buffers: usize);
    /// Connections that are active now.
    fn active(&mut self, now: u32) -> u32;
}

/// Connections with posted buffers: known before the first packet comes.
#[derive(Clone, Debug, Default)]
pub struct PostedBuffers(BTreeMap<u32, usize>);

impl Activity for PostedBuffers {
    fn on_heard(&mut self, _: u32, _: u32) {}

    fn on_posted(&mut self, connection: u32, buffers: usize) {
        if buffers > 0 {
            self.0.insert(connection, buffers);
        } else {
            self.0.remove(&connection);
        }
    }

    fn active(&mut self, _: u32) -> u32 {
        self.0.len() as u32
    }
}

/// Connections whose data came within the last `ticks`: for Writes, which post nothing.
#[derive(Clone, Debug)]
pub struct HeardLately {
    ticks: u32,
    heard: BTreeMap<u32, u32>,
}

impl HeardLately {
    /// `ticks`: a few round trips, below 2^31.
    pub fn new(ticks: u32) -> Self {
        Self {
            ticks,
            heard: BTreeMap::new(),
        }
    }
}

impl Activity for HeardLately {
    fn on_heard(&mut self, connection: u32, now: u32) {
        self.heard.insert(connection, now);
    }

    fn on_posted(&mut self, _: u32, _: usize) {}

    fn active(&mut self, now: u32) -> u32 {
        let ticks = self.ticks;
        self.heard
            .retain(|_, &mut at| now.wrapping_sub(at) <= ticks);
        self.heard.len() as u32
    }
}

/// The share of the line for each of `active` connections, in 1/65,535.
pub fn share(active: u32) -> u16 {
    RATE_HINT_FULL / active.clamp(1, RATE_HINT_FULL.into()) as u16
}

/// Fraction bits of a token, a byte: 8 of the line rate and 16 of the hint.
const FRACTION: u32 = 24;
/// Silence that still earns tokens, in ticks; more fills any bucket and would overflow the product.
const LONGEST: u32 = 1 << 20;

/// Bytes that a connection may send now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenBucket {
    tokens: i64,
    filled: u32,
    hint: u16,
}

impl TokenBucket {
    /// Full.
    pub fn new(hint: u16) -> Self {
        Self {
            tokens: i64::MAX,
            filled: 0,
            hint,
        }
    }

    /// The receiver's newest hint.
    pub fn set_hint(&mut self, hint: u16) {
        self.hint = hint;
    }

    /// The hint in force.
    pub fn hint(&self) -> u16 {
        self.hint
    }

    /// Tokens for the time since the last call. `line_rate`: bytes a tick in 1/256, at most 2^20; `burst`: bytes it holds.
    pub fn fill(&mut self, now: u32, line_rate: u32, burst: u32) {
        let elapsed = now.wrapping_sub(self.filled).min(LONGEST);
        let gain = u64::from(line_rate) * (u64::from(self.hint) + 1) * u64::from(elapsed);
        let full = i64::from(burst) << FRACTION;
        self.tokens = self.tokens.saturating_add_unsigned(gain).min(full);
        self.filled = now;
    }

    /// Whether something may be sent. One packet may overdraw.
    pub fn is_open(&self) -> bool {
        self.tokens > 0
    }

    /// Ticks until something may be sent, at least 1; 0: it may now.
    pub fn opens_in(&self, line_rate: u32) -> u32 {
        let missing = 1_i64.saturating_sub(self.tokens).max(0) as u64;
        let gain = u64::from(line_rate.max(1)) * (u64::from(self.hint) + 1);
        missing.div_ceil(gain).min(LONGEST.into()) as u32
    }

    /// Bytes are sent.
    pub fn spend(&mut self, bytes: u32) {
        self.tokens = self.tokens.saturating_sub(i64::from(bytes) << FRACTION);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_gives_the_share_of_the_line_across_the_clocks_roll_over() {
        for (hint, expected) in [(0xFFFF_u16, 50_000_u64), (share(4), 12_500)] {
            let mut bucket = TokenBucket::new(hint);
            let (mut now, mut sent) = (u32::MAX - 500, 0);
            bucket.fill(now, 50 * 256, 0);
            for _ in 0..1_000 {
                now = now.wrapping_add(1);
                bucket.fill(now, 50 * 256, 2_000);
                while bucket.is_open() {
                    bucket.spend(100);
                    sent += 100;
                }
            }
            assert!(sent >= expected - 100 && sent <= expected + 200, "{sent}");
        }
    }

    #[test]
    fn a_closed_bucket_says_when_it_opens() {
        let mut bucket = TokenBucket::new(share(4));
        bucket.fill(0, 50 * 256, 100);
        assert_eq!(bucket.opens_in(50 * 256), 0);
        bucket.spend(5_000);
        let wait = bucket.opens_in(50 * 256);
        bucket.fill(wait - 1, 50 * 256, 100);
        assert!(!bucket.is_open());
        bucket.fill(wait, 50 * 256, 100);
        assert!(bucket.is_open());
    }

    #[test]
    fn shares_add_up_to_the_line_at_most() {
        for active in [1, 2, 3, 32, 4_000, 65_535] {
            assert!(u32::from(share(active)) * active <= 0xFFFF);
        }
        assert_eq!((share(0), share(1)), (0xFFFF, 0xFFFF));
        assert_eq!(share(u32::MAX), 1, "nobody starves");
    }

    #[test]
    fn both_counts_forget() {
        let mut posted = PostedBuffers::default();
        posted.on_posted(1, 2);
        posted.on_posted(7, 1);
        assert_eq!(posted.active(0), 2);
        posted.on_posted(7, 0);
        assert_eq!(posted.active(0), 1);
        let mut heard = HeardLately::new(100);
        heard.on_heard(3, u32::MAX - 10);
        heard.on_heard(4, 20);
        assert_eq!(heard.active(50), 2);
        assert_eq!(heard.active(100), 1);
    }
}
