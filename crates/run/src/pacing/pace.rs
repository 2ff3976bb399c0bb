//! The pace of a run, and the seed of its keys and arrivals.

use record::{Pace, PlannedRun, Resource, Run, Variation};

use crate::bench::Bench;
use crate::{Error, Result};

/// Difference of the seeds of two runs: odd, with bits all over.
const SEED_STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// The seed of the keys and arrivals of `run` in a plan with `seed`. Plain runs have that of the plan. Each run of a
/// sweep or a search has one of its own, so that a repeated rate has other keys and arrivals: a confirmation with the
/// same draw, or with the blocks of the previous run cached, confirms nothing. It depends only on the number of the
/// run, so that a resumed plan has the same figures.
pub(crate) fn run_seed(seed: u64, run: &Run) -> u64 {
    match run.variation {
        Some(Variation::Paced { .. } | Variation::ShareOfCapacity { .. }) => {
            seed.wrapping_add(u64::from(run.number).wrapping_mul(SEED_STEP))
        }
        _ => seed,
    }
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
///
/// # Errors
/// Where it is a share of an unknown capacity.
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
    use super::*;
    use crate::pacing::tests::finished;

    fn seed_of(number: u32, variation: Option<Variation>) -> u64 {
        run_seed(7, &Run { number, variation, ..finished("T611", 4, 100) })
    }

    #[test]
    fn a_repeated_rate_has_other_arrivals() {
        let pace = Pace::Poisson { steps_per_second: 500.0 };
        let paced = Some(Variation::Paced { pace, one_thread_per_core: false });
        let share = Some(Variation::ShareOfCapacity { share: 0.5 });
        assert_ne!(seed_of(2, paced), seed_of(3, paced));
        assert_ne!(seed_of(2, share), seed_of(3, share));
        assert_eq!(seed_of(2, paced), seed_of(2, paced), "a resumed search draws the same");
    }

    #[test]
    fn plain_runs_and_those_that_repeat_them_draw_from_the_seed_of_the_plan() {
        assert_eq!((seed_of(2, None), seed_of(3, None)), (7, 7));
        assert_eq!(seed_of(3, Some(Variation::Traced)), 7);
    }
}
