//! A target: a device or file of this host that initiators may reach.

use std::path::{Path, PathBuf};

use base::root::Root;

use super::endpoint::{Endpoint, Transport};
use super::error::FabricError;
use super::name::{PORTS, serial, subsystem_nqn};
use super::state::{FabricState, Subsystem};
use super::step::{Step, TARGETS, target_module};

/// What ends a target or makes room for another one.
const REMOVE: &str = "dbdyno fabric remove --apply";

/// A device or file that is to be offered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backing {
    /// Its path without links.
    pub path: PathBuf,
    /// Whether it is a block device and no file.
    pub is_block_device: bool,
}

/// How a target comes to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TargetPlan {
    /// The NQN of its subsystem.
    pub nqn: String,
    /// What it offers.
    pub backing: Backing,
    /// Where it listens.
    pub endpoint: Endpoint,
    /// The number of its port.
    pub port: u16,
    /// All steps in order.
    pub steps: Vec<Step>,
}

/// The plan of a target on a host with the name `host`, beside what is in `state`.
pub(super) fn plan(
    state: &FabricState,
    host: &str,
    backing: Backing,
    endpoint: Endpoint,
) -> Result<TargetPlan, FabricError> {
    if endpoint.transport == Transport::Rdma && endpoint.address.is_loopback() {
        return Err(FabricError::user(
            format!("address {} is not one of an RDMA interface", endpoint.address),
            "give the address of one: --address ADDR; `rdma link` and `ip address` list them",
        ));
    }
    if endpoint.address.is_multicast() {
        return Err(FabricError::user(
            format!("address {} is one of a group, where nothing can listen", endpoint.address),
            "give an address of this host",
        ));
    }
    let nqn = subsystem_nqn(host, &backing.path, backing.is_block_device);
    refuse_other_use(state, &nqn, &backing.path)?;
    let port = port(state, &nqn, &backing.path, &endpoint)?;
    let steps = steps(&nqn, &backing.path, &endpoint, port);
    Ok(TargetPlan { nqn, backing, endpoint, port, steps })
}

impl TargetPlan {
    /// The steps whose effect is not there yet; none where it is offered, whatever its owner changed since, such as who
    /// may connect.
    pub(super) fn pending(&self, root: &Root) -> Vec<Step> {
        let is_last = |step: &&Step| match step {
            Step::Link { .. } => true,
            Step::Set { path, .. } => path.ends_with("enable"),
            _ => false,
        };
        if self.steps.iter().filter(is_last).all(|step| step.is_done(root)) {
            return Vec::new();
        }
        self.steps.iter().filter(|step| !step.is_done(root)).cloned().collect()
    }
}

/// The steps to a target. The serial number names the port before that is made: a port that is left after a crash is known
/// by it. The link comes last, because by it the port begins to listen.
fn steps(nqn: &str, backing: &Path, endpoint: &Endpoint, port: u16) -> Vec<Step> {
    let subsystem = Path::new(TARGETS).join("subsystems").join(nqn);
    let namespace = subsystem.join("namespaces/1");
    let port = (port, Path::new(TARGETS).join("ports").join(port.to_string()));
    vec![
        Step::LoadModule("nvmet".to_owned()),
        Step::MountConfiguration,
        Step::LoadModule(target_module(endpoint.transport)),
        Step::MakeDirectory(subsystem.clone()),
        Step::set(subsystem.join("attr_serial"), serial(nqn, port.0)),
        Step::set(subsystem.join("attr_allow_any_host"), "1"),
        Step::MakeDirectory(namespace.clone()),
        Step::set(namespace.join("device_path"), backing.to_string_lossy()),
        Step::set(namespace.join("enable"), "1"),
        Step::MakeDirectory(port.1.clone()),
        Step::set(port.1.join("addr_trtype"), endpoint.transport.word()),
        Step::set(port.1.join("addr_adrfam"), endpoint.family()),
        Step::set(port.1.join("addr_traddr"), endpoint.address.to_string()),
        Step::set(port.1.join("addr_trsvcid"), endpoint.service.to_string()),
        Step::Link { path: port.1.join("subsystems").join(nqn), target: subsystem },
    ]
}

/// What another subsystem offers is in use.
fn refuse_other_use(state: &FabricState, nqn: &str, backing: &Path) -> Result<(), FabricError> {
    let offers = |subsystem: &&Subsystem| {
        let paths = subsystem.namespaces.iter().filter_map(|namespace| namespace.device_path.as_deref());
        // A subsystem may name it by a link.
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        paths.into_iter().any(|path| path == backing || real(path) == backing)
    };
    match state.subsystems.iter().filter(|subsystem| subsystem.nqn != nqn).find(offers) {
        Some(other) => Err(FabricError::environment(
            format!("{} is offered by the subsystem {} already", backing.display(), other.nqn),
            "name another device or file, or remove that subsystem",
        )),
        None => Ok(()),
    }
}

/// The number of the port: that of ours at the same place, that which the subsystem names, or a free one.
fn port(state: &FabricState, nqn: &str, backing: &Path, endpoint: &Endpoint) -> Result<u16, FabricError> {
    let mut shared = None;
    for port in &state.ports {
        let Some(other) = port.endpoint.filter(|other| other.overlaps(endpoint)) else { continue };
        let is_same = other == *endpoint && state.is_our_port(port);
        match port.id().filter(|_| is_same) {
            Some(id) => shared = Some(id),
            None => return Err(occupied(state.is_our_port(port), &port.number, &other)),
        }
    }
    let named = state.subsystems.iter().find(|subsystem| subsystem.nqn == nqn).and_then(|known| known.own_port);
    let made = state.ports.iter().find(|port| named.is_some() && port.id() == named);
    match (made, shared) {
        // One of its own that is not complete, or is at the same place.
        (Some(port), None) if port.links.is_empty() => Ok(named.unwrap_or_default()),
        (Some(port), _) if port.endpoint == Some(*endpoint) => Ok(named.unwrap_or_default()),
        (Some(port), _) => {
            let place = port.endpoint.map_or_else(|| format!("port {}", port.number), |place| place.to_string());
            Err(FabricError::environment(
                format!("{} is a target at {place} already", backing.display()),
                format!("remove it first: {REMOVE}"),
            ))
        }
        (None, Some(shared)) => Ok(shared),
        (None, None) => {
            let is_free = |id: &u16| !state.ports.iter().any(|port| port.id() == Some(*id));
            named.filter(is_free).or_else(|| PORTS.clone().find(is_free)).ok_or_else(|| {
                let (least, most) = (PORTS.start(), PORTS.end());
                FabricError::environment(
                    format!("all ports of nvmet from {least} to {most} are in use"),
                    format!("remove those of dbdyno: {REMOVE}"),
                )
            })
        }
    }
}

/// Another port is at this place.
fn occupied(is_ours: bool, number: &str, other: &Endpoint) -> FabricError {
    let whose = if is_ours { "a target of dbdyno" } else { "a port that dbdyno did not make" };
    FabricError::environment(
        format!("port {number} of nvmet listens at {other} already, {whose}"),
        "give another --port or --address",
    )
}
