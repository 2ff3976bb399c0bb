//! What was run.

use std::collections::BTreeSet;

use record::{Pace, Record};

use super::{Field, never, told, tool};
use crate::figure::{count, duration};
use crate::words::{list, pace, placement};

/// Tests that are named; of a record with more the others are counted.
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
        Pace::AsFastAsPossible | Pace::ThinkTime { .. } => "closed",
        Pace::Rate { .. } | Pace::Poisson { .. } => "open",
    };
    let engine = |text: &str| record.engine.is_some().then(|| text.to_owned());
    let without = "only probes were run, without an engine";
    let working_set = record.runs.iter().filter_map(|run| run.data_bytes).max();
    let failed: u128 =
        record.runs.iter().flat_map(|run| run.totals.failures.values()).map(|count| u128::from(*count)).sum();
    vec![
        told("generator", format!("dbdyno {}", record.tool.version)),
        tool("tests", Some(named), "the plan names none"),
        tool("mix requested and achieved", Some(mix(record)), "no run counted a transaction"),
        told("load model", format!("{model} loop, {}", pace(plan.pace))),
        told("degrees of parallelism", format!("jobs {}; threads {}", numbers(&jobs), numbers(&threads))),
        told("placement of jobs", placement(plan.placement)),
        told("seed of data and keys", plan.seed.to_string()),
        never(
            "distribution of keys",
            "it stands in the test files of this version of dbdyno; the record does not hold it",
        ),
        told("scale", format!("{} and {} rows", count(plan.small_rows), count(plan.large_rows))),
        tool(
            "working set",
            working_set.map(|size| format!("{} at most", crate::figure::volume(size))),
            "no test has tables",
        ),
        never(
            "isolation level",
            "it is that of the settings of the engine; the record holds it where it differs from the default",
        ),
        tool("statements", engine("prepared once for each session"), without),
        tool("connections", engine("one for each job, opened before the window, no pool"), without),
        told(
            "think time",
            match plan.pace {
                Pace::ThinkTime { think_ns } => duration(think_ns),
                _ => "none".to_owned(),
            },
        ),
        told("failed steps", failed.to_string()),
        told(
            "deviation from a standard",
            "the tests are those of dbdyno: none of them is a TPC benchmark or comparable with one",
        ),
    ]
}

/// Each test runs one kind of transaction: what was asked for is what was done, less what failed.
fn mix(record: &Record) -> String {
    let steps: u128 = record.runs.iter().map(|run| u128::from(run.totals.steps)).sum();
    let operations: u128 = record.runs.iter().map(|run| u128::from(run.totals.operations)).sum();
    format!(
        "each test is one kind of work; {steps} steps carried out {operations} operations in the units of their tests"
    )
}
