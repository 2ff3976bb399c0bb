//! Rows, operations and time of a table, held against each other.

use super::{TOLERANCE, worst};
use crate::contents::per_second;
use crate::figure::{apart, exact, rounded};
use crate::publication::TestFigures;

/// Rows per second are operations per second times the rows of one.
pub(super) fn rows_per_operation(test: &TestFigures) -> Option<String> {
    let rows = test.rows_per_operation?;
    let operations = if test.ops.is_empty() { &test.tps } else { &test.ops };
    let pairs = test.degrees().into_iter().zip(&test.rps).zip(operations);
    let pairs = pairs.map(|((degree, found), operations)| (degree, *found, operations * rows));
    let (degree, found, expected, _) = worst(pairs, TOLERANCE)?;
    Some(format!(
        "{} at {degree}: {} rows/s are {} than {} operations/s x {} rows = {} rows/s",
        test.code,
        exact(found),
        apart(found, expected),
        exact(expected / rows),
        exact(rows),
        rounded(expected)
    ))
}

/// What a job does from begin to end is the same at every number of jobs; what all threads of a statement do together,
/// at every number of threads. Where the publication says how many rows that are, it is so many.
pub(super) fn work_per_job(test: &TestFigures) -> Option<String> {
    let mut done = Vec::new();
    for (index, degree) in test.degrees().into_iter().enumerate() {
        let (Some(rate), Some(time)) = (per_second(test, index), test.time.get(index)) else { continue };
        let jobs = if test.jobs.is_empty() { 1.0 } else { f64::from(degree) };
        done.push((degree, rate * time / jobs, *time));
    }
    let expected = test.rows_total.or_else(|| middle(done.iter().map(|(_, work, _)| *work)))?;
    // Time is printed in whole seconds: half a second each way is granted.
    let pairs =
        done.into_iter().map(|(degree, work, time)| ((degree, work), granted(work, expected, 0.5 / time), expected));
    let ((degree, found), _, expected, _) = worst(pairs, TOLERANCE)?;
    Some(format!(
        "{} at {degree}: rate x time is {} a job, {} than the {} that it should be",
        test.code,
        rounded(found),
        apart(found, expected),
        rounded(expected)
    ))
}

/// `found` moved towards `expected` by as much as rounding by the ratio `rounding` explains.
pub(super) fn granted(found: f64, expected: f64, rounding: f64) -> f64 {
    expected.clamp(found * (1.0 - rounding), found * (1.0 + rounding))
}

fn middle(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().checked_sub(1)? / 2).copied()
}
