//! Whether a comparison has a verdict with as many pairs as are said to decide it.

use std::ops::RangeInclusive;

use dbdyno_model::ComparisonVerdict::Inconclusive;
use dbdyno_model::{ComparisonOutcome, PairPlan};

use super::experiment::{MARGIN, paired, paired_tests, tests, verdicts};
use crate::simulation::Simulation;
use crate::{Tables, share};

/// Limits for the share of tests that are decided.
const DECIDED: RangeInclusive<f64> = 0.7..=0.9;
/// Limits where the number follows from ten pairs and the true ratio is one of several that are equally likely.
const DECIDED_AFTER_PILOT: RangeInclusive<f64> = 0.7..=0.9;
/// The same for one true ratio, at least: a harder one than it looks is decided less often, an easier one more often.
const DECIDED_OF_ONE: RangeInclusive<f64> = 0.6..=1.0;

/// True ratios and deviations.
const CASES: [(f64, f64); 9] = [
    (1.03, 0.03),
    (1.025, 0.02),
    (1.04, 0.04),
    (1.015, 0.03),
    (0.9, 0.04),
    (1.0, 0.01),
    (1.0, 0.02),
    (1.0, 0.03),
    (1.01, 0.02),
];

/// Pairs of a pilot.
const PILOT: usize = 10;
/// Pairs that are simulated, at most.
const SIMULATED_MAX: usize = 1_000;

/// Families of tests that are all alike, with the number of pairs that follows from the true ratio and deviation.
pub(super) fn with_the_truth(tables: &mut Tables) {
    tables.begin("pairs needed, by the true ratio and deviation: tests that are decided");
    let mut simulation = Simulation::new(38);
    for (ratio, deviation) in CASES {
        for family in [1, 4, 12] {
            let plan = PairPlan {
                ratio,
                deviation,
                pilot: None,
                margin: MARGIN,
                tests: family,
                as_hard: family - 1,
                harder: 0,
                choices: 1,
            };
            let Some(pairs) = plan.pairs_to_decide() else { continue };
            let runs = (50_000 / family / pairs as usize).clamp(25, 500);
            let decided = (0..runs).map(|_| {
                let comparison = paired(paired_tests(&mut simulation, pairs as usize, &vec![ratio; family], deviation));
                verdicts(&comparison).filter(|verdict| *verdict != Inconclusive).count()
            });
            let decided: usize = decided.sum();
            let what = format!("ratio {ratio}, deviation {deviation}, {family} of {family} tests");
            let limits = if pairs <= 10 { 0.7..=1.0 } else { DECIDED };
            tables.line(&what, share(decided, runs * family), Some(limits), &format!("{pairs} pairs"));
        }
    }
}

/// What came of the advice after pilots.
#[derive(Default)]
struct Advised {
    /// Pairs in all, of each test that a pilot left open.
    totals: Vec<usize>,
    /// Tests that as many new pairs decided.
    decided: usize,
    /// Tests that were open, without advice.
    without: usize,
}

impl Advised {
    /// A pilot of tests that all have this ratio, and new pairs for each one that is open.
    fn add(&mut self, simulation: &mut Simulation, family: usize, ratio: f64, deviation: f64) {
        let ratios = vec![ratio; family];
        let pilot = paired(paired_tests(simulation, PILOT, &ratios, deviation));
        for (test, at) in tests(&pilot).zip(0..) {
            let ComparisonOutcome::Judged { verdict: Inconclusive, more_pairs, .. } = test.outcome else { continue };
            let Some(more_pairs) = more_pairs else {
                self.without += 1;
                continue;
            };
            let total = PILOT + more_pairs as usize;
            let found = paired(paired_tests(simulation, total.min(SIMULATED_MAX), &ratios, deviation));
            self.decided += usize::from(verdicts(&found).nth(at) != Some(Inconclusive));
            self.totals.push(total);
        }
    }

    fn line(mut self, tables: &mut Tables, what: &str, limits: RangeInclusive<f64>) {
        self.totals.sort_unstable();
        let at = |share: usize| self.totals.get(self.totals.len() * share / 100).copied().unwrap_or_default();
        let remark = format!("{} to {} pairs, without advice {}", at(10), at(90), self.without);
        tables.line(what, share(self.decided, self.totals.len()), Some(limits), &remark);
    }
}

/// Pairs by the advice after ten pairs that decided nothing, measured anew.
pub(super) fn after_a_pilot(tables: &mut Tables) {
    tables.begin("pairs needed, by ten pairs without a verdict: tests that are decided by as many new ones");
    let mut simulation = Simulation::new(39);
    for (deviation, family) in [(0.02, 1), (0.03, 1), (0.03, 4)] {
        let mut advised = Advised::default();
        for _ in 0..400 / family {
            let ratio = (0.16 * (simulation.uniform() - 0.5)).exp();
            advised.add(&mut simulation, family, ratio, deviation);
        }
        let what = format!("ratio 0.92 to 1.08, deviation {deviation}, {family} of {family} tests");
        advised.line(tables, &what, DECIDED_AFTER_PILOT);
    }
    for (ratio, deviation) in CASES.into_iter().filter(|(_, deviation)| *deviation > 0.01) {
        let mut advised = Advised::default();
        (0..100).for_each(|_| advised.add(&mut simulation, 1, ratio, deviation));
        if advised.totals.len() > 30 {
            advised.line(tables, &format!("ratio {ratio}, deviation {deviation}"), DECIDED_OF_ONE);
        }
    }
}
