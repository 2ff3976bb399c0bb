//! A rate that jumps between two levels: a migration to another processor, an exhausted cache, the end of a burst of a
//! cloud disk.
//!
//! The sorted steps of whole seconds are split where the sum of squares within the parts is least (exact k-means in one
//! dimension, k = 2). There are two levels where the upper one is well above the lower one, each is narrow compared
//! with their distance, and there is a gap between them. Linear drift and ordinary scatter have broad halves without a
//! gap. Not applied to short windows.

use record::evidence::RateLevels;
use record::{Evidence, Finding, Rate, Run, Verdict};

use super::finding;
use crate::rules::RULES;

pub(super) fn check(run: &Run) -> Option<Finding> {
    let whole = usize::try_from(run.window_ns.0 / 1_000_000_000).unwrap_or(usize::MAX).min(run.seconds.len());
    let rates: Vec<f64> = run.seconds[..whole].iter().map(|second| second.steps as f64).collect();
    let mean = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    if rates.len() < RULES.level_seconds_min || mean < RULES.level_steps_min {
        return None;
    }
    let levels = levels(&rates);
    let verdict = if levels.is_some() { Verdict::Warn } else { Verdict::Pass };
    finding(verdict, Evidence::RateLevels(levels))
}

/// Relative tolerance of limits for rounding.
const ROUNDING: f64 = 1e-9;

/// The two levels of `rates`, if there are two.
fn levels(rates: &[f64]) -> Option<RateLevels> {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = best_cut(&sorted)?;
    let (below, above) = sorted.split_at(cut);
    let (lower, upper) = (mean(below), mean(above));
    let distance = upper - lower;
    let deviation = |part: &[f64]| (squares(part) / part.len() as f64).sqrt();
    let narrow = deviation(below).max(deviation(above)) <= RULES.level_spread_max * distance * (1.0 + ROUNDING);
    let apart = above[0] - below[below.len() - 1] >= RULES.level_gap_min * distance * (1.0 - ROUNDING);
    let [lower_seconds, upper_seconds] = [below, above].map(|part| part.len() as u64);
    let levels = RateLevels { lower: Rate(lower), lower_seconds, upper: Rate(upper), upper_seconds };
    (distance > RULES.level_jump * lower * (1.0 + ROUNDING) && narrow && apart).then_some(levels)
}

/// The split with the least sum of squares within the parts: one pass with running sums, since a day has 86,400
/// seconds. Values are centred for accuracy.
fn best_cut(sorted: &[f64]) -> Option<usize> {
    let cuts = RULES.level_size_min..=sorted.len().checked_sub(RULES.level_size_min)?;
    let origin = mean(sorted);
    let add = |(sum, squares): (f64, f64), value: f64| (sum + value, squares + value * value);
    let all = sorted.iter().map(|value| value - origin).fold((0.0, 0.0), add);
    let within = |(sum, squares): (f64, f64), count: usize| squares - sum * sum / count as f64;
    let mut left = (0.0, 0.0);
    let mut best: Option<(f64, usize)> = None;
    for (value, cut) in sorted.iter().zip(1..) {
        left = add(left, value - origin);
        if !cuts.contains(&cut) {
            continue;
        }
        let right = (all.0 - left.0, all.1 - left.1);
        let squares = within(left, cut) + within(right, sorted.len() - cut);
        if best.is_none_or(|(least, _)| squares < least) {
            best = Some((squares, cut));
        }
    }
    best.map(|(_, cut)| cut)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Sum of the squared distances from the mean.
fn squares(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use record::Nanos;

    use super::*;
    use crate::fixture::run;

    #[test]
    fn two_levels_by_hand() {
        let found = levels(&[210.0, 100.0, 190.0, 110.0, 90.0, 200.0]).unwrap();
        let (lower, upper) = (Rate(100.0), Rate(200.0));
        assert_eq!(found, RateLevels { lower, lower_seconds: 3, upper, upper_seconds: 3 });
    }

    #[test]
    fn a_day_has_its_levels_as_ten_seconds_have() {
        // 7.5 thousand million pairs of seconds: a search that looks at all of them does not come back.
        let day: Vec<f64> = (0..86_400).map(|second| if second % 3 == 0 { 200.0 } else { 100.0 }).collect();
        let found = levels(&day).unwrap();
        assert_eq!((found.lower, found.upper), (Rate(100.0), Rate(200.0)));
        assert_eq!((found.lower_seconds, found.upper_seconds), (57_600, 28_800));
    }

    #[test]
    fn drift_scatter_a_small_step_and_one_outlier_are_not_two_levels() {
        let drift: Vec<f64> = (0..20).map(|second| 100.0 + 10.0 * f64::from(second)).collect();
        assert_eq!(levels(&drift), None);
        assert_eq!(levels(&[100.0, 103.0, 98.0, 101.0, 99.0, 102.0, 97.0]), None);
        assert_eq!(levels(&[100.0, 101.0, 100.0, 120.0, 121.0, 120.0]), None, "20 % is below the limit");
        assert_eq!(levels(&[100.0, 100.0, 100.0, 100.0, 100.0, 300.0]), None, "one second is no level");
        assert_eq!(levels(&[5.0; 10]), None);
    }

    #[test]
    fn a_gap_at_the_limit_is_one_in_every_unit() {
        // From 47 to 70 is half of the distance of the means, 32 6/7 and 78 6/7.
        let rates = [38.0, 70.0, 30.0, 31.0, 76.0, 74.0, 26.0, 29.0, 47.0, 72.0, 75.0, 88.0, 97.0, 29.0];
        for factor in 1..100 {
            assert!(levels(&rates.map(|rate| rate * f64::from(factor))).is_some(), "{factor}");
        }
    }

    #[test]
    fn each_level_is_narrow_and_between_them_is_a_gap() {
        let broad = [100.0, 100.0, 100.0, 100.0, 100.0, 180.0, 180.0, 180.0, 270.0, 270.0];
        assert_eq!(levels(&broad), None, "the upper one scatters by 44 at a distance of 116");
        let mut bridged = vec![95.0; 9];
        bridged.extend([145.0, 155.0]);
        bridged.extend([205.0; 9]);
        assert_eq!(levels(&bridged), None, "from 145 to 155 is no gap between 100 and 200");
        bridged[9..11].copy_from_slice(&[100.0, 200.0]);
        assert!(levels(&bridged).is_some());
    }

    #[test]
    fn the_seconds_of_a_run_have_both_levels() {
        let mut jumping = run("T611", 1);
        jumping.seconds[..4].iter_mut().for_each(|second| second.steps = 3_000);
        let found = check(&jumping).unwrap();
        assert_eq!(found.verdict, Verdict::Warn);
        let (lower, upper) = (Rate(1_000.0), Rate(3_000.0));
        let levels = RateLevels { lower, lower_seconds: 6, upper, upper_seconds: 4 };
        assert_eq!(found.evidence, Evidence::RateLevels(Some(levels)));
        assert_eq!(check(&run("T611", 1)).unwrap().verdict, Verdict::Pass);
    }

    #[test]
    fn a_short_window_and_rare_steps_are_not_judged() {
        assert_eq!(check(&Run { window_ns: Nanos(5_900_000_000), ..run("T611", 1) }), None);
        let mut rare = run("T512", 1);
        rare.seconds.iter_mut().for_each(|second| second.steps = 2);
        assert_eq!(check(&rare), None);
    }

    #[test]
    fn the_last_short_second_is_no_level() {
        let mut run = run("T611", 1);
        run.window_ns = Nanos(8_300_000_000);
        run.seconds[8..].iter_mut().for_each(|second| second.steps = 10);
        assert_eq!(check(&run).unwrap().verdict, Verdict::Pass);
    }

    proptest! {
        #[test]
        fn the_order_of_seconds_and_the_unit_do_not_matter(
            mut rates in prop::collection::vec(1u32..100, 4..40), factor in 1u32..100,
        ) {
            let as_rates = |rates: &[u32], factor: u32| -> Vec<f64> {
                rates.iter().map(|rate| f64::from(rate * factor)).collect()
            };
            let found = levels(&as_rates(&rates, 1));
            prop_assert_eq!(found.is_some(), levels(&as_rates(&rates, factor)).is_some());
            rates.reverse();
            prop_assert_eq!(found, levels(&as_rates(&rates, 1)));
        }

        #[test]
        fn two_clear_levels_are_always_found(
            low in 3u64..20,
            high in 3u64..20,
            noise in prop::collection::vec(-3i32..4, 40),
        ) {
            let rates: Vec<f64> = (0..low + high)
                .map(|second| if second < low { 100.0 } else { 160.0 } + f64::from(noise[second as usize]))
                .collect();
            let found = levels(&rates).unwrap();
            prop_assert_eq!((found.lower_seconds, found.upper_seconds), (low, high));
        }
    }
}
