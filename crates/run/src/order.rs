//! The random order of repeated runs, drawn from the seed, so that the same plan always has the same order.

use measure::{Purpose, RunSeed};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::PlannedRun;

/// Every run of `once`, `repeats` times: in rounds, each of which holds every run once, in a random order. Drift is
/// then spread over all runs. Without repeats the order is that of `once`.
pub(crate) fn in_rounds(once: &[PlannedRun], repeats: u32, seed: u64) -> Vec<PlannedRun> {
    let seed = RunSeed { plan: seed, run: 0 }.stream(Purpose::RunOrder, 0);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut runs = Vec::with_capacity(once.len() * repeats.max(1) as usize);
    for repeat in 1..=repeats.max(1) {
        let begin = runs.len();
        runs.extend(once.iter().map(|run| PlannedRun { repeat, ..run.clone() }));
        if repeats > 1 {
            shuffle(&mut runs[begin..], &mut random);
        }
    }
    runs
}

/// Every order is equally likely (Fisher and Yates).
fn shuffle<T>(values: &mut [T], random: &mut Xoshiro256PlusPlus) {
    for at in (1..values.len()).rev() {
        let other = (u128::from(random.next_u64()) * (at as u128 + 1)) >> 64;
        values.swap(at, other as usize);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::Dop;

    use super::*;

    fn once(count: usize) -> Vec<PlannedRun> {
        let run = |at: usize| PlannedRun {
            kind: record::RunKind::Test,
            number: 0,
            test: format!("T{}", 600 + at / 3),
            dop: Dop::jobs(1 << (at % 3)),
            repeat: 1,
            variation: None,
        };
        (0..count).map(run).collect()
    }

    fn places(runs: &[PlannedRun]) -> Vec<(String, Dop)> {
        runs.iter().map(|run| (run.test.clone(), run.dop)).collect()
    }

    #[test]
    fn without_repetitions_the_order_is_that_of_the_catalogue() {
        assert_eq!(in_rounds(&once(30), 1, 42), once(30));
        assert_eq!(in_rounds(&once(30), 0, 42), once(30));
    }

    #[test]
    fn the_order_comes_from_the_seed_and_differs_from_round_to_round() {
        let runs = in_rounds(&once(30), 6, 42);
        assert_eq!(runs, in_rounds(&once(30), 6, 42));
        assert_ne!(runs, in_rounds(&once(30), 6, 43));
        let rounds: Vec<_> = runs.chunks(30).map(places).collect();
        let twice = |at: usize| rounds[..at].contains(&rounds[at]);
        assert!((0..6).all(|at| !twice(at)), "30! orders, and two rounds have the same");
    }

    #[test]
    fn every_run_has_every_place_in_a_round() {
        let (count, rounds) = (5, 2_000);
        let mut seen = vec![vec![0u32; count]; count];
        for round in in_rounds(&once(count), rounds, 7).chunks(count) {
            for (at, place) in places(round).iter().enumerate() {
                let which = places(&once(count)).iter().position(|known| known == place).unwrap();
                seen[which][at] += 1;
            }
        }
        // 400 are expected with a standard deviation of 18.
        assert!(seen.iter().flatten().all(|count| (310..490).contains(count)), "{seen:?}");
    }

    proptest! {
        #[test]
        fn every_round_holds_every_run_once(count in 0usize..40, repeats in 1u32..8, seed in any::<u64>()) {
            let runs = in_rounds(&once(count), repeats, seed);
            prop_assert_eq!(runs.len(), count * repeats as usize);
            let mut wanted = places(&once(count));
            wanted.sort();
            for (round, repeat) in runs.chunks(count.max(1)).zip(1..) {
                let mut found = places(round);
                found.sort();
                prop_assert_eq!(&found, &wanted);
                prop_assert!(round.iter().all(|run| run.repeat == repeat));
            }
        }
    }
}
