//! Memory, commits and clients in words.

use model::platform::STREAM_ACHIEVABLE;
use model::platform_plan::{Bound, Measure, Part, PlatformPlan, clients, commit_latency_seconds, memory_access};
use record::Ratio;

use super::amount::{rate, seconds};
use super::verdict::possible_transactions;
use crate::figure::{nanos, number, percent, percent_digits, three_digits};

/// Memory: what programs reach of the peak, what one core reads, what other nodes cost.
pub(super) fn memory_sentences(plan: &PlatformPlan, bounds: &[Bound]) -> Vec<String> {
    let mut found = Vec::new();
    let is_peak = plan.memory.as_ref().is_some_and(|memory| memory.rate.is_none());
    if is_peak && bounds.iter().any(|bound| bound.part == Part::Memory) {
        let (least, most) = STREAM_ACHIEVABLE;
        found.push(format!(
            "Programs reach {} to {} of the peak of the channels.",
            percent_digits(Ratio(least)),
            percent(Ratio(most))
        ));
    }
    let Some(access) = memory_access(plan) else { return found };
    found.extend(access.one_core.map(|one| format!("One core reads {} at most.", rate(one))));
    found.extend(access.mean.map(|(mean_ns, share)| {
        format!("An access takes {} in the mean, {} of them to other nodes.", nanos(mean_ns), percent(Ratio(share)))
    }));
    found
}

/// Commits: their latency, and what one session can do.
pub(super) fn commit_sentences(plan: &PlatformPlan, bounds: &[Bound]) -> Vec<String> {
    let Some((commit, latency)) = plan.commit.as_ref().zip(commit_latency_seconds(plan)) else { return Vec::new() };
    let distance = plan.network.as_ref().and_then(|network| network.kilometres);
    let replica = match (commit.remote_flush_seconds, distance) {
        (Some(_), Some(kilometres)) => format!(" with a replica at {kilometres} km"),
        (Some(_), None) => " with a replica".to_owned(),
        (None, _) => String::new(),
    };
    let possible = bounds.iter().find(|bound| bound.measure == Measure::Commits).map(|bound| bound.available);
    let possible = possible
        .map(|rate| format!("; with {} of them in one flush {} per second", three_digits(commit.group), number(rate)));
    vec![format!("A commit takes {} at least{replica}{}.", seconds(latency), possible.unwrap_or_default())]
}

/// Clients in a closed loop.
pub(super) fn client_sentences(plan: &PlatformPlan, bounds: &[Bound]) -> Vec<String> {
    let found = possible_transactions(plan, bounds).and_then(|possible| clients(plan, possible));
    let (Some(found), Some(count)) = (found, plan.required.clients) else { return Vec::new() };
    vec![format!(
        "{} clients ask for {} transactions per second at most and wait {} at least; from {} clients on they queue.",
        number(count),
        number(found.rate_max.0),
        seconds(found.response_seconds_min),
        number(found.knee.ceil())
    )]
}
