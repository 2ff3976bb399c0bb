//! The key range of an operation.

use rand_xoshiro::Xoshiro256PlusPlus;

use super::permutation::Permutation;
use super::settings::{BlocksSettings, HotSpot};
use crate::data::below;

/// The ranges of a session: `work_unit` keys each, all from 1 to the scale.
#[derive(Clone, Debug)]
pub(crate) enum Ranges {
    /// Anywhere, uniformly; one in every `frequency` operations in a hot spot.
    Anywhere { places: u64, hot: Option<(HotSpot, u64)> },
    /// Adjacent ranges, in random order, each once: no block is visited twice.
    Once { order: Permutation, work_unit: u64, next: u64, step: u64, count: u64 },
}

impl Ranges {
    /// For the sessions of a schema: anywhere, with the hot spot if there is one.
    pub(crate) fn anywhere(settings: &BlocksSettings) -> Ranges {
        let hot = settings.hot_spot().map(|spot| (spot, spot.blocks - settings.work_unit + 1));
        Ranges::Anywhere { places: settings.scale_blocks - settings.work_unit + 1, hot }
    }

    /// For session `thread` of the `settings.threads_per_schema` of a schema: each block at most once.
    pub(crate) fn once(settings: &BlocksSettings, thread: u32, seed: u64) -> Ranges {
        let count = settings.scale_blocks / settings.work_unit;
        let (next, step) = (u64::from(thread), u64::from(settings.threads_per_schema));
        Ranges::Once { order: Permutation::new(count, seed), work_unit: settings.work_unit, next, step, count }
    }

    /// The first key of operation `number`, counted from 1.
    #[inline]
    pub(crate) fn first_key(&mut self, number: u64, random: &mut Xoshiro256PlusPlus) -> u64 {
        match self {
            Ranges::Anywhere { hot: Some((spot, places)), .. } if number.is_multiple_of(spot.frequency) => {
                1 + spot.offset_blocks + below(random, *places)
            }
            Ranges::Anywhere { places, .. } => 1 + below(random, *places),
            Ranges::Once { order, work_unit, next, step, count } => {
                let place = order.of(*next % *count);
                *next += *step;
                1 + place * *work_unit
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use rand_xoshiro::rand_core::SeedableRng;

    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> BlocksSettings {
        let mut settings = BlocksSettings::default();
        for (name, value) in pairs {
            settings.set(name, name, value).expect(name);
        }
        settings
    }

    #[test]
    fn every_third_operation_is_in_the_hot_spot() {
        let settings = settings(&[("DO_HOTSPOT", "TRUE"), ("SCALE", "800M")]);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut ranges = Ranges::anywhere(&settings);
        for number in 1..=3_000 {
            let first = ranges.first_key(number, &mut random);
            let is_hot = (2_049..=3_072 - 63).contains(&first);
            assert!(is_hot || number % 3 != 0, "operation {number} at {first}");
        }
    }

    #[test]
    fn ranges_in_order_visit_every_block_once() {
        let settings = settings(&[("SCALE", "1000"), ("WORK_UNIT", "7"), ("THREADS_PER_SCHEMA", "3")]);
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut seen = BTreeSet::new();
        for thread in 0..3 {
            let mut ranges = Ranges::once(&settings, thread, 42);
            for number in 0..47 {
                let first = ranges.first_key(number, &mut random);
                assert!((first..first + 7).all(|key| key <= 1_000 && seen.insert(key)), "{first} again");
            }
        }
        assert_eq!(seen.len(), 3 * 47 * 7);
    }

    proptest! {
        #[test]
        fn ranges_lie_in_the_table(scale in 100u64..5_000, unit in 1u64..=100, seed: u64) {
            let settings = settings(&[("SCALE", &scale.to_string()), ("WORK_UNIT", &unit.to_string())]);
            let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut kinds = [Ranges::anywhere(&settings), Ranges::once(&settings, 0, seed)];
            for number in 1..=200 {
                for ranges in &mut kinds {
                    let first = ranges.first_key(number, &mut random);
                    prop_assert!(first >= 1 && first + unit - 1 <= scale, "{} of {}", first, scale);
                }
            }
        }
    }
}
