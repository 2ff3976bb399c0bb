//! From a target to a connection that is logged in.

mod address;
mod login;
mod password;

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use engine::{Address, Error, Kind, Result, Secret};
use transport::{Mode, Transport, Way, plain};

pub(crate) use self::address::Login;
pub(crate) use self::login::Server;
use crate::wire::Wire;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The directory of a Unix socket; the port is part of the socket's name.
    Unix { directory: PathBuf, port: u16 },
    /// A host by name or address.
    Tcp { host: String, port: u16 },
}

impl Place {
    fn socket(directory: &std::path::Path, port: u16) -> PathBuf {
        directory.join(format!(".s.PGSQL.{port}"))
    }

    /// As a target names it.
    pub(crate) fn short(&self) -> String {
        match self {
            Place::Unix { directory, port } => format!("{}:{port}", directory.display()),
            Place::Tcp { host, port } => Address { host: host.clone(), port: Some(*port) }.to_string(),
        }
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Unix { directory, port } => {
                write!(formatter, "socket {}", Place::socket(directory, *port).display())
            }
            Place::Tcp { host, port } => write!(formatter, "{host} port {port}"),
        }
    }
}

/// Where servers put their sockets unless they are told otherwise: Debian's place, and that of the sources.
pub(crate) const SOCKET_DIRECTORIES: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// A connection that is logged in.
pub(crate) struct Opened {
    pub(crate) wire: Wire,
    pub(crate) server: Server,
    pub(crate) way: Way,
}

/// Bytes can be exchanged; nobody has said who he is yet.
struct Reached {
    transport: Transport,
    way: Way,
    /// What binds a SCRAM exchange to this encrypted connection, where that is known.
    binding: Option<Vec<u8>>,
}

impl Login {
    /// Connects and logs in; the session works in `schema`.
    ///
    /// # Errors
    /// `Unreachable`, `Access`, `Usage`.
    pub(crate) fn open(&self, schema: Option<&str>) -> Result<Opened> {
        let encrypt = matches!(self.place, Place::Tcp { .. }) && self.tls.mode != Mode::Disable;
        let reached = self.reach(encrypt, None)?;
        let was_encrypted = reached.way.encryption.is_some();
        match self.log_in(reached, schema) {
            // The server does not let this role in over TLS; `prefer` is content without.
            Err(error) if was_encrypted && self.tls.mode == Mode::Prefer && error.code.as_deref() == Some("28000") => {
                self.log_in(self.reach(false, None)?, schema)
            }
            outcome => outcome,
        }
    }

    /// Logs in over `transport`, on which nothing was said yet and nobody can read along.
    pub(crate) fn open_over(&self, transport: Transport) -> Result<Opened> {
        self.log_in(Reached { transport, way: Way::default(), binding: None }, None)
    }

    /// Connects to the server that was reached by `way`, and says nothing yet.
    pub(crate) fn reach_again(&self, way: &Way) -> Result<Wire> {
        let reached = self.reach(way.encryption.is_some(), way.peer)?;
        Wire::new(reached.transport, self.timeout).map_err(|error| self.unreachable(&error))
    }

    fn reach(&self, encrypt: bool, peer: Option<SocketAddr>) -> Result<Reached> {
        let (host, port) = match &self.place {
            Place::Unix { directory, port } => return self.reach_socket(&Place::socket(directory, *port)),
            Place::Tcp { host, port } => (host, *port),
        };
        let stream = self.dial(host, port, peer)?;
        let way = Way::of_tcp(&stream);
        let unencrypted = |stream| Reached { transport: Transport::Tcp(stream), way: way.clone(), binding: None };
        if !encrypt {
            return Ok(unencrypted(stream));
        }
        if !self.offers_tls(&stream)? {
            if self.tls.mode == Mode::Prefer {
                return Ok(unencrypted(stream));
            }
            let message = format!("the server at {} offers no TLS and sslmode is {}", self.place, self.tls.mode);
            return Err(Error::new(Kind::Usage, message).hint("set ssl = on in the server, or give sslmode=prefer"));
        }
        match self.tls.shake_hands(stream, host, "PostgreSQL") {
            Ok(encrypted) => Ok(Reached {
                transport: Transport::Tls(encrypted.stream),
                way: Way { encryption: Some(encrypted.encryption), ..way },
                binding: encrypted.binding,
            }),
            Err(_) if self.tls.mode == Mode::Prefer => Ok(unencrypted(self.dial(host, port, way.peer)?)),
            Err(error) => Err(error),
        }
    }

    fn reach_socket(&self, path: &std::path::Path) -> Result<Reached> {
        let stream = UnixStream::connect(path).map_err(|error| self.unreachable(&error))?;
        Ok(Reached { transport: Transport::Unix(stream), way: Way::default(), binding: None })
    }

    fn dial(&self, host: &str, port: u16, peer: Option<SocketAddr>) -> Result<TcpStream> {
        transport::dial(host, port, peer, self.timeout).map_err(|error| self.unreachable(&error))
    }

    /// Nothing answers: in words, with what may be done.
    pub(crate) fn unreachable(&self, error: &io::Error) -> Error {
        let message = format!("no PostgreSQL server answers at {}: {}", self.place, plain(error));
        let hint = match (error.kind(), &self.place) {
            (io::ErrorKind::PermissionDenied, _) => "use a role of the operating system that may use the socket",
            (io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock, _) => {
                "check host and firewall, or give a longer connect_timeout"
            }
            (_, Place::Unix { .. }) => "start the server, or name its socket directory with host=DIRECTORY",
            (_, Place::Tcp { .. }) => "check host and port, and listen_addresses of the server",
        };
        Error::new(Kind::Unreachable, message).hint(hint)
    }

    /// Something answers that does not speak the protocol.
    pub(crate) fn foreign(&self, what: &str) -> Error {
        Error::new(Kind::Unreachable, format!("what answers at {} is not PostgreSQL: {what}", self.place))
            .hint("check host and port: PostgreSQL listens on 5432 unless it was told otherwise")
    }

    pub(crate) fn password(&self) -> Option<&Secret> {
        self.password.as_ref()
    }
}
