//! DCQCN's reaction point (Zhu et al., SIGCOMM 2015, section 3 and figure 4), with its constants; the steps of increase are
//! scaled from 40 Gb/s to the line.
use super::scale;
use crate::units::{Rate, Time};

/// g.
const GAIN: f64 = 1.0 / 256.0;
/// Without a notification for so long, alpha decays; and the rate's timer.
const TIMER: Time = 55_000_000;
/// Bytes between increases by count.
const BYTE_COUNTER: u64 = 10_000_000;
/// Rounds of fast recovery, F.
const FAST_RECOVERY: u32 = 5;
/// Additive step: 40 Mb/s of 40 Gb/s.
const ADDITIVE: f64 = 1e-3;
/// Hyper step: ten times that.
const HYPER: f64 = 1e-2;
/// Slowest rate (ours): a thousandth of the line.
const SLOWEST: f64 = 1e-3;

/// A flow's rate.
#[derive(Clone, Copy, Debug)]
pub struct Dcqcn {
    line: Rate,
    current: Rate,
    target: Rate,
    alpha: f64,
    by_time: u32,
    by_bytes: u32,
    bytes: u64,
    alpha_due: Time,
    rate_due: Time,
}

impl Dcqcn {
    /// At line rate.
    pub fn new(line: Rate) -> Self {
        Self {
            line,
            current: line,
            target: line,
            alpha: 1.0,
            by_time: 0,
            by_bytes: 0,
            bytes: 0,
            alpha_due: Time::MAX,
            rate_due: Time::MAX,
        }
    }

    /// Bits a second.
    pub fn rate(&self) -> Rate {
        self.current
    }

    /// When a timer runs out.
    pub fn due(&self) -> Option<Time> {
        let due = self.alpha_due.min(self.rate_due);
        (due != Time::MAX).then_some(due)
    }

    /// A notification arrives.
    pub fn on_notification(&mut self, now: Time) {
        self.target = self.current;
        let slowest = scale(self.line, SLOWEST);
        self.current = scale(self.current, 1.0 - self.alpha / 2.0).max(slowest);
        self.alpha = (1.0 - GAIN) * self.alpha + GAIN;
        (self.by_time, self.by_bytes, self.bytes) = (0, 0, 0);
        self.alpha_due = now + TIMER;
        self.rate_due = now + TIMER;
    }

    /// Bytes are sent.
    pub fn on_sent(&mut self, bytes: u64) {
        self.bytes += bytes;
        if self.current < self.line && self.bytes >= BYTE_COUNTER {
            self.bytes = 0;
            self.by_bytes += 1;
            self.increase();
        }
    }

    /// Timers.
    pub fn on_time(&mut self, now: Time) {
        if now >= self.alpha_due {
            self.alpha *= 1.0 - GAIN;
            self.alpha_due = now + TIMER;
        }
        if now >= self.rate_due {
            self.by_time += 1;
            self.rate_due = now + TIMER;
            self.increase();
        }
        if self.current >= self.line {
            (self.alpha_due, self.rate_due) = (Time::MAX, Time::MAX);
        }
    }

    fn increase(&mut self) {
        let (less, more) = (
            self.by_time.min(self.by_bytes),
            self.by_time.max(self.by_bytes),
        );
        let step = if less > FAST_RECOVERY {
            HYPER * f64::from(less - FAST_RECOVERY)
        } else if more > FAST_RECOVERY {
            ADDITIVE
        } else {
            0.0
        };
        let target = self.target.0 + scale(self.line, step).0;
        self.target = Rate(target.min(self.line.0));
        // Rounded up, so that the line is reached.
        self.current = Rate((self.target.0 + self.current.0).div_ceil(2));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_halves_a_fresh_flow_and_time_brings_it_back() {
        let line = Rate(400_000_000_000);
        let mut flow = Dcqcn::new(line);
        assert_eq!((flow.rate(), flow.due()), (line, None));
        flow.on_notification(0);
        assert_eq!(flow.rate().0, line.0 / 2);
        let mut rounds = 0;
        while let Some(due) = flow.due() {
            flow.on_time(due);
            rounds += 1;
            assert!(rounds < 1_000);
        }
        assert_eq!(flow.rate(), line);
        assert!(rounds > FAST_RECOVERY);
    }
}
