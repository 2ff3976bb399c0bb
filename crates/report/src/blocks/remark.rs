//! Remarks about single runs: why a run ended early, and why it read cached blocks.

use record::{CacheState, RandomBlocks, Record, Run};

use super::valid;
use crate::figure::{count, duration, three_digits};
use crate::words::plural;

/// Operations of each session that end a cold run before its time; none where the time ends runs, or where the count
/// was requested.
pub(super) fn operations_at_most(record: &Record, run: &Run, blocks: &RandomBlocks) -> Option<u64> {
    let is_requested = run.parameters.get("work_loop").is_none_or(|count| *count != 0);
    let steps = record.plan.steps.filter(|_| blocks.caches == CacheState::Cold && !is_requested)?;
    Some(steps.saturating_mul(blocks.operations_per_step))
}

/// The planned length: time, or number of operations.
pub(crate) fn extent(record: &Record) -> String {
    let plan = &record.plan;
    let first = record.runs.iter().find_map(|run| Some((run, run.blocks.as_deref()?)));
    let at_most = first.and_then(|(run, blocks)| operations_at_most(record, run, blocks));
    match (plan.steps, at_most) {
        (_, Some(operations)) => format!(
            "{} or {} of each session, whichever comes first",
            duration(plan.window_ns),
            plural(operations, "operation")
        ),
        (Some(steps), None) => format!("{} for each session", plural(steps, "step")),
        (None, _) => format!("{} after {} warm-up", duration(plan.window_ns), duration(plan.warm_up_ns)),
    }
}

/// Sentences about single runs.
pub(super) fn remarks(record: &Record) -> Vec<String> {
    let of_run = |(run, blocks)| ended(record, run, blocks).into_iter().chain(read_though_preloaded(run));
    valid(record).flat_map(of_run).collect()
}

/// A cold run that ended because no block was left to visit.
fn ended(record: &Record, run: &Run, blocks: &RandomBlocks) -> Option<String> {
    let steps = record.plan.steps.filter(|_| operations_at_most(record, run, blocks).is_some())?;
    if run.totals.steps < steps.saturating_mul(run.dop.jobs.into()) {
        return None;
    }
    let operations = run.totals.operations;
    let noun = if operations == 1 { "operation" } else { "operations" };
    Some(format!(
        "run {} ended after {} {noun} in {}, before its time: an eighth of the blocks is visited, each once",
        run.number,
        count(operations),
        duration(run.window_ns)
    ))
}

/// A run that read although all blocks were in the cache, with the reason as far as it is known.
fn read_though_preloaded(run: &Run) -> Option<String> {
    let reads = model::reads_though_filled(run)?;
    let why = match model::only_visits(run) {
        Some(true) => "not all of them stayed there, or other sessions were active in the engine",
        _ => "with updates an engine may read back log, undo and changed pages; which of these it read is not counted",
    };
    Some(format!(
        "run {} had {} reads per operation although every block was in the engine's cache at its start: {why}",
        run.number,
        three_digits(reads)
    ))
}
