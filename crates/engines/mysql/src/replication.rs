//! Nodes of one database: which others there are, and when one can read what another has committed.
//!
//! Sources: MariaDB "Galera Cluster System Variables" (`wsrep_sync_wait`), "MASTER_GTID_WAIT", "SHOW REPLICA HOSTS";
//! MySQL "Functions Used with Global Transaction Identifiers", "SHOW REPLICAS". Of replicas of MySQL this is from the
//! documentation, and not yet run against a server.

use std::time::{Duration, Instant};

use engine::{Address, Error, Kind, Result, Session, Value};

use crate::flavour::Flavour;
use crate::session::MysqlSession;

/// How long a node may take to have what another one has.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// How changes reach a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replication {
    /// Every commit is certified by all nodes of a Galera cluster, and applied by each in its own time.
    Galera,
    /// The node takes them from the log of another one, or is that one; or there is none.
    Log(Flavour),
}

impl Replication {
    /// Of the server of `session`.
    pub(crate) fn of(session: &mut MysqlSession) -> Result<Replication> {
        let flavour = session.server().flavour;
        // Not every server knows the variable.
        let rows = session.ask("show global variables like 'wsrep_on'")?;
        match rows.first().map(Vec::as_slice) {
            Some([_, Value::Text(on)]) if on == "ON" => Ok(Replication::Galera),
            _ => Ok(Replication::Log(flavour)),
        }
    }

    /// Waits until all that the server of `first` has committed can be read in `here`.
    ///
    /// # Errors
    /// `Unreachable` where that takes longer than [`TIMEOUT`].
    pub(crate) fn catch_up(self, here: &mut dyn Session, first: &mut dyn Session) -> Result<()> {
        match self {
            Replication::Galera => wait_for_group(here),
            Replication::Log(Flavour::MariaDb) => {
                let position = text(first, "select @@global.gtid_binlog_pos")?;
                // A server that writes no log has no replicas, and one does not wait for itself.
                if position.is_empty() || number(here, "select @@server_id")? == number(first, "select @@server_id")? {
                    return Ok(());
                }
                let seconds = TIMEOUT.as_secs();
                let waited = number(here, &format!("select master_gtid_wait('{position}', {seconds})"))?;
                if waited == 0 { Ok(()) } else { Err(too_late(&position)) }
            }
            Replication::Log(Flavour::MySql) => {
                let position = text(first, "select @@global.gtid_executed")?;
                // As above; without positions it can not be waited for any.
                if position.is_empty() || number(here, "select @@server_id")? == number(first, "select @@server_id")? {
                    return Ok(());
                }
                let seconds = TIMEOUT.as_secs();
                let waited = number(here, &format!("select wait_for_executed_gtid_set('{position}', {seconds})"))?;
                if waited == 0 { Ok(()) } else { Err(too_late(&position)) }
            }
        }
    }
}

/// Nodes of the cluster that the server of `session` is one of.
pub(crate) fn cluster_nodes(session: &mut MysqlSession) -> Result<u32> {
    let rows = session.ask("show global status like 'wsrep_cluster_size'")?;
    Ok(rows.first().and_then(|row| row.get(1)).and_then(|size| plain(size).parse().ok()).unwrap_or(1))
}

/// Waits until this node of a cluster has applied what the group has ordered so far. A read that waits gives up after
/// `repl.causal_read_timeout`, 30 s, with the error of a lock that was not had in time.
pub(crate) fn wait_for_group(here: &mut dyn Session) -> Result<()> {
    let begun = Instant::now();
    here.batch("set @dbdyno_wait = @@session.wsrep_sync_wait, session wsrep_sync_wait = 1")?;
    let waited = loop {
        match here.batch("select 1") {
            Err(Error { kind: Kind::Step(_), .. }) if begun.elapsed() < TIMEOUT => {
                std::thread::sleep(Duration::from_millis(100));
            }
            Err(error) => break Err(Error { kind: Kind::Unreachable, ..error }),
            Ok(()) => break Ok(()),
        }
    };
    here.batch("set session wsrep_sync_wait = @dbdyno_wait").and(waited)
}

fn too_late(position: &str) -> Error {
    let message = format!("the node has not reached position {position} within {} s", TIMEOUT.as_secs());
    Error::new(Kind::Unreachable, message).hint("see whether it replicates: show replica status")
}

/// The addresses of all nodes that the server of `session`, reached at `own`, knows of.
///
/// # Errors
/// `Usage` where it says nothing that a connection could be made with, `Access` where the user may not ask.
pub(crate) fn addresses(session: &mut MysqlSession, own: &Address) -> Result<Vec<Address>> {
    match Replication::of(session)? {
        Replication::Galera => {
            let rows = session.ask("show global status like 'wsrep_incoming_addresses'")?;
            let said = rows.first().and_then(|row| row.get(1)).map(plain).unwrap_or_default();
            cluster_addresses(&said)
        }
        Replication::Log(flavour) => {
            let sql = match flavour {
                Flavour::MariaDb => "show replica hosts",
                Flavour::MySql => "show replicas",
            };
            let rows = session.ask(sql).map_err(|error| match error.kind {
                Kind::Access => error
                    .hint("grant the user REPLICATION SLAVE (MariaDB: REPLICATION MASTER ADMIN), or name all nodes"),
                _ => error,
            })?;
            let replicas: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(plain).collect()).collect();
            replica_addresses(own, &replicas)
        }
    }
}

fn cluster_addresses(said: &str) -> Result<Vec<Address>> {
    let parts: Vec<&str> = said.split(',').map(str::trim).collect();
    let all: Option<Vec<Address>> = parts.iter().map(|part| address(part)).collect();
    all.ok_or_else(|| {
        let message = format!("the cluster says {said:?} of where its {} nodes take clients", parts.len());
        Error::new(Kind::Usage, message)
            .hint("name all nodes in the target: h1,h2,h3; or set wsrep_node_incoming_address on each")
    })
}

/// `host:port` or `host`; what stands for an address that is not known is none.
fn address(text: &str) -> Option<Address> {
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port.parse::<u16>().ok()?)),
        _ => (text, None),
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let known = !host.is_empty() && host != "AUTO" && port != Some(0) && !host.contains(['/', ' ']);
    known.then(|| Address { host: host.to_owned(), port })
}

/// The server itself, and the replicas of rows `server_id, host, port, ...`.
fn replica_addresses(own: &Address, rows: &[Vec<String>]) -> Result<Vec<Address>> {
    let usage = |message: String, hint: &str| Err(Error::new(Kind::Usage, message).hint(hint));
    let hint = "name all nodes in the target: h1,h2,h3";
    if rows.is_empty() {
        return usage(format!("the server at {own} is in no cluster and knows of no replicas"), hint);
    }
    let mut all = vec![own.clone()];
    for row in rows {
        let [server, host, port, ..] = row.as_slice() else {
            return usage("rows of replicas are too short".into(), hint);
        };
        match (host.as_str(), port.parse::<u16>()) {
            ("", _) | (_, Err(_) | Ok(0)) => {
                let message = format!("replica {server} of {own} does not say where it takes clients");
                return usage(message, "set report_host on it, or name all nodes in the target: h1,h2,h3");
            }
            (host, Ok(port)) => all.push(Address { host: host.to_owned(), port: Some(port) }),
        }
    }
    Ok(all)
}

fn plain(value: &Value<'_>) -> String {
    match value {
        Value::Text(text) | Value::Decimal(text) => text.clone().into_owned(),
        Value::Int(number) => number.to_string(),
        _ => String::new(),
    }
}

/// The only field of the only row of `sql`.
fn text(session: &mut dyn Session, sql: &str) -> Result<String> {
    let statement = session.prepare(sql)?;
    let rows = session.query(statement, &[])?;
    // A set of positions may stand on several lines.
    Ok(rows.first().and_then(|row| row.first()).map(plain).unwrap_or_default().replace(['\n', '\''], ""))
}

fn number(session: &mut dyn Session, sql: &str) -> Result<i64> {
    Ok(text(session, sql)?.parse().unwrap_or(-1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(host: &str, port: Option<u16>) -> Address {
        Address { host: host.to_owned(), port }
    }

    #[test]
    fn a_cluster_says_where_its_nodes_are_or_that_it_does_not_know() {
        let found = cluster_addresses("10.0.0.1:3306,h2:3307, [fd00::3]:3306,h4").expect("addresses");
        let expected = [at("10.0.0.1", Some(3306)), at("h2", Some(3307)), at("fd00::3", Some(3306)), at("h4", None)];
        assert_eq!(found, expected);
        for said in ["", "AUTO,AUTO", "127.0.0.1:0,127.0.0.1:0", "h1:3306,", "h1:x", "unspecified host:3306"] {
            let error = cluster_addresses(said).expect_err(said);
            assert_eq!(error.kind, Kind::Usage, "{said}");
            assert!(error.message.contains(said) && error.hint.is_some(), "{error:?}");
        }
    }

    #[test]
    fn replicas_are_found_beside_their_primary() {
        let own = at("h1", None);
        let row = |fields: [&str; 4]| fields.map(str::to_owned).to_vec();
        let rows = [row(["2", "h2", "3306", "1"]), row(["3", "h3", "3310", "1"])];
        let expected = [own.clone(), at("h2", Some(3306)), at("h3", Some(3310))];
        assert_eq!(replica_addresses(&own, &rows).expect("addresses"), expected);
        for (rows, word) in [(vec![], "no replicas"), (vec![row(["7", "", "3306", "1"])], "replica 7")] {
            let error = replica_addresses(&own, &rows).expect_err(word);
            assert!(error.kind == Kind::Usage && error.message.contains(word), "{error:?}");
        }
    }

    proptest! {
        #[test]
        fn no_list_of_addresses_is_too_strange(said in "\\PC*|[a-z0-9:,\\[\\]]*") {
            for found in cluster_addresses(&said).unwrap_or_default() {
                prop_assert!(!found.host.is_empty() && found.port != Some(0));
            }
        }
    }
}
