//! How it was measured, whether results were right, and what the environment did meanwhile.

use std::collections::BTreeMap;

use model::Sheet;
use record::{Check, Outcome, Preset, Record, Run, Verdict};

use super::{Field, never, publisher, told, tool};
use crate::figure::{duration, nanos};
use crate::inventory::durability;
use crate::words::{list, plural, preset, verdict};

pub(super) fn measurement(record: &Record, sheet: &Sheet) -> Vec<Field> {
    let plan = &record.plan;
    let runs = record.runs.len() as u64;
    let void: Vec<_> = record.runs.iter().filter(|run| model::is_void(run)).collect();
    let broken = void.iter().filter(|run| run.outcome != Outcome::Done).count() as u64;
    let any = |of: fn(&Run) -> bool, text: &str| record.runs.iter().any(of).then(|| text.to_owned());
    let unfinished: u128 = record.runs.iter().map(|run| u128::from(run.totals.unfinished)).sum();
    let order = if plan.repeats > 1 {
        format!("drawn by lot from seed {}", plan.seed)
    } else {
        "as in the plan, each run once: what drifts over the hour looks like a property of a test".to_owned()
    };
    vec![
        told("preset", preset(plan.preset)),
        told("window and warm-up", format!("{} after {}", duration(plan.window_ns), duration(plan.warm_up_ns))),
        tool("series per second", seconds(record), "no run has seconds"),
        told(
            "steadiness",
            "verdict, counted seconds and class for each run: section \"Verdicts\"; the figures of the sheet are those of the whole window",
        ),
        never("checkpoints", "counted by some engines, see the record; their interval is not recorded"),
        told(
            "runs",
            format!("{} in the record, {} of them void and {} broken off, none left out", runs, void.len(), broken),
        ),
        told(
            "repeats",
            format!("{} for each test and degree of parallelism; the run with the median rate speaks", plan.repeats),
        ),
        tool(
            "interval between runs",
            between_runs(sheet),
            if plan.repeats > 1 { "too few valid repeats; --repeats 6" } else { "one run each; --repeats 6" },
        ),
        tool(
            "latency",
            any(|run| !run.service.histogram.is_empty(), "histograms of service and response time, three digits"),
            "the record has quantiles without histograms",
        ),
        tool(
            "latency over time",
            any(|run| run.slices.is_some(), "histograms of response time for slices of the window, one digit"),
            "not kept by the version that wrote it",
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
        never("consistency of the data afterwards", "it is not checked"),
        told("commits forced to stable storage", checked(record, Check::Durability)),
        told("flushes", checked(record, Check::Flush)),
        tool(
            "durability by settings",
            record.engine.as_ref().map(durability),
            "only probes were run, without an engine",
        ),
        never("crash test", "none was made: no commit was proved to survive a crash"),
    ]
}

pub(super) fn environment(record: &Record) -> Vec<Field> {
    let clock = record.instrument.clock_source.clone().or_else(|| record.host.kernel.clock_source.clone());
    let smoke = record.plan.preset == Preset::Smoke;
    let mut fields = vec![
        told("time given to others by the hypervisor", checked(record, Check::Steal)),
        told("quota of the control group", checked(record, Check::Throttling)),
        told("swapping", checked(record, Check::Swapping)),
        told("stalls of the generator", checked(record, Check::Stall)),
        told("sessions of others", checked(record, Check::OtherSessions)),
        told("page cache", checked(record, Check::PageCache)),
        told("levels of the rate", checked(record, Check::RateLevels)),
        tool("clock source", clock, "the kernel does not say"),
        never("pressure stall information", "dbdyno does not record it"),
        never("clock frequency and temperature over time", "dbdyno does not record them"),
        never("kernel messages before and after", "dbdyno does not record them"),
        never("probes before and after", "probes are run once in a record"),
        publisher("what else ran on the machine and its storage"),
    ];
    if smoke {
        fields.push(told("warning", "preset smoke: its figures mean nothing"));
    }
    fields
}

/// What `check` said of all runs: `pass in 70 runs, warn in 2 runs`.
fn checked(record: &Record, check: Check) -> String {
    let mut counts: BTreeMap<Verdict, u64> = BTreeMap::new();
    for finding in record.runs.iter().flat_map(|run| &run.findings).filter(|finding| finding.check == check) {
        *counts.entry(finding.verdict).or_default() += 1;
    }
    let said = list(counts.iter().map(|(found, runs)| format!("{} in {}", verdict(*found), plural(*runs, "run"))));
    if said.is_empty() { "does not apply to any run".to_owned() } else { said }
}
