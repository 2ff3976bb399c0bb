//! Another platform beside the results of a record: how much faster or slower each workload is than there.

use model::{CompareOptions, Comparison, ComparisonOutcome, System, compare};
use record::Record;

use crate::comparison::{change, ends, evidence, reasons_text, verdict};

/// Another platform with which the results of a record are compared.
#[derive(Clone, Debug)]
pub struct Beside {
    name: String,
    /// The other platform is the base.
    comparison: Comparison,
}

impl Beside {
    /// `record` beside `other`, which was measured or published.
    pub fn of(record: &Record, other: System) -> Beside {
        let name = other.name.clone();
        Beside { name, comparison: compare(&[other, model::system(record)], CompareOptions::default()) }
    }

    /// Whether both have a test in common.
    pub fn is_comparable(&self) -> bool {
        !self.comparison.tests.is_empty()
    }

    /// The rate of the test `code` over that of the other platform, with its interval and the verdict; nothing where the other one
    /// has no such test.
    pub(crate) fn text(&self, code: &str) -> Option<String> {
        let test = self.comparison.tests.iter().find(|test| test.code == code)?;
        let compared = test.compared_tests.last()?.as_ref()?;
        let name = &self.name;
        let Some(headline) = compared.headline.as_ref() else { return Some(format!("{name} has no valid run")) };
        let shift = headline.shift;
        if let ComparisonOutcome::Incomparable { reasons } = &compared.outcome {
            return Some(format!("not comparable with {name}: {}", reasons_text(reasons)));
        }
        let interval = shift.interval.map_or_else(|| evidence(shift.evidence), ends);
        Some(format!("{} against {name} ({interval}): {}", change(shift.ratio), verdict(compared)))
    }
}
