//! The parser of targets. What it finds wrong never quotes the text: any part of it may be a password.

use std::net::Ipv6Addr;

use percent_encoding::percent_decode_str;

use super::secret::{assigns_secret, is_secret};
use super::{Address, Secret, Target};

/// What is wrong with a text, as a predicate, and how it may be resolved.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) what: &'static str,
    pub(super) hint: &'static str,
}

impl From<&'static str> for Problem {
    fn from(what: &'static str) -> Problem {
        Problem { what, hint: FORMS }
    }
}

const FORMS: &str = "a target is SCHEME://user@host:port/database, local:NAME for a temporary server, or the name of an \
                     embedded engine (see `dbdyno list engines`)";

/// A password with an unescaped / or ? would end the login early; its rest would be parsed as a name and shown.
const STRAY_AT: Problem = Problem {
    what: "has an @ after its host",
    hint: "a password stands after a colon, SCHEME://user:password@host/database, with %2F for /, %3F for ?, %23 for # and \
           %40 for @; elsewhere %40 is an @ as well",
};

const NO_PORT: &str = "has a port that is not a number from 1 to 65535";

/// The scheme with which `text` begins, or the name after `local:`.
pub(super) fn scheme(text: &str) -> Option<&str> {
    let name = match text.split_once("://") {
        Some((scheme, _)) => scheme,
        None => text.strip_prefix("local:")?.split(['?', '/', ':', '@']).next()?,
    };
    is_name(name).then_some(name)
}

pub(super) fn parse(text: &str) -> Result<Target, Problem> {
    if let Some(problem) = of_other_drivers(text) {
        return Err(problem);
    }
    let (base, query) = text.split_once('?').unwrap_or((text, ""));
    if query.contains('@') {
        return Err(STRAY_AT);
    }
    let target = match base.split_once("://") {
        Some((scheme, _)) if !is_name(scheme) => return Err("does not start with a scheme".into()),
        Some((scheme, rest)) => parse_url(scheme, rest, query)?,
        None => parse_name(base, query)?,
    };
    match holds_secret(&target) {
        true => Err(Problem {
            what: "names a password where none is expected",
            hint: "a password stands after the user, SCHEME://user:password@host/database, or in ?password=",
        }),
        false => Ok(target),
    }
}

/// The forms that drivers and clients of databases take and that are no targets.
fn of_other_drivers(text: &str) -> Option<Problem> {
    let begins = |prefix: &str| text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix));
    let problem = |what, hint| Some(Problem { what, hint });
    if begins("jdbc:") && text.to_ascii_lowercase().contains(":thin:") {
        return problem("begins with jdbc:", "leave out jdbc: and thin:, and write SCHEME://user@host:port/service");
    }
    if begins("jdbc:") {
        return problem(
            "begins with jdbc:",
            "leave out jdbc:, and give the user before the host: SCHEME://user@host/database",
        );
    }
    if begins("r2dbc:") {
        return problem("begins with r2dbc:", "leave out r2dbc:");
    }
    if ["@tcp(", "@unix(", "//tcp(", "//unix("].into_iter().any(|mark| text.contains(mark)) {
        return problem(
            "has its host in parentheses",
            "write SCHEME://user@host:port/database, without tcp(...); a socket is a parameter: ?socket=FILE",
        );
    }
    let before_query = text.split('?').next().unwrap_or_default();
    if before_query.contains("://") {
        return None;
    }
    if before_query.contains('=') {
        return problem(
            "is a list of keywords",
            "write it as a URL, SCHEME://user@host:port/database?NAME=VALUE, the password after the user and a colon, or in a \
             password file",
        );
    }
    match before_query.contains('@') {
        true => problem(
            "has no scheme",
            "write SCHEME://user@host:port/database, a password after the user and a colon, or in a password file (schemes: \
             `dbdyno list engines`)",
        ),
        false => None,
    }
}

/// `local:NAME`, or the bare name of an engine.
fn parse_name(base: &str, query: &str) -> Result<Target, Problem> {
    let (local, name) = match base.strip_prefix("local:") {
        Some(name) => (true, name),
        None => (false, base.strip_suffix(':').unwrap_or(base)),
    };
    if !is_name(name) {
        return Err("does not name an engine".into());
    }
    let (parameters, password) = parse_parameters(query)?;
    // What follows is the rest of the password where its & was not escaped, and would be shown as a setting.
    let is_password =
        |pair: &str| pair.split_once('=').is_some_and(|(name, _)| decode(name).is_ok_and(|name| name == "password"));
    if query.split('&').skip_while(|pair| !is_password(pair)).any(|pair| !pair.is_empty() && !is_password(pair)) {
        return Err(Problem {
            what: "has a parameter after its password",
            hint: "give the password last, with %26 for &",
        });
    }
    let scheme = name.to_owned();
    Ok(Target { scheme, local, user: None, password, addresses: Vec::new(), database: None, parameters })
}

/// Whether a part of `target` that is shown assigns a password, as `db;Pwd=word` does.
fn holds_secret(target: &Target) -> bool {
    let hosts = target.addresses.iter().map(|address| &address.host);
    let values = target.parameters.iter().map(|(_, value)| value);
    // A colon means nothing within these parts.
    hosts
        .chain(values)
        .chain(&target.user)
        .chain(&target.database)
        .any(|text| text.contains('=') && assigns_secret(text))
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '+'))
}

fn decode(text: &str) -> Result<String, Problem> {
    match percent_decode_str(text).decode_utf8() {
        Ok(decoded) => Ok(decoded.into_owned()),
        Err(_) => Err("has an escape that is not UTF-8".into()),
    }
}

/// Names and values, in order.
type Parameters = Vec<(String, String)>;

/// The parameters and, separately, the password.
fn parse_parameters(query: &str) -> Result<(Parameters, Option<Secret>), Problem> {
    let mut parameters = Parameters::new();
    let mut password = None;
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').ok_or("has a parameter that is not name=value")?;
        let (name, value) = (decode(name)?, decode(value)?);
        if name.is_empty() {
            return Err("has a parameter without a name".into());
        }
        if name == "password" {
            password = Some(Secret::of_parameter(value));
        } else if is_secret(&name) {
            return Err(Problem {
                what: "has a parameter that looks like a password and is not called password",
                hint: "the password of the user is ?password=; a key with a password of its own (sslpassword) is not read, \
                       store it decrypted for its owner alone",
            });
        } else {
            parameters.push((name, value));
        }
    }
    Ok((parameters, password))
}

fn parse_url(scheme: &str, rest: &str, query: &str) -> Result<Target, Problem> {
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    if database.contains('@') {
        return Err(STRAY_AT);
    }
    let (login, hosts) = match authority.rsplit_once('@') {
        Some((login, hosts)) => (login, hosts),
        None => ("", authority),
    };
    let (user, login_password) = match login.split_once(':') {
        Some((user, password)) => (decode(user)?, Some(Secret::new(decode(password)?))),
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

fn parse_address(text: &str) -> Result<Address, Problem> {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => match rest.split_once(']').ok_or("has a [ without a ]")? {
            (host, "") => (host, ""),
            (host, rest) => (host, rest.strip_prefix(':').ok_or("has text between ] and :")?),
        },
        None => text.split_once(':').unwrap_or((text, "")),
    };
    let port = match port {
        "" => None,
        port => Some(parse_port(port).ok_or_else(|| no_port(text))?),
    };
    match decode(host)? {
        host if host.is_empty() => Err("has an empty host".into()),
        host => Ok(Address { host, port }),
    }
}

/// What is wrong with an address without a port: an IPv6 address, the port of another one, or a password.
fn no_port(address: &str) -> Problem {
    let is_ipv6 = |text: &str| text.split('%').next().is_some_and(|text| text.parse::<Ipv6Addr>().is_ok());
    let hint = "an IPv6 address stands in brackets, [::1], its port after them";
    if is_ipv6(address) {
        return Problem { what: "has an IPv6 address without brackets", hint };
    }
    let looks_like_ipv6 = address.matches(':').count() > 1
        && address
            .split('%')
            .next()
            .is_some_and(|text| text.bytes().all(|letter| letter.is_ascii_hexdigit() || letter == b':'));
    if looks_like_ipv6 && !address.starts_with('[') {
        return Problem { what: NO_PORT, hint };
    }
    Problem {
        what: NO_PORT,
        hint: "write host:PORT; a password stands between user and @, SCHEME://user:password@host",
    }
}

/// Digits only: the standard parser would accept `+5432`.
fn parse_port(text: &str) -> Option<u16> {
    let digits = text.bytes().all(|letter| letter.is_ascii_digit());
    text.parse().ok().filter(|port| digits && *port > 0)
}
