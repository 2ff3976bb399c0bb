//! Whether the rates of runs were steady, from the stored findings.

use std::collections::BTreeMap;

use model::{is_invalid, steady_verdict};
use record::{Check, Record, Run, SteadyVerdict, Verdict};

use crate::finding::finding_text;
use crate::layout::{clean, paragraph};
use crate::style::{Ink, Style};
use crate::verdict::mark;
use crate::words::{dop, list, plural, short_code};

/// Runs that are listed.
const RUNS_NAMED_MAX: usize = 40;

/// The verdicts with their numbers of runs, and each run that was not steady throughout with its finding. Nothing where
/// no run was long enough. Invalid runs are left out.
pub(super) fn steady(record: &Record, style: Style, width: usize) -> Vec<String> {
    let judged: Vec<(&Run, SteadyVerdict)> =
        record.runs.iter().filter(|run| !is_invalid(run)).filter_map(|run| Some((run, steady_verdict(run)?))).collect();
    if judged.is_empty() {
        return Vec::new();
    }
    let mut counts: BTreeMap<SteadyVerdict, usize> = BTreeMap::new();
    judged.iter().for_each(|(_, word)| *counts.entry(*word).or_default() += 1);
    let counted = list(counts.iter().map(|(word, count)| format!("{count} {}", word.word())));
    let all = format!("of {} that are long enough: {counted}", plural(judged.len() as u64, "run"));
    let mut lines = paragraph("", 2, &all, width);
    let mut others = judged.iter().filter(|(_, word)| *word != SteadyVerdict::Steady);
    for (run, word) in others.by_ref().take(RUNS_NAMED_MAX) {
        let finding = run.findings.iter().find(|finding| finding.check() == Check::Steady);
        let verdict = finding.map_or(Verdict::Pass, |finding| finding.verdict);
        let text = finding.map_or_else(|| word.word().to_owned(), finding_text);
        let (code, of) = short_code(&clean(&run.test));
        let label = format!("  {:<5}{:>4} {code} {}", mark(verdict), run.number, dop(run.dop, run.sweep));
        let is_warning = verdict == Verdict::Warn;
        let paragraph = paragraph(&label, label.chars().count() + 2, &format!("{text}{of}"), width);
        lines.extend(paragraph.into_iter().enumerate().map(|(index, line)| match index {
            0 if is_warning => style.paint(&line, Ink::Warning),
            _ => line,
        }));
    }
    let more = others.count();
    lines.extend((more > 0).then(|| format!("  and {more} more, see the record")));
    lines
}
