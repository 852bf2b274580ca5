//! Lossy Ethernet between two NICs: each plane delays, drops, doubles, damages and marks frames under a seed.
use std::cmp::Reverse;
use std::collections::BinaryHeap;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How long after its frame a late copy may arrive, cycles.
pub const LATE: u64 = 50_000;

/// What a plane does to frames. Probabilities are 0 to 1; delays are in cycles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Faults {
    /// A frame disappears.
    pub loss: f64,
    /// A frame arrives twice.
    pub duplicate: f64,
    /// A second copy arrives, up to [`LATE`] cycles after the frame: long after its connection may have ended.
    pub late: f64,
    /// One bit of a frame turns.
    pub corrupt: f64,
    /// A data frame is marked congestion experienced.
    pub mark: f64,
    /// Every frame takes this long.
    pub delay: u64,
    /// A path takes up to this much longer, always the same for one entropy: so paths overtake each other.
    pub path_spread: u64,
    /// A frame takes up to this much longer, each its own: so frames of one path overtake each other.
    pub jitter: u64,
}

impl Faults {
    /// A perfect plane with this delay.
    pub fn none(delay: u64) -> Self {
        Self {
            loss: 0.0,
            duplicate: 0.0,
            late: 0.0,
            corrupt: 0.0,
            mark: 0.0,
            delay,
            path_spread: 0,
            jitter: 0,
        }
    }
}

/// What happened to the frames of a plane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Frames that entered.
    pub frames: u64,
    /// Frames that disappeared.
    pub lost: u64,
    /// Second copies made.
    pub doubled: u64,
    /// Frames damaged.
    pub corrupted: u64,
    /// Frames marked.
    pub marked: u64,
}

/// What a plane did to a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrives as it was, but for a mark.
    Arrives,
    /// It arrives damaged.
    Corrupted,
    /// It does not arrive.
    Lost,
}

/// One direction of one plane.
#[derive(Debug)]
pub struct Plane {
    faults: Faults,
    random: ChaCha8Rng,
    in_flight: BinaryHeap<Reverse<(u64, u64, Vec<u8>)>>,
    entered: u64,
    seed: u64,
    /// What happened so far.
    pub tally: Tally,
}

impl Plane {
    /// An empty plane.
    pub fn new(faults: Faults, seed: u64) -> Self {
        let random = ChaCha8Rng::seed_from_u64(seed);
        Self {
            faults,
            random,
            in_flight: BinaryHeap::new(),
            entered: 0,
            seed,
            tally: Tally::default(),
        }
    }

    /// From now on this happens to frames.
    pub fn set_faults(&mut self, faults: Faults) {
        self.faults = faults;
    }

    /// A frame whose last beat leaves its NIC in this cycle.
    pub fn enter(&mut self, mut frame: Vec<u8>, cycle: u64) -> Fate {
        self.tally.frames += 1;
        if self.draw(self.faults.loss) {
            self.tally.lost += 1;
            return Fate::Lost;
        }
        if self.draw(self.faults.mark) && mark_congestion(&mut frame) {
            self.tally.marked += 1;
        }
        let corrupt = self.draw(self.faults.corrupt);
        if corrupt {
            let bit = self.random.random_range(0..frame.len() * 8);
            frame[bit / 8] ^= 1 << (bit % 8);
            self.tally.corrupted += 1;
        }
        if self.draw(self.faults.duplicate) {
            self.tally.doubled += 1;
            self.send(frame.clone(), cycle);
        }
        if self.draw(self.faults.late) {
            self.tally.doubled += 1;
            let late = self.random.random_range(1..=LATE);
            self.send(frame.clone(), cycle + late);
        }
        self.send(frame, cycle);
        if corrupt {
            Fate::Corrupted
        } else {
            Fate::Arrives
        }
    }

    /// The next frame that has arrived by this cycle.
    pub fn arrived(&mut self, cycle: u64) -> Option<Vec<u8>> {
        self.in_flight
            .peek()
            .filter(|Reverse(next)| next.0 <= cycle)?;
        self.in_flight.pop().map(|Reverse((_, _, frame))| frame)
    }

    /// Frames under way.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }

    fn draw(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.random.random_bool(probability)
    }

    fn send(&mut self, frame: Vec<u8>, cycle: u64) {
        let Faults {
            delay,
            path_spread,
            jitter,
            ..
        } = self.faults;
        let jitter = if jitter == 0 {
            0
        } else {
            self.random.random_range(0..=jitter)
        };
        let arrival = cycle + delay + self.path_delay(&frame, path_spread) + jitter;
        self.entered += 1;
        self.in_flight.push(Reverse((arrival, self.entered, frame)));
    }

    /// The same for every frame of one UDP source port, as an ECMP hash would have it.
    fn path_delay(&self, frame: &[u8], spread: u64) -> u64 {
        let port = frame
            .get(34..36)
            .map_or(0, |p| u64::from(p[0]) << 8 | u64::from(p[1]));
        let hash = (port ^ self.seed).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32;
        if spread == 0 { 0 } else { hash % (spread + 1) }
    }
}

/// Sets the IPv4 ECN field to "congestion experienced" where the sender allows it, and mends the header checksum (RFC 1624).
pub fn mark_congestion(frame: &mut [u8]) -> bool {
    let capable =
        frame.len() >= 34 && frame[12..15] == [0x08, 0x00, 0x45] && matches!(frame[15] & 3, 1 | 2);
    if !capable {
        return false;
    }
    let word = |f: &[u8], at: usize| u32::from(u16::from_be_bytes([f[at], f[at + 1]]));
    let (old, checksum) = (word(frame, 14), word(frame, 24));
    frame[15] |= 3;
    let sum = (!checksum & 0xFFFF) + (!old & 0xFFFF) + word(frame, 14);
    let folded = (sum & 0xFFFF) + (sum >> 16);
    let folded = (folded & 0xFFFF) + (folded >> 16);
    frame[24..26].copy_from_slice(&(!folded as u16).to_be_bytes());
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(port: u16, n: u8) -> Vec<u8> {
        let mut frame = vec![n; 100];
        frame[34..36].copy_from_slice(&port.to_be_bytes());
        frame
    }

    #[test]
    fn paths_overtake_each_other_but_a_path_keeps_its_order() {
        let mut plane = Plane::new(
            Faults {
                path_spread: 500,
                ..Faults::none(10)
            },
            3,
        );
        for n in 0..200u8 {
            plane.enter(frame(1000 + u16::from(n % 4), n), u64::from(n));
        }
        let mut order = Vec::new();
        for cycle in 0..1_000 {
            while let Some(frame) = plane.arrived(cycle) {
                order.push(frame[0]);
            }
        }
        assert_eq!(order.len(), 200);
        assert!(!order.is_sorted());
        for path in 0..4 {
            assert!(order.iter().filter(|n| *n % 4 == path).is_sorted());
        }
    }

    #[test]
    fn same_seed_same_fate() {
        let run = |seed| {
            let faults = Faults {
                loss: 0.1,
                duplicate: 0.1,
                corrupt: 0.1,
                jitter: 50,
                ..Faults::none(10)
            };
            let mut plane = Plane::new(faults, seed);
            for n in 0..200 {
                plane.enter(frame(1, n), n.into());
            }
            std::iter::from_fn(|| plane.arrived(10_000)).collect::<Vec<_>>()
        };
        assert_eq!(run(1), run(1));
        assert_ne!(run(1), run(2));
    }

    #[test]
    fn a_marked_header_keeps_a_right_checksum() {
        // An IPv4 header whose checksum was computed by hand for ECT(0).
        let mut header = vec![0u8; 34];
        header[12..15].copy_from_slice(&[0x08, 0x00, 0x45]);
        header[15] = 2;
        header[22] = 64;
        header[23] = 17;
        let sum: u32 = header[14..34]
            .chunks(2)
            .map(|w| u32::from(w[0]) << 8 | u32::from(w[1]))
            .sum();
        let checksum = !((sum & 0xFFFF) + (sum >> 16)) as u16;
        header[24..26].copy_from_slice(&checksum.to_be_bytes());
        assert!(mark_congestion(&mut header));
        let sum: u32 = header[14..34]
            .chunks(2)
            .map(|w| u32::from(w[0]) << 8 | u32::from(w[1]))
            .sum();
        assert_eq!((sum & 0xFFFF) + (sum >> 16), 0xFFFF);
        assert!(!mark_congestion(&mut header), "already marked");
    }
}
