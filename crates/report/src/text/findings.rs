//! Warnings: findings of the self-checks that are no pass, aborted runs, and skipped tests.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::{Instance, MergedWarning};
use record::{Record, Skipped, Verdict, WarningSubject};

use crate::layout::{clean, cut, first_line_in, first_warnings, paragraph};
use crate::style::{Ink, Style};
use crate::verdict::mark;
use crate::warning::{gain_cause, instance_text};
use crate::words::{CODE_MAX, degrees, few, list, plural, short_code};

/// Column of the texts.
const INDENT: usize = 12;

/// Column of the reasons why tests were skipped.
const SKIPPED_INDENT: usize = 7;

/// Tests that are named beside a warning; more are counted.
const TESTS_NAMED_MAX: usize = 12;

/// Warnings that are shown, by severity.
const WARNINGS_MAX: usize = 100;

/// The findings that are not a pass, by severity. Equal texts of several runs are shown once; where the runs of one
/// test differ only in their figures, the last one is shown.
pub(super) fn findings(record: &Record, style: Style, width: usize) -> Vec<String> {
    let mut lines = first_warnings(&paragraphs(record, &warnings(record), style, width), WARNINGS_MAX, usize::MAX);
    lines.extend(superlinear(record, style, width));
    lines
}

/// The warnings and failures, a paragraph each, without the most serious finding and what could not be checked, which the summary
/// states.
pub(super) fn main_findings(record: &Record, style: Style, width: usize) -> Vec<Vec<String>> {
    let found = model::warnings(record);
    let most_serious = model::most_serious(&found).map(|one| (one.verdict, one.subject));
    let mut others = warnings(record);
    others.retain(|one| one.verdict != Verdict::Unknown && Some((one.verdict, one.subject)) != most_serious);
    let mut warnings = paragraphs(record, &others, style, width);
    for (cause, tests) in gains_by_cause(record) {
        let label = format!("  {:<4} {}", mark(Verdict::Warn), plural(tests.len() as u64, "test"));
        let text = format!("gained more than the added jobs can give ({}): {cause}", list(tests));
        warnings.push(paragraph(&label, INDENT.max(label.chars().count() + 1), &text, width));
    }
    warnings
}

/// The same as sentences that begin with their tests, at most so many.
pub(crate) fn main_sentences(record: &Record, most: usize) -> Vec<String> {
    let found = model::warnings(record);
    let most_serious = model::most_serious(&found).map(|one| (one.verdict, one.subject));
    let mut others = warnings(record);
    others.retain(|one| one.verdict != Verdict::Unknown && Some((one.verdict, one.subject)) != most_serious);
    let sentence = |warning: &Warning<'_>| {
        let tests: Vec<String> = warning.tests.iter().map(|(test, _)| (*test).to_owned()).collect();
        let aborted = if warning.subject == WarningSubject::Abort { "aborted: " } else { "" };
        format!("{}: {aborted}{}", few(&tests), warning.detail)
    };
    others.iter().take(most).map(sentence).collect()
}

/// The codes of the tests whose gain is more than the added workers can give, by possible cause.
fn gains_by_cause(record: &Record) -> Vec<(&'static str, Vec<String>)> {
    let sheet = model::sheet(record);
    let mut found: Vec<(&'static str, Vec<String>)> = Vec::new();
    for (instance, code) in gains(record) {
        let line = sheet.lines.iter().find(|line| line.test == instance.run.test);
        let Some(cause) = line.map(|line| gain_cause(record, line)) else { continue };
        match found.iter_mut().find(|(known, _)| *known == cause) {
            Some((_, tests)) => tests.push(code),
            None => found.push((cause, vec![code])),
        }
    }
    found
}

/// The warnings of `record`, merged by their texts, by severity, without gains, which have paragraphs of their own.
fn warnings(record: &Record) -> Vec<Warning<'_>> {
    let found = model::warnings(record).into_iter().filter(|found| found.subject != WarningSubject::Gain);
    model::merged_warnings(found, |subject, instance| instance_text(record, subject, instance))
}

/// Warnings of one or more runs, with their text.
type Warning<'a> = MergedWarning<'a, Cow<'a, str>>;

/// A paragraph for each of `warnings`.
fn paragraphs(record: &Record, warnings: &[Warning<'_>], style: Style, width: usize) -> Vec<Vec<String>> {
    let mut paragraphs = Vec::new();
    let runs = runs_by_test(record);
    for warning in warnings {
        let mut tests = warning.tests.iter().map(|(test, _)| cut(&clean(test), CODE_MAX));
        let first = tests.next().unwrap_or_default();
        let (code, of) = short_code(&first);
        let (label, rest) = match (warning.tests.len(), warning.others_differ) {
            (0 | 1, _) => (code, of),
            (count, _) if count > TESTS_NAMED_MAX => (format!("{count} tests"), String::new()),
            (count, true) => (format!("{count} tests"), format!(" ({first}; also {})", list(tests))),
            (count, false) => (format!("{count} tests"), format!(" ({})", list([first].into_iter().chain(tests)))),
        };
        let label = format!("  {:<4} {label}", mark(warning.verdict));
        let aborted = if warning.subject == WarningSubject::Abort { "aborted: " } else { "" };
        let text = format!("{}{aborted}{}{rest}", at(&runs, warning), warning.detail);
        let indent = INDENT.max(label.chars().count() + 1);
        let ink = match warning.verdict {
            Verdict::Fail => Some(Ink::Invalid),
            Verdict::Warn => Some(Ink::Warning),
            Verdict::Unknown | Verdict::Pass => None,
        };
        paragraphs.push(first_line_in(ink, paragraph(&label, indent, &text, width), style));
    }
    paragraphs
}

/// How many runs each test has.
fn runs_by_test(record: &Record) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    record.runs.iter().for_each(|run| *counts.entry(run.test.as_str()).or_default() += 1);
    counts
}

/// The best runs of the tests whose gain is more than the added workers can give, and their codes.
fn gains(record: &Record) -> impl Iterator<Item = (Instance<'_>, String)> {
    let gains = model::warnings(record).into_iter().filter(|warning| warning.subject == WarningSubject::Gain);
    gains.flat_map(|warning| warning.instances).map(|instance| (instance, clean(&instance.run.test)))
}

/// Tests whose gain is superlinear.
fn superlinear(record: &Record, style: Style, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (instance, test) in gains(record) {
        let (code, of) = short_code(&test);
        let label = format!("  {:<5}{code}", mark(Verdict::Warn));
        let text = format!("{}{of}", instance_text(record, WarningSubject::Gain, &instance));
        let paragraph = paragraph(&label, INDENT.max(label.chars().count() + 1), &text, width);
        lines.extend(paragraph.iter().map(|line| style.paint(line, Ink::Warning)));
    }
    lines
}

/// Tests that were requested and not run.
pub(super) fn skipped(record: &Record, width: usize) -> Vec<String> {
    let skipped = record.plan.skipped.iter();
    // Codes of loads include the model; those that are too long for a column are not cut.
    let lines = |skipped: &Skipped| match clean(&skipped.test) {
        test if test.chars().count() < SKIPPED_INDENT - 2 => {
            paragraph(&format!("  {test}"), SKIPPED_INDENT, &skipped.reason, width)
        }
        test => paragraph("", 2, &format!("{test}: {}", skipped.reason), width),
    };
    skipped.flat_map(lines).collect()
}

/// The degrees of parallelism, where they are not all of the test.
fn at(runs: &BTreeMap<&str, usize>, warning: &Warning<'_>) -> String {
    match warning.tests.as_slice() {
        [(test, dops)] if runs.get(test).is_some_and(|count| *count > dops.len()) => format!("at {}: ", degrees(dops)),
        _ => String::new(),
    }
}
