//! What the devices of the hosts of all agents did together.

use record::{Reading, Run, name};

/// What the devices of all agents did until the start and until the end of their windows, and what the agents had them do.
/// The devices of the agents `counted_by_others` are on hosts that another agent counts. The time that a device was busy does
/// not add.
pub fn device_readings(run: &Run, counted_by_others: &[&str]) -> Vec<Reading> {
    let edge = |of: fn(&[Reading]) -> Option<&Reading>| {
        let mut sum = Reading::default();
        for (agent, reading) in run.agents.iter().filter_map(|agent| Some((agent, of(&agent.readings)?))) {
            sum.at_ns = sum.at_ns.max(reading.at_ns);
            let counts_device = !counted_by_others.contains(&agent.agent.as_str());
            let is_added = |name: &str| {
                is_of_client(name) || counts_device && is_of_device(name) && name != name::DEVICE_IO_TICKS_NS
            };
            for (name, value) in reading.values.iter().filter(|(name, _)| is_added(name)) {
                let all = sum.values.entry(name.clone()).or_insert(0);
                *all = all.saturating_add(*value);
            }
        }
        sum
    };
    vec![edge(<[Reading]>::first), edge(<[Reading]>::last)]
}

/// Replaces what the device of the coordinator's host did by `sums` of those of the agents.
pub fn replace_devices(readings: &mut [Reading], sums: Vec<Reading>) {
    for reading in readings.iter_mut() {
        reading.values.retain(|name, _| !is_of_device(name) && !is_of_client(name));
    }
    if let ([first, .., last], [at_begin, at_end]) = (readings, sums.as_slice()) {
        first.values.extend(at_begin.values.clone());
        last.values.extend(at_end.values.clone());
    }
}

/// Whether counter `name` is about a device.
fn is_of_device(name: &str) -> bool {
    name.starts_with("device_") || name.starts_with("mount_")
}

/// Whether it is about what this program has devices do.
fn is_of_client(name: &str) -> bool {
    [name::CLIENT_READ_BYTES, name::CLIENT_WRITE_BYTES].contains(&name)
}

#[cfg(test)]
mod tests {
    use record::{AgentStart, Latency, Nanos};

    use super::*;
    use crate::fixture::{counted, run};
    use crate::fleet::{AgentPart, merged};

    #[test]
    fn the_device_of_a_host_counts_once_and_what_agents_read_each_time() {
        let counters = [(name::DEVICE_READ_BYTES, 200), (name::CLIENT_READ_BYTES, 4), (name::DEVICE_IO_TICKS_NS, 9)];
        let (service, response) = (Latency::default(), Latency::default());
        let one = counted(Run { service, response, slices: None, ..run("io", 1) }, &counters);
        let part = |agent| AgentPart { agent, host_threads: 1, start: AgentStart::default(), run: &one };
        let both = merged(&["a", "b"].map(part)).unwrap();
        let of = |counted_by_others: &[&str], name: &str| {
            let sums = device_readings(&both, counted_by_others);
            Some(sums[1].get(name)? - sums[0].get(name)?)
        };
        assert_eq!(of(&[], name::DEVICE_READ_BYTES), Some(400), "two hosts");
        assert_eq!(of(&["b"], name::DEVICE_READ_BYTES), Some(200), "one host");
        assert_eq!(of(&["b"], name::CLIENT_READ_BYTES), Some(8));
        assert_eq!(of(&[], name::DEVICE_IO_TICKS_NS), None, "times that a device was busy do not add");
        let mut readings = [7, 8].map(|at| Reading { at_ns: Nanos(at), ..one.readings[1].clone() });
        replace_devices(&mut readings, device_readings(&both, &[]));
        let grown = |name: &str| readings[1].get(name).zip(readings[0].get(name)).map(|(last, first)| last - first);
        assert_eq!(grown(name::DEVICE_READ_BYTES), Some(400), "in place of those of this host");
        assert_eq!(grown(name::DEVICE_IO_TICKS_NS), None);
    }
}
