//! In which order runs are carried out that are repeated, and which side of a pair is measured first: both by lot, and
//! the lot from the seed, so that the same plan is the same for ever.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use record::{PlannedRun, Side};

/// Tells the stream of the lot from that of the order.
const LOT: u64 = 0x9e37_79b9_7f4a_7c15;

/// Every run of `once`, `repeats` times: in rounds, each of which holds every run once, in an order of its own. What
/// drifts meanwhile is spread over all runs then and is a property of none. Without repetitions the order stays.
pub(crate) fn in_rounds(once: &[PlannedRun], repeats: u32, seed: u64) -> Vec<PlannedRun> {
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

/// Every order is as likely (Fisher and Yates).
fn shuffle<T>(values: &mut [T], random: &mut Xoshiro256PlusPlus) {
    for at in (1..values.len()).rev() {
        let other = (u128::from(random.next_u64()) * (at as u128 + 1)) >> 64;
        values.swap(at, other as usize);
    }
}

/// Which side is first in each pair: a toss of a coin for each. Between equal sides a difference then is as likely as its
/// opposite, whatever drifts or swings meanwhile and whatever being first is worth, and each pair is independent of the
/// others in that: it is what the signed-rank test asks for. Taking turns would be more even, and would not give it.
pub(crate) struct Lot(Xoshiro256PlusPlus);

impl Lot {
    pub(crate) fn new(seed: u64) -> Lot {
        Lot(Xoshiro256PlusPlus::seed_from_u64(seed ^ LOT))
    }

    /// The side that begins the next pair.
    pub(crate) fn first(&mut self) -> Side {
        if self.0.next_u64() >> 63 == 0 { Side::A } else { Side::B }
    }
}

/// The side that `side` is held against.
pub(crate) fn other(side: Side) -> Side {
    match side {
        Side::A => Side::B,
        Side::B => Side::A,
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

    #[test]
    fn the_lot_is_fair_has_no_memory_and_comes_from_the_seed() {
        let draw = |seed| {
            let mut lot = Lot::new(seed);
            (0..4_000).map(|_| lot.first()).collect::<Vec<Side>>()
        };
        let firsts = draw(42);
        assert_eq!((draw(42), draw(43) == firsts), (firsts.clone(), false));
        let count = |what: &dyn Fn(&[Side]) -> bool| firsts.windows(2).filter(|two| what(two)).count();
        // 2000 are expected of each with a standard deviation of 32.
        assert!((1_850..2_150).contains(&count(&|two| two[0] == Side::A)));
        assert!((1_850..2_150).contains(&count(&|two| two[0] == two[1])));
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
