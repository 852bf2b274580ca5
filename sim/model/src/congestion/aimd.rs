//! Additive increase, multiplicative decrease by marks (MetaRoCE names the kind; the constants are ours).
use super::{AckEvent, Law, LawSettings, ONE, additive_increase, coupled_increase, share};

/// What tunes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AimdSettings {
    /// First window in packets, 1..=cap. Default 2: with no hint known, 32 senders of 2 do not overrun a receiver.
    pub first: u32,
    /// Largest window in packets, at most 256. Default 32: the trial simulation wanted 32 or more.
    pub cap: u32,
    /// What a round trip adds, all paths of a connection together, in 1/256 packet. Default 256: one packet.
    pub increase: u32,
    /// Part of the window that a wholly marked round trip takes, in 1/256. Default 64: a quarter; in the trial 1/4 to 1/2 did
    /// equally well, and the whole share failed; a quarter keeps a line busy whose flows all decrease in the same round.
    pub decrease: u32,
    /// A path's part of the increase follows its part of the connection's windows. Default off: all paths gain alike. On, two
    /// connections on unequal spines come to share alike however many of their paths lead to each.
    pub coupled: bool,
}

impl Default for AimdSettings {
    fn default() -> Self {
        Self {
            first: 2,
            cap: 32,
            increase: 256,
            decrease: 64,
            coupled: false,
        }
    }
}

/// The law. Decreases at most once a round trip, in proportion to the marked share; the increase is never suspended;
/// a loss alone says nothing (a lossy fabric is the normal case).
#[derive(Clone, Copy, Debug)]
pub struct Aimd {
    settings: AimdSettings,
    window: u32,
    delivered: u32,
    marked: u32,
    round_began: u32,
    rtt: u32,
}

impl LawSettings for AimdSettings {
    fn start(&self, now: u32) -> Box<dyn Law> {
        Box::new(Aimd::new(*self, now))
    }
}

impl Aimd {
    /// At the first window.
    pub fn new(settings: AimdSettings, now: u32) -> Self {
        assert!((1..=settings.cap).contains(&settings.first) && settings.cap <= 256);
        assert!(settings.decrease <= 256, "more than the window can't go");
        Self {
            settings,
            window: settings.first * ONE,
            delivered: 0,
            marked: 0,
            round_began: now,
            rtt: 0,
        }
    }

    fn end_round(&mut self, now: u32) {
        let most = share(self.window, self.settings.decrease, 256);
        self.window -= share(most, self.marked.min(self.delivered), self.delivered);
        (self.delivered, self.marked, self.round_began) = (0, 0, now);
    }

    fn bound(&mut self) {
        self.window = self.window.clamp(ONE, self.settings.cap * ONE);
    }
}

impl Law for Aimd {
    fn on_ack(&mut self, ack: &AckEvent) {
        self.delivered = self.delivered.saturating_add(ack.delivered);
        self.marked = self.marked.saturating_add(ack.marked);
        self.rtt = ack.rtt.unwrap_or(self.rtt);
        let increase = self.settings.increase * (ONE / 256);
        let gain = if self.settings.coupled {
            coupled_increase(increase, ack)
        } else {
            additive_increase(increase, self.window, ack)
        };
        self.window = self.window.saturating_add(gain);
        if ack.now.wrapping_sub(self.round_began) >= self.rtt {
            self.end_round(ack.now);
        }
        self.bound();
    }

    fn looks_around(&self) -> bool {
        self.settings.coupled
    }

    fn on_loss(&mut self, _: u32) {}

    fn on_timeout(&mut self, now: u32) {
        self.window /= 2;
        (self.delivered, self.marked, self.round_began) = (0, 0, now);
        self.bound();
    }

    fn window(&self) -> u32 {
        self.window
    }
}
