//! Replication between nodes: discovery of nodes, and waiting for commits of another node.
//!
//! Sources: MariaDB "Galera Cluster System Variables" (`wsrep_sync_wait`), "MASTER_GTID_WAIT", "SHOW REPLICA HOSTS";
//! MySQL "Functions Used with Global Transaction Identifiers", "SHOW REPLICAS". For replicas of MySQL this is
//! implemented from the documentation, and untested.

use std::time::{Duration, Instant};

use engine::{Address, Error, Kind, Result, Session, Value};

use crate::flavour::Flavour;
use crate::query::rows;
use crate::session::MysqlSession;

/// Timeout until a node has the commits of another one.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);

/// Replication of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Replication {
    /// Every commit is certified by all nodes of a Galera cluster, and applied by each asynchronously.
    Galera,
    /// Binary log replication, or none.
    Log(Flavour),
}

impl Replication {
    /// For the server of `session`.
    pub(crate) fn of(session: &mut MysqlSession) -> Result<Replication> {
        let flavour = session.server().flavour;
        // Not every server has the variable.
        let rows = session.query_sql("show global variables like 'wsrep_on'")?;
        match rows.first().map(Vec::as_slice) {
            Some([_, Value::Text(on)]) if on == "ON" => Ok(Replication::Galera),
            _ => Ok(Replication::Log(flavour)),
        }
    }

    /// Waits until all commits of the server of `first` are visible in `here`.
    pub(crate) fn catch_up(self, here: &mut dyn Session, first: &mut dyn Session) -> Result<()> {
        match self {
            Replication::Galera => wait_for_group(here),
            Replication::Log(Flavour::MariaDb) => {
                let position = text(first, "select @@global.gtid_binlog_pos")?;
                // A server without binary log has no replicas; a server does not wait for itself.
                if position.is_empty() || number(here, "select @@server_id")? == number(first, "select @@server_id")? {
                    return Ok(());
                }
                let seconds = TIMEOUT.as_secs();
                let waited = number(here, &format!("select master_gtid_wait('{position}', {seconds})"))?;
                if waited == 0 { Ok(()) } else { Err(replication_timeout(&position)) }
            }
            Replication::Log(Flavour::MySql) => {
                let position = text(first, "select @@global.gtid_executed")?;
                // As above; without GTIDs waiting is not possible.
                if position.is_empty() || number(here, "select @@server_id")? == number(first, "select @@server_id")? {
                    return Ok(());
                }
                let seconds = TIMEOUT.as_secs();
                let waited = number(here, &format!("select wait_for_executed_gtid_set('{position}', {seconds})"))?;
                if waited == 0 { Ok(()) } else { Err(replication_timeout(&position)) }
            }
        }
    }
}

/// Number of nodes of the cluster of the server of `session`.
pub(crate) fn cluster_nodes(session: &mut MysqlSession) -> Result<u32> {
    let rows = rows(session, "show global status like 'wsrep_cluster_size'")?;
    Ok(rows.first().and_then(|row| row.get(1)?.parse().ok()).unwrap_or(1))
}

/// Waits until this node of a cluster has applied all writes that are ordered so far. A causal read times out after
/// `repl.causal_read_timeout`, 30 s, with the error of a lock timeout.
pub(crate) fn wait_for_group(here: &mut dyn Session) -> Result<()> {
    let start = Instant::now();
    here.batch("set @dbdyno_wait = @@session.wsrep_sync_wait, session wsrep_sync_wait = 1")?;
    let waited = loop {
        match here.batch("select 1") {
            Err(Error { kind: Kind::Step(_), .. }) if start.elapsed() < TIMEOUT => {
                std::thread::sleep(Duration::from_millis(100));
            }
            Err(error) => break Err(Error { kind: Kind::Unreachable, ..error }),
            Ok(()) => break Ok(()),
        }
    };
    here.batch("set session wsrep_sync_wait = @dbdyno_wait").and(waited)
}

fn replication_timeout(position: &str) -> Error {
    let message = format!("the node has not reached position {position} within {} s", TIMEOUT.as_secs());
    Error::new(Kind::Unreachable, message).hint("check the replication: show replica status")
}

/// The addresses of all nodes that the server of `session` at `own` reports.
pub(crate) fn addresses(session: &mut MysqlSession, own: &Address) -> Result<Vec<Address>> {
    match Replication::of(session)? {
        Replication::Galera => {
            let rows = rows(session, "show global status like 'wsrep_incoming_addresses'")?;
            cluster_addresses(rows.first().and_then(|row| row.get(1)).map_or("", String::as_str))
        }
        Replication::Log(flavour) => {
            let sql = match flavour {
                Flavour::MariaDb => "show replica hosts",
                Flavour::MySql => "show replicas",
            };
            let replicas = rows(session, sql).map_err(|error| match error.kind {
                Kind::Access => error
                    .hint("grant the user REPLICATION SLAVE (MariaDB: REPLICATION MASTER ADMIN), or give all nodes"),
                _ => error,
            })?;
            replica_addresses(own, &replicas)
        }
    }
}

fn cluster_addresses(text: &str) -> Result<Vec<Address>> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let all: Option<Vec<Address>> = parts.iter().map(|part| address(part)).collect();
    all.ok_or_else(|| {
        let message = format!("the cluster says {text:?} of where its {} nodes take clients", parts.len());
        Error::new(Kind::Usage, message)
            .hint("give all nodes in the target: h1,h2,h3; or set wsrep_node_incoming_address on each")
    })
}

/// `host:port` or `host`; `None` for placeholders of unknown addresses.
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
    let hint = "give all nodes in the target: h1,h2,h3";
    if rows.is_empty() {
        return usage(format!("the server at {own} is in no cluster and has no replicas"), hint);
    }
    let mut all = vec![own.clone()];
    for row in rows {
        let [server, host, port, ..] = row.as_slice() else {
            return usage("the list of replicas has too few columns".into(), hint);
        };
        match (host.as_str(), port.parse::<u16>()) {
            ("", _) | (_, Err(_) | Ok(0)) => {
                let message = format!("replica {server} of {own} does not report its client address");
                return usage(message, "set report_host on it, or give all nodes in the target: h1,h2,h3");
            }
            (host, Ok(port)) => all.push(Address { host: host.to_owned(), port: Some(port) }),
        }
    }
    Ok(all)
}

/// The first field of `sql`.
fn text(session: &mut dyn Session, sql: &str) -> Result<String> {
    // A GTID set may contain line breaks.
    Ok(rows(session, sql)?.first().and_then(|row| row.first()).map_or("", String::as_str).replace(['\n', '\''], ""))
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
    fn addresses_of_a_cluster_are_parsed_or_rejected() {
        let found = cluster_addresses("10.0.0.1:3306,h2:3307, [fd00::3]:3306,h4").expect("addresses");
        let expected = [at("10.0.0.1", Some(3306)), at("h2", Some(3307)), at("fd00::3", Some(3306)), at("h4", None)];
        assert_eq!(found, expected);
        for text in ["", "AUTO,AUTO", "127.0.0.1:0,127.0.0.1:0", "h1:3306,", "h1:x", "unspecified host:3306"] {
            let error = cluster_addresses(text).expect_err(text);
            assert_eq!(error.kind, Kind::Usage, "{text}");
            assert!(error.message.contains(text) && error.hint.is_some(), "{error:?}");
        }
    }

    #[test]
    fn replicas_are_found_from_their_primary() {
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
        fn no_list_of_addresses_panics(text in "\\PC*|[a-z0-9:,\\[\\]]*") {
            for found in cluster_addresses(&text).unwrap_or_default() {
                prop_assert!(!found.host.is_empty() && found.port != Some(0));
            }
        }
    }
}
