//! The measurement, and the correctness of results.

use model::Sheet;
use record::{Check, Outcome, Record, Run};

use super::WITHOUT_ENGINE;
use super::environment::checked;
use super::field::{Field, applies, filled, optional, tool};
use crate::figure::{duration, nanos};
use crate::inventory::durability;
use crate::words::{plural, preset};

pub(super) fn measurement(record: &Record, sheet: &Sheet) -> Vec<Field> {
    let plan = &record.plan;
    let runs = record.runs.len() as u64;
    let invalid: Vec<_> = record.runs.iter().filter(|run| model::is_invalid(run)).collect();
    let aborted = invalid.iter().filter(|run| run.outcome != Outcome::Done).count() as u64;
    let any = |of: fn(&Run) -> bool, text: &str| record.runs.iter().any(of).then(|| text.to_owned());
    let unfinished: u128 = record.runs.iter().map(|run| u128::from(run.totals.unfinished)).sum();
    let order = if plan.repeats > 1 {
        format!("randomized from seed {}", plan.seed)
    } else {
        "as in the plan, each run once: drift over time is confounded with the tests".to_owned()
    };
    let window = match crate::plan::ends_by_itself(plan) {
        true => "each run until completion, without a warm-up".to_owned(),
        false => format!("{} after {} warm-up", duration(plan.window_ns), duration(plan.warm_up_ns)),
    };
    vec![
        filled("preset", preset(plan.preset)),
        filled("window and warm-up", window),
        kept(record, tool("series per second", seconds(record), "no run has seconds")),
        filled(
            "steadiness",
            "verdict, counted seconds and class of each run: section \"Steadiness\"; the sheet has the figures of the whole window",
        ),
        applies(
            optional("checkpoints", checkpoints(record), "this engine does not count them"),
            record.engine.is_none().then_some(WITHOUT_ENGINE),
        ),
        filled(
            "runs",
            format!("{} in the record, {} of them invalid and {} aborted, none left out", runs, invalid.len(), aborted),
        ),
        filled(
            "repeats",
            format!("{} for each test and degree of parallelism; the run with the median rate is shown", plan.repeats),
        ),
        tool(
            "interval between runs",
            between_runs(sheet),
            match plan.repeats > 1 {
                true => "too few valid repeats; use --repeats 6",
                false if !record.plan.subject().properties().has_repeats => "one run each; measure more records",
                false => "one run each; use --repeats 6",
            },
        ),
        kept(
            record,
            tool(
                "latency",
                any(
                    |run| !run.service.histogram.is_empty(),
                    "histograms of service and response time, three significant digits",
                ),
                "the record has quantiles without histograms",
            ),
        ),
        kept(
            record,
            tool(
                "latency over time",
                any(
                    |run| run.slices.is_some(),
                    "histograms of response time for slices of the window, one significant digit",
                ),
                "not recorded by the version that wrote the record",
            ),
        ),
        filled(
            "coordinated omission",
            "response time counts from the intended start of a step; no correction afterwards",
        ),
        filled("steps not finished", unfinished.to_string()),
        filled("Little's law", checked(record, Check::LittlesLaw)),
        filled("CPU share of the load generator", checked(record, Check::ClientShare)),
        filled("order of runs", order),
        filled(
            "tool overhead",
            format!(
                "{} per step, {} per clock read",
                nanos(record.instrument.loop_step_ns),
                nanos(record.instrument.clock_read_ns)
            ),
        ),
    ]
}

/// A field that every newer record has; views that do not show it do not read it.
fn kept(record: &Record, field: Field) -> Field {
    let keeps = record.host.at_start.is_some() && field.value.is_err();
    if keeps { filled(field.name, "in the record, where windows are long enough") } else { field }
}

/// The runs with seconds. The page of a large record reads only those of the runs that it shows.
fn seconds(record: &Record) -> Option<String> {
    let has = |run: &&Run| !run.seconds.is_empty();
    let of = match record.runs.iter().filter(has).count() {
        0 => return None,
        all if all == record.runs.len() => "of every run",
        _ => "of the runs that are shown here",
    };
    Some(format!("{of} the whole window is in the record, without the warm-up"))
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

/// The number of tests with an interval between runs.
fn between_runs(sheet: &Sheet) -> Option<String> {
    let best = || sheet.lines.iter().filter_map(|line| line.best.as_ref());
    let known = best().filter(|best| best.interval.is_some()).count();
    let all = plural(best().count() as u64, "test");
    (known > 0)
        .then(|| format!("95 % interval of the median rate of the repeats, at the best degree of {known} of {all}"))
}

pub(super) fn correctness(record: &Record) -> Vec<Field> {
    vec![
        filled("results of statements", checked(record, Check::Answers)),
        filled("commits counted by dbdyno and by the engine", checked(record, Check::CommitCount)),
        filled("content of blocks", checked(record, Check::Content)),
        filled("failures", checked(record, Check::Failures)),
        optional(
            "consistency of the data afterwards",
            None,
            "results are checked in the warm-up; the whole data is not checked afterwards",
        ),
        filled("commits forced to stable storage", checked(record, Check::Durability)),
        filled("flushes", checked(record, Check::Flush)),
        applies(
            tool("durability by settings", record.engine.as_ref().map(durability), ""),
            record.engine.is_none().then_some(WITHOUT_ENGINE),
        ),
        optional("crash test", None, "none: no commit was proved to survive a crash"),
    ]
}
