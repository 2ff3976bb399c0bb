//! Memory, commits and clients in words.

use model::platform::STREAM_ACHIEVABLE;
use model::platform_plan::{Bound, Part, PlatformPlan, clients, commit_latency_seconds, memory_access};
use record::Ratio;

use super::amount::{rate, seconds};
use super::verdict::possible_transactions;
use crate::figure::{count, nanos, number, percent, percent_digits};

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

/// Commits: their latency, and how many share it.
pub(super) fn commit_sentences(plan: &PlatformPlan) -> Vec<String> {
    let Some((commit, latency)) = plan.commit.as_ref().zip(commit_latency_seconds(plan)) else { return Vec::new() };
    let distance = plan.network.as_ref().and_then(|network| network.kilometres);
    let replica = match (commit.remote_flush_seconds, distance) {
        (Some(_), Some(kilometres)) => format!(" with a replica at {kilometres} km"),
        (Some(_), None) => " with a replica".to_owned(),
        (None, _) => String::new(),
    };
    let group = (commit.group > 1.0).then(|| format!("; {} of them share a flush", commit.group));
    vec![format!("A commit takes {} at least{replica}{}.", seconds(latency), group.unwrap_or_default())]
}

/// Clients in a closed loop.
pub(super) fn client_sentences(plan: &PlatformPlan, bounds: &[Bound]) -> Vec<String> {
    let Some((possible, asking)) = possible_transactions(plan, bounds).zip(plan.required.clients) else {
        return Vec::new();
    };
    let Some(found) = clients(plan, possible) else { return Vec::new() };
    // As many as the parts allow is said already.
    let is_less = found.rate_max.0 < possible.0 * (1.0 - 1e-9);
    let asked = is_less.then(|| format!("ask for {} transactions per second at most and ", number(found.rate_max.0)));
    vec![format!(
        "{} clients {}wait {} at least; from {} clients on they queue.",
        whole(asking),
        asked.unwrap_or_default(),
        seconds(found.response_seconds_min),
        whole(found.knee)
    )]
}

fn whole(clients: f64) -> String {
    count(clients.ceil() as u64)
}
