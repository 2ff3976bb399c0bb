//! What was checked, as a part of a document: runs by verdict, warnings with their meaning, passed checks, skipped tests.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use model::{Instance, MergedWarning, Warning};
use record::{Check, Finding, Record, Verdict, WarningSubject};

use super::meaning::{meaning, meaning_of};
use super::told::{Told, is_of_storage, text, told};
use super::{instance_text, subject};
use crate::document::{Block, Cell, Column, Extent, Row, Section, Table};
use crate::verdict::{verdict_cell, word_of};
use crate::words::{check, degrees, list, plural, run_numbers};

/// Tests that are named beside a warning; more are counted.
const TESTS_NAMED_MAX: usize = 12;

/// Tests that are named with their degrees of parallelism.
const TESTS_AT_MAX: usize = 3;

/// Sentences with other figures that are quoted beside a warning.
const OTHERS_MAX: usize = 2;

/// Warnings that are shown, by severity.
const WARNINGS_MAX: usize = 100;

/// Runs by verdict, warnings by severity with their meaning, passed checks, and tests that were not run.
pub(crate) fn warnings(record: &Record) -> Section {
    let mut body = Vec::new();
    if !record.runs.is_empty() {
        body.push(Block::text(counts(record)));
        let found = model::warnings(record);
        if found.is_empty() {
            body.push(Block::text("All checks that could be made passed."));
        }
        body.extend(findings(record, &found));
        body.extend(passed_throughout(record).map(Block::aside));
        body.push(Block::whole(vec![meanings(&found).into(), passed(record)]));
    }
    body.push(skipped(record).into());
    Section::new("verdicts", "Warnings", body).folded()
}

/// The number of runs by verdict, in a sentence.
fn counts(record: &Record) -> String {
    let found = model::run_counts(record);
    let verdicts = [Verdict::Pass, Verdict::Unknown, Verdict::Warn, Verdict::Fail];
    let counts = verdicts.map(|verdict| (verdict, found.with(verdict))).into_iter().filter(|(_, count)| *count > 0);
    let counts = list(counts.map(|(verdict, count)| format!("{count} {}", word_of(verdict))));
    let runs = plural(record.runs.len() as u64, "run");
    format!("{runs}: {counts}. An invalid run is never shown as a result; a run with warnings has its caveats here.")
}

/// A row for each warning, by severity.
fn findings(record: &Record, found: &[Warning<'_>]) -> Vec<Block> {
    let told = told(record);
    let lines = told.iter().take(WARNINGS_MAX).map(|one| (one, Places::of(record, found, &told, one)));
    let rows = lines.map(|(one, places)| {
        Row::new(vec![
            Cell::text(subject(one.subject)),
            verdict_cell(one.verdict),
            Cell::text(tests(one)),
            Cell::text(run_numbers(&places.runs)),
            Cell::text(text(one)),
            Cell::count(places.runs.len() as u64),
            Cell::text(places.other_text()),
        ])
    });
    let columns = vec![
        Column::text("check"),
        Column::text("verdict"),
        Column::text("tests"),
        Column::text("in").from(if is_of_storage(record) { Extent::Details } else { Extent::Whole }),
        Column::text("finding"),
        Column::figure("runs").from(Extent::Whole),
        Column::text("other figures").from(Extent::Whole),
    ];
    let table = Table::new("findings", "Warnings, by severity", columns).with(rows).without_empty();
    let more = told.len().saturating_sub(WARNINGS_MAX);
    let more = (more > 0).then(|| Block::aside(format!("and {more} more, see the record")));
    [Block::from(table)].into_iter().chain(more).collect()
}

/// Where a warning was found, and what else was.
struct Places<'a> {
    /// The numbers of its runs.
    runs: Vec<u32>,
    /// Sentences with other figures than the one that is told.
    others: Vec<Cow<'a, str>>,
}

impl<'a> Places<'a> {
    /// Those of `one` of all that is `told`, by the warnings `found`.
    fn of(record: &Record, found: &[Warning<'a>], told: &[Told<'a>], one: &Told<'a>) -> Places<'a> {
        let kind = |of: &Told<'_>| (of.verdict, of.subject);
        let of_kind = found.iter().filter(|warning| (warning.verdict, warning.subject) == kind(one));
        let is_of_another = |text: &str| {
            told.iter().any(|other| !std::ptr::eq(other, one) && kind(other) == kind(one) && other.detail == text)
        };
        let (mut runs, mut known, mut others) = (BTreeSet::new(), BTreeSet::new(), Vec::new());
        let has = |instance: &&Instance<'_>| one.tests.iter().any(|(test, _)| *test == instance.run.test);
        for instance in of_kind.flat_map(|warning| &warning.instances).filter(has) {
            let text = instance_text(record, one.subject, instance);
            if text == one.detail {
                runs.insert(instance.run.number);
            } else if !is_of_another(&text) && one.subject != WarningSubject::Abort {
                runs.insert(instance.run.number);
                if known.insert(text.clone()) {
                    others.push(text);
                }
            }
        }
        Places { runs: runs.into_iter().collect(), others }
    }

    /// The first of the other sentences, and how many more there are.
    fn other_text(&self) -> String {
        let more = self.others.len().saturating_sub(OTHERS_MAX);
        let more = (more > 0).then(|| Cow::from(format!("and {more} more")));
        self.others.iter().take(OTHERS_MAX).cloned().chain(more).collect::<Vec<_>>().join("; ")
    }
}

/// The tests of a warning, with their degrees of parallelism where they are few.
fn tests<Detail>(warning: &MergedWarning<'_, Detail>) -> String {
    let count = warning.tests.len();
    let named = warning.tests.iter().take(TESTS_NAMED_MAX).map(|(test, dops)| match count {
        ..=TESTS_AT_MAX => format!("{test} at {}", degrees(dops)),
        _ => (*test).to_owned(),
    });
    let named = named.collect::<Vec<_>>().join(if count <= TESTS_AT_MAX { "; " } else { ", " });
    match count.saturating_sub(TESTS_NAMED_MAX) {
        0 => named,
        more => format!("{named} and {}", plural(more as u64, "other test")),
    }
}

/// What each of the warnings means, and what to do.
fn meanings(found: &[Warning<'_>]) -> Table {
    let mut subjects: Vec<WarningSubject> = Vec::new();
    for warning in found {
        if !subjects.contains(&warning.subject) {
            subjects.push(warning.subject);
        }
    }
    let row = |of: &WarningSubject| Row::new(vec![Cell::text(subject(*of)), Cell::text(meaning_of(*of))]);
    let columns = vec![Column::text("check"), Column::text("meaning")];
    Table::new("meanings", "Meaning of the warnings, and what to do", columns).with(subjects.iter().map(row))
}

/// The checks that passed in every run in which they were made; nothing where there are none.
fn passed_throughout(record: &Record) -> Option<String> {
    let findings = || record.runs.iter().flat_map(|run| &run.findings);
    let others: BTreeSet<Check> =
        findings().filter(|finding| finding.verdict != Verdict::Pass).map(Finding::check).collect();
    let passed: BTreeSet<Check> = findings().map(Finding::check).filter(|check| !others.contains(check)).collect();
    let names = list(passed.into_iter().map(|passed| check(passed).to_owned()));
    (!names.is_empty()).then(|| format!("Passed throughout: {names}."))
}

/// Passed checks, with their number of runs.
fn passed(record: &Record) -> Block {
    let mut passed: BTreeMap<Check, u64> = BTreeMap::new();
    for finding in record.runs.iter().flat_map(|run| &run.findings).filter(|finding| finding.verdict == Verdict::Pass) {
        *passed.entry(finding.check()).or_default() += 1;
    }
    let rows = passed.iter().map(|(about, runs)| {
        Row::new(vec![Cell::text(check(*about)), Cell::count(*runs), Cell::text(meaning(*about))])
    });
    let columns = vec![Column::text("check"), Column::figure("runs"), Column::text("meaning of a failure")];
    let table = Table::new("passed", "Passed checks", columns).with(rows);
    Block::fold(format!("Passed checks: {}", passed.len()), vec![table.into()])
}

/// Tests that were requested and not run, with the reasons.
fn skipped(record: &Record) -> Table {
    let rows = record.plan.skipped.iter();
    let rows = rows.map(|skipped| Row::new(vec![Cell::text(&*skipped.test), Cell::text(&*skipped.reason)]));
    let columns = vec![Column::text("test"), Column::text("why")];
    Table::new("skipped", "Requested and not run", columns).with(rows)
}
