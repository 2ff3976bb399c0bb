//! All tests of a comparison in one figure.

use super::{ComparisonOutcome, TestComparison};
use crate::rules::RULES;
use crate::statistics::{Interval, mean, student_quantile, variance};

/// The geometric mean of the ratios of several tests (Fleming and Wallace 1986).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GeometricMean {
    /// The mean.
    pub ratio: f64,
    /// Its 95 % interval by Student's t over the logarithms of the tests, as if they were drawn from all tests of their
    /// kind: how far another choice of tests might have come out. Absent of fewer than two.
    pub interval: Option<Interval>,
    /// Tests that it is made of: those that can be compared. Probes need no engine and are left out, unless there is
    /// nothing else.
    pub tests: usize,
}

/// The mean of system `other` over `tests`.
pub(super) fn geometric_mean(tests: &[TestComparison], other: usize) -> Option<GeometricMean> {
    let ratio = |test: &TestComparison| {
        let compared_test = test.compared_tests.get(other)?.as_ref()?;
        match compared_test.outcome {
            ComparisonOutcome::Incomparable { .. } => None,
            _ => compared_test.headline.as_ref().map(|headline| headline.shift.ratio.ln()),
        }
    };
    let of_engines: Vec<f64> = tests.iter().filter(|test| !test.is_probe).filter_map(ratio).collect();
    let logs = if of_engines.is_empty() { tests.iter().filter_map(ratio).collect() } else { of_engines };
    let middle = mean(&logs)?;
    let interval = (logs.len() >= 2).then(|| {
        let student = student_quantile(1.0 - RULES.significance / 2.0, (logs.len() - 1) as f64);
        let half = student * (variance(&logs) / logs.len() as f64).sqrt();
        Interval { estimate: middle.exp(), low: (middle - half).exp(), high: (middle + half).exp() }
    });
    Some(GeometricMean { ratio: middle.exp(), interval, tests: logs.len() })
}
