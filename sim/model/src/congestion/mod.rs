//! Congestion windows: what a law hears of its path, and what it says.
//!
//! A law is told what happened and answers with a window; it reads no clock, and of other paths it knows their windows' sum. The NIC takes the
//! smaller of that window and its WINDOW register. A new law is a new type in anybody's file.
use std::fmt::Debug;

mod aimd;
mod delay;
mod rtt;

pub use aimd::{Aimd, AimdSettings};
pub use delay::{Delay, DelaySettings};
pub use rtt::RttEstimate;

/// One packet of window: 12 bits of fraction, so that the smallest step, one packet for 96 paths together, is still exact to 2 %.
pub const ONE: u32 = 1 << 12;

/// Longest round trip that is believed, in ticks (ours): just below the largest RTO, 25 bits.
pub const LONGEST: u32 = (1 << 25) - 1;

/// An ACK that was applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckEvent {
    /// Packets that reached the receiver since the last one, probes included.
    pub delivered: u32,
    /// Of those the ones with congestion experienced; never more.
    pub marked: u32,
    /// Ticks from the newest of them to its ACK; `None`: the ACK echoes nothing new.
    pub rtt: Option<u32>,
    /// Paths of the connection, at least 1.
    pub paths: u32,
    /// Windows of all paths of the connection together, in 1/4,096 packet; 0 for a law that does not [look](Law::looks_around).
    pub windows: u64,
    /// Time in ticks, wraps.
    pub now: u32,
}

/// The window of one path.
pub trait Law: Debug + Send {
    /// An ACK was applied.
    fn on_ack(&mut self, ack: &AckEvent);
    /// Whether it wants to know what window its connection has over all paths.
    fn looks_around(&self) -> bool {
        false
    }
    /// A transmission is lost.
    fn on_loss(&mut self, now: u32);
    /// The path was silent for a time-out.
    fn on_timeout(&mut self, now: u32);
    /// Transmissions that may be unresolved, in 1/4,096 of a packet; at least [`ONE`].
    fn window(&self) -> u32;
}

/// A law's settings: makes the law of a path that starts.
pub trait LawSettings: Debug + Send {
    /// A path starts.
    fn start(&self, now: u32) -> Box<dyn Law>;
}

/// The WINDOW register alone decides.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fixed;

impl Law for Fixed {
    fn on_ack(&mut self, _: &AckEvent) {}

    fn on_loss(&mut self, _: u32) {}

    fn on_timeout(&mut self, _: u32) {}

    fn window(&self) -> u32 {
        u32::MAX
    }
}

impl LawSettings for Fixed {
    fn start(&self, _: u32) -> Box<dyn Law> {
        Box::new(*self)
    }
}

/// Deliveries and marks of one ACK that a law looks at, at most (ours): as many as a window holds.
const MOST: u32 = 255;
/// Deliveries that a step leaves over, at most, in packets (ours): an ACK rarely speaks of more.
const LEFT_OVER: u32 = 16;

/// A window that grows by deliveries and shrinks by losses of its own, without a division, so that hardware takes an ACK a
/// cycle: each window's worth of deliveries is a step up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    /// In 1/4,096 packet.
    window: u32,
    /// Deliveries that have not made a step yet, in 1/4,096 packet.
    credit: u32,
}

/// What an ACK does to a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    /// Deliveries that count, at most [`MOST`].
    grown: u32,
    /// Deliveries that make a step, in 1/4,096 packet.
    round: u32,
    /// A step, in 1/4,096 packet.
    step: u32,
    /// What it loses, in 1/4,096 packet.
    loss: u32,
}

impl Size {
    fn new(first: u32, cap: u32) -> Self {
        assert!((1..=cap).contains(&first) && cap <= 256, "1 to 256 packets");
        Self {
            window: first * ONE,
            credit: 0,
        }
    }

    /// At most one step an ACK, and only with a delivery; never below one packet nor above `cap`.
    fn apply(&mut self, change: &Change, cap: u32) {
        self.credit += change.grown * ONE;
        let mut window = self.window;
        if change.grown > 0 && self.credit >= change.round {
            self.credit = (self.credit - change.round).min(LEFT_OVER * ONE - 1);
            window += change.step;
        }
        self.window = window.saturating_sub(change.loss).clamp(ONE, cap * ONE);
    }

    /// A time-out.
    fn halve(&mut self) {
        self.window = (self.window / 2).max(ONE);
        self.credit = 0;
    }
}

/// What a step adds, so that all paths of a connection together gain `packets` (in 1/256) a round trip.
fn step(packets: u32, ack: &AckEvent) -> u32 {
    packets * (ONE / 256) / ack.paths.max(1)
}
