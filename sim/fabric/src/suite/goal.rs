//! What a row is to reach.
use serde::Serialize;

/// Which side of its goal a value must be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// The goal or more.
    AtLeast,
    /// The goal or less.
    AtMost,
}

/// How a row's value comes from its seeds' values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Over {
    /// Their mean.
    Mean,
    /// The worst of them: every seed must do.
    Worst,
}

/// What is to be reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub side: Side,
    pub over: Over,
    /// None: the row only says what is.
    pub value: Option<f64>,
}

impl Goal {
    /// A row that only says what is; with [`Self::for_every_seed`] the largest.
    pub fn none() -> Self {
        Self {
            side: Side::AtMost,
            over: Over::Mean,
            value: None,
        }
    }

    pub fn at_least(value: f64) -> Self {
        Self {
            side: Side::AtLeast,
            over: Over::Mean,
            value: Some(value),
        }
    }

    pub fn at_most(value: f64) -> Self {
        Self {
            side: Side::AtMost,
            over: Over::Mean,
            value: Some(value),
        }
    }

    pub fn for_every_seed(self) -> Self {
        Self {
            over: Over::Worst,
            ..self
        }
    }

    /// Of a row without a goal in which more is better.
    pub fn for_least_seed(self) -> Self {
        Self {
            side: Side::AtLeast,
            ..self.for_every_seed()
        }
    }

    pub fn of(&self, values: &[f64]) -> f64 {
        match (self.over, self.side) {
            (Over::Mean, _) => values.iter().sum::<f64>() / values.len() as f64,
            (Over::Worst, Side::AtLeast) => values.iter().copied().fold(f64::INFINITY, f64::min),
            (Over::Worst, Side::AtMost) => values.iter().copied().fold(0.0, f64::max),
        }
    }

    /// A value that is missing meets no goal.
    pub fn is_met(&self, value: Option<f64>) -> Option<bool> {
        let goal = self.value?;
        Some(value.is_some_and(|value| match self.side {
            Side::AtLeast => value >= goal,
            Side::AtMost => value <= goal,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_looks_at_its_side_and_its_seeds() {
        let least = Goal::at_least(0.9);
        assert_eq!(least.is_met(Some(least.of(&[0.8, 1.0]))), Some(true));
        let least = least.for_every_seed();
        assert_eq!(least.is_met(Some(least.of(&[0.8, 1.0]))), Some(false));
        let most = Goal::at_most(5.0).for_every_seed();
        assert_eq!(most.of(&[1.0, 6.0]), 6.0);
        assert_eq!(Goal::none().for_least_seed().of(&[1.0, 6.0]), 1.0);
        assert_eq!(
            (most.is_met(Some(6.0)), most.is_met(Some(5.0))),
            (Some(false), Some(true))
        );
        assert_eq!(
            (most.is_met(None), Goal::none().is_met(None)),
            (Some(false), None)
        );
    }
}
