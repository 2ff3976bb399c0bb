//! The findings of the self-checks, and their meaning.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use maud::{Markup, html};
use record::{Check, Dop, Outcome, Record, Run, Skipped, Verdict};

use super::explanation;
use super::table::{Cell, Column, Row, Table};
use crate::finding::{finding_text, remedy};
use crate::layout::clean;
use crate::words::{check, degrees, plural};

/// Tests that are named beside a finding; more are counted.
const TESTS_NAMED_MAX: usize = 12;

/// Different sentences that are quoted for one check and verdict.
const DETAILS_MAX: usize = 2;

/// A verdict as a word with its colour.
pub(super) fn word(verdict: Verdict) -> Markup {
    let (class, word) = match verdict {
        Verdict::Pass => ("word pass", "valid"),
        Verdict::Unknown => ("word unknown", "not all checked"),
        Verdict::Warn => ("word warn", "warning"),
        Verdict::Fail => ("word fail", "invalid"),
    };
    html! { span class=(class) { (word) } }
}

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
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for run in &record.runs {
        *counts.entry(model::doubt(run)).or_default() += 1;
    }
    html! {
        (record.runs.len()) (if record.runs.len() == 1 { " run: " } else { " runs: " })
        @for (index, (verdict, count)) in counts.iter().enumerate() {
            @if index > 0 { ", " } (count) " " (word(*verdict))
        }
        "."
    }
}

fn findings(record: &Record) -> Markup {
    let found = not_passed(record);
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
    for ((verdict, about), findings) in found.iter().rev() {
        let details = html! {
            @for detail in &findings.details { span class="finding" { (clean(detail)) } br; }
            @if findings.details_left_out > 0 { span class="aside" { "and " (findings.details_left_out) " more with other figures" } }
        };
        table.rows.push(Row::new(vec![
            Cell::text(about.map_or("aborted", check)),
            Cell::Markup(word(*verdict)),
            Cell::Markup(details),
            Cell::text(tests(findings)),
            Cell::text(match about {
                None => explanation::ABORTED.to_owned(),
                Some(check) => format!("{} Remedy: {}.", explanation::meaning(*check), remedy(*check)),
            }),
        ]));
    }
    html! {
        @if table.rows.is_empty() { p { "All checks that could be made passed." } }
        (table.html())
    }
}

/// The findings that are no pass, by verdict and check.
fn not_passed(record: &Record) -> BTreeMap<(Verdict, Option<Check>), Findings<'_>> {
    let mut all: BTreeMap<(Verdict, Option<Check>), Findings<'_>> = BTreeMap::new();
    for run in &record.runs {
        if let Outcome::Failed { message } = &run.outcome {
            add(all.entry((Verdict::Fail, None)).or_default(), run, message.into());
        }
        for finding in run.findings.iter().filter(|finding| finding.verdict != Verdict::Pass) {
            let detail = finding_text(finding).into();
            add(all.entry((finding.verdict, Some(finding.check()))).or_default(), run, detail);
        }
    }
    all
}

fn add<'a>(findings: &mut Findings<'a>, run: &'a Run, detail: Cow<'a, str>) {
    findings.runs += 1;
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
