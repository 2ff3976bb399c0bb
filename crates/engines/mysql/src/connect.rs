//! From a target to a connection that is logged in.

mod address;
mod greeting;
mod login;
mod option_file;
mod password;

use std::io;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;

use engine::{Error, Kind, Result};
use transport::{Transport, Way, plain};

pub(crate) use self::address::Login;
pub(crate) use self::greeting::Server;
use crate::wire::Wire;

/// Where a server listens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The file of a Unix socket.
    Unix(PathBuf),
    /// A host by name or address.
    Tcp { host: String, port: u16 },
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Unix(path) => write!(formatter, "socket {}", path.display()),
            Place::Tcp { host, port } => write!(formatter, "{host} port {port}"),
        }
    }
}

/// Where servers put their sockets unless they are told otherwise: Debian, Red Hat, the sources.
pub(crate) const SOCKETS: [&str; 3] = ["/run/mysqld/mysqld.sock", "/var/lib/mysql/mysql.sock", "/tmp/mysql.sock"];

/// A connection that is logged in.
pub(crate) struct Opened {
    pub(crate) wire: Wire,
    pub(crate) server: Server,
    pub(crate) way: Way,
}

impl Login {
    /// Connects and logs in; the session works in `database`, or in the one of the target.
    ///
    /// # Errors
    /// `Unreachable`, `Access`, `Usage`.
    pub(crate) fn open(&self, database: Option<&str>) -> Result<Opened> {
        let (transport, way) = match &self.place {
            Place::Unix(path) => {
                let stream = UnixStream::connect(path).map_err(|error| self.unreachable(&error))?;
                (Transport::Unix(stream), Way::default())
            }
            Place::Tcp { host, port } => {
                let stream = transport::dial(host, *port, None, self.timeout);
                let stream = stream.map_err(|error| self.unreachable(&error))?;
                let way = Way::of_tcp(&stream);
                (Transport::Tcp(stream), way)
            }
        };
        let wire = Wire::new(transport, self.timeout).map_err(|error| self.unreachable(&error))?;
        self.log_in(wire, way, database.or(self.database.as_deref()))
    }

    /// Logs in over `transport`, on which nothing was said yet.
    pub(crate) fn open_over(&self, transport: Transport) -> Result<Opened> {
        let wire = Wire::new(transport, self.timeout).map_err(|error| self.unreachable(&error))?;
        self.log_in(wire, Way::default(), self.database.as_deref())
    }

    /// Nothing answers: in words, with what may be done.
    pub(crate) fn unreachable(&self, error: &io::Error) -> Error {
        let message = format!("no MariaDB or MySQL server answers at {}: {}", self.place, plain(error));
        let hint = match (error.kind(), &self.place) {
            (io::ErrorKind::PermissionDenied, _) => "use a user of the operating system that may use the socket",
            (io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock, _) => {
                "check host, port and firewall (such a server speaks first), or give a longer connect_timeout"
            }
            (_, Place::Unix(_)) => "start the server, or name its socket with socket=FILE",
            (_, Place::Tcp { .. }) => "check host and port, and bind_address of the server",
        };
        Error::new(Kind::Unreachable, message).hint(hint)
    }

    /// Something answers that does not speak the protocol.
    pub(crate) fn foreign(&self, what: &str) -> Error {
        Error::new(Kind::Unreachable, format!("what answers at {} is neither MariaDB nor MySQL: {what}", self.place))
            .hint("check host and port: these servers listen on 3306 unless they were told otherwise")
    }
}
