//! Random values of every type, with the corners more often than chance would give them.

use num_bigint::BigUint;
use rand::Rng;
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

pub trait Random: Synth {
    fn random(rng: &mut ChaCha8Rng) -> Self;
}

/// `width` bits: corners, small numbers, single bits, or anything.
pub fn number(rng: &mut ChaCha8Rng, width: usize) -> BigUint {
    let one = BigUint::from(1u8);
    let all = (&one << width) - &one;
    let value = match rng.random_range(0..8) {
        0 => BigUint::default(),
        1 => all.clone(),
        2 => BigUint::from(rng.random_range(0..4u8)),
        3 => &all - BigUint::from(rng.random_range(0..4u8)).min(all.clone()),
        4 => &one << rng.random_range(0..width),
        _ => {
            let words: Vec<u32> = (0..width.div_ceil(32)).map(|_| rng.random()).collect();
            BigUint::new(words)
        }
    };
    value & all
}

impl Random for bool {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        rng.random()
    }
}

impl<const N: usize> Random for Bits<N> {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        let value = number(rng, N);
        // rust-hdl's own conversion from `BigUint` goes through `u64` up to 32 bits.
        Bits::<N>::from(value)
    }
}

impl<const N: usize> Random for Signed<N> {
    fn random(rng: &mut ChaCha8Rng) -> Self {
        signed_cast(Bits::<N>::random(rng))
    }
}

/// A value's bits.
pub fn bits_of<T: Synth>(value: T) -> BigUint {
    let text = format!("{:x}", value.verilog());
    let digits = text.split_once("'h").expect("a literal").1;
    BigUint::parse_bytes(digits.as_bytes(), 16).expect("hex")
}
