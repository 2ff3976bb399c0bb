//! What is promised of an operation.

use record::{Nanos, Ratio};

use super::event::Operation;
use super::rules::PROMISE_RULES;

/// How many events are to be good, over how long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// Share of good events among the good and the bad ones; above 0 and below 1.
    pub good_ratio: Ratio,
    /// The days over which it holds.
    pub window_days: u32,
}

impl Default for Objective {
    fn default() -> Objective {
        Objective { good_ratio: Ratio(0.99), window_days: 30 }
    }
}

impl Objective {
    /// The share of events that may be bad: the budget.
    pub fn budget(self) -> Ratio {
        Ratio(1.0 - self.good_ratio.0)
    }
}

/// The promise of one operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Promise {
    /// Which operation.
    pub operation: Operation,
    /// The longest time of a statement of a good event; absent where only errors are bad.
    pub threshold_ns: Option<Nanos>,
    /// The median of the baseline at one job; absent without one.
    pub baseline_p50_ns: Option<Nanos>,
    /// How many events are to be good.
    pub objective: Objective,
}

impl Promise {
    /// Whether a statement of `slowest_ns` is within the threshold.
    pub fn is_kept_by(&self, slowest_ns: Nanos) -> bool {
        self.threshold_ns.is_none_or(|threshold| slowest_ns <= threshold)
    }
}

/// The default threshold for a baseline whose 0.99 quantile is `p99_ns`:
/// [`super::PromiseRules::threshold_over_p99`] times as much, at least [`super::PromiseRules::threshold_ns_min`], rounded
/// up to two digits, so that it is read and repeated easily.
pub fn threshold(p99_ns: Nanos) -> Nanos {
    let exact = (p99_ns.0 as f64 * PROMISE_RULES.threshold_over_p99).ceil() as u64;
    let least = exact.max(PROMISE_RULES.threshold_ns_min);
    let mut unit = 1;
    while least / unit >= 100 {
        unit *= 10;
    }
    Nanos(least.div_ceil(unit) * unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_threshold_has_two_digits_and_is_never_below_three_times_the_baseline() {
        let of = |p99| threshold(Nanos(p99)).0;
        assert_eq!([of(0), of(33_333), of(34_000), of(412_345)], [100_000, 100_000, 110_000, 1_300_000]);
        for p99 in (34_000..2_000_000).step_by(997) {
            let found = of(p99);
            assert!(found >= 3 * p99 && found <= 3 * p99 + 3 * p99 / 10 + 1, "{p99}: {found}");
        }
    }
}
