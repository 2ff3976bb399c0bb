//! Warnings of storage runs, and the checks that passed.

use std::collections::{BTreeMap, BTreeSet};

use record::{Record, Verdict, WarningSubject};

use super::fact::numbers;
use super::stream::runs;
use crate::layout::{first_line_in, first_warnings, paragraph};
use crate::style::{Ink, Style};
use crate::verdict::mark;
use crate::warning::instance_text;
use crate::words::{check, list};

/// Column of the texts.
const INDENT: usize = 16;

/// Warnings that are shown, by severity.
const WARNINGS_MAX: usize = 100;

/// A warning of one or more runs.
struct Warning {
    verdict: Verdict,
    subject: WarningSubject,
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
    let found = model::warnings(record);
    let most_serious = model::most_serious(&found).map(|one| (one.verdict, one.subject));
    let mut others = merged(record);
    others.retain(|one| one.verdict != Verdict::Unknown && Some((one.verdict, one.subject)) != most_serious);
    paragraphs(&others, style, width)
}

/// The warnings of all runs, those of equal texts together, by severity.
fn merged(record: &Record) -> Vec<Warning> {
    let mut warnings: Vec<Warning> = Vec::new();
    let mut known = BTreeMap::new();
    for found in model::warnings(record) {
        for instance in found.instances.iter().filter(|instance| instance.run.storage.is_some()) {
            let (verdict, subject, text) =
                (found.verdict, found.subject, instance_text(record, found.subject, instance).into_owned());
            let index = *known.entry((verdict, subject, text.clone())).or_insert(warnings.len());
            match warnings.get_mut(index) {
                Some(other) => other.runs.push(instance.run.number),
                None => warnings.push(Warning { verdict, subject, text, runs: vec![instance.run.number] }),
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
        let aborted = if warning.subject == WarningSubject::Abort { "aborted: " } else { "" };
        let text = format!("{aborted}{}", warning.text);
        let indent = INDENT.max(label.chars().count() + 1).min(width / 2);
        paragraphs.push(first_line_in(ink, paragraph(&label, indent, &text, width), style));
    }
    paragraphs
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
