//! From a target to a connection that is logged in.

mod address;
mod greeting;
mod login;
mod password;
mod surroundings;

use std::io;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use engine::{Error, Kind, Result};

pub(crate) use self::address::Login;
pub(crate) use self::greeting::Server;
pub(crate) use self::surroundings::Surroundings;
use crate::wire::{Transport, Wire};

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

/// How a connection was made.
#[derive(Clone, Debug, Default)]
pub(crate) struct Way {
    /// The address among those of the host's name; absent on a Unix socket.
    pub(crate) peer: Option<SocketAddr>,
    /// Our own address; absent on a Unix socket.
    pub(crate) own: Option<SocketAddr>,
    /// Version and cipher, where the connection is encrypted.
    pub(crate) encryption: Option<String>,
}

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
                let stream = self.dial(host, *port)?;
                let way = Way { peer: stream.peer_addr().ok(), own: stream.local_addr().ok(), ..Way::default() };
                (Transport::Tcp(stream), way)
            }
        };
        let wire = Wire::new(transport, self.patience).map_err(|error| self.unreachable(&error))?;
        self.log_in(wire, way, database.or(self.database.as_deref()))
    }

    /// Connects to the first address of `host` that answers.
    fn dial(&self, host: &str, port: u16) -> Result<TcpStream> {
        let addresses = (host, port).to_socket_addrs().map_err(|error| self.unreachable(&error))?;
        let mut failure = io::Error::new(io::ErrorKind::NotFound, "the host has no address");
        for address in addresses {
            let stream = match self.patience {
                Some(patience) => TcpStream::connect_timeout(&address, patience),
                None => TcpStream::connect(address),
            };
            let ready = stream.and_then(|stream| {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(self.patience)?;
                Ok(stream)
            });
            match ready {
                Ok(stream) => return Ok(stream),
                Err(error) => failure = error,
            }
        }
        Err(self.unreachable(&failure))
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

/// An error without the number that the operating system gave it.
pub(crate) fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    match error.kind() {
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => "no answer in time".to_owned(),
        _ => text
            .chars()
            .next()
            .map_or_else(String::new, |first| first.to_lowercase().chain(text.chars().skip(1)).collect()),
    }
}

/// The default of `connect_timeout`.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
