//! Warnings: findings of the self-checks that are no pass, aborted runs, and skipped tests.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use model::Line;
use record::{Check, Dop, Finding, Location, Outcome, Placement, Record, Run, Skipped, Verdict};

use crate::figure::three_digits;
use crate::finding::finding_text;
use crate::layout::{clean, cut, first_line_in, first_warnings, paragraph};
use crate::style::{Ink, Style};
use crate::words::{CODE_MAX, degrees, list, mark, plural, short_code};

/// Column of the texts.
const INDENT: usize = 12;

/// Column of the reasons why tests were skipped.
const SKIPPED_INDENT: usize = 7;

/// Tests that are named beside a warning; more are counted.
const TESTS_NAMED_MAX: usize = 12;

/// Warnings that are shown, by severity.
const WARNINGS_MAX: usize = 100;

/// A warning of one or more runs.
struct Warning<'a> {
    verdict: Verdict,
    /// Absent where the run was aborted.
    check: Option<Check>,
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
    let most_serious = model::most_serious(record).map(|one| (one.finding.verdict, Some(one.finding.check())));
    let mut others = warnings(record);
    others.retain(|one| one.verdict != Verdict::Unknown && Some((one.verdict, one.check)) != most_serious);
    let mut warnings = paragraphs(record, &others, style, width);
    let sheet = model::sheet(record);
    let beyond: Vec<String> =
        sheet.lines.iter().filter(|line| line.gains_beyond_its_workers()).map(|line| clean(&line.test)).collect();
    if !beyond.is_empty() {
        let label = format!("  {:<4} {}", mark(Verdict::Warn), plural(beyond.len() as u64, "test"));
        let text = format!(
            "gained more than the added jobs can give ({}): something slowed the single job down; repeat",
            list(beyond)
        );
        warnings.push(paragraph(&label, INDENT.max(label.chars().count() + 1), &text, width));
    }
    warnings
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
        let aborted = if warning.check.is_none() { "aborted: " } else { "" };
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

/// The explanation where no server process could have been placed on another processor.
const ALONE: &str = "something else slowed the single job down; repeat";

/// Tests whose gain is superlinear.
fn superlinear(record: &Record, style: Style, width: usize) -> Vec<String> {
    let kernel = record.plan.placement == Placement::Kernel;
    let has_server = record.engine.as_ref().is_some_and(|engine| engine.location != Location::InProcess);
    let cause = |line: &Line, storage: bool| match kernel {
        _ if storage => "something delayed the device, or the thread that waited for it, while there was one",
        _ if !has_server || line.is_probe => ALONE,
        true => "the kernel may have put client and server on different processors, see --placement paired",
        false => "the single job spent time waiting, not working",
    };
    let of_storage = |code: &str| record.runs.iter().any(|run| run.test == code && run.storage.is_some());
    let mut lines = Vec::new();
    for line in model::sheet(record).lines.iter().filter(|line| line.gains_beyond_its_workers()) {
        let (Some(best), Some(gain)) = (&line.best, line.scalability) else { continue };
        let (code, of) = short_code(&clean(&line.test));
        let label = format!("  {:<5}{code}", mark(Verdict::Warn));
        let at = degrees(&[best.dop]);
        let cause = cause(line, of_storage(&line.test));
        let text = format!("{at} did {} times the rate of one: {cause}{of}", three_digits(gain));
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

/// One warning for each text.
fn by_text(record: &Record) -> Vec<Warning<'_>> {
    let mut warnings = Vec::new();
    let mut known = BTreeMap::new();
    for run in &record.runs {
        for (verdict, check, detail) in not_passed(run) {
            let tests = vec![(run.test.as_str(), vec![run.dop])];
            let key = (verdict, check, detail.clone());
            let warning = Warning { verdict, check, detail, tests, others_differ: false };
            add_to(&mut warnings, &mut known, key, warning, |_, _| {});
        }
    }
    warnings
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

/// The findings of a run that are not a pass, and its abort.
fn not_passed(run: &Run) -> impl Iterator<Item = (Verdict, Option<Check>, Cow<'_, str>)> {
    let aborted = match &run.outcome {
        Outcome::Done => None,
        Outcome::Failed { message } => Some((Verdict::Fail, None, Cow::from(message))),
    };
    let is_warning = move |finding: &&Finding| finding.verdict != Verdict::Pass && !model::is_answer(run, finding);
    let findings = run.findings.iter().filter(is_warning);
    let of_check = |finding: &Finding| (finding.verdict, Some(finding.check()), Cow::from(finding_text(finding)));
    aborted.into_iter().chain(findings.map(of_check))
}

/// Merges warnings of one test that differ only in their figures.
fn merge_within_tests(warnings: &mut Vec<Warning<'_>>) {
    let (mut merged, mut known) = (Vec::new(), BTreeMap::new());
    for warning in warnings.drain(..) {
        match (warning.check, warning.tests.as_slice()) {
            (Some(check), [(test, _)]) => {
                let key = (warning.verdict, check, *test);
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
    let mut kinds: BTreeMap<(Verdict, Check), usize> = BTreeMap::new();
    for kind in warnings.iter().filter_map(|warning| Some((warning.verdict, warning.check?))) {
        *kinds.entry(kind).or_default() += 1;
    }
    let (mut merged, mut known) = (Vec::new(), BTreeMap::new());
    for warning in warnings.drain(..) {
        let kind = warning.check.map(|check| (warning.verdict, check));
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
    use super::*;

    fn warning<'a>(test: &'a str, jobs: u32, detail: &'a str) -> Warning<'a> {
        let tests = vec![(test, vec![Dop::jobs(jobs)])];
        Warning {
            verdict: Verdict::Warn,
            check: Some(Check::Steal),
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
        many.push(Warning { check: Some(Check::Swapping), ..warning("T611", 1, "swapped") });
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
        let aborted = |test| Warning { verdict: Verdict::Fail, check: None, ..warning(test, 1, test) };
        let mut warnings = vec![aborted("T1"), aborted("T2"), aborted("T3"), aborted("T4")];
        merge_within_tests(&mut warnings);
        merge_across_tests(&mut warnings);
        assert_eq!(warnings.len(), 4);
    }
}
