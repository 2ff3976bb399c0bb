//! The nodes of a target: those that it names, or those that a server reports.

use std::sync::Arc;

use engine::{Address, Error, Kind, Result, Target, Value};
use transport::Environment;

use crate::connect::Login;
use crate::flavour::{self, Flavour};
use crate::session::PostgresSession;

/// The parameter that requests node discovery.
pub(crate) const PARAMETER: &str = "nodes";

/// One target per node of `target`. With `nodes=all` the first server that responds reports the others.
///
/// # Errors
/// `Usage` for an invalid parameter, and if the server reports no nodes or not to this role; errors of opening a
/// session.
pub(crate) fn of(target: &Target, environment: &Environment) -> Result<Vec<Target>> {
    let mut target = target.clone();
    let requested = target.parameter(PARAMETER).map(str::to_owned);
    target.parameters.retain(|(name, _)| name != PARAMETER);
    let named = |addresses: Vec<Address>| -> Vec<Target> {
        addresses.into_iter().map(|address| Target { addresses: vec![address], ..target.clone() }).collect()
    };
    if target.addresses.len() > 1 && target.parameter("host").is_some() {
        let message = format!("target {target} gives hosts twice, before the database and with host=");
        return Err(Error::new(Kind::Usage, message).hint("omit host="));
    }
    match requested.as_deref() {
        None if target.addresses.len() < 2 => Ok(vec![target]),
        None => Ok(named(target.addresses.clone())),
        Some("all") => Ok(named(from_server(&target, environment)?)),
        Some(other) => Err(Error::new(Kind::Usage, format!("parameter nodes={other} is not nodes=all"))
            .hint("give nodes=all to get the nodes from the server, or name them: postgres://h1,h2/database")),
    }
}

/// Gets the list of nodes from the first node of `target` that responds.
fn from_server(target: &Target, environment: &Environment) -> Result<Vec<Address>> {
    if target.addresses.is_empty() {
        let message = "nodes=all needs a host, and the target names none";
        return Err(Error::new(Kind::Usage, message).hint("name one: postgres://host/database?nodes=all"));
    }
    let mut failure = None;
    for address in &target.addresses {
        let one = Target { addresses: vec![address.clone()], ..target.clone() };
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
    }

    #[test]
    fn only_nodes_all_is_valid_and_needs_a_host() {
        for (text, word) in [
            ("postgres://h1/db?nodes=3", "nodes=3"),
            ("postgres:///db?nodes=all", "needs a host"),
            ("postgres://h1,h2/db?host=h3", "twice"),
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
