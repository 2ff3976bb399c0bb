//! What is to be said of the figures of a system, in words.

use model::{Remark, VoidReason, VoidRun};

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
        Remark::BrokenOff(reason) => format!("the measurement was broken off{}", with(reason)),
        Remark::NotSteady { test, runs: 1, of_runs: 1, first_run, finding } => {
            format!("{test}: run {first_run} is {}", finding_text(finding))
        }
        Remark::NotSteady { test, runs, of_runs, first_run, finding } => format!(
            "{test}: {runs} of {of_runs} runs are not steady throughout, run {first_run}: {}",
            finding_text(finding)
        ),
    }
}

/// Why a run is void, in a clause.
pub fn void_run_text(void: &VoidRun) -> String {
    let why = match &void.reason {
        VoidReason::Failed(message) => message.clone(),
        VoidReason::Findings(findings) => finding_texts(findings),
        VoidReason::NothingCounted => "nothing was counted".to_owned(),
    };
    format!("run {}: {why}", void.run)
}
