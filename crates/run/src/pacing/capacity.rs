//! What plain runs reached, and which pace a share of it is.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use record::{Dop, Pace, PlannedRun, Resource, Run, Variation};

use crate::bench::Bench;
use crate::{Error, Result};

/// Whether a plain run is invalid, and its steps per second.
type Rated = (bool, f64);

/// The steps per second of plain runs, by test and degree of parallelism.
#[derive(Default)]
pub(crate) struct Capacities(Mutex<BTreeMap<(String, Dop), Vec<Rated>>>);

impl Capacities {
    /// Notes `run` where it is one that tells a capacity.
    pub(crate) fn remember(&self, run: &Run) {
        let Some(rate) = model::steps_per_second(run).filter(|_| model::tells_capacity(run)) else { return };
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry((run.test.clone(), run.dop)).or_default().push((model::is_invalid(run), rate.0));
    }

    /// Steps per second that `test` reaches at `dop` as fast as possible; none where no plain run has told.
    pub(crate) fn of(&self, test: &str, dop: Dop) -> Option<f64> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let plain = known.get(&(test.to_owned(), dop))?;
        model::capacity(plain).map(|place| plain[place].1)
    }
}

/// When the steps of `planned` are due; as in plain runs where that is not known, see [`is_known`].
pub(crate) fn pace(bench: &Bench<'_>, planned: &PlannedRun) -> Pace {
    match planned.variation {
        Some(Variation::Paced { pace, .. }) => pace,
        Some(Variation::ShareOfCapacity { share }) => bench
            .sources
            .capacities
            .of(&planned.test, planned.dop)
            .map_or(bench.plan.pace, |capacity| Pace::Poisson { steps_per_second: capacity * share }),
        Some(Variation::Perturbed { resource: Resource::ArrivalRate, share }) => slower(bench.plan.pace, share),
        _ => bench.plan.pace,
    }
}

/// `pace` with a share of its arrivals.
fn slower(pace: Pace, share: f64) -> Pace {
    match pace {
        Pace::Rate { steps_per_second } => Pace::Rate { steps_per_second: steps_per_second * share },
        Pace::Poisson { steps_per_second } => Pace::Poisson { steps_per_second: steps_per_second * share },
        other => other,
    }
}

/// Whether the pace of `run` is what was asked for.
///
/// # Errors
/// Where it is a share of a capacity that nothing has told.
pub(crate) fn is_known(bench: &Bench<'_>, run: &Run) -> Result<()> {
    let Some(Variation::ShareOfCapacity { share }) = run.variation else { return Ok(()) };
    match bench.sources.capacities.of(&run.test, run.dop) {
        Some(_) => Ok(()),
        None => Err(Error::environment(format!(
            "{:.0} % of nothing: no plain run of test {} at this degree of parallelism has a rate",
            share * 100.0,
            run.test
        ))
        .hint("the plain run says why; give a rate in steps per second instead")),
    }
}

#[cfg(test)]
mod tests {
    use record::{Evidence, Finding, Nanos, Verdict};

    use super::*;
    use crate::pacing::sweep::tests::finished;

    #[test]
    fn the_capacity_is_that_of_the_same_test_at_the_same_degree() {
        let capacities = Capacities::default();
        for (jobs, steps) in [(4, 300), (4, 100), (4, 200), (8, 900)] {
            capacities.remember(&finished("T611", jobs, steps));
        }
        assert_eq!(capacities.of("T611", Dop::jobs(4)), Some(200.0));
        assert_eq!(capacities.of("T611", Dop::jobs(8)), Some(900.0));
        assert_eq!((capacities.of("T611", Dop::jobs(2)), capacities.of("T616", Dop::jobs(4))), (None, None));
    }

    #[test]
    fn runs_that_are_not_plain_tell_none_and_invalid_ones_only_where_all_are() {
        let capacities = Capacities::default();
        let invalid = Finding::new(Verdict::Fail, Evidence::Steal(None));
        capacities.remember(&Run { findings: vec![invalid], ..finished("T611", 4, 900) });
        assert_eq!(capacities.of("T611", Dop::jobs(4)), Some(900.0));
        capacities.remember(&Run { variation: Some(Variation::Traced), ..finished("T611", 4, 800) });
        let thinking = Pace::ThinkTime { think_ns: Nanos(1) };
        capacities.remember(&Run { pace: thinking, ..finished("T611", 4, 700) });
        capacities.remember(&finished("T611", 4, 100));
        assert_eq!(capacities.of("T611", Dop::jobs(4)), Some(100.0));
    }
}
