//! The reorder allowance of a connection: how many later transmissions of a path must have arrived before one is lost.

/// Deliveries without a needless retransmission after which the allowance halves (ours): an allowance costs a tail more
/// than it saves, so it goes as fast as it came.
const CALM: u32 = 256;

/// What reordering has taught a connection so far. Starts at 0: a path is ordered until it proves otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reorder {
    allowance: u32,
    calm: u32,
}

impl Reorder {
    /// Packets.
    pub fn allowance(&self) -> u32 {
        self.allowance
    }

    /// A retransmission was needless: twice the allowance, `max` at most.
    pub fn on_needless(&mut self, max: u32) {
        self.allowance = (2 * self.allowance).max(1).min(max);
        self.calm = 0;
    }

    /// A packet was delivered.
    pub fn on_resolved(&mut self) {
        self.calm += 1;
        if self.calm >= CALM {
            self.calm = 0;
            self.allowance /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proof_raises_it_and_calm_lowers_it_to_nothing() {
        let mut reorder = Reorder::default();
        let raised: Vec<u32> = (0..5)
            .map(|_| {
                reorder.on_needless(6);
                reorder.allowance()
            })
            .collect();
        assert_eq!(raised, [1, 2, 4, 6, 6]);
        (0..3 * CALM).for_each(|_| reorder.on_resolved());
        assert_eq!(reorder.allowance(), 0);
        reorder.on_needless(0);
        assert_eq!(reorder.allowance(), 0, "switched off");
    }
}
