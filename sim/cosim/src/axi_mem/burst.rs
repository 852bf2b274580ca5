//! The arithmetic of an INCR burst.

/// A burst must not cross a multiple of this many bytes (AXI4, A3.4.1).
const BOUNDARY: u64 = 4096;

/// `AxBURST` of an incrementing burst (AXI4, table A3-3).
pub(super) const INCR: u64 = 1;

/// An accepted address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Burst {
    pub(super) id: u64,
    pub(super) address: u64,
    /// 1 to 256.
    pub(super) beats: u32,
    /// Bytes of a beat, a power of two, at most the bus's.
    pub(super) size: u64,
}

impl Burst {
    fn aligned(&self) -> u64 {
        self.address & !(self.size - 1)
    }

    /// First byte of a beat.
    pub(super) fn beat_start(&self, beat: u32) -> u64 {
        if beat == 0 {
            self.address
        } else {
            self.aligned().wrapping_add(u64::from(beat) * self.size)
        }
    }

    /// After the last byte of a beat; 0 at the end of the address space.
    pub(super) fn beat_end(&self, beat: u32) -> u64 {
        self.aligned().wrapping_add(u64::from(beat + 1) * self.size)
    }

    /// Byte lanes of a beat on a bus of this many bytes, as a mask.
    pub(super) fn lanes(&self, beat: u32, bus: u64) -> u64 {
        let first = self.beat_start(beat) % bus;
        let last = self.beat_end(beat).wrapping_sub(1) % bus;
        (u64::MAX >> (63 - last)) & (u64::MAX << first)
    }

    pub(super) fn crosses_boundary(&self) -> bool {
        self.address / BOUNDARY != self.beat_end(self.beats - 1).wrapping_sub(1) / BOUNDARY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn burst(address: u64, beats: u32, size: u64) -> Burst {
        Burst {
            id: 0,
            address,
            beats,
            size,
        }
    }

    #[test]
    fn only_the_first_beat_is_unaligned() {
        let burst = burst(0x1003, 3, 8);
        let starts = [0, 1, 2].map(|beat| burst.beat_start(beat));
        assert_eq!(starts, [0x1003, 0x1008, 0x1010]);
        assert_eq!([0, 1].map(|beat| burst.lanes(beat, 8)), [0xf8, 0xff]);
    }

    #[test]
    fn narrow_beats_walk_over_the_lanes() {
        let burst = burst(0x1004, 3, 4);
        assert_eq!(
            [0, 1, 2].map(|beat| burst.lanes(beat, 8)),
            [0xf0, 0x0f, 0xf0]
        );
    }

    #[test]
    fn boundary_is_crossed_by_the_byte_after_it() {
        assert!(!burst(0xf00, 4, 64).crosses_boundary());
        assert!(burst(0xf40, 4, 64).crosses_boundary());
        assert!(!burst(0xfff, 1, 64).crosses_boundary());
        assert!(burst(0xfff, 2, 64).crosses_boundary());
    }
}
