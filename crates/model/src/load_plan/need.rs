//! What a plan needs of each resource.

use record::{Rate, Ratio};

use super::phase::{PhaseKind, PhaseTime, core_seconds, phases};
use super::stage::{Place, RateSource, Stage, StageCost};
use super::{Cores, Plan, Units};
use crate::delta::share;
use crate::statistics::Interval;

/// What a load uses up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    /// Links over which the flat file comes, bytes per second.
    Network,
    /// Processors that client and server share.
    Processors,
    /// Those of the client alone.
    ClientProcessors,
    /// Those of the server alone.
    ServerProcessors,
    /// Disks, bytes written per second.
    Disks,
    /// The same links in the other direction, over which log goes to replicas, bytes per second.
    ReplicaLinks,
}

impl Resource {
    /// Whether it is counted in processors, and not in bytes per second.
    pub fn is_processors(self) -> bool {
        matches!(self, Resource::Processors | Resource::ClientProcessors | Resource::ServerProcessors)
    }
}

/// What one stage needs of processors while its phase goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Which stage.
    pub stage: Stage,
    /// Cores.
    pub cores: Interval,
    /// Workers at the rate of one of them, rounded up.
    pub workers: f64,
    /// Cores of a worker.
    pub worker_cores: f64,
    /// Where the rate comes from.
    pub source: RateSource,
}

/// What is needed of one resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// Of what.
    pub resource: Resource,
    /// Processors, or bytes per second; absent where it is not known.
    pub needed: Option<Interval>,
    /// Stages that need some of it, of which no rate is known: what is needed is at least the above.
    pub unknown: Vec<Stage>,
    /// What there is, in the same unit; absent where it is not known.
    pub there: Option<f64>,
    /// What is needed over what there is; above 1 where it is not enough.
    pub used: Option<Ratio>,
    /// How many processors, links or disks are needed; absent where it is not known what one of them gives.
    pub count: Option<f64>,
    /// Seconds that the whole volume takes with what there is of this resource, in the phase of the load.
    pub seconds: Option<f64>,
    /// What stages need of it; empty of what is not processors.
    pub parts: Vec<Part>,
}

/// What a plan comes to.
#[derive(Clone, Debug, PartialEq)]
pub struct Needs {
    /// Bytes of flat file per second over the whole time.
    pub flat: Rate,
    /// The same while the load goes on, which is more where something comes after it; absent where no time is left.
    pub loading: Option<Rate>,
    /// What is read or sent for it; absent as above.
    pub input: Option<Rate>,
    /// The phases, the load first.
    pub phases: Vec<PhaseTime>,
    /// Every resource: the most used first, then those of which it is not known what there is.
    pub needs: Vec<Need>,
    /// Whether it fits; absent where nothing that is known is too little, and something is not known.
    pub fits: Option<bool>,
    /// Bytes of flat file per second over the whole time that what there is allows, as far as it is known; absent where
    /// nothing is.
    pub possible: Option<Rate>,
}

impl Needs {
    /// The resource that is used most; none where of none is known what there is.
    pub fn bottleneck(&self) -> Option<&Need> {
        self.needs.first().filter(|need| need.used.is_some())
    }
}

/// What `plan` needs.
pub fn needs(plan: &Plan) -> Needs {
    let phases = phases(plan);
    let left = phases.iter().find(|phase| phase.kind == PhaseKind::Load).map_or(0.0, |phase| phase.seconds);
    // What is a rounding error of the whole is no time.
    let loading = (left > plan.window_seconds * 1e-9).then(|| plan.volume.0 as f64 / left);
    let mut needs = bytes(plan, loading);
    needs.extend(processors(plan, loading));
    let used = |need: &Need| need.used.map_or(f64::NEG_INFINITY, |used| used.0);
    needs.sort_by(|one, other| {
        let known = other.needed.is_some().cmp(&one.needed.is_some());
        used(other).total_cmp(&used(one)).then(known)
    });
    let is_short = needs.iter().any(|need| need.used.is_some_and(|used| used.0 > 1.0));
    let is_known = needs.iter().all(|need| need.used.is_some() && need.unknown.is_empty());
    Needs {
        flat: plan.rate(),
        loading: loading.map(Rate),
        input: loading.map(|rate| Rate(rate / plan.input.ratio)),
        fits: if is_short { Some(false) } else { is_known.then_some(true) },
        possible: possible(plan, &needs),
        phases,
        needs,
    }
}

/// Network, disks and links to replicas.
fn bytes(plan: &Plan, loading: Option<f64>) -> Vec<Need> {
    let need = |resource: Resource, per_byte: Option<f64>, units: Option<&Units>| {
        let needed = loading.zip(per_byte).map(|(loading, per_byte)| loading * per_byte);
        let there = units.map(|units| units.all().0);
        let count = needed.zip(units).map(|(needed, units)| whole(needed / units.each.0));
        Need {
            resource,
            needed: needed.map(|needed| Interval::around(needed, 0.0)),
            unknown: Vec::new(),
            there,
            used: needed.zip(there).and_then(|(needed, there)| share(needed, there)).map(Ratio),
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
fn processors(plan: &Plan, loading: Option<f64>) -> Vec<Need> {
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
    loading: Option<f64>,
    resource: Resource,
    there: Option<u32>,
    counts: impl Fn(Stage) -> bool,
) -> Need {
    let all = core_seconds(plan, &counts);
    let waits = core_seconds(plan, |stage| counts(stage) && stage.is_after_the_load()).estimate > 0.0;
    // Who works on after the load has the whole time for both; who does not has that of the load.
    let rate = if waits { Some(plan.rate().0) } else { loading };
    let busy = plan.utilisation.0;
    let needed = rate.filter(|_| all.estimate > 0.0).map(|rate| scaled(all, rate / busy));
    let there = there.map(f64::from);
    let pipelined = core_seconds(plan, |stage| counts(stage) && !stage.is_after_the_load()).estimate;
    Need {
        resource,
        needed,
        unknown: unknown(plan, &counts),
        there,
        used: needed.zip(there).and_then(|(needed, there)| share(needed.estimate, there)).map(Ratio),
        count: needed.map(|needed| whole(needed.estimate)),
        seconds: there.filter(|_| pipelined > 0.0).map(|there| plan.volume.0 as f64 * pipelined / (there * busy)),
        parts: parts(plan, loading, &counts),
    }
}

/// What each stage of a pool needs while its phase goes on; of what comes after the load, on all processors that there
/// are for it, nothing is told.
fn parts(plan: &Plan, loading: Option<f64>, counts: impl Fn(Stage) -> bool) -> Vec<Part> {
    let Some(loading) = loading else { return Vec::new() };
    let part = |cost: &StageCost| match cost {
        StageCost::Rate(rate) if counts(rate.stage) && !rate.stage.is_after_the_load() => {
            let cores = scaled(rate.core_seconds(), loading / plan.utilisation.0);
            let workers = whole(cores.estimate / rate.worker_cores);
            Some(Part { stage: rate.stage, cores, workers, worker_cores: rate.worker_cores, source: rate.source })
        }
        _ => None,
    };
    plan.stages.iter().filter_map(part).collect()
}

/// Stages that every such load goes through, of which the plan says nothing.
fn unknown(plan: &Plan, counts: impl Fn(Stage) -> bool) -> Vec<Stage> {
    let mut gone_through = vec![Stage::Parse, Stage::Convert, Stage::Insert];
    gone_through.extend(plan.input.name.is_some().then_some(Stage::Decompress));
    gone_through.sort_unstable();
    gone_through.into_iter().filter(|stage| counts(*stage) && plan.cost(*stage).is_none()).collect()
}

/// The rate over the whole time that what is known allows: the load takes as long as the resource that takes longest, and
/// what comes after it is added.
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

/// The next whole number; what is above one by less than a rounding error is that number.
fn whole(count: f64) -> f64 {
    (count * (1.0 - 1e-9)).ceil()
}
