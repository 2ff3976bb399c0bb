//! The number of pairs with which a comparison will probably have a verdict.

use super::shifts::largest_below;
use super::signed_rank::chances_of_pairs;
use crate::rules::RULES;
use crate::statistics::{chi_squared_quantile, normal_probability, normal_quantile, student_quantile};

/// Upper limit of a recommendation.
const PAIRS_MAX: u64 = 1_000_000;
/// From so many pairs on, the probabilities of the signed-rank test lie so close together that its level is used up.
const EXACT_PAIRS_MAX: u64 = 60;
/// Asymptotic efficiency of the signed-rank test relative to Student's, for normal differences: 3 / pi.
const EFFICIENCY: f64 = 3.0 / std::f64::consts::PI;

/// Values of the ratio, and of the deviation, by which what is not known of them is represented: equally likely ones.
const RATIOS: u32 = 16;
const DEVIATIONS: u32 = 6;

/// A comparison in pairs, as it is expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairPlan {
    /// The ratio of the rates.
    pub ratio: f64,
    /// Standard deviation of the logarithms of the ratios of pairs.
    pub deviation: f64,
    /// How well both are known; absent where exactly.
    pub pilot: Option<Pilot>,
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

/// The measurement from which ratio and deviation are known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pilot {
    /// So many pairs, or repeats that are worth so many.
    pub pairs: f64,
    /// Degrees of freedom of the deviation, at least one.
    pub freedom: usize,
}

/// What may be true: the logarithm of the ratio, and the deviation.
#[derive(Clone, Copy)]
struct Truth {
    difference: f64,
    deviation: f64,
}

impl PairPlan {
    /// Pairs with which there is a verdict with a probability of 0.8, where the differences are normal.
    ///
    /// FASTER and SLOWER need an interval beyond the margin, EQUIVALENT one within it, each by the exact signed-rank test
    /// at the level that Holm's correction leaves: of the tests that are still open, at first of all of them. After a pilot
    /// the probability is that over the ratios and deviations that its pairs leave possible (assurance, Spiegelhalter and
    /// Freedman 1986): the ratio of few pairs often looks easier to decide than it is. None where a ratio that is known is
    /// at a limit of the margin, where a number is not one, and above a million.
    pub fn pairs_to_decide(&self) -> Option<u64> {
        let is_number = self.ratio > 0.0 && self.ratio.is_finite() && self.deviation >= 0.0;
        if !is_number {
            return None;
        }
        let truths = self.truths();
        let is_enough = |pairs: u64| self.decided(&truths, pairs) >= RULES.power;
        if !is_enough(PAIRS_MAX) {
            return None;
        }
        let (mut below, mut enough) = (self.pairs_of_family() - 1, self.pairs_of_family());
        while !is_enough(enough) {
            (below, enough) = (enough, (enough * 2).min(PAIRS_MAX));
        }
        while enough - below > 1 {
            let middle = below + (enough - below) / 2;
            match is_enough(middle) {
                true => enough = middle,
                false => below = middle,
            }
        }
        Some(enough)
    }

    /// Pairs with which the smallest p-value, of differences that all have one sign, is significant among all tests.
    fn pairs_of_family(&self) -> u64 {
        let one_sided = match self.ratio.ln().abs() < self.margin.ln_1p() {
            true => RULES.equivalence_significance,
            false => RULES.significance / 2.0,
        };
        let tests = (self.tests.max(1) * self.choices.max(1)) as f64;
        ((tests / one_sided).log2().ceil() as u64).max(RULES.pairs_min)
    }

    /// Equally likely truths: of the deviation by chi squared, of the ratio around the estimate, whose error is that of the
    /// signed-rank test.
    fn truths(&self) -> Vec<Truth> {
        let known = Truth { difference: self.ratio.ln(), deviation: self.deviation };
        let Some(pilot) = self.pilot else { return vec![known] };
        let freedom = pilot.freedom.max(1) as f64;
        let middle = |at: u32, of: u32| (f64::from(at) + 0.5) / f64::from(of);
        let deviations = (0..DEVIATIONS)
            .map(|at| known.deviation * (freedom / chi_squared_quantile(middle(at, DEVIATIONS), freedom)).sqrt());
        let with_deviation = |deviation: f64| {
            let error = deviation / (EFFICIENCY * pilot.pairs).sqrt();
            let difference = move |at| known.difference + error * normal_quantile(middle(at, RATIOS));
            (0..RATIOS).map(move |at| Truth { difference: difference(at), deviation })
        };
        deviations.flat_map(with_deviation).collect()
    }

    /// Mean probability of a verdict with `pairs` over `truths`.
    fn decided(&self, truths: &[Truth], pairs: u64) -> f64 {
        let limit = self.margin.ln_1p();
        let open = 1.0 + self.harder as f64 + self.as_hard as f64 * (1.0 - RULES.power);
        let share = 1.0 / (open * self.choices.max(1) as f64);
        let [beyond, within] = [RULES.significance / 2.0, RULES.equivalence_significance]
            .map(|level| SignedRankPower::of(pairs, level * share));
        let of_truth = |truth: &Truth| {
            let beyond = |distance: f64| beyond.at(distance / truth.deviation);
            let within = |distance: f64| within.at(distance / truth.deviation);
            let equivalent = within(limit - truth.difference) + within(limit + truth.difference) - 1.0;
            beyond(truth.difference - limit) + beyond(-limit - truth.difference) + equivalent.max(0.0)
        };
        truths.iter().map(of_truth).sum::<f64>() / truths.len() as f64
    }
}

/// Power of the signed-rank test for normal differences at a one-sided level.
enum SignedRankPower {
    /// There are too few pairs for that level.
    None,
    /// The ranks allow no other sign in so many pairs.
    AllSigns { pairs: f64 },
    /// By Student's test with as many pairs as are worth the same, at the level that the ranks reach.
    Student { pairs: f64, critical: f64 },
}

impl SignedRankPower {
    fn of(pairs: u64, level: f64) -> SignedRankPower {
        let count = pairs as f64;
        let student = |level: f64| SignedRankPower::Student {
            pairs: count,
            critical: student_quantile(1.0 - level, count - 1.0),
        };
        if pairs > EXACT_PAIRS_MAX {
            return student(level);
        }
        let mut sum = 0.0;
        let at_most = chances_of_pairs(pairs as usize).into_iter().map(|chance| {
            sum += chance;
            sum
        });
        let at_most: Vec<f64> = at_most.collect();
        match largest_below(&at_most, level) {
            None => SignedRankPower::None,
            Some(0) => SignedRankPower::AllSigns { pairs: count },
            Some(outside) => student(at_most[outside]),
        }
    }

    /// Probability that it shows a difference of so many deviations; Student's by the approximation of Johnson and Welch
    /// (1940).
    fn at(&self, deviations: f64) -> f64 {
        match *self {
            SignedRankPower::None => 0.0,
            SignedRankPower::AllSigns { pairs } => normal_probability(deviations).powf(pairs),
            SignedRankPower::Student { pairs, critical } => {
                let freedom = pairs - 1.0;
                let spread = (1.0 + critical * critical / (2.0 * freedom)).sqrt();
                let away = deviations * (EFFICIENCY * pairs).sqrt();
                normal_probability((away - critical * (1.0 - 1.0 / (4.0 * freedom))) / spread)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::claim::Claim;
    use crate::comparison::signed_rank::shifts_of_pairs;
    use crate::simulation::Simulation;

    fn plan(ratio: f64, deviation: f64) -> PairPlan {
        PairPlan { ratio, deviation, pilot: None, margin: 0.02, tests: 1, as_hard: 0, harder: 0, choices: 1 }
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
    fn what_few_pairs_leave_open_takes_more() {
        let after = |ratio: f64, pairs: usize| {
            let pilot = Some(Pilot { pairs: pairs as f64, freedom: pairs - 1 });
            PairPlan { pilot, ..plan(ratio, 0.03) }.pairs_to_decide().unwrap()
        };
        let known = plan(1.03, 0.03).pairs_to_decide().unwrap();
        assert!(after(1.03, 10) > 2 * known && after(1.03, 10) < 8 * known, "{}", after(1.03, 10));
        assert!(after(1.03, 10_000) <= known + 3, "{}", after(1.03, 10_000));
        // At the limit itself as many as make it likely that the true ratio is not there.
        assert!(after(1.02, 10) > after(1.03, 10) && after(1.02, 10) < 2_000, "{}", after(1.02, 10));
    }
}
