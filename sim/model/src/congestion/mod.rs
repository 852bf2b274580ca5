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

/// One packet of window: 16 bits of fraction.
pub const ONE: u32 = 1 << 16;

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
    /// Windows of all paths of the connection together, in 1/65,536 packet; 0 for a law that does not [look](Law::looks_around).
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
    /// Transmissions that may be unresolved, in 1/65,536 of a packet; at least [`ONE`].
    fn window(&self) -> u32;
}

/// A law's settings: makes the law of a path that starts.
pub trait LawSettings: Debug + Send {
    /// A path starts.
    fn start(&self, now: u32) -> Box<dyn Law>;
}

/// The WINDOW register alone decides: today's hardware.
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

/// `value * numerator / denominator`, for a quotient that fits.
fn share(value: u32, numerator: u32, denominator: u32) -> u32 {
    (u64::from(value) * u64::from(numerator) / u64::from(denominator.max(1))) as u32
}

/// What one ACK adds, so that all paths of a connection together gain `packets` (in 1/65,536) a round trip.
fn additive_increase(packets: u32, window: u32, ack: &AckEvent) -> u32 {
    let gain = u64::from(packets) * u64::from(ack.delivered) * u64::from(ONE);
    (gain / u64::from(window.max(ONE)) / u64::from(ack.paths.max(1))) as u32
}

/// What one ACK adds, so that the connection gains `packets` (in 1/65,536) a round trip, each path by its window: as Wischik et
/// al., NSDI 2011, couple paths.
fn coupled_increase(packets: u32, ack: &AckEvent) -> u32 {
    let gain = u64::from(packets) * u64::from(ack.delivered) * u64::from(ONE);
    (gain / ack.windows.max(ONE.into())) as u32
}
