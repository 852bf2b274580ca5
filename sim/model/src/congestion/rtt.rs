//! Round-trip time of a path: smoothed mean and mean deviation, in integers (RFC 6298, section 2, with its gains).

use metaroce_protocol::constants::RTO;

use super::LONGEST;

/// What the samples so far say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RttEstimate {
    /// 8 x mean in ticks; `None` before the first sample.
    mean_8: Option<u32>,
    /// 4 x mean deviation in ticks.
    deviation_4: u32,
}

impl RttEstimate {
    /// One more sample.
    pub fn on_sample(&mut self, rtt: u32) {
        let rtt = rtt.min(LONGEST);
        let Some(mean_8) = &mut self.mean_8 else {
            self.mean_8 = Some(8 * rtt);
            self.deviation_4 = 2 * rtt;
            return;
        };
        let error = rtt.abs_diff(*mean_8 / 8);
        self.deviation_4 = self.deviation_4 - self.deviation_4 / 4 + error;
        *mean_8 = *mean_8 - *mean_8 / 8 + rtt;
    }

    /// Mean in ticks.
    pub fn mean(&self) -> Option<u32> {
        self.mean_8.map(|mean| mean / 8)
    }

    /// Mean and four deviations, at most the largest RTO: silence longer than that is a time-out.
    pub fn timeout(&self) -> Option<u32> {
        let silence = |mean: u32| (mean + self.deviation_4).min(RTO.max);
        self.mean().map(silence)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_samples_leave_no_deviation_and_a_jump_raises_it() {
        let mut estimate = RttEstimate::default();
        assert_eq!(estimate.timeout(), None);
        estimate.on_sample(800);
        assert_eq!(
            (estimate.mean(), estimate.timeout()),
            (Some(800), Some(2_400))
        );
        (0..100).for_each(|_| estimate.on_sample(800));
        assert_eq!(estimate.mean(), Some(800));
        assert!(estimate.timeout().unwrap() <= 804);
        estimate.on_sample(1_600);
        assert!(estimate.timeout().unwrap() > 1_600);
        (0..100).for_each(|_| estimate.on_sample(u32::MAX));
        assert!(estimate.timeout().is_some(), "no overflow");
    }
}
