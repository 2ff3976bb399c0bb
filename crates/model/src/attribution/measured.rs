//! What a record tells about the limit of its runs.

use std::collections::{HashMap, HashSet};

use record::{Cpu, Dop, IoKind, Location, Pace, Ratio, Record, Run, Unit, name};

use super::classes::classes;
use super::{Attribution, ClosedSystem, Resource, attribution};
use crate::cpu::cpu_shares;
use crate::delta::{delta, per_second, rate, share};
use crate::efficiency::rate_in;
use crate::foreign::{foreign_cpu, is_under_foreign_load};
use crate::platform::{capacity_used, smt_yield};
use crate::row::is_invalid;
use crate::rules::RULES;
use crate::sheet::{ByTest, fastest, valid};
use crate::system::Degree;

/// Probes of processors, any of which tells what a second hardware thread of a core is worth.
const PROCESSOR_PROBES: [&str; 3] = ["P111", "P113", "P114"];

/// How the resources of storage are called that probes find.
pub(crate) const RANDOM_READS: &str = "random reads of the device";
pub(crate) const SEQUENTIAL_READS: &str = "bytes read from the device";
pub(crate) const RANDOM_WRITES: &str = "random writes of the device";
pub(crate) const SEQUENTIAL_WRITES: &str = "bytes written to the device";
pub(crate) const SYNCED_WRITES: &str = "forced writes of the log";

/// What the probes of a record found, against which its runs are held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capacities {
    /// Hardware threads of the host.
    threads: u32,
    /// Y, where the host has two threads per core and a probe was run on both.
    smt_yield: Option<f64>,
    /// What the probes of storage found.
    storage: Vec<Capacity>,
    /// The codes of the probes of storage.
    storage_probes: HashSet<String>,
    /// The engine, where it runs in other processes than dbdyno.
    engine: Option<String>,
    /// Whether the engine runs on another host, of whose processors and devices nothing is known.
    is_remote: bool,
    /// Time of an operation with one job, seconds, by test.
    demand_seconds: HashMap<String, f64>,
}

/// What a probe of storage found.
#[derive(Clone, Debug, PartialEq)]
struct Capacity {
    what: &'static str,
    counter: &'static str,
    per_second: f64,
}

impl Capacities {
    /// Those of `record`.
    pub fn of(record: &Record) -> Capacities {
        let by_test = ByTest::of(record);
        let engine = record.engine.as_ref().filter(|engine| engine.location != Location::InProcess);
        let mut capacities = Capacities {
            threads: record.host.cpu.threads,
            smt_yield: PROCESSOR_PROBES.iter().find_map(|code| yield_of(by_test.runs(code), &record.host.cpu)),
            is_remote: engine.is_some_and(|engine| engine.location == Location::Remote),
            engine: engine.map(|engine| engine.title.clone()),
            ..Capacities::default()
        };
        for run in &record.runs {
            let runs = by_test.runs(&run.test);
            // Each test once, where its first run stands.
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

    /// Of several probes of one kind the best is the capacity.
    fn add(&mut self, found: Capacity) {
        match self.storage.iter_mut().find(|capacity| capacity.what == found.what) {
            Some(capacity) => capacity.per_second = capacity.per_second.max(found.per_second),
            None => self.storage.push(found),
        }
    }

    /// What limits `run`: the processors' time, what the block layer counted against what the probes of storage found,
    /// the processor time of dbdyno against that of its jobs, and where the response time went. None for an invalid run,
    /// for a run that needs no engine, and where none of it is known. Of an engine on another host only what dbdyno
    /// itself does is known. A probe of storage counts where the run names one as its ceiling: there the engine's data
    /// lie on the probed device.
    pub fn attribute(&self, run: &Run) -> Option<Attribution> {
        if is_invalid(run) || run.storage.is_some() || run.kind.is_probe() {
            return None;
        }
        let rate = per_second(run, run.totals.operations)?.0;
        let storage = self.storage.iter().filter(|_| self.is_on_probed_device(run)).filter_map(|capacity| {
            let demand_per_operation = share(self::rate(run, capacity.counter)?.0, rate)?;
            Some(Resource { name: capacity.what.to_owned(), capacity: capacity.per_second, demand_per_operation })
        });
        let drive = ClosedSystem {
            rate,
            clients: f64::from(run.dop.jobs.saturating_mul(run.dop.threads)),
            demand_seconds: self.demand_seconds.get(&run.test).copied(),
            think_seconds: match run.pace {
                Pace::ThinkTime { think_ns } => think_ns.seconds(),
                _ => 0.0,
            },
            keeps_up: keeps_up(run),
            cpu_used: self.cpu_used(run),
            resources: storage.chain(self.client(run, rate)).collect(),
            classes: classes(run, !self.is_remote),
            thread_used: self.thread_used(run),
            own_work: self.own_work(run),
            foreign: foreign_cpu(run).filter(|_| !self.is_remote).map(|found| found.all()),
        };
        let is_known = drive.cpu_used.is_some() || !drive.resources.is_empty() || !drive.classes.is_empty();
        (is_known && rate > 0.0).then(|| attribution(&drive))
    }

    fn is_on_probed_device(&self, run: &Run) -> bool {
        let ceiling = run.ceiling.as_ref().filter(|_| !self.is_remote);
        ceiling.is_some_and(|ceiling| self.storage_probes.contains(&ceiling.probe))
    }

    /// Processors; without a probe of SMT as the operating system counts.
    fn cpu_used(&self, run: &Run) -> Option<Ratio> {
        let busy = cpu_shares(run).filter(|_| !self.is_remote)?.busy().0;
        Some(Ratio(self.smt_yield.map_or(busy, |yielded| capacity_used(busy, yielded))))
    }

    /// How much of the window the one client and the engine behind it were on a processor: they take turns, so that
    /// together they are one thread of work. None where there are more, where the window is too short for the clocks,
    /// and where the engine's part is not known.
    fn thread_used(&self, run: &Run) -> Option<Ratio> {
        let alone = run.dop.jobs == 1 && run.dop.threads == 1;
        let told = run.window_ns.0 >= RULES.client_share_window_ns_min && !self.is_remote;
        (alone && told).then_some(())?;
        share(self.own_cpu_ns(run)?, run.window_ns.0 as f64).map(Ratio)
    }

    /// What share of the processors' work is of dbdyno and the engine.
    fn own_work(&self, run: &Run) -> Option<Ratio> {
        let busy = delta(run, name::HOST_CPU_USER_NS)?.checked_add(delta(run, name::HOST_CPU_SYSTEM_NS)?)?;
        share(self.own_cpu_ns(run)?, busy as f64).map(Ratio)
    }

    /// Processor time of dbdyno and the engine; none where the engine's is not known.
    fn own_cpu_ns(&self, run: &Run) -> Option<f64> {
        let client = delta(run, name::CLIENT_CPU_NS)? as f64;
        match self.engine {
            Some(_) => Some(client + delta(run, name::SERVER_CPU_NS)? as f64),
            None => Some(client),
        }
    }

    /// The threads of dbdyno, where they are not the engine's, too.
    fn client(&self, run: &Run, rate: f64) -> Option<Resource> {
        let name = format!("threads of dbdyno that drive {}", self.engine.as_ref()?);
        let capacity = f64::from(run.dop.jobs.min(self.threads));
        let used = share(delta(run, name::CLIENT_CPU_NS)? as f64, run.window_ns.0 as f64)?;
        (capacity > 0.0).then_some(())?;
        Some(Resource { name, capacity, demand_per_operation: share(used, rate)? })
    }
}

/// What limits `run` of `record`; [`Capacities`] serve many runs.
pub fn attribute(record: &Record, run: &Run) -> Option<Attribution> {
    Capacities::of(record).attribute(run)
}

/// Whether as many steps were done per second as were to arrive, but for chance: of n steps that arrive at random, three
/// times the square root of n.
fn keeps_up(run: &Run) -> bool {
    let (Pace::Rate { steps_per_second } | Pace::Poisson { steps_per_second }) = run.pace else { return false };
    let due = steps_per_second * run.window_ns.seconds();
    run.totals.steps as f64 >= due * (1.0 - RULES.rate_shortfall) - 3.0 * due.sqrt()
}

/// What a second hardware thread of a core is worth, by the runs of a probe of processors.
fn yield_of(runs: &[&Run], cpu: &Cpu) -> Option<f64> {
    let cores = cpu.cores.filter(|cores| cpu.smt == Some(true) && Some(cpu.threads) == cores.checked_mul(2))?;
    let runs = valid(runs, Unit::Operation);
    let rate = |jobs: u32| rate_in(runs.get(&Degree { dop: Dop::jobs(jobs), in_flight: None })?, Unit::Operation);
    smt_yield(rate(cpu.threads)?.0, rate(cores)?.0)
}

/// The time of an operation with one job that works as fast as it can, by the runs of one test.
fn demand_seconds(runs: &[&Run], unit: Unit) -> Option<f64> {
    let runs = valid(runs, unit);
    let single = runs
        .get(&Degree { dop: Dop::jobs(1), in_flight: None })
        .filter(|single| single.pace == Pace::AsFastAsPossible)?;
    share(1.0, per_second(single, single.totals.operations)?.0)
}

/// What the runs of a probe of storage found, and the counter that tells of the same in a run.
fn storage(runs: &[&Run]) -> Option<Capacity> {
    let best = |unit: Unit| {
        let valid: Vec<&Run> = valid(runs, unit).into_values().collect();
        fastest(&valid, unit)
    };
    let streams = &best(Unit::Operation)?.storage.as_ref()?.streams;
    let stream = streams.iter().max_by_key(|stream| stream.operations)?;
    let (what, unit, counter) = match (stream.kind, stream.random) {
        (IoKind::Read, true) => (RANDOM_READS, Unit::Operation, name::DEVICE_READ_COUNT),
        (IoKind::Read, false) => (SEQUENTIAL_READS, Unit::Byte, name::DEVICE_READ_BYTES),
        (IoKind::Write, true) => (RANDOM_WRITES, Unit::Operation, name::DEVICE_WRITE_COUNT),
        (IoKind::Write, false) => (SEQUENTIAL_WRITES, Unit::Byte, name::DEVICE_WRITE_BYTES),
        (IoKind::Commit, _) => (SYNCED_WRITES, Unit::Operation, name::REDO_SYNC_COUNT),
        _ => return None,
    };
    Some(Capacity { what, counter, per_second: rate_in(best(unit)?, unit)?.0 })
}

#[cfg(test)]
mod tests;
