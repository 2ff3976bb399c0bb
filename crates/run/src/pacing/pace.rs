//! The pace of a run, and the seed of its keys and arrivals.

use measure::RunSeed;
use record::{Pace, PlannedRun, Resource, Run, Variation};

use crate::bench::Bench;
use crate::{Error, Result};

/// The seed of all random streams of `run` in a plan with seed `plan`: a repeat with the same draw would find the blocks of the run
/// before it in the caches, and confirm nothing. It depends only on the number of the run, so that a resumed plan draws the
/// same, and both sides of a pair do.
pub(crate) fn run_seed(plan: u64, run: &Run) -> RunSeed {
    RunSeed { plan, run: run.number }
}

/// The pace of `planned`; that of plain runs if it is unknown, see [`check_capacity`].
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

/// `pace` with a share of its rate.
fn slower(pace: Pace, share: f64) -> Pace {
    match pace {
        Pace::Rate { steps_per_second } => Pace::Rate { steps_per_second: steps_per_second * share },
        Pace::Poisson { steps_per_second } => Pace::Poisson { steps_per_second: steps_per_second * share },
        other => other,
    }
}

/// Checks that the requested pace of `run` is known.
pub(crate) fn check_capacity(bench: &Bench<'_>, run: &Run) -> Result<()> {
    let Some(Variation::ShareOfCapacity { share }) = run.variation else { return Ok(()) };
    match bench.sources.capacities.of(&run.test, run.dop) {
        Some(_) => Ok(()),
        None => Err(Error::environment(format!(
            "{:.0} % of an unknown capacity: no plain run of test {} at this degree of parallelism has a rate",
            share * 100.0,
            run.test
        ))
        .hint("the plain run has the reason; give a rate in steps per second instead")),
    }
}

#[cfg(test)]
mod tests {
    use measure::Purpose;

    use super::*;
    use crate::pacing::tests::finished;

    #[test]
    fn every_run_draws_its_own() {
        let seed = |number: u32, variation: Option<Variation>| {
            run_seed(7, &Run { number, variation, ..finished("T611", 4, 100) }).stream(Purpose::Keys, 0)
        };
        let pace = Pace::Poisson { steps_per_second: 500.0 };
        for variation in [
            None,
            Some(Variation::Traced),
            Some(Variation::Paced { pace, one_thread_per_core: false }),
            Some(Variation::ShareOfCapacity { share: 0.5 }),
        ] {
            assert_ne!(seed(2, variation), seed(3, variation), "{variation:?}");
            assert_eq!(seed(2, variation), seed(2, variation), "a resumed plan draws the same");
        }
    }
}
