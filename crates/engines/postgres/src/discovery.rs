//! The nodes of a target: those that it names, or those that a server reports.

use std::sync::Arc;

use engine::{Address, Error, Kind, Result, Target, Value, shown};
use transport::Environment;

use crate::connect::{Login, canonical};
use crate::flavour::{self, Flavour};
use crate::session::PostgresSession;

/// The parameter that requests node discovery.
pub(crate) const PARAMETER: &str = "nodes";

/// The parameter that asks for one server of a list (libpq).
const ATTRIBUTES: &str = "target_session_attrs";

/// One target per node of `target`. With `nodes=all` the first server that responds reports the others; with
/// `target_session_attrs` the first one that has the attribute is the only node.
pub(crate) fn of(target: &Target, environment: &Environment) -> Result<Vec<Target>> {
    let mut target = target.clone();
    let requested = target.parameter(PARAMETER).map(str::to_owned);
    target.parameters.retain(|(name, _)| name != PARAMETER);
    let mut target = canonical(&target, environment)?;
    let attributes = target.parameter(ATTRIBUTES).map(Attribute::of).transpose()?;
    target.parameters.retain(|(name, _)| name != ATTRIBUTES);
    let nodes = match (requested.as_deref(), attributes) {
        (None, None) => return Ok(each(&target)),
        (None, Some(attribute)) => return Ok(vec![attribute.first(&each(&target), environment)?]),
        (Some("all"), None) => from_server(&target, environment)?,
        (Some("all"), Some(_)) => {
            let message = format!("nodes=all asks for all nodes of the target, and {ATTRIBUTES} for one");
            return Err(Error::new(Kind::Usage, message).hint("give one of the two"));
        }
        (Some(other), _) => {
            return Err(Error::new(Kind::Usage, format!("parameter nodes={other} is not nodes=all"))
                .hint("give nodes=all to get the nodes from the server, or name them: postgres://h1,h2/database"));
        }
    };
    // The address is that of one host, the others are named by the server.
    target.parameters.retain(|(name, _)| name != "hostaddr");
    target.addresses = nodes;
    Ok(each(&target))
}

/// The canonical `target` for each of its hosts, with its address where addresses are listed.
fn each(target: &Target) -> Vec<Target> {
    if target.addresses.len() < 2 {
        return vec![target.clone()];
    }
    let numbers: Vec<String> = target
        .parameter("hostaddr")
        .map(|list| list.split(',').map(|one| one.trim().to_owned()).collect())
        .unwrap_or_default();
    let one = |(index, address): (usize, &Address)| {
        let mut one = Target { addresses: vec![address.clone()], ..target.clone() };
        one.parameters.retain(|(name, _)| name != "hostaddr");
        let number = numbers.get(index).filter(|number| !number.is_empty());
        one.parameters.extend(number.map(|number| ("hostaddr".to_owned(), number.clone())));
        one
    };
    target.addresses.iter().enumerate().map(one).collect()
}

/// A value of `target_session_attrs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Attribute {
    Any,
    ReadWrite,
    ReadOnly,
    Primary,
    Standby,
    PreferStandby,
}

impl Attribute {
    const NAMES: [(&str, Attribute); 6] = [
        ("any", Attribute::Any),
        ("read-write", Attribute::ReadWrite),
        ("read-only", Attribute::ReadOnly),
        ("primary", Attribute::Primary),
        ("standby", Attribute::Standby),
        ("prefer-standby", Attribute::PreferStandby),
    ];

    fn of(text: &str) -> Result<Attribute> {
        Attribute::NAMES.into_iter().find(|(name, _)| *name == text).map(|(_, attribute)| attribute).ok_or_else(|| {
            let known = Attribute::NAMES.map(|(name, _)| name).join(", ");
            Error::new(Kind::Usage, format!("{ATTRIBUTES} {} is unknown; known are {known}", shown(text)))
                .hint("omit it to measure all hosts of the target, or give read-write for the one that takes writes")
        })
    }

    fn name(self) -> &'static str {
        Attribute::NAMES.iter().find(|(_, attribute)| *attribute == self).map_or("?", |(name, _)| name)
    }

    /// The first of `targets` that has this attribute, in their order as libpq takes them. A server that does not respond
    /// is passed over.
    fn first(self, targets: &[Target], environment: &Environment) -> Result<Target> {
        let mut failure = None;
        let mut others = Vec::new();
        let mut reserve = None;
        for target in targets {
            let login = Login::of(target, environment)?;
            let address = login.address.short();
            let state = match State::of(login) {
                Ok(state) => state,
                Err(error) if error.kind == Kind::Unreachable => {
                    failure = failure.or(Some(error));
                    continue;
                }
                Err(error) => return Err(Error { message: format!("node {address}: {}", error.message), ..error }),
            };
            if self.is_of(state) {
                return Ok(target.clone());
            }
            reserve = reserve.or(Some(target));
            others.push(format!("{address} is {}", state.describe()));
        }
        match (self, reserve, failure) {
            (Attribute::PreferStandby, Some(target), _) => Ok(target.clone()),
            (_, None, Some(error)) => Err(error),
            _ => {
                let message = format!("no server of the target is {}: {}", self.name(), others.join(", "));
                Err(Error::new(Kind::Unreachable, message).hint(format!("name one that is, or omit {ATTRIBUTES}")))
            }
        }
    }

    fn is_of(self, state: State) -> bool {
        match self {
            Attribute::Any => true,
            Attribute::ReadWrite => !state.is_read_only,
            Attribute::ReadOnly => state.is_read_only,
            Attribute::Primary => !state.is_in_recovery,
            Attribute::Standby | Attribute::PreferStandby => state.is_in_recovery,
        }
    }
}

/// What a server lets its sessions do.
#[derive(Clone, Copy, Debug)]
struct State {
    is_in_recovery: bool,
    is_read_only: bool,
}

impl State {
    fn of(login: Login) -> Result<State> {
        let login = Arc::new(login);
        let mut session = PostgresSession::start(login.open(None)?, login.clone())?;
        let mut is = |sql: &str| -> Result<bool> {
            Ok(session.query_if_supported(sql)?.is_some_and(|rows| rows == [[Value::Int(1)]]))
        };
        let is_in_recovery = is("select pg_catalog.pg_is_in_recovery()")?;
        let is_read_only = is("select current_setting('transaction_read_only') = 'on'")?;
        Ok(State { is_in_recovery, is_read_only: is_read_only || is_in_recovery })
    }

    fn describe(self) -> &'static str {
        match (self.is_in_recovery, self.is_read_only) {
            (true, _) => "a standby",
            (false, true) => "a primary whose sessions are read-only",
            (false, false) => "a primary",
        }
    }
}

/// Gets the list of nodes from the first node of `target` that responds.
fn from_server(target: &Target, environment: &Environment) -> Result<Vec<Address>> {
    if target.addresses.is_empty() {
        let message = "nodes=all needs a host, and the target names none";
        return Err(Error::new(Kind::Usage, message).hint("name one: postgres://host/database?nodes=all"));
    }
    let mut failure = None;
    for (one, address) in each(target).into_iter().zip(&target.addresses) {
        match Login::of(&one, environment).and_then(|login| from_node(login, address)) {
            Err(error) if error.kind == Kind::Unreachable => failure = failure.or(Some(error)),
            outcome => return outcome,
        }
    }
    Err(failure.unwrap_or_else(|| Error::new(Kind::Unreachable, "no node responds")))
}

fn from_node(login: Login, address: &Address) -> Result<Vec<Address>> {
    let login = Arc::new(login);
    let mut session = PostgresSession::start(login.open(None)?, login.clone())?;
    let flavour = flavour::identify(&mut session)?.flavour;
    let refuse = |what: &str| {
        let message = format!("{} at {} {what}", flavour.title(), login.address);
        Error::new(Kind::Usage, message).hint("name the nodes instead: postgres://h1,h2/database")
    };
    let recovery = session.query_if_supported("select pg_catalog.pg_is_in_recovery()")?;
    if recovery.is_some_and(|rows| rows == [[Value::Int(1)]]) {
        return Err(refuse("is a replica, which does not know the others").hint("give the primary"));
    }
    let rows = session.query_if_supported(flavour.nodes())?.ok_or_else(|| refuse("does not report its nodes"))?;
    let found: Option<Vec<Address>> = rows.iter().map(|row| node(row, address)).collect();
    let mut found = found.ok_or_else(|| {
        let hint = format!("grant pg_monitor to {}, let replicas connect over TCP, or give the nodes", login.user);
        refuse("has nodes whose address it does not report").hint(hint)
    })?;
    // PostgreSQL reports its standbys and not itself.
    if !reports_itself(flavour) {
        found.insert(0, address.clone());
    }
    found.dedup();
    if found.is_empty() { Err(refuse("reports no nodes")) } else { Ok(found) }
}

/// Whether a flavour's list of nodes includes the reporting one.
fn reports_itself(flavour: Flavour) -> bool {
    matches!(flavour, Flavour::CockroachDb | Flavour::YugabyteDb | Flavour::Citus)
}

/// The address in a row of host and port; the default port is that of `reporter`.
fn node(row: &[Value<'_>], reporter: &Address) -> Option<Address> {
    match row {
        [Value::Text(host), Value::Int(port)] => {
            Some(Address { host: host.clone().into_owned(), port: Some(u16::try_from(*port).ok()?) })
        }
        [Value::Text(host), Value::Null] => Some(Address { host: host.clone().into_owned(), port: reporter.port }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        Environment::of(&[], std::path::Path::new("/nonexistent"), &[])
    }

    fn targets(text: &str) -> Result<Vec<String>> {
        let found = of(&text.parse().unwrap(), &environment())?;
        Ok(found.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn each_host_is_a_node() {
        assert_eq!(
            targets("postgres://ann@h1:7,h2/db?sslmode=disable").unwrap(),
            ["postgres://ann@h1:7/db?sslmode=disable", "postgres://ann@h2/db?sslmode=disable",]
        );
        assert_eq!(targets("postgres:///db").unwrap(), ["postgres:///db"]);
        assert_eq!(targets("postgres:///db?host=h1,h2&port=7").unwrap(), ["postgres://h1:7/db", "postgres://h2:7/db"]);
        assert_eq!(
            targets("postgres:///db?host=h1,h2&hostaddr=10.0.0.1,10.0.0.2").unwrap(),
            ["postgres://h1/db?hostaddr=10.0.0.1", "postgres://h2/db?hostaddr=10.0.0.2"]
        );
    }

    #[test]
    fn only_nodes_all_is_valid_and_needs_a_host() {
        for (text, word) in [
            ("postgres://h1/db?nodes=3", "nodes=3"),
            ("postgres:///db?nodes=all", "needs a host"),
            ("postgres://h1,h2/db?host=h3", "twice"),
            ("postgres://h1,h2/db?target_session_attrs=writer", "writer"),
            ("postgres://h1,h2/db?target_session_attrs=any&nodes=all", "for one"),
        ] {
            let error = targets(text).unwrap_err();
            assert_eq!(error.kind, Kind::Usage);
            assert!(error.message.contains(word) && error.hint.is_some(), "{error}");
        }
    }

    #[test]
    fn a_row_is_an_address() {
        let reporter = Address { host: "h1".to_owned(), port: Some(6000) };
        let text = |text: &'static str| Value::Text(text.into());
        let found = |row: &[Value<'_>]| node(row, &reporter).map(|address| address.to_string());
        assert_eq!(found(&[text("h2"), Value::Int(7)]).as_deref(), Some("h2:7"));
        assert_eq!(found(&[text("192.0.2.1"), Value::Null]).as_deref(), Some("192.0.2.1:6000"));
        assert_eq!(found(&[Value::Null, Value::Null]), None, "over a Unix socket, or not visible");
        assert_eq!(found(&[text("h2"), Value::Int(70_000)]), None);
    }
}
