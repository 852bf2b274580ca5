//! How long messages are, and where they begin.
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use super::PAGE;

/// Lengths of random messages, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    mtu: u32,
    /// Share of messages of no more than 64 bytes, per cent; the rest has one to sixteen packets.
    short: u32,
    /// The shortest of the short ones.
    least: u32,
    /// Packets of most of the others, at most.
    often: u32,
    /// The longest.
    pub(super) most: u32,
}

impl Lengths {
    /// Many packets in few cycles: seven of ten have 64 bytes at most.
    pub fn mostly_short(mtu: u32) -> Self {
        Self {
            mtu,
            short: 70,
            least: 0,
            often: 4,
            most: 16 * mtu + 3,
        }
    }

    /// No bytes at all.
    pub fn none() -> Self {
        Self::exactly(0)
    }

    /// All alike, 64 bytes at most.
    pub fn exactly(bytes: u32) -> Self {
        assert!(bytes <= 64, "a short message");
        Self {
            mtu: 256,
            short: 100,
            least: bytes,
            often: 1,
            most: bytes,
        }
    }

    /// Most are longer than a packet.
    pub fn mixed(mtu: u32) -> Self {
        Self {
            short: 20,
            ..Self::mostly_short(mtu)
        }
    }

    /// Up to 400 packets: few messages fill every window.
    pub fn long(mtu: u32) -> Self {
        Self {
            short: 0,
            often: 400,
            most: 400 * mtu + 3,
            ..Self::mostly_short(mtu)
        }
    }

    /// The next length: nothing, a few bytes, or around a multiple of the MTU, or anything.
    pub(super) fn draw(self, random: &mut ChaCha8Rng) -> u32 {
        if random.random_range(0..100) < self.short {
            return random.random_range(self.least..=self.most.min(64));
        }
        let packets = match random.random_range(0..8) {
            0 => return 0,
            1 => return random.random_range(1..=self.most),
            2 => random.random_range(1..=self.most.div_ceil(self.mtu) - 1),
            _ => random.random_range(1..=self.often),
        };
        packets * self.mtu + random.random_range(0..7) - 3
    }

    /// Where it begins in its page: often next to the page's end, so that bursts must be split.
    pub(super) fn offset(self, random: &mut ChaCha8Rng) -> u64 {
        match random.random() {
            true => random.random_range(0..PAGE),
            false => PAGE - random.random_range(1..=u64::from(self.mtu)),
        }
    }
}
