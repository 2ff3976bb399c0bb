//! Connections to a target, with login.

mod address;
mod authentication;
mod canonical;
mod login;
mod parameter;
mod password;
mod service;

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;

use engine::{Address, Error, Kind, Result, Secret};
use transport::{Deadline, Mode, Route, Transport, plain_message};

pub(crate) use self::address::Login;
pub(crate) use self::canonical::canonical;
pub(crate) use self::login::Server;
pub(crate) use self::parameter::KNOWN as PARAMETERS;
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
    /// Until when the login has to be complete, or what is asked without one answered.
    deadline: Deadline,
}

/// How a connection begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encryption {
    /// Unencrypted.
    No,
    /// Encrypted where server and handshake allow it.
    IfPossible,
    /// Encrypted, or not at all.
    Yes,
}

impl Login {
    /// Connects and logs in; `schema` becomes the search path. All sessions are encrypted or all are not, as the first
    /// one, whatever `sslmode` permits: the record says it of all.
    pub(crate) fn open(&self, schema: Option<&str>) -> Result<Opened> {
        let is_tcp = matches!(self.address, ServerAddress::Tcp { .. });
        let (first, second) = match (self.is_encrypted.get().copied(), self.tls.mode) {
            _ if !is_tcp => (Encryption::No, None),
            (Some(true), _) => (Encryption::Yes, None),
            (Some(false), _) | (None, Mode::Disable) => (Encryption::No, None),
            (None, Mode::Allow) => (Encryption::No, Some(Encryption::Yes)),
            (None, Mode::Prefer) => (Encryption::IfPossible, Some(Encryption::No)),
            (None, Mode::Require | Mode::VerifyCa | Mode::VerifyFull) => (Encryption::Yes, None),
        };
        let connected = self.connect_with(first, None)?;
        let was_encrypted = connected.route.encryption.is_some();
        let opened = match (self.log_in(connected, schema), second) {
            // The server rejects this role over such a connection.
            (Err(error), Some(second))
                if error.code.as_deref() == Some("28000") && was_encrypted == (second == Encryption::No) =>
            {
                let again = self.connect_with(second, None).and_then(|connected| self.log_in(connected, schema));
                // Where both are rejected, the reason of the first counts.
                again.map_err(|again| if again.code == error.code || again.kind == Kind::Usage { error } else { again })
            }
            (outcome, _) => outcome,
        }?;
        // Two sessions may begin at once; the first one counts.
        let is_encrypted = opened.route.encryption.is_some();
        match *self.is_encrypted.get_or_init(|| is_encrypted) == is_encrypted {
            true => Ok(opened),
            false => self.open(schema),
        }
    }

    /// Logs in over `transport`, a new and private connection.
    pub(crate) fn open_over(&self, transport: Transport) -> Result<Opened> {
        let deadline = Deadline::after(self.timeout);
        self.log_in(Connected { transport, route: Route::default(), binding: None, deadline }, None)
    }

    /// Connects again to the server of `route`, without login.
    pub(crate) fn reconnect(&self, route: &Route) -> Result<Wire> {
        let encryption = if route.encryption.is_some() { Encryption::Yes } else { Encryption::No };
        let connected = self.connect_with(encryption, route.peer)?;
        Ok(Wire::new(connected.transport, connected.deadline))
    }

    fn connect_with(&self, encryption: Encryption, peer: Option<SocketAddr>) -> Result<Connected> {
        let (host, port) = match &self.address {
            ServerAddress::Unix { directory, port } => {
                return self.connect_socket(&ServerAddress::socket(directory, *port));
            }
            ServerAddress::Tcp { host, port } => (host, *port),
        };
        let (stream, deadline) = self.connect(host, port, peer)?;
        let route = Route::of_tcp(&stream);
        let unencrypted = |(stream, deadline)| {
            let transport = Transport::Tcp(stream);
            Connected { transport, route: route.clone(), binding: None, deadline }
        };
        if encryption == Encryption::No {
            return Ok(unencrypted((stream, deadline)));
        }
        if !self.offers_tls(&stream, deadline)? {
            if encryption == Encryption::IfPossible {
                return Ok(unencrypted((stream, deadline)));
            }
            let and = match self.is_encrypted.get() {
                Some(_) => "an earlier session was encrypted".to_owned(),
                None => format!("sslmode is {}", self.tls.mode),
            };
            let message = format!("the server at {} does not support TLS and {and}", self.address);
            return Err(Error::new(Kind::Usage, message).hint("set ssl = on in the server, or give sslmode=prefer"));
        }
        match self.tls.handshake(stream, host, "PostgreSQL", deadline) {
            Ok(encrypted) => Ok(Connected {
                transport: Transport::Tls(encrypted.stream),
                route: Route { encryption: Some(encrypted.encryption), ..route },
                binding: encrypted.binding,
                deadline,
            }),
            Err(_) if encryption == Encryption::IfPossible => Ok(unencrypted(self.connect(host, port, route.peer)?)),
            Err(error) => Err(error),
        }
    }

    fn connect_socket(&self, path: &std::path::Path) -> Result<Connected> {
        let stream = transport::connect_socket(path, self.timeout).map_err(|error| self.unreachable(&error))?;
        let (transport, deadline) = (Transport::Unix(stream), Deadline::after(self.timeout));
        Ok(Connected { transport, route: Route::default(), binding: None, deadline })
    }

    /// A connection, with the deadline of all that precedes its session.
    fn connect(&self, host: &str, port: u16, peer: Option<SocketAddr>) -> Result<(TcpStream, Deadline)> {
        let peer = peer.or_else(|| self.host_address.map(|address| SocketAddr::new(address, port)));
        let connected = transport::connect(host, port, peer, self.timeout, &self.keepalive);
        let stream = connected.map_err(|error| self.unreachable(&error))?;
        Ok((stream, Deadline::after(self.timeout)))
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

#[cfg(test)]
mod tests {
    use engine_kit::impostor;
    use transport::Environment;

    use super::*;

    /// Answers the request for TLS with no, and closes.
    fn no_tls(stream: &mut dyn impostor::Stream) {
        impostor::read_some(stream);
        let _ = stream.write_all(b"N");
        impostor::read_some(stream);
    }

    #[test]
    fn a_session_is_not_less_encrypted_than_the_one_that_is_in_the_record() {
        let target = format!("postgres://ann@127.0.0.1:{}/db?sslmode=prefer", impostor::start(no_tls));
        let environment = Environment::of(&[], std::path::Path::new("/nonexistent"), &[]);
        let login = Login::of(&target.parse().unwrap(), &environment).unwrap();
        let refusal = |login: &Login| login.open(None).err().expect("no server").message;
        assert!(!refusal(&login).contains("does not support TLS"), "as the first session it goes on without");
        login.is_encrypted.set(true).unwrap();
        assert!(refusal(&login).ends_with("does not support TLS and an earlier session was encrypted"));
    }
}
