//! Equal windows within a run: how the worst of them compares with the first and the median.

use record::{Nanos, Rate, Run};

use crate::rules::RULES;

/// Rates of equal windows within a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Windows {
    /// Their length.
    pub width_ns: Nanos,
    /// Their number.
    pub count: usize,
    /// Operations per second in the first.
    pub first: Rate,
    /// The median, the lower one of two.
    pub median: Rate,
    /// In the worst.
    pub worst: Rate,
    /// The number of the worst, counted from 1: the first of equal ones.
    pub worst_at: usize,
}

impl Windows {
    /// The worst over the median.
    pub fn worst_of_median(&self) -> Option<f64> {
        crate::delta::share(self.worst.0, self.median.0)
    }

    /// The worst over the first.
    pub fn worst_of_first(&self) -> Option<f64> {
        crate::delta::share(self.worst.0, self.first.0)
    }
}

/// The whole windows of `width_seconds` seconds in `run`; None with fewer than three.
pub fn windows(run: &Run, width_seconds: usize) -> Option<Windows> {
    let whole = usize::try_from(run.window_ns.0 / Nanos::SECOND.0).unwrap_or(usize::MAX).min(run.seconds.len());
    let width = width_seconds.max(1);
    let rate =
        |seconds: &[record::Second]| seconds.iter().map(|second| second.operations as f64).sum::<f64>() / width as f64;
    let rates: Vec<f64> = run.seconds[..whole].chunks_exact(width).map(rate).collect();
    let (worst_at, worst) =
        rates.iter().copied().enumerate().reduce(|worst, other| if other.1 < worst.1 { other } else { worst })?;
    let mut sorted = rates.clone();
    sorted.sort_by(f64::total_cmp);
    (rates.len() >= WINDOWS_MIN).then(|| Windows {
        width_ns: Nanos(Nanos::SECOND.0.saturating_mul(width as u64)),
        count: rates.len(),
        first: Rate(rates[0]),
        median: Rate(sorted[(sorted.len() - 1) / 2]),
        worst: Rate(worst),
        worst_at: worst_at + 1,
    })
}

/// Fewer have no worst one.
const WINDOWS_MIN: usize = 3;

/// Seconds of a window in which spent credits show.
const MINUTE_SECONDS: usize = 60;

/// Whether credits of disks and processors would show in a run: burst rates that are granted until they are spent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Credits {
    /// Too short to see credits: they last for longer.
    TooShort {
        /// Length of a window in which they show.
        window_ns_min: Nanos,
    },
    /// The minutes of the run.
    Minutes(Windows),
}

/// Whether credits would show in `run`, and its minutes if so; None where its seconds are not kept.
pub fn credits(run: &Run) -> Option<Credits> {
    let window_ns_min = Nanos(RULES.credit_window_ns_min);
    match run.window_ns < window_ns_min {
        true => Some(Credits::TooShort { window_ns_min }),
        false => windows(run, MINUTE_SECONDS).map(Credits::Minutes),
    }
}

#[cfg(test)]
mod tests {
    use record::Second;

    use super::*;
    use crate::fixture::run;

    fn at_rates(rates: impl IntoIterator<Item = u64>) -> Run {
        let second = |operations: u64| Second { operations, ..Second::default() };
        let seconds: Vec<Second> = rates.into_iter().map(second).collect();
        Run { window_ns: Nanos(seconds.len() as u64 * Nanos::SECOND.0 + 1), seconds, ..run("T616", 1) }
    }

    #[test]
    fn the_worst_second_is_named_by_its_number() {
        let found = windows(&at_rates([10, 30, 5, 20, 5]), 1).expect("windows");
        assert_eq!((found.count, found.first, found.median), (5, Rate(10.0), Rate(10.0)));
        assert_eq!((found.worst, found.worst_at), (Rate(5.0), 3));
        assert_eq!((found.worst_of_first(), found.worst_of_median()), (Some(0.5), Some(0.5)));
        assert_eq!(windows(&at_rates([10, 30]), 1), None);
        assert_eq!(windows(&at_rates([]), 1), None);
    }

    #[test]
    fn a_part_of_a_window_does_not_count() {
        let found = windows(&at_rates([9, 11, 20, 20, 6, 6, 0]), 2).expect("windows");
        assert_eq!((found.count, found.first, found.worst, found.worst_at), (3, Rate(10.0), Rate(6.0), 3));
        let mut ended = at_rates([10; 6]);
        ended.seconds.push(Second::default());
        assert_eq!(windows(&ended, 1).map(|found| found.worst), Some(Rate(10.0)), "the second after the window");
    }

    #[test]
    fn spent_credits_show_in_half_an_hour_and_less_is_too_short() {
        let spent = |seconds: u64| at_rates((0..seconds).map(|second| if second < 1_200 { 3_000 } else { 300 }));
        let Some(Credits::Minutes(minutes)) = credits(&spent(1_800)) else { panic!("too short") };
        assert_eq!((minutes.count, minutes.first, minutes.median), (30, Rate(3_000.0), Rate(3_000.0)));
        assert_eq!((minutes.worst, minutes.worst_at, minutes.worst_of_first()), (Rate(300.0), 21, Some(0.1)));
        let short = Some(Credits::TooShort { window_ns_min: Nanos(1_800_000_000_000) });
        assert_eq!(credits(&spent(1_799)), short);
        assert_eq!(credits(&run("T616", 1)), short);
        assert_eq!(credits(&Run { seconds: Vec::new(), ..spent(1_800) }), None);
    }
}
