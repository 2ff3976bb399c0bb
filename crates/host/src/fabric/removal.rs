//! The way back: the steps that remove what dbdyno made.

use std::path::Path;

use super::state::{FabricState, Port, Subsystem};
use super::step::{Step, TARGETS};

/// The steps that remove everything of dbdyno, in the order that the kernel asks for: connections, links of ports, ports,
/// namespaces, subsystems. Ports and subsystems of others stay as they are, but for links to a subsystem of dbdyno.
pub(super) fn steps(state: &FabricState) -> Vec<Step> {
    let ours = state.connections.iter().filter(|connection| connection.is_ours());
    let disconnect = ours.map(|connection| Step::Disconnect { controller: connection.controller.clone() });
    let mut steps: Vec<Step> = disconnect.collect();
    steps.extend(target_steps(state, Subsystem::is_ours));
    steps
}

/// The steps that remove the subsystems that are `chosen`, and the ports of dbdyno at which nothing else is offered.
pub(super) fn target_steps(state: &FabricState, chosen: impl Fn(&Subsystem) -> bool) -> Vec<Step> {
    let subsystems: Vec<&Subsystem> = state.subsystems.iter().filter(|subsystem| chosen(subsystem)).collect();
    let is_chosen = |nqn: &str| subsystems.iter().any(|subsystem| subsystem.nqn == nqn);
    let mut steps = Vec::new();
    for port in &state.ports {
        let links = port.links.iter().filter(|(_, nqn)| is_chosen(nqn));
        steps.extend(links.map(|(name, _)| Step::RemoveLink(place(port).join("subsystems").join(name))));
    }
    // A port is known by a subsystem, which must outlast it.
    for port in state.ports.iter().filter(|port| state.is_our_port(port)) {
        let others = state.subsystems.iter().filter(|subsystem| !is_chosen(&subsystem.nqn));
        let is_needed = others.into_iter().any(|subsystem| {
            subsystem.own_port == port.id() || port.links.iter().any(|(_, nqn)| *nqn == subsystem.nqn)
        });
        if !is_needed {
            steps.push(Step::RemoveDirectory(place(port)));
        }
    }
    steps.extend(subsystems.into_iter().flat_map(subsystem_steps));
    steps
}

fn place(port: &Port) -> std::path::PathBuf {
    Path::new(TARGETS).join("ports").join(&port.number)
}

fn subsystem_steps(subsystem: &Subsystem) -> Vec<Step> {
    let directory = Path::new(TARGETS).join("subsystems").join(&subsystem.nqn);
    let hosts = subsystem.allowed_hosts.iter().map(|host| Step::RemoveLink(directory.join("allowed_hosts").join(host)));
    let mut steps: Vec<Step> = hosts.collect();
    for namespace in &subsystem.namespaces {
        let place = directory.join("namespaces").join(&namespace.number);
        if namespace.enabled {
            steps.push(Step::set(place.join("enable"), "0"));
        }
        steps.push(Step::RemoveDirectory(place));
    }
    steps.push(Step::RemoveDirectory(directory));
    steps
}
