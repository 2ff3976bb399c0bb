//! The geometric mean of the ratios of several tests.

use std::collections::BTreeMap;

use super::logarithm::{LOG_OF_ZERO, ratio, ratios};
use super::signed_rank::shifts_of_pairs;
use super::{ComparedTest, ComparisonOutcome, GeometricMean, TestComparison};
use crate::rules::RULES;
use crate::statistics::{Interval, mean};

/// The mean of system `other` over `tests`; without engines, of the probes. An interval is of pairs alone: tests are no
/// sample, and single runs say nothing of how well they repeat.
pub(super) fn geometric_mean(tests: &[TestComparison], other: usize) -> Option<GeometricMean> {
    let of_engines: Vec<&ComparedTest> =
        tests.iter().filter(|test| !test.is_probe).filter_map(|test| comparable(test, other)).collect();
    let compared_tests: Vec<&ComparedTest> = match of_engines.is_empty() {
        true => tests.iter().filter_map(|test| comparable(test, other)).collect(),
        false => of_engines,
    };
    let logs = compared_tests
        .iter()
        .filter_map(|test| test.headline.as_ref())
        .map(|headline| headline.shift.ratio.ln().clamp(LOG_OF_ZERO, -LOG_OF_ZERO));
    let logs: Vec<f64> = logs.collect();
    let means = means_of_pairs(&compared_tests);
    let interval = interval(&means, &compared_tests);
    let ratio = interval.map_or_else(|| mean(&logs).map(ratio), |found| Some(found.estimate))?;
    Some(GeometricMean { ratio, interval, tests: logs.len(), pairs: means.len() })
}

/// The comparison of `test` on system `other`, where there is a ratio.
fn comparable(test: &TestComparison, other: usize) -> Option<&ComparedTest> {
    let compared_test = test.compared_tests.get(other)?.as_ref()?;
    let is_comparable = !matches!(compared_test.outcome, ComparisonOutcome::Incomparable { .. });
    (is_comparable && compared_test.headline.is_some()).then_some(compared_test)
}

/// The mean of the logarithms of the ratios of all tests, for each pair that all of them have: of other pairs the mean
/// would be that of other tests. Empty where a test has no pairs.
fn means_of_pairs(compared_tests: &[&ComparedTest]) -> Vec<f64> {
    let Some((first, others)) = compared_tests.split_first() else { return Vec::new() };
    let sum_of = |(repeat, log): (&u32, &f64)| -> Option<f64> {
        let logs = others.iter().map(|test: &&ComparedTest| test.pairs.get(repeat).copied());
        Some(log + logs.collect::<Option<Vec<f64>>>()?.iter().sum::<f64>())
    };
    let pairs: &BTreeMap<u32, f64> = &first.pairs;
    pairs.iter().filter_map(sum_of).map(|sum| sum / compared_tests.len() as f64).collect()
}

fn interval(means: &[f64], compared_tests: &[&ComparedTest]) -> Option<Interval> {
    let choices = compared_tests.iter().filter_map(|test| test.headline.as_ref()).flat_map(|of| of.shift.choices);
    let tail = RULES.significance / 2.0 / choices.max().unwrap_or(1) as f64;
    shifts_of_pairs(means)?.interval(tail, tail).map(ratios)
}
