//! Logarithms of rates and of their ratios, those of a rate of zero included.

use std::collections::BTreeMap;

use crate::statistics::Interval;
use crate::system::SystemPoint;

/// In place of the logarithm of a rate of zero: below that of every rate, and so far below that the mean of a zero and any
/// rate is a loss too. Its distance to a rate is a number, so that two zeros are equal.
pub(super) const LOG_OF_ZERO: f64 = -700.0;
/// Logarithms of ratios beyond this come from a rate of zero.
pub(super) const LOG_OF_RATIO_MAX: f64 = 300.0;

/// The logarithms of the rates, by repeat.
pub(super) fn logs(point: &SystemPoint) -> BTreeMap<u32, f64> {
    let counts = |rate: f64| rate >= 0.0 && rate.is_finite();
    let rates = point.rates.iter().filter(|rate| counts(rate.per_second.0));
    rates.map(|rate| (rate.repeat, log(rate.per_second.0))).collect()
}

pub(super) fn log(rate: f64) -> f64 {
    if rate > 0.0 { rate.ln() } else { LOG_OF_ZERO }
}

/// The ratio with this logarithm: nothing, or without bound, where a rate is zero.
pub(super) fn ratio(log: f64) -> f64 {
    match log {
        log if log < -LOG_OF_RATIO_MAX => 0.0,
        log if log > LOG_OF_RATIO_MAX => f64::INFINITY,
        log => log.exp(),
    }
}

pub(super) fn ratios(interval: Interval) -> Interval {
    Interval { estimate: ratio(interval.estimate), low: ratio(interval.low), high: ratio(interval.high) }
}

#[cfg(test)]
mod tests {
    use record::Rate;

    use super::*;
    use crate::system::MeasuredRate;

    #[test]
    fn a_rate_of_zero_is_below_every_other_and_equal_to_itself() {
        let rates = [5.0, 0.0, 1e-9, f64::NAN, f64::INFINITY, -1.0];
        let rates = rates.iter().zip(1..).map(|(rate, repeat)| MeasuredRate { repeat, per_second: Rate(*rate) });
        let found = logs(&SystemPoint { rates: rates.collect(), ..SystemPoint::default() });
        assert_eq!(found.keys().copied().collect::<Vec<_>>(), [1, 2, 3], "what is no rate is left out");
        assert!(found[&2] < found[&3] - LOG_OF_RATIO_MAX && found[&2] - found[&2] == 0.0);
        assert_eq!((ratio(found[&2] - found[&1]), ratio(found[&1] - found[&2])), (0.0, f64::INFINITY));
        assert!((ratio(found[&1]) - 5.0).abs() < 1e-12);
    }
}
