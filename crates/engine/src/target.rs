//! Target of a measurement: a URL, `local:NAME` for a temporary server, or the bare name of an embedded engine.

use std::fmt;
use std::str::FromStr;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters that are escaped in names and values: those with a meaning in a URL, and those that are hard to read.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-').remove(b'.').remove(b'~');

/// A password: never printed, not even by `Debug`.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Wraps `text`.
    pub fn new(text: impl Into<String>) -> Secret {
        Secret(text.into())
    }

    /// The text, for authentication only.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(...)")
    }
}

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

/// Why a text is not a target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "target {text} {problem}\nhint: a target is SCHEME://user@host:port/database, local:NAME for a temporary server, \
     or the name of an embedded engine (see `dbdyno list engines`)"
)]
pub struct TargetError {
    /// The text, without anything that may be a password.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

impl FromStr for Target {
    type Err = TargetError;

    fn from_str(text: &str) -> Result<Target, TargetError> {
        parse(text).map_err(|problem| TargetError { text: without_password(text), problem: problem.to_owned() })
    }
}

impl Target {
    /// The parameter `name`; the last one if it was given several times.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether it is an external server, with its data outside the measured directory.
    pub fn is_external(&self) -> bool {
        !self.local && (self.user.is_some() || self.database.is_some() || !self.addresses.is_empty())
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

/// A password with an unescaped / or ? would end the login early; its rest would be parsed as a name and shown.
const STRAY_AT: &str = "has an @ after its host: write %40 there, and in a password %2F for / and %3F for ?";

/// The returned problem never quotes the text: any part of it may be a password.
fn parse(text: &str) -> Result<Target, &'static str> {
    let (base, query) = text.split_once('?').unwrap_or((text, ""));
    if query.contains('@') {
        return Err(STRAY_AT);
    }
    if let Some((scheme, rest)) = base.split_once("://") {
        if !is_name(scheme) {
            return Err("does not start with a scheme");
        }
        return parse_url(scheme, rest, query);
    }
    let (local, name) = match base.strip_prefix("local:") {
        Some(name) => (true, name),
        None => (false, base.strip_suffix(':').unwrap_or(base)),
    };
    if !is_name(name) {
        return Err("does not name an engine");
    }
    let (parameters, password) = parse_parameters(query)?;
    let scheme = name.to_owned();
    Ok(Target { scheme, local, user: None, password, addresses: Vec::new(), database: None, parameters })
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '+'))
}

fn decode(text: &str) -> Result<String, &'static str> {
    match percent_decode_str(text).decode_utf8() {
        Ok(decoded) => Ok(decoded.into_owned()),
        Err(_) => Err("has an escape that is not UTF-8"),
    }
}

/// Whether a parameter of this name may hold a secret (`sslpassword`, `PASSWORD`).
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("passw") || name.contains("pwd") || name.contains("secret")
}

/// Names and values, in order.
type Parameters = Vec<(String, String)>;

/// The parameters and, separately, the password.
fn parse_parameters(query: &str) -> Result<(Parameters, Option<Secret>), &'static str> {
    let mut parameters = Parameters::new();
    let mut password = None;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or("has a parameter that is not name=value")?;
        let (name, value) = (decode(name)?, decode(value)?);
        if name.is_empty() {
            return Err("has a parameter without a name");
        }
        if name == "password" {
            password = Some(Secret(value));
        } else if is_secret(&name) {
            return Err("has a parameter that looks like a password and is not called password");
        } else {
            parameters.push((name, value));
        }
    }
    Ok((parameters, password))
}

fn parse_url(scheme: &str, rest: &str, query: &str) -> Result<Target, &'static str> {
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    if database.contains('@') {
        return Err(STRAY_AT);
    }
    let (login, hosts) = match authority.rsplit_once('@') {
        Some((login, hosts)) => (login, hosts),
        None => ("", authority),
    };
    let (user, login_password) = match login.split_once(':') {
        Some((user, password)) => (decode(user)?, Some(Secret(decode(password)?))),
        None => (decode(login)?, None),
    };
    let (parameters, password) = parse_parameters(query)?;
    let addresses = match hosts {
        "" => Vec::new(),
        hosts => hosts.split(',').map(parse_address).collect::<Result<Vec<Address>, _>>()?,
    };
    let database = decode(database)?;
    Ok(Target {
        scheme: scheme.to_owned(),
        local: false,
        user: Some(user).filter(|user| !user.is_empty()),
        password: password.or(login_password),
        addresses,
        database: Some(database).filter(|name| !name.is_empty()),
        parameters,
    })
}

fn parse_address(text: &str) -> Result<Address, &'static str> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => match rest.split_once(']').ok_or("has a [ without a ]")? {
            (host, "") => (host, ""),
            (host, rest) => (host, rest.strip_prefix(':').ok_or("has text between ] and :")?),
        },
        None => text.split_once(':').unwrap_or((text, "")),
    };
    let port = match port {
        "" => None,
        port => Some(parse_port(port).ok_or("has a port that is not a number from 1 to 65535")?),
    };
    match decode(host)? {
        host if host.is_empty() => Err("has an empty host"),
        host => Ok(Address { host, port }),
    }
}

/// Digits only: the standard parser would accept `+5432`.
fn parse_port(text: &str) -> Option<u16> {
    let digits = text.bytes().all(|letter| letter.is_ascii_digit());
    text.parse().ok().filter(|port| digits && *port > 0)
}

/// `text` with everything removed that may be a password, for a text that could not be parsed: from the first `:` of
/// the login to the last `@`; without an `@`, an invalid port; and the values of parameters that may hold secrets.
fn without_password(text: &str) -> String {
    let start = text.find("://").filter(|end| is_name(&text[..*end])).map_or(0, |at| at + 3);
    let mut shown = text.to_owned();
    let at = text[start..].rfind('@').map(|at| start + at);
    let end = at.or_else(|| text[start..].find(['/', '?']).map(|end| start + end)).unwrap_or(text.len());
    if let Some(colon) = text[start..end].find(':').map(|colon| start + colon) {
        let is_port = start == 0 || text[start..].starts_with('[') || parse_port(&text[colon + 1..end]).is_some();
        if at.is_some() || !is_port {
            shown.replace_range(colon..end, ":...");
        }
    }
    let Some((base, query)) = shown.split_once('?') else { return shown };
    let pairs: Vec<String> = query.split('&').map(without_secret).collect();
    format!("{base}?{}", pairs.join("&"))
}

fn without_secret(pair: &str) -> String {
    match pair.split_once('=') {
        Some((name, _)) if decode(name).map_or(true, |name| is_secret(&name)) => format!("{name}=..."),
        _ => pair.to_owned(),
    }
}

#[cfg(test)]
mod tests;
