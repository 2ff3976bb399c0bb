//! What a record tells about the limit of its runs.

use std::collections::{HashMap, HashSet};

use record::{Cpu, Dop, IoKind, Location, Pace, Ratio, Record, Run, Unit, name};

use super::{Attribution, Drive, ON_PROCESSOR, Resource, TimeClass, attribution};
use crate::checks::has_probe_code;
use crate::cpu::cpu_shares;
use crate::delta::{delta, per_second, rate, share};
use crate::efficiency::rate_in;
use crate::platform::{capacity_used, smt_yield};
use crate::row::is_void;
use crate::sheet::{ByTest, fastest, valid};

/// Probes of processors, any of which tells what a second hardware thread of a core is worth.
const PROCESSOR_PROBES: [&str; 3] = ["P111", "P113", "P114"];

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
            if let Some(found) = storage(runs).filter(|_| has_probe_code(&run.test)) {
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
    /// the processor time of dbdyno against that of its jobs, and where the response time went. None for a void run,
    /// for a run that needs no engine, and where none of it is known. Of an engine on another host only what dbdyno
    /// itself does is known. A probe of storage counts where the run names one as its ceiling: there the engine's data
    /// lie on the probed device.
    pub fn attribute(&self, run: &Run) -> Option<Attribution> {
        if is_void(run) || run.storage.is_some() || has_probe_code(&run.test) {
            return None;
        }
        let rate = per_second(run, run.totals.operations)?.0;
        let storage = self.storage.iter().filter(|_| self.is_on_probed_device(run)).filter_map(|capacity| {
            let demand_per_operation = share(self::rate(run, capacity.counter)?.0, rate)?;
            Some(Resource { name: capacity.what.to_owned(), capacity: capacity.per_second, demand_per_operation })
        });
        let drive = Drive {
            rate,
            clients: f64::from(run.dop.jobs.saturating_mul(run.dop.threads)),
            demand_seconds: self.demand_seconds.get(&run.test).copied(),
            think_seconds: match run.pace {
                Pace::ThinkTime { think_ns } => think_ns.seconds(),
                _ => 0.0,
            },
            is_open: matches!(run.pace, Pace::Rate { .. } | Pace::Poisson { .. }),
            cpu_used: self.cpu_used(run),
            resources: storage.chain(self.client(run, rate)).collect(),
            classes: classes(run, !self.is_remote),
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

/// What a second hardware thread of a core is worth, by the runs of a probe of processors.
fn yield_of(runs: &[&Run], cpu: &Cpu) -> Option<f64> {
    let cores = cpu.cores.filter(|cores| cpu.smt == Some(true) && Some(cpu.threads) == cores.checked_mul(2))?;
    let runs = valid(runs, Unit::Operation);
    let rate = |jobs: u32| rate_in(runs.get(&(Dop::jobs(jobs), None))?, Unit::Operation);
    smt_yield(rate(cpu.threads)?.0, rate(cores)?.0)
}

/// The time of an operation with one job that works as fast as it can, by the runs of one test.
fn demand_seconds(runs: &[&Run], unit: Unit) -> Option<f64> {
    let runs = valid(runs, unit);
    let single = runs.get(&(Dop::jobs(1), None)).filter(|single| single.pace == Pace::AsFastAsPossible)?;
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
        (IoKind::Read, true) => ("random reads of the device", Unit::Operation, name::DEVICE_READ_COUNT),
        (IoKind::Read, false) => ("bytes read from the device", Unit::Byte, name::DEVICE_READ_BYTES),
        (IoKind::Write, true) => ("random writes of the device", Unit::Operation, name::DEVICE_WRITE_COUNT),
        (IoKind::Write, false) => ("bytes written to the device", Unit::Byte, name::DEVICE_WRITE_BYTES),
        (IoKind::Commit, _) => ("forced writes of the log", Unit::Operation, name::REDO_SYNC_COUNT),
        _ => return None,
    };
    Some(Capacity { what, counter, per_second: rate_in(best(unit)?, unit)?.0 })
}

/// Where the sum of all service times went: on processors, in reads of the device, in its flushes. Writes are mostly
/// made in the background and are left out. What others do is among it. The devices of this host are the engine's only
/// where it is `here`.
fn classes(run: &Run, here: bool) -> Vec<TimeClass> {
    let all = run.service.mean_ns.0 as f64 * run.service.count as f64;
    let part = |names: &[&str]| {
        let known: Vec<u64> = names.iter().filter_map(|name| delta(run, name)).collect();
        let sum: f64 = known.iter().map(|part| *part as f64).sum();
        share(sum, all).filter(|_| !known.is_empty())
    };
    let classes = [
        (ON_PROCESSOR, part(&[name::CLIENT_CPU_NS, name::SERVER_CPU_NS])),
        ("waiting for reads of the device", part(&[name::DEVICE_READ_NS]).filter(|_| here)),
        ("waiting for flushes of the device", part(&[name::DEVICE_FLUSH_NS]).filter(|_| here && run.changes)),
    ];
    let known = classes.into_iter().filter_map(|(name, share)| Some((name, share?.min(1.0))));
    known
        .filter(|(_, share)| *share > 0.0)
        .map(|(name, share)| TimeClass { name: name.to_owned(), share: Ratio(share) })
        .collect()
}

#[cfg(test)]
mod tests {
    use record::{Ceiling, HostInventory};

    use super::*;
    use crate::attribution::Limiter;
    use crate::fixture::{counted, faster, io_run, record, run, storage};

    const SECOND: u64 = 1_000_000_000;

    /// `run` with its data on the device of `probe`.
    fn on_device_of(probe: &str, run: Run) -> Run {
        Run { ceiling: Some(Ceiling { probe: probe.to_owned(), unit: Unit::Operation }), ..run }
    }

    fn busy(test: &str, jobs: u32, seconds: u64) -> Run {
        let counters = [
            (name::HOST_CPU_USER_NS, seconds * SECOND),
            (name::HOST_CPU_SYSTEM_NS, 0),
            (name::HOST_CPU_IDLE_NS, (20 - seconds) * SECOND),
        ];
        counted(run(test, jobs), &counters)
    }

    /// A host with one core of two threads.
    fn host(mut record: Record) -> Record {
        record.host = HostInventory::default();
        (record.host.cpu.threads, record.host.cpu.cores, record.host.cpu.smt) = (2, Some(1), Some(true));
        record
    }

    #[test]
    fn a_second_thread_is_worth_what_the_probe_says() {
        let probe = |jobs, rate: u64| {
            let mut probe = run("P111", jobs);
            (probe.unit, probe.totals.operations) = (Unit::Operation, rate * 10);
            probe
        };
        // Half of the time, which is 80 % of what there is.
        let half = host(record(vec![probe(1, 1_000), probe(2, 1_250), busy("T611", 1, 10)]));
        let found = attribute(&half, &half.runs[2]).unwrap();
        assert!((found.uses[0].used.0 - 0.8).abs() < 1e-9, "{found:?}");
        let unknown = host(record(vec![busy("T611", 1, 10)]));
        let found = attribute(&unknown, &unknown.runs[0]).unwrap();
        assert_eq!(found.uses[0].used, Ratio(0.5), "no probe: as the operating system counts");
        let full = host(record(vec![busy("T611", 2, 19)]));
        assert_eq!(attribute(&full, &full.runs[0]).unwrap().limiter, Limiter::Processors);
    }

    #[test]
    fn the_device_is_held_against_the_best_probe_of_its_kind() {
        let deep = faster(io_run("P322", IoKind::Read, 1), 10);
        let reads = |count: u64| counted(busy("T626", 2, 4), &[(name::DEVICE_READ_COUNT, count)]);
        let held = |count: u64| {
            let test = on_device_of("P321", reads(count));
            let record = record(vec![io_run("P321", IoKind::Read, 1), deep.clone(), test]);
            attribute(&record, &record.runs[2]).unwrap()
        };
        let found = held(95_000);
        assert_eq!(found.limiter, Limiter::Resource("random reads of the device".to_owned()));
        assert_eq!(
            found.sentence,
            "limit: random reads of the device; used: random reads of the device 95 %, processors 20 %"
        );
        assert_eq!(held(30_000).limiter, Limiter::Unexplained);
    }

    #[test]
    fn sequential_probes_are_held_against_bytes_and_commits_against_forced_writes() {
        let mut sequential = io_run("P311", IoKind::Read, 1);
        storage(&mut sequential).streams[0].random = false;
        let commits = io_run("P331", IoKind::Commit, 1);
        let test =
            counted(busy("T311", 1, 4), &[(name::DEVICE_READ_BYTES, 40_960_000), (name::REDO_SYNC_COUNT, 9_500)]);
        let record = record(vec![sequential, commits, on_device_of("P331", test)]);
        let found = attribute(&record, &record.runs[2]).unwrap();
        assert_eq!(found.limiter, Limiter::Resource("forced writes of the log".to_owned()));
        let bytes = found.uses.iter().find(|one| one.name == "bytes read from the device").unwrap();
        assert!((bytes.used.0 - 0.5).abs() < 1e-9, "{found:?}");
    }

    #[test]
    fn a_probe_of_another_device_bounds_nothing() {
        let reads = || counted(busy("T626", 2, 4), &[(name::DEVICE_READ_COUNT, 9_500), (name::DEVICE_READ_NS, SECOND)]);
        let uses = |test: Run| {
            let record = record(vec![io_run("P321", IoKind::Read, 1), run("P111", 1), test]);
            let uses = attribute(&record, &record.runs[2]).unwrap().uses;
            uses.into_iter().map(|one| one.name).collect::<Vec<_>>()
        };
        assert_eq!(uses(on_device_of("P321", reads())), ["random reads of the device", "processors"]);
        assert_eq!(uses(on_device_of("P111", reads())), ["processors"], "that is no probe of storage");
        assert_eq!(uses(reads()), ["processors"]);
    }

    #[test]
    fn of_an_engine_on_another_host_only_the_client_is_known() {
        let counters =
            [(name::DEVICE_READ_COUNT, 9_500), (name::DEVICE_READ_NS, 4 * SECOND), (name::CLIENT_CPU_NS, 8 * SECOND)];
        let test = on_device_of("P321", counted(busy("T626", 2, 19), &counters));
        let mut record = host(record(vec![io_run("P321", IoKind::Read, 1), test]));
        assert_eq!(attribute(&record, &record.runs[1]).unwrap().limiter, Limiter::Processors);
        record.engine.as_mut().unwrap().location = Location::Remote;
        let found = attribute(&record, &record.runs[1]).unwrap();
        let uses: Vec<&str> = found.uses.iter().map(|one| one.name.as_str()).collect();
        assert_eq!(uses, ["threads of dbdyno that drive Engine"]);
        assert_eq!(found.classes.iter().map(|class| class.name.as_str()).collect::<Vec<_>>(), [ON_PROCESSOR]);
    }

    #[test]
    fn one_job_of_a_machine_with_room_is_too_few() {
        let record = record(vec![busy("T611", 1, 5)]);
        let found = attribute(&record, &record.runs[0]).unwrap();
        assert!(matches!(found.limiter, Limiter::UnderDriven { knee } if (knee - 4.0).abs() < 1e-9), "{found:?}");
        let mut open = busy("T611", 1, 5);
        open.pace = Pace::Rate { steps_per_second: 1_000.0 };
        let record = self::record(vec![open]);
        assert_eq!(attribute(&record, &record.runs[0]).unwrap().limiter, Limiter::Offered);
    }

    #[test]
    fn response_time_is_accounted_for_as_far_as_it_is_known() {
        // 20 000 operations of a millisecond each.
        let waits =
            counted(busy("T716", 2, 6), &[(name::DEVICE_FLUSH_NS, 12 * SECOND), (name::SERVER_CPU_NS, 4 * SECOND)]);
        let record = record(vec![waits]);
        let found = attribute(&record, &record.runs[0]).unwrap();
        let shares: Vec<(&str, f64)> = found.classes.iter().map(|class| (&*class.name, class.share.0)).collect();
        assert_eq!(shares, [("waiting for flushes of the device", 0.6), ("on a processor", 0.2)]);
        assert!(matches!(found.limiter, Limiter::Serialised(class) if class.share == Ratio(0.6)));
    }

    #[test]
    fn the_client_may_be_the_limit() {
        let mut record = host(record(vec![counted(busy("T611", 1, 10), &[(name::CLIENT_CPU_NS, 9_500_000_000)])]));
        let found = attribute(&record, &record.runs[0]).unwrap();
        assert_eq!(found.limiter, Limiter::Resource("threads of dbdyno that drive Engine".to_owned()));
        record.engine.as_mut().unwrap().location = Location::InProcess;
        let found = attribute(&record, &record.runs[0]).unwrap();
        assert!(found.uses.iter().all(|one| one.name == "processors"));
    }

    #[test]
    fn nothing_is_said_of_what_is_no_result_or_has_no_counters() {
        let bare = record(vec![run("T611", 1)]);
        assert_eq!(attribute(&bare, &bare.runs[0]), None);
        let mut broken = busy("T611", 1, 20);
        broken.outcome = record::Outcome::Failed { message: "gone".to_owned() };
        let broken = record(vec![broken, io_run("P321", IoKind::Read, 1)]);
        assert_eq!((attribute(&broken, &broken.runs[0]), attribute(&broken, &broken.runs[1])), (None, None));
        let mut still = busy("T611", 1, 2);
        still.totals.operations = 0;
        let still = record(vec![still]);
        assert_eq!(attribute(&still, &still.runs[0]), None);
    }
}
