//! The length of a run of a rate search: until enough values are beyond its quantile.

use model::Bound;
use record::{Nanos, Pace, Plan, RunKind, Variation};

use crate::{Error, Result};

/// The longest window for the sake of a quantile.
const WINDOW_MAX: Nanos = Nanos(60_000_000_000);

/// The window of a run of `plan`: that of its kind, and longer where the quantile that is searched for needs it at this rate, up to
/// a minute.
pub(crate) fn window(plan: &Plan, kind: &RunKind, variation: Option<Variation>, pace: Pace) -> Nanos {
    let is_searched = matches!(variation, Some(Variation::Paced { .. }));
    let until = plan.until.as_ref().filter(|_| is_searched);
    let bound: Option<Bound> = until.and_then(|until| until.level.parse().ok());
    let window_ns = plan.window_of(kind);
    bound.zip(pace.rate()).map_or(window_ns, |(bound, rate)| window_for(window_ns, &bound, rate))
}

/// `window_ns`, or longer where the quantile of `bound` needs it at a rate of so many steps per second, up to a minute.
pub(crate) fn window_for(window_ns: Nanos, bound: &Bound, steps_per_second: f64) -> Nanos {
    window_ns.max(bound.window(steps_per_second).min(WINDOW_MAX))
}

/// Checks that `bound` can be judged within a minute, or windows of `window_ns`, at the `capacity` of a closed loop, in
/// `unit`. `subject` names what is measured.
pub(crate) fn check(window_ns: Nanos, subject: &str, bound: &Bound, capacity: f64, unit: &str) -> Result<()> {
    let (needed, most) = (bound.window(capacity), window_ns.max(WINDOW_MAX));
    if needed <= most {
        return Ok(());
    }
    let (needed, most) = (needed.seconds(), most.seconds());
    Err(Error::user(format!(
        "{} needs windows of {needed:.0} s to have ten values beyond it at {capacity:.1} {unit}, the capacity of \
         {subject}; limit {most:.0} s",
        bound.statistic
    ))
    .hint("search for a lower quantile, with more jobs, or give longer --seconds"))
}

/// The note about windows longer than `window_ns`, down to a rate of `lowest` in `unit`; none if there are none.
pub(crate) fn longer_windows_note(window_ns: Nanos, bound: &Bound, lowest: f64, unit: &str) -> Option<String> {
    let needed = window_for(window_ns, bound, lowest);
    let below = lowest * bound.window(lowest).seconds() / window_ns.seconds();
    (needed > window_ns).then(|| {
        format!(
            "below {below:.1} {unit} windows are longer than {:.1} s, up to {:.1} s, so that ten values lie beyond {}",
            window_ns.seconds(),
            needed.seconds(),
            bound.statistic
        )
    })
}

#[cfg(test)]
mod tests {
    use record::{Arrival, Ratio, Until};

    use super::*;
    use crate::pacing::tests::searching;

    fn plan(level: &str, window_ns: u64) -> Plan {
        let until = Until { level: level.to_owned(), arrival: Arrival::Poisson, tolerance: Ratio(0.1) };
        Plan { window_ns: Nanos(window_ns), probe_window_ns: Some(Nanos(1_000_000_000)), ..searching(until) }
    }

    #[test]
    fn a_window_holds_ten_values_beyond_the_quantile_and_lasts_a_minute_at_most() {
        let at = |level: &str, rate: f64| {
            let pace = Pace::Poisson { steps_per_second: rate };
            let searched = Some(Variation::Paced { pace, one_thread_per_core: false });
            window(&plan(level, 2_000_000_000), &RunKind::Test, searched, pace).seconds()
        };
        assert_eq!((at("p99=5ms", 10_000.0), at("p99=5ms", 500.0)), (2.0, 2.0));
        assert!((at("p99=5ms", 100.0) - 10.0).abs() < 1e-6);
        assert_eq!((at("p99=5ms", 1.0), at("mean=5ms", 1.0)), (60.0, 2.0));
        let plain = |kind| window(&plan("p99=5ms", 2_000_000_000), kind, None, Pace::Unthrottled);
        assert_eq!([plain(&RunKind::Test), plain(&RunKind::Probe)], [Nanos(2_000_000_000), Nanos(1_000_000_000)]);
    }

    #[test]
    fn a_window_longer_than_a_minute_is_refused() {
        let bound: Bound = "p99.99=5ms".parse().unwrap();
        let window = Nanos(2_000_000_000);
        assert!(check(window, "test T611", &bound, 10_000.0, "steps/s").is_ok());
        let error = check(window, "test T611", &bound, 100.0, "steps/s").unwrap_err();
        assert_eq!(
            error.message,
            "p99.99 needs windows of 1000 s to have ten values beyond it at 100.0 steps/s, the capacity of test T611; \
             limit 60 s"
        );
        let note = longer_windows_note(window, &bound, 10_000.0, "steps/s").unwrap();
        assert!(note.contains("longer than 2.0 s, up to 10.0 s"), "{note}");
        assert_eq!(longer_windows_note(window, &"p50=5ms".parse().unwrap(), 100.0, "steps/s"), None);
    }
}
