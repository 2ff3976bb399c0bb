//! Warnings of storage runs, and the checks that passed.

use std::collections::{BTreeMap, BTreeSet};

use record::{Outcome, Record, Run, Verdict};

use super::fact::numbers;
use super::stream::{is_answer, runs};
use crate::finding::finding_text;
use crate::layout::paragraph;
use crate::style::{Ink, Style};
use crate::words::{check, list, mark, plural};

/// Column of the texts.
const INDENT: usize = 16;

/// Warnings that are shown, by severity.
pub(super) const WARNINGS_MAX: usize = 100;

/// A warning of one or more runs.
struct Warning {
    verdict: Verdict,
    text: String,
    aborted: bool,
    runs: Vec<u32>,
}

/// The findings that are no pass, by severity and in the order of the runs; equal texts of several runs are shown once,
/// and `most` at most.
pub(crate) fn warnings(record: &Record, most: usize, style: Style, width: usize) -> Vec<String> {
    let mut warnings: Vec<Warning> = Vec::new();
    let mut known = BTreeMap::new();
    for (run, _) in runs(record) {
        for finding in not_passed(run) {
            let index = *known.entry(finding.clone()).or_insert(warnings.len());
            let (verdict, text, aborted) = finding;
            match warnings.get_mut(index) {
                Some(other) => other.runs.push(run.number),
                None => warnings.push(Warning { verdict, text, aborted, runs: vec![run.number] }),
            }
        }
    }
    warnings.sort_by_key(|warning| std::cmp::Reverse(warning.verdict));
    let mut lines = Vec::new();
    let unknown = warnings.iter().filter(|warning| warning.verdict == Verdict::Unknown).count();
    if most < WARNINGS_MAX {
        warnings.truncate(warnings.len() - unknown);
    }
    for warning in warnings.iter().take(most) {
        let ink = match warning.verdict {
            Verdict::Fail => Some(Ink::Invalid),
            Verdict::Warn => Some(Ink::Warning),
            Verdict::Unknown | Verdict::Pass => None,
        };
        let label = format!("  {:<4} {}", mark(warning.verdict), numbers(&warning.runs));
        let aborted = if warning.aborted { "aborted: " } else { "" };
        let text = format!("{aborted}{}", warning.text);
        let indent = INDENT.max(label.chars().count() + 1).min(width / 2);
        let paragraph = paragraph(&label, indent, &text, width);
        lines.extend(paragraph.into_iter().enumerate().map(|(index, line)| match ink {
            Some(ink) if index == 0 => style.paint(&line, ink),
            _ => line,
        }));
    }
    let more = warnings.len().saturating_sub(most);
    lines.extend((more > 0).then(|| format!("  and {more} more (--details)")));
    if most < WARNINGS_MAX && unknown > 0 {
        lines.push(format!("  ?    {} could not be checked (--details)", plural(unknown as u64, "point")));
    }
    lines
}

/// The findings of a run that are no pass, and its abort.
fn not_passed(run: &Run) -> impl Iterator<Item = (Verdict, String, bool)> {
    let aborted = match &run.outcome {
        Outcome::Done => None,
        Outcome::Failed { message } => Some((Verdict::Fail, message.clone(), true)),
    };
    // A missed service level is the answer of a search.
    let findings = run.findings.iter().filter(|finding| finding.verdict != Verdict::Pass && !is_answer(finding));
    aborted.into_iter().chain(findings.map(|finding| (finding.verdict, finding_text(finding), false)))
}

/// The checks that every run passed.
pub(super) fn passed(record: &Record, width: usize) -> Vec<String> {
    let (mut passed, mut others) = (BTreeSet::new(), BTreeSet::new());
    for finding in runs(record).flat_map(|(run, _)| &run.findings) {
        let checks = if finding.verdict == Verdict::Pass { &mut passed } else { &mut others };
        checks.insert(finding.check());
    }
    let passed = passed.difference(&others);
    let words = list(passed.map(|passed| check(*passed).to_owned()));
    if words.is_empty() { Vec::new() } else { paragraph(&format!("  {}", mark(Verdict::Pass)), 7, &words, width) }
}
