//! The number of pairs with which a comparison will probably have a verdict.

use super::shifts::largest_below;
use super::signed_rank::chances_of_pairs;
use crate::rules::RULES;
use crate::statistics::{chi_squared_quantile, normal_probability, student_quantile};

/// Upper limit of a recommendation.
const PAIRS_MAX: u64 = 1_000_000;
/// From so many pairs on, the probabilities of the signed-rank test lie so close together that its level is used up.
const EXACT_PAIRS_MAX: u64 = 60;
/// Asymptotic efficiency of the signed-rank test relative to Student's, for normal differences: 3 / pi.
const EFFICIENCY: f64 = 3.0 / std::f64::consts::PI;

/// A comparison in pairs, as it is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairPlan {
    /// The ratio of the rates.
    pub ratio: f64,
    /// Standard deviation of the logarithms of the ratios of pairs.
    pub deviation: f64,
    /// The margin, as a share.
    pub margin: f64,
    /// All tests of the comparison, at least one.
    pub tests: usize,
    /// Other tests that are as hard to decide, so that each of them is open with the probability that a verdict is not
    /// reached.
    pub as_hard: usize,
    /// Other tests that are harder to decide, and will be open.
    pub harder: usize,
    /// Degrees of parallelism among which that of the verdict is chosen, at least one.
    pub choices: usize,
}

impl PairPlan {
    /// Pairs with which there is a verdict with a probability of 0.8, where the differences are normal.
    ///
    /// FASTER and SLOWER need an interval beyond the margin, EQUIVALENT one within it, each by the exact signed-rank test
    /// at the level that Holm's correction leaves: of the tests that are still open, at first of all of them. None where
    /// the ratio is at a limit of the margin, where a number is not one, and above a million.
    pub fn pairs_to_decide(&self) -> Option<u64> {
        let is_number = self.ratio > 0.0 && self.ratio.is_finite() && self.deviation >= 0.0;
        let least = self.pairs_of_family();
        if !is_number || self.decided(PAIRS_MAX) < RULES.power {
            return None;
        }
        let (mut below, mut enough) = (least.saturating_sub(1), least);
        while self.decided(enough) < RULES.power {
            (below, enough) = (enough, (enough * 2).min(PAIRS_MAX));
        }
        while enough - below > 1 {
            let middle = below + (enough - below) / 2;
            match self.decided(middle) < RULES.power {
                true => below = middle,
                false => enough = middle,
            }
        }
        Some(enough)
    }

    /// Pairs with which the smallest p-value, of differences that all have one sign, is significant among all tests.
    fn pairs_of_family(&self) -> u64 {
        let one_sided = match self.distance() < 0.0 {
            true => RULES.equivalence_significance,
            false => RULES.significance / 2.0,
        };
        let tests = (self.tests.max(1) * self.choices.max(1)) as f64;
        ((tests / one_sided).log2().ceil() as u64).max(RULES.pairs_min)
    }

    /// How far the ratio lies beyond the margin; negative within it.
    fn distance(&self) -> f64 {
        self.ratio.ln().abs() - self.margin.ln_1p()
    }

    /// Probability of a verdict with `pairs`.
    fn decided(&self, pairs: u64) -> f64 {
        let (difference, limit) = (self.ratio.ln(), self.margin.ln_1p());
        let open = 1.0 + self.harder as f64 + self.as_hard as f64 * (1.0 - RULES.power);
        let share = 1.0 / (open * self.choices.max(1) as f64);
        let beyond = |distance: f64| self.shown(pairs, distance, RULES.significance / 2.0 * share);
        let within = |distance: f64| self.shown(pairs, distance, RULES.equivalence_significance * share);
        let equivalent = within(limit - difference) + within(limit + difference) - 1.0;
        beyond(difference - limit) + beyond(-limit - difference) + equivalent.max(0.0)
    }

    /// Probability that the signed-rank test of `pairs` shows a difference that is `distance` away, at the one-sided level
    /// `level`: by Student's test with as many pairs as are worth the same, at the level that the ranks reach, and with
    /// the approximation of its power by Johnson and Welch (1940). Where the ranks allow no other sign, exactly.
    fn shown(&self, pairs: u64, distance: f64, level: f64) -> f64 {
        let size = match pairs <= EXACT_PAIRS_MAX {
            false => level,
            true => {
                let mut sum = 0.0;
                let at_most: Vec<f64> = chances_of_pairs(pairs as usize)
                    .into_iter()
                    .map(|chance| {
                        sum += chance;
                        sum
                    })
                    .collect();
                match largest_below(&at_most, level) {
                    None => return 0.0,
                    Some(0) => return normal_probability(distance / self.deviation).powf(pairs as f64),
                    Some(outside) => at_most[outside],
                }
            }
        };
        let freedom = pairs as f64 - 1.0;
        let critical = student_quantile(1.0 - size, freedom);
        let away = distance / self.deviation * (EFFICIENCY * pairs as f64).sqrt();
        let spread = (1.0 + critical * critical / (2.0 * freedom)).sqrt();
        normal_probability((away - critical * (1.0 - 1.0 / (4.0 * freedom))) / spread)
    }
}

/// The standard deviation that is exceeded with a probability of 0.2, where `deviation` was found with `freedom` degrees
/// of freedom: one of few values is often too small, and pairs grow with its square.
pub(super) fn deviation_at_most(deviation: f64, freedom: usize) -> f64 {
    let freedom = freedom.max(1) as f64;
    deviation * (freedom / chi_squared_quantile(1.0 - RULES.power, freedom)).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::claim::Claim;
    use crate::comparison::signed_rank::shifts_of_pairs;
    use crate::simulation::Simulation;

    fn plan(ratio: f64, deviation: f64) -> PairPlan {
        PairPlan { ratio, deviation, margin: 0.02, tests: 1, as_hard: 0, harder: 0, choices: 1 }
    }

    #[test]
    fn the_distance_to_the_margin_decides_and_not_the_one_to_equality() {
        let pairs = |ratio: f64, deviation: f64| plan(ratio, deviation).pairs_to_decide().unwrap();
        // 8.2 (s / distance)^2, with ln 1.03 - ln 1.02 = 0.00976: 77.9.
        assert!((76..=82).contains(&pairs(1.03, 0.03)), "{}", pairs(1.03, 0.03));
        assert!((134..=142).contains(&pairs(1.025, 0.02)), "{}", pairs(1.025, 0.02));
        // Two one-sided tests of equal systems: 1.05 (1.645 + 1.282)^2 (s / 0.0198)^2 = 20.6.
        assert!((20..=23).contains(&pairs(1.0, 0.03)), "{}", pairs(1.0, 0.03));
        assert_eq!(pairs(1.2, 0.001), 6);
        assert_eq!(pairs(1.03, 0.03), pairs(1.0 / 1.03, 0.03));
    }

    #[test]
    fn more_tests_and_choices_take_more_pairs() {
        let pairs = |plan: PairPlan| plan.pairs_to_decide().unwrap();
        let one = plan(1.03, 0.03);
        let open = pairs(PairPlan { tests: 12, as_hard: 11, ..one });
        assert!(pairs(one) < open && open < pairs(PairPlan { tests: 12, harder: 11, ..one }));
        assert!(pairs(one) < pairs(PairPlan { choices: 4, ..one }));
        let sure = plan(1.5, 0.001);
        let of_family = [1, 3, 12].map(|tests| pairs(PairPlan { tests, ..sure }));
        assert_eq!(of_family, [6, 7, 9], "so that 2^(1 - n) is significant");
    }

    #[test]
    fn what_cannot_be_decided_has_no_number() {
        let found = |ratio: f64, deviation: f64| plan(ratio, deviation).pairs_to_decide();
        assert_eq!((found(1.02, 0.03), found(0.0, 0.03), found(f64::NAN, 0.03)), (None, None, None));
        assert_eq!((found(1.0, 50.0), found(1.0, f64::NAN), found(f64::INFINITY, 0.1)), (None, None, None));
        assert_eq!((found(1.05, 0.0), found(1.0, 0.0)), (Some(6), Some(6)));
    }

    #[test]
    fn few_pairs_have_a_verdict_as_often_as_predicted() {
        let mut simulation = Simulation::new(21);
        for (ratio, deviation) in [(1.06, 0.02), (1.05, 0.02), (0.93, 0.03), (1.0, 0.015), (1.0, 0.02)] {
            let pairs = plan(ratio, deviation).pairs_to_decide().unwrap();
            let runs = 2_000;
            let decided = (0..runs).filter(|_| {
                let differences = simulation.noise(pairs as usize, 0.0, f64::ln(ratio), deviation);
                Claim::of(&shifts_of_pairs(&differences).unwrap(), 0.02, [1, 1]).p_value <= RULES.significance
            });
            let share = decided.count() as f64 / f64::from(runs);
            // The ranks of few pairs leave no number between too few and many enough.
            assert!((0.75..=0.96).contains(&share), "{ratio} {deviation}: {pairs} pairs, {share}");
        }
    }

    #[test]
    fn a_deviation_of_few_values_may_be_larger() {
        // The 0.2 quantile of chi squared with 9 degrees of freedom is 5.380.
        assert!((deviation_at_most(1.0, 9) - (9.0f64 / 5.380_053).sqrt()).abs() < 1e-5);
        assert!(deviation_at_most(1.0, 5) > 1.4 && deviation_at_most(1.0, 1_000) < 1.03);
    }
}
