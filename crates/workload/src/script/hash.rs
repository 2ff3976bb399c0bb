//! The hashes and the permutation of pgbench. Their values are those of pgbench 15 and later: scripts use them to spread skewed
//! keys, and must hit the same rows.

use rand_xoshiro::Xoroshiro128StarStar;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// FNV-1a of the eight bytes of `value`, the lowest first (Fowler, Noll, Vo).
pub(crate) fn fnv1a(value: i64, seed: i64) -> i64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    let hash = value
        .to_le_bytes()
        .iter()
        .fold(OFFSET_BASIS ^ seed as u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(PRIME));
    hash as i64
}

/// MurmurHash2, 64 bits (Appleby 2008), of one word.
pub(crate) fn murmur2(value: i64, seed: i64) -> i64 {
    const MULTIPLIER: u64 = 0xc6a4_a793_5bd1_e995;
    const ROTATION: u32 = 47;
    let word_bytes = 8;
    let mixed = |word: u64| {
        let word = word.wrapping_mul(MULTIPLIER);
        (word ^ (word >> ROTATION)).wrapping_mul(MULTIPLIER)
    };
    let hash = seed as u64 ^ MULTIPLIER.wrapping_mul(word_bytes);
    let hash = (hash ^ mixed(value as u64)).wrapping_mul(MULTIPLIER);
    let hash = (hash ^ (hash >> ROTATION)).wrapping_mul(MULTIPLIER);
    (hash ^ (hash >> ROTATION)) as i64
}

/// The place of `value` modulo `size` in the permutation of 0 to `size` - 1 that `seed` chooses. Six rounds, each a
/// multiplication by an odd number, an exclusive or and a rotation of the lower and then of the upper numbers that a mask
/// holds, and a shift of all.
pub(crate) fn permute(value: i64, size: i64, seed: i64) -> i64 {
    if size < 2 {
        return 0;
    }
    // The generator of pgbench's permutation, and how it is seeded.
    let mut random = Xoroshiro128StarStar::seed_from_u64(seed as u64);
    let size = size as u64;
    let bits = size.ilog2();
    let mask = (1u64 << bits) - 1;
    let mut place = value as u64 % size;
    for _ in 0..6 {
        place = scrambled(place, mask, bits, &mut random);
        place = size - 1 - scrambled(size - 1 - place, mask, bits, &mut random);
        place = (place + up_to(&mut random, size - 1)) % size;
    }
    place as i64
}

/// `place`, moved among the numbers up to `mask` where it is one of them.
fn scrambled(place: u64, mask: u64, bits: u32, random: &mut Xoroshiro128StarStar) -> u64 {
    let (multiplier, other) = ((random.next_u64() & mask) | 1, random.next_u64() & mask);
    if place > mask {
        return place;
    }
    let place = (place.wrapping_mul(multiplier) ^ other) & mask;
    ((place << 1) & mask) | (place >> (bits - 1))
}

/// In 0 to `most`, which is not 0, by rejection.
fn up_to(random: &mut Xoroshiro128StarStar, most: u64) -> u64 {
    loop {
        let word = random.next_u64() >> most.leading_zeros();
        if word <= most {
            return word;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Values that pgbench 15.18 gave for the same arguments.
    #[test]
    fn hashes_are_those_of_pgbench() {
        assert_eq!(fnv1a(10, 5432), -7_793_829_335_365_542_153);
        assert_eq!(fnv1a(i64::MIN, -1), 4_052_607_191_188_198_810);
        assert_eq!(murmur2(10, 5432), -5_817_877_081_768_721_676);
        assert_eq!(murmur2(-5, 5432), 4_526_702_141_187_223_565);
        assert_eq!(murmur2(i64::MAX, 0), -6_118_008_551_640_328_833);
    }

    /// The same for the permutation with seed 54321, of 0, 1, 5, -3 and 123456789.
    #[test]
    fn permutations_are_those_of_pgbench() {
        let known: [(i64, [i64; 5]); 9] = [
            (1, [0, 0, 0, 0, 0]),
            (2, [1, 0, 0, 0, 0]),
            (3, [2, 1, 0, 1, 2]),
            (4, [3, 0, 0, 0, 0]),
            (7, [1, 4, 6, 2, 4]),
            (10, [9, 1, 5, 4, 8]),
            (1000, [60, 609, 203, 448, 592]),
            (1_000_000, [875_427, 985_075, 168_986, 97_771, 42_746]),
            (
                9_223_372_036_854_775_807,
                [
                    8_650_703_865_372_096_469,
                    8_281_115_127_190_673_113,
                    9_008_084_367_690_817_255,
                    3_975_480_318_790_961_623,
                    5_137_572_523_911_222_447,
                ],
            ),
        ];
        for (size, expected) in known {
            assert_eq!([0, 1, 5, -3, 123_456_789].map(|value| permute(value, size, 54_321)), expected, "{size}");
        }
    }

    proptest! {
        #[test]
        fn every_place_is_taken_once(size in 1_i64..300, seed: i64) {
            let places: BTreeSet<i64> = (0..size).map(|value| permute(value, size, seed)).collect();
            prop_assert_eq!(places, (0..size).collect::<BTreeSet<i64>>());
        }

        #[test]
        fn a_place_is_below_the_size(value: i64, size in 1..=i64::MAX, seed: i64) {
            prop_assert!((0..size).contains(&permute(value, size, seed)));
        }
    }
}
