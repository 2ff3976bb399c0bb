//! Points and remarks of a system, for several views.

use model::{InvalidReason, InvalidRun, Remark, SystemPoint, SystemTest};
use record::Sweep;

use crate::finding::{finding_text, finding_texts};

/// The median of the rates of the repeats, see [`SystemPoint::median`].
pub(crate) fn median_rate(point: &SystemPoint) -> Option<f64> {
    point.median().map(|rate| rate.0)
}

/// The point with the highest median, and that rate.
pub(crate) fn best(test: &SystemTest) -> Option<(&SystemPoint, f64)> {
    let points = test.points.iter().filter_map(|point| Some((point, median_rate(point)?)));
    points.reduce(|best, point| if point.1 > best.1 { point } else { best })
}

/// The degree of parallelism as one number.
pub(crate) fn n_of(point: &SystemPoint) -> f64 {
    f64::from(point.degree.in_flight.unwrap_or_else(|| point.degree.parallelism()))
}

/// What the test varies, as a plural noun.
pub(crate) fn workers(test: &SystemTest) -> &'static str {
    let nodes = test.points.iter().any(|point| point.degree.dop.nodes > 1);
    let in_flight = test.points.iter().any(|point| point.degree.in_flight.is_some());
    match (in_flight, nodes, test.sweep) {
        (true, _, _) => "I/Os in flight",
        (_, true, _) => "nodes",
        (_, _, Sweep::Jobs) => "jobs",
        (_, _, Sweep::Threads) => "threads",
        (_, _, Sweep::Agents { .. }) => "agents",
    }
}

/// A remark in a clause.
pub(crate) fn remark_text(remark: &Remark) -> String {
    let with = |reason: &Option<String>| reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    match remark {
        Remark::Published { text, .. } => text.clone(),
        Remark::NotOptimised => "measured with an unoptimised build of dbdyno: its figures mean little".to_owned(),
        Remark::NotFinished(reason) => format!("the measurement is not finished{}", with(reason)),
        Remark::Aborted(reason) => format!("the measurement was aborted{}", with(reason)),
        Remark::NotSteady { test, runs: 1, of_runs: 1, first_run, finding } => {
            format!("{test}: run {first_run} is {}", finding_text(finding))
        }
        Remark::NotSteady { test, runs, of_runs, first_run, finding } => format!(
            "{test}: {runs} of {of_runs} runs are not steady, such as run {first_run}: {}",
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
