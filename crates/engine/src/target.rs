//! Target of a measurement: a URL, `local:NAME` for a temporary server, or the bare name of an embedded engine.

mod parse;
mod secret;

use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

pub use self::secret::{Secret, may_hold_password};

/// Characters that are escaped in names and values: those with a meaning in a URL, and those that are hard to read.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-').remove(b'.').remove(b'~');

/// Address of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Host name, IP address, or, starting with `/`, the directory of a Unix socket.
    pub host: String,
    /// Port, if given.
    pub port: Option<u16>,
}

/// `host`, `host:port`, `[::1]:port`, as in a target.
impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.parse::<std::net::Ipv6Addr>() {
            // As the user wrote it: an IPv6 address has several notations.
            Ok(_) => write!(formatter, "[{}]", self.host)?,
            Err(_) => write!(formatter, "{}", utf8_percent_encode(&self.host, ESCAPED))?,
        }
        self.port.map_or(Ok(()), |port| write!(formatter, ":{port}"))
    }
}

/// A parsed target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Scheme of the URL, or the name after `local:`, or the bare name.
    pub scheme: String,
    /// Whether dbdyno starts the server itself.
    pub local: bool,
    /// Role.
    pub user: Option<String>,
    /// Its password.
    pub password: Option<Secret>,
    /// Addresses of the nodes; empty for a local or embedded target and for the engine's default address.
    pub addresses: Vec<Address>,
    /// Database.
    pub database: Option<String>,
    /// Parameters after `?`, in order.
    pub parameters: Vec<(String, String)>,
}

/// Why a text is not a target. Of the text it has the scheme alone, because any other part may be a password.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the target {problem}\nhint: {hint}")]
pub struct TargetError {
    /// The scheme, or the name after `local:`; absent where the text does not begin with one.
    pub scheme: Option<String>,
    /// What is wrong with it, as a predicate.
    pub problem: String,
    /// How the user may resolve it, as a clause.
    pub hint: String,
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Target, TargetError> {
        parse::parse(text).map_err(|problem| TargetError {
            scheme: parse::scheme(text).map(str::to_owned),
            problem: problem.what.to_owned(),
            hint: problem.hint.to_owned(),
        })
    }
}

impl Target {
    /// The parameter `name`; the last one if it was given several times.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether it is an external server, with its data outside the measured directory.
    pub fn is_external(&self) -> bool {
        let names_server = |name: &str| self.parameter(name).is_some();
        let is_url = self.user.is_some() || self.database.is_some() || !self.addresses.is_empty();
        !self.local
            && (is_url || ["host", "hostaddr", "socket", "service", "user", "dbname"].into_iter().any(names_server))
    }
}

/// As the user would write it, without the password.
impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encode = |text: &str| utf8_percent_encode(text, ESCAPED).to_string();
        let is_url = self.user.is_some() || !self.addresses.is_empty() || self.database.is_some();
        match (self.local, is_url) {
            (true, _) => write!(formatter, "local:{}", self.scheme)?,
            (false, false) => write!(formatter, "{}", self.scheme)?,
            (false, true) => write!(formatter, "{}://", self.scheme)?,
        }
        if let Some(user) = &self.user {
            write!(formatter, "{}@", encode(user))?;
        }
        for (index, address) in self.addresses.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(formatter, "{comma}{address}")?;
        }
        if let Some(database) = &self.database {
            write!(formatter, "/{}", encode(database))?;
        }
        for (index, (name, value)) in self.parameters.iter().enumerate() {
            let mark = if index == 0 { '?' } else { '&' };
            write!(formatter, "{mark}{}={}", encode(name), encode(value))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
