//! Quantities with their units, as scenarios write them: `"400Gbps"`, `"0.5us"`, `"2MB"`.
use std::fmt;
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Picoseconds since the start.
pub type Time = u64;

/// Picoseconds of a microsecond.
pub const MICROSECOND: Time = 1_000_000;
/// Picoseconds of a second.
pub const SECOND: Time = 1_000_000_000_000;

/// Why a text is no quantity.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is no {what}: write a number and one of {units}, for example `{example}`")]
pub struct BadQuantity {
    found: String,
    what: &'static str,
    units: String,
    example: &'static str,
}

macro_rules! quantity {
    ($(#[$meta:meta])* $name:ident, $what:literal, $example:literal, $max:expr, [$($unit:literal = $scale:expr),+ $(,)?]) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name(pub u64);

        impl $name {
            const UNITS: &[(&str, f64)] = &[$(($unit, $scale)),+];
        }

        impl FromStr for $name {
            type Err = BadQuantity;

            fn from_str(text: &str) -> Result<Self, BadQuantity> {
                parse(text, Self::UNITS, $max).map(Self).ok_or_else(|| BadQuantity {
                    found: text.into(),
                    what: $what,
                    units: Self::UNITS.iter().map(|u| u.0).collect::<Vec<_>>().join(", "),
                    example: $example,
                })
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let text = String::deserialize(from)?;
                text.parse().map_err(D::Error::custom)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl fmt::Display for $name {
            /// In the largest unit that leaves no fraction; zero in the smallest.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let whole = |&&(_, scale): &&(&str, f64)| {
                    self.0 > 0 && (self.0 as f64 / scale).fract() == 0.0
                };
                let units = Self::UNITS.iter().rev();
                let (unit, scale) = units.clone().find(whole).unwrap_or(&Self::UNITS[0]);
                write!(f, "{}{unit}", self.0 as f64 / scale)
            }
        }
    };
}

quantity!(
    /// Bits a second.
    Rate, "rate", "400Gbps", 1e14,
    ["bps" = 1.0, "kbps" = 1e3, "Mbps" = 1e6, "Gbps" = 1e9, "Tbps" = 1e12]
);
quantity!(
    /// Picoseconds.
    Duration, "time", "0.5us", 1e16,
    ["ps" = 1.0, "ns" = 1e3, "us" = 1e6, "ms" = 1e9, "s" = 1e12]
);
quantity!(
    /// Bytes; `MB` is 10^6, `MiB` 2^20.
    Size, "size", "2MB", 1e15,
    ["B" = 1.0, "kB" = 1e3, "KiB" = 1024.0, "MB" = 1e6, "MiB" = 1_048_576.0, "GB" = 1e9, "GiB" = 1_073_741_824.0]
);

fn parse(text: &str, units: &[(&str, f64)], max: f64) -> Option<u64> {
    let text = text.trim();
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let number: f64 = text[..split].parse().ok()?;
    let unit = text[split..].trim();
    let scale = units.iter().find(|(name, _)| *name == unit)?.1;
    let value = (number * scale).round();
    (value <= max).then_some(value as u64)
}

impl Rate {
    /// Picoseconds that `bytes` take.
    pub fn time_of(self, bytes: u64) -> Time {
        (u128::from(bytes) * 8 * u128::from(SECOND) / u128::from(self.0.max(1))) as Time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantities_read_and_print_with_their_units() {
        assert_eq!("400Gbps".parse::<Rate>().unwrap().0, 400_000_000_000);
        assert_eq!("0.5 us".parse::<Duration>().unwrap().0, 500_000);
        assert_eq!("2MiB".parse::<Size>().unwrap().0, 2 << 20);
        assert_eq!(Size(2_000_000).to_string(), "2MB");
        assert_eq!(Duration(500_000).to_string(), "500ns");
        assert_eq!(
            (Rate(0).to_string(), Size(0).to_string()),
            ("0bps".into(), "0B".into())
        );
        assert_eq!(Rate(400_000_000_000).time_of(4_188), 83_760);
    }

    #[test]
    fn what_is_no_quantity_is_named() {
        for text in ["400", "fast", "", "-1us", "1 fortnight", "1e9s", "99999s"] {
            let error = text.parse::<Duration>().unwrap_err().to_string();
            assert!(error.contains("for example `0.5us`"), "{error}");
        }
        let error = "4GB".parse::<Rate>().unwrap_err().to_string();
        assert_eq!(
            error,
            "`4GB` is no rate: write a number and one of bps, kbps, Mbps, Gbps, Tbps, for example `400Gbps`"
        );
    }
}
