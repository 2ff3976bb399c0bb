//! The highest rate of arrivals at which a test keeps a service level of its response time.

use model::{Bound, BoundError, Purpose, RateSearch, Visit};
use record::{Pace, PlannedRun, Record, Run, Until, Variation};

use super::execution::{load, run_group};
use crate::bench::Bench;
use crate::item::Item;
use crate::kind::io::ProbeFiles;
use crate::pacing::{answered, check, is_paced, lengthened, say_purpose, search_rate, stage};
use crate::recorder::Recorder;
use crate::{Error, Event, Result};

/// What rates of a test are in.
const UNIT: &str = "steps/s";

/// Searches at every plain run of the plan, one after the other. Each rate is a run of its own, added to the plan when it
/// is decided; those that the record has already are not measured again.
///
/// # Errors
/// As for runs, and, after all searches, where a test gave nothing to begin with.
pub(crate) fn search_all(bench: &Bench<'_>, record: &mut Recorder, items: &[Item<'_>], wish: &Until) -> Result<()> {
    let bound: Bound =
        wish.level.parse().map_err(|error: BoundError| Error::user(error.to_string()).hint(BoundError::HINT))?;
    record.runs.iter().for_each(|run| bench.sources.capacities.remember(run));
    // Which rate is next follows from what was measured: one that was broken off is decided anew.
    record.unplan_runs(|planned, runs| {
        planned.variation.is_some() && runs.iter().all(|run| run.number != planned.number)
    })?;
    let plain: Vec<PlannedRun> =
        record.plan.runs.iter().filter(|planned| planned.variation.is_none()).cloned().collect();
    load(bench, record, &plain, items)?;
    let mut without: Vec<&str> = Vec::new();
    for planned in &plain {
        let item = items.iter().find(|item| item.code() == planned.test).copied();
        let item = item.ok_or_else(|| Error::user(format!("test {} of the plan is not known", planned.test)))?;
        if !search_one(bench, record, (item, planned), (wish, &bound))? {
            without.push(&planned.test);
        }
    }
    match without.is_empty() {
        true => Ok(()),
        false => Err(Error::environment(format!("{} gives nothing even as fast as possible", without.join(", ")))
            .hint("the run says why")),
    }
}

/// The search at one plain run; false where that run tells no capacity to begin with.
fn search_one(
    bench: &Bench<'_>,
    record: &mut Recorder,
    (item, plain): (Item<'_>, &PlannedRun),
    (wish, bound): (&Until, &Bound),
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
    note(format!("at most {capacity:.1} steps/s as fast as possible; searching the highest rate that keeps {bound}"));
    let mut search = RateSearch::new(capacity, wish.tolerance.0, bench.plan.seed);
    lengthened(bench.plan.window_ns, bound, search.bracketing().lowest(), UNIT).into_iter().for_each(note);
    let mut last = Purpose::Bracket;
    search_rate(&mut search, wish.arrival, &measured, &mut |pace, purpose, search| {
        if let Some(text) = stage(last, purpose, search, UNIT) {
            note(text);
        }
        last = purpose;
        let planned = next(record, plain, pace);
        record.plan_run(planned.clone())?;
        measure(&planned, record)?;
        record.change_run(|run| run.number == planned.number, |run| say_purpose(run, purpose))?;
        let visit = record.runs.iter().rev().find(|run| run.number == planned.number);
        let untold = Visit { rate: pace.rate().unwrap_or(0.0), kept: None, is_disturbed: false };
        Ok(visit.and_then(|run| model::visit(run, bound)).unwrap_or(untold))
    })?;
    let answered = answered(&search.answer(), bound, false);
    record.change_run(
        |run| is_ours(&run),
        |run| {
            if !run.findings.contains(&answered) {
                run.findings.push(answered);
            }
        },
    )?;
    Ok(true)
}

/// The next line of the plan: `plain` at a pace.
fn next(record: &Record, plain: &PlannedRun, pace: Pace) -> PlannedRun {
    let variation = Some(Variation::Paced { pace, one_thread_per_core: false });
    let same = |other: &&PlannedRun| (&other.test, other.dop, other.variation) == (&plain.test, plain.dop, variation);
    let repeat = 1 + record.plan.runs.iter().filter(same).count() as u32;
    let last = record.plan.runs.iter().map(|planned| planned.number).max().unwrap_or(0);
    PlannedRun { number: last + 1, variation, repeat, ..plain.clone() }
}
