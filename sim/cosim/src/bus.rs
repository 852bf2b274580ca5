//! What all bus agents share: the order of a cycle, seeded stalls, recorded violations.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use verilator_sys::ModelError;

use crate::model::VerilatedModel;

/// Something that drives or watches ports of a model, cycle by cycle.
///
/// What `drive` sets must depend only on the agent's own state, never on outputs
/// of the model in this cycle: agents are then free of order among themselves.
pub trait Agent {
    /// Sets this cycle's inputs of the model.
    fn drive(&mut self, model: &mut VerilatedModel);

    /// Looks at the settled signals, which the coming edge samples.
    fn sample(&mut self, model: &VerilatedModel);
}

/// One clock cycle with these agents.
pub fn step(model: &mut VerilatedModel, agents: &mut [&mut dyn Agent]) -> Result<(), ModelError> {
    agents.iter_mut().for_each(|agent| agent.drive(model));
    model.settle()?;
    agents.iter_mut().for_each(|agent| agent.sample(model));
    model.rise()
}

/// A broken rule of a bus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Cycle whose edge samples the broken signals.
    pub cycle: u64,
    /// The rule's short name.
    pub rule: &'static str,
    /// What was needed and what was found.
    pub detail: String,
}

/// Violations kept of each agent: the first ones tell, the rest repeats them.
const VIOLATIONS_KEPT: usize = 100;

/// Keeps the first violations.
pub(crate) fn record(
    violations: &mut Vec<Violation>,
    cycle: u64,
    rule: &'static str,
    detail: String,
) {
    if violations.len() < VIOLATIONS_KEPT {
        violations.push(Violation {
            cycle,
            rule,
            detail,
        });
    }
}

/// Decides cycle by cycle whether an agent waits; the same seed waits the same.
#[derive(Debug, Clone)]
pub struct Stalls(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Never,
    Random {
        probability: f64,
        random: Box<ChaCha8Rng>,
    },
    Pattern {
        waits: Vec<bool>,
        next: usize,
    },
}

impl Stalls {
    /// Never waits: full load.
    pub fn never() -> Self {
        Stalls(Kind::Never)
    }

    /// Waits with this probability (0 to 1) in each cycle.
    pub fn random(probability: f64, seed: u64) -> Self {
        assert!(
            (0.0..=1.0).contains(&probability),
            "a probability is 0 to 1, not {probability}"
        );
        Stalls(Kind::Random {
            probability,
            random: Box::new(ChaCha8Rng::seed_from_u64(seed)),
        })
    }

    /// Waits every other cycle: an idle cycle between any two transfers.
    pub fn every_other() -> Self {
        Stalls::pattern([false, true])
    }

    /// Repeats these decisions; true waits.
    pub fn pattern(waits: impl Into<Vec<bool>>) -> Self {
        let waits = waits.into();
        assert!(!waits.is_empty(), "a pattern has at least one cycle");
        Stalls(Kind::Pattern { waits, next: 0 })
    }

    /// Whether to wait in this cycle.
    pub fn wait(&mut self) -> bool {
        match &mut self.0 {
            Kind::Never => false,
            Kind::Random {
                probability,
                random,
            } => random.random_bool(*probability),
            Kind::Pattern { waits, next } => {
                let wait = waits[*next];
                *next = (*next + 1) % waits.len();
                wait
            }
        }
    }
}

/// How often the buses around a NIC wait.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pace {
    /// Never: full load.
    Full,
    /// With this probability (0 to 1) in each cycle.
    Random(f64),
    /// In all cycles but one in so many.
    OneIn(usize),
}

impl Pace {
    /// Stalls of one channel under its own seed: channels do not wait in step.
    pub fn stalls(self, seed: u64) -> Stalls {
        match self {
            Pace::Full | Pace::Random(0.0) => Stalls::never(),
            Pace::Random(probability) => Stalls::random(probability, seed),
            Pace::OneIn(period) => {
                let goes = seed as usize % period;
                Stalls::pattern((0..period).map(|cycle| cycle != goes).collect::<Vec<_>>())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn same_seed_stalls_alike_and_near_its_probability() {
        let draw = |seed| {
            let mut stalls = Stalls::random(0.25, seed);
            (0..10_000).map(|_| stalls.wait()).collect::<Vec<_>>()
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        let share = draw(1).iter().filter(|wait| **wait).count();
        assert!((2_300..2_700).contains(&share), "{share}");
    }

    #[test]
    fn one_in_three_goes_on_once_in_three_cycles_and_each_seed_at_its_own() {
        let draw = |seed| {
            let mut stalls = Pace::OneIn(3).stalls(seed);
            [(); 6].map(|()| stalls.wait())
        };
        assert_eq!(draw(1), [true, false, true, true, false, true]);
        assert_ne!(draw(1), draw(2));
    }

    #[test]
    fn pattern_repeats() {
        let mut stalls = Stalls::every_other();
        assert_eq!([(); 4].map(|()| stalls.wait()), [false, true, false, true]);
    }
}
