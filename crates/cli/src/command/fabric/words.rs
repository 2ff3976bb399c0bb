//! What is said of targets and connections.

use std::fmt::Write as _;

use host::fabric::{
    Connection, ConnectionPlan, Endpoint, FabricState, SERVICE, Step, Subsystem, TargetPlan, Transport,
};

/// There is nothing of dbdyno.
pub(super) const NOTHING: &str = "nothing of dbdyno on this host: no target, no port, no connection\n";

/// The comment of a script that makes a target.
pub(super) fn target_head(plan: &TargetPlan, pending: &[Step]) -> String {
    let mut text = format!("NVMe over fabrics: {} is offered at {}\n", plan.backing.path.display(), plan.endpoint);
    if pending.is_empty() {
        text.push_str("nothing is left to do: this target is there\n");
        return text;
    }
    text.push_str(&notes(&plan.endpoint));
    let _ = writeln!(text, "run it as root, or let dbdyno do the same: --apply; its end: dbdyno fabric remove --apply");
    text
}

/// The comment of a script that connects.
pub(super) fn connection_head(plan: &ConnectionPlan) -> String {
    let mut text = format!("NVMe over fabrics: connection to {} at {}\n", plan.nqn, plan.endpoint);
    match &plan.existing {
        Some(known) => {
            let _ = writeln!(text, "nothing is left to do: connected already{}", devices(known));
        }
        None => {
            if plan.endpoint.transport == Transport::Rdma {
                text.push_str(UNTESTED);
            }
            text.push_str(
                "run it as root, or let dbdyno do the same: --apply; its end: dbdyno fabric remove --apply\n",
            );
        }
    }
    text
}

/// What a target is, after it was made or found.
pub(super) fn target(plan: &TargetPlan, is_new: bool) -> String {
    let what = if is_new { "target" } else { "target is there already; nothing was changed" };
    let mut text = format!("{what}\n");
    row(&mut text, "device", &plan.backing.path.display().to_string());
    row(&mut text, "nqn", &plan.nqn);
    row(&mut text, "listens", &format!("{} (port {} of nvmet)", plan.endpoint, plan.port));
    for note in notes(&plan.endpoint).lines() {
        row(&mut text, "note", note);
    }
    row(&mut text, "next", &connect_command(plan));
    row(&mut text, "end", "dbdyno fabric remove --apply");
    text
}

/// What a connection is, after it was made or found.
pub(super) fn connection(connection: &Connection, is_new: bool) -> String {
    let what = if is_new { "connected" } else { "connected already; nothing was changed" };
    let mut text = format!("{what}\n");
    for device in &connection.devices {
        row(&mut text, "device", &format!("/dev/{device}"));
    }
    row(&mut text, "controller", &controller(connection));
    row(&mut text, "nqn", &connection.nqn);
    if connection.transport == Transport::Rdma.word() {
        row(&mut text, "note", UNTESTED.trim_end());
    }
    if let Some(device) = connection.devices.first() {
        row(
            &mut text,
            "next",
            &format!("dbdyno io --device /dev/{device} --rw randread --bs 8k --depth 1 --seconds 10"),
        );
    }
    row(&mut text, "end", "dbdyno fabric remove --apply");
    text
}

/// What there is of dbdyno, and how much of others.
pub(super) fn listing(state: &FabricState) -> String {
    let ours = state.ours();
    let mut text = String::new();
    if ours.is_empty() {
        text.push_str(NOTHING);
    }
    for subsystem in &ours.subsystems {
        let _ = writeln!(text, "target {}", subsystem.nqn);
        row(&mut text, "device", &backing(subsystem));
        for port in state.ports_of(&subsystem.nqn) {
            let place = port.endpoint.map_or_else(|| "nowhere yet".to_owned(), |endpoint| endpoint.to_string());
            row(&mut text, "listens", &format!("{place} (port {} of nvmet)", port.number));
        }
        if state.ports_of(&subsystem.nqn).next().is_none() {
            row(&mut text, "listens", "nowhere: it was not finished");
        }
    }
    for port in ours.ports.iter().filter(|port| port.links.is_empty()) {
        let _ = writeln!(text, "port {} of nvmet, at which nothing is offered", port.number);
    }
    for connection in &ours.connections {
        let _ = writeln!(text, "connection {}", controller(connection));
        row(&mut text, "nqn", &connection.nqn);
        for device in &connection.devices {
            row(&mut text, "device", &format!("/dev/{device}"));
        }
    }
    text.push_str(&others(state, &ours));
    text
}

/// What was removed.
pub(super) fn removed(before: &FabricState, after: &FabricState) -> String {
    let left = after.ours();
    let mut text = String::new();
    let connections = before.connections.iter().filter(|known| !left.connections.contains(known));
    let names = connections.map(|known| format!("connection {}", controller(known)));
    let ports = before.ports.iter().filter(|port| !after.ports.iter().any(|other| other.number == port.number));
    let names = names.chain(ports.map(|port| format!("port {} of nvmet", port.number)));
    let names = names.chain(before.subsystems.iter().map(|known| format!("target {}", known.nqn)));
    for name in names {
        let _ = writeln!(text, "removed {name}");
    }
    for port in before.ports.iter().filter(|port| after.ports.iter().any(|other| other.number == port.number)) {
        let _ = writeln!(text, "kept port {} of nvmet: others offer something there", port.number);
    }
    text
}

/// RDMA is described, not proved.
const UNTESTED: &str = "RDMA has not been tested on hardware\n";

/// What whoever reads this should know.
fn notes(endpoint: &Endpoint) -> String {
    let mut text = String::new();
    if endpoint.transport == Transport::Rdma {
        text.push_str(UNTESTED);
    }
    if !endpoint.address.is_loopback() {
        text.push_str("whoever reaches this address can read and write the device: there is no password\n");
    }
    text
}

/// How a host connects to a target: this one, or one that reaches its address.
fn connect_command(plan: &TargetPlan) -> String {
    if plan.endpoint.address.is_loopback() {
        return "dbdyno fabric connect --apply".to_owned();
    }
    let address = match plan.endpoint.address.is_unspecified() {
        true => "ADDRESS".to_owned(),
        false => plan.endpoint.address.to_string(),
    };
    let mut text = "dbdyno fabric connect".to_owned();
    if plan.endpoint.transport != Transport::Tcp {
        let _ = write!(text, " --transport {}", plan.endpoint.transport.word());
    }
    let _ = write!(text, " --address {address}");
    if plan.endpoint.service != SERVICE {
        let _ = write!(text, " --port {}", plan.endpoint.service);
    }
    let _ = write!(text, " --nqn {} --apply", plan.nqn);
    text
}

fn controller(connection: &Connection) -> String {
    let place = connection.endpoint().map_or_else(|| connection.transport.clone(), |endpoint| endpoint.to_string());
    // One queue is that of administration.
    let queues = connection.queue_count.map_or_else(String::new, |count| match count.saturating_sub(1) {
        1 => ", 1 queue for I/O".to_owned(),
        count => format!(", {count} queues for I/O"),
    });
    format!("{} to {place}, {}{queues}", connection.controller, connection.state)
}

fn devices(connection: &Connection) -> String {
    let names: Vec<String> = connection.devices.iter().map(|device| format!("/dev/{device}")).collect();
    if names.is_empty() { String::new() } else { format!(" as {}", names.join(", ")) }
}

fn backing(subsystem: &Subsystem) -> String {
    let path = subsystem.backing().map_or_else(|| "none yet".to_owned(), |path| path.display().to_string());
    let is_enabled = subsystem.namespaces.iter().any(|namespace| namespace.enabled);
    if is_enabled { path } else { format!("{path}, not enabled") }
}

/// How much there is of others.
fn others(state: &FabricState, ours: &FabricState) -> String {
    let counts = [
        (state.subsystems.len() - ours.subsystems.len(), "subsystem"),
        (state.ports.len() - ours.ports.len(), "port"),
        (state.connections.len() - ours.connections.len(), "connection"),
    ];
    let plural = |count: usize| if count == 1 { "" } else { "s" };
    let some = counts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = some.map(|(count, what)| format!("{count} {what}{}", plural(count))).collect();
    if parts.is_empty() { String::new() } else { format!("not of dbdyno, never changed: {}\n", parts.join(", ")) }
}

fn row(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "  {name:<11}{value}");
}
