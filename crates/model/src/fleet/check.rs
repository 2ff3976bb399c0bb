//! What is found out about agents before anything is measured.

use std::collections::BTreeMap;

use record::{AgentStart, Hello, Nanos, SignedNanos};

/// An agent that was asked for its clock and started once without work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CheckedAgent<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it said of itself.
    pub hello: &'a Hello,
    /// The least round trip.
    pub round_trip: Nanos,
    /// Its clock less that of the coordinator.
    pub clock: SignedNanos,
    /// Its start against the agreed one.
    pub start: AgentStart,
}

/// Names of agents that run on one kernel, where there are several: they are no hosts of their own. `agents` are names
/// with the running kernel, if that is known.
pub fn on_one_machine<'a>(agents: impl IntoIterator<Item = (&'a str, Option<&'a str>)>) -> Vec<Vec<&'a str>> {
    let mut machines: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (name, boot_id) in agents {
        if let Some(boot_id) = boot_id {
            machines.entry(boot_id).or_default().push(name);
        }
    }
    machines.into_values().filter(|names| names.len() > 1).collect()
}
