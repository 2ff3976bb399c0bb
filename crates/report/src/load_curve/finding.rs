//! What the checks say of runs that were made to find it out: that a rate, or a service level, is not kept.

use record::{Finding, Run, Verdict};

use crate::finding::finding_text;
use crate::layout::paragraph;
use crate::words::variation;

/// Findings that are told; of more the rest is counted.
const FINDINGS_MAX: usize = 12;

/// The findings of `run` that answer what it was made for, and are no pass.
pub(crate) fn answers(run: &Run) -> impl Iterator<Item = &Finding> {
    run.findings.iter().filter(|finding| finding.verdict != Verdict::Pass && model::is_answer(run, finding))
}

/// A paragraph for each of `findings`, with the run that it is of and in what that differs from the plain one, from
/// column `indent` on.
pub(crate) fn told<'a>(
    mut findings: impl Iterator<Item = (&'a Run, &'a Finding)>,
    indent: usize,
    width: usize,
) -> Vec<String> {
    let mut lines = Vec::new();
    for (run, finding) in findings.by_ref().take(FINDINGS_MAX) {
        let of = run.variation.map(|of| format!(", {}", variation(of))).unwrap_or_default();
        lines.extend(paragraph("", indent, &format!("run {}{of}: {}", run.number, finding_text(finding)), width));
    }
    let more = findings.count();
    lines.extend((more > 0).then(|| format!("{:indent$}and {more} more: the record has them", "")));
    lines
}
