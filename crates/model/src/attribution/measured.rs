//! The limits of the runs of a record.

use std::collections::{HashMap, HashSet};

use record::{Cpu, Dop, IoKind, Location, Pace, Ratio, Record, Run, Unit, name};

use super::classes::classes;
use super::network::Network;
use super::{Attribution, ClosedSystem, Resource, ResourceName, attribution};
use crate::cpu::cpu_shares;
use crate::degree::Degree;
use crate::delta::{delta, per_second, rate, rate_in, share};
use crate::foreign::{foreign_cpu, is_under_foreign_load};
use crate::group::{ByTest, fastest, valid};
use crate::observed_side::{server_side, server_sides};
use crate::platform::{capacity_used, smt_yield};
use crate::rules::RULES;
use crate::verdict::is_invalid;
use crate::wake_up::WakeUps;

/// CPU probes, any of which gives the SMT yield.
const PROCESSOR_PROBES: [&str; 3] = ["C11", "C13", "C14"];

/// The capacities that the probes of a record found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capacities {
    /// Hardware threads of the host.
    threads: u32,
    /// SMT yield Y, where the host has two threads per core and a probe was run on both.
    smt_yield: Option<f64>,
    /// Storage capacities.
    storage: Vec<Capacity>,
    /// The codes of the storage probes.
    storage_probes: HashSet<String>,
    /// The engine, where it is not embedded.
    engine: Option<String>,
    /// Whether the engine runs on another host: its processors and devices are known where an agent observes it.
    is_remote: bool,
    /// Hardware threads of each observed host of a server, by its name.
    server_threads: HashMap<String, u32>,
    /// The network to the engine, where it was measured.
    network: Option<Network>,
    /// What wake-ups of processors add to round trips, where it is known.
    wake_ups: Option<WakeUps>,
    /// Time of an operation with one job, seconds, by test.
    demand_seconds: HashMap<String, f64>,
}

/// A storage capacity.
#[derive(Clone, Debug, PartialEq)]
struct Capacity {
    what: ResourceName,
    counter: &'static str,
    per_second: f64,
}

impl Capacities {
    /// The capacities of `record`.
    pub fn of(record: &Record) -> Capacities {
        let by_test = ByTest::of(record);
        let engine = record.engine.as_ref().filter(|engine| engine.location != Location::InProcess);
        let mut capacities = Capacities {
            threads: record.host.cpu.threads,
            smt_yield: PROCESSOR_PROBES.iter().find_map(|code| yield_of(by_test.runs(code), &record.host.cpu)),
            is_remote: engine.is_some_and(|engine| engine.location == Location::Remote),
            engine: engine.map(|engine| engine.title.clone()),
            network: Network::of(record),
            wake_ups: WakeUps::of(record),
            server_threads: record.server_hosts.iter().map(|host| (host.name.clone(), host.host.cpu.threads)).collect(),
            ..Capacities::default()
        };
        for run in &record.runs {
            let runs = by_test.runs(&run.test);
            // Each test once, at its first run.
            if !runs.first().is_some_and(|first| std::ptr::eq(*first, run)) {
                continue;
            }
            if let Some(seconds) = demand_seconds(runs, run.unit) {
                capacities.demand_seconds.insert(run.test.clone(), seconds);
            }
            let undisturbed: Vec<&Run> = runs.iter().copied().filter(|run| !is_under_foreign_load(run)).collect();
            if let Some(found) = storage(&undisturbed).filter(|_| run.kind.is_probe()) {
                capacities.storage_probes.insert(run.test.clone());
                capacities.add(found);
            }
        }
        capacities
    }

    /// Keeps the best of several probes of one kind.
    fn add(&mut self, found: Capacity) {
        match self.storage.iter_mut().find(|capacity| capacity.what == found.what) {
            Some(capacity) => capacity.per_second = capacity.per_second.max(found.per_second),
            None => self.storage.push(found),
        }
    }

    /// The limit of `run`, by CPU time, block layer counters over storage capacities, CPU time of dbdyno's threads, and
    /// the breakdown of the response time. None for an invalid run, for a run without an engine, and where nothing is
    /// known. For a remote engine dbdyno itself is known, the network where it was measured, and its host where an agent
    /// observed it. A storage capacity counts where a storage probe is the ceiling of the run: then the engine's data are
    /// on the probed device.
    pub fn attribute(&self, run: &Run) -> Option<Attribution> {
        if is_invalid(run) || run.storage.is_some() || run.kind.is_probe() {
            return None;
        }
        let rate = per_second(run, run.totals.operations)?.0;
        let storage = self.storage.iter().filter(|_| self.is_on_probed_device(run)).filter_map(|capacity| {
            let demand_per_operation = share(self::rate(run, capacity.counter)?.0, rate)?;
            Some(Resource { name: capacity.what.clone(), capacity: capacity.per_second, demand_per_operation })
        });
        let observed = if self.is_remote { server_side(run) } else { None };
        let server = observed.as_ref().or(Some(run).filter(|_| !self.is_remote));
        let network = self.network.as_ref().map(|network| network.resources(run, rate)).unwrap_or_default();
        let round_trips = self.network.as_ref().and_then(|network| network.share_of_time(run));
        let wake_up = self.wake_ups.as_ref().and_then(|wake_ups| wake_ups.of_run(run));
        let system = ClosedSystem {
            rate,
            clients: f64::from(run.dop.jobs.saturating_mul(run.dop.threads)),
            demand_seconds: self.demand_seconds.get(&run.test).copied(),
            think_seconds: match run.pace {
                Pace::ThinkTime { think_ns } => think_ns.seconds(),
                _ => 0.0,
            },
            keeps_up: achieves_target(run),
            cpu_used: server.and_then(|server| self.cpu_used_of_busiest(run, server)),
            resources: storage.chain(network).chain(self.client(run, rate)).collect(),
            classes: classes(
                server.unwrap_or(run),
                server.is_some(),
                round_trips,
                wake_up.map(|found| found.share().0),
            ),
            thread_used: self.thread_used(run),
            own_work: self.own_work(server.unwrap_or(run)),
            foreign: server.and_then(foreign_cpu).map(|found| found.all()),
            wake_up,
        };
        let is_known = system.cpu_used.is_some() || !system.resources.is_empty() || !system.classes.is_empty();
        (is_known && rate > 0.0).then(|| attribution(&system))
    }

    fn is_on_probed_device(&self, run: &Run) -> bool {
        let ceiling = run.ceiling.as_ref().filter(|_| !self.is_remote);
        ceiling.is_some_and(|ceiling| self.storage_probes.contains(&ceiling.probe))
    }

    /// Hardware threads of the host whose processors [`attribute`](Capacities::attribute) tells the utilisation of: the
    /// busiest of an observed server, else that of dbdyno and the engine. None where they are not known.
    pub fn processors(&self, run: &Run) -> Option<u32> {
        let threads = match self.is_remote {
            true => self.server_threads.get(self.busiest(run)?.0).copied(),
            false => Some(self.threads),
        };
        threads.filter(|threads| *threads > 0)
    }

    /// CPU utilisation of the busiest of the hosts of the engine, which `server` is the sum of.
    fn cpu_used_of_busiest(&self, run: &Run, server: &Run) -> Option<Ratio> {
        if !self.is_remote || run.server_hosts.len() < 2 {
            return self.cpu_used(server);
        }
        self.busiest(run).map(|(_, used)| used)
    }

    /// The busiest of the observed hosts of the server in `run`: its name, and its CPU utilisation.
    fn busiest<'a>(&self, run: &'a Run) -> Option<(&'a str, Ratio)> {
        let used = server_sides(run).into_iter().filter_map(|(name, side)| Some((name, self.cpu_used(&side)?)));
        used.max_by(|one, other| one.1.0.total_cmp(&other.1.0))
    }

    /// CPU utilisation of the host of the engine; without an SMT probe as counted by the operating system.
    fn cpu_used(&self, run: &Run) -> Option<Ratio> {
        let busy = cpu_shares(run)?.busy().0;
        // The probes ran on the host of dbdyno.
        let smt_yield = self.smt_yield.filter(|_| !self.is_remote);
        Some(Ratio(smt_yield.map_or(busy, |yielded| capacity_used(busy, yielded))))
    }

    /// Share of the window that a single client and its server process were on CPU: they alternate, so that together
    /// they are one thread. None with more clients, with a window too short for the clocks, and where the engine's part
    /// is not known.
    fn thread_used(&self, run: &Run) -> Option<Ratio> {
        let is_single = run.dop.jobs == 1 && run.dop.threads == 1;
        let is_measured = run.window_ns.0 >= RULES.client_share_window_ns_min && !self.is_remote;
        (is_single && is_measured).then_some(())?;
        share(self.own_cpu_ns(run)?, run.window_ns.0 as f64).map(Ratio)
    }

    /// Share of the busy CPU time that is of dbdyno and the engine.
    fn own_work(&self, run: &Run) -> Option<Ratio> {
        let busy = delta(run, name::HOST_CPU_USER_NS)?.checked_add(delta(run, name::HOST_CPU_SYSTEM_NS)?)?;
        share(self.own_cpu_ns(run)?, busy as f64).map(Ratio)
    }

    /// CPU time of dbdyno and the engine; None where the engine's is not known.
    fn own_cpu_ns(&self, run: &Run) -> Option<f64> {
        let client = delta(run, name::CLIENT_CPU_NS)? as f64;
        match self.engine {
            Some(_) => Some(client + delta(run, name::SERVER_CPU_NS)? as f64),
            None => Some(client),
        }
    }

    /// The threads of dbdyno; None for an embedded engine, which shares them.
    fn client(&self, run: &Run, rate: f64) -> Option<Resource> {
        let name = ResourceName::ClientThreads { engine: self.engine.clone()? };
        let capacity = f64::from(run.dop.jobs.min(self.threads));
        let used = share(delta(run, name::CLIENT_CPU_NS)? as f64, run.window_ns.0 as f64)?;
        (capacity > 0.0).then_some(())?;
        Some(Resource { name, capacity, demand_per_operation: share(used, rate)? })
    }
}

/// The limit of `run` of `record`; use [`Capacities`] for many runs.
pub fn attribute(record: &Record, run: &Run) -> Option<Attribution> {
    Capacities::of(record).attribute(run)
}

/// Whether the target rate was achieved, within three standard deviations of random arrivals (3 sqrt(n)).
fn achieves_target(run: &Run) -> bool {
    let (Pace::Rate { steps_per_second } | Pace::Poisson { steps_per_second }) = run.pace else { return false };
    let target = steps_per_second * run.window_ns.seconds();
    run.totals.steps as f64 >= target * (1.0 - RULES.rate_shortfall) - 3.0 * target.sqrt()
}

/// The SMT yield by the runs of a CPU probe.
fn yield_of(runs: &[&Run], cpu: &Cpu) -> Option<f64> {
    let cores = cpu.cores.filter(|cores| cpu.smt == Some(true) && Some(cpu.threads) == cores.checked_mul(2))?;
    let runs = valid(runs, Unit::Operation);
    let rate = |jobs: u32| rate_in(runs.get(&Degree { dop: Dop::jobs(jobs), in_flight: None })?, Unit::Operation);
    smt_yield(rate(cpu.threads)?.0, rate(cores)?.0)
}

/// The time of an operation with one job in an unthrottled closed loop, by the runs of one test.
fn demand_seconds(runs: &[&Run], unit: Unit) -> Option<f64> {
    let runs = valid(runs, unit);
    let single =
        runs.get(&Degree { dop: Dop::jobs(1), in_flight: None }).filter(|single| single.pace == Pace::Unthrottled)?;
    share(1.0, per_second(single, single.totals.operations)?.0)
}

/// The capacity that the runs of a storage probe found, and the counter of the same in a run.
fn storage(runs: &[&Run]) -> Option<Capacity> {
    let best = |unit: Unit| {
        let valid: Vec<&Run> = valid(runs, unit).into_values().collect();
        fastest(&valid, unit)
    };
    let streams = &best(Unit::Operation)?.storage.as_ref()?.streams;
    let stream = streams.iter().max_by_key(|stream| stream.operations)?;
    let (what, unit, counter) = match (stream.kind, stream.random) {
        (IoKind::Read, true) => (ResourceName::RandomReads, Unit::Operation, name::DEVICE_READ_COUNT),
        (IoKind::Read, false) => (ResourceName::SequentialReads, Unit::Byte, name::DEVICE_READ_BYTES),
        (IoKind::Write, true) => (ResourceName::RandomWrites, Unit::Operation, name::DEVICE_WRITE_COUNT),
        (IoKind::Write, false) => (ResourceName::SequentialWrites, Unit::Byte, name::DEVICE_WRITE_BYTES),
        (IoKind::Commit, _) => (ResourceName::SyncedWrites, Unit::Operation, name::REDO_SYNC_COUNT),
        _ => return None,
    };
    Some(Capacity { what, counter, per_second: rate_in(best(unit)?, unit)?.0 })
}

#[cfg(test)]
mod tests;
