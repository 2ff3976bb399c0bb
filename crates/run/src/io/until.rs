//! The highest rate that keeps a service level.

use model::Answer;
use record::{IoPhase, Outcome, Pace, Run};

use super::phase::{Frame, Rig, measure_phase};
use super::request::Until;
use crate::measurement::Bench;
use crate::pacing::search;
use crate::{Error, Result};

/// Measures `phase`, which has one job, at rates until the highest one is found that keeps the level. Every
/// measurement is handed to `keep`.
///
/// # Errors
/// As for a run, and where the closed loop gives nothing to begin with.
pub(crate) fn until(
    bench: &Bench<'_>,
    rig: &mut Rig<'_>,
    phase: &IoPhase,
    wish: &Until,
    keep: &mut dyn FnMut(Run) -> Result<()>,
) -> Result<Option<Answer>> {
    let mut number = 0;
    let mut one = |pace: Pace, bound: Option<String>| {
        number += 1;
        let mut phase = phase.clone();
        phase.jobs.iter_mut().for_each(|job| job.pace = pace);
        measure_phase(bench, rig, &phase, number, Frame { test: phase.name.clone(), bound, ..Frame::default() })
    };
    let closed = one(Pace::AsFastAsPossible, None)?;
    let capacity = model::row(&closed).operations_per_second.filter(|rate| rate.0 > 0.0);
    let failed = closed.outcome != Outcome::Done;
    keep(closed)?;
    let Some(capacity) = capacity.filter(|_| !failed) else { return Ok(None) };
    search(capacity.0, wish.arrival, wish.tolerance, &mut |pace| {
        let run = one(pace, Some(wish.bound.to_string()))?;
        let kept = model::keeps_level(&run, &wish.bound);
        keep(run)?;
        Ok(kept)
    })
    .map(Some)
}

/// Whether `plan` is one that a rate can be searched for.
///
/// # Errors
/// Where it has more than one job.
pub(crate) fn check(plan: &record::IoPlan) -> Result<()> {
    match plan.phases.as_slice() {
        [phase] if phase.jobs.len() == 1 => Ok(()),
        phases => {
            let jobs: usize = phases.iter().map(|phase| phase.jobs.len()).sum();
            Err(Error::user(format!("--until searches the rate of one job; there are {jobs}"))
                .hint("give a job file with one job, or the job on the command line"))
        }
    }
}
