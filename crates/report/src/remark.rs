//! What is to be said of the figures of a system, in words.

use model::{InvalidReason, InvalidRun, Remark};

use crate::finding::{finding_text, finding_texts};

/// A remark in a clause.
pub(crate) fn remark_text(remark: &Remark) -> String {
    let with = |reason: &Option<String>| reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    match remark {
        Remark::Published { text, .. } => text.clone(),
        Remark::NotOptimised => {
            "measured with a build of dbdyno that was not optimised: its figures mean little".to_owned()
        }
        Remark::NotFinished(reason) => format!("the measurement is not finished{}", with(reason)),
        Remark::Aborted(reason) => format!("the measurement was broken off{}", with(reason)),
        Remark::NotSteady { test, runs: 1, of_runs: 1, first_run, finding } => {
            format!("{test}: run {first_run} is {}", finding_text(finding))
        }
        Remark::NotSteady { test, runs, of_runs, first_run, finding } => format!(
            "{test}: {runs} of {of_runs} runs are not steady throughout, run {first_run}: {}",
            finding_text(finding)
        ),
    }
}

/// Why a run is invalid, in a clause.
pub fn invalid_run_text(invalid: &InvalidRun) -> String {
    let why = match &invalid.reason {
        InvalidReason::Failed(message) => message.clone(),
        InvalidReason::Findings(findings) => finding_texts(findings),
        InvalidReason::NothingCounted => "nothing was counted".to_owned(),
    };
    format!("run {}: {why}", invalid.run)
}
