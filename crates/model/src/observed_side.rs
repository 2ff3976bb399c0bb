//! A run as the hosts of its server and its storage saw it.

use std::collections::BTreeMap;

use record::{ObservedRun, Ratio, Reading, Run, name};

use crate::cpu::cpu_use;
use crate::delta::delta;
use crate::foreign::kernel_cpu_ns;

/// Prefixes of the counters of a host, which differ from host to host; all others are of the engine.
const OF_HOSTS: [&str; 6] = ["host_", "client_", "server_", "device_", "mount_", "interface_"];

/// `run` with the counters and the other programs of the host of its server, as an agent there read them; None where
/// none did. Counters of the engine are kept. The `client_` counters are those of the agent.
///
/// With several nodes the counters are the sums over their hosts, all of which must have been read, and other programs
/// are not known.
pub fn server_side(run: &Run) -> Option<Run> {
    let hosts: Vec<&ObservedRun> = run.server_hosts.values().collect();
    let mut side = match hosts.as_slice() {
        read if read.len() < run.dop.nodes.max(1) as usize => return None,
        [one] => side(run, one),
        several => side(run, &sum(several)?),
    };
    let edges = [run.readings.iter().min_by_key(at), run.readings.iter().max_by_key(at)];
    let last = side.readings.len().checked_sub(1)?;
    for (index, edge) in [0, last].into_iter().zip(edges) {
        side.readings[index].values.extend(of_engine(edge?));
    }
    Some(side)
}

/// The same of each observed host of the server, by its name, without counters of the engine.
pub(crate) fn server_sides(run: &Run) -> BTreeMap<&str, Run> {
    run.server_hosts.iter().map(|(name, observed)| (name.as_str(), side(run, observed))).collect()
}

/// Share of the processors of the host called `host` that its server used in `run`; None where that was not
/// read.
pub fn server_cpu_ratio(run: &Run, host: &str) -> Option<Ratio> {
    let side = side(run, run.server_hosts.get(host)?);
    cpu_use(&side, name::SERVER_CPU_NS)?.of_host
}

/// The first and the last reading of each of `hosts`, added; counters that one of them lacks are left out. None where
/// one was not read twice.
fn sum(hosts: &[&ObservedRun]) -> Option<ObservedRun> {
    let mut readings: Vec<Reading> = Vec::new();
    for host in hosts {
        let (first, last) = (host.readings.iter().min_by_key(at)?, host.readings.iter().max_by_key(at)?);
        if first.at_ns == last.at_ns {
            return None;
        }
        if readings.is_empty() {
            readings = vec![first.clone(), last.clone()];
            continue;
        }
        for (sum, more) in readings.iter_mut().zip([first, last]) {
            sum.values.retain(|name, value| {
                let also = more.values.get(name);
                *value = value.saturating_add(also.copied().unwrap_or(0));
                also.is_some()
            });
        }
    }
    let time_error_ns = hosts.iter().map(|host| host.time_error_ns).max()?;
    Some(ObservedRun { readings, time_error_ns, foreign_load: None })
}

/// The same of each observed host of storage, by its name, without counters of an engine. Where its kernel serves, who
/// causes the I/O of its device is not known.
pub(crate) fn storage_sides(run: &Run) -> BTreeMap<&str, Run> {
    let hosts = run.storage_hosts.iter();
    let mut sides: BTreeMap<&str, Run> = hosts.map(|(name, observed)| (name.as_str(), side(run, observed))).collect();
    for reading in sides.values_mut().flat_map(|side| &mut side.readings) {
        if !reading.values.contains_key(name::SERVER_CPU_NS) {
            let is_of_agent = |name: &str| [name::CLIENT_READ_BYTES, name::CLIENT_WRITE_BYTES].contains(&name);
            reading.values.retain(|name, _| !is_of_agent(name));
        }
    }
    sides
}

/// Processor time of a host of storage on behalf of `side`, the run as that host saw it, nanoseconds: of the threads and
/// interrupts of its kernel, and of the processes that serve. None where the threads of the kernel were not read.
pub(crate) fn storage_cpu_ns(side: &Run) -> Option<f64> {
    let kernel = kernel_cpu_ns(side)?;
    Some(kernel + delta(side, name::SERVER_CPU_NS).unwrap_or(0) as f64)
}

fn side(run: &Run, observed: &ObservedRun) -> Run {
    let mut readings = observed.readings.clone();
    readings.sort_by_key(|reading| reading.at_ns);
    Run {
        readings,
        foreign_load: observed.foreign_load.clone().map(Box::new),
        server_hosts: BTreeMap::new(),
        storage_hosts: BTreeMap::new(),
        agents: Vec::new(),
        ..run.clone()
    }
}

fn at(reading: &&Reading) -> record::Nanos {
    reading.at_ns
}

fn of_engine(reading: &Reading) -> BTreeMap<String, u64> {
    let is_of_engine = |name: &&String| !OF_HOSTS.iter().any(|prefix| name.starts_with(prefix));
    let values = reading.values.iter().filter(|(name, _)| is_of_engine(name));
    values.map(|(name, value)| (name.clone(), *value)).collect()
}

#[cfg(test)]
mod tests {
    use record::{ForeignLoad, Nanos, Ratio};

    use super::*;
    use crate::fixture::{reading, run};

    #[test]
    fn counters_of_the_host_are_those_of_the_server_and_counters_of_the_engine_stay() {
        let mut seen = run("T611", 1);
        let here = |user, commits| {
            [(name::HOST_CPU_USER_NS, user), (name::COMMIT_COUNT, commits), (name::DEVICE_READ_COUNT, 7)]
        };
        seen.readings = vec![reading(10, &here(100, 5)), reading(20, &here(101, 25))];
        assert_eq!(server_side(&seen), None, "no agent, no other side");
        let there = |user| [(name::HOST_CPU_USER_NS, user), (name::SERVER_CPU_NS, user / 2)];
        let readings = vec![reading(21, &there(9_000)), reading(11, &there(4_000)), reading(15, &there(5_000))];
        let observed = ObservedRun { readings, time_error_ns: Nanos(1), foreign_load: None };
        seen.server_hosts.insert("db1".to_owned(), observed);
        let side = server_side(&seen).unwrap();
        assert_eq!(delta(&side, name::HOST_CPU_USER_NS), Some(5_000));
        assert_eq!(delta(&side, name::SERVER_CPU_NS), Some(2_500));
        assert_eq!(delta(&side, name::COMMIT_COUNT), Some(20));
        assert_eq!(delta(&side, name::DEVICE_READ_COUNT), None, "the device of the client is another one");
        assert_eq!(side.totals, seen.totals);
        seen.server_hosts.values_mut().for_each(|host| host.readings.clear());
        assert_eq!(server_side(&seen), None);
    }

    #[test]
    fn of_several_hosts_the_counters_are_added_and_the_busiest_counts() {
        let mut seen = run("T611", 4);
        seen.dop.nodes = 2;
        seen.window_ns = Nanos(10);
        seen.readings = vec![reading(0, &[(name::COMMIT_COUNT, 3)]), reading(10, &[(name::COMMIT_COUNT, 23)])];
        let mut observe = |host: &str, used: u64, more: Option<u64>| {
            let there = |user: u64, more: Option<u64>| {
                let mut values = vec![
                    (name::HOST_CPU_USER_NS, user),
                    (name::HOST_CPU_SYSTEM_NS, 0),
                    (name::HOST_CPU_IDLE_NS, 2 * user / used * (10 - used / 2)),
                    (name::SERVER_CPU_NS, user),
                ];
                values.extend(more.map(|flushes| (name::DEVICE_FLUSH_COUNT, flushes)));
                values
            };
            let readings = vec![reading(1, &there(0, more.map(|_| 0))), reading(11, &there(used, more))];
            let observed =
                ObservedRun { readings, time_error_ns: Nanos(1), foreign_load: Some(ForeignLoad::default()) };
            seen.server_hosts.insert(host.to_owned(), observed);
            seen.clone()
        };
        assert_eq!(server_side(&observe("db1", 4, Some(7))), None, "the other one was not read");
        let both = observe("db2", 16, None);
        let side = server_side(&both).unwrap();
        assert_eq!((delta(&side, name::SERVER_CPU_NS), delta(&side, name::COMMIT_COUNT)), (Some(20), Some(20)));
        assert_eq!(delta(&side, name::DEVICE_FLUSH_COUNT), None, "one of them has no device");
        assert_eq!(side.foreign_load, None);
        let (one, two) = (server_cpu_ratio(&both, "db1").unwrap(), server_cpu_ratio(&both, "db2").unwrap());
        assert!(one.0 < two.0 && server_cpu_ratio(&both, "db3").is_none(), "{one:?} {two:?}");
        assert_eq!(crate::row(&both).server_cpu.unwrap().of_host, Some(two), "not their mean");
    }

    #[test]
    fn a_host_of_storage_has_the_time_of_its_kernel_and_of_what_serves() {
        const SECOND: u64 = 1_000_000_000;
        let mut seen = run("io", 1);
        let load = ForeignLoad { observed_ns: Nanos(10 * SECOND), kernel_processors: 0.5, ..ForeignLoad::default() };
        let mut observe = |name: &str, server: Option<u64>| {
            let interrupts = |ns| {
                let host =
                    [(name::HOST_CPU_USER_NS, 0), (name::HOST_CPU_SYSTEM_NS, ns), (name::HOST_CPU_IDLE_NS, 19 * ns)];
                [&host[..], &[(name::HOST_CPU_INTERRUPT_NS, ns), (name::CLIENT_READ_BYTES, ns)]].concat()
            };
            let with = |mut values: Vec<(&'static str, u64)>, ns: Option<u64>| {
                values.extend(ns.map(|ns| (name::SERVER_CPU_NS, ns)));
                values
            };
            let readings = vec![
                reading(0, &with(interrupts(0), server.map(|_| 0))),
                reading(10, &with(interrupts(SECOND), server)),
            ];
            let observed = ObservedRun { readings, time_error_ns: Nanos(1), foreign_load: Some(load.clone()) };
            seen.storage_hosts.insert(name.to_owned(), observed);
        };
        observe("target", None);
        observe("filer", Some(3 * SECOND));
        let sides = storage_sides(&seen);
        assert_eq!(storage_cpu_ns(&sides["target"]), Some(6e9));
        assert_eq!(storage_cpu_ns(&sides["filer"]), Some(9e9));
        // Of two processors each: the sum, and the share of the busiest.
        let used = crate::row(&seen).storage_cpu.unwrap();
        assert!((used.cores - 1.5).abs() < 1e-9 && used.of_host == Some(Ratio(0.45)), "{used:?}");
        assert_eq!(delta(&sides["target"], name::CLIENT_READ_BYTES), None);
        assert_eq!(delta(&sides["filer"], name::CLIENT_READ_BYTES), Some(SECOND));
    }
}
