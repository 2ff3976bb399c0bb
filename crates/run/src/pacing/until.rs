//! The highest rate of arrivals at which a test keeps a service level of its response time.

use std::path::Path;

use model::{Bound, BoundError};
use record::{Finding, Pace, PlannedRun, Record, Run, Until, Variation};

use super::search::{search, told};
use crate::execution::{load, run_group};
use crate::io::ProbeGround;
use crate::measurement::Bench;
use crate::plan::Item;
use crate::{Error, Event, Result};

/// Searches at every plain run of the plan, one after the other. Each rate is a run of its own, added to the plan when it
/// is decided; those that the record has already are not measured again.
///
/// # Errors
/// As for runs, and, after all searches, where a test gave nothing to begin with.
pub(crate) fn search_all(
    bench: &Bench<'_>,
    record: &mut Record,
    path: &Path,
    items: &[Item<'_>],
    wish: &Until,
) -> Result<()> {
    let bound: Bound =
        wish.level.parse().map_err(|error: BoundError| Error::user(error.to_string()).hint(BoundError::HINT))?;
    record.runs.iter().for_each(|run| bench.sources.capacities.remember(run));
    let Record { plan, runs, .. } = record;
    // Which rate is next follows from what was measured: one that was broken off is decided anew.
    plan.runs.retain(|planned| planned.variation.is_none() || runs.iter().any(|run| run.number == planned.number));
    let plain: Vec<PlannedRun> = plan.runs.iter().filter(|planned| planned.variation.is_none()).cloned().collect();
    load(bench, record, path, &plain, items)?;
    let mut without: Vec<&str> = Vec::new();
    for planned in &plain {
        let item = items.iter().find(|item| item.code() == planned.test).copied();
        let item = item.ok_or_else(|| Error::user(format!("test {} of the plan is not known", planned.test)))?;
        if !search_one(bench, record, path, (item, planned), (wish, &bound))? {
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
    record: &mut Record,
    path: &Path,
    (item, plain): (Item<'_>, &PlannedRun),
    (wish, bound): (&Until, &Bound),
) -> Result<bool> {
    let measure = |planned: &PlannedRun, record: &mut Record| {
        run_group(bench, record, path, item, std::slice::from_ref(planned), &mut ProbeGround::default())
    };
    if record.runs.iter().all(|run| run.number != plain.number) {
        measure(plain, record)?;
    }
    let Some(capacity) = bench.sources.capacities.of(&plain.test, plain.dop) else { return Ok(false) };
    let is_ours = |run: &&Run| run.test == plain.test && run.dop == plain.dop && is_paced(run);
    let measured: Vec<(f64, Option<bool>)> =
        record.runs.iter().filter(is_ours).filter_map(|run| told(run, bound)).collect();
    bench.listener.hear(&Event::Note(&format!(
        "{}: at most {capacity:.1} steps/s as fast as possible; searching the highest rate that keeps {bound}",
        plain.test
    )));
    search(capacity, wish.arrival, wish.tolerance.0, &measured, &mut |pace| {
        let planned = next(record, plain, pace);
        record.plan.runs.push(planned.clone());
        measure(&planned, record)?;
        let run = record.runs.iter().rev().find(|run| run.number == planned.number);
        Ok(run.and_then(|run| told(run, bound)?.1))
    })?;
    Ok(true)
}

/// What is to be said of the service level in `run`, where it is one of a search.
pub(crate) fn level(bench: &Bench<'_>, run: &Run) -> Option<Finding> {
    let until = bench.plan.until.as_ref().filter(|_| is_paced(run))?;
    model::level_finding(run, &until.level)
}

fn is_paced(run: &Run) -> bool {
    matches!(run.variation, Some(Variation::Paced { .. }))
}

/// The next line of the plan: `plain` at a pace.
fn next(record: &Record, plain: &PlannedRun, pace: Pace) -> PlannedRun {
    let variation = Some(Variation::Paced { pace, one_thread_per_core: false });
    let same = |other: &&PlannedRun| (&other.test, other.dop, other.variation) == (&plain.test, plain.dop, variation);
    let repeat = 1 + record.plan.runs.iter().filter(same).count() as u32;
    let last = record.plan.runs.iter().map(|planned| planned.number).max().unwrap_or(0);
    PlannedRun { number: last + 1, variation, repeat, ..plain.clone() }
}
