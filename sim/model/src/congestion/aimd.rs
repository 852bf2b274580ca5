//! Additive increase, multiplicative decrease by marks (MetaRoCE names the kind; the constants are ours).
use super::{AckEvent, Change, Law, LawSettings, MOST, ONE, Size, step};

/// What tunes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AimdSettings {
    /// First window in packets, 1..=cap. Default 2: with no hint known, 32 senders of 2 do not overrun a receiver.
    pub first: u32,
    /// Largest window in packets, at most 256. Default 32: the trial simulation wanted 32 or more.
    pub cap: u32,
    /// What a round trip adds, all paths of a connection together, in 1/256 packet. Default 256: one packet.
    pub increase: u32,
    /// What a mark takes, in 1/256 packet; so a wholly marked round trip takes that part of the window. Default 64: a quarter;
    /// in the trial 1/4 to 1/2 did equally well, and the whole share failed; a quarter keeps a line busy whose flows all
    /// decrease in the same round.
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

/// The law: each window of deliveries adds, each mark takes. A round trip delivers about a window, so that is an increase a
/// round trip, and a decrease by its marked share. The increase is never suspended; a loss alone says nothing (a lossy fabric
/// is the normal case).
#[derive(Clone, Copy, Debug)]
pub struct Aimd {
    settings: AimdSettings,
    size: Size,
}

impl LawSettings for AimdSettings {
    fn start(&self, _: u32) -> Box<dyn Law> {
        Box::new(Aimd::new(*self))
    }
}

impl Aimd {
    /// At the first window.
    pub fn new(settings: AimdSettings) -> Self {
        assert!(settings.decrease <= 256, "a mark takes a packet at most");
        Self {
            settings,
            size: Size::new(settings.first, settings.cap),
        }
    }
}

impl Law for Aimd {
    fn on_ack(&mut self, ack: &AckEvent) {
        let round = if self.settings.coupled {
            let mean = ack.windows / u64::from(ack.paths.max(1));
            mean.max(ONE.into()) as u32
        } else {
            self.size.window
        };
        let change = Change {
            grown: ack.delivered.min(MOST),
            round,
            step: step(self.settings.increase, ack),
            loss: ack.marked.min(MOST) * self.settings.decrease * (ONE / 256),
        };
        self.size.apply(&change, self.settings.cap);
    }

    fn looks_around(&self) -> bool {
        self.settings.coupled
    }

    fn on_loss(&mut self, _: u32) {}

    fn on_timeout(&mut self, _: u32) {
        self.size.halve();
    }

    fn window(&self) -> u32 {
        self.size.window
    }
}
