//! What is in doubt about storage runs, by run; and what was checked and right.

use record::{Check, Outcome, Record, Run, Verdict};

use super::fact::numbers;
use super::stream::{is_answer, runs};
use crate::layout::paragraph;
use crate::style::{Ink, Style};
use crate::words::{check, list, mark};

/// Column of the texts.
const INDENT: usize = 16;

/// Something said of one or more runs.
struct Said<'a> {
    verdict: Verdict,
    text: &'a str,
    broken: bool,
    runs: Vec<u32>,
}

/// The findings that are no pass, the gravest first, in the order of the runs; what several runs say in the same
/// words is said once. Below them, what every run was checked for and found right.
pub(crate) fn doubts(record: &Record, style: Style, width: usize) -> Vec<String> {
    let mut said: Vec<Said<'_>> = Vec::new();
    for (run, _) in runs(record) {
        for (verdict, text, broken) in doubtful(run) {
            let same = |other: &&mut Said<'_>| (other.verdict, other.text, other.broken) == (verdict, text, broken);
            match said.iter_mut().find(same) {
                Some(other) => other.runs.push(run.number),
                None => said.push(Said { verdict, text, broken, runs: vec![run.number] }),
            }
        }
    }
    said.sort_by_key(|said| std::cmp::Reverse(said.verdict));
    let mut lines = Vec::new();
    for said in &said {
        let ink = match said.verdict {
            Verdict::Fail => Some(Ink::Void),
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
    lines.extend(right(record, width));
    lines
}

/// What a run says that is no pass.
fn doubtful(run: &Run) -> impl Iterator<Item = (Verdict, &str, bool)> {
    let broken = match &run.outcome {
        Outcome::Done => None,
        Outcome::Failed { message } => Some((Verdict::Fail, message.as_str(), true)),
    };
    // That a load does not keep a service level is the answer of a search.
    let findings = run.findings.iter().filter(|finding| finding.verdict != Verdict::Pass && !is_answer(finding));
    broken.into_iter().chain(findings.map(|finding| (finding.verdict, finding.detail.as_str(), false)))
}

/// The checks that every run passed.
fn right(record: &Record, width: usize) -> Vec<String> {
    let mut passed: Vec<Check> = Vec::new();
    let findings = || runs(record).flat_map(|(run, _)| &run.findings);
    for finding in findings().filter(|finding| finding.verdict == Verdict::Pass) {
        let doubted = findings().any(|other| other.check == finding.check && other.verdict != Verdict::Pass);
        if !doubted && !passed.contains(&finding.check) {
            passed.push(finding.check);
        }
    }
    passed.sort_unstable();
    let words = list(passed.into_iter().map(|passed| check(passed).to_owned()));
    if words.is_empty() { Vec::new() } else { paragraph(&format!("  {}", mark(Verdict::Pass)), 7, &words, width) }
}
