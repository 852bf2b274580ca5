//! A part of a batch of runs: every n-th, so that parts take alike long.
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Part `index` of `of`, from 1: `2/4` on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Which part, 1..=of.
    pub index: usize,
    /// How many there are.
    pub of: usize,
}

/// Most parts (ours): more than anybody has machines.
const MOST: usize = 10_000;

/// Why a text is no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("shard `{0}` must be I/N with 1 <= I <= N <= {MOST}, for example 2/4")]
pub struct BadShard(String);

impl Shard {
    /// Everything.
    pub const WHOLE: Self = Self { index: 1, of: 1 };

    /// Those of this part, in order.
    pub fn of<T>(self, all: Vec<T>) -> Vec<T> {
        let mine = all.into_iter().skip(self.index - 1);
        mine.step_by(self.of).collect()
    }
}

impl FromStr for Shard {
    type Err = BadShard;

    fn from_str(text: &str) -> Result<Self, BadShard> {
        let numbers = text.split_once('/').and_then(|(index, of)| {
            let (index, of) = (index.parse().ok()?, of.parse().ok()?);
            ((1..=of).contains(&index) && of <= MOST).then_some(Self { index, of })
        });
        numbers.ok_or_else(|| BadShard(text.into()))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

impl Serialize for Shard {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Shard {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_everything_once() {
        let part = |text: &str| text.parse::<Shard>().unwrap().of((0..8).collect());
        assert_eq!(part("1/3"), [0, 3, 6]);
        assert_eq!(part("2/3"), [1, 4, 7]);
        assert_eq!(part("3/3"), [2, 5]);
    }

    #[test]
    fn what_is_no_shard_is_named() {
        for text in ["0/2", "3/2", "2", "a/b", "", "1/0", "-1/2", "1/10001"] {
            let error = text.parse::<Shard>().unwrap_err().to_string();
            assert!(error.starts_with(&format!("shard `{text}`")), "{error}");
        }
    }
}
