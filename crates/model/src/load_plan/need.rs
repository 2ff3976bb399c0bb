//! Requirements of a plan by resource.

use record::{Rate, Ratio};

use super::phase::{PhaseTime, core_seconds, loading, phases};
use super::stage::{Place, RateSource, Stage, StageCost};
use super::{Cores, Plan, Units};
use crate::claim::{ClaimBasis, FitVerdict};
use crate::delta::share;
use crate::statistics::Interval;

/// A resource of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Links for the flat file, bytes per second.
    Network,
    /// Processors that client and server share.
    Processors,
    /// Processors of the client.
    ClientProcessors,
    /// Processors of the server.
    ServerProcessors,
    /// Disks, bytes written per second.
    Disks,
    /// The same links in the other direction, for log to replicas, bytes per second.
    ReplicaLinks,
}

impl Resource {
    /// Whether its unit is processors, not bytes per second.
    pub fn is_processors(self) -> bool {
        matches!(self, Resource::Processors | Resource::ClientProcessors | Resource::ServerProcessors)
    }
}

/// Processors required by one stage during its phase.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// The stage.
    pub stage: Stage,
    /// Cores.
    pub cores: Interval,
    /// Workers, rounded up.
    pub workers: f64,
    /// Cores of a worker.
    pub worker_cores: f64,
    /// The source of the rate.
    pub source: RateSource,
}

/// The requirement of one resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// The resource.
    pub resource: Resource,
    /// Required processors, or bytes per second; absent where unknown.
    pub needed: Option<Interval>,
    /// Stages without a rate: the requirement is a lower bound.
    pub unknown: Vec<Stage>,
    /// Available, in the same unit; absent where unknown.
    pub there: Option<f64>,
    /// Required over available; above 1 where insufficient.
    pub used: Option<Ratio>,
    /// Required processors, links or disks; absent where the capacity of one is unknown.
    pub count: Option<f64>,
    /// Seconds that the whole volume takes with the available resource, in the load phase.
    pub seconds: Option<f64>,
    /// Requirements by stage; empty unless processors.
    pub parts: Vec<Part>,
}

impl Need {
    /// Required over available, with its range; absent as `used` is.
    pub fn used_range(&self) -> Option<Interval> {
        self.used?;
        Some(scaled(self.needed?, 1.0 / self.there?))
    }

    /// Whether the resource is enough for all of the range of what is required of it.
    pub fn fits(&self) -> FitVerdict {
        match self.used_range().map(FitVerdict::of) {
            Some(FitVerdict::Fits) if self.unknown.is_empty() => FitVerdict::Fits,
            // What is known of the stages is too much already.
            Some(FitVerdict::DoesNotFit) => FitVerdict::DoesNotFit,
            _ => FitVerdict::NotKnown,
        }
    }
}

/// The requirements of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Needs {
    /// Bytes of flat file per second over the whole time.
    pub flat: Rate,
    /// The same during the load phase, which is higher where other phases follow; absent where no time is left.
    pub loading: Option<Interval>,
    /// Input bytes per second during the load phase; absent as above.
    pub input: Option<Interval>,
    /// The phases, starting with the load.
    pub phases: Vec<PhaseTime>,
    /// All resources: by utilisation, highest first, then those whose availability is unknown.
    pub needs: Vec<Need>,
    /// Whether it fits, by the ranges of all resources.
    pub fits: FitVerdict,
    /// What that rests on.
    pub basis: ClaimBasis,
    /// Bytes of flat file per second over the whole time with the available resources, as far as known; absent where
    /// none is known.
    pub possible: Option<Rate>,
}

impl Needs {
    /// The resource with the highest utilisation; None where no availability is known.
    pub fn bottleneck(&self) -> Option<&Need> {
        self.needs.first().filter(|need| need.used.is_some())
    }
}

/// The requirements of `plan`.
pub fn needs(plan: &Plan) -> Needs {
    let phases = phases(plan, |cost| cost.estimate);
    let loading = loading(plan);
    let mut needs = bytes(plan, loading);
    needs.extend(processors(plan, loading));
    let used = |need: &Need| need.used.map_or(f64::NEG_INFINITY, |used| used.0);
    needs.sort_by(|one, other| {
        let known = other.needed.is_some().cmp(&one.needed.is_some());
        used(other).total_cmp(&used(one)).then(known)
    });
    Needs {
        flat: plan.rate(),
        loading,
        input: loading.map(|rate| scaled(rate, 1.0 / plan.input.ratio)),
        fits: FitVerdict::of_all(needs.iter().map(Need::fits)),
        // Rates of stages that were measured elsewhere or given, and sums over them.
        basis: ClaimBasis::Estimate,
        possible: possible(plan, &needs),
        phases,
        needs,
    }
}

/// Network, disks and links to replicas.
fn bytes(plan: &Plan, loading: Option<Interval>) -> Vec<Need> {
    let need = |resource: Resource, per_byte: Option<f64>, units: Option<&Units>| {
        let needed = loading.zip(per_byte).map(|(loading, per_byte)| scaled(loading, per_byte));
        let there = units.map(|units| units.all().0);
        let count = needed.zip(units).map(|(needed, units)| rounded_up(needed.estimate / units.each.0));
        Need {
            resource,
            needed,
            unknown: Vec::new(),
            there,
            used: needed.zip(there).and_then(|(needed, there)| share(needed.estimate, there)).map(Ratio),
            count,
            seconds: per_byte.zip(there).map(|(per_byte, there)| plan.volume.0 as f64 * per_byte / there),
            parts: Vec::new(),
        }
    };
    let copies = f64::from(plan.replicas) + 1.0;
    let written = plan.written_per_byte.map(|(per_byte, _)| per_byte * copies);
    let sent = plan.log_per_byte.map(|per_byte| per_byte * f64::from(plan.replicas));
    let links = plan.network.as_ref();
    let replicas = (plan.replicas > 0).then(|| need(Resource::ReplicaLinks, sent, links));
    let first = [
        need(Resource::Network, Some(1.0 / plan.input.ratio), links),
        need(Resource::Disks, written, plan.disks.as_ref()),
    ];
    first.into_iter().chain(replicas).collect()
}

/// The pools of processors.
fn processors(plan: &Plan, loading: Option<Interval>) -> Vec<Need> {
    match plan.cores {
        Cores::Shared(there) => vec![pool(plan, loading, Resource::Processors, there, |_| true)],
        Cores::Apart { client, server } => vec![
            pool(plan, loading, Resource::ClientProcessors, client, |stage| stage.place() == Place::Client),
            pool(plan, loading, Resource::ServerProcessors, server, |stage| stage.place() == Place::Server),
        ],
    }
}

fn pool(
    plan: &Plan,
    loading: Option<Interval>,
    resource: Resource,
    there: Option<u32>,
    counts: impl Fn(Stage) -> bool,
) -> Need {
    let all = core_seconds(plan, &counts);
    let waits = core_seconds(plan, |stage| counts(stage) && stage.is_after_the_load()).estimate > 0.0;
    // Processors with later phases have the whole time, others only that of the load.
    let rate = if waits { Some(Interval::around(plan.rate().0, 0.0)) } else { loading };
    let busy = plan.utilisation.0;
    let needed = rate.filter(|_| all.estimate > 0.0).map(|rate| scaled(product(all, rate), 1.0 / busy));
    let there = there.map(f64::from);
    let pipelined = core_seconds(plan, |stage| counts(stage) && !stage.is_after_the_load()).estimate;
    Need {
        resource,
        needed,
        unknown: unknown(plan, &counts),
        there,
        used: needed.zip(there).and_then(|(needed, there)| share(needed.estimate, there)).map(Ratio),
        count: needed.map(|needed| rounded_up(needed.estimate)),
        seconds: there.filter(|_| pipelined > 0.0).map(|there| plan.volume.0 as f64 * pipelined / (there * busy)),
        parts: parts(plan, loading, &counts),
    }
}

/// Requirements of the pipelined stages of a pool; later phases use all available processors.
fn parts(plan: &Plan, loading: Option<Interval>, counts: impl Fn(Stage) -> bool) -> Vec<Part> {
    let Some(loading) = loading else { return Vec::new() };
    let part = |cost: &StageCost| match cost {
        StageCost::Rate(rate) if counts(rate.stage) && !rate.stage.is_after_the_load() => {
            let cores = scaled(product(rate.core_seconds(), loading), 1.0 / plan.utilisation.0);
            let workers = rounded_up(cores.estimate / rate.worker_cores);
            Some(Part { stage: rate.stage, cores, workers, worker_cores: rate.worker_cores, source: rate.source })
        }
        _ => None,
    };
    plan.stages.iter().filter_map(part).collect()
}

/// Mandatory stages that are missing in the plan.
fn unknown(plan: &Plan, counts: impl Fn(Stage) -> bool) -> Vec<Stage> {
    let mut mandatory = vec![Stage::Parse, Stage::Convert, Stage::Insert];
    mandatory.extend(plan.input.name.is_some().then_some(Stage::Decompress));
    mandatory.sort_unstable();
    mandatory.into_iter().filter(|stage| counts(*stage) && plan.cost(*stage).is_none()).collect()
}

/// The rate over the whole time with the known resources: the load takes as long as its slowest resource, plus the
/// later phases.
fn possible(plan: &Plan, needs: &[Need]) -> Option<Rate> {
    let load = needs.iter().filter_map(|need| need.seconds).reduce(f64::max)?;
    let after = core_seconds(plan, Stage::is_after_the_load).estimate;
    let cores = match plan.cores {
        Cores::Shared(cores) => cores,
        Cores::Apart { server, .. } => server,
    };
    let volume = plan.volume.0 as f64;
    let after = match (after > 0.0, cores) {
        (false, _) => 0.0,
        (true, cores) => volume * after / (f64::from(cores?) * plan.utilisation.0),
    };
    Some(Rate(volume / (load + after)))
}

fn scaled(interval: Interval, factor: f64) -> Interval {
    Interval { estimate: interval.estimate * factor, low: interval.low * factor, high: interval.high * factor }
}

/// The product of two positive intervals.
fn product(one: Interval, other: Interval) -> Interval {
    Interval { estimate: one.estimate * other.estimate, low: one.low * other.low, high: one.high * other.high }
}

/// Rounds up, tolerating rounding errors.
fn rounded_up(count: f64) -> f64 {
    (count * (1.0 - 1e-9)).ceil()
}
