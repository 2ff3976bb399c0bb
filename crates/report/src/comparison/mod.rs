//! A comparison of systems: as a document, as JUnit results for a pipeline, as comma-separated values.
//!
//! Systems are called A, B, C, ... in the order in which they were given; A is the base. Differences come before every
//! figure, and every ratio has its evidence.

mod answer;
mod chart;
mod document;
mod junit;
mod point;
mod price;
mod sentence;
mod summary;
mod words;

use model::{
    ComparedTest, Comparison, ComparisonOutcome, Gate, PriceBook, Remark, Shift, System, SystemTest, TestComparison,
    Violation,
};

pub use document::comparison;
pub use junit::comparison_junit;
pub use point::comparison_csv;
pub(crate) use sentence::reasons_text;
pub use sentence::violation_text;
pub(crate) use words::{change, ends, evidence, verdict};

use crate::system::remark_text;

/// Systems, their comparison, prices and gate.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonView<'a> {
    /// The systems, the base first.
    pub systems: &'a [System],
    /// Their comparison.
    pub comparison: &'a Comparison,
    /// The price book of each of them, in their order; shorter where the last ones have none.
    pub prices: &'a [Option<PriceBook>],
    /// The gate.
    pub gate: Option<&'a Gate>,
}

impl ComparisonView<'_> {
    /// The gate violations; empty without a gate.
    pub fn violations(&self) -> Vec<Violation> {
        self.gate.map(|gate| gate.violations(self.comparison)).unwrap_or_default()
    }

    /// The test `code` of the system at `index`.
    fn test(&self, index: usize, code: &str) -> Option<&SystemTest> {
        self.systems.get(index)?.tests.iter().find(|test| test.code == code)
    }

    /// The price book of the system at `index`.
    fn price(&self, index: usize) -> Option<&PriceBook> {
        self.prices.get(index)?.as_ref()
    }

    /// The remarks about the systems, each once, without those about tests that are not compared.
    fn remarks(&self) -> Vec<String> {
        let is_compared = |remark: &Remark| {
            let mut unshared = self.comparison.unshared.iter();
            remark.test().is_none_or(|code| unshared.all(|test| test.code != code))
        };
        let mut remarks: Vec<String> = Vec::new();
        for (system, remark) in &self.comparison.remarks {
            let text = format!("{system}: {}", remark_text(remark));
            if is_compared(remark) && !remarks.contains(&text) {
                remarks.push(text);
            }
        }
        remarks
    }

    /// Every test with each system that is compared with the base.
    fn compared_tests(&self) -> impl Iterator<Item = (&TestComparison, usize, &ComparedTest)> {
        let of_test = |test| compared_tests_of(test).map(move |(index, compared_test)| (test, index, compared_test));
        self.comparison.tests.iter().flat_map(of_test)
    }
}

/// The systems that are compared with the base in `test`.
fn compared_tests_of(test: &TestComparison) -> impl Iterator<Item = (usize, &ComparedTest)> {
    test.compared_tests.iter().enumerate().filter_map(|(index, compared_test)| Some((index, compared_test.as_ref()?)))
}

/// The ratio; none where the systems are incomparable.
fn shift(compared_test: &ComparedTest) -> Option<&Shift> {
    let is_comparable = !matches!(compared_test.outcome, ComparisonOutcome::Incomparable { .. });
    compared_test.headline.as_ref().filter(|_| is_comparable).map(|headline| &headline.shift)
}
