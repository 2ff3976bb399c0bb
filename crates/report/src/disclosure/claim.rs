//! Identity, models, price, claims, artefact and deviations.

use std::collections::BTreeMap;

use model::{Derived, Limiter, RULES, TimeClassName};
use record::{Build, Preset, Record, Status};

use super::Modelled;
use super::field::{Field, applies, filled, optional, publisher, tool};
use super::hardware::old;
use crate::kind::Kind;
use crate::limit;
use crate::options::SheetOptions;
use crate::words::{list, plural, preset, status};

pub(super) fn identity(record: &Record, options: &SheetOptions<'_>) -> Vec<Field> {
    let build = record.tool.build.as_ref();
    vec![
        filled("tool", format!("dbdyno {}", record.tool.version)),
        revision(record),
        tool("build", built(record), old(record, "not known to the program")),
        tool(
            "SHA-256 of the program",
            build.and_then(|build| build.program_sha256.clone()),
            old(record, "the program could not read itself"),
        ),
        filled("started", record.started_at.0.clone()),
        tool("ended", record.ended_at.as_ref().map(|ended| ended.0.clone()), "the measurement did not finish"),
        filled("name of the record", record.id.clone()),
        optional(
            "SHA-256 of the record",
            options.record_sha256.map(str::to_owned),
            "the record is too large to be hashed, or was not read from a file",
        ),
        publisher("signature of the record"),
        publisher("tester"),
        publisher("sponsor"),
        publisher("funding, relation to a vendor"),
    ]
}

/// The source revision of the program.
fn revision(record: &Record) -> Field {
    const NAME: &str = "source revision of the tool";
    let Some(build) = &record.tool.build else { return tool(NAME, None, old(record, "not recorded")) };
    match (&build.commit, build.clean) {
        (None, _) => tool(NAME, None, "dbdyno was built outside of a git tree"),
        (Some(commit), Some(true)) => filled(NAME, format!("{commit}, without changes")),
        (Some(commit), _) => tool(NAME, None, format!("dbdyno was built from {commit} with uncommitted changes")),
    }
}

/// How the program was built.
fn built(record: &Record) -> Option<String> {
    let parts = |build: &Build| [build.compiler.clone(), build.platform.clone(), build.flags.clone()];
    let optimised = if record.tool.optimised { "optimised" } else { "not optimised: figures mean nothing" };
    let build = record.tool.build.as_ref()?;
    build.flags.as_ref()?;
    Some(list([optimised.to_owned()].into_iter().chain(parts(build).into_iter().flatten())))
}

pub(super) fn models(record: &Record, modelled: &Modelled<'_>) -> Vec<Field> {
    vec![
        filled("estimated figures", estimates(modelled)),
        applies(
            tool("bottleneck, with evidence", bottlenecks(modelled), ""),
            Some("no test of this record has a valid run"),
        ),
        filled(
            "thresholds of the checks",
            format!("this report uses rules {}; the record does not state the rules of its findings", RULES.version),
        ),
        filled("runs used by models", format!("{} runs, without invalid ones", record.runs.len())),
    ]
}

/// The figures that the page marks as an ESTIMATE.
fn estimates(modelled: &Modelled<'_>) -> String {
    let points = modelled.sheet.lines.iter().flat_map(|line| [&line.speed, &line.best]).flatten();
    let fibonacci =
        points.filter(|point| matches!(point.derived, Some(Derived::FibonacciSeconds { estimated: true, .. })));
    let calls = (fibonacci.count() > 0)
        .then(|| "ESTIMATE: seconds of fibonacci(39) from the calls per second at another n (T151)".to_owned());
    let fits = (modelled.estimates > 0).then(|| {
        let charts = plural(modelled.estimates as u64, "chart");
        format!("ESTIMATE: peak, ceiling or fitted curve beyond the measurements in {charts} of throughput")
    });
    let all = [calls, fits].into_iter().flatten().collect::<Vec<_>>().join("; ");
    let rest = "fitted curves and their bands are marked and are not measurements; limits and gains say whether they are \
                bounds, estimates or measured";
    if all.is_empty() {
        format!("none: every figure is measured; {rest}")
    } else {
        format!("{all}; all other figures are measured; {rest}")
    }
}

/// The limits of the best runs, with the number of tests.
fn bottlenecks(modelled: &Modelled<'_>) -> Option<String> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for found in &modelled.limiters {
        *counts.entry(limiter(found)).or_default() += 1;
    }
    let limits = list(counts.iter().map(|(limiter, tests)| format!("{limiter} in {}", plural(*tests, "test"))));
    let evidence =
        "an estimate where no proof says that it is measured; use of each capacity: section \"Limits and ceilings\"";
    (!counts.is_empty()).then(|| format!("{limits}; {evidence}"))
}

fn limiter(limiter: &Limiter) -> String {
    match limiter {
        Limiter::Processors => "processors".to_owned(),
        Limiter::OtherPrograms { .. } => "CPU used by other programs".to_owned(),
        Limiter::Resource(name) => limit::resource(name),
        Limiter::OneThread { .. } => "one thread".to_owned(),
        Limiter::WakeUps(_) => limit::time_class(TimeClassName::WakeUps).to_owned(),
        Limiter::Offered => "the target rate".to_owned(),
        Limiter::TooFewClients { .. } => "client-bound".to_owned(),
        Limiter::Serialised(class) => limit::time_class(class.name).to_owned(),
        Limiter::Unexplained => "unexplained".to_owned(),
    }
}

pub(super) fn price(options: &SheetOptions<'_>) -> Vec<Field> {
    let Some(book) = options.prices else {
        return vec![optional("price book", None, "no prices were given (--prices FILE)")];
    };
    let lines = list(book.items.iter().map(|item| item.name.clone()));
    vec![
        filled("price book", format!("{}, {}, {}", book.source, book.date, book.currency)),
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
            "figures of valid runs, with test, degree of parallelism, service time, dbdyno {} and {}; comparison with \
             another system only for the same test, data size and durability; never \"up to\"",
            record.tool.version, record.started_at
        )
    };
    vec![
        filled("permitted claims", allowed),
        filled("not comparable with", "TPC or SPEC results: similar tests are neither audited nor comparable"),
    ]
}

pub(super) fn artefact(record: &Record, options: &SheetOptions<'_>) -> Vec<Field> {
    vec![
        filled("command to show all figures", format!("dbdyno report {}", options.path)),
        repeated(record),
        publisher("archive with a DOI"),
        publisher("reproduced by"),
        filled("status", status(record.status)),
    ]
}

/// The command that repeats the measurement.
fn repeated(record: &Record) -> Field {
    const NAME: &str = "one command that repeats the measurement";
    match (Kind::of(record).repetition)(record) {
        Ok(command) => filled(NAME, command),
        Err(reason) => optional(NAME, None, reason),
    }
}

pub(super) fn deviations(record: &Record) -> Vec<Field> {
    let plan = &record.plan;
    let skipped = list(plan.skipped.iter().map(|skipped| format!("{} skipped ({})", skipped.test, skipped.reason)));
    let unfinished = (record.status != Status::Finished)
        .then(|| format!("{} after {} of {} runs", status(record.status), record.runs.len(), plan.runs.len()));
    let short = (plan.preset != Preset::Publish).then(|| format!("preset {} instead of publish", preset(plan.preset)));
    let files =
        (!plan.test_files.is_empty()).then(|| format!("user-defined test files: {}", plan.test_files.join(", ")));
    let all = list([unfinished, short, files, Some(skipped)].into_iter().flatten());
    vec![filled("deviations", if all.is_empty() { "none".to_owned() } else { all })]
}
