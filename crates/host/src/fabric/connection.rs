//! A connection of this host to a target.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::endpoint::{Endpoint, Transport};
use super::error::FabricError;
use super::name::{NQN_BYTES_MAX, initiator_id, initiator_nqn};
use super::state::{Connection, FabricState, Port};
use super::step::{Step, initiator_module};

/// The service that is registered for NVMe over fabrics.
pub const SERVICE: u16 = 4420;

/// What is to be connected; what is absent is that of the only target of dbdyno on this host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConnectionRequest {
    /// The transport.
    pub transport: Option<Transport>,
    /// The address of the target.
    pub address: Option<IpAddr>,
    /// The port of the target.
    pub service: Option<u16>,
    /// The subsystem.
    pub nqn: Option<String>,
    /// Connections for I/O, each with a queue of its own; as many as there are processors, where absent.
    pub queues: Option<u32>,
}

/// How a connection comes to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConnectionPlan {
    /// The subsystem.
    pub nqn: String,
    /// Where it is reached.
    pub endpoint: Endpoint,
    /// The connection, where it is there already.
    pub existing: Option<Connection>,
    /// All steps in order; without effect where it is there already.
    pub steps: Vec<Step>,
}

/// The plan of a connection from a host with the name `host`, beside what is in `state`.
pub(super) fn plan(
    state: &FabricState,
    host: &str,
    request: &ConnectionRequest,
) -> Result<ConnectionPlan, FabricError> {
    let (nqn, endpoint) = match &request.nqn {
        Some(nqn) => (valid(nqn)?, named(state, nqn, request)?),
        None => only_target(state, request)?,
    };
    if endpoint.address.is_unspecified() || endpoint.address.is_multicast() {
        return Err(FabricError::user(
            format!("address {} is not one that can be connected to", endpoint.address),
            "give the address of the target's host, 127.0.0.1 for this one",
        ));
    }
    let known = state.connections.iter().find(|known| is_at(known, &nqn, &endpoint));
    let modules = [initiator_module(endpoint.transport)].map(Step::LoadModule);
    let connect = Step::Connect { options: options(host, &nqn, &endpoint, request.queues) };
    let steps = modules.into_iter().chain([connect]).filter(|_| known.is_none()).collect();
    Ok(ConnectionPlan { nqn, endpoint, existing: known.cloned(), steps })
}

/// A name that a subsystem can have: it stands between commas.
fn valid(nqn: &str) -> Result<String, FabricError> {
    let is_plain = |letter: char| letter.is_ascii_graphic() && !matches!(letter, ',' | '/');
    if nqn.is_empty() || nqn.len() > NQN_BYTES_MAX || !nqn.chars().all(is_plain) {
        let shown: String = nqn.chars().flat_map(char::escape_debug).take(80).collect();
        return Err(FabricError::user(
            format!("nqn \"{shown}\" is not the name of a subsystem"),
            format!(
                "use at most {NQN_BYTES_MAX} letters without blank and comma; `dbdyno fabric` lists those of this host"
            ),
        ));
    }
    if nqn.ends_with(":nvme:discovery") || nqn == "nqn.2014-08.org.nvmexpress.discovery" {
        return Err(FabricError::user(
            format!("nqn {nqn} is that of discovery, which has no device"),
            "name a subsystem",
        ));
    }
    Ok(nqn.to_owned())
}

/// Where a subsystem that was named is reached: what is not given is that of a target of this host with this name, or else
/// TCP, this host, and the registered service.
fn named(state: &FabricState, nqn: &str, request: &ConnectionRequest) -> Result<Endpoint, FabricError> {
    let here = state.ports_of(nqn).filter_map(|port| offered(port, request)).next();
    let transport = request.transport.unwrap_or(Transport::Tcp);
    match (here, request.address) {
        (Some(endpoint), _) => Ok(endpoint),
        (None, None) if transport == Transport::Rdma => {
            Err(FabricError::user("rdma needs the address of the target", "give it: --address ADDR"))
        }
        (None, address) => Ok(Endpoint {
            transport,
            address: address.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)),
            service: request.service.unwrap_or(SERVICE),
        }),
    }
}

/// The one target of dbdyno on this host that fits the request.
fn only_target(state: &FabricState, request: &ConnectionRequest) -> Result<(String, Endpoint), FabricError> {
    let ours = state.subsystems.iter().filter(|subsystem| subsystem.is_ours());
    let mut found: Vec<(String, Endpoint)> = ours
        .flat_map(|subsystem| state.ports_of(&subsystem.nqn).map(|port| (subsystem.nqn.clone(), port)))
        .filter_map(|(nqn, port)| Some((nqn, offered(port, request)?)))
        .collect();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(FabricError::user(
            "no target of dbdyno on this host fits, and no nqn is given",
            "give --address and --nqn as the host of the target prints them, or make a target: dbdyno fabric target DEVICE --apply",
        )),
        count => {
            let names: Vec<&str> = found.iter().map(|(nqn, _)| nqn.as_str()).collect();
            Err(FabricError::user(
                format!("{count} targets of dbdyno on this host fit"),
                format!("name one with --nqn: {}", names.join(" or ")),
            ))
        }
    }
}

/// Where a port is reached from this host, if that is what the request says.
fn offered(port: &Port, request: &ConnectionRequest) -> Option<Endpoint> {
    let endpoint = port.endpoint?;
    let local = match endpoint.address {
        IpAddr::V4(address) if address.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(address) if address.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        address => address,
    };
    let address = match request.address {
        Some(given) if endpoint.overlaps(&Endpoint { address: given, ..endpoint }) => given,
        Some(_) => return None,
        None => local,
    };
    let fits = request.transport.is_none_or(|transport| transport == endpoint.transport)
        && request.service.is_none_or(|service| service == endpoint.service);
    fits.then_some(Endpoint { address, ..endpoint })
}

/// What is written to the kernel. Name and identifier of the initiator go together.
fn options(host: &str, nqn: &str, endpoint: &Endpoint, queues: Option<u32>) -> String {
    let initiator = initiator_nqn(host);
    let mut parts = vec![
        format!("transport={}", endpoint.transport.word()),
        format!("traddr={}", endpoint.address),
        format!("trsvcid={}", endpoint.service),
        format!("nqn={nqn}"),
        format!("hostid={}", initiator_id(&initiator)),
        format!("hostnqn={initiator}"),
    ];
    parts.extend(queues.map(|count| format!("nr_io_queues={count}")));
    parts.join(",")
}

/// Whether a connection leads to this subsystem at this place.
pub(super) fn is_at(connection: &Connection, nqn: &str, endpoint: &Endpoint) -> bool {
    connection.nqn == nqn && connection.endpoint() == Some(*endpoint)
}
