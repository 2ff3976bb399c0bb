//! What was checked, as a part of a document: runs by verdict, warnings with their meaning, passed checks, skipped tests.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use model::{MergedWarning, Warning};
use record::{Check, Finding, Record, Verdict, WarningSubject};

use super::meaning::meaning_of;
use super::told::{Told, text, told};
use super::{instance_text, subject};
use crate::document::{Block, Cell, Column, Extent, Row, Section, Table};
use crate::finding::check_words;
use crate::verdict::{verdict_cell, word_of};
use crate::words::{degrees, list, plural, run_numbers};

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
    let sentences: BTreeSet<Sentence<'_>> = told.iter().map(|one| (one.verdict, one.subject, &*one.detail)).collect();
    let places = Places::all(record, found);
    let lines = told.iter().take(WARNINGS_MAX).map(|one| (one, places.of(&sentences, one)));
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
        Column::text("in").from(if record.plan.subject().properties().is_about_storage {
            Extent::Details
        } else {
            Extent::Whole
        }),
        Column::text("finding"),
        Column::figure("runs").from(Extent::Whole),
        Column::text("other figures").from(Extent::Whole),
    ];
    let table = Table::new("findings", "Warnings, by severity", columns).with(rows).without_empty();
    let more = told.len().saturating_sub(WARNINGS_MAX);
    let more = (more > 0).then(|| Block::aside(format!("and {more} more, see the record")));
    [Block::from(table)].into_iter().chain(more).collect()
}

/// A sentence with its verdict, and what it is about.
type Sentence<'t> = (Verdict, WarningSubject, &'t str);

/// The numbers of the runs of each sentence.
type RunsBySentence<'a> = BTreeMap<Cow<'a, str>, BTreeSet<u32>>;

/// The sentences of each verdict, subject and test.
struct Places<'a>(BTreeMap<(Verdict, WarningSubject, &'a str), RunsBySentence<'a>>);

/// Where a warning was found, and what else was.
struct Place<'p> {
    /// The numbers of its runs.
    runs: Vec<u32>,
    /// Sentences with other figures than the one that is told.
    others: Vec<&'p str>,
}

impl<'a> Places<'a> {
    /// Those of the warnings `found`.
    fn all(record: &Record, found: &[Warning<'a>]) -> Places<'a> {
        let mut places: BTreeMap<_, RunsBySentence<'a>> = BTreeMap::new();
        for warning in found {
            for instance in &warning.instances {
                let of_test = places.entry((warning.verdict, warning.subject, &*instance.run.test)).or_default();
                let sentence = instance_text(record, warning.subject, instance);
                of_test.entry(sentence).or_default().insert(instance.run.number);
            }
        }
        Places(places)
    }

    /// Those of `one`; `told` are the sentences that have a row of their own.
    fn of<'p>(&'p self, told: &BTreeSet<Sentence<'_>>, one: &Told<'a>) -> Place<'p> {
        let (mut runs, mut others) = (BTreeSet::new(), BTreeSet::new());
        for (test, _) in &one.tests {
            let of_test = self.0.get(&(one.verdict, one.subject, *test)).into_iter().flatten();
            for (sentence, numbers) in of_test {
                let is_own = *sentence == one.detail;
                let is_of_another = told.contains(&(one.verdict, one.subject, &**sentence));
                if is_own || !is_of_another && one.subject != WarningSubject::Abort {
                    runs.extend(numbers);
                    others.extend((!is_own).then_some(&**sentence));
                }
            }
        }
        Place { runs: runs.into_iter().collect(), others: others.into_iter().collect() }
    }
}

impl Place<'_> {
    /// The first of the other sentences, and how many more there are.
    fn other_text(&self) -> String {
        let more = self.others.len().saturating_sub(OTHERS_MAX);
        let more = (more > 0).then(|| format!("and {more} more"));
        let others = self.others.iter().take(OTHERS_MAX).map(|other| (*other).to_owned());
        others.chain(more).collect::<Vec<_>>().join("; ")
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
    let names = list(passed.into_iter().map(|passed| check_words(passed).name.to_owned()));
    (!names.is_empty()).then(|| format!("Checks that passed throughout: {names}."))
}

/// Passed checks, with their number of runs.
fn passed(record: &Record) -> Block {
    let mut passed: BTreeMap<Check, u64> = BTreeMap::new();
    for finding in record.runs.iter().flat_map(|run| &run.findings).filter(|finding| finding.verdict == Verdict::Pass) {
        *passed.entry(finding.check()).or_default() += 1;
    }
    let rows = passed.iter().map(|(about, runs)| {
        let words = check_words(*about);
        Row::new(vec![Cell::text(words.name), Cell::count(*runs), Cell::text(words.meaning)])
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
