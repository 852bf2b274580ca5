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
    /// An allowance to start with, where the fabric is known to reorder.
    pub fn starting_at(allowance: u32) -> Self {
        Self { allowance, calm: 0 }
    }

    /// Packets.
    pub fn allowance(&self) -> u32 {
        self.allowance
    }

    /// A retransmission was needless: twice the allowance, `max` at most.
    pub fn on_needless(&mut self, max: u32) {
        self.allowance = (2 * self.allowance).max(1).min(max);
        self.calm = 0;
    }

    /// A packet was delivered. `calm`: deliveries until the allowance halves; 0: the default.
    pub fn on_resolved(&mut self, calm: u32) {
        self.calm += 1;
        if self.calm >= if calm == 0 { CALM } else { calm } {
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
        (0..3 * CALM).for_each(|_| reorder.on_resolved(0));
        assert_eq!(reorder.allowance(), 0);
        reorder.on_needless(0);
        assert_eq!(reorder.allowance(), 0, "switched off");
        let mut patient = Reorder::starting_at(4);
        (0..999).for_each(|_| patient.on_resolved(1_000));
        assert_eq!(patient.allowance(), 4);
        patient.on_resolved(1_000);
        assert_eq!(patient.allowance(), 2);
    }
}
