//! What is in doubt about storage runs, by run; and what was checked and right.

use std::collections::{BTreeMap, BTreeSet};

use record::{Outcome, Record, Run, Verdict};

use super::fact::numbers;
use super::stream::{is_answer, runs};
use crate::finding::finding_text;
use crate::layout::paragraph;
use crate::style::{Ink, Style};
use crate::words::{check, list, mark};

/// Column of the texts.
const INDENT: usize = 16;

/// Doubts that are told; the gravest stand first.
const DOUBTS_MAX: usize = 100;

/// Something said of one or more runs.
struct Said {
    verdict: Verdict,
    text: String,
    broken: bool,
    runs: Vec<u32>,
}

/// The findings that are no pass, the gravest first, in the order of the runs; what several runs say in the same
/// words is said once. Below them, what every run was checked for and found right.
pub(crate) fn doubts(record: &Record, style: Style, width: usize) -> Vec<String> {
    let mut said: Vec<Said> = Vec::new();
    let mut known = BTreeMap::new();
    for (run, _) in runs(record) {
        for words in doubtful(run) {
            let place = *known.entry(words.clone()).or_insert(said.len());
            let (verdict, text, broken) = words;
            match said.get_mut(place) {
                Some(other) => other.runs.push(run.number),
                None => said.push(Said { verdict, text, broken, runs: vec![run.number] }),
            }
        }
    }
    said.sort_by_key(|said| std::cmp::Reverse(said.verdict));
    let mut lines = Vec::new();
    for said in said.iter().take(DOUBTS_MAX) {
        let ink = match said.verdict {
            Verdict::Fail => Some(Ink::Invalid),
            Verdict::Warn => Some(Ink::Warning),
            Verdict::Unknown | Verdict::Pass => None,
        };
        let label = format!("  {:<5}{}", mark(said.verdict), numbers(&said.runs));
        let broken = if said.broken { "broke off: " } else { "" };
        let text = format!("{broken}{}", said.text);
        let indent = INDENT.max(label.chars().count() + 1).min(width / 2);
        let paragraph = paragraph(&label, indent, &text, width);
        lines.extend(paragraph.into_iter().enumerate().map(|(index, line)| match ink {
            Some(ink) if index == 0 => style.paint(&line, ink),
            _ => line,
        }));
    }
    let more = said.len().saturating_sub(DOUBTS_MAX);
    lines.extend((more > 0).then(|| format!("  and {more} more: the record has them")));
    lines.extend(right(record, width));
    lines
}

/// What a run says that is no pass.
fn doubtful(run: &Run) -> impl Iterator<Item = (Verdict, String, bool)> {
    let broken = match &run.outcome {
        Outcome::Done => None,
        Outcome::Failed { message } => Some((Verdict::Fail, message.clone(), true)),
    };
    // That a load does not keep a service level is the answer of a search.
    let findings = run.findings.iter().filter(|finding| finding.verdict != Verdict::Pass && !is_answer(finding));
    broken.into_iter().chain(findings.map(|finding| (finding.verdict, finding_text(finding), false)))
}

/// The checks that every run passed.
fn right(record: &Record, width: usize) -> Vec<String> {
    let (mut passed, mut doubted) = (BTreeSet::new(), BTreeSet::new());
    for finding in runs(record).flat_map(|(run, _)| &run.findings) {
        let checks = if finding.verdict == Verdict::Pass { &mut passed } else { &mut doubted };
        checks.insert(finding.check());
    }
    let passed = passed.difference(&doubted);
    let words = list(passed.map(|passed| check(*passed).to_owned()));
    if words.is_empty() { Vec::new() } else { paragraph(&format!("  {}", mark(Verdict::Pass)), 7, &words, width) }
}
