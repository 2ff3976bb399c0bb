//! The schema that dbdyno works in: ownership, locking, creation and removal.

use engine::{Error, Kind, Result, Session, Value};

use super::{PostgresNode, SCHEMA};
use crate::flavour::Flavour;
use crate::objects;
use crate::session::PostgresSession;

/// Prefix of the comment of dbdyno's schema.
const COMMENT_PREFIX: &str = "dbdyno:";
/// The first half of the key of the advisory lock: `dbDy` in ASCII.
const LOCK: i32 = 0x6462_4479;

impl PostgresNode {
    /// Locks the schema: two measurements in one database would disturb each other, and the first to end would remove
    /// the schema. Returns whether the lock works: a flavour may have no advisory locks, or a stub that always
    /// succeeds.
    pub(super) fn lock_schema(&self, session: &mut PostgresSession) -> Result<bool> {
        let lock = format!("select pg_catalog.pg_try_advisory_lock({LOCK}, 1)");
        let ours = [[Value::Int(1)]];
        match session.query_if_supported(&lock)? {
            None => Ok(false),
            Some(rows) if rows != ours => {
                let message =
                    format!("schema {SCHEMA} of database {} is in use by another dbdyno", self.login.database);
                Err(Error::new(Kind::NotOurs, message).hint("wait until it has exited, or use another database"))
            }
            Some(_) if self.capabilities.identity.flavour == Flavour::None => Ok(true),
            Some(_) => Ok(self.session(None)?.query_if_supported(&lock)?.is_none_or(|rows| rows != ours)),
        }
    }

    /// Creates the schema unless it exists.
    pub(super) fn make_schema(&self, session: &mut PostgresSession) -> Result<()> {
        if self.find_schema(session)? {
            return Ok(());
        }
        // One string is one transaction: the schema never exists without its comment.
        let made = session.batch(&format!(
            "create schema {SCHEMA}; comment on schema {SCHEMA} is '{COMMENT_PREFIX} tables that dbdyno measures with; \
             it removes them when it is done'"
        ));
        match made {
            // Another dbdyno created it concurrently.
            Err(error) if matches!(error.code.as_deref(), Some("42P06" | "23505")) => {
                self.find_schema(session).map(|_| ())
            }
            Err(error) if error.code.as_deref() == Some("25006") => {
                let error = Error { kind: Kind::Access, ..error };
                Err(error.hint("use a primary, and a role whose default_transaction_read_only is off"))
            }
            Err(error) if error.kind == Kind::Access => {
                let (user, database) = (&self.login.user, &self.login.database);
                let message = format!("role {user} may not create schema {SCHEMA} in database {database}: {error}");
                Err(Error { message, ..error }.hint(format!("grant create on database {database} to {user}")))
            }
            outcome => outcome,
        }
    }

    /// Whether the schema exists and may be used.
    pub(super) fn find_schema(&self, session: &mut PostgresSession) -> Result<bool> {
        let rows = session.query_sql(&format!(
            "select coalesce(pg_catalog.obj_description(oid, 'pg_namespace'), ''), \
             pg_catalog.has_schema_privilege(oid, 'usage') and pg_catalog.has_schema_privilege(oid, 'create') \
             from pg_catalog.pg_namespace where nspname = '{SCHEMA}'"
        ))?;
        match rows.first().map(Vec::as_slice) {
            None => Ok(false),
            Some([Value::Text(comment), _]) if !comment.starts_with(COMMENT_PREFIX) => {
                let message = format!("schema {SCHEMA} of database {} was not created by dbdyno", self.login.database);
                Err(Error::new(Kind::NotOurs, message).hint(format!(
                    "rename it, or use another database; dbdyno uses a schema whose comment starts with {COMMENT_PREFIX}"
                )))
            }
            Some([_, Value::Int(1)]) => Ok(true),
            Some(_) => {
                let user = &self.login.user;
                let message = format!("role {user} may not use schema {SCHEMA} of another role");
                Err(Error::new(Kind::Access, message).hint(format!("grant usage, create on schema {SCHEMA} to {user}")))
            }
        }
    }

    /// Removes the schema with its tables and functions, in one transaction; if other objects depend on them, nothing
    /// is removed.
    pub(super) fn remove_schema(&self) -> Result<()> {
        let mut session = self.session(None)?;
        // A hanging session must not block this one.
        session.batch("set lock_timeout = '10s'")?;
        objects::unlink_all(&mut session, Some(SCHEMA))?;
        let namespace = format!("(select oid from pg_catalog.pg_namespace where nspname = '{SCHEMA}')");
        // Partitions are dropped with their table, in any order.
        let rows = session.query_sql(&format!(
            "select pg_catalog.format('drop table if exists %I.%I', '{SCHEMA}', relname) from pg_catalog.pg_class \
             where relnamespace = {namespace} and relkind in ('r', 'p') \
             union all select 'drop function ' || oid::pg_catalog.regprocedure::text from pg_catalog.pg_proc \
             where pronamespace = {namespace}"
        ))?;
        let drops = rows.iter().filter_map(|row| match row.first() {
            Some(Value::Text(statement)) => Some(statement.as_ref()),
            _ => None,
        });
        let schema = format!("drop schema if exists {SCHEMA}");
        let removed = session.batch(&drops.chain([schema.as_str()]).collect::<Vec<&str>>().join("; "));
        removed.map_err(|error| {
            let message = format!("schema {SCHEMA} cannot be removed: {}", error.message);
            Error { message, ..error }.hint(format!("check what depends on it, then: drop schema {SCHEMA} cascade"))
        })
    }
}
