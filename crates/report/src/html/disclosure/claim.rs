//! Who measured, what is estimated, what it costs, what may be claimed, and how to repeat it.

use std::collections::BTreeMap;

use model::{Derived, Limiter, RULES};
use record::{Build, Preset, Record, Status};

use super::super::PageOptions;
use super::Modelled;
use super::field::{Field, applies, beyond, publisher, told, tool};
use super::hardware::old;
use super::repetition::command;
use crate::words::{list, plural, preset, status};

pub(super) fn identity(record: &Record, options: &PageOptions<'_>) -> Vec<Field> {
    let build = record.tool.build.as_ref();
    vec![
        told("tool", format!("dbdyno {}", record.tool.version)),
        revision(record),
        tool("build", built(record), old(record, "the program does not know it")),
        tool(
            "SHA-256 of the program",
            build.and_then(|build| build.program_sha256.clone()),
            old(record, "the program could not read itself"),
        ),
        told("begun", record.started_at.0.clone()),
        tool("ended", record.ended_at.as_ref().map(|ended| ended.0.clone()), "the measurement did not end by itself"),
        told("name of the record", record.id.clone()),
        beyond(
            "SHA-256 of the record",
            options.record_sha256.map(str::to_owned),
            "the record is too large to be read twice, or was not read from a file",
        ),
        publisher("signature of the record"),
        publisher("tester"),
        publisher("sponsor"),
        publisher("who paid, relation to a vendor"),
    ]
}

/// The sources that the program was built from.
fn revision(record: &Record) -> Field {
    const NAME: &str = "source revision of the tool";
    let Some(build) = &record.tool.build else { return tool(NAME, None, old(record, "it was not noted")) };
    match (&build.commit, build.clean) {
        (None, _) => tool(NAME, None, "dbdyno was built outside of a git tree"),
        (Some(commit), Some(true)) => told(NAME, format!("{commit}, without changes")),
        (Some(commit), _) => {
            tool(NAME, None, format!("dbdyno was built from {commit} with changes that are in no commit"))
        }
    }
}

/// How the program was built.
fn built(record: &Record) -> Option<String> {
    let said = |build: &Build| [build.compiler.clone(), build.platform.clone(), build.flags.clone()];
    let optimised = if record.tool.optimised { "optimised" } else { "not optimised: figures mean nothing" };
    let build = record.tool.build.as_ref()?;
    build.flags.as_ref()?;
    Some(list([optimised.to_owned()].into_iter().chain(said(build).into_iter().flatten())))
}

pub(super) fn models(record: &Record, modelled: &Modelled<'_>) -> Vec<Field> {
    vec![
        told("estimated figures", estimates(modelled)),
        applies(
            tool("bottleneck, with evidence", bottlenecks(modelled), ""),
            Some("no test of this record has a valid run that could say"),
        ),
        told(
            "thresholds of the checks",
            format!("drawn under rules {}; the record does not say under which its findings were made", RULES.version),
        ),
        told("runs that models use", format!("{} runs, invalid ones never", record.runs.len())),
    ]
}

/// What on the page is marked as an ESTIMATE.
fn estimates(modelled: &Modelled<'_>) -> String {
    let points = modelled.sheet.lines.iter().flat_map(|line| [&line.speed, &line.best]).flatten();
    let fibonacci =
        points.filter(|point| matches!(point.derived, Some(Derived::FibonacciSeconds { estimated: true, .. })));
    let calls = (fibonacci.count() > 0)
        .then(|| "ESTIMATE: seconds of fibonacci(39) from the calls per second at another n (T151)".to_owned());
    let fits = (modelled.estimates > 0).then(|| {
        let charts = plural(modelled.estimates as u64, "chart");
        format!("ESTIMATE: peak, ceiling or fitted curve beyond what was measured in {charts} of throughput")
    });
    let all = [calls, fits].into_iter().flatten().collect::<Vec<_>>().join("; ");
    let rest = "fitted curves and their bands are drawn as such and are not measurements";
    if all.is_empty() {
        format!("none: every figure is measured; {rest}")
    } else {
        format!("{all}; all other figures are measured; {rest}")
    }
}

/// What limits the best runs of the tests: how many by what.
fn bottlenecks(modelled: &Modelled<'_>) -> Option<String> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for (_, _, found) in modelled.limited {
        *counts.entry(limiter(&found.limiter)).or_default() += 1;
    }
    let said = list(counts.iter().map(|(limiter, tests)| format!("{limiter} in {}", plural(*tests, "test"))));
    let evidence = "use of each capacity: section \"Efficiency against the ceilings\"";
    (!counts.is_empty()).then(|| format!("{said}; {evidence}"))
}

fn limiter(limiter: &Limiter) -> String {
    match limiter {
        Limiter::Processors => "processors".to_owned(),
        Limiter::OtherPrograms { .. } => "processors that other programs used".to_owned(),
        Limiter::Resource(name) => name.clone(),
        Limiter::OneThread { .. } => "one thread".to_owned(),
        Limiter::Offered => "the rate that was asked for".to_owned(),
        Limiter::TooFewClients { .. } => "too few clients".to_owned(),
        Limiter::Serialised(class) => format!("waits for {}", class.name),
        Limiter::Unexplained => "nothing that was measured".to_owned(),
    }
}

pub(super) fn price(options: &PageOptions<'_>) -> Vec<Field> {
    let Some(book) = options.prices else {
        return vec![beyond("price book", None, "no prices were given (--prices FILE)")];
    };
    let lines = list(book.items.iter().map(|item| item.name.clone()));
    vec![
        told("price book", format!("{}, {}, {}", book.source, book.date, book.currency)),
        tool("lines", Some(lines), "the price book has no lines"),
        publisher("availability date of all parts"),
    ]
}

pub(super) fn claims(record: &Record) -> Vec<Field> {
    let smoke = record.plan.preset == Preset::Smoke;
    let allowed = if smoke || !record.tool.optimised {
        "none: figures of this record mean nothing".to_owned()
    } else {
        format!(
            "figures of valid runs, with test, degree of parallelism, service time, dbdyno {} and {}; beside a figure of \
             another system only at the same test, data size and durability; never \"up to\"",
            record.tool.version, record.started_at
        )
    };
    vec![
        told("what may be said", allowed),
        told(
            "not to be mistaken for",
            "results of TPC or SPEC: tests that resemble theirs are neither audited nor comparable",
        ),
    ]
}

pub(super) fn artefact(record: &Record, options: &PageOptions<'_>) -> Vec<Field> {
    vec![
        told("all figures again", format!("dbdyno report {}", options.place)),
        repeated(record),
        publisher("archive with a DOI"),
        publisher("reproduced by"),
        told("status", status(record.status)),
    ]
}

/// The command that does it again.
fn repeated(record: &Record) -> Field {
    const NAME: &str = "one command that repeats the measurement";
    match command(record) {
        Ok(command) => told(NAME, command),
        Err(reason) => beyond(NAME, None, reason),
    }
}

pub(super) fn deviations(record: &Record) -> Vec<Field> {
    let plan = &record.plan;
    let skipped = list(plan.skipped.iter().map(|skipped| format!("{} skipped ({})", skipped.test, skipped.reason)));
    let unfinished = (record.status != Status::Finished)
        .then(|| format!("{} after {} of {} runs", status(record.status), record.runs.len(), plan.runs.len()));
    let short = (plan.preset != Preset::Publish).then(|| format!("preset {} instead of publish", preset(plan.preset)));
    let files =
        (!plan.test_files.is_empty()).then(|| format!("test files of the user: {}", plan.test_files.join(", ")));
    let all = list([unfinished, short, files, Some(skipped)].into_iter().flatten());
    vec![told("deviations", if all.is_empty() { "none".to_owned() } else { all })]
}
