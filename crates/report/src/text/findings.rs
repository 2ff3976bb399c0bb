//! Warnings: findings of the self-checks that are no pass, aborted runs, and skipped tests.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use model::Instance;
use record::{Dop, Record, Skipped, Verdict, WarningSubject};

use crate::layout::{clean, cut, first_line_in, first_warnings, paragraph};
use crate::style::{Ink, Style};
use crate::verdict::mark;
use crate::warning::{gain_cause, instance_text};
use crate::words::{CODE_MAX, degrees, list, plural, short_code};

/// Column of the texts.
const INDENT: usize = 12;

/// Column of the reasons why tests were skipped.
const SKIPPED_INDENT: usize = 7;

/// Tests that are named beside a warning; more are counted.
const TESTS_NAMED_MAX: usize = 12;

/// Warnings that are shown, by severity.
const WARNINGS_MAX: usize = 100;

/// A paragraph about warnings of one or more runs.
struct Warning<'a> {
    verdict: Verdict,
    subject: WarningSubject,
    detail: Cow<'a, str>,
    /// The tests of the warning with the degrees of parallelism; `detail` is of the first.
    tests: Vec<(&'a str, Vec<Dop>)>,
    /// Whether the other tests have other figures.
    others_differ: bool,
}

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

/// The warnings of `record`, merged, by severity.
fn warnings(record: &Record) -> Vec<Warning<'_>> {
    let mut warnings = by_text(record);
    merge_within_tests(&mut warnings);
    merge_across_tests(&mut warnings);
    warnings.sort_by_key(|warning| std::cmp::Reverse(warning.verdict));
    warnings
}

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

/// One warning for each text, without gains, which have paragraphs of their own.
fn by_text(record: &Record) -> Vec<Warning<'_>> {
    let mut warnings = Vec::new();
    let mut known = BTreeMap::new();
    for found in model::warnings(record).into_iter().filter(|found| found.subject != WarningSubject::Gain) {
        let (verdict, subject) = (found.verdict, found.subject);
        for instance in found.instances {
            let detail = instance_text(record, subject, &instance);
            let tests = vec![(instance.run.test.as_str(), vec![instance.run.dop])];
            let key = (verdict, subject, detail.clone());
            let warning = Warning { verdict, subject, detail, tests, others_differ: false };
            add_to(&mut warnings, &mut known, key, warning, |_, _| {});
        }
    }
    warnings
}

/// What a warning is of, with its verdict; absent for an abort: of these each text is told.
fn check_of(warning: &Warning<'_>) -> Option<(Verdict, WarningSubject)> {
    (warning.subject != WarningSubject::Abort).then_some((warning.verdict, warning.subject))
}

/// Adds the tests of `warning` to the one with the same key, to which `unite` is applied, or the warning itself where
/// there is none yet.
fn add_to<'a, Key: Ord>(
    warnings: &mut Vec<Warning<'a>>,
    known: &mut BTreeMap<Key, usize>,
    key: Key,
    warning: Warning<'a>,
    unite: impl Fn(&mut Warning<'a>, &Warning<'a>),
) {
    match known.entry(key) {
        Entry::Occupied(index) => {
            let same = &mut warnings[*index.get()];
            unite(same, &warning);
            for (test, dops) in warning.tests {
                add(&mut same.tests, test, &dops);
            }
        }
        Entry::Vacant(index) => {
            index.insert(warnings.len());
            warnings.push(warning);
        }
    }
}

/// Merges warnings of one test that differ only in their figures.
fn merge_within_tests(warnings: &mut Vec<Warning<'_>>) {
    let (mut merged, mut known) = (Vec::new(), BTreeMap::new());
    for warning in warnings.drain(..) {
        match (check_of(&warning), warning.tests.as_slice()) {
            (Some(kind), [(test, _)]) => {
                let key = (kind, *test);
                add_to(&mut merged, &mut known, key, warning, |other, warning| {
                    other.detail.clone_from(&warning.detail)
                });
            }
            _ => merged.push(warning),
        }
    }
    *warnings = merged;
}

/// Warnings of one kind about more tests than these are merged.
const TESTS_APART_MAX: usize = 2;

/// Merges warnings of one check and verdict about more than [`TESTS_APART_MAX`] tests: the first one is shown.
fn merge_across_tests(warnings: &mut Vec<Warning<'_>>) {
    let mut kinds: BTreeMap<(Verdict, WarningSubject), usize> = BTreeMap::new();
    for kind in warnings.iter().filter_map(check_of) {
        *kinds.entry(kind).or_default() += 1;
    }
    let (mut merged, mut known) = (Vec::new(), BTreeMap::new());
    for warning in warnings.drain(..) {
        let kind = check_of(&warning);
        match kind.filter(|kind| kinds.get(kind).is_some_and(|count| *count > TESTS_APART_MAX)) {
            Some(kind) => add_to(&mut merged, &mut known, kind, warning, |other, _| other.others_differ = true),
            None => merged.push(warning),
        }
    }
    *warnings = merged;
}

fn add<'a>(tests: &mut Vec<(&'a str, Vec<Dop>)>, test: &'a str, dops: &[Dop]) {
    match tests.iter_mut().find(|(known, _)| *known == test) {
        Some((_, known)) => known.extend_from_slice(dops),
        None => tests.push((test, dops.to_vec())),
    }
}

#[cfg(test)]
mod tests {
    use record::Check;

    use super::*;

    fn warning<'a>(test: &'a str, jobs: u32, detail: &'a str) -> Warning<'a> {
        let tests = vec![(test, vec![Dop::jobs(jobs)])];
        Warning {
            verdict: Verdict::Warn,
            subject: WarningSubject::Check(Check::Steal),
            detail: detail.into(),
            tests,
            others_differ: false,
        }
    }

    fn tests<'a>(warning: &Warning<'a>) -> Vec<&'a str> {
        warning.tests.iter().map(|(test, _)| *test).collect()
    }

    #[test]
    fn figures_of_one_test_are_shown_once() {
        let mut warnings =
            vec![warning("T131", 1, "took 1 %"), warning("T131", 2, "took 2 %"), warning("T141", 1, "took 3 %")];
        merge_within_tests(&mut warnings);
        assert_eq!(warnings.len(), 2);
        assert_eq!((&*warnings[0].detail, warnings[0].tests[0].1.len()), ("took 2 %", 2));
    }

    #[test]
    fn a_warning_of_many_tests_is_shown_once() {
        let apart = || vec![warning("T131", 1, "took 1 %"), warning("T141", 1, "took 2 %")];
        let mut few = apart();
        merge_across_tests(&mut few);
        assert_eq!(few.len(), 2);
        let mut many = apart();
        many.push(warning("T611", 1, "took 3 %"));
        many.push(Warning { subject: WarningSubject::Check(Check::Swapping), ..warning("T611", 1, "swapped") });
        merge_across_tests(&mut many);
        assert_eq!(many.len(), 2);
        assert_eq!(
            (tests(&many[0]), &*many[0].detail, many[0].others_differ),
            (vec!["T131", "T141", "T611"], "took 1 %", true)
        );
        assert_eq!(tests(&many[1]), ["T611"]);
    }

    #[test]
    fn aborted_runs_are_each_shown() {
        let aborted =
            |test| Warning { verdict: Verdict::Fail, subject: WarningSubject::Abort, ..warning(test, 1, test) };
        let mut warnings = vec![aborted("T1"), aborted("T2"), aborted("T3"), aborted("T4")];
        merge_within_tests(&mut warnings);
        merge_across_tests(&mut warnings);
        assert_eq!(warnings.len(), 4);
    }
}
