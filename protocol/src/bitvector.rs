//! The bitvector with lap parity (docs/protocol.md, section 3).
use crate::numbers::Psn;

/// 256 bits; bit `i` speaks of the slot PSN mod 256 = `i`. Word 0 holds bits 0..64, lowest bit first.
///
/// A window of W = 2^`log2_window` < 256 uses the low W bits. Widths 5 and 8 are used; 0..=8 work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bitvector(pub [u64; 4]);

impl Bitvector {
    /// Nothing received, for a path that starts at `first`: every bit has the parity of `first`'s lap.
    pub const fn nothing_received(first: Psn, log2_window: u32) -> Self {
        let word = if first.lap(log2_window) { u64::MAX } else { 0 };
        Self([word; 4])
    }

    /// Bit `index`, 0..256; more wraps.
    pub const fn bit(&self, index: usize) -> bool {
        self.0[index / 64 % 4] >> (index % 64) & 1 == 1
    }

    /// Sets bit `index`, 0..256; more wraps.
    pub const fn set(&mut self, index: usize, value: bool) {
        let word = &mut self.0[index / 64 % 4];
        *word = *word & !(1 << (index % 64)) | (value as u64) << (index % 64);
    }

    /// Whether `psn` is received, provided that it lies in the window.
    pub const fn is_received(&self, psn: Psn, log2_window: u32) -> bool {
        self.bit(psn.slot(log2_window)) != psn.lap(log2_window)
    }

    /// Marks `psn` received.
    pub const fn mark(&mut self, psn: Psn, log2_window: u32) {
        self.set(psn.slot(log2_window), !psn.lap(log2_window));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_survive_laps_without_clearing() {
        for log2_window in [5, 8] {
            let window = 1 << log2_window;
            let mut psn = Psn::truncate(0xFF_FE00);
            let mut vector = Bitvector::nothing_received(psn, log2_window);
            for _ in 0..1024 {
                assert!(!vector.is_received(psn, log2_window));
                vector.mark(psn, log2_window);
                assert!(vector.is_received(psn, log2_window));
                // The slot's next tenant is one window on, and has not been received.
                assert!(!vector.is_received(psn.plus(window), log2_window));
                psn = psn.next();
            }
        }
    }
}
