//! The other end of the network probes: a peer that is named, or one of our own on loopback.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;

use base::root;
use probe::peer::{Describe, Facts, Limits, OnRefused, PeerError, Server, ask};
use record::{NetworkEnd, NetworkPath};

use crate::{Error, Result};

/// Which peer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NetworkPeer {
    /// One of our own, in this process, on loopback.
    Own,
    /// One that listens there.
    At {
        /// Name or address of the host.
        host: String,
        /// Its port.
        port: u16,
    },
}

impl NetworkPeer {
    /// The peer of a record.
    pub(crate) fn of(path: &NetworkPath) -> NetworkPeer {
        let named = path.peer.as_deref().and_then(|peer| peer.rsplit_once(':'));
        let named = named.and_then(|(host, port)| Some((host.trim_matches(['[', ']']).to_owned(), port.parse().ok()?)));
        named.map_or(NetworkPeer::Own, |(host, port)| NetworkPeer::At { host, port })
    }
}

impl fmt::Display for NetworkPeer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NetworkPeer::Own => formatter.write_str("a peer of dbdyno itself, on loopback"),
            NetworkPeer::At { host, port } if host.contains(':') => write!(formatter, "[{host}]:{port}"),
            NetworkPeer::At { host, port } => write!(formatter, "{host}:{port}"),
        }
    }
}

/// A peer that answers.
pub(crate) struct ReachedPeer {
    pub path: NetworkPath,
    pub address: SocketAddr,
    /// Its process, where that is another one on this host.
    pub process: Option<u32>,
    /// Ends with this value.
    _own: Option<Server>,
}

/// What runs need to know of the peer.
#[derive(Clone, Debug)]
pub(crate) struct Peer {
    /// Where it listens.
    pub address: SocketAddr,
    /// Its process, where that is another one on this host: what it does is no work of other programs.
    pub process: Option<u32>,
    /// The interface of this host on the path.
    pub interface: Option<String>,
}

impl Peer {
    pub(crate) fn of(reached: &ReachedPeer) -> Peer {
        let interface = reached.path.near.interface.as_ref().map(|interface| interface.name.clone());
        Peer { address: reached.address, process: reached.process, interface }
    }
}

/// Listens at `address` as a peer for others, until the value is dropped; `version` is that of the program.
///
/// # Errors
/// Where the operating system refuses it.
pub fn serve_network(address: SocketAddr, version: &str, on_refused: OnRefused) -> Result<Server> {
    Server::start(address, Limits::default(), describe(version), on_refused).map_err(|error| {
        Error::environment(format!("{address} cannot be listened at: {error}"))
            .hint("give an address of this host and a free port: --listen 127.0.0.1:0 takes any")
    })
}

/// Finds `peer`, and asks it who it is.
pub(crate) fn reach(peer: &NetworkPeer, version: &str) -> Result<ReachedPeer> {
    let (own, addresses) = match peer {
        NetworkPeer::Own => {
            let server = serve_network(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), version, Arc::new(|_, _| ()))?;
            let address = server.address();
            (Some(server), vec![address])
        }
        NetworkPeer::At { host, port } => (None, addresses(host, *port)?),
    };
    let mut first_error = None;
    for address in addresses {
        match ask(address) {
            Ok((facts, near)) => return Ok(reached(peer, own, (address, near.ip()), facts, version)),
            Err(error) => drop(first_error.get_or_insert((address, error))),
        }
    }
    Err(unreachable(peer, first_error))
}

fn addresses(host: &str, port: u16) -> Result<Vec<SocketAddr>> {
    let found = (host, port).to_socket_addrs().map_err(|error| {
        Error::environment(format!("peer {host} has no address: {error}"))
            .hint("give a name that resolves, or an address")
    })?;
    Ok(found.collect())
}

fn unreachable(peer: &NetworkPeer, error: Option<(SocketAddr, PeerError)>) -> Error {
    match error {
        Some((address, error)) if address.to_string() == peer.to_string() => {
            Error::environment(format!("peer {peer}: {error}")).hint(error.hint())
        }
        Some((address, error)) => Error::environment(format!("peer {peer} at {address}: {error}")).hint(error.hint()),
        None => Error::environment(format!("peer {peer} has no address")),
    }
}

fn reached(
    peer: &NetworkPeer,
    own: Option<Server>,
    (address, near): (SocketAddr, IpAddr),
    facts: Facts,
    version: &str,
) -> ReachedPeer {
    let is_same_host = facts.boot_id.is_some() && facts.boot_id == host::boot_id();
    let process = facts.process.filter(|process| is_same_host && own.is_none() && is_alike(*process));
    let path = NetworkPath {
        peer: matches!(peer, NetworkPeer::At { .. }).then(|| peer.to_string()),
        address: address.to_string(),
        far: facts.end,
        near: this_end(near, address.ip(), version),
        is_same_host,
    };
    ReachedPeer { path, address, process, _own: own }
}

/// Whether `process` of this host runs the same program: in another namespace the number is that of another one.
fn is_alike(process: u32) -> bool {
    let name = |process: &str| root::text(format!("/proc/{process}/comm"));
    name("self").is_some_and(|own| name(&process.to_string()) == Some(own))
}

fn this_end(near: IpAddr, far: IpAddr, version: &str) -> NetworkEnd {
    NetworkEnd { version: Some(version.to_owned()), ..host::network_end(near, far) }
}

/// What this host says of itself to others.
fn describe(version: &str) -> Describe {
    let version = version.to_owned();
    Arc::new(move |near, far| Facts {
        end: this_end(near, far, &version),
        boot_id: host::boot_id(),
        process: Some(std::process::id()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(host: &str, port: u16) -> NetworkPeer {
        NetworkPeer::At { host: host.to_owned(), port }
    }

    #[test]
    fn a_peer_of_a_record_is_that_of_the_invocation() {
        for peer in [NetworkPeer::Own, at("db1", 5_250), at("192.0.2.1", 1), at("fe80::1", 65_535)] {
            let named = matches!(peer, NetworkPeer::At { .. }).then(|| peer.to_string());
            assert_eq!(NetworkPeer::of(&NetworkPath { peer: named, ..NetworkPath::default() }), peer);
        }
        assert_eq!(at("fe80::1", 7).to_string(), "[fe80::1]:7");
    }

    #[test]
    fn an_own_peer_is_on_loopback_and_on_the_same_host() {
        let reached = reach(&NetworkPeer::Own, "1.2.3").unwrap();
        assert!(reached.address.ip().is_loopback() && reached.path.is_same_host);
        assert_eq!((reached.path.peer.as_deref(), reached.process), (None, None));
        assert_eq!(Peer::of(&reached).interface.as_deref(), Some("lo"));
        assert_eq!(reached.path.far.version.as_deref(), Some("1.2.3"));
        assert_eq!(reached.path.far.host_name, reached.path.near.host_name);
        let address = reached.address;
        drop(reached);
        assert!(matches!(ask(address), Err(PeerError::Unreachable(_))), "it ends with its value");
    }

    #[test]
    fn what_is_no_peer_is_an_error_of_the_environment_with_a_hint() {
        let taken = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let free = { std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port() };
        let error = reach(&at("127.0.0.1", free), "0").err().unwrap();
        assert_eq!(error.fault, crate::Fault::Environment);
        assert!(error.message.starts_with(&format!("peer 127.0.0.1:{free}: it cannot be reached")), "{error}");
        assert!(error.hint.as_deref().is_some_and(|hint| hint.contains("dbdyno network serve")));
        let error = serve_network(taken.local_addr().unwrap(), "0", Arc::new(|_, _| ())).err().unwrap();
        assert!(error.message.contains("cannot be listened at"), "{error}");
    }
}
