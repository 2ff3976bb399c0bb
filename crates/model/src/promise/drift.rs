//! Drift: the medians of hours against a reference, by the interval of their shift.
//!
//! Ratios are taken as logarithms. The shift is the Hodges-Lehmann estimate with its exact interval
//! ([`crate::walsh_interval`]): a single hour that is far off does not move it.

use std::collections::BTreeMap;

use record::Ratio;

use super::event::Control;
use super::rules::PROMISE_RULES;
use crate::comparison::walsh_interval;
use crate::median;

/// Medians by hour, counted from 1970-01-01.
pub type HourlyMedians = BTreeMap<i64, f64>;

const HOURS_OF_DAY: i64 = 24;

/// What a median is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriftReference {
    /// The median of the baseline at one job.
    Baseline,
    /// The median of the same hour of the days before.
    SameHour,
}

/// Where a drift comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DriftCause {
    /// From the database or what is below it: the host of the monitor did not drift.
    Database,
    /// From the host of the monitor, one of whose controls drifted with it.
    ClientHost {
        /// Which control.
        control: Control,
        /// Its ratio to the same hour of the days before; above 1.
        ratio: Ratio,
    },
}

/// A drift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// Times the reference; above 1.
    pub ratio: Ratio,
    /// The lower end of its interval.
    pub ratio_min: Ratio,
    /// The hours that it was found in.
    pub hours: u32,
    /// What they were held against.
    pub reference: DriftReference,
    /// Where it comes from.
    pub cause: DriftCause,
}

/// The logarithm of a shift, with the ends of its interval.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shift {
    pub(super) estimate: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) hours: u32,
}

impl Shift {
    /// Whether all of the interval is above what counts as a drift.
    pub(super) fn is_drift(self) -> bool {
        self.low > PROMISE_RULES.drift_ratio_min.ln()
    }

    /// Whether all of it is below.
    pub(super) fn is_over(self) -> bool {
        self.high < PROMISE_RULES.drift_ratio_min.ln()
    }
}

/// The median of the same hour of the days before `hour`; none where too few of them have one.
pub(super) fn same_hour(medians: &HourlyMedians, hour: i64) -> Option<f64> {
    let before = (1..=PROMISE_RULES.drift_days).filter_map(|day| medians.get(&(hour - day * HOURS_OF_DAY)).copied());
    let before: Vec<f64> = before.collect();
    if before.len() < PROMISE_RULES.drift_days_min { None } else { median(&before) }
}

/// How far the last hours up to `hour` are above what `reference` says of each; none where too few have both.
pub(super) fn shift(medians: &HourlyMedians, hour: i64, reference: impl Fn(i64) -> Option<f64>) -> Option<Shift> {
    let last = medians.range(hour - PROMISE_RULES.drift_hours + 1..=hour);
    let ratio = |(hour, median): (&i64, &f64)| Some((median / reference(*hour)?).ln());
    let ratios: Vec<f64> = last.filter_map(ratio).filter(|ratio| ratio.is_finite()).collect();
    let interval = walsh_interval(&ratios, PROMISE_RULES.drift_confidence)?;
    Some(Shift { estimate: interval.estimate, low: interval.low, high: interval.high, hours: ratios.len() as u32 })
}

/// Where a drift by `shift` up to `hour` comes from: the host of the monitor if one of its `controls` drifted by enough
/// of it.
pub(super) fn cause(shift: Shift, hour: i64, controls: &BTreeMap<Control, HourlyMedians>) -> DriftCause {
    let found = controls.iter().filter_map(|(control, medians)| {
        let of_control = self::shift(medians, hour, |hour| same_hour(medians, hour))?;
        let explains = of_control.is_drift() && of_control.estimate >= PROMISE_RULES.control_share * shift.estimate;
        explains.then_some((*control, of_control.estimate))
    });
    match found.max_by(|one, other| one.1.total_cmp(&other.1)) {
        Some((control, estimate)) => DriftCause::ClientHost { control, ratio: Ratio(estimate.exp()) },
        None => DriftCause::Database,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Medians of `hours`, 100 by day and 200 at night, times what `factor` says.
    fn medians(hours: i64, factor: impl Fn(i64) -> f64) -> HourlyMedians {
        let usual = |hour: i64| if hour % HOURS_OF_DAY < 6 { 200.0 } else { 100.0 };
        (0..hours).map(|hour| (hour, usual(hour) * factor(hour))).collect()
    }

    #[test]
    fn the_same_hour_is_the_reference_and_days_without_it_are_left_out() {
        let medians = medians(10 * HOURS_OF_DAY, |_| 1.0);
        assert_eq!(same_hour(&medians, 10 * HOURS_OF_DAY + 3), Some(200.0));
        assert_eq!(same_hour(&medians, 10 * HOURS_OF_DAY + 12), Some(100.0));
        assert_eq!(same_hour(&medians, 4 * HOURS_OF_DAY), None, "too few days");
    }

    #[test]
    fn a_shift_of_a_fifth_is_a_drift_and_one_of_a_twentieth_is_none() {
        let hours = 20 * HOURS_OF_DAY;
        let of = |factor: f64| {
            let medians = medians(hours, |hour| if hour >= hours - 12 { factor } else { 1.0 });
            shift(&medians, hours - 1, |hour| same_hour(&medians, hour)).expect("enough hours")
        };
        assert!(of(1.2).is_drift() && (of(1.2).estimate.exp() - 1.2).abs() < 1e-9 && of(1.2).hours == 12);
        assert!(!of(1.05).is_drift() && of(1.05).is_over() && !of(1.2).is_over());
        let few: HourlyMedians = (0..5).map(|hour| (hour, 1.0)).collect();
        assert!(shift(&few, 4, |_| Some(1.0)).is_none());
    }
}
