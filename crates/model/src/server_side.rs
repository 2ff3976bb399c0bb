//! A run as the host of its server saw it.

use std::collections::BTreeMap;

use record::{Reading, Run};

/// Prefixes of the counters of a host, which differ from host to host; all others are of the engine.
const OF_HOSTS: [&str; 6] = ["host_", "client_", "server_", "device_", "mount_", "interface_"];

/// `run` with the counters and the other programs of the host of its server, as an agent there read them; None where
/// none did. Counters of the engine are kept. The `client_` counters are those of the agent.
pub fn server_side(run: &Run) -> Option<Run> {
    let observed = run.server_host.as_ref()?;
    let mut readings = observed.readings.clone();
    readings.sort_by_key(|reading| reading.at_ns);
    let edges = [run.readings.iter().min_by_key(at), run.readings.iter().max_by_key(at)];
    let last = readings.len().checked_sub(1)?;
    for (index, edge) in [0, last].into_iter().zip(edges) {
        readings[index].values.extend(of_engine(edge?));
    }
    Some(Run {
        readings,
        foreign_load: observed.foreign_load.clone().map(Box::new),
        server_host: None,
        agents: Vec::new(),
        ..run.clone()
    })
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
    use record::{Nanos, ServerHostRun, name};

    use super::*;
    use crate::delta::delta;
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
        seen.server_host = Some(Box::new(ServerHostRun { readings, time_error_ns: Nanos(1), foreign_load: None }));
        let side = server_side(&seen).unwrap();
        assert_eq!(delta(&side, name::HOST_CPU_USER_NS), Some(5_000));
        assert_eq!(delta(&side, name::SERVER_CPU_NS), Some(2_500));
        assert_eq!(delta(&side, name::COMMIT_COUNT), Some(20));
        assert_eq!(delta(&side, name::DEVICE_READ_COUNT), None, "the device of the client is another one");
        assert_eq!(side.totals, seen.totals);
        seen.server_host = Some(Box::new(ServerHostRun { readings: Vec::new(), ..*seen.server_host.clone().unwrap() }));
        assert_eq!(server_side(&seen), None);
    }
}
