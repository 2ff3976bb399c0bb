//! A comparison of systems: on a terminal, as a table for a pull request, as test results for a pipeline, as lines of
//! values, as a page.
//!
//! Systems are called A, B, C, ... in the order in which they were given; A is the base. What differs between them
//! stands before every figure, and no ratio stands without what it rests on.

mod chart;
mod html;
mod junit;
mod markdown;
mod point;
mod price;
mod text;
mod words;

use model::{
    ComparedTest, Comparison, ComparisonOutcome, Gate, PriceBook, Remark, Shift, System, SystemTest, TestComparison,
    Violation,
};

pub use html::comparison_html;
pub use junit::comparison_junit;
pub use markdown::comparison_markdown;
pub use point::comparison_csv;
pub use text::{comparison_text, found_text};

use crate::remark::remark_text;

/// Systems side by side, and what is asked of them.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonView<'a> {
    /// The systems, the base first.
    pub systems: &'a [System],
    /// What `model` says of them.
    pub comparison: &'a Comparison,
    /// What each of them costs, in their order; shorter where it is not known of the last ones.
    pub prices: &'a [Option<PriceBook>],
    /// What must not be let through.
    pub gate: Option<&'a Gate>,
}

impl ComparisonView<'_> {
    /// What the gate does not let through; empty without one.
    pub fn violations(&self) -> Vec<Violation> {
        self.gate.map(|gate| gate.violations(self.comparison)).unwrap_or_default()
    }

    /// The test `code` of the system at `index`.
    fn test(&self, index: usize, code: &str) -> Option<&SystemTest> {
        self.systems.get(index)?.tests.iter().find(|test| test.code == code)
    }

    /// What the system at `index` costs.
    fn price(&self, index: usize) -> Option<&PriceBook> {
        self.prices.get(index)?.as_ref()
    }

    /// What is to be said of the systems, without what is about tests that are not compared; each once.
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

    /// Every test with each system that is held against the base in it.
    fn compared_tests(&self) -> impl Iterator<Item = (&TestComparison, usize, &ComparedTest)> {
        let of_test = |test| compared_tests_of(test).map(move |(index, compared_test)| (test, index, compared_test));
        self.comparison.tests.iter().flat_map(of_test)
    }
}

/// The systems that are held against the base in `test`.
fn compared_tests_of(test: &TestComparison) -> impl Iterator<Item = (usize, &ComparedTest)> {
    test.compared_tests.iter().enumerate().filter_map(|(index, compared_test)| Some((index, compared_test.as_ref()?)))
}

/// The ratio that may be drawn: what cannot be compared has none.
fn shift(compared_test: &ComparedTest) -> Option<&Shift> {
    let is_comparable = !matches!(compared_test.outcome, ComparisonOutcome::Incomparable { .. });
    compared_test.headline.as_ref().filter(|_| is_comparable).map(|headline| &headline.shift)
}
