//! Capacities: the rates of plain runs.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use record::{Dop, Run};

/// Whether a plain run is invalid, and its steps per second.
type Rated = (bool, f64);

/// Steps per second of plain runs, by test and degree of parallelism.
#[derive(Default)]
pub(crate) struct Capacities(Mutex<BTreeMap<(String, Dop), Vec<Rated>>>);

impl Capacities {
    /// Adds `run` where it determines a capacity.
    pub(crate) fn add(&self, run: &Run) {
        let Some(rate) = model::steps_per_second(run).filter(|_| model::gives_capacity(run)) else { return };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry((run.test.clone(), run.dop)).or_default().push((model::is_invalid(run), rate.0));
    }

    /// Steps per second of `test` at `dop` in a closed loop; none without a plain run that determines it.
    pub(crate) fn of(&self, test: &str, dop: Dop) -> Option<f64> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let plain = known.get(&(test.to_owned(), dop))?;
        model::capacity(plain).map(|place| plain[place].1)
    }
}

#[cfg(test)]
mod tests {
    use record::{Evidence, Finding, Nanos, Pace, Variation, Verdict};

    use super::*;
    use crate::pacing::tests::finished;

    #[test]
    fn the_capacity_is_that_of_the_same_test_at_the_same_degree() {
        let capacities = Capacities::default();
        for (jobs, steps) in [(4, 300), (4, 100), (4, 200), (8, 900)] {
            capacities.add(&finished("T611", jobs, steps));
        }
        assert_eq!(capacities.of("T611", Dop::jobs(4)), Some(200.0));
        assert_eq!(capacities.of("T611", Dop::jobs(8)), Some(900.0));
        assert_eq!((capacities.of("T611", Dop::jobs(2)), capacities.of("T616", Dop::jobs(4))), (None, None));
    }

    #[test]
    fn failed_steps_are_no_capacity() {
        let mut failing = finished("T611", 4, 100);
        failing.totals.failures.insert(record::FailureKind::Deadlock, 40);
        let capacities = Capacities::default();
        capacities.add(&failing);
        assert_eq!(capacities.of("T611", Dop::jobs(4)), Some(60.0));
    }

    #[test]
    fn runs_that_are_not_plain_tell_none_and_invalid_ones_only_where_all_are() {
        let capacities = Capacities::default();
        let invalid = Finding::new(Verdict::Fail, Evidence::Steal(None));
        capacities.add(&Run { findings: vec![invalid], ..finished("T611", 4, 900) });
        assert_eq!(capacities.of("T611", Dop::jobs(4)), Some(900.0));
        capacities.add(&Run { variation: Some(Variation::Traced), ..finished("T611", 4, 800) });
        let thinking = Pace::ThinkTime { think_ns: Nanos(1) };
        capacities.add(&Run { pace: thinking, ..finished("T611", 4, 700) });
        capacities.add(&finished("T611", 4, 100));
        assert_eq!(capacities.of("T611", Dop::jobs(4)), Some(100.0));
    }
}
