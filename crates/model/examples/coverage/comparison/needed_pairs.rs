//! Whether a comparison has a verdict with as many pairs as are said to decide it.

use std::ops::RangeInclusive;

use dbdyno_model::ComparisonVerdict::Inconclusive;
use dbdyno_model::{ComparisonOutcome, PairPlan};

use super::experiment::{MARGIN, paired, paired_tests, tests, verdicts};
use crate::simulation::Simulation;
use crate::{Tables, share};

/// Limits for the share of tests that are decided.
const DECIDED: RangeInclusive<f64> = 0.7..=0.9;
/// The same where the number of pairs follows from ten pairs: a ratio in the middle of the margin looks harder than it is.
const DECIDED_AFTER_PILOT: RangeInclusive<f64> = 0.7..=0.97;

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
/// Pairs that are simulated, at most: with so many every case has a verdict.
const SIMULATED_MAX: usize = 1_500;

/// Families of tests that are all alike, with the number of pairs that follows from the true ratio and deviation.
pub(crate) fn with_the_truth(tables: &mut Tables) {
    tables.begin("pairs needed, by the true ratio and deviation: tests that are decided");
    let mut simulation = Simulation::new(38);
    for (ratio, deviation) in CASES {
        for family in [1, 4, 12] {
            let plan = PairPlan {
                ratio,
                deviation,
                margin: MARGIN,
                tests: family,
                as_hard: family - 1,
                harder: 0,
                choices: 1,
            };
            let Some(pairs) = plan.pairs_to_decide() else { continue };
            let runs = (200_000 / family / pairs as usize).clamp(30, 1_000);
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

/// Pairs by the advice after ten pairs that decided nothing, measured anew.
pub(crate) fn after_a_pilot(tables: &mut Tables) {
    tables.begin("pairs needed, by ten pairs without a verdict: tests that are decided by as many new ones");
    let mut simulation = Simulation::new(39);
    for (ratio, deviation) in CASES {
        for family in [1, 4] {
            let ratios = vec![ratio; family];
            let mut totals: Vec<usize> = Vec::new();
            let (mut decided, mut open) = (0, 0);
            for _ in 0..300 / family {
                let pilot = paired(paired_tests(&mut simulation, PILOT, &ratios, deviation));
                let advice: Vec<Option<u64>> = tests(&pilot)
                    .map(|test| match test.outcome {
                        ComparisonOutcome::Judged { more_pairs, .. } => more_pairs,
                        _ => None,
                    })
                    .collect();
                open += verdicts(&pilot).filter(|verdict| *verdict == Inconclusive).count();
                for (at, more_pairs) in advice.iter().enumerate() {
                    let Some(more) = more_pairs else { continue };
                    let total = PILOT + *more as usize;
                    totals.push(total);
                    let found = paired(paired_tests(&mut simulation, total.min(SIMULATED_MAX), &ratios, deviation));
                    decided += usize::from(verdicts(&found).nth(at) != Some(Inconclusive));
                }
            }
            totals.sort_unstable();
            if totals.len() < 40 {
                continue;
            }
            let at = |share: usize| totals[totals.len() * share / 100];
            let what = format!("ratio {ratio}, deviation {deviation}, {family} of {family} tests");
            let remark =
                format!("{} to {} pairs, without advice {:.3}", at(10), at(90), 1.0 - share(totals.len(), open));
            tables.line(&what, share(decided, totals.len()), Some(DECIDED_AFTER_PILOT), &remark);
        }
    }
}
