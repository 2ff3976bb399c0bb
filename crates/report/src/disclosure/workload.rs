//! The workload.

use std::collections::BTreeSet;

use model::load::are_lines_found;
use record::{Pace, Record, WaitMethod};

use super::WITHOUT_ENGINE;
use super::field::{Field, applies, filled, tool};
use crate::figure::{count, duration};
use crate::load_beside::loads_text;
use crate::load_curve::other_loads;
use crate::repetition::sources;
use crate::words::{list, pace, pinning};

/// Tests that are named; more are counted.
const TESTS_NAMED_MAX: usize = 60;

pub(super) fn workload(record: &Record) -> Vec<Field> {
    let plan = &record.plan;
    let tests: BTreeSet<&str> = plan.runs.iter().map(|run| run.test.as_str()).collect();
    let mut named = list(tests.iter().take(TESTS_NAMED_MAX).map(|test| (*test).to_owned()));
    if tests.len() > TESTS_NAMED_MAX {
        named += &format!(" and {} others", tests.len() - TESTS_NAMED_MAX);
    }
    let jobs: BTreeSet<u32> = plan.runs.iter().map(|run| run.dop.jobs).collect();
    let threads: BTreeSet<u32> = plan.runs.iter().map(|run| run.dop.threads).collect();
    let numbers = |numbers: &BTreeSet<u32>| list(numbers.iter().map(u32::to_string));
    let model = match plan.pace {
        Pace::Unthrottled => pace(plan.pace),
        Pace::ThinkTime { .. } => format!("closed loop, {}", pace(plan.pace)),
        Pace::Rate { .. } | Pace::Poisson { .. } => format!("open loop, {}", pace(plan.pace)),
    };
    let engine = |text: &str| record.engine.is_some().then(|| text.to_owned());
    let unless = record.engine.is_none().then_some(WITHOUT_ENGINE);
    let (keys, no_keys) = match sources(record) {
        Ok(sources) => (Some(sources), String::new()),
        Err(reason) => (None, reason),
    };
    let working_set = record.runs.iter().filter_map(|run| run.data_bytes).max();
    let failed: u128 =
        record.runs.iter().flat_map(|run| run.totals.failures.values()).map(|count| u128::from(*count)).sum();
    vec![
        filled("generator", format!("dbdyno {}", record.tool.version)),
        tool("tests", Some(named), "the plan names none"),
        tool("mix requested and achieved", Some(mix(record)), "no run counted a transaction"),
        filled("load model", list([Some(model), other_loads(plan)].into_iter().flatten())),
        filled("degrees of parallelism", format!("jobs {}; threads {}", numbers(&jobs), numbers(&threads))),
        filled("CPU pinning", pinning(plan.placement)),
        filled("client threads", client_threads(record)),
        filled(
            "load beside",
            if plan.loads_beside.is_empty() { "none".to_owned() } else { loads_text(&plan.loads_beside) },
        ),
        applies(
            tool("seed of data and keys", (!are_lines_found(record)).then(|| plan.seed.to_string()), ""),
            Some("lines come from files, without random data"),
        ),
        applies(tool("distribution of keys", keys, no_keys), unless),
        filled("scale", format!("{} and {} rows", count(plan.small_rows), count(plan.large_rows))),
        applies(
            tool("working set", working_set.map(|size| format!("max {}", crate::figure::volume(size))), ""),
            Some("no test has tables"),
        ),
        applies(tool("isolation level", isolation(record), ""), unless),
        applies(tool("statements", engine("prepared once per session"), ""), unless),
        applies(tool("connections", engine("one per job, opened before the window, no pool"), ""), unless),
        filled(
            "think time",
            match plan.pace {
                Pace::ThinkTime { think_ns } => duration(think_ns),
                _ => "none".to_owned(),
            },
        ),
        filled("failed steps", failed.to_string()),
        filled(
            "deviation from a standard",
            "the tests are specific to dbdyno, not TPC benchmarks and not comparable with them",
        ),
    ]
}

/// The threads of dbdyno, and how they waited where several jobs shared them.
fn client_threads(record: &Record) -> String {
    let shared = record.runs.iter().filter_map(|run| run.client_threads);
    let numbers: BTreeSet<u32> = shared.clone().map(|client| client.threads).collect();
    match shared.map(|client| client.method).max() {
        None => "one for each job".to_owned(),
        Some(method) => {
            let method = if method == WaitMethod::IoUring { "io_uring" } else { "epoll" };
            format!("{}, shared by jobs where these are more, by {method}", list(numbers.iter().map(u32::to_string)))
        }
    }
}

/// The isolation level; sessions do not set one.
fn isolation(record: &Record) -> Option<String> {
    let engine = record.engine.as_ref()?;
    let settings = engine.settings.iter().filter(|setting| setting.name.contains("isolation"));
    let levels = list(settings.map(|setting| format!("{} = {}", setting.name, setting.value)));
    Some(if levels.is_empty() { "the default of the engine".to_owned() } else { levels })
}

/// The mix: each test runs one kind of transaction.
fn mix(record: &Record) -> String {
    let steps: u128 = record.runs.iter().map(|run| u128::from(run.totals.steps)).sum();
    let operations: u128 = record.runs.iter().map(|run| u128::from(run.totals.operations)).sum();
    format!("one kind of work per test; {steps} steps completed {operations} operations in the units of their tests")
}
