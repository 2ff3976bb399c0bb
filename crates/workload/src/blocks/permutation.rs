//! A pseudo-random permutation of [0, count) without locality, computed number by number.
//!
//! A Feistel network of four rounds over the next even number of bits, walked until it falls into the range (Black and
//! Rogaway 2002, "Ciphers with arbitrary finite domains"): fewer than four walks on average.

use crate::data::{GOLDEN, mix};

const ROUNDS: u64 = 4;

/// A permutation of [0, count).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Permutation {
    count: u64,
    half_bits: u32,
    key: u64,
}

impl Permutation {
    /// A permutation of `count` numbers, at least 1 and at most 2^62, derived from `seed`.
    pub(crate) fn new(count: u64, seed: u64) -> Permutation {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        Permutation { count: count.max(1), half_bits: bits.div_ceil(2).max(1), key: mix(seed ^ GOLDEN) }
    }

    /// The image of `number`, which is below the count.
    #[inline]
    pub(crate) fn of(&self, number: u64) -> u64 {
        let mut position = number;
        loop {
            position = self.round_trip(position);
            if position < self.count {
                return position;
            }
        }
    }

    #[inline]
    fn round_trip(&self, number: u64) -> u64 {
        let mask = (1u64 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for round in 0..ROUNDS {
            let keyed = mix(self.key.wrapping_add(round.wrapping_mul(GOLDEN)) ^ right);
            (left, right) = (right, left ^ (keyed & mask));
        }
        left << self.half_bits | right
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_number_is_reached_once(count in 1u64..3_000, seed: u64) {
            let permutation = Permutation::new(count, seed);
            let mut reached = vec![false; count as usize];
            for number in 0..count {
                let position = permutation.of(number) as usize;
                prop_assert!(!std::mem::replace(&mut reached[position], true), "{position} twice");
            }
        }
    }

    #[test]
    fn neighbours_are_scattered_and_the_seed_decides() {
        let permutation = Permutation::new(100_000, 42);
        let near = (0..99_999).filter(|number| {
            let (one, next) = (permutation.of(*number), permutation.of(*number + 1));
            one.abs_diff(next) < 100
        });
        // 200 of 100000 places are near: 0.2 % of the pairs.
        assert!(near.count() < 400);
        assert_ne!(permutation, Permutation::new(100_000, 43));
        assert_eq!(Permutation::new(1, 7).of(0), 0);
        let large = Permutation::new(1 << 40, 7);
        assert!((0..1_000).all(|number| large.of(number) < 1 << 40));
    }
}
