//! The secondary key: which rows of a table share a value.
//!
//! The table is divided into 320 stripes of equal length. Each stripe holds every value of the secondary key exactly
//! once, in an order of its own: the row at position `p` of stripe `s` has the value `(p * A + B) mod groups`, with `A`
//! coprime to the number of values and both random for the stripe. So exactly 320 rows share a value, one in each
//! stripe, at unrelated positions: reading them is reading 320 non-adjacent blocks, if a stripe is longer than a block.
//! Both directions, row to value and value to rows, cost a few divisions.

use crate::data::text::{GOLDEN, mix};

/// Rows that share a value of the secondary key.
pub(crate) const GROUP_ROWS: u64 = 320;

#[derive(Clone, Copy, Debug)]
struct Stripe {
    factor: u64,
    term: u64,
    /// Inverse of the factor modulo the number of groups.
    inverse: u64,
}

/// The secondary keys of one table.
#[derive(Clone, Debug)]
pub(crate) struct Scatter {
    /// Number of values, in [1, 2^32).
    groups: u64,
    stripes: Vec<Stripe>,
}

impl Scatter {
    /// For a table of `rows` rows, at least 320, derived from `seed`.
    pub(crate) fn new(rows: u64, seed: u64) -> Scatter {
        let groups = (rows / GROUP_ROWS).clamp(1, u64::from(u32::MAX));
        let mut counter = mix(seed ^ GOLDEN);
        let mut draw = || {
            counter = counter.wrapping_add(GOLDEN);
            mix(counter) % groups
        };
        let stripe = |_| loop {
            let factor = draw();
            if let Some(inverse) = inverse(factor, groups) {
                break Stripe { factor, term: draw(), inverse };
            }
        };
        Scatter { groups, stripes: (0..GROUP_ROWS).map(stripe).collect() }
    }

    /// The secondary key, from 1, of the row with the primary key `id`, from 1.
    #[inline]
    pub(crate) fn of(&self, id: u64) -> u64 {
        let row = id.wrapping_sub(1);
        let (stripe, position) = ((row / self.groups) % GROUP_ROWS, row % self.groups);
        let stripe = &self.stripes[stripe as usize];
        1 + (position * stripe.factor + stripe.term) % self.groups
    }

    /// The primary keys, ascending, of the rows with the secondary key `scatter`.
    pub(crate) fn group(&self, scatter: u64) -> Vec<u64> {
        let value = scatter.wrapping_sub(1) % self.groups;
        let position =
            |stripe: &Stripe| (value + self.groups - stripe.term) % self.groups * stripe.inverse % self.groups;
        self.stripes.iter().zip(0..).map(|(stripe, number)| 1 + number * self.groups + position(stripe)).collect()
    }
}

/// The inverse of `factor` modulo `modulus`, in [1, 2^32), where there is one: the algorithm of Euclid, extended.
fn inverse(factor: u64, modulus: u64) -> Option<u64> {
    if modulus == 1 {
        return Some(0);
    }
    let (mut older, mut newer) = (modulus as i64, factor as i64);
    let (mut older_weight, mut newer_weight) = (0i64, 1i64);
    while newer != 0 {
        let quotient = older / newer;
        (older, newer) = (newer, older - quotient * newer);
        (older_weight, newer_weight) = (newer_weight, older_weight - quotient * newer_weight);
    }
    (older == 1).then(|| older_weight.rem_euclid(modulus as i64) as u64)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn exactly_320_rows_share_a_value() {
        for groups in [1, 2, 10, 11, 320, 1_000] {
            let rows = groups * GROUP_ROWS;
            let scatter = Scatter::new(rows, 7);
            let mut count: BTreeMap<u64, u64> = BTreeMap::new();
            (1..=rows).for_each(|id| *count.entry(scatter.of(id)).or_default() += 1);
            assert_eq!(count.len() as u64, groups);
            assert!(count.iter().all(|(value, rows)| (1..=groups).contains(value) && *rows == GROUP_ROWS));
        }
    }

    #[test]
    fn the_rows_of_a_value_lie_scattered() {
        // 4 000 rows in a stripe: were the distances regular, a device or an engine could read ahead.
        let scatter = Scatter::new(1_280_000, 42);
        let ids = scatter.group(23);
        let distances: Vec<u64> = ids.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // 40 rows are an 8 KiB block: two rows of a value in the same or in neighbouring blocks are rare.
        assert!(distances.iter().filter(|distance| **distance < 80).count() <= 3, "{distances:?}");
        let different: std::collections::BTreeSet<&u64> = distances.iter().collect();
        assert!(different.len() > 280, "{} different distances", different.len());
        let (shortest, longest) = (distances.iter().min(), distances.iter().max());
        assert!(shortest < Some(&1_000) && longest > Some(&7_000), "{shortest:?} {longest:?}");
    }

    proptest! {
        #[test]
        fn a_group_is_the_rows_that_have_its_value(groups in 1u64..5_000, seed: u64, pick: u64) {
            let scatter = Scatter::new(groups * GROUP_ROWS, seed);
            let value = 1 + pick % groups;
            let ids = scatter.group(value);
            prop_assert_eq!(ids.len() as u64, GROUP_ROWS);
            prop_assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
            for id in ids {
                prop_assert!((1..=groups * GROUP_ROWS).contains(&id));
                prop_assert_eq!(scatter.of(id), value);
            }
        }

        #[test]
        fn an_inverse_is_one(factor in 0u64..100_000, modulus in 2u64..100_000) {
            match inverse(factor % modulus, modulus) {
                Some(inverse) => prop_assert_eq!(inverse * (factor % modulus) % modulus, 1),
                None => prop_assert!((2..modulus + 1).any(|d| modulus % d == 0 && (factor % modulus) % d == 0)),
            }
        }
    }
}
