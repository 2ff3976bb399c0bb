//! What the kernel keeps: subsystems and ports of targets, connections of initiators.

use std::fs;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use base::root::{self, Root, inside};

use super::endpoint::{Endpoint, Transport};
use super::name::{is_ours, port_of_serial};
use super::step::{CONTROLLERS, TARGETS};

/// NVMe over fabrics on this host, of dbdyno and of others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FabricState {
    /// Subsystems that this host offers, by NQN.
    pub subsystems: Vec<Subsystem>,
    /// Ports at which it offers them, by number.
    pub ports: Vec<Port>,
    /// Connections of this host to subsystems, by controller.
    pub connections: Vec<Connection>,
}

/// A subsystem of this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subsystem {
    /// Its name.
    pub nqn: String,
    /// Its namespaces, by number.
    pub namespaces: Vec<Namespace>,
    /// Names of the initiators that it is restricted to.
    pub(super) allowed_hosts: Vec<String>,
    /// The port that was made for it, by its serial number; none of a subsystem of others.
    pub(super) own_port: Option<u16>,
}

/// A namespace of a subsystem of this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Namespace {
    /// Its number, as text.
    pub number: String,
    /// The device or file behind it, where that is set.
    pub device_path: Option<PathBuf>,
    /// Whether initiators see it.
    pub enabled: bool,
}

/// A port of this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Port {
    /// Its number, as text: the name of its directory.
    pub number: String,
    /// Where it listens, where that is set and of a kind that is known here.
    pub endpoint: Option<Endpoint>,
    /// Its links: name, and NQN of the subsystem.
    pub links: Vec<(String, String)>,
}

/// A connection of this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The controller: `nvme5`.
    pub controller: String,
    /// The subsystem it is connected to.
    pub nqn: String,
    /// The name under which this host is connected.
    pub(super) initiator: Option<String>,
    /// The transport, a word of the kernel.
    pub transport: String,
    /// The address of the target, where it is known.
    pub address: Option<IpAddr>,
    /// Its port.
    pub service: Option<u16>,
    /// `live`, `connecting`, ...
    pub state: String,
    /// Queues, that of administration among them.
    pub queue_count: Option<u32>,
    /// Kernel names of its block devices that can be used.
    pub devices: Vec<String>,
}

impl Subsystem {
    /// Whether dbdyno made it.
    pub fn is_ours(&self) -> bool {
        is_ours(&self.nqn)
    }

    /// The device or file behind its first namespace.
    pub fn backing(&self) -> Option<&Path> {
        self.namespaces.first()?.device_path.as_deref()
    }
}

impl Port {
    /// Its number, where it is written as dbdyno writes it.
    pub(super) fn id(&self) -> Option<u16> {
        self.number.parse().ok()
    }
}

impl Connection {
    /// Whether dbdyno made it, or it leads to a target of dbdyno.
    pub fn is_ours(&self) -> bool {
        is_ours(&self.nqn) || self.initiator.as_deref().is_some_and(is_ours)
    }

    /// Where its target listens, where that is known.
    pub fn endpoint(&self) -> Option<Endpoint> {
        Some(Endpoint { transport: Transport::of(&self.transport)?, address: self.address?, service: self.service? })
    }
}

impl FabricState {
    /// What there is.
    pub(super) fn read(root: &Root) -> FabricState {
        let top = inside(&root.top, TARGETS);
        let subsystems = root::names(top.join("subsystems")).into_iter();
        let ports = root::names(top.join("ports")).into_iter();
        FabricState {
            subsystems: subsystems.map(|nqn| subsystem(&top, nqn)).collect(),
            ports: ports.map(|number| port(&top, number)).collect(),
            connections: connections(root),
        }
    }

    /// Whether dbdyno made a port: a subsystem of dbdyno names it, and no other one is offered there.
    pub fn is_our_port(&self, port: &Port) -> bool {
        let named = |subsystem: &Subsystem| subsystem.own_port.is_some() && subsystem.own_port == port.id();
        self.subsystems.iter().any(named) && port.links.iter().all(|(_, nqn)| is_ours(nqn))
    }

    /// What dbdyno made alone.
    pub fn ours(&self) -> FabricState {
        FabricState {
            subsystems: self.subsystems.iter().filter(|subsystem| subsystem.is_ours()).cloned().collect(),
            ports: self.ports.iter().filter(|port| self.is_our_port(port)).cloned().collect(),
            connections: self.connections.iter().filter(|connection| connection.is_ours()).cloned().collect(),
        }
    }

    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.subsystems.is_empty() && self.ports.is_empty() && self.connections.is_empty()
    }

    /// The ports at which a subsystem is offered.
    pub fn ports_of(&self, nqn: &str) -> impl Iterator<Item = &Port> {
        self.ports.iter().filter(move |port| port.links.iter().any(|(_, linked)| linked == nqn))
    }
}

fn subsystem(top: &Path, nqn: String) -> Subsystem {
    let directory = top.join("subsystems").join(&nqn);
    let namespace = |number: String| {
        let directory = directory.join("namespaces").join(&number);
        // The kernel calls what is not set "(null)".
        let device_path = root::text(directory.join("device_path")).filter(|path| path.starts_with('/'));
        let enabled = root::switch(directory.join("enable")) == Some(true);
        Namespace { number, device_path: device_path.map(PathBuf::from), enabled }
    };
    let serial = root::text(directory.join("attr_serial")).filter(|_| is_ours(&nqn));
    Subsystem {
        namespaces: root::names(directory.join("namespaces")).into_iter().map(namespace).collect(),
        allowed_hosts: root::names(directory.join("allowed_hosts")),
        own_port: serial.and_then(|serial| port_of_serial(&nqn, &serial)),
        nqn,
    }
}

fn port(top: &Path, number: String) -> Port {
    let directory = top.join("ports").join(&number);
    let text = |name: &str| root::text(directory.join(name));
    let endpoint = || {
        Some(Endpoint {
            transport: Transport::of(&text("addr_trtype")?)?,
            address: text("addr_traddr")?.parse().ok()?,
            service: text("addr_trsvcid")?.parse().ok()?,
        })
    };
    let links = directory.join("subsystems");
    let link = |name: String| {
        // A link may have another name than its subsystem.
        let target = fs::read_link(links.join(&name)).ok();
        let nqn = target.and_then(|target| Some(target.file_name()?.to_string_lossy().into_owned()));
        (name.clone(), nqn.unwrap_or(name))
    };
    Port { endpoint: endpoint(), links: root::names(&links).into_iter().map(link).collect(), number }
}

/// The controllers over a transport other than PCI Express.
fn connections(root: &Root) -> Vec<Connection> {
    let top = inside(&root.top, CONTROLLERS);
    let controllers = root::names(&top).into_iter();
    controllers.filter_map(|controller| connection(root, &top.join(&controller), controller)).collect()
}

fn connection(root: &Root, directory: &Path, controller: String) -> Option<Connection> {
    let text = |name: &str| root::text(directory.join(name));
    let transport = text("transport").filter(|word| word != "pcie")?;
    let address = text("address").unwrap_or_default();
    let part = |name: &str| address.split(',').find_map(|part| part.trim().strip_prefix(name)?.strip_prefix('='));
    Some(Connection {
        nqn: text("subsysnqn").unwrap_or_default(),
        initiator: text("hostnqn"),
        transport,
        address: part("traddr").and_then(|text| text.parse().ok()),
        service: part("trsvcid").and_then(|text| text.parse().ok()),
        state: text("state").unwrap_or_else(|| "unknown".to_owned()),
        queue_count: root::value(directory.join("queue_count")),
        devices: devices(root, directory),
        controller,
    })
}

/// The block devices of a controller: `nvme5n1`, or with native multipath the one of its subsystem above its path
/// `nvme3c5n1`: `nvme3n1`.
fn devices(root: &Root, directory: &Path) -> Vec<String> {
    let names = root::names(directory).into_iter().filter(|name| name.starts_with("nvme"));
    let heads = names.filter_map(|name| head(&name));
    heads.filter(|name| root.sys.join("class/block").join(name).exists()).collect()
}

/// The device above a path; a device that is none is its own.
fn head(name: &str) -> Option<String> {
    let (controller, namespace) = name.strip_prefix("nvme")?.rsplit_once('n')?;
    let subsystem = controller.split('c').next()?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    (is_number(subsystem) && is_number(namespace)).then(|| format!("nvme{subsystem}n{namespace}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_above_a_path() {
        assert_eq!(head("nvme3c5n1").as_deref(), Some("nvme3n1"));
        assert_eq!(head("nvme12n2").as_deref(), Some("nvme12n2"));
        for other in ["nvme5", "nvme", "nvmexn1", "nvme5n1p1", "nvme-subsys0", "ng5n1"] {
            assert_eq!(head(other), None, "{other}");
        }
    }
}
