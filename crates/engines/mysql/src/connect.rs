//! Connections to a target, with login.

mod address;
mod canonical;
mod greeting;
mod login;
mod option_file;
mod parameter;
mod password;

use std::io;
use std::path::PathBuf;

use engine::{Error, Kind, Result};
use transport::{Keepalive, Route, Transport, plain_message};

pub(crate) use self::address::Login;
pub(crate) use self::canonical::canonical;
pub(crate) use self::greeting::Server;
use crate::wire::Wire;

/// Address of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerAddress {
    /// The file of a Unix socket.
    Unix(PathBuf),
    /// A host by name or address.
    Tcp { host: String, port: u16 },
}

impl std::fmt::Display for ServerAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            ServerAddress::Unix(path) => write!(formatter, "socket {}", path.display()),
            ServerAddress::Tcp { host, port } => write!(formatter, "{host} port {port}"),
        }
    }
}

/// Default sockets: of Debian, of Red Hat, and of the source distribution.
pub(crate) const SOCKETS: [&str; 3] = ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock"];

/// A connection after login.
pub(crate) struct Opened {
    pub(crate) wire: Wire,
    pub(crate) server: Server,
    pub(crate) route: Route,
}

impl Login {
    /// Connects and logs in to `database`, or to that of the target.
    pub(crate) fn open(&self, database: Option<&str>) -> Result<Opened> {
        let (transport, route) = match &self.address {
            ServerAddress::Unix(path) => {
                let stream = transport::connect_socket(path, self.timeout);
                let stream = stream.map_err(|error| self.unreachable(&error))?;
                (Transport::Unix(stream), Route::default())
            }
            ServerAddress::Tcp { host, port } => {
                let stream = transport::connect(host, *port, None, self.timeout, &Keepalive::default());
                let stream = stream.map_err(|error| self.unreachable(&error))?;
                let route = Route::of_tcp(&stream);
                (Transport::Tcp(stream), route)
            }
        };
        self.log_in(transport, route, database.or(self.database.as_deref()))
    }

    /// Logs in over `transport`, a new connection.
    pub(crate) fn open_over(&self, transport: Transport) -> Result<Opened> {
        self.log_in(transport, Route::default(), self.database.as_deref())
    }

    /// The error for a server that does not respond, with a hint.
    pub(crate) fn unreachable(&self, error: &io::Error) -> Error {
        let message = format!("no MariaDB or MySQL server responds at {}: {}", self.address, plain_message(error));
        let hint = match (error.kind(), &self.address) {
            (io::ErrorKind::PermissionDenied, _) => "use an operating system user with access to the socket",
            (io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock, _) => {
                "check host, port and firewall, or give a longer connect_timeout"
            }
            (_, ServerAddress::Unix(_)) => "start the server, or give its socket with socket=FILE",
            (_, ServerAddress::Tcp { .. }) => "check host and port, and bind_address of the server",
        };
        Error::new(Kind::Unreachable, message).hint(hint)
    }

    /// The error for a peer that does not speak the protocol.
    pub(crate) fn not_mysql(&self, what: &str) -> Error {
        Error::new(Kind::Unreachable, format!("the server at {} is neither MariaDB nor MySQL: {what}", self.address))
            .hint("check host and port: the default port of these servers is 3306")
    }
}
