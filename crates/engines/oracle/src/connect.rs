//! Connecting and logging in to a target.

mod address;
mod names;
mod probe;

use std::io;
use std::net::SocketAddr;
use std::panic;
use std::sync::Once;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use engine::{Error, Kind, Result};
use oracledb::{Config, Connection};

pub(crate) use self::address::Login;
use crate::failure;

/// The default of `connect_timeout`: the limit of a response, and of a whole login.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

/// Size of the statement cache of a session: enough for any test and the queries of a node.
const STATEMENTS_KEPT: usize = 64;

/// The name of the threads that log in.
const LOGIN_THREAD: &str = "oracle login";

/// The TCP connection to the server.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// The address of the server, one of those of the host.
    pub(crate) peer: SocketAddr,
    /// The local address.
    pub(crate) own: SocketAddr,
}

/// The address of a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ServerAddress {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Whether the connection starts with a TLS handshake.
    pub(crate) encrypted: bool,
}

impl std::fmt::Display for ServerAddress {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} port {}", self.host, self.port)
    }
}

impl Login {
    /// Checks that an Oracle listener responds before credentials are sent: the driver would wait for the response of
    /// another kind of server without a timeout.
    pub(crate) fn probe(&self) -> Result<Route> {
        let mut first = None;
        for server in &self.addresses {
            match probe::probe(server, self.timeout) {
                Ok(route) => return Ok(route),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| Error::new(Kind::Usage, "the target leads to no host").hint("name host and port")))
    }

    /// Connects and logs in.
    ///
    /// The driver has no timeout for a login, and panics on a response it does not expect. It therefore runs in a thread
    /// of its own, which is detached after the timeout.
    pub(crate) fn open(&self) -> Result<Connection> {
        silence_panics_of_logins();
        let config = self.config()?;
        let (done, outcome) = channel();
        let worker = thread::Builder::new().name(LOGIN_THREAD.to_owned()).spawn(move || {
            // Fails after the timeout only.
            let _ = done.send(oracledb::connect(config));
        });
        worker.map_err(|error| Error::new(Kind::Unreachable, format!("no thread for a login: {error}")))?;
        let received = match self.timeout {
            Some(timeout) => outcome.recv_timeout(timeout),
            None => outcome.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match received {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(error)) => Err(failure::of_login(&error, &self.shown, &self.user)),
            Err(RecvTimeoutError::Timeout) => {
                let message = format!("the login at {} is not over in time", self.shown);
                Err(Error::new(Kind::Unreachable, message)
                    .hint("see the log of the listener, or give a longer connect_timeout"))
            }
            Err(RecvTimeoutError::Disconnected) => {
                let message = format!("what answers at {} speaks as no Oracle server that is known", self.shown);
                Err(Error::new(Kind::Unreachable, message).hint(
                    "a server that insists on its own encryption is reached over TLS: protocol=tcps and its port",
                ))
            }
        }
    }

    fn config(&self) -> Result<Config> {
        let usage = |error: oracledb::Error| {
            Error::new(Kind::Usage, error.to_string()).hint("a target is oracle://user@host:1521/service")
        };
        let mut config = Config::default()
            .set_user(&self.user)
            .set_password(self.password.reveal())
            .set_transport_connect_timeout(self.timeout)
            .set_stmtcachesize(STATEMENTS_KEPT)
            .set_program("dbdyno")
            .map_err(usage)?;
        if let Some(wallet) = &self.wallet {
            config = config.set_wallet_location(wallet.as_str());
        }
        config.set_connect_string(&self.descriptor).map_err(usage)
    }
}

/// Whether `received` is the response of an Oracle listener to a probe.
pub(crate) fn is_listener(received: &[u8]) -> bool {
    probe::is_listener(received)
}

/// The aliases in the text of a `tnsnames.ora`, each with the addresses of its descriptor.
pub(crate) fn named_addresses(text: &str) -> Vec<(String, Vec<ServerAddress>)> {
    names::entries(text).into_iter().map(|(names, descriptor)| (names, address::addresses(&descriptor))).collect()
}

/// The driver panics on a response it does not expect; the caller reports that as an error of its own. The message of the
/// panic is no user's concern, and a backtrace in it takes longer than a timeout.
fn silence_panics_of_logins() {
    static SET: Once = Once::new();
    SET.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if thread::current().name() != Some(LOGIN_THREAD) {
                previous(panic);
            }
        }));
    });
}

/// The message of `error` without the number of the operating system.
pub(crate) fn plain_message(error: &io::Error) -> String {
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
