//! Figures in the usual terms of a test, where they differ from operations per second.

use record::{Run, Unit};

use crate::checks::failed_steps;

/// Calls of a recursive `fibonacci(39)`, which calls itself for 1 and 2 below and ends at 0 and 1:
/// calls(n) = 2 fibonacci(n + 1) - 1, and fibonacci(40) = 102 334 155.
const FIBONACCI_39_CALLS: f64 = 2.0 * 102_334_155.0 - 1.0;
const FIBONACCI_N: i64 = 39;

/// A derived figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Derived {
    /// T151: time of `fibonacci(39)` with one job, seconds.
    FibonacciSeconds {
        /// The time.
        seconds: f64,
        /// Extrapolated from another n: to be marked as an estimate.
        estimated: bool,
    },
    /// T441: queries of all jobs per minute, one query per step.
    QueriesPerMinute(f64),
    /// A test of dependent loads: time of one load with one job, nanoseconds.
    LoadNanos(f64),
}

/// The derived figure of `run`, if its test has one.
pub(crate) fn derived(run: &Run) -> Option<Derived> {
    let seconds = run.window_ns.seconds();
    let per_job = run.totals.operations as f64 / f64::from(run.dop.jobs.max(1));
    if seconds <= 0.0 || per_job <= 0.0 {
        return None;
    }
    match (run.test.as_str(), run.unit) {
        ("T151", Unit::Call) => Some(Derived::FibonacciSeconds {
            seconds: FIBONACCI_39_CALLS * seconds / per_job,
            estimated: run.parameters.get("n") != Some(&FIBONACCI_N),
        }),
        ("T441", _) => {
            let failed = failed_steps(run);
            Some(Derived::QueriesPerMinute(run.totals.steps.saturating_sub(failed) as f64 * 60.0 / seconds))
        }
        (_, Unit::Load) => Some(Derived::LoadNanos(seconds * 1e9 / per_job)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::run;

    fn fibonacci(n: u32) -> u64 {
        if n < 2 { u64::from(n) } else { fibonacci(n - 1) + fibonacci(n - 2) }
    }

    fn calls(n: u32) -> u64 {
        if n < 2 { 1 } else { 1 + calls(n - 1) + calls(n - 2) }
    }

    #[test]
    fn the_number_of_calls_is_twice_the_next_fibonacci_number_less_one() {
        for n in 0..20 {
            assert_eq!(calls(n), 2 * fibonacci(n + 1) - 1);
        }
        let (mut one, mut two) = (0u64, 1u64);
        (0..40).for_each(|_| (one, two) = (two, one + two));
        assert_eq!(2.0 * one as f64 - 1.0, FIBONACCI_39_CALLS);
        assert_eq!(FIBONACCI_39_CALLS, 204_668_309.0);
    }

    #[test]
    fn the_time_at_39_is_an_estimate_unless_39_was_run() {
        let mut run = run("T151", 2);
        run.unit = Unit::Call;
        // 20 466 830.9 calls per second and job, for ten seconds and two jobs.
        run.totals.operations = 2 * 204_668_309;
        run.parameters.insert("n".to_owned(), 25);
        assert_eq!(derived(&run), Some(Derived::FibonacciSeconds { seconds: 10.0, estimated: true }));
        run.parameters.insert("n".to_owned(), 39);
        assert_eq!(derived(&run), Some(Derived::FibonacciSeconds { seconds: 10.0, estimated: false }));
        run.totals.operations = 0;
        assert_eq!(derived(&run), None);
    }

    #[test]
    fn a_report_query_is_counted_per_minute_and_a_load_in_nanoseconds() {
        let mut query = run("T441", 1);
        query.totals.failures.insert(record::FailureKind::Cancelled, 1_000);
        assert_eq!(derived(&query), Some(Derived::QueriesPerMinute(54_000.0)));
        let mut chase = run("M21", 2);
        chase.unit = Unit::Load;
        assert_eq!(derived(&chase), Some(Derived::LoadNanos(1e6)));
        assert_eq!(derived(&run("T611", 1)), None);
    }
}
