//! Where an engine is: a URL, `local:NAME` for a throwaway server, or the bare name of an embedded engine.

use std::fmt;
use std::str::FromStr;

use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// A password: printed nowhere, not even by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Keeps `text` to itself.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text, for the authentication exchange and nothing else.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(...)")
    }
}

/// One node's address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Host name, IP address, or, beginning with `/`, the directory of a Unix socket.
    pub host: String,
    /// Port, where one was given.
    pub port: Option<u16>,
}

/// A parsed target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Scheme of the URL, or the name behind `local:`, or the bare name.
    pub scheme: String,
    /// Whether dbdyno is to start the server itself.
    pub local: bool,
    /// Role.
    pub user: Option<String>,
    /// Its password.
    pub password: Option<Secret>,
    /// Where the nodes are; empty for a local or embedded target and for the engine's default place.
    pub addresses: Vec<Address>,
    /// Database.
    pub database: Option<String>,
    /// What stands behind `?`, in order.
    pub parameters: Vec<(String, String)>,
}

/// Why a text is not a target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("target {text} {problem}\nhint: a target is postgres://user@host:port/database, local:postgres, or sqlite")]
pub struct TargetError {
    /// The text, without what may be a password.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Target, TargetError> {
        let fail = |problem: &str| TargetError { text: without_password(text), problem: problem.to_owned() };
        let (place, query) = text.split_once('?').unwrap_or((text, ""));
        let parameters = parse_parameters(query).ok_or_else(|| fail("has a parameter that is not name=value"))?;
        if let Some((scheme, rest)) = place.split_once("://") {
            if !is_name(scheme) {
                return Err(fail("does not begin with a scheme"));
            }
            return parse_url(scheme, rest, parameters).map_err(|problem| fail(&problem));
        }
        let (local, name) = match place.strip_prefix("local:") {
            Some(name) => (true, name),
            None => (false, place.strip_suffix(':').unwrap_or(place)),
        };
        if !is_name(name) {
            return Err(fail("does not name an engine"));
        }
        Ok(Target {
            scheme: name.to_owned(),
            local,
            user: None,
            password: None,
            addresses: Vec::new(),
            database: None,
            parameters,
        })
    }
}

impl Target {
    /// The parameter `name`; the last one where it was given several times.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// As the user would write it, without the password.
impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let encode = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let place = self.user.is_some() || !self.addresses.is_empty() || self.database.is_some();
        match (self.local, place) {
            (true, _) => write!(formatter, "local:{}", self.scheme)?,
            (false, false) => write!(formatter, "{}", self.scheme)?,
            (false, true) => {
                write!(formatter, "{}://", self.scheme)?;
                if let Some(user) = &self.user {
                    write!(formatter, "{}@", encode(user))?;
                }
                for (index, address) in self.addresses.iter().enumerate() {
                    let comma = if index == 0 { "" } else { "," };
                    match &address.host {
                        host if host.starts_with('/') => write!(formatter, "{comma}{}", encode(host))?,
                        host if host.contains(':') => write!(formatter, "{comma}[{host}]")?,
                        host => write!(formatter, "{comma}{host}")?,
                    }
                    if let Some(port) = address.port {
                        write!(formatter, ":{port}")?;
                    }
                }
                if let Some(database) = &self.database {
                    write!(formatter, "/{}", encode(database))?;
                }
            }
        }
        for (index, (name, value)) in self.parameters.iter().filter(|(name, _)| name != "password").enumerate() {
            let mark = if index == 0 { '?' } else { '&' };
            write!(formatter, "{mark}{}={}", encode(name).replace("%5F", "_"), encode(value))?;
        }
        Ok(())
    }
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '+'))
}

fn decode(text: &str) -> Option<String> {
    percent_decode_str(text).decode_utf8().ok().map(|decoded| decoded.into_owned())
}

fn parse_parameters(query: &str) -> Option<Vec<(String, String)>> {
    query
        .split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (name, value) = pair.split_once('=')?;
            Some((decode(name).filter(|name| !name.is_empty())?, decode(value)?))
        })
        .collect()
}

fn parse_url(scheme: &str, rest: &str, mut parameters: Vec<(String, String)>) -> Result<Target, String> {
    let (authority, database) = match rest.split_once('/') {
        Some((authority, database)) => (authority, Some(database).filter(|name| !name.is_empty())),
        None => (rest, None),
    };
    let (login, hosts) = match authority.rsplit_once('@') {
        Some((login, hosts)) => (Some(login), hosts),
        None => (None, authority),
    };
    let text = |part: &str| decode(part).ok_or_else(|| "has an escape that is not UTF-8".to_owned());
    let (user, mut password) = match login {
        None => (None, None),
        Some(login) => match login.split_once(':') {
            Some((user, password)) => (Some(text(user)?), Some(Secret(text(password)?))),
            None => (Some(text(login)?), None),
        },
    };
    if let Some(position) = parameters.iter().position(|(name, _)| name == "password") {
        password = Some(Secret(parameters.remove(position).1));
    }
    let addresses = hosts
        .split(',')
        .filter(|host| !host.is_empty())
        .map(parse_address)
        .collect::<Result<Vec<Address>, String>>()?;
    Ok(Target {
        scheme: scheme.to_owned(),
        local: false,
        user: user.filter(|user| !user.is_empty()),
        password,
        addresses,
        database: database.map(text).transpose()?,
        parameters,
    })
}

fn parse_address(text: &str) -> Result<Address, String> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => {
            let (host, rest) = rest.split_once(']').ok_or("has a [ without a ]")?;
            (host, rest.strip_prefix(':'))
        }
        None => match text.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (text, None),
        },
    };
    let port = port
        .filter(|port| !port.is_empty())
        .map(|port| port.parse().map_err(|_| "has a port that is not a number from 1 to 65535".to_owned()))
        .transpose()?;
    let host = decode(host).filter(|host| !host.is_empty()).ok_or("has an empty host")?;
    Ok(Address { host, port })
}

/// `text` with everything between the first `:` of the login and its `@` blotted out, and a password parameter too.
fn without_password(text: &str) -> String {
    let mut shown = text.to_owned();
    if let Some(start) = shown.find("://").map(|at| at + 3) {
        if let Some(at) = shown[start..].rfind('@').map(|at| start + at) {
            if let Some(colon) = shown[start..at].find(':').map(|colon| start + colon) {
                shown.replace_range(colon..at, ":...");
            }
        }
    }
    if let Some(start) = shown.find("password=").map(|at| at + "password=".len()) {
        let end = shown[start..].find('&').map_or(shown.len(), |at| start + at);
        shown.replace_range(start..end, "...");
    }
    shown
}
