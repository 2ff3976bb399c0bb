//! A running server: ours for the time of the measurement, or somebody's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use engine::{Caps, Error, Kind, Node, Processes, Result, Session, Site, Target, Value};
use record::{EngineInventory, Location};

use crate::connect::{Login, Surroundings, Way};
use crate::counter::CounterQuery;
use crate::inventory::{self, Seen};
use crate::process;
use crate::server::{self, Cluster};
use crate::session::PostgresSession;

/// The schema that dbdyno works in.
const SCHEMA: &str = "dbdyno";
/// What the comment of a schema of ours begins with.
const OURS: &str = "dbdyno:";
/// The first half of the key of the advisory lock: `dbDy` in ASCII.
const LOCK: i32 = 0x6462_4479;

/// One server.
pub(crate) struct PostgresNode {
    login: Arc<Login>,
    /// The server that dbdyno started, if it did.
    cluster: Option<Cluster>,
    keep: bool,
    claimed: AtomicBool,
    /// Holds the lock of the schema for as long as the node is open.
    guard: Mutex<Option<PostgresSession>>,
    caps: Caps,
    counters: CounterQuery,
    version: String,
    way: Way,
    /// The server's first process, where it is in sight.
    postmaster: Option<u32>,
    data_directory: Option<PathBuf>,
    may_checkpoint: bool,
}

/// Reaches the server at `target`, or starts one in `site`.
pub(crate) fn open(target: &Target, site: &Site) -> Result<PostgresNode> {
    if !target.local {
        let login = Login::of(target, &Surroundings::here())?;
        return PostgresNode::of(login, None, site.keep);
    }
    // Dropping the cluster on an error stops it.
    let cluster = server::start(target, site)?;
    let login = Login::of_socket(&cluster.socket_directory, cluster.port, &cluster.user, &cluster.database);
    PostgresNode::of(login, Some(cluster), site.keep)
}

impl PostgresNode {
    fn of(login: Login, cluster: Option<Cluster>, keep: bool) -> Result<PostgresNode> {
        let login = Arc::new(login);
        let mut session = PostgresSession::start(login.open(None)?, login.clone())?;
        let (way, server) = (session.way().clone(), session.server().clone());
        let found = process::of_session(server.process, &way).map(|(_, postmaster)| postmaster);
        let postmaster = cluster.as_ref().map(|cluster| cluster.postmaster_pid).or(found);
        let data_directory = match (&cluster, postmaster) {
            (Some(cluster), _) => Some(cluster.data_directory.clone()),
            (None, Some(postmaster)) => data_directory(&mut session, postmaster)?,
            (None, None) => None,
        };
        let caps = caps(&mut session)?;
        let may_checkpoint = may_checkpoint(&mut session, server.major)?;
        Ok(PostgresNode {
            login,
            cluster,
            keep,
            claimed: AtomicBool::new(false),
            guard: Mutex::new(None),
            caps,
            counters: CounterQuery::of(server.major),
            version: server.version,
            way,
            postmaster,
            data_directory,
            may_checkpoint,
        })
    }

    fn session(&self, schema: Option<&str>) -> Result<PostgresSession> {
        let mut session = PostgresSession::start(self.login.open(schema)?, self.login.clone())?;
        let process = process::of_session(session.server().process, session.way()).map(|(number, _)| number);
        session.set_process(process);
        Ok(session)
    }

    fn location(&self) -> Location {
        match (self.way.peer, self.way.own) {
            (None, _) => Location::UnixSocket,
            (Some(peer), own) if peer.ip().is_loopback() || own.is_some_and(|own| own.ip() == peer.ip()) => {
                Location::LocalTcp
            }
            _ => Location::Remote,
        }
    }

    /// Two measurements in one database would measure each other, and the first to end would remove the schema.
    fn lock_schema(&self, session: &mut PostgresSession) -> Result<()> {
        let rows = session.ask(&format!("select pg_catalog.pg_try_advisory_lock({LOCK}, 1)"))?;
        if rows == [[Value::Int(1)]] {
            return Ok(());
        }
        let message = format!("schema {SCHEMA} of database {} is in use by another dbdyno", self.login.database);
        Err(Error::new(Kind::NotOurs, message).hint("wait until it has ended, or measure in another database"))
    }

    /// Makes the schema, or finds it.
    fn make_schema(&self, session: &mut PostgresSession) -> Result<()> {
        if self.find_schema(session)? {
            return Ok(());
        }
        // One string is one transaction: no schema is ever there without its comment.
        let made = session.batch(&format!(
            "create schema {SCHEMA}; comment on schema {SCHEMA} is '{OURS} tables that dbdyno measures with; \
             it removes them when it is done'"
        ));
        match made {
            // Another dbdyno was faster.
            Err(error) if matches!(error.code.as_deref(), Some("42P06" | "23505")) => {
                self.find_schema(session).map(|_| ())
            }
            Err(error) if error.code.as_deref() == Some("25006") => {
                Err(error.hint("measure on a primary, as a role whose default_transaction_read_only is off"))
            }
            Err(error) if error.kind == Kind::Access => {
                let (user, database) = (&self.login.user, &self.login.database);
                let message = format!("role {user} may not create schema {SCHEMA} in database {database}: {error}");
                Err(Error { message, ..error }.hint(format!("grant create on database {database} to {user}")))
            }
            outcome => outcome,
        }
    }

    /// Whether the schema is there and ours to use.
    fn find_schema(&self, session: &mut PostgresSession) -> Result<bool> {
        let rows = session.ask(&format!(
            "select coalesce(pg_catalog.obj_description(oid, 'pg_namespace'), ''), \
             pg_catalog.has_schema_privilege(oid, 'usage') and pg_catalog.has_schema_privilege(oid, 'create') \
             from pg_catalog.pg_namespace where nspname = '{SCHEMA}'"
        ))?;
        match rows.first().map(Vec::as_slice) {
            None => Ok(false),
            Some([Value::Text(comment), _]) if !comment.starts_with(OURS) => {
                let message = format!("schema {SCHEMA} of database {} was not made by dbdyno", self.login.database);
                Err(Error::new(Kind::NotOurs, message).hint(format!(
                    "rename it, or measure in another database; dbdyno takes a schema whose comment begins with {OURS}"
                )))
            }
            Some([_, Value::Int(1)]) => Ok(true),
            Some(_) => {
                let user = &self.login.user;
                let message = format!("role {user} may not work in schema {SCHEMA} that another role made");
                Err(Error::new(Kind::Access, message).hint(format!("grant usage, create on schema {SCHEMA} to {user}")))
            }
        }
    }
}

impl Node for PostgresNode {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn claim(&self) -> Result<()> {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        if guard.is_some() {
            return Ok(());
        }
        let mut session = self.session(None)?;
        self.lock_schema(&mut session)?;
        self.make_schema(&mut session)?;
        // What it has done must not be counted into somebody's window later.
        session.publish_counters()?;
        self.claimed.store(true, Ordering::SeqCst);
        *guard = Some(session);
        Ok(())
    }

    fn connect(&self) -> Result<Box<dyn Session>> {
        let schema = self.claimed.load(Ordering::SeqCst).then_some(SCHEMA);
        Ok(Box::new(self.session(schema)?))
    }

    fn inventory(&self) -> Result<EngineInventory> {
        let seen = Seen {
            location: self.location(),
            encryption: self.way.encryption.clone(),
            throwaway: self.cluster.is_some(),
            version: self.version.clone(),
        };
        inventory::read(&mut self.session(None)?, seen)
    }

    fn counters(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        self.counters.read(session)
    }

    fn settle(&self, session: &mut dyn Session) -> Result<()> {
        if self.may_checkpoint {
            let checkpoint = session.prepare("checkpoint")?;
            session.execute(checkpoint, &[])?;
        }
        Ok(())
    }

    fn processes(&self) -> Processes {
        match self.postmaster {
            Some(postmaster) => Processes::Local(vec![postmaster]),
            None => Processes::Remote,
        }
    }

    fn data_directory(&self) -> Option<&Path> {
        self.data_directory.as_deref()
    }

    fn close(self: Box<Self>) -> Result<()> {
        let mut node = *self;
        let guard = node.guard.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(cluster) = node.cluster {
            return cluster.stop(node.keep);
        }
        if node.keep || !node.claimed.load(Ordering::SeqCst) {
            return Ok(());
        }
        let mut session = PostgresSession::start(node.login.open(None)?, node.login.clone())?;
        // A session of ours that hangs must not make this one hang.
        session.batch("set lock_timeout = '10s'")?;
        let removed = remove_schema(&mut session).map_err(|error| {
            let message = format!("schema {SCHEMA} cannot be removed: {}", error.message);
            Error { message, ..error }.hint(format!("see what needs it, then: drop schema {SCHEMA} cascade"))
        });
        // The lock is held until nothing is left to be measured.
        drop(guard);
        removed
    }
}

/// Removes the schema with its tables and functions, in one transaction; where something outside of it needs them,
/// nothing is removed.
fn remove_schema(session: &mut PostgresSession) -> Result<()> {
    let rows = session.ask(&format!(
        "select pg_catalog.format('drop table %I.%I', '{SCHEMA}', relname) from pg_catalog.pg_class \
         where relnamespace = pg_catalog.to_regnamespace('{SCHEMA}') and relkind in ('r', 'p') \
         union all select 'drop function ' || oid::pg_catalog.regprocedure::text from pg_catalog.pg_proc \
         where pronamespace = pg_catalog.to_regnamespace('{SCHEMA}')"
    ))?;
    let drops = rows.iter().filter_map(|row| match row.first() {
        Some(Value::Text(statement)) => Some(statement.as_ref()),
        _ => None,
    });
    let schema = format!("drop schema if exists {SCHEMA}");
    session.batch(&drops.chain([schema.as_str()]).collect::<Vec<&str>>().join("; "))
}

/// What the server can do, as it is set.
fn caps(session: &mut PostgresSession) -> Result<Caps> {
    let rows = session.ask(
        "select exists (select from pg_catalog.pg_language where lanname = 'plpgsql' \
         and pg_catalog.has_language_privilege(oid, 'usage')), \
         current_setting('max_worker_processes')::int4 > 0 and current_setting('max_parallel_workers')::int4 > 0",
    )?;
    let is_true = |column: usize| rows.first().and_then(|row| row.get(column)) == Some(&Value::Int(1));
    Ok(Caps {
        procedures: is_true(0),
        decimal: true,
        table_compression: false,
        parallel_query: is_true(1),
        parallel_index: is_true(1),
        concurrent_writers: true,
        counts_read_commits: true,
        answers: true,
    })
}

/// Superusers may, and from version 15 on members of a role made for it.
fn may_checkpoint(session: &mut PostgresSession, major: u32) -> Result<bool> {
    let member = if major >= 15 { "pg_catalog.pg_has_role('pg_checkpoint', 'usage')" } else { "false" };
    let rows = session.ask(&format!("select current_setting('is_superuser') = 'on' or {member}"))?;
    Ok(rows == [[Value::Int(1)]])
}

/// As the server says; where it tells only privileged roles, as the first process shows: it works in that directory.
fn data_directory(session: &mut PostgresSession, postmaster: u32) -> Result<Option<PathBuf>> {
    let rows = session.ask("select setting from pg_catalog.pg_settings where name = 'data_directory'")?;
    Ok(match rows.first().map(Vec::as_slice) {
        Some([Value::Text(path)]) => Some(PathBuf::from(path.as_ref())),
        _ => std::fs::read_link(format!("/proc/{postmaster}/cwd")).ok(),
    })
}
