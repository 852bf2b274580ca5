//! CRC-32 of a word a cycle.
#![allow(missing_docs)] // the derive makes methods that can carry no document
use rust_hdl::prelude::*;
use std::array::from_fn;

/// IEEE 802.3, most significant bit first.
const POLYNOMIAL: u32 = 0x04C1_1DB7;

/// The state after one more byte; bits are reflected, as Ethernet and RoCE send them.
pub fn crc32_byte(state: u32, byte: u8) -> u32 {
    let polynomial = POLYNOMIAL.reverse_bits();
    (0..8).fold(state ^ u32::from(byte), |state, _| {
        (state >> 1) ^ (polynomial * (state & 1))
    })
}

/// The state before `byte`: the inverse of [`crc32_byte`].
pub fn crc32_byte_back(state: u32, byte: u8) -> u32 {
    let polynomial = POLYNOMIAL.reverse_bits();
    let back = |state: u32, _| {
        let bit = state >> 31;
        ((state ^ (polynomial * bit)) << 1) | bit
    };
    (0..8).fold(state, back) ^ u32::from(byte)
}

/// The state after bytes that are followed by their own CRC, little-endian: the same for all of them.
pub fn crc32_residue() -> u32 {
    let state = u32::MAX;
    (!state).to_le_bytes().into_iter().fold(state, crc32_byte)
}

/// Which bits of `state ^ data` make bit `i` of the state after `bytes` bytes.
fn masks<const N: usize>(bytes: usize) -> [Constant<Bits<N>>; 32] {
    // The step is linear: row i is found by feeding one bit at a time.
    let column = |bit: usize| {
        (0..bytes).fold(0, |state, byte| {
            let input = if byte == bit / 8 { 1u8 << (bit % 8) } else { 0 };
            crc32_byte(state, input)
        })
    };
    let columns: Vec<u32> = (0..8 * bytes).map(column).collect();
    from_fn(|i| {
        let mut mask = Bits::<N>::default();
        for (bit, column) in columns.iter().enumerate() {
            mask = mask.replace_bit(bit, (column >> i) & 1 == 1);
        }
        Constant::new(mask)
    })
}

/// The CRC-32 state after `D` bits more (or the low 32 of them), without a register.
///
/// `D` is 8, 32 or 64. Byte 0 of `data`, the first on the wire, is in bits 7..0. Each bit is one parity of masked input
/// (`D` = 64: about 30 of 64 bits).
#[derive(LogicBlock)]
pub struct Crc32Step<const D: usize> {
    pub state: Signal<In, Bits<32>>,
    pub data: Signal<In, Bits<D>>,
    /// Only the low 32 bits of `data` count; false if `D` is not 64.
    pub half: Signal<In, Bit>,
    pub result: Signal<Out, Bits<32>>,
    mixed: Signal<Local, Bits<D>>,
    low: Signal<Local, Bits<32>>,
    whole_result: Signal<Local, Bits<32>>,
    half_result: Signal<Local, Bits<32>>,
    masks: [Constant<Bits<D>>; 32],
    half_masks: [Constant<Bits<32>>; 32],
    width: Constant<Bits<7>>,
    has_half: Constant<Bit>,
}

impl<const D: usize> Default for Crc32Step<D> {
    fn default() -> Self {
        assert!(
            matches!(D, 8 | 32 | 64),
            "a word is 8, 32 or 64 bits, not {D}"
        );
        Self {
            state: Default::default(),
            data: Default::default(),
            half: Default::default(),
            result: Default::default(),
            mixed: Default::default(),
            low: Default::default(),
            whole_result: Default::default(),
            half_result: Default::default(),
            masks: masks(D / 8),
            half_masks: masks(4),
            width: Constant::new((D as u64).into()),
            has_half: Constant::new(D == 64),
        }
    }
}

impl<const D: usize> Logic for Crc32Step<D> {
    #[hdl_gen]
    fn update(&mut self) {
        self.mixed.next = self.data.val() ^ bit_cast::<D, 32>(self.state.val());
        self.whole_result.next = self.state.val() >> self.width.val();
        for i in 0..32 {
            self.whole_result.next = self.whole_result.val().replace_bit(
                i,
                self.whole_result.val().get_bit(i) ^ (self.mixed.val() & self.masks[i].val()).xor(),
            );
        }
        self.low.next = 0.into();
        self.half_result.next = 0.into();
        self.result.next = self.whole_result.val();
        if self.has_half.val() {
            self.low.next = bit_cast::<32, D>(self.mixed.val());
            for i in 0..32 {
                self.half_result.next = self
                    .half_result
                    .val()
                    .replace_bit(i, (self.low.val() & self.half_masks[i].val()).xor());
            }
            if self.half.val() {
                self.result.next = self.half_result.val();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_catalogue_of_crcs() {
        assert_eq!(
            !b"123456789".iter().copied().fold(u32::MAX, crc32_byte),
            0xCBF4_3926
        );
        assert_eq!(crc32_residue(), 0xDEBB_20E3);
    }

    #[test]
    fn a_step_back_undoes_a_step() {
        for byte in 0..=255 {
            assert_eq!(
                crc32_byte_back(crc32_byte(0x1234_5678, byte), byte),
                0x1234_5678
            );
        }
    }
}
