//! What the self-checks say, and what that means for the reader.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use maud::{Markup, html};
use record::{Check, Dop, Outcome, Record, Run, Skipped, Verdict};

use super::explanation;
use super::table::{Cell, Column, Row, Table};
use crate::finding::finding_text;
use crate::layout::clean;
use crate::plan::degrees;
use crate::words::check;

/// Tests that are named beside a finding; the others are counted.
const TESTS_NAMED_MAX: usize = 12;

/// Different sentences that are quoted of one check and one verdict.
const DETAILS_MAX: usize = 2;

/// A verdict as a word, beside its colour.
pub(super) fn word(verdict: Verdict) -> Markup {
    let (class, word) = match verdict {
        Verdict::Pass => ("word pass", "valid"),
        Verdict::Unknown => ("word unknown", "not all checked"),
        Verdict::Warn => ("word warn", "in doubt"),
        Verdict::Fail => ("word fail", "invalid"),
    };
    html! { span class=(class) { (word) } }
}

/// What several runs say of the same check with the same verdict.
#[derive(Default)]
struct Said<'a> {
    details: Vec<Cow<'a, str>>,
    details_left_out: usize,
    tests: Vec<(&'a str, BTreeSet<Dop>)>,
    /// Where a test stands in `tests`.
    places: HashMap<&'a str, usize>,
    runs: usize,
}

/// Runs by verdict, findings by check with what they mean, checks that found nothing, tests that were skipped.
/// `counts` is what [`counts`] says.
pub(super) fn verdicts(record: &Record, counts: &Markup) -> Markup {
    if record.runs.is_empty() {
        return Markup::default();
    }
    html! {
        p { (counts) " An invalid run is never drawn as a result; one in doubt is to be read with what is said here." }
        (findings(record))
        (passed(record))
        (skipped(&record.plan.skipped))
    }
}

/// How many runs got which verdict, in a sentence.
pub(super) fn counts(record: &Record) -> Markup {
    let mut counts: BTreeMap<Verdict, usize> = BTreeMap::new();
    for run in &record.runs {
        *counts.entry(model::row(run).verdict).or_default() += 1;
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
    let said = said(record);
    let mut table = Table::new(
        "findings",
        "What is not simply right, the gravest first",
        &[
            Column::text("check"),
            Column::text("verdict"),
            Column::text("what was found"),
            Column::text("where"),
            Column::text("what it means"),
        ],
    );
    for ((verdict, about), said) in said.iter().rev() {
        let found = html! {
            @for detail in &said.details { span class="finding" { (clean(detail)) } br; }
            @if said.details_left_out > 0 { span class="aside" { "and " (said.details_left_out) " more in their own figures" } }
        };
        table.rows.push(Row::new(vec![
            Cell::text(about.map_or("broke off", check)),
            Cell::Markup(word(*verdict)),
            Cell::Markup(found),
            Cell::text(places(said)),
            Cell::text(about.map_or(explanation::ABORTED, explanation::meaning)),
        ]));
    }
    html! {
        @if table.rows.is_empty() { p { "Every check that could be made found the runs right." } }
        (table.html())
    }
}

/// What is not a pass, by verdict and check.
fn said(record: &Record) -> BTreeMap<(Verdict, Option<Check>), Said<'_>> {
    let mut all: BTreeMap<(Verdict, Option<Check>), Said<'_>> = BTreeMap::new();
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

fn add<'a>(said: &mut Said<'a>, run: &'a Run, detail: Cow<'a, str>) {
    said.runs += 1;
    if !said.details.contains(&detail) {
        if said.details.len() < DETAILS_MAX { said.details.push(detail) } else { said.details_left_out += 1 }
    }
    let place = *said.places.entry(&run.test).or_insert(said.tests.len());
    if place == said.tests.len() {
        said.tests.push((&run.test, BTreeSet::new()));
    }
    said.tests[place].1.insert(run.dop);
}

/// The tests that something is said of, with their degrees where they are few.
fn places(said: &Said<'_>) -> String {
    let named = said.tests.iter().take(TESTS_NAMED_MAX).map(|(test, dops)| match said.tests.len() {
        1..=3 => format!("{} at {}", clean(test), degrees(&dops.iter().copied().collect::<Vec<Dop>>())),
        _ => clean(test),
    });
    let mut places = named.collect::<Vec<_>>().join(if said.tests.len() <= 3 { "; " } else { ", " });
    if said.tests.len() > TESTS_NAMED_MAX {
        places += &format!(" and {} other tests", said.tests.len() - TESTS_NAMED_MAX);
    }
    format!("{places} ({} {})", said.runs, if said.runs == 1 { "run" } else { "runs" })
}

/// Checks that found nothing wrong, and in how many runs.
fn passed(record: &Record) -> Markup {
    let mut passed: BTreeMap<Check, usize> = BTreeMap::new();
    for finding in record.runs.iter().flat_map(|run| &run.findings).filter(|finding| finding.verdict == Verdict::Pass) {
        *passed.entry(finding.check()).or_default() += 1;
    }
    let mut table = Table::new(
        "passed",
        "Checked and found right",
        &[Column::text("check"), Column::figures("runs"), Column::text("what it would have meant")],
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
            details { summary { "Checks that found runs to be right: " (passed.len()) } (table.html()) }
        }
    }
}

fn skipped(skipped: &[Skipped]) -> Markup {
    let mut table = Table::new("skipped", "Asked for and not run", &[Column::text("test"), Column::text("why")]);
    table.rows = skipped
        .iter()
        .map(|skipped| Row::new(vec![Cell::text(clean(&skipped.test)), Cell::text(clean(&skipped.reason))]))
        .collect();
    table.html()
}
