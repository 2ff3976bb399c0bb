//! The limit of a run: utilisation of each resource, and breakdown of the response time.
//!
//! The layered roofline: for each resource k with the capacity C_k, as a probe of the same record found it, and the
//! demand d_k of an operation, X <= min C_k/d_k, and U_k = X d_k/C_k is the utilisation. 0.9 or more is the limit.
//! Otherwise there may be too few clients (N < N* = X_max (D + Z), the asymptotic bounds of Denning and Buzen 1978), or
//! one class of waits dominates the response time; otherwise the limit is unexplained.
//!
//! Two cases take precedence: a single thread that is always on CPU while other processors are idle, and processors
//! busy with foreign load, which do not explain sessions that wait for each other.
//!
//! This is correlation, not causation: causation takes a change of the resource (see [`crate::proofs`]).

mod classes;
mod measured;
mod network;

use record::Ratio;

use self::classes::is_of_sessions;
use crate::rules::RULES;
use crate::wake_up::WakeUp;

pub use classes::{TimeClass, TimeClassName};
pub use measured::{Capacities, attribute};

/// Which resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceName {
    /// The processors.
    Processors,
    /// Random reads of the device.
    RandomReads,
    /// Read bandwidth of the device.
    SequentialReads,
    /// Random writes of the device.
    RandomWrites,
    /// Write bandwidth of the device.
    SequentialWrites,
    /// Syncs of the log.
    SyncedWrites,
    /// What the interface towards the engine sends.
    NetworkSends,
    /// What it receives.
    NetworkReceives,
    /// The threads of dbdyno.
    ClientThreads {
        /// The engine that they are clients of.
        engine: String,
    },
}

impl ResourceName {
    /// Whether more jobs have more of it: each job has a thread of dbdyno.
    pub(crate) fn is_of_jobs(&self) -> bool {
        matches!(self, ResourceName::ClientThreads { .. })
    }

    /// Whether it is a rate of the same device, or the other direction of the same interface.
    pub(crate) fn is_of_same_device(&self, other: &ResourceName) -> bool {
        let kind = |name: &ResourceName| match name {
            ResourceName::RandomReads
            | ResourceName::SequentialReads
            | ResourceName::RandomWrites
            | ResourceName::SequentialWrites
            | ResourceName::SyncedWrites => Some(true),
            ResourceName::NetworkSends | ResourceName::NetworkReceives => Some(false),
            ResourceName::Processors | ResourceName::ClientThreads { .. } => None,
        };
        kind(self).is_some() && kind(self) == kind(other)
    }
}

/// A resource with a capacity per second.
#[derive(Clone, Debug, PartialEq)]
pub struct Resource {
    /// Which one.
    pub name: ResourceName,
    /// Capacity per second, above 0.
    pub capacity: f64,
    /// Demand of an operation, in the same unit.
    pub demand_per_operation: f64,
}

/// The measured run as a closed queueing system.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClosedSystem {
    /// X: operations per second.
    pub rate: f64,
    /// N: clients that can be active at a time.
    pub clients: f64,
    /// D: response time of an operation with one client, seconds, where measured.
    pub demand_seconds: Option<f64>,
    /// Z: think time, seconds.
    pub think_seconds: f64,
    /// Whether it is an open loop that achieved its target rate.
    pub keeps_up: bool,
    /// CPU utilisation, corrected for SMT.
    pub cpu_used: Option<Ratio>,
    /// The other resources.
    pub resources: Vec<Resource>,
    /// Known classes of the response time; the rest up to 1 is unknown.
    pub classes: Vec<TimeClass>,
    /// Share of the time that the work of a single client was on CPU, in client or server; absent with several clients.
    pub thread_used: Option<Ratio>,
    /// Share of the busy CPU time that is of the client and the engine; the rest is foreign load.
    pub own_work: Option<Ratio>,
    /// Share of all processors used by other programs.
    pub foreign: Option<Ratio>,
    /// What wake-ups of idle processors add to a step.
    pub wake_up: Option<WakeUp>,
}

/// The limit of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum Limiter {
    /// The processors.
    Processors,
    /// The processors, because of other programs.
    OtherPrograms {
        /// Share of all processors used by them.
        used: Ratio,
    },
    /// A resource.
    Resource(ResourceName),
    /// A single thread, while other processors are idle.
    OneThread {
        /// Share of the time that it was on CPU.
        used: Ratio,
    },
    /// Wake-ups of idle processors in the round trips to a server on this host.
    WakeUps(WakeUp),
    /// The target rate.
    Offered,
    /// Too few clients.
    TooFewClients {
        /// N: clients that can be active at a time.
        clients: f64,
        /// N*: number of clients that saturating the busiest resource takes at least. Where they wait for each other, it takes
        /// more.
        knee: f64,
    },
    /// A wait class that dominates the response time.
    Serialised(TimeClass),
    /// No measured resource or wait.
    Unexplained,
}

/// Utilisation of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct Use {
    /// Which one.
    pub name: ResourceName,
    /// Share of its capacity; above 1 where the probe measured too low a capacity.
    pub used: Ratio,
}

/// The limit of a run, with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribution {
    /// The limit.
    pub limiter: Limiter,
    /// Utilisation of all known resources, highest first.
    pub uses: Vec<Use>,
    /// Classes of the response time, largest first.
    pub classes: Vec<TimeClass>,
    /// Share of all processors used by other programs; 0 where none are known.
    pub foreign: Ratio,
}

impl Attribution {
    /// The factor of the rate at which `one` is full (utilisation law): no rate is higher, however many jobs there are.
    /// What other programs take of the processors does not rise with the rate. Infinite for a resource that is not used.
    pub(crate) fn rate_factor_max(&self, one: &Use) -> f64 {
        rate_factor_max(one, self.foreign)
    }

    /// The share of the time of which nothing is known: in no class.
    pub fn unknown_share(&self) -> Ratio {
        Ratio(unknown_share(&self.classes))
    }
}

fn rate_factor_max(one: &Use, foreign: Ratio) -> f64 {
    let others = if one.name == ResourceName::Processors { foreign.0 } else { 0.0 };
    let own = one.used.0 - others;
    if own > 0.0 { (1.0 - others) / own } else { f64::INFINITY }
}

/// What the shares of `classes` leave of the time.
fn unknown_share(classes: &[TimeClass]) -> f64 {
    (1.0 - classes.iter().map(|class| class.share.0).sum::<f64>()).clamp(0.0, 1.0)
}

/// The limit of `system`.
pub fn attribution(system: &ClosedSystem) -> Attribution {
    let cpu = system.cpu_used.map(|used| Use { name: ResourceName::Processors, used });
    let others = system.resources.iter().filter(|resource| resource.capacity > 0.0).map(|resource| Use {
        name: resource.name.clone(),
        used: Ratio(system.rate * resource.demand_per_operation / resource.capacity),
    });
    let mut uses: Vec<Use> = cpu.into_iter().chain(others).collect();
    uses.sort_by(|one, other| other.used.0.total_cmp(&one.used.0));
    let mut classes = system.classes.clone();
    classes.sort_by(|one, other| other.share.0.total_cmp(&one.share.0));
    let foreign = foreign(system);
    Attribution { limiter: limiter(system, &uses, &classes, foreign), uses, classes, foreign }
}

/// Share of all processors that other programs use: where their load was not measured, what is not the CPU time of client and
/// engine.
fn foreign(system: &ClosedSystem) -> Ratio {
    let not_own = || Some(system.cpu_used?.0 * (1.0 - system.own_work?.0));
    let share = system.foreign.map(|foreign| foreign.0).or_else(not_own).unwrap_or(0.0);
    Ratio(share.clamp(0.0, 1.0))
}

fn limiter(system: &ClosedSystem, uses: &[Use], classes: &[TimeClass], foreign: Ratio) -> Limiter {
    let full = |used: Ratio| used.0 >= RULES.attribution_use_min;
    if system.keeps_up {
        // The target rate was achieved, whatever the utilisation.
        return Limiter::Offered;
    }
    let waiting = classes.iter().find(|class| class.name != TimeClassName::OnProcessor && is_of_sessions(class));
    if system.cpu_used.is_some_and(full) && !are_busy_with_foreign_load(system, waiting) {
        let own = |foreign: &Ratio| system.cpu_used.map_or(0.0, |used| used.0) - foreign.0;
        let taken = system.foreign.filter(|foreign| foreign.0 > 0.0 && own(foreign) < RULES.attribution_use_min);
        return taken.map_or(Limiter::Processors, |used| Limiter::OtherPrograms { used });
    }
    if let Some(found) = uses.iter().find(|found| found.name != ResourceName::Processors && full(found.used)) {
        return Limiter::Resource(found.name.clone());
    }
    if let Some(used) = system.thread_used.filter(|used| full(*used)) {
        return Limiter::OneThread { used };
    }
    let woken = system.wake_up.filter(|wake_up| wake_up.share().0 >= RULES.attribution_class_min);
    if let Some(wake_up) = woken.filter(|wake_up| waiting.is_none_or(|class| class.share.0 <= wake_up.share().0)) {
        return Limiter::WakeUps(wake_up);
    }
    let shared = uses.iter().filter(|found| !found.name.is_of_jobs());
    let factor = shared.map(|found| rate_factor_max(found, foreign)).fold(f64::INFINITY, f64::min);
    let rate_max = Some(system.rate * factor).filter(|rate| rate.is_finite());
    let knee = rate_max.and_then(|rate_max| Some(rate_max * (system.demand_seconds? + system.think_seconds)));
    if let Some(knee) = knee.filter(|knee| system.clients < *knee) {
        return Limiter::TooFewClients { clients: system.clients, knee };
    }
    // The unknown part may be a single class: it must not be larger than the named one. CPU time is not a wait.
    let least = RULES.attribution_class_min.max(unknown_share(classes));
    let largest = classes.first().filter(|class| class.name != TimeClassName::OnProcessor && class.share.0 >= least);
    largest.map_or(Limiter::Unexplained, |class| Limiter::Serialised(class.clone()))
}

/// Whether the processors are busy with foreign load while the run mostly waits for something else.
fn are_busy_with_foreign_load(system: &ClosedSystem, waiting: Option<&TimeClass>) -> bool {
    system.own_work.is_some_and(|own| own.0 < RULES.attribution_own_work_min)
        && waiting.is_some_and(|class| class.share.0 >= RULES.attribution_waiting_min)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn resource(name: ResourceName, capacity: f64, demand_per_operation: f64) -> Resource {
        Resource { name, capacity, demand_per_operation }
    }

    fn threads() -> ResourceName {
        ResourceName::ClientThreads { engine: "engine".to_owned() }
    }

    fn system() -> ClosedSystem {
        ClosedSystem {
            rate: 1_000.0,
            clients: 32.0,
            demand_seconds: Some(0.004),
            cpu_used: Some(Ratio(0.5)),
            resources: vec![resource(ResourceName::RandomReads, 10_000.0, 6.2), resource(threads(), 1e9, 8e4)],
            ..ClosedSystem::default()
        }
    }

    #[test]
    fn the_fullest_resource_is_the_limit() {
        let cpu = ClosedSystem { cpu_used: Some(Ratio(0.97)), ..system() };
        let found = attribution(&cpu);
        assert_eq!(found.limiter, Limiter::Processors);
        let names: Vec<ResourceName> = found.uses.into_iter().map(|one| one.name).collect();
        assert_eq!(names, [ResourceName::Processors, ResourceName::RandomReads, threads()]);
        let device = ClosedSystem { resources: vec![resource(ResourceName::RandomReads, 10_000.0, 9.5)], ..system() };
        let taken = ClosedSystem { foreign: Some(Ratio(0.4)), ..cpu };
        assert_eq!(attribution(&taken).limiter, Limiter::OtherPrograms { used: Ratio(0.4) });
        assert_eq!(attribution(&device).limiter, Limiter::Resource(ResourceName::RandomReads));
    }

    #[test]
    fn too_few_clients_waits_and_unexplained_limits_are_distinguished() {
        // X_max = 1000 / 0.62, N* = 6.45.
        let few = attribution(&ClosedSystem { clients: 4.0, ..system() });
        assert!(matches!(few.limiter, Limiter::TooFewClients { clients: 4.0, knee } if (knee - 6.4516).abs() < 1e-3));
        assert_eq!(attribution(&system()).limiter, Limiter::Unexplained);
        let class = |name, share| TimeClass { name, share: Ratio(share) };
        let waits = |locks| ClosedSystem {
            classes: vec![class(TimeClassName::OnProcessor, 0.25), class(TimeClassName::Locks, locks)],
            ..system()
        };
        assert_eq!(attribution(&waits(0.5)).limiter, Limiter::Serialised(class(TimeClassName::Locks, 0.5)));
        assert_eq!(attribution(&waits(0.35)).limiter, Limiter::Unexplained, "more is unknown than known");
        let works = ClosedSystem {
            classes: vec![class(TimeClassName::OnProcessor, 0.8), class(TimeClassName::Locks, 0.15)],
            ..system()
        };
        assert_eq!(attribution(&works).limiter, Limiter::Unexplained, "CPU time is not a wait");
        let offered = ClosedSystem { keeps_up: true, cpu_used: Some(Ratio(0.99)), ..waits(0.5) };
        assert_eq!(attribution(&offered).limiter, Limiter::Offered);
    }

    #[test]
    fn nothing_known_is_unexplained() {
        let found = attribution(&ClosedSystem { rate: 1.0, ..ClosedSystem::default() });
        assert_eq!((found.limiter, found.uses.len()), (Limiter::Unexplained, 0));
    }

    proptest! {
        #[test]
        fn a_limit_is_never_named_below_its_threshold(
            cpu in 0.0f64..1.2,
            capacities in prop::collection::vec((0.1f64..1e6, 0.0f64..1e3), 0..4),
            clients in 0.0f64..1e3,
        ) {
            let resources =
                capacities.iter().map(|(capacity, demand)| resource(ResourceName::RandomReads, *capacity, *demand));
            let found = attribution(&ClosedSystem {
                cpu_used: Some(Ratio(cpu)), clients, resources: resources.collect(), ..system()
            });
            prop_assert!(found.uses.is_sorted_by(|one, other| one.used.0 >= other.used.0));
            match found.limiter {
                Limiter::Processors | Limiter::OtherPrograms { .. } => prop_assert!(cpu >= 0.9),
                Limiter::Resource(_) => prop_assert!(found.uses[0].used.0 >= 0.9 && cpu < 0.9),
                _ => prop_assert!(found.uses.iter().all(|one| one.used.0 < 0.9)),
            }
        }
    }
}
