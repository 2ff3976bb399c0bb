//! Every number below n once, in pseudo-random order, without a list of those already used.
//!
//! A balanced Feistel network of four rounds over the smallest even number of bits that holds n, with cycle walking
//! until the number is below n (Black and Rogaway, "Ciphers with arbitrary finite domains", 2002). An LFSR also visits
//! each number once, but successive numbers are close together (each is half of the one before), which read-ahead or a
//! wide stripe can profit from.

const ROUNDS: usize = 4;

/// A permutation of the numbers below `count`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Permutation {
    count: u64,
    half_bits: u32,
    half_mask: u64,
    keys: [u64; ROUNDS],
}

impl Permutation {
    /// The permutation of the numbers below `count`, at least 1, that belongs to `seed`.
    pub(crate) fn new(count: u64, seed: u64) -> Permutation {
        let bits = u64::BITS - count.saturating_sub(1).leading_zeros();
        let half_bits = bits.div_ceil(2).max(1);
        let mut state = seed;
        let keys = [(); ROUNDS].map(|()| {
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            mix(state)
        });
        Permutation { count: count.max(1), half_bits, half_mask: (1 << half_bits) - 1, keys }
    }

    /// Count of the permuted numbers.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// The number at `index` modulo the count.
    #[inline]
    pub(crate) fn at(&self, index: u64) -> u64 {
        let mut number = index % self.count;
        loop {
            number = self.scramble(number);
            if number < self.count {
                return number;
            }
        }
    }

    #[inline]
    fn scramble(&self, number: u64) -> u64 {
        let (mut left, mut right) = (number >> self.half_bits, number & self.half_mask);
        for key in self.keys {
            // One multiplication is not enough: the difference of successive numbers would be the same everywhere.
            let round = (right ^ key).wrapping_mul(0xff51_afd7_ed55_8ccd);
            let round = (round ^ round >> 32).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
            (left, right) = (right, (left ^ (round >> 32)) & self.half_mask);
        }
        left << self.half_bits | right
    }
}

/// A bijection of 64 bits with full avalanche (the finaliser of SplitMix64).
#[inline]
pub(crate) fn mix(mut value: u64) -> u64 {
    value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_number_comes_once(count in 1u64..5_000, seed in any::<u64>()) {
            let permutation = Permutation::new(count, seed);
            let mut seen = vec![false; count as usize];
            for index in 0..count {
                let number = permutation.at(index) as usize;
                prop_assert!(!seen[number]);
                seen[number] = true;
            }
        }

        #[test]
        fn large_counts_stay_in_range(count in 1u64..u64::MAX / 4, index in any::<u64>(), seed in any::<u64>()) {
            prop_assert!(Permutation::new(count, seed).at(index) < count);
        }
    }

    #[test]
    fn successive_numbers_are_far_apart() {
        let count = 1 << 20;
        let permutation = Permutation::new(count, 7);
        let near =
            (0..100_000).filter(|index| permutation.at(*index).abs_diff(permutation.at(index + 1)) < count / 100);
        // Of two numbers drawn at random, 2 % lie within a hundredth of the range.
        let share = near.count() as f64 / 100_000.0;
        assert!((0.015..0.025).contains(&share), "{share}");
    }

    #[test]
    fn steps_of_small_permutations_are_all_different() {
        // Of 511 steps through 512 numbers drawn at random, about one has any given length.
        let mut most = 0;
        for seed in 0..200 {
            let permutation = Permutation::new(512, seed);
            let mut steps = std::collections::BTreeMap::new();
            for index in 0..511 {
                let step = permutation.at(index + 1).wrapping_sub(permutation.at(index));
                *steps.entry(step).or_insert(0) += 1;
            }
            most = most.max(steps.into_values().max().unwrap());
        }
        assert!(most <= 12, "{most} steps of one length");
    }

    #[test]
    fn quarters_of_the_range_are_visited_alike() {
        let permutation = Permutation::new(1_000_003, 99);
        let mut quarters = [0u32; 4];
        (0..100_000).for_each(|index| quarters[(permutation.at(index) * 4 / 1_000_003) as usize] += 1);
        assert!(quarters.iter().all(|count| (24_300..25_700).contains(count)), "{quarters:?}");
    }
}
