//! How a point ends early.
use thiserror::Error;

/// Why a point does not pass.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Stop {
    /// The target broke the rule.
    #[error("{0}")]
    Fails(String),
    /// The target lacks what the point needs: it says nothing about the rule.
    #[error("{0}")]
    Lacks(String),
}

/// A step of a point.
pub type Check<T = ()> = Result<T, Stop>;

impl Stop {
    /// The target lacks something.
    pub fn lacks(what: impl Into<String>) -> Self {
        Self::Lacks(what.into())
    }

    /// The target is wrong.
    pub fn fails(what: impl Into<String>) -> Self {
        Self::Fails(what.into())
    }
}

/// Fails with a sentence unless a condition holds.
macro_rules! ensure {
    ($condition:expr, $($sentence:tt)+) => {
        if !$condition {
            return Err($crate::check::Stop::Fails(format!($($sentence)+)));
        }
    };
}

/// Fails unless what was found is what was needed.
macro_rules! ensure_eq {
    ($found:expr, $needed:expr, $($what:tt)+) => {
        let (found, needed) = (&$found, &$needed);
        if found != needed {
            let what = format!($($what)+);
            return Err($crate::check::Stop::Fails(format!(
                "{what}: needed {needed:?}, found {found:?}"
            )));
        }
    };
}

pub(crate) use {ensure, ensure_eq};
