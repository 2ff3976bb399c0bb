//! The hosts of agents side by side: results of unlike ones do not add up to what so many of one kind would give.

use std::collections::BTreeMap;

use record::{AgentHost, HostInventory};

/// What hosts may differ in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostFact {
    /// Model of the processor.
    Processor,
    /// Number of hardware threads.
    Threads,
    /// Release of the kernel.
    Kernel,
    /// Clock source of the kernel.
    ClockSource,
    /// Kind of virtualisation.
    Virtualisation,
}

/// A fact in which hosts differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostDifference<'a> {
    /// The fact.
    pub fact: HostFact,
    /// What most of them have; none where it is unknown there.
    pub usual: Option<String>,
    /// What is otherwise, with the agents that have it.
    pub others: Vec<(Option<String>, Vec<&'a str>)>,
}

/// The facts in which `hosts` differ.
pub fn host_differences(hosts: &[AgentHost]) -> Vec<HostDifference<'_>> {
    let facts =
        [HostFact::Processor, HostFact::Threads, HostFact::Kernel, HostFact::ClockSource, HostFact::Virtualisation];
    facts.into_iter().filter_map(|fact| difference(hosts, fact)).collect()
}

fn difference(hosts: &[AgentHost], fact: HostFact) -> Option<HostDifference<'_>> {
    let mut values: BTreeMap<Option<String>, Vec<&str>> = BTreeMap::new();
    for host in hosts {
        values.entry(value(&host.host, fact)).or_default().push(&host.agent);
    }
    // Of equally many the one of the first agent.
    let first = hosts.first().map(|host| value(&host.host, fact))?;
    let usual = values.iter().max_by_key(|(value, agents)| (agents.len(), **value == first))?.0.clone();
    values.remove(&usual);
    (!values.is_empty()).then(|| HostDifference { fact, usual, others: values.into_iter().collect() })
}

fn value(host: &HostInventory, fact: HostFact) -> Option<String> {
    match fact {
        HostFact::Processor => host.cpu.model.clone(),
        HostFact::Threads => Some(host.cpu.threads.to_string()),
        HostFact::Kernel => Some(host.kernel.release.clone()),
        HostFact::ClockSource => host.kernel.clock_source.clone(),
        HostFact::Virtualisation => host.virtualisation.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(agent: &str, threads: u32, kernel: &str) -> AgentHost {
        let mut host = HostInventory::default();
        (host.cpu.threads, host.kernel.release) = (threads, kernel.to_owned());
        AgentHost { agent: agent.to_owned(), boot_id: None, host }
    }

    #[test]
    fn the_odd_one_is_named_and_equal_ones_are_not() {
        let same = [host("a", 8, "6.1"), host("b", 8, "6.1")];
        assert_eq!(host_differences(&same), []);
        let hosts = [host("a", 8, "6.1"), host("b", 8, "6.12"), host("c", 4, "6.12")];
        let found = host_differences(&hosts);
        assert_eq!(found.iter().map(|found| found.fact).collect::<Vec<_>>(), [HostFact::Threads, HostFact::Kernel]);
        assert_eq!(found[0].usual.as_deref(), Some("8"));
        assert_eq!(found[0].others, [(Some("4".to_owned()), vec!["c"])]);
        assert_eq!((found[1].usual.as_deref(), &found[1].others[0].1), (Some("6.12"), &vec!["a"]));
        let even = [host("a", 8, "6.1"), host("b", 4, "6.1")];
        assert_eq!(host_differences(&even)[0].usual.as_deref(), Some("8"), "the first one is held to be the usual one");
    }
}
