//! How it was measured, and whether results were right.

use model::Sheet;
use record::{Check, Outcome, PlanSubject, Record, Run};

use super::WITHOUT_ENGINE;
use super::environment::checked;
use super::field::{Field, applies, beyond, told, tool};
use crate::figure::{duration, nanos};
use crate::inventory::durability;
use crate::words::{plural, preset};

pub(super) fn measurement(record: &Record, sheet: &Sheet) -> Vec<Field> {
    let plan = &record.plan;
    let runs = record.runs.len() as u64;
    let invalid: Vec<_> = record.runs.iter().filter(|run| model::is_invalid(run)).collect();
    let broken = invalid.iter().filter(|run| run.outcome != Outcome::Done).count() as u64;
    let any = |of: fn(&Run) -> bool, text: &str| record.runs.iter().any(of).then(|| text.to_owned());
    let unfinished: u128 = record.runs.iter().map(|run| u128::from(run.totals.unfinished)).sum();
    let order = if plan.repeats > 1 {
        format!("drawn by lot from seed {}", plan.seed)
    } else {
        "as in the plan, each run once: what drifts over the hour looks like a property of a test".to_owned()
    };
    let window = match crate::plan::ends_by_itself(plan) {
        true => "each run to the end of what it moves, without a warm-up".to_owned(),
        false => format!("{} after {}", duration(plan.window_ns), duration(plan.warm_up_ns)),
    };
    vec![
        told("preset", preset(plan.preset)),
        told("window and warm-up", window),
        kept(record, tool("series per second", seconds(record), "no run has seconds")),
        told(
            "steadiness",
            "verdict, counted seconds and class for each run: section \"Verdicts\"; the figures of the sheet are those of the whole window",
        ),
        applies(
            beyond("checkpoints", checkpoints(record), "this engine does not count them"),
            record.engine.is_none().then_some(WITHOUT_ENGINE),
        ),
        told(
            "runs",
            format!(
                "{} in the record, {} of them invalid and {} broken off, none left out",
                runs,
                invalid.len(),
                broken
            ),
        ),
        told(
            "repeats",
            format!("{} for each test and degree of parallelism; the run with the median rate speaks", plan.repeats),
        ),
        tool(
            "interval between runs",
            between_runs(sheet),
            match plan.repeats > 1 {
                true => "too few valid repeats; --repeats 6",
                false if !has_repeats(record) => "one run each; make more records",
                false => "one run each; --repeats 6",
            },
        ),
        kept(
            record,
            tool(
                "latency",
                any(|run| !run.service.histogram.is_empty(), "histograms of service and response time, three digits"),
                "the record has quantiles without histograms",
            ),
        ),
        kept(
            record,
            tool(
                "latency over time",
                any(|run| run.slices.is_some(), "histograms of response time for slices of the window, one digit"),
                "not kept by the version that wrote it",
            ),
        ),
        told("coordinated omission", "response time counts from when a step was due; nothing is corrected afterwards"),
        told("steps not finished", unfinished.to_string()),
        told("Little's law", checked(record, Check::LittlesLaw)),
        told("share of the generator", checked(record, Check::ClientShare)),
        told("order of runs", order),
        told(
            "cost of the instrument",
            format!(
                "{} a step, {} a reading of the clock",
                nanos(record.instrument.loop_step_ns),
                nanos(record.instrument.clock_read_ns)
            ),
        ),
    ]
}

/// Whether the command that made the record can repeat what it measures.
fn has_repeats(record: &Record) -> bool {
    !matches!(record.plan.subject(), PlanSubject::Load | PlanSubject::Streams)
}

/// What every record keeps that knows the machine at its start; a view that does not draw it does not read it.
fn kept(record: &Record, field: Field) -> Field {
    let keeps = record.host.at_start.is_some() && field.value.is_err();
    if keeps { told(field.name, "in the record, as far as windows last long enough") } else { field }
}

/// Of how many runs the seconds are there. The page of a large record reads those of the runs that it draws.
fn seconds(record: &Record) -> Option<String> {
    let has = |run: &&Run| !run.seconds.is_empty();
    let of = match record.runs.iter().filter(has).count() {
        0 => return None,
        all if all == record.runs.len() => "of every run",
        _ => "of the runs that are drawn here",
    };
    Some(format!("{of} the whole window is in the record; the warm-up is not"))
}

/// Checkpoints in the windows of all runs, where the engine counts them.
fn checkpoints(record: &Record) -> Option<String> {
    let counts = |run: &Run| {
        let names = run.readings.first()?.values.keys().filter(|name| name.ends_with("_checkpoint_count"));
        names.filter_map(|name| model::delta(run, name)).reduce(|sum, count| sum + count)
    };
    let known: Vec<(u64, f64)> =
        record.runs.iter().filter_map(|run| Some((counts(run)?, run.window_ns.seconds()))).collect();
    let (all, seconds) = known.iter().fold((0, 0.0), |(all, time), (count, window)| (all + count, time + window));
    let interval = if all > 0 { format!(", one in {:.0} s", seconds / all as f64) } else { String::new() };
    let runs = plural(known.len() as u64, "run");
    (!known.is_empty()).then(|| format!("{all} in the windows of {runs}{interval}"))
}

/// Of how many tests there is an interval between runs.
fn between_runs(sheet: &Sheet) -> Option<String> {
    let best = || sheet.lines.iter().filter_map(|line| line.best.as_ref());
    let known = best().filter(|best| best.interval.is_some()).count();
    let all = plural(best().count() as u64, "test");
    (known > 0)
        .then(|| format!("95 % interval of the median rate of the repeats, at the best degree of {known} of {all}"))
}

pub(super) fn correctness(record: &Record) -> Vec<Field> {
    vec![
        told("answers of statements", checked(record, Check::Answers)),
        told("commits here and in the engine", checked(record, Check::CommitCount)),
        told("content of blocks", checked(record, Check::Content)),
        told("failures", checked(record, Check::Failures)),
        beyond(
            "consistency of the data afterwards",
            None,
            "answers are checked in the warm-up, and all of the data afterwards are not",
        ),
        told("commits forced to stable storage", checked(record, Check::Durability)),
        told("flushes", checked(record, Check::Flush)),
        applies(
            tool("durability by settings", record.engine.as_ref().map(durability), ""),
            record.engine.is_none().then_some(WITHOUT_ENGINE),
        ),
        beyond("crash test", None, "none was made: no commit was proved to survive a crash"),
    ]
}
