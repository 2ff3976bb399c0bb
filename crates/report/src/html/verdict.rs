//! The findings of the self-checks, and their meaning.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use maud::{Markup, html};
use model::Warning;
use record::{Check, Dop, Record, Run, Skipped, Verdict, WarningSubject};

use super::explanation;
use crate::finding::remedy;
use crate::layout::clean;
use crate::render::page::{Cell, Column, Row, Table};
use crate::verdict::word;
use crate::warning::{instance_text, subject};
use crate::words::{check, degrees, plural};

/// Tests that are named beside a finding; more are counted.
const TESTS_NAMED_MAX: usize = 12;

/// Different sentences that are quoted for one check and verdict.
const DETAILS_MAX: usize = 2;

/// The findings of several runs by the same check with the same verdict.
#[derive(Default)]
struct Findings<'a> {
    details: Vec<Cow<'a, str>>,
    details_left_out: usize,
    tests: Vec<(&'a str, BTreeSet<Dop>)>,
    /// The index of a test in `tests`.
    indexes: HashMap<&'a str, usize>,
    runs: usize,
}

/// Runs by verdict, findings by check with their meaning, passed checks, skipped tests.
pub(super) fn verdicts(record: &Record) -> Markup {
    if record.runs.is_empty() {
        return Markup::default();
    }
    html! {
        p { (counts(record)) " An invalid run is never shown as a result; a run with warnings has its caveats here." }
        (findings(record))
        (passed(record))
        (skipped(&record.plan.skipped))
    }
}

/// The number of runs by verdict, in a sentence.
fn counts(record: &Record) -> Markup {
    let found = model::run_counts(record);
    let verdicts = [Verdict::Pass, Verdict::Unknown, Verdict::Warn, Verdict::Fail];
    let counts = verdicts.map(|verdict| (verdict, found.with(verdict))).into_iter().filter(|(_, count)| *count > 0);
    html! {
        (record.runs.len()) (if record.runs.len() == 1 { " run: " } else { " runs: " })
        @for (index, (verdict, count)) in counts.enumerate() {
            @if index > 0 { ", " } (count) " " (word(verdict))
        }
        "."
    }
}

fn findings(record: &Record) -> Markup {
    let found = model::warnings(record);
    let mut table = Table::new(
        "findings",
        "Warnings, by severity",
        &[
            Column::text("check"),
            Column::text("verdict"),
            Column::text("finding"),
            Column::text("tests"),
            Column::text("meaning"),
        ],
    );
    for warning in &found {
        let findings = Findings::of(record, warning);
        let details = html! {
            @for detail in &findings.details { span class="finding" { (clean(detail)) } br; }
            @if findings.details_left_out > 0 { span class="aside" { "and " (findings.details_left_out) " more with other figures" } }
        };
        table.rows.push(Row::new(vec![
            Cell::text(subject(warning.subject)),
            Cell::Markup(word(warning.verdict)),
            Cell::Markup(details),
            Cell::text(tests(&findings)),
            Cell::text(match warning.subject {
                WarningSubject::Abort => explanation::ABORTED.to_owned(),
                WarningSubject::Gain => explanation::GAIN.to_owned(),
                WarningSubject::Drift => explanation::DRIFT.to_owned(),
                WarningSubject::State => explanation::STATE.to_owned(),
                WarningSubject::Check(check) => format!("{} Remedy: {}.", explanation::meaning(check), remedy(check)),
            }),
        ]));
    }
    html! {
        @if table.rows.is_empty() { p { "All checks that could be made passed." } }
        (table.html())
    }
}

impl<'a> Findings<'a> {
    fn of(record: &Record, warning: &Warning<'a>) -> Findings<'a> {
        let mut findings = Findings::default();
        for instance in &warning.instances {
            add(&mut findings, instance.run, instance_text(record, warning.subject, instance));
        }
        Findings { runs: warning.run_count(), ..findings }
    }
}

fn add<'a>(findings: &mut Findings<'a>, run: &'a Run, detail: Cow<'a, str>) {
    if !findings.details.contains(&detail) {
        if findings.details.len() < DETAILS_MAX {
            findings.details.push(detail)
        } else {
            findings.details_left_out += 1
        }
    }
    let index = *findings.indexes.entry(&run.test).or_insert(findings.tests.len());
    if index == findings.tests.len() {
        findings.tests.push((&run.test, BTreeSet::new()));
    }
    findings.tests[index].1.insert(run.dop);
}

/// The tests of the findings, with their degrees of parallelism where they are few.
fn tests(findings: &Findings<'_>) -> String {
    let named = findings.tests.iter().take(TESTS_NAMED_MAX).map(|(test, dops)| match findings.tests.len() {
        1..=3 => format!("{} at {}", clean(test), degrees(&dops.iter().copied().collect::<Vec<Dop>>())),
        _ => clean(test),
    });
    let mut tests = named.collect::<Vec<_>>().join(if findings.tests.len() <= 3 { "; " } else { ", " });
    if findings.tests.len() > TESTS_NAMED_MAX {
        tests += &format!(" and {} other tests", findings.tests.len() - TESTS_NAMED_MAX);
    }
    format!("{tests} ({})", plural(findings.runs as u64, "run"))
}

/// Passed checks, with their number of runs.
fn passed(record: &Record) -> Markup {
    let mut passed: BTreeMap<Check, usize> = BTreeMap::new();
    for finding in record.runs.iter().flat_map(|run| &run.findings).filter(|finding| finding.verdict == Verdict::Pass) {
        *passed.entry(finding.check()).or_default() += 1;
    }
    let mut table = Table::new(
        "passed",
        "Passed checks",
        &[Column::text("check"), Column::figures("runs"), Column::text("meaning of a failure")],
    );
    for (about, runs) in &passed {
        table.rows.push(Row::new(vec![
            Cell::text(check(*about)),
            Cell::Figure(runs.to_string(), Some(*runs as f64)),
            Cell::text(explanation::meaning(*about)),
        ]));
    }
    html! {
        @if !passed.is_empty() {
            details { summary { "Passed checks: " (passed.len()) } (table.html()) }
        }
    }
}

fn skipped(skipped: &[Skipped]) -> Markup {
    let mut table = Table::new("skipped", "Requested and not run", &[Column::text("test"), Column::text("why")]);
    table.rows = skipped
        .iter()
        .map(|skipped| Row::new(vec![Cell::text(clean(&skipped.test)), Cell::text(clean(&skipped.reason))]))
        .collect();
    table.html()
}
