//! A law driven by delay (ours): the window falls while round trips are longer than the shortest one and a margin.
use super::{AckEvent, Law, LawSettings, ONE, additive_increase, share};

/// What tunes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DelaySettings {
    /// First window in packets, 1..=cap.
    pub first: u32,
    /// Largest window in packets, at most 256.
    pub cap: u32,
    /// What a round trip adds, all paths of a connection together, in 1/256 packet.
    pub increase: u32,
    /// Queueing that is not yet congestion, in 1/256 of the shortest round trip. Default 64: a quarter.
    pub margin: u32,
    /// Part of the excess share that the window loses, in 1/256. Default 205: 0.8; a queue is drained in two rounds.
    pub gain: u32,
}

impl Default for DelaySettings {
    fn default() -> Self {
        Self {
            first: 2,
            cap: 32,
            increase: 256,
            margin: 64,
            gain: 205,
        }
    }
}

/// The law. Decreases at most once a round trip, by at most half.
#[derive(Clone, Copy, Debug)]
pub struct Delay {
    settings: DelaySettings,
    window: u32,
    shortest: Option<u32>,
    decreased: u32,
}

impl LawSettings for DelaySettings {
    fn start(&self, now: u32) -> Box<dyn Law> {
        Box::new(Delay::new(*self, now))
    }
}

impl Delay {
    /// At the first window.
    pub fn new(settings: DelaySettings, now: u32) -> Self {
        assert!((1..=settings.cap).contains(&settings.first) && settings.cap <= 256);
        Self {
            settings,
            window: settings.first * ONE,
            shortest: None,
            decreased: now,
        }
    }

    fn bound(&mut self) {
        self.window = self.window.clamp(ONE, self.settings.cap * ONE);
    }
}

impl Law for Delay {
    fn on_ack(&mut self, ack: &AckEvent) {
        let increase = self.settings.increase * (ONE / 256);
        let increase = additive_increase(increase, self.window, ack);
        let Some(rtt) = ack.rtt else { return };
        let shortest = self.shortest.map_or(rtt, |shortest| shortest.min(rtt));
        self.shortest = Some(shortest);
        let target = shortest.saturating_add(share(shortest, self.settings.margin, 256));
        if rtt <= target {
            self.window = self.window.saturating_add(increase);
        } else if ack.now.wrapping_sub(self.decreased) >= rtt {
            let excess = share(self.window, rtt - target, rtt);
            let loss = share(excess, self.settings.gain, 256);
            self.window -= loss.min(self.window / 2);
            self.decreased = ack.now;
        }
        self.bound();
    }

    fn on_loss(&mut self, _: u32) {}

    fn on_timeout(&mut self, _: u32) {
        self.window /= 2;
        self.bound();
    }

    fn window(&self) -> u32 {
        self.window
    }
}
