//! The cumulative point of a window.
use metaroce_protocol::{Bitvector, Psn};

/// The first PSN at or after `cum` that is not received; at most a whole window after it.
pub fn first_missing(bits: &Bitvector, cum: Psn, window_log2: u32) -> Psn {
    let window = 1 << window_log2;
    let missing = (0..window).find(|&n| !bits.is_received(cum.plus(n), window_log2));
    cum.plus(missing.unwrap_or(window))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_holds_the_cumulative_point_over_many_laps_and_the_wrap() {
        for window_log2 in [5, 8] {
            let window = 1 << window_log2;
            let mut cum = Psn::truncate(0xFF_FF00 - 3 * 256);
            let mut bits = Bitvector::nothing_received(cum, window_log2);
            for step in 0..5_000 {
                let ahead = cum.plus(1 + step % (window - 1));
                bits.mark(ahead, window_log2);
                assert_eq!(
                    first_missing(&bits, cum, window_log2),
                    cum,
                    "the hole at cum stays"
                );
                bits.mark(cum, window_log2);
                cum = first_missing(&bits, cum, window_log2);
            }
        }
    }

    #[test]
    fn after_a_full_window_comes_what_follows_it() {
        let cum = Psn::truncate(0xFF_FF00);
        let mut bits = Bitvector::nothing_received(cum, 8);
        (0..256).for_each(|n| bits.mark(cum.plus(n), 8));
        assert_eq!(first_missing(&bits, cum, 8), cum.plus(256));
    }
}
