//! How a field's value lies in the bits of a layout.
use super::Order;
use crate::bitvector::Bitvector;
use crate::codes::{CompletionStatus, ConfigTable, Opcode, RefusalReason, WqeOpcode};
use crate::mac::MacAddr;
use crate::numbers::{Psn, Tsn};
use std::net::{Ipv4Addr, Ipv6Addr};

/// A type that can stand in a layout.
pub trait FieldValue: Sized {
    /// Reads `bits` bits that start `offset` bits into `bytes`. They must be there.
    fn load(bytes: &[u8], order: Order, offset: usize, bits: usize) -> Self;
    /// Writes them, over zeros. What exceeds `bits` is cut off.
    fn store(self, bytes: &mut [u8], order: Order, offset: usize, bits: usize);
}

const fn mask(bits: usize) -> u64 {
    u64::MAX >> (64 - bits)
}

/// Up to 64 bits, which may touch nine bytes.
#[inline(always)]
fn load(bytes: &[u8], order: Order, offset: usize, bits: usize) -> u64 {
    let span = &bytes[offset / 8..(offset + bits).div_ceil(8)];
    let (word, down) = match order {
        Order::Network => (
            span.iter()
                .fold(0, |word, &byte| word << 8 | u128::from(byte)),
            (offset + bits).next_multiple_of(8) - (offset + bits),
        ),
        Order::Host => (
            span.iter()
                .rev()
                .fold(0, |word, &byte| word << 8 | u128::from(byte)),
            offset % 8,
        ),
    };
    (word >> down) as u64 & mask(bits)
}

#[inline(always)]
fn store(value: u64, bytes: &mut [u8], order: Order, offset: usize, bits: usize) {
    let span = &mut bytes[offset / 8..(offset + bits).div_ceil(8)];
    let value = u128::from(value & mask(bits));
    match order {
        Order::Network => {
            let up = (offset + bits).next_multiple_of(8) - (offset + bits);
            for (index, byte) in span.iter_mut().rev().enumerate() {
                *byte |= (value << up >> (8 * index)) as u8;
            }
        }
        Order::Host => {
            for (index, byte) in span.iter_mut().enumerate() {
                *byte |= (value << (offset % 8) >> (8 * index)) as u8;
            }
        }
    }
}

/// Types that are a number of up to 64 bits.
macro_rules! small {
    ($($type:ty: $from:expr, $into:expr;)+) => {
        $(impl FieldValue for $type {
            #[inline(always)]
            fn load(bytes: &[u8], order: Order, offset: usize, bits: usize) -> Self {
                $from(load(bytes, order, offset, bits))
            }
            #[inline(always)]
            fn store(self, bytes: &mut [u8], order: Order, offset: usize, bits: usize) {
                store($into(self), bytes, order, offset, bits);
            }
        })+
    };
}

small! {
    bool: |value| value != 0, u64::from;
    u8: |value| value as u8, u64::from;
    u16: |value| value as u16, u64::from;
    u32: |value| value as u32, u64::from;
    u64: |value| value, |value| value;
    Psn: |value| Psn::truncate(value as u32), |psn: Psn| u64::from(psn.get());
    Tsn: |value| Tsn::truncate(value as u32), |tsn: Tsn| u64::from(tsn.get());
    MacAddr: MacAddr::truncate, MacAddr::to_u64;
    Ipv4Addr: |value| Ipv4Addr::from_bits(value as u32), |ip: Ipv4Addr| u64::from(ip.to_bits());
    Opcode: |value| Opcode::from_code(value as u8), |code: Opcode| u64::from(code.code());
    RefusalReason: |value| RefusalReason::from_code(value as u8), |code: RefusalReason| u64::from(code.code());
    CompletionStatus: |value| CompletionStatus::from_code(value as u8), |code: CompletionStatus| u64::from(code.code());
    WqeOpcode: |value| WqeOpcode::from_code(value as u8), |code: WqeOpcode| u64::from(code.code());
    ConfigTable: |value| ConfigTable::from_code(value as u8), |code: ConfigTable| u64::from(code.code());
}

/// Whole 64-bit words, `0` the least significant.
#[inline(always)]
fn load_words<const N: usize>(bytes: &[u8], order: Order, offset: usize) -> [u64; N] {
    let mut words = [0; N];
    for (index, word) in words.iter_mut().enumerate() {
        let place = if order == Order::Network {
            N - 1 - index
        } else {
            index
        };
        *word = load(bytes, order, offset + 64 * place, 64);
    }
    words
}

#[inline(always)]
fn store_words<const N: usize>(words: [u64; N], bytes: &mut [u8], order: Order, offset: usize) {
    for (index, word) in words.into_iter().enumerate() {
        let place = if order == Order::Network {
            N - 1 - index
        } else {
            index
        };
        store(word, bytes, order, offset + 64 * place, 64);
    }
}

impl FieldValue for Bitvector {
    #[inline(always)]
    fn load(bytes: &[u8], order: Order, offset: usize, _bits: usize) -> Self {
        Self(load_words(bytes, order, offset))
    }
    #[inline(always)]
    fn store(self, bytes: &mut [u8], order: Order, offset: usize, _bits: usize) {
        store_words(self.0, bytes, order, offset);
    }
}

impl FieldValue for Ipv6Addr {
    #[inline(always)]
    fn load(bytes: &[u8], order: Order, offset: usize, _bits: usize) -> Self {
        let [low, high] = load_words(bytes, order, offset);
        Self::from_bits(u128::from(high) << 64 | u128::from(low))
    }
    #[inline(always)]
    fn store(self, bytes: &mut [u8], order: Order, offset: usize, _bits: usize) {
        let value = self.to_bits();
        store_words([value as u64, (value >> 64) as u64], bytes, order, offset);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The value bit by bit, from the definition of the order.
    fn by_bits(bytes: &[u8], order: Order, offset: usize, bits: usize) -> u64 {
        (0..bits).fold(0, |value, index| {
            let at = offset + index;
            match order {
                Order::Network => value << 1 | u64::from(bytes[at / 8] >> (7 - at % 8) & 1),
                Order::Host => value | u64::from(bytes[at / 8] >> (at % 8) & 1) << index,
            }
        })
    }

    proptest! {
        #[test]
        fn a_field_is_its_bits_and_touches_no_other(
            value: u64, offset in 0usize..80, bits in 1usize..=64, network: bool,
        ) {
            let order = if network { Order::Network } else { Order::Host };
            let mut bytes = [0; 20];
            value.store(&mut bytes, order, offset, bits);
            prop_assert_eq!(by_bits(&bytes, order, offset, bits), value & mask(bits));
            prop_assert_eq!(u64::load(&bytes, order, offset, bits), value & mask(bits));
            let ones: u32 = bytes.iter().map(|byte| byte.count_ones()).sum();
            prop_assert_eq!(ones, (value & mask(bits)).count_ones());
        }
    }
}
