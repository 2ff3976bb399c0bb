//! The nodes of a target: those that it names, or those that a server names when it is asked.

use std::sync::Arc;

use engine::{Address, Error, Kind, Result, Target, Value};
use transport::Surroundings;

use crate::connect::Login;
use crate::relative::{self, Relative};
use crate::session::PostgresSession;

/// The parameter by which the server is asked for its nodes.
pub(crate) const PARAMETER: &str = "nodes";

/// One target per node of `target`. With `nodes=all` the first server that answers is asked for the others.
///
/// # Errors
/// `Usage` for a parameter that cannot be, and where the server names no nodes or may not name them to this role;
/// what opening a session says.
pub(crate) fn of(target: &Target, surroundings: &Surroundings) -> Result<Vec<Target>> {
    let mut target = target.clone();
    let asked = target.parameter(PARAMETER).map(str::to_owned);
    target.parameters.retain(|(name, _)| name != PARAMETER);
    let named = |addresses: Vec<Address>| -> Vec<Target> {
        addresses.into_iter().map(|address| Target { addresses: vec![address], ..target.clone() }).collect()
    };
    if target.addresses.len() > 1 && target.parameter("host").is_some() {
        let message = format!("target {target} names its hosts twice, before the database and with host=");
        return Err(Error::new(Kind::Usage, message).hint("leave host= away"));
    }
    match asked.as_deref() {
        None if target.addresses.len() < 2 => Ok(vec![target]),
        None => Ok(named(target.addresses.clone())),
        Some("all") => Ok(named(ask(&target, surroundings)?)),
        Some(other) => Err(Error::new(Kind::Usage, format!("parameter nodes={other} is not nodes=all"))
            .hint("give nodes=all to ask the server for its nodes, or name them: postgres://h1,h2/database")),
    }
}

/// Asks the nodes of `target` one after the other who else there is; the first that answers is believed.
fn ask(target: &Target, surroundings: &Surroundings) -> Result<Vec<Address>> {
    if target.addresses.is_empty() {
        let message = "nodes=all needs a host, and the target names none";
        return Err(Error::new(Kind::Usage, message).hint("name one: postgres://host/database?nodes=all"));
    }
    let mut failure = None;
    for address in &target.addresses {
        let one = Target { addresses: vec![address.clone()], ..target.clone() };
        match Login::of(&one, surroundings).and_then(|login| ask_one(login, address)) {
            Err(error) if error.kind == Kind::Unreachable => failure = failure.or(Some(error)),
            outcome => return outcome,
        }
    }
    Err(failure.unwrap_or_else(|| Error::new(Kind::Unreachable, "no node answers")))
}

fn ask_one(login: Login, address: &Address) -> Result<Vec<Address>> {
    let login = Arc::new(login);
    let mut session = PostgresSession::start(login.open(None)?, login.clone())?;
    let relative = relative::identify(&mut session)?.relative;
    let refuse = |what: &str| {
        let message = format!("{} at {} {what}", relative.title(), login.place);
        Error::new(Kind::Usage, message).hint("name the nodes instead: postgres://h1,h2/database")
    };
    let recovery = session.ask_if_known("select pg_catalog.pg_is_in_recovery()")?;
    if recovery.is_some_and(|rows| rows == [[Value::Int(1)]]) {
        return Err(refuse("is a replica, which does not know the others").hint("name the primary"));
    }
    let rows = session.ask_if_known(relative.nodes())?.ok_or_else(|| refuse("does not say where its nodes are"))?;
    let found: Option<Vec<Address>> = rows.iter().map(|row| node(row, address)).collect();
    let mut found = found.ok_or_else(|| {
        let hint = format!("grant pg_monitor to {}, let replicas connect over TCP, or name the nodes", login.user);
        refuse("has nodes whose address it does not tell").hint(hint)
    })?;
    // PostgreSQL tells its standbys and not itself.
    if !names_itself(relative) {
        found.insert(0, address.clone());
    }
    found.dedup();
    if found.is_empty() { Err(refuse("names no nodes")) } else { Ok(found) }
}

/// Whether the list of a relative's nodes has the one in it that was asked.
fn names_itself(relative: Relative) -> bool {
    matches!(relative, Relative::CockroachDb | Relative::YugabyteDb | Relative::Citus)
}

/// The address in a row of host and port; without a port of its own it is that of `asked`.
fn node(row: &[Value<'_>], asked: &Address) -> Option<Address> {
    match row {
        [Value::Text(host), Value::Int(port)] => {
            Some(Address { host: host.clone().into_owned(), port: Some(u16::try_from(*port).ok()?) })
        }
        [Value::Text(host), Value::Null] => Some(Address { host: host.clone().into_owned(), port: asked.port }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn surroundings() -> Surroundings {
        Surroundings::of(&[], std::path::Path::new("/nonexistent"), &[])
    }

    fn targets(text: &str) -> Result<Vec<String>> {
        let found = of(&text.parse().unwrap(), &surroundings())?;
        Ok(found.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn hosts_that_are_named_are_a_node_each() {
        assert_eq!(
            targets("postgres://ann@h1:7,h2/db?sslmode=disable").unwrap(),
            ["postgres://ann@h1:7/db?sslmode=disable", "postgres://ann@h2/db?sslmode=disable",]
        );
        assert_eq!(targets("postgres:///db").unwrap(), ["postgres:///db"]);
    }

    #[test]
    fn only_all_can_be_asked_for_and_only_of_somebody() {
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
        let asked = Address { host: "h1".to_owned(), port: Some(6000) };
        let text = |text: &'static str| Value::Text(text.into());
        let found = |row: &[Value<'_>]| node(row, &asked).map(|address| address.to_string());
        assert_eq!(found(&[text("h2"), Value::Int(7)]).as_deref(), Some("h2:7"));
        assert_eq!(found(&[text("192.0.2.1"), Value::Null]).as_deref(), Some("192.0.2.1:6000"));
        assert_eq!(found(&[Value::Null, Value::Null]), None, "over a Unix socket, or not to be seen");
        assert_eq!(found(&[text("h2"), Value::Int(70_000)]), None);
    }
}
