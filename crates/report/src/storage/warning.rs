//! Warnings of storage runs, and the checks that passed.

use std::collections::{BTreeMap, BTreeSet};

use model::is_answer;
use record::{Check, Outcome, Record, Run, Verdict};

use super::fact::numbers;
use super::stream::runs;
use crate::finding::finding_text;
use crate::layout::{first_line_in, first_warnings, paragraph};
use crate::style::{Ink, Style};
use crate::words::{check, list, mark};

/// Column of the texts.
const INDENT: usize = 16;

/// Warnings that are shown, by severity.
const WARNINGS_MAX: usize = 100;

/// A warning of one or more runs.
struct Warning {
    verdict: Verdict,
    /// None for an aborted run.
    check: Option<Check>,
    text: String,
    runs: Vec<u32>,
}

/// The findings that are no pass, by severity and in the order of the runs; equal texts of several runs are shown once.
/// Below them, the checks that all runs passed.
pub(crate) fn warnings(record: &Record, style: Style, width: usize) -> Vec<String> {
    let mut lines = first_warnings(&paragraphs(&merged(record), style, width), WARNINGS_MAX, usize::MAX);
    lines.extend(passed(record, width));
    lines
}

/// The warnings and failures, a paragraph each, without the most serious finding and what could not be checked, which the summary
/// states.
pub(crate) fn main_warnings(record: &Record, style: Style, width: usize) -> Vec<Vec<String>> {
    let most_serious = model::most_serious(record).map(|one| (one.finding.verdict, Some(one.finding.check())));
    let mut others = merged(record);
    others.retain(|one| one.verdict != Verdict::Unknown && Some((one.verdict, one.check)) != most_serious);
    paragraphs(&others, style, width)
}

/// The warnings of all runs, those of equal texts together, by severity.
fn merged(record: &Record) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    let mut known = BTreeMap::new();
    for (run, _) in runs(record) {
        for finding in not_passed(run) {
            let index = *known.entry(finding.clone()).or_insert(warnings.len());
            let (verdict, check, text) = finding;
            match warnings.get_mut(index) {
                Some(other) => other.runs.push(run.number),
                None => warnings.push(Warning { verdict, check, text, runs: vec![run.number] }),
            }
        }
    }
    warnings.sort_by_key(|warning| std::cmp::Reverse(warning.verdict));
    warnings
}

/// A paragraph for each of `warnings`.
fn paragraphs(warnings: &[Warning], style: Style, width: usize) -> Vec<Vec<String>> {
    let mut paragraphs = Vec::new();
    for warning in warnings {
        let ink = match warning.verdict {
            Verdict::Fail => Some(Ink::Invalid),
            Verdict::Warn => Some(Ink::Warning),
            Verdict::Unknown | Verdict::Pass => None,
        };
        let label = format!("  {:<4} {}", mark(warning.verdict), numbers(&warning.runs));
        let aborted = if warning.check.is_none() { "aborted: " } else { "" };
        let text = format!("{aborted}{}", warning.text);
        let indent = INDENT.max(label.chars().count() + 1).min(width / 2);
        paragraphs.push(first_line_in(ink, paragraph(&label, indent, &text, width), style));
    }
    paragraphs
}

/// The findings of a run that are no pass, and its abort.
fn not_passed(run: &Run) -> impl Iterator<Item = (Verdict, Option<Check>, String)> {
    let aborted = match &run.outcome {
        Outcome::Done => None,
        Outcome::Failed { message } => Some((Verdict::Fail, None, message.clone())),
    };
    let findings = run.findings.iter().filter(|finding| finding.verdict != Verdict::Pass && !is_answer(run, finding));
    aborted.into_iter().chain(findings.map(|finding| (finding.verdict, Some(finding.check()), finding_text(finding))))
}

/// The checks that every run passed.
fn passed(record: &Record, width: usize) -> Vec<String> {
    let (mut passed, mut others) = (BTreeSet::new(), BTreeSet::new());
    for finding in runs(record).flat_map(|(run, _)| &run.findings) {
        let checks = if finding.verdict == Verdict::Pass { &mut passed } else { &mut others };
        checks.insert(finding.check());
    }
    let passed = passed.difference(&others);
    let words = list(passed.map(|passed| check(*passed).to_owned()));
    if words.is_empty() { Vec::new() } else { paragraph(&format!("  {}", mark(Verdict::Pass)), 7, &words, width) }
}
