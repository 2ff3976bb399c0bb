//! From a target to a connection that is logged in.

mod address;
mod knock;
mod names;

use std::io;
use std::net::SocketAddr;
use std::sync::Once;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use engine::{Error, Kind, Result};
use oracledb::{Config, Connection};

pub(crate) use self::address::Login;
use crate::failure;

/// The default of `connect_timeout`: what an answer may take, and what a login may take in all.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(20);

/// Statements that the driver keeps open in a session: those of any test, and those that a node asks about itself.
const STATEMENTS_KEPT: usize = 64;

/// How the server was reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    /// The address among those of the host's name.
    pub(crate) peer: SocketAddr,
    /// Our own address.
    pub(crate) own: SocketAddr,
}

/// Where a listener is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Whether TLS comes before anything else.
    pub(crate) encrypted: bool,
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} port {}", self.host, self.port)
    }
}

impl Login {
    /// Finds out who listens, before anybody is told who we are: the driver would wait for ever for the answer of a
    /// stranger.
    ///
    /// # Errors
    /// `Unreachable` with what there is instead; where an alias names several places, that of the first.
    pub(crate) fn knock(&self) -> Result<Way> {
        let mut first = None;
        for place in &self.places {
            match knock::knock(place, self.timeout) {
                Ok(way) => return Ok(way),
                Err(error) => first = first.or(Some(error)),
            }
        }
        Err(first.unwrap_or_else(|| Error::new(Kind::Usage, "the target leads to no host").hint("name host and port")))
    }

    /// Connects and logs in.
    ///
    /// The driver has no limit of time and gives up its thread on what it does not expect, so that it gets a thread of
    /// its own, which is left alone where it is late.
    ///
    /// # Errors
    /// `Unreachable`, `Access`, `Usage`.
    pub(crate) fn open(&self) -> Result<Connection> {
        choose_encryption();
        let config = self.config()?;
        let (done, outcome) = channel();
        let worker = thread::Builder::new().name("oracle login".to_owned()).spawn(move || {
            // Nobody waits any more where this fails.
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

/// Whether `heard` is what an Oracle listener says to a knock.
pub(crate) fn is_listener(heard: &[u8]) -> bool {
    knock::is_listener(heard)
}

/// The names in the text of a `tnsnames.ora`, and where what they stand for leads.
pub(crate) fn named_places(text: &str) -> Vec<(String, Vec<Place>)> {
    names::entries(text).into_iter().map(|(names, descriptor)| (names, address::places(&descriptor))).collect()
}

/// There are two libraries of ciphers in this program, and the driver takes the one that the process has chosen.
fn choose_encryption() {
    static CHOSEN: Once = Once::new();
    CHOSEN.call_once(|| {
        // Somebody else may have chosen before.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
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
