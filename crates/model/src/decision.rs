//! Whether one system is faster than another, by intervals of the ratio of their rates.

use crate::statistics::Interval;

/// The verdict on one system compared with the base.
///
/// Decided by the 95 % interval of the ratio and the margins 1 / (1 + m) and 1 + m; the first that applies:
///
/// - FASTER, SLOWER: the interval lies entirely beyond the margin.
/// - EQUIVALENT: the 90 % interval lies entirely within the margin (two one-sided tests, Schuirmann 1987).
/// - INCONCLUSIVE: otherwise, and without an interval. Includes significant differences that may be within the margin; the
///   reason says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ComparisonVerdict {
    /// Faster than the base.
    Faster,
    /// Slower than the base.
    Slower,
    /// Equal within the margin.
    Equivalent,
    /// Not decided by the data.
    Inconclusive,
}

impl ComparisonVerdict {
    /// By the 95 % interval of the ratio of two rates, and its 90 % interval for equivalence.
    pub(crate) fn of(interval: Interval, equivalence: Option<Interval>, margin: f64) -> ComparisonVerdict {
        let (low, high) = (1.0 / (1.0 + margin), 1.0 + margin);
        match equivalence {
            _ if interval.low > high => ComparisonVerdict::Faster,
            _ if interval.high < low => ComparisonVerdict::Slower,
            Some(within) if within.low > low && within.high < high => ComparisonVerdict::Equivalent,
            _ => ComparisonVerdict::Inconclusive,
        }
    }

    /// Its name in all views.
    pub fn word(self) -> &'static str {
        match self {
            ComparisonVerdict::Faster => "FASTER",
            ComparisonVerdict::Slower => "SLOWER",
            ComparisonVerdict::Equivalent => "EQUIVALENT",
            ComparisonVerdict::Inconclusive => "INCONCLUSIVE",
        }
    }
}
