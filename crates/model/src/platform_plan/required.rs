//! What all that is required at the same time asks of the parts.

use record::Rate;

use super::PlatformPlan;
use crate::platform::{Asymptotes, commit_seconds, fibre_round_trip_seconds};

/// Sums of what is required; absent where nothing is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demands {
    /// I/Os per second.
    pub iops: Option<f64>,
    /// Bytes read from storage per second.
    pub read: Option<Rate>,
    /// Bytes written to storage per second, log included.
    pub written: Option<Rate>,
    /// Cores: of transactions, and of I/Os over a fabric.
    pub cores: Option<f64>,
    /// Commits per second.
    pub commits: Option<f64>,
    /// Bytes per second to clients and replica.
    pub network: Option<Rate>,
}

/// The sum of those that are there.
fn sum<const N: usize>(parts: [Option<f64>; N]) -> Option<f64> {
    parts.into_iter().flatten().reduce(|one, other| one + other)
}

/// What `plan` requires of its parts.
pub fn demands(plan: &PlatformPlan) -> Demands {
    let required = &plan.required;
    let per_second = |of_one: Option<f64>| Some(required.transactions? * of_one?);
    let iops = sum([required.iops, per_second(required.ios)]);
    let bytes = |share: f64| Some(iops? * share * required.io_bytes?).filter(|bytes| *bytes > 0.0);
    let log = per_second(required.log_bytes);
    let fabric = || {
        let cycles = plan.fabric.as_ref()?.cycles_per_io?;
        let hertz = plan.processor.as_ref()?.clock_hertz?;
        Some(crate::platform::cores_for_io(Rate(iops?), cycles, hertz))
    };
    // A commit that waits for a replica sends the log there.
    let has_replica = plan.commit.as_ref().is_some_and(|commit| commit.remote_flush_seconds.is_some());
    Demands {
        iops,
        read: sum([required.scan_rate.map(|rate| rate.0), bytes(1.0 - required.write_share)]).map(Rate),
        written: sum([bytes(required.write_share), log]).map(Rate),
        cores: sum([per_second(required.cpu_seconds), fabric()]),
        commits: required.commits.or(required.transactions),
        network: sum([per_second(required.network_bytes), log.filter(|_| has_replica)]).map(Rate),
    }
}

/// The time of a commit, seconds: processor, flush and, where it waits for one, replica at the end of the network's fibre.
pub fn commit_latency_seconds(plan: &PlatformPlan) -> Option<f64> {
    let commit = plan.commit.as_ref()?;
    let Some(remote) = commit.remote_flush_seconds else { return Some(commit.cpu_seconds + commit.flush_seconds) };
    let kilometres = plan.network.as_ref().and_then(|network| network.kilometres).unwrap_or(0.0);
    let round_trip = fibre_round_trip_seconds(kilometres);
    Some(commit_seconds(commit.cpu_seconds, commit.flush_seconds, round_trip, remote, commit.is_parallel))
}

/// What so many clients in a closed loop can ask for, and how long they wait at least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clients {
    /// Transactions per second at most.
    pub rate_max: Rate,
    /// Response time at least, seconds.
    pub response_seconds_min: f64,
    /// The number of clients beyond which they queue.
    pub knee: f64,
}

/// The bounds of the required clients, where `possible` transactions per second is what the parts allow.
pub fn clients(plan: &PlatformPlan, possible: Rate) -> Option<Clients> {
    let required = &plan.required;
    let count = required.clients?;
    let read_seconds = plan.data_drives().and_then(|drive| drive.read_seconds);
    let reads = || Some(required.ios? * (1.0 - required.write_share) * read_seconds?);
    let busy = sum([required.cpu_seconds, reads(), commit_latency_seconds(plan)])?;
    let demand_seconds_max = 1.0 / possible.0;
    let bounds = Asymptotes {
        demand_seconds: busy.max(demand_seconds_max),
        demand_seconds_max,
        think_seconds: required.think_seconds,
    };
    Some(Clients {
        rate_max: Rate(bounds.rate_max(count)),
        response_seconds_min: bounds.response_seconds_min(count),
        knee: bounds.knee(),
    })
}
