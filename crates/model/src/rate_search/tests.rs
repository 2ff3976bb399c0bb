//! Searches on platforms with a known limit.

use proptest::prelude::*;

use super::*;
use crate::simulated_server::{CAPACITY, QUIET, Server, Surroundings, truth};
use crate::simulation::Simulation;

/// A whole search; `run` returns whether a run meets the level, and whether it is disturbed.
fn searched(seed: u64, mut run: impl FnMut(f64) -> (Option<bool>, bool)) -> RateSearch {
    let mut search = RateSearch::new(CAPACITY, 0.1, seed);
    while let Some((rate, _)) = search.next() {
        let (kept, is_disturbed) = run(rate);
        search.record(Visit { rate, kept, is_disturbed });
    }
    search
}

#[test]
fn a_sharp_limit_is_found_and_confirmed() {
    let answer = searched(1, |rate| (Some(rate <= 7_000.0), false)).answer();
    let limit = answer.limit.unwrap();
    assert_eq!(answer.ending, Some(Ending::Confirmed));
    assert!(limit.is_within(0.05) && limit.low.rate <= 7_000.0 && limit.high.rate >= 7_000.0, "{limit:?}");
    let confirmation = answer.confirmation.unwrap();
    assert_eq!((confirmation.at.len(), confirmation.above.len()), (CONFIRMING, CONFIRMING));
    assert_eq!(limit.estimate, confirmation.rate);
}

#[test]
fn the_same_seed_visits_the_same_rates_and_another_one_others() {
    let rates = |seed| {
        let search = searched(seed, |rate| (Some(rate <= 7_000.0), false));
        search.visits().iter().map(|(visit, _)| visit.rate).collect::<Vec<f64>>()
    };
    assert_eq!(rates(7), rates(7));
    assert_ne!(rates(7), rates(8));
}

#[test]
fn a_level_that_is_not_missed_above_is_not_claimed() {
    // All visits above the limit meet the level.
    let mut search = RateSearch::new(CAPACITY, 0.1, 3);
    while let Some((rate, purpose)) = search.next() {
        let kept = purpose == Purpose::AboveLimit || rate <= 7_000.0;
        search.record(Visit { rate, kept: Some(kept), is_disturbed: false });
    }
    let answer = search.answer();
    assert_eq!(answer.ending, Some(Ending::NotConfirmed));
    assert!(!answer.confirmation.unwrap().is_confirmed);
    let confirming = search.visits().iter().filter(|(_, purpose)| *purpose == Purpose::AtLimit).count();
    assert!(confirming > CONFIRMING, "it continued and tried again");
    let own = search.visits().iter().filter(|(_, purpose)| *purpose != Purpose::Bracket).count();
    assert!(own <= SEARCH_RUNS_MAX);
}

#[test]
fn the_ends_of_the_range_are_answers() {
    let all = searched(4, |_| (Some(true), false)).answer();
    assert_eq!((all.ending, all.bracket.0, all.limit), (Some(Ending::OneSided), Some(CAPACITY * 4.0), None));
    let none = searched(4, |_| (Some(false), false)).answer();
    assert_eq!((none.ending, none.bracket.1), (Some(Ending::OneSided), Some(CAPACITY / 64.0)));
}

#[test]
fn disturbed_runs_are_repeated_and_do_not_count() {
    // Every fourth run has steal, and misses the level at any rate.
    let mut runs = 0;
    let search = searched(5, |rate| {
        runs += 1;
        (Some(rate <= 7_000.0 && runs % 4 > 0), runs % 4 == 0)
    });
    let answer = search.answer();
    assert_eq!((answer.ending, answer.disturbed_count), (Some(Ending::Confirmed), false));
    assert!(answer.disturbed > 5 && answer.told + answer.disturbed == search.visits().len());
    let limit = answer.limit.unwrap();
    assert!(limit.is_within(0.1) && (limit.estimate / 7_000.0 - 1.0).abs() < 0.05, "{limit:?}");
    let all = searched(6, |rate| (Some(rate <= 7_000.0), true)).answer();
    assert!(all.disturbed_count && all.limit.is_some(), "where all are disturbed, all count");
}

#[test]
fn two_searches_on_a_noisy_server_agree_within_their_intervals() {
    let noise = Surroundings { capacity: 0.05, times: 0.2, bursts: 0.05, ..QUIET };
    let limit = truth(noise);
    let found = |seed| {
        let mut simulation = Simulation::new(seed);
        let mut server = Server::new(&mut simulation, noise);
        let answer = searched(seed, |rate| {
            let (kept, is_disturbed) = server.run(rate);
            (Some(kept), is_disturbed)
        });
        answer.answer().limit.unwrap()
    };
    let holds = |own: LevelLimit, rate: f64| usize::from(own.low.rate <= rate && rate <= own.high.rate);
    let pairs: Vec<(LevelLimit, LevelLimit)> = (0..20).map(|pair| (found(2 * pair), found(2 * pair + 1))).collect();
    let agreed: usize =
        pairs.iter().map(|(one, other)| holds(*one, other.estimate) + holds(*other, one.estimate)).sum();
    let held: usize = pairs.iter().map(|(one, other)| holds(*one, limit) + holds(*other, limit)).sum();
    assert!(agreed >= 36 && held >= 37, "of 40, {agreed} hold the other's answer, {held} the limit");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn the_search_ends_for_any_results(seed: u64, told: u64) {
        let mut simulation = Simulation::new(told);
        let search = searched(seed, |_| {
            let kept = (simulation.uniform() < 0.9).then(|| simulation.uniform() < 0.5);
            (kept, simulation.uniform() < 0.3)
        });
        prop_assert!(search.visits().len() <= SEARCH_RUNS_MAX + 2 * 64);
        prop_assert!(search.answer().ending.is_some());
    }
}
