//! Connections to a target, with login.

mod address;
mod login;
mod password;

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use engine::{Address, Error, Kind, Result, Secret};
use transport::{Mode, Route, Transport, plain_message};

pub(crate) use self::address::Login;
pub(crate) use self::login::Server;
use crate::wire::Wire;

/// Address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerAddress {
    /// The directory of a Unix socket; the port is part of the socket's name.
    Unix { directory: PathBuf, port: u16 },
    /// A host by name or address.
    Tcp { host: String, port: u16 },
}

impl ServerAddress {
    fn socket(directory: &std::path::Path, port: u16) -> PathBuf {
        directory.join(format!(".s.PGSQL.{port}"))
    }

    /// Short form, as in a target.
    pub(crate) fn short(&self) -> String {
        match self {
            ServerAddress::Unix { directory, port } => format!("{}:{port}", directory.display()),
            ServerAddress::Tcp { host, port } => Address { host: host.clone(), port: Some(*port) }.to_string(),
        }
    }
}

impl std::fmt::Display for ServerAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ServerAddress::Unix { directory, port } => {
                write!(formatter, "socket {}", ServerAddress::socket(directory, *port).display())
            }
            ServerAddress::Tcp { host, port } => write!(formatter, "{host} port {port}"),
        }
    }
}

/// Default socket directories: of Debian, and of the source distribution.
pub(crate) const SOCKET_DIRECTORIES: [&str; 2] = ["/var/run/postgresql", "/tmp"];

/// A connection after login.
pub(crate) struct Opened {
    pub(crate) wire: Wire,
    pub(crate) server: Server,
    pub(crate) route: Route,
}

/// A connection before login.
struct Connected {
    transport: Transport,
    route: Route,
    /// Channel binding data of the encrypted connection, if known.
    binding: Option<Vec<u8>>,
}

impl Login {
    /// Connects and logs in; `schema` becomes the search path.
    ///
    /// # Errors
    /// `Unreachable`, `Access`, `Usage`.
    pub(crate) fn open(&self, schema: Option<&str>) -> Result<Opened> {
        let encrypt = matches!(self.address, ServerAddress::Tcp { .. }) && self.tls.mode != Mode::Disable;
        let connected = self.connect_with(encrypt, None)?;
        let was_encrypted = connected.route.encryption.is_some();
        match self.log_in(connected, schema) {
            // The server rejects this role over TLS; `prefer` falls back to an unencrypted connection.
            Err(error) if was_encrypted && self.tls.mode == Mode::Prefer && error.code.as_deref() == Some("28000") => {
                self.log_in(self.connect_with(false, None)?, schema)
            }
            outcome => outcome,
        }
    }

    /// Logs in over `transport`, a new and private connection.
    pub(crate) fn open_over(&self, transport: Transport) -> Result<Opened> {
        self.log_in(Connected { transport, route: Route::default(), binding: None }, None)
    }

    /// Connects again to the server of `route`, without login.
    pub(crate) fn reconnect(&self, route: &Route) -> Result<Wire> {
        let connected = self.connect_with(route.encryption.is_some(), route.peer)?;
        Wire::new(connected.transport, self.timeout).map_err(|error| self.unreachable(&error))
    }

    fn connect_with(&self, encrypt: bool, peer: Option<SocketAddr>) -> Result<Connected> {
        let (host, port) = match &self.address {
            ServerAddress::Unix { directory, port } => {
                return self.connect_socket(&ServerAddress::socket(directory, *port));
            }
            ServerAddress::Tcp { host, port } => (host, *port),
        };
        let stream = self.connect(host, port, peer)?;
        let route = Route::of_tcp(&stream);
        let unencrypted = |stream| Connected { transport: Transport::Tcp(stream), route: route.clone(), binding: None };
        if !encrypt {
            return Ok(unencrypted(stream));
        }
        if !self.offers_tls(&stream)? {
            if self.tls.mode == Mode::Prefer {
                return Ok(unencrypted(stream));
            }
            let message =
                format!("the server at {} does not support TLS and sslmode is {}", self.address, self.tls.mode);
            return Err(Error::new(Kind::Usage, message).hint("set ssl = on in the server, or give sslmode=prefer"));
        }
        match self.tls.handshake(stream, host, "PostgreSQL") {
            Ok(encrypted) => Ok(Connected {
                transport: Transport::Tls(encrypted.stream),
                route: Route { encryption: Some(encrypted.encryption), ..route },
                binding: encrypted.binding,
            }),
            Err(_) if self.tls.mode == Mode::Prefer => Ok(unencrypted(self.connect(host, port, route.peer)?)),
            Err(error) => Err(error),
        }
    }

    fn connect_socket(&self, path: &std::path::Path) -> Result<Connected> {
        let stream = UnixStream::connect(path).map_err(|error| self.unreachable(&error))?;
        Ok(Connected { transport: Transport::Unix(stream), route: Route::default(), binding: None })
    }

    fn connect(&self, host: &str, port: u16, peer: Option<SocketAddr>) -> Result<TcpStream> {
        transport::connect(host, port, peer, self.timeout).map_err(|error| self.unreachable(&error))
    }

    /// The error for a server that does not respond, with a hint.
    pub(crate) fn unreachable(&self, error: &io::Error) -> Error {
        let message = format!("no PostgreSQL server responds at {}: {}", self.address, plain_message(error));
        let hint = match (error.kind(), &self.address) {
            (io::ErrorKind::PermissionDenied, _) => "use an operating system user with access to the socket",
            (io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock, _) => {
                "check host and firewall, or give a longer connect_timeout"
            }
            (_, ServerAddress::Unix { .. }) => "start the server, or give its socket directory with host=DIRECTORY",
            (_, ServerAddress::Tcp { .. }) => "check host and port, and listen_addresses of the server",
        };
        Error::new(Kind::Unreachable, message).hint(hint)
    }

    /// The error for a peer that does not speak the protocol.
    pub(crate) fn not_postgres(&self, what: &str) -> Error {
        Error::new(Kind::Unreachable, format!("the server at {} is not PostgreSQL: {what}", self.address))
            .hint("check host and port: the default port of PostgreSQL is 5432")
    }

    pub(crate) fn password(&self) -> Option<&Secret> {
        self.password.as_ref()
    }
}
