//! How many more pairs would decide the tests that are open.

use super::needed_pairs::{PairPlan, Pilot};
use super::verdict::Evidence;
use super::{ComparedTest, ComparisonOutcome, Shift};
use crate::decision::ComparisonVerdict;

/// Fills in, for each inconclusive test of `compared_tests`, the pairs that would probably decide it. All of them are one
/// family of `tests` with a p-value. Tests that need more pairs than another are still open when that is decided.
pub(super) fn advise(compared_tests: &mut [&mut ComparedTest], tests: usize, margin: f64) {
    let mut open: Vec<(Shift, &mut Option<u64>)> = compared_tests.iter_mut().filter_map(|test| of_open(test)).collect();
    let others = open.len().saturating_sub(1);
    let total = |shift: &Shift, harder: usize| {
        expected(shift, margin).and_then(|plan| {
            PairPlan { tests, harder, as_hard: others.saturating_sub(harder), ..plan }.pairs_to_decide()
        })
    };
    let alike: Vec<u64> = open.iter().map(|(shift, _)| total(shift, 0).unwrap_or(u64::MAX)).collect();
    for ((shift, more_pairs), own) in open.iter_mut().zip(&alike) {
        let harder = alike.iter().filter(|other| *other > own).count();
        let existing = match shift.evidence {
            Evidence::Paired { pairs } => pairs as u64,
            Evidence::Unpaired { .. } | Evidence::Single | Evidence::Published => 0,
        };
        **more_pairs = total(shift, harder).map(|total| total.saturating_sub(existing).max(1));
    }
}

/// The shift of an inconclusive test, and the place of the advice.
fn of_open(test: &mut ComparedTest) -> Option<(Shift, &mut Option<u64>)> {
    test.claim?;
    let shift = test.headline.as_ref()?.shift;
    match &mut test.outcome {
        ComparisonOutcome::Judged { verdict: ComparisonVerdict::Inconclusive, more_pairs, .. } => {
            Some((shift, more_pairs))
        }
        _ => None,
    }
}

/// What is expected of more pairs after those of `shift`; None where their deviation is not known.
fn expected(shift: &Shift, margin: f64) -> Option<PairPlan> {
    let pilot = match shift.evidence {
        Evidence::Paired { pairs } => Pilot { pairs: pairs as f64, freedom: pairs.saturating_sub(1) },
        // The deviation is that of a pair, of one repeat of each.
        Evidence::Unpaired { base, other } => {
            let (base, other) = (base as f64, other as f64);
            Pilot { pairs: 2.0 * base * other / (base + other), freedom: (base + other - 2.0).max(1.0) as usize }
        }
        Evidence::Single | Evidence::Published => return None,
    };
    let choices = shift.choices.into_iter().max().unwrap_or(1);
    let (ratio, deviation, pilot) = (shift.ratio, shift.deviation?, Some(pilot));
    Some(PairPlan { ratio, deviation, pilot, margin, tests: 1, as_hard: 0, harder: 0, choices })
}
