//! How a measurement of random blocks, of loads or of file streams ends on the command line.

use record::{Check, Outcome, Record, Run, Verdict};
use run::{Error, Measured, Result};

use crate::output::print;

/// Prints what `text` makes of the record at its place, and says what went wrong, if anything did.
///
/// # Errors
/// What broke the measurement off, and a run that is no result.
pub fn show(measured: Measured, text: impl FnOnce(&Record, &str) -> String) -> Result<()> {
    let place = measured.path.display().to_string();
    if !measured.record.runs.is_empty() {
        print(&text(&measured.record, &place))?;
    }
    if let Some(error) = measured.error {
        return Err(error);
    }
    match measured.record.runs.iter().find(|run| has_failed(run)) {
        Some(run) => Err(Error::environment(format!("run {} is no result", run.number))
            .hint(format!("`dbdyno report {place}` says why"))),
        None => Ok(()),
    }
}

/// Whether something is wrong with the run itself, and not with what was around it.
fn has_failed(run: &Run) -> bool {
    let own = [Check::Answers, Check::CommitCount, Check::LittlesLaw, Check::Failures];
    let wrong = |check: &Check, verdict: Verdict| verdict == Verdict::Fail && own.contains(check);
    run.outcome != Outcome::Done || run.findings.iter().any(|finding| wrong(&finding.check(), finding.verdict))
}
