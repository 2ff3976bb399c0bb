//! The search for the highest arrival rate at which a test meets a service level of its response time.

use model::{Bound, BoundError, Purpose, RateSearch, Visit};
use record::{Pace, PlannedRun, Record, Run, Until, Variation};

use super::execution::{load, run_group};
use crate::bench::Bench;
use crate::item::{self, Item};
use crate::kind::io::ProbeFiles;
use crate::pacing::{answer_finding, check, is_paced, longer_windows_note, phase_note, search_rate, set_purpose};
use crate::recorder::Recorder;
use crate::{Error, Event, Result};

/// Unit of the rates of a test.
const UNIT: &str = "steps/s";

/// Searches at every plain run of the plan, one after the other. Each rate is a run of its own, added to the plan when
/// it is decided; those that are already in the record are not repeated.
pub(crate) fn search_all(bench: &Bench<'_>, record: &mut Recorder, items: &[Item<'_>], until: &Until) -> Result<()> {
    let bound: Bound =
        until.level.parse().map_err(|error: BoundError| Error::user(error.to_string()).hint(BoundError::HINT))?;
    record.runs.iter().for_each(|run| bench.sources.capacities.add(run));
    // The next rate follows from the measurements: the rate of an aborted run is decided again.
    record.unplan_runs(|planned, runs| {
        planned.variation.is_some() && runs.iter().all(|run| run.number != planned.number)
    })?;
    let plain: Vec<PlannedRun> =
        record.plan.runs.iter().filter(|planned| planned.variation.is_none()).cloned().collect();
    load(bench, record, &plain, items)?;
    let mut failed: Vec<&str> = Vec::new();
    for planned in &plain {
        let item = item::find(items, &planned.test)?;
        if !search_one(bench, record, (item, planned), (until, &bound))? {
            failed.push(&planned.test);
        }
    }
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Error::environment(format!("{} completes nothing in a closed loop", failed.join(", ")))
            .hint("the failed run has the reason")),
    }
}

/// The search at one plain run; false if that run determines no capacity.
fn search_one(
    bench: &Bench<'_>,
    record: &mut Recorder,
    (item, plain): (Item<'_>, &PlannedRun),
    (until, bound): (&Until, &Bound),
) -> Result<bool> {
    let measure = |planned: &PlannedRun, record: &mut Recorder| {
        run_group(bench, record, item, std::slice::from_ref(planned), &mut ProbeFiles::default())
    };
    if record.runs.iter().all(|run| run.number != plain.number) {
        measure(plain, record)?;
    }
    let Some(capacity) = bench.sources.capacities.of(&plain.test, plain.dop) else { return Ok(false) };
    check(bench.plan.window_ns, &format!("test {}", plain.test), bound, capacity, UNIT)?;
    let is_ours = |run: &&Run| run.test == plain.test && run.dop == plain.dop && is_paced(run);
    let measured: Vec<Visit> = record.runs.iter().filter(is_ours).filter_map(|run| model::visit(run, bound)).collect();
    let note = |text: String| bench.listener.on_event(&Event::Note(&format!("{}: {text}", plain.test)));
    note(format!("closed loop: {capacity:.1} steps/s; searching for the highest rate that meets {bound}"));
    let mut search = RateSearch::new(capacity, until.tolerance.0, bench.plan.seed);
    longer_windows_note(bench.plan.window_ns, bound, search.bracketing().lowest(), UNIT).into_iter().for_each(note);
    let mut last = Purpose::Bracket;
    search_rate(&mut search, until.arrival, &measured, &mut |pace, purpose, search| {
        if let Some(text) = phase_note(last, purpose, search, UNIT) {
            note(text);
        }
        last = purpose;
        let planned = next(record, plain, pace);
        record.plan_run(planned.clone())?;
        measure(&planned, record)?;
        record.change_run(|run| run.number == planned.number, |run| set_purpose(run, purpose))?;
        let visit = record.runs.iter().rev().find(|run| run.number == planned.number);
        let unknown = Visit { rate: pace.rate().unwrap_or(0.0), kept: None, is_disturbed: false };
        Ok(visit.and_then(|run| model::visit(run, bound)).unwrap_or(unknown))
    })?;
    let answer_finding = answer_finding(&search.answer(), bound, false);
    record.change_run(
        |run| is_ours(&run),
        |run| {
            if !run.findings.contains(&answer_finding) {
                run.findings.push(answer_finding);
            }
        },
    )?;
    Ok(true)
}

/// The next planned run: `plain` at `pace`.
fn next(record: &Record, plain: &PlannedRun, pace: Pace) -> PlannedRun {
    let variation = Some(Variation::Paced { pace, one_thread_per_core: false });
    let same = |other: &&PlannedRun| (&other.test, other.dop, other.variation) == (&plain.test, plain.dop, variation);
    let repeat = 1 + record.plan.runs.iter().filter(same).count() as u32;
    let last = record.plan.runs.iter().map(|planned| planned.number).max().unwrap_or(0);
    PlannedRun { number: last + 1, variation, repeat, ..plain.clone() }
}
