//! The highest rate that keeps a service level.

use model::{Bound, BoundError, Purpose, RateSearch, Visit};
use record::{IoPhase, Nanos, Pace, Until};

use super::phase::{Frame, PhaseContext, measure_phase};
use crate::bench::Bench;
use crate::pacing::{self, answered, lengthened, needed, say_purpose, search_rate, stage};
use crate::recorder::Recorder;
use crate::run::keep;
use crate::{Error, Event, Result};

/// What rates of I/O are in.
const UNIT: &str = "I/Os per second";

/// Measures `phase`, which has one job, at rates until the highest one is found that keeps the level and is confirmed to.
/// Every measurement goes into `record`; the last one says what the search came to.
///
/// # Errors
/// As for a run, and where the closed loop gives nothing to begin with.
pub(crate) fn until(
    bench: &Bench<'_>,
    context: &mut PhaseContext<'_>,
    phase: &IoPhase,
    wish: &Until,
    record: &mut Recorder,
) -> Result<()> {
    let bound: Bound =
        wish.level.parse().map_err(|error: BoundError| Error::user(error.to_string()).hint(BoundError::HINT))?;
    let window_ns = phase.jobs.iter().filter_map(|job| job.run_time).max().unwrap_or_default();
    let mut number = 0;
    let mut one = |pace: Pace, window_ns: Option<Nanos>| {
        number += 1;
        let mut phase = phase.clone();
        for job in &mut phase.jobs {
            job.pace = pace;
            job.run_time = window_ns.or(job.run_time);
        }
        let bound = pace.rate().map(|_| wish.level.clone());
        measure_phase(bench, context, &phase, number, Frame { bound, ..Frame::of(&phase) })
    };
    let closed = one(Pace::AsFastAsPossible, None)?;
    let capacity = model::row(&closed).operations_per_second.filter(|rate| rate.0 > 0.0);
    let failure = keep(bench, record, closed)?;
    let Some(capacity) = capacity.filter(|_| failure.is_none()).map(|rate| rate.0) else {
        return Err(Error::environment("the job gives nothing even as fast as possible").hint("the run says why"));
    };
    pacing::check(window_ns, "the job", &bound, capacity, UNIT)?;
    let note = |text: String| bench.listener.on_event(&Event::Note(&text));
    note(format!("at most {capacity:.1} {UNIT} as fast as possible; searching the highest rate that keeps {bound}"));
    let mut search = RateSearch::new(capacity, wish.tolerance.0, bench.plan.seed);
    lengthened(window_ns, &bound, search.bracketing().lowest(), UNIT).into_iter().for_each(note);
    let mut last = Purpose::Bracket;
    search_rate(&mut search, wish.arrival, &[], &mut |pace, purpose, search| {
        stage(last, purpose, search, UNIT).into_iter().for_each(note);
        last = purpose;
        let rate = pace.rate().unwrap_or(0.0);
        let mut run = one(pace, Some(needed(window_ns, &bound, rate)))?;
        say_purpose(&mut run, purpose);
        let visit = model::visit(&run, &bound).unwrap_or(Visit { rate, kept: None, is_disturbed: false });
        let mut ahead = search.clone();
        ahead.record(visit);
        if ahead.next().is_none() {
            run.findings.push(answered(&ahead.answer(), &bound, true));
        }
        keep(bench, record, run)?;
        Ok(visit)
    })
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
