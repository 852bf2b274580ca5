//! Time as the model wants it.
use std::time::{Duration, Instant};

/// A tick of a software peer. The constants' defaults fit: RTO's 4,096 ticks are 4.1 ms, a host's scheduling and several
/// round trips of a data centre. A time stamp wraps after 71 minutes; the longest span the model compares is RTO << 6.
pub const TICK: Duration = Duration::from_micros(1);

/// A monotonic clock that starts at 0.
#[derive(Clone, Copy, Debug)]
pub struct Clock(Instant);

impl Clock {
    /// Starts now.
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// Ticks since the start; wraps.
    pub fn now(&self) -> u32 {
        self.0.elapsed().as_micros() as u32
    }
}
