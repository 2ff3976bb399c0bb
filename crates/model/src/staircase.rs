//! Up to which rate a service level is kept, and how well that is known.
//!
//! A search ends where two runs agree, and on a machine that is not quiet two runs agree by chance. So a staircase follows
//! it: a rate at which the level was kept is followed by the next higher one, one at which it was not by the next lower
//! one, so that the runs lie where they tell most (the up-and-down method: Dixon and Mood, "A Method for Obtaining and
//! Analyzing Sensitivity Data", Journal of the American Statistical Association 43, 1948). How long the response times were
//! tells more than whether they were too long: near the limit the logarithm of their statistic is taken for a straight line
//! over the logarithm of the rate, and the answer is where that line meets the limit, with the interval of Fieller ("The
//! biological standardization of insulin", Supplement to the Journal of the Royal Statistical Society 7, 1940).

use record::Outcome;

use crate::bound::Bound;
use crate::load_curve::{Bracket, RateCurve, RatePoint};
use crate::statistics::{Interval, student_quantile};

/// Runs of the staircase behind a search.
pub const STAIRCASE_RUNS: usize = 10;

/// A step of the staircase, as a part of the rate.
const STEP: f64 = 0.05;

/// Near the limit is a rate up to so many times as high, or as low.
const NEAR: f64 = 1.5;

/// A response time counts as at most so many times as long as the limit, or as short: beyond the knee it grows with the
/// length of the run, and the line would be that of the backlog.
const TIMES_MAX: f64 = 4.0;

/// Fewer runs near the limit make no line.
const RUNS_MIN: usize = 6;

/// The rate to measure next: `begin` at first, then by what the last run of the staircase said. One that said nothing is
/// made again.
pub fn next_step(begin: f64, last: Option<(f64, Option<bool>)>) -> f64 {
    match last {
        None => begin,
        Some((rate, Some(true))) => rate * (1.0 + STEP),
        Some((rate, Some(false))) => rate / (1.0 + STEP),
        Some((rate, None)) => rate,
    }
}

/// Up to which rate the level is kept. `runs` are rates and how many times as long as the limit the response times were
/// there; `near` is a rate about which the limit is known to lie. None where too few runs lie near it, where response times
/// do not grow with the rate beyond doubt, and where the interval leaves what was measured on both sides.
pub fn level_interval(near: f64, runs: &[(f64, f64)]) -> Option<Interval> {
    let is_near = |rate: f64| rate >= near / NEAR && rate <= near * NEAR;
    let points: Vec<(f64, f64)> = runs
        .iter()
        .filter(|(rate, times)| is_near(*rate) && *times > 0.0)
        .map(|(rate, times)| (rate.ln(), times.clamp(1.0 / TIMES_MAX, TIMES_MAX).ln()))
        .collect();
    if points.len() < RUNS_MIN {
        return None;
    }
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (rate, times) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - rate).powi(2)).sum();
    let slope = points.iter().map(|point| (point.0 - rate) * (point.1 - times)).sum::<f64>() / spread;
    let left = |point: &(f64, f64)| (point.1 - times - slope * (point.0 - rate)).powi(2);
    let doubt = (student_quantile(0.975, count - 2.0)).powi(2) * points.iter().map(left).sum::<f64>() / (count - 2.0);
    let (first, last) = fieller(slope, times, doubt / count, doubt / spread)?;
    let ends = points.iter().fold((f64::MAX, f64::MIN), |(low, high), point| (low.min(point.0), high.max(point.0)));
    let (low, high) = (rate + first, rate + last);
    let inside = low >= ends.0 || high <= ends.1;
    let (estimate, low, high) = ((rate - times / slope).exp(), low.exp(), high.exp());
    (inside && slope > 0.0 && estimate.is_finite()).then_some(Interval { estimate, low, high })
}

impl RateCurve<'_> {
    /// Up to how many steps per second `bound` is kept, by [`level_interval`] over all runs of a search and of its
    /// staircase; `tolerance` as it was searched with.
    pub fn level_interval(&self, bound: &Bound, tolerance: f64) -> Option<Interval> {
        let Bracket { kept, not_kept, .. } = self.bracket(tolerance);
        let near = (kept?.0 * not_kept?.0).sqrt();
        let times = |point: &RatePoint<'_>| {
            let value = bound.value(&point.run.response).filter(|_| point.run.outcome == Outcome::Done)?;
            let times = value.0 as f64 / bound.limit.0.max(1) as f64;
            // A run that fell behind its rate did not keep the level, however short its response times were.
            Some((point.asked.0, if times <= 1.0 && point.kept == Some(false) { TIMES_MAX } else { times }))
        };
        level_interval(near, &self.points.iter().filter_map(times).collect::<Vec<_>>())
    }
}

/// The distances d from the mean rate at which `times + slope * d` is not beyond doubt another value than 0, where its
/// square may be `of_mean + of_slope * d * d` by chance. None where that has no end.
fn fieller(slope: f64, times: f64, of_mean: f64, of_slope: f64) -> Option<(f64, f64)> {
    let (square, linear, rest) = (slope.powi(2) - of_slope, slope * times, times.powi(2) - of_mean);
    let root = (linear.powi(2) - square * rest).max(0.0).sqrt();
    // Below 0 by rounding where there is no doubt at all; where there is no end, the square is not above 0.
    (square > 0.0 && root.is_finite()).then(|| ((-linear - root) / square, (-linear + root) / square))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rand_core::{Rng, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn the_staircase_goes_up_from_a_rate_that_was_kept_and_down_from_one_that_was_not() {
        assert_eq!(next_step(100.0, None), 100.0);
        assert_eq!(next_step(100.0, Some((100.0, Some(true)))), 105.0);
        assert!((next_step(100.0, Some((105.0, Some(false)))) - 100.0).abs() < 1e-9);
        assert_eq!(next_step(100.0, Some((105.0, None))), 105.0);
    }

    #[test]
    fn times_that_grow_with_the_rate_meet_the_limit_where_they_are_one() {
        let runs: Vec<(f64, f64)> =
            (0..9).map(|at| 900.0 + 25.0 * f64::from(at)).map(|rate| (rate, (rate / 1_000.0).powi(5))).collect();
        let found = level_interval(1_000.0, &runs).unwrap();
        assert!((found.estimate - 1_000.0).abs() < 1e-6 && found.high - found.low < 1e-3, "{found:?}");
    }

    #[test]
    fn few_runs_runs_far_away_and_times_that_do_not_grow_tell_nothing() {
        assert_eq!(level_interval(1_000.0, &[]), None);
        assert_eq!(level_interval(1_000.0, &[(990.0, 0.9), (1_000.0, 1.0), (1_010.0, 1.1)]), None);
        let far: Vec<(f64, f64)> = (1..9).map(|at| (f64::from(at), f64::from(at))).collect();
        assert_eq!(level_interval(1_000.0, &far), None);
        let same_rate = [(1_000.0, 0.5); 9];
        assert_eq!(level_interval(1_000.0, &same_rate), None);
        let at_random = [(950.0, 2.0), (1_000.0, 0.5), (1_050.0, 1.9), (975.0, 0.6), (1_025.0, 0.5), (960.0, 1.1)];
        assert_eq!(level_interval(1_000.0, &at_random), None);
    }

    #[test]
    fn the_interval_holds_the_truth_about_as_often_as_it_says() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
        let mut uniform = || (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
        let held = (0..1_000).filter(|_| {
            // The fifth power of the rate, and noise with a deviation of 0.25 in the logarithm.
            let mut times = |rate: f64| {
                let noise: f64 = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
                (rate / 1_000.0).powi(5) * (0.25 * noise).exp()
            };
            let mut runs: Vec<(f64, f64)> = [707.0, 1_414.0, 1_189.0, 917.0].map(|rate| (rate, times(rate))).to_vec();
            let mut last = None;
            for _ in 0..STAIRCASE_RUNS {
                let rate = next_step(1_050.0, last);
                let times = times(rate);
                last = Some((rate, Some(times <= 1.0)));
                runs.push((rate, times));
            }
            level_interval(1_020.0, &runs).is_some_and(|found| (found.low..=found.high).contains(&1_000.0))
        });
        let held = held.count();
        assert!((920..=995).contains(&held), "{held} of 1000");
    }

    proptest! {
        #[test]
        fn the_estimate_lies_in_its_interval(
            near in 1.0f64..1e6, runs in prop::collection::vec((1.0f64..1e6, 0.0f64..1e3), 0..40),
        ) {
            if let Some(found) = level_interval(near, &runs) {
                prop_assert!(found.low <= found.estimate && found.estimate <= found.high, "{found:?}");
            }
        }
    }
}
