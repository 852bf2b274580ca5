//! A law driven by delay (ours): the window falls while round trips are longer than the shortest one and a margin.
use super::{AckEvent, Change, LONGEST, Law, LawSettings, MOST, ONE, Size, step};

/// What tunes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelaySettings {
    /// First window in packets, 1..=cap.
    pub first: u32,
    /// Largest window in packets, at most 256.
    pub cap: u32,
    /// What a round trip adds, all paths of a connection together, in 1/256 packet.
    pub increase: u32,
    /// Queueing that is not yet congestion: the shortest round trip shifted right by so many bits, 1..=8. Default 2: a quarter.
    pub margin_log2: u32,
    /// Part of the excess share that each delivery takes, in 1/256 packet. Default 205: 0.8; a queue is drained in two rounds.
    pub gain: u32,
}

impl Default for DelaySettings {
    fn default() -> Self {
        Self {
            first: 2,
            cap: 32,
            increase: 256,
            margin_log2: 2,
            gain: 205,
        }
    }
}

/// The law: while a round trip is short each window of deliveries adds; while it is too long each delivery takes its share of
/// the excess. A round trip delivers about a window, so that is the window's share of it a round trip.
#[derive(Clone, Copy, Debug)]
pub struct Delay {
    settings: DelaySettings,
    size: Size,
    /// Shortest round trip so far, in ticks.
    shortest: u32,
}

impl LawSettings for DelaySettings {
    fn start(&self, _: u32) -> Box<dyn Law> {
        Box::new(Delay::new(*self))
    }
}

impl Delay {
    /// At the first window.
    pub fn new(settings: DelaySettings) -> Self {
        assert!((1..=8).contains(&settings.margin_log2) && settings.gain <= 256);
        Self {
            settings,
            size: Size::new(settings.first, settings.cap),
            shortest: LONGEST,
        }
    }
}

impl Law for Delay {
    fn on_ack(&mut self, ack: &AckEvent) {
        let Some(rtt) = ack.rtt else { return };
        let rtt = rtt.min(LONGEST);
        self.shortest = self.shortest.min(rtt);
        let target = self.shortest + (self.shortest >> self.settings.margin_log2);
        let delivered = ack.delivered.min(MOST);
        let (grown, excess) = if rtt <= target {
            (delivered, 0)
        } else {
            (0, sixteenths(rtt - target, rtt))
        };
        let change = Change {
            grown,
            round: self.size.window,
            step: step(self.settings.increase, ack),
            loss: delivered * excess * self.settings.gain * (ONE / 4096),
        };
        self.size.apply(&change, self.settings.cap);
    }

    fn on_loss(&mut self, _: u32) {}

    fn on_timeout(&mut self, _: u32) {
        self.size.halve();
    }

    fn window(&self) -> u32 {
        self.size.window
    }
}

/// `part / whole` in sixteenths, rounded down, at most 15: four steps of a division by hand.
fn sixteenths(part: u32, whole: u32) -> u32 {
    (part * 16 / whole.max(1)).min(15)
}
