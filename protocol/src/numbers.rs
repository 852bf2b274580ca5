//! Numbers that wrap (docs/protocol.md, section 3).
use crate::error::OutOfRange;

/// The lower 24 bits.
const MASK: u32 = 0xFF_FFFF;

macro_rules! wrapping_24 {
    ($(#[$meta:meta])* $name:ident, $what:literal) => {
        $(#[$meta])*
        ///
        /// It has no natural order: `a` is at or after `b` when `(a - b) mod 2^24 < 2^23`. Of two numbers exactly
        /// half the space apart neither is at or after the other; every window is at most 256, far below that.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name(u32);

        impl $name {
            /// Bits of the number.
            pub const BITS: usize = 24;

            /// Checked: refuses a value of 2^24 or more.
            pub const fn new(value: u32) -> Result<Self, OutOfRange> {
                if value > MASK {
                    return Err(OutOfRange { what: $what, max: MASK as u64, found: value as u64 });
                }
                Ok(Self(value))
            }

            /// The lower 24 bits of `value`.
            pub const fn truncate(value: u32) -> Self {
                Self(value & MASK)
            }

            /// The value, 0..2^24.
            pub const fn get(self) -> u32 {
                self.0
            }

            /// The number `count` later.
            #[must_use]
            pub const fn plus(self, count: u32) -> Self {
                Self(self.0.wrapping_add(count) & MASK)
            }

            /// The number after this one.
            #[must_use]
            pub const fn next(self) -> Self {
                self.plus(1)
            }

            /// The number `count` earlier.
            #[must_use]
            pub const fn minus(self, count: u32) -> Self {
                Self(self.0.wrapping_sub(count) & MASK)
            }

            /// Steps from `earlier` up to this one, 0..2^24.
            pub const fn distance_from(self, earlier: Self) -> u32 {
                self.0.wrapping_sub(earlier.0) & MASK
            }

            /// Whether this one is `other`, or less than half the space after it.
            pub const fn is_at_or_after(self, other: Self) -> bool {
                self.distance_from(other) < 1 << 23
            }

            /// Not at or after `other`.
            pub const fn is_before(self, other: Self) -> bool {
                !self.is_at_or_after(other)
            }

            /// At or after `other`, and not `other`.
            pub const fn is_after(self, other: Self) -> bool {
                self.0 != other.0 && self.is_at_or_after(other)
            }
        }

        impl From<$name> for u32 {
            fn from(number: $name) -> u32 {
                number.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(out, "{}", self.0)
            }
        }
    };
}

wrapping_24!(
    /// Packet sequence number: names a packet's slot in its path. A retransmission keeps it.
    Psn,
    "PSN"
);
wrapping_24!(
    /// Transmit sequence number: counts every transmission on a path: data, retransmissions, probes.
    Tsn,
    "TSN"
);

impl Psn {
    /// Slot in a bitvector of 2^`log2_window` bits.
    pub const fn slot(self, log2_window: u32) -> usize {
        (self.0 & ((1 << log2_window) - 1)) as usize
    }

    /// Parity of the lap around a bitvector of 2^`log2_window` bits: bit `log2_window` of the number.
    pub const fn lap(self, log2_window: u32) -> bool {
        self.0 >> log2_window & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_holds_across_the_roll_over() {
        let last = Psn::truncate(MASK);
        assert_eq!(last.next(), Psn::default());
        assert!(last.next().is_at_or_after(last));
        assert!(last.next().is_after(last));
        assert!(last.is_before(last.next()));
        assert_eq!(last.plus(3).distance_from(last.minus(2)), 5);
        assert!(last.is_at_or_after(last) && !last.is_after(last));
    }

    #[test]
    fn half_the_space_apart_is_after_in_neither_direction() {
        for start in [0, 1, MASK - 1, MASK] {
            let a = Tsn::truncate(start);
            let b = a.plus(1 << 23);
            assert!(!a.is_at_or_after(b) && !b.is_at_or_after(a));
            assert!(a.plus((1 << 23) - 1).is_at_or_after(a));
        }
    }

    #[test]
    fn construction_is_checked_and_truncation_has_its_name() {
        assert_eq!(Psn::new(MASK).unwrap().get(), MASK);
        let error = Psn::new(MASK + 1).unwrap_err();
        assert_eq!(error.to_string(), "PSN is at most 16777215, found 16777216");
        assert_eq!(Psn::truncate(MASK + 2).get(), 1);
    }

    #[test]
    fn slot_and_lap_split_the_number() {
        let psn = Psn::truncate(0xFF_FFFF);
        assert_eq!((psn.slot(8), psn.lap(8)), (255, true));
        assert_eq!((psn.next().slot(8), psn.next().lap(8)), (0, false));
        assert_eq!(
            (Psn::truncate(33).slot(5), Psn::truncate(33).lap(5)),
            (1, true)
        );
    }
}
