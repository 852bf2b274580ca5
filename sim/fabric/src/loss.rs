//! Random losses of a link.
use rand::Rng;
use rand_chacha::ChaCha8Rng;

use crate::scenario::{Frames, Links, Loss};
use crate::topology::{End, Wire};

/// Losses of one link: a two-state chain (Gilbert 1960) that loses everything in its bad state. With bursts of mean 1
/// packets are lost independently.
#[derive(Clone, Debug)]
pub struct LossState {
    /// Of good to bad, and of bad to good.
    into_bad: f64,
    out_of_bad: f64,
    independent: Option<f64>,
    frames: Frames,
    bad: bool,
}

impl LossState {
    /// A link's losses by an entry of a scenario.
    pub fn new(loss: &Loss) -> Self {
        let out_of_bad = 1.0 / loss.burst;
        // Share in bad = into / (into + out).
        let into_bad = out_of_bad * loss.rate / (1.0 - loss.rate).max(f64::MIN_POSITIVE);
        Self {
            into_bad: into_bad.min(1.0),
            out_of_bad,
            independent: (loss.burst == 1.0 || loss.rate >= 1.0).then_some(loss.rate),
            frames: loss.frames,
            bad: false,
        }
    }

    /// Whether the next packet is lost.
    pub fn loses(&mut self, data: bool, random: &mut ChaCha8Rng) -> bool {
        let concerned = match self.frames {
            Frames::All => true,
            Frames::Data => data,
            Frames::Control => !data,
        };
        if !concerned {
            return false;
        }
        if let Some(rate) = self.independent {
            return random.random_bool(rate);
        }
        let change = if self.bad {
            self.out_of_bad
        } else {
            self.into_bad
        };
        self.bad ^= random.random_bool(change);
        self.bad
    }
}

/// Whether an entry concerns a link.
pub fn concerns(loss: &Loss, wire: &Wire) -> bool {
    let group = match (wire.from, wire.to) {
        (_, End::Host(_)) => Links::ToHosts,
        (End::Host(_), _) => Links::FromHosts,
        _ => Links::Switches,
    };
    let plane = loss.plane.is_none_or(|plane| plane == wire.plane);
    plane && (loss.links == Links::All || loss.links == group)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;

    fn losses(rate: f64, burst: f64) -> Vec<bool> {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let mut state = LossState::new(&Loss {
            rate,
            burst,
            links: Links::All,
            frames: Frames::Data,
            plane: None,
        });
        assert!(!(0..100).any(|_| state.loses(false, &mut random)));
        (0..200_000)
            .map(|_| state.loses(true, &mut random))
            .collect()
    }

    #[test]
    fn the_share_and_the_bursts_are_as_asked() {
        for (rate, burst) in [(0.01, 1.0), (0.1, 1.0), (0.1, 5.0)] {
            let lost = losses(rate, burst);
            let share = lost.iter().filter(|&&l| l).count() as f64 / lost.len() as f64;
            assert!((share / rate - 1.0).abs() < 0.1, "{share} of {rate}");
            let bursts = lost.windows(2).filter(|w| w[1] && !w[0]).count() as f64;
            let mean = share * lost.len() as f64 / bursts;
            let wanted = if burst == 1.0 {
                1.0 / (1.0 - rate)
            } else {
                burst
            };
            assert!((mean / wanted - 1.0).abs() < 0.1, "{mean} of {wanted}");
        }
        assert!(losses(1.0, 7.0).iter().all(|&l| l));
        assert!(!losses(0.0, 3.0).iter().any(|&l| l));
    }
}
