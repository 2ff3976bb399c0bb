//! The search for the highest rate that meets a service level.

use model::{Bound, BoundError, Purpose, RateSearch, Visit};
use record::{IoPhase, Nanos, Pace, Until};

use super::phase::measure_phase;
use super::phase_context::{PhaseContext, PhaseRun};
use crate::bench::Bench;
use crate::pacing::{self, answer_finding, longer_windows_note, phase_note, search_rate, set_purpose, window_for};
use crate::recorder::Recorder;
use crate::run::keep;
use crate::{Error, Event, Result};

/// Unit of the rates.
const UNIT: &str = "I/Os per second";

/// Measures `phase`, which has one job, at rates until the highest one that meets the level is found and confirmed.
/// Every measurement is added to `record`; the last one has the answer of the search.
pub(crate) fn until(
    bench: &Bench<'_>,
    context: &mut PhaseContext<'_>,
    phase: &IoPhase,
    until: &Until,
    record: &mut Recorder,
) -> Result<()> {
    let bound: Bound =
        until.level.parse().map_err(|error: BoundError| Error::user(error.to_string()).hint(BoundError::HINT))?;
    let window_ns = phase.jobs.iter().filter_map(|job| job.run_time).max().unwrap_or_default();
    let mut number = 0;
    let mut one = |pace: Pace, window_ns: Option<Nanos>| {
        number += 1;
        let mut phase = phase.clone();
        for job in &mut phase.jobs {
            job.pace = pace;
            job.run_time = window_ns.or(job.run_time);
        }
        let bound = pace.rate().map(|_| until.level.clone());
        measure_phase(bench, context, &phase, number, PhaseRun { bound, pace: Some(pace), ..PhaseRun::of(&phase) })
    };
    let closed = one(Pace::Unthrottled, None)?;
    let capacity = model::row(&closed).operations_per_second.filter(|rate| rate.0 > 0.0);
    let failure = keep(bench, record, closed)?;
    let Some(capacity) = capacity.filter(|_| failure.is_none()).map(|rate| rate.0) else {
        return Err(
            Error::environment("the job completes nothing in a closed loop").hint("the failed run has the reason")
        );
    };
    pacing::check(window_ns, "the job", &bound, capacity, UNIT)?;
    let note = |text: String| bench.listener.on_event(&Event::Note(&text));
    note(format!("closed loop: {capacity:.1} {UNIT}; searching for the highest rate that meets {bound}"));
    let mut search = RateSearch::new(capacity, until.tolerance.0, bench.plan.seed);
    longer_windows_note(window_ns, &bound, search.bracketing().lowest(), UNIT).into_iter().for_each(note);
    let mut last = Purpose::Bracket;
    search_rate(&mut search, until.arrival, &[], &mut |pace, purpose, search| {
        phase_note(last, purpose, search, UNIT).into_iter().for_each(note);
        last = purpose;
        let rate = pace.rate().unwrap_or(0.0);
        let mut run = one(pace, Some(window_for(window_ns, &bound, rate)))?;
        set_purpose(&mut run, purpose);
        let visit = model::visit(&run, &bound).unwrap_or(Visit { rate, kept: None, is_disturbed: false });
        let mut ahead = search.clone();
        ahead.record(visit);
        if ahead.next().is_none() {
            run.findings.push(answer_finding(&ahead.answer(), &bound, true));
        }
        match keep(bench, record, run)? {
            // The next one would find the same device, and the same agents.
            Some(message) => Err(Error::environment(message)),
            None => Ok(visit),
        }
    })
}

/// Checks that `plan` is suitable for a rate search.
pub(crate) fn check(plan: &record::IoPlan) -> Result<()> {
    match plan.phases.as_slice() {
        [phase] if phase.jobs.len() == 1 => Ok(()),
        phases => {
            let jobs: usize = phases.iter().map(|phase| phase.jobs.len()).sum();
            Err(Error::user(format!("--until searches the rate of one job; the plan has {jobs}"))
                .hint("give a job file with one job, or the job on the command line"))
        }
    }
}
