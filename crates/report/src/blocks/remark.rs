//! What the figures of single runs do not say by themselves: what ended a run, and why it read.

use record::{CacheState, RandomBlocks, Record, Run};

use super::valid;
use crate::figure::{count, duration, three_digits};
use crate::words::plural;

/// Operations of each session that end a cold run before its time does; none where the time ends runs, or where the count
/// was asked for.
pub(super) fn operations_at_most(record: &Record, run: &Run, blocks: &RandomBlocks) -> Option<u64> {
    let is_asked_for = run.parameters.get("work_loop").is_none_or(|count| *count != 0);
    let steps = record.plan.steps.filter(|_| blocks.caches == CacheState::Cold && !is_asked_for)?;
    Some(steps.saturating_mul(blocks.operations_per_step))
}

/// What `record` was to be: how long, or how many operations.
pub(crate) fn extent(record: &Record) -> String {
    let plan = &record.plan;
    let first = record.runs.iter().find_map(|run| Some((run, run.blocks.as_deref()?)));
    let at_most = first.and_then(|(run, blocks)| operations_at_most(record, run, blocks));
    match (plan.steps, at_most) {
        (_, Some(operations)) => format!(
            "{} or {} of each session, whichever is sooner",
            duration(plan.window_ns),
            plural(operations, "operation")
        ),
        (Some(steps), None) => format!("{} for each session", plural(steps, "step")),
        (None, _) => format!("{} after {} of warm-up", duration(plan.window_ns), duration(plan.warm_up_ns)),
    }
}

/// Sentences about single runs.
pub(crate) fn remarks(record: &Record) -> Vec<String> {
    let of_run = |(run, blocks)| ended(record, run, blocks).into_iter().chain(read_though_filled(run));
    valid(record).flat_map(of_run).collect()
}

/// That a cold run ended because there was nothing left to visit.
fn ended(record: &Record, run: &Run, blocks: &RandomBlocks) -> Option<String> {
    let steps = record.plan.steps.filter(|_| operations_at_most(record, run, blocks).is_some())?;
    if run.totals.steps < steps.saturating_mul(run.dop.jobs.into()) {
        return None;
    }
    let operations = run.totals.operations;
    let noun = if operations == 1 { "operation" } else { "operations" };
    Some(format!(
        "run {} ended after {} {noun} in {}, not by its time: an eighth of the blocks is visited, each once",
        run.number,
        count(operations),
        duration(run.window_ns)
    ))
}

/// That a run read what was in the cache already, as far as it is known why.
fn read_though_filled(run: &Run) -> Option<String> {
    let reads = model::reads_though_filled(run)?;
    let why = match model::only_visits(run) {
        Some(true) => "not all of them stayed there, or others were at work in the engine",
        _ => {
            "with updates an engine may read back its log, what it keeps to undo changes, and pages that were changed; \
             which of these it read is not counted"
        }
    };
    Some(format!(
        "run {} had {} reads an operation although every block was in the engine's cache when it began: {why}",
        run.number,
        three_digits(reads)
    ))
}
