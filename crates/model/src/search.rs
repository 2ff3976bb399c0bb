//! A search for the highest load that meets a service level, in few measurements.
//!
//! Doubles the level while it is met, then bisects the logarithm between the highest met and the lowest missed level.
//! Measurements are noisy: the resulting level was met in the majority of at least two measurements, and the missed
//! level above it was measured again. Ties count as missed. Where a level is met although a lower one was missed, the
//! lower one is taken for noise. The search is a function of the recorded measurements.
//!
//! Assumes monotonicity except for noise. It is wrong where the platform changes during the search, as with burst
//! credits.

/// Maximum of informative measurements per level.
const TRIALS_MAX: u32 = 3;

/// A missed level that is at least this multiple of the met one is measured again.
const GIVING_UP_MIN: f64 = 1.5;

/// A search for a rate starts at this share of the closed-loop capacity,
const MIDDLE_SHARE: f64 = 1.0 / 4.0;

/// with this lower bound,
const LOWEST_SHARE: f64 = 1.0 / 64.0;

/// and this upper bound, since the closed loop may have been disturbed.
const FAR_SHARE: f64 = 4.0;

/// Maximum of measurements.
const MEASUREMENTS_MAX: u32 = 64;

/// A search in progress over levels: steps per second, or I/Os in flight.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    lowest: f64,
    /// The first level; the search goes down from there if it is missed.
    first: f64,
    ceiling: f64,
    tolerance: f64,
    whole: bool,
    /// By level, ascending.
    trials: Vec<Trial>,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Measure at this level and [`Search::record`] whether the service level was met.
    Measure(f64),
    /// Stop with this result.
    Done(Answer),
}

/// The result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// The service level is met at the lower level, confirmed by a second measurement, and missed at the upper one.
    Between {
        /// The highest level that meets it.
        kept: f64,
        /// The lowest level above that misses it.
        not_kept: f64,
    },
    /// The lowest level misses it.
    NotEvenLowest {
        /// That level.
        not_kept: f64,
    },
    /// The highest level meets it, confirmed by a second measurement: the limit is above.
    EvenHighest {
        /// That level.
        kept: f64,
    },
    /// Measurements contradict each other; the search was stopped.
    Unsettled {
        /// The highest level that meets it, as far as known.
        kept: Option<f64>,
        /// The lowest level above that misses it.
        not_kept: Option<f64>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Trial {
    level: f64,
    kept: u32,
    not_kept: u32,
    uninformative: u32,
}

impl Trial {
    fn measurements(&self) -> u32 {
        self.kept + self.not_kept + self.uninformative
    }

    /// Whether it counts as met; None without an informative measurement.
    fn side(&self) -> Option<bool> {
        (self.kept + self.not_kept > 0).then_some(self.kept > self.not_kept)
    }

    /// Whether another measurement could not change the side.
    fn is_settled(&self) -> bool {
        let (kept, not_kept) = (self.kept, self.not_kept);
        kept.abs_diff(not_kept) >= 2 || kept + not_kept >= TRIALS_MAX
    }
}

impl Search {
    /// A search from `lowest` to `ceiling` with `tolerance`: 0.05 for 5 %.
    ///
    /// Arguments are clamped: levels are positive, the ceiling is at least the lowest level, and the tolerance is in
    /// [0.001, 1].
    pub fn new(lowest: f64, ceiling: f64, tolerance: f64) -> Search {
        let lowest = if lowest.is_finite() { lowest.max(1e-6) } else { 1.0 };
        let ceiling = if ceiling.is_finite() { ceiling.max(lowest) } else { lowest };
        let tolerance = if tolerance.is_finite() { tolerance.clamp(0.001, 1.0) } else { 0.05 };
        Search { lowest, first: lowest, ceiling, tolerance, whole: false, trials: Vec::new() }
    }

    /// A search for an arrival rate, where a closed loop achieves `capacity`. It starts at a quarter of that and halves
    /// if missed: low rates need long runs, and few levels are that strict.
    pub fn of_rates(capacity: f64, tolerance: f64) -> Search {
        let search = Search::new(capacity * LOWEST_SHARE, capacity * FAR_SHARE, tolerance);
        let first = (capacity * MIDDLE_SHARE).clamp(search.lowest, search.ceiling);
        Search { first: if first.is_finite() { first } else { search.lowest }, ..search }
    }

    /// The same over whole numbers of at least 1: I/Os in flight, jobs.
    pub fn whole(lowest: u32, ceiling: u32, tolerance: f64) -> Search {
        let lowest = lowest.max(1);
        let search = Search::new(f64::from(lowest), f64::from(ceiling.max(lowest)), tolerance);
        Search { whole: true, ..search }
    }

    /// The lowest level that is searched.
    pub fn lowest(&self) -> f64 {
        self.lowest
    }

    /// Records a measurement at `level`; None where it is not informative (invalid, or no I/O was done). A second such
    /// measurement counts as missed.
    pub fn record(&mut self, level: f64, kept: Option<bool>) {
        if !level.is_finite() {
            return;
        }
        let index = self.trials.partition_point(|trial| trial.level < level);
        if self.trials.get(index).is_none_or(|trial| trial.level != level) {
            self.trials.insert(index, Trial { level, kept: 0, not_kept: 0, uninformative: 0 });
        }
        let trial = &mut self.trials[index];
        match kept {
            Some(true) => trial.kept += 1,
            None if trial.uninformative == 0 => trial.uninformative += 1,
            _ => trial.not_kept += 1,
        }
    }

    /// The highest level that meets the service level, as far as known, and the lowest one above it that misses it.
    pub fn bracket(&self) -> (Option<f64>, Option<f64>) {
        let (low, high) = self.sides();
        (low.map(|trial| trial.level), high.map(|trial| trial.level))
    }

    /// The highest met trial, and the lowest missed one above it.
    fn sides(&self) -> (Option<&Trial>, Option<&Trial>) {
        let low = self.trials.iter().rev().find(|trial| trial.side() == Some(true));
        let above = |trial: &&Trial| low.is_none_or(|low| trial.level > low.level);
        (low, self.trials.iter().filter(above).find(|trial| trial.side() == Some(false)))
    }

    /// What to do next.
    pub fn next(&self) -> Step {
        let (low, high) = self.sides();
        let levels = self.bracket();
        if self.trials.iter().map(Trial::measurements).sum::<u32>() >= MEASUREMENTS_MAX {
            return Step::Done(Answer::Unsettled { kept: levels.0, not_kept: levels.1 });
        }
        if let Some(uninformative) = self.trials.iter().find(|trial| trial.side().is_none()) {
            return Step::Measure(uninformative.level);
        }
        match (low, high) {
            (None, None) => Step::Measure(self.first),
            (None, Some(high)) if high.level > self.first => Step::Measure(self.first),
            (None, Some(high)) if high.level > self.lowest => Step::Measure((high.level / 2.0).max(self.lowest)),
            (None, Some(high)) => settled(high, Answer::NotEvenLowest { not_kept: high.level }),
            (Some(low), None) if low.level >= self.ceiling => settled(low, Answer::EvenHighest { kept: low.level }),
            (Some(low), None) => Step::Measure((low.level * 2.0).min(self.ceiling)),
            // A single miss may be a disturbance: measure again before ruling out higher levels.
            (Some(low), Some(high)) if !high.is_settled() && high.level >= low.level * GIVING_UP_MIN => {
                Step::Measure(high.level)
            }
            (Some(low), Some(high)) => match self.between(low.level, high.level) {
                Some(level) => Step::Measure(level),
                None if !low.is_settled() => Step::Measure(low.level),
                None => settled(high, Answer::Between { kept: low.level, not_kept: high.level }),
            },
        }
    }

    /// The level between the two; None within the tolerance.
    fn between(&self, low: f64, high: f64) -> Option<f64> {
        if high <= low * (1.0 + self.tolerance) || (self.whole && high - low <= 1.0) {
            return None;
        }
        let middle = (low * high).sqrt();
        let level = if self.whole { middle.round().max(low + 1.0).min(high - 1.0) } else { middle };
        (level > low && level < high).then_some(level)
    }
}

fn settled(trial: &Trial, answer: Answer) -> Step {
    match trial.is_settled() {
        true => Step::Done(answer),
        false => Step::Measure(trial.level),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Runs `search` against a platform; returns the answer and the levels that were measured.
    fn run(mut search: Search, mut platform: impl FnMut(usize, f64) -> Option<bool>) -> (Answer, Vec<f64>) {
        let mut measured = Vec::new();
        loop {
            match search.next() {
                Step::Done(answer) => return (answer, measured),
                Step::Measure(level) => {
                    let result = platform(measured.len(), level);
                    measured.push(level);
                    search.record(level, result);
                }
            }
        }
    }

    #[test]
    fn it_doubles_then_bisects_then_confirms_both_sides() {
        let (answer, measured) = run(Search::whole(1, 1024, 0.05), |_, level| Some(level <= 11.0));
        assert_eq!(measured, [1.0, 2.0, 4.0, 8.0, 16.0, 16.0, 11.0, 13.0, 12.0, 11.0, 12.0]);
        assert_eq!(answer, Answer::Between { kept: 11.0, not_kept: 12.0 });
    }

    #[test]
    fn the_ends_of_the_range_are_answers() {
        let (answer, measured) = run(Search::new(100.0, 1_000.0, 0.05), |_, _| Some(true));
        assert_eq!(measured, [100.0, 200.0, 400.0, 800.0, 1_000.0, 1_000.0]);
        assert_eq!(answer, Answer::EvenHighest { kept: 1_000.0 });
        let (answer, measured) = run(Search::new(100.0, 1_000.0, 0.05), |_, _| Some(false));
        assert_eq!(measured, [100.0, 100.0]);
        assert_eq!(answer, Answer::NotEvenLowest { not_kept: 100.0 });
    }

    #[test]
    fn a_search_for_a_rate_goes_up_or_down_from_its_start() {
        let (answer, measured) = run(Search::of_rates(1_024.0, 0.3), |_, level| Some(level <= 40.0));
        assert_eq!(measured[..4], [256.0, 128.0, 64.0, 32.0]);
        assert!(matches!(answer, Answer::Between { kept, not_kept } if kept <= 40.0 && not_kept > 40.0), "{answer:?}");
        let (_, measured) = run(Search::of_rates(1_024.0, 0.3), |_, level| Some(level <= 600.0));
        assert_eq!(measured[..3], [256.0, 512.0, 1_024.0]);
        let (answer, _) = run(Search::of_rates(1_024.0, 0.3), |_, _| Some(false));
        assert_eq!(answer, Answer::NotEvenLowest { not_kept: 16.0 });
        assert_eq!(Search::of_rates(f64::NAN, 0.3).next(), Step::Measure(1.0));
    }

    #[test]
    fn a_level_met_once_is_no_result() {
        // 8 keeps once, by luck, and not again.
        let mut lucky = true;
        let (answer, _) = run(Search::whole(1, 64, 0.05), |_, level| {
            Some(level <= 6.0 || (level == 8.0 && std::mem::take(&mut lucky)))
        });
        assert_eq!(answer, Answer::Between { kept: 6.0, not_kept: 7.0 });
    }

    #[test]
    fn a_level_that_failed_by_bad_luck_is_measured_again() {
        // The first measurement at 4 is spoilt; the limit is 40.
        let mut spoilt = true;
        let (answer, measured) = run(Search::whole(1, 1024, 0.1), |_, level| {
            Some(level <= 40.0 && !(level == 4.0 && std::mem::take(&mut spoilt)))
        });
        assert_eq!(answer, Answer::Between { kept: 38.0, not_kept: 41.0 });
        assert!(measured.len() < 24, "{measured:?}");
    }

    #[test]
    fn a_level_that_keeps_above_one_that_did_not_wins() {
        let mut search = Search::new(10.0, 1_000.0, 0.05);
        search.record(20.0, Some(false));
        search.record(100.0, Some(true));
        assert_eq!(search.next(), Step::Measure(200.0));
    }

    #[test]
    fn an_uninformative_measurement_is_repeated_once() {
        let (answer, measured) = run(Search::whole(1, 64, 0.05), |_, level| (level < 4.0).then_some(true));
        assert_eq!(measured[..6], [1.0, 2.0, 4.0, 4.0, 4.0, 3.0]);
        assert_eq!(answer, Answer::Between { kept: 3.0, not_kept: 4.0 });
    }

    #[test]
    fn invalid_arguments_are_clamped() {
        let (answer, _) = run(Search::new(f64::NAN, -5.0, f64::INFINITY), |_, _| Some(true));
        assert_eq!(answer, Answer::EvenHighest { kept: 1.0 });
        assert_eq!(run(Search::whole(0, 0, 0.0), |_, _| None).0, Answer::NotEvenLowest { not_kept: 1.0 });
        let mut search = Search::new(1.0, 2.0, 0.1);
        search.record(f64::NAN, Some(true));
        assert_eq!(search.next(), Step::Measure(1.0));
    }

    proptest! {
        #[test]
        fn a_sharp_limit_is_found_within_the_tolerance(
            limit in 10.0f64..1e6, tolerance in 0.01f64..0.5, lowest in 1.0f64..10.0,
        ) {
            let (answer, measured) = run(Search::new(lowest, 1e7, tolerance), |_, level| Some(level <= limit));
            let Answer::Between { kept, not_kept } = answer else { panic!("{answer:?}") };
            prop_assert!(kept <= limit && limit < not_kept && not_kept <= kept * (1.0 + tolerance) * 1.000_001);
            prop_assert!(measured.len() <= 40);
        }

        #[test]
        fn whole_levels_are_whole_and_within_the_range(limit in 0u32..2_000, lowest in 1u32..9, ceiling in 9u32..999) {
            let (answer, measured) =
                run(Search::whole(lowest, ceiling, 0.05), |_, level| Some(level <= f64::from(limit)));
            let range = f64::from(lowest)..=f64::from(ceiling);
            let inside = |level: &f64| level.fract() == 0.0 && range.contains(level);
            prop_assert!(measured.iter().all(inside), "{measured:?}");
            match answer {
                Answer::NotEvenLowest { .. } => prop_assert!(limit < lowest),
                Answer::EvenHighest { .. } => prop_assert!(limit >= ceiling),
                Answer::Between { kept, not_kept } => {
                    prop_assert!(kept <= f64::from(limit) && f64::from(limit) < not_kept);
                }
                Answer::Unsettled { .. } => prop_assert!(false, "no noise"),
            }
        }

        #[test]
        fn the_search_ends_for_any_results(said in prop::collection::vec(prop::option::of(any::<bool>()), 64)) {
            let (answer, measured) = run(Search::new(1.0, 1e9, 0.001), |at, _| said[at]);
            prop_assert!(measured.len() <= 64);
            if let Answer::Between { kept, not_kept } = answer {
                prop_assert!(kept < not_kept);
                let keeps = |level: f64| {
                    let of = |wanted| {
                        measured.iter().zip(&said).filter(|(at, said)| **at == level && **said == wanted).count()
                    };
                    (of(Some(true)), of(Some(false)))
                };
                prop_assert!(keeps(kept).0 >= 2 && keeps(kept).0 > keeps(kept).1);
            }
        }

        #[test]
        fn one_contrary_measurement_of_a_level_does_not_mislead(seed in any::<u64>()) {
            // Levels within a tenth of the limit are a matter of luck; of the others one measurement in ten is wrong,
            // but never two of the same level.
            let mut state = seed | 1;
            let mut random = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as f64 / (1u64 << 31) as f64
            };
            let mut wrong = Vec::new();
            let (answer, _) = run(Search::new(1.0, 1e6, 0.05), |_, level| {
                let is_near = (level / 1_000.0 - 1.0).abs() < 0.1;
                let is_contrary = random() < if is_near { 0.5 } else { 0.1 } && !wrong.contains(&level);
                if is_contrary && !is_near {
                    wrong.push(level);
                }
                Some((level <= 1_000.0) != is_contrary)
            });
            if let Answer::Between { kept, not_kept } = answer {
                prop_assert!(kept < 1_100.0 && not_kept > 900.0, "{answer:?}");
            }
        }
    }
}
