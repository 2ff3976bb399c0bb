//! Capabilities of a server, detected by queries: a table of versions would be wrong for PostgreSQL-compatible servers,
//! and for roles without all privileges. A rejected query means that the capability is missing.

use std::path::PathBuf;

use engine::{Caps, Result, Value};

use crate::dialect;
use crate::flavour::{self, Flavour, Identified};
use crate::session::PostgresSession;

/// A PL/pgSQL block with the language elements of the tests' functions. It changes nothing.
const PROCEDURE: &str = "do language plpgsql $$ \
    declare a bigint[] := array_fill(0::bigint, array[2]); x bigint := 42; item text collate \"C\" := ''; \
    begin \
      for k in 1 .. 2 loop x := (x * 48271 + 11) % 2147483647; a[k] := x; end loop; \
      while a[1] < 0 loop exit when a[1] >= x; end loop; \
      item := item || substr(x::text, 2); \
      if x < 2 then return; end if; \
    end $$";

/// The detected capabilities.
#[derive(Clone, Debug)]
pub(crate) struct Capabilities {
    pub(crate) identity: Identified,
    pub(crate) caps: Caps,
    /// Whether it is a standby.
    pub(crate) in_recovery: bool,
    pub(crate) may_checkpoint: bool,
    /// Settings that the dialect uses and this server does not have.
    pub(crate) unknown_settings: Vec<String>,
}

impl Capabilities {
    /// Detects them by small queries, each of which may be rejected.
    pub(crate) fn of(session: &mut PostgresSession) -> Result<Capabilities> {
        let identity = flavour::identify(session)?;
        let in_recovery = is_true(session, "select pg_catalog.pg_is_in_recovery()")?;
        let unknown_settings = match identity.flavour {
            Flavour::None => Vec::new(),
            _ => unknown_settings(session)?,
        };
        Ok(Capabilities {
            caps: caps(session, identity.flavour)?,
            may_checkpoint: may_checkpoint(session)?,
            identity,
            in_recovery,
            unknown_settings,
        })
    }
}

/// Whether a query returns true.
fn is_true(session: &mut PostgresSession, sql: &str) -> Result<bool> {
    Ok(session.query_if_supported(sql)?.is_some_and(|rows| rows == [[Value::Int(1)]]))
}

fn caps(session: &mut PostgresSession, flavour: Flavour) -> Result<Caps> {
    let workers = is_true(
        session,
        "select current_setting('max_worker_processes')::int4 > 0 and current_setting('max_parallel_workers')::int4 > 0",
    )?;
    Ok(Caps {
        procedures: session.query_if_supported(PROCEDURE)?.is_some(),
        decimal: true,
        table_compression: false,
        partitions: is_true(session, "select pg_catalog.to_regproc('pg_catalog.pg_partition_tree') is not null")?,
        lines: true,
        parallel_query: workers,
        parallel_index: workers,
        column_names: true,
        limit_clause: true,
        json: true,
        large_values: true,
        concurrent_writers: true,
        counts_read_commits: flavour.has_postgres_storage() || flavour == Flavour::Aurora,
        counts_procedure_commits: flavour.has_postgres_storage() || flavour == Flavour::Aurora,
        answers: true,
    })
}

/// Superusers, and since version 15 members of `pg_checkpoint`.
fn may_checkpoint(session: &mut PostgresSession) -> Result<bool> {
    Ok(is_true(session, "select current_setting('is_superuser') = 'on'")?
        || is_true(session, "select pg_catalog.pg_has_role('pg_checkpoint', 'usage')")?)
}

fn unknown_settings(session: &mut PostgresSession) -> Result<Vec<String>> {
    let names = dialect::settings();
    let list: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let sql = format!("select name::text from pg_catalog.pg_settings where name in ({})", list.join(", "));
    let known = session.query_if_supported(&sql)?.unwrap_or_default();
    let is_known = |name: &str| known.iter().any(|row| row.first() == Some(&Value::Text(name.into())));
    Ok(names.into_iter().filter(|name| !is_known(name)).collect())
}

/// As reported by the server; for unprivileged roles, the working directory of the postmaster.
pub(crate) fn data_directory(session: &mut PostgresSession, postmaster: u32) -> Result<Option<PathBuf>> {
    let sql = "select setting from pg_catalog.pg_settings where name = 'data_directory'";
    let rows = session.query_if_supported(sql)?.unwrap_or_default();
    Ok(match rows.first().map(Vec::as_slice) {
        Some([Value::Text(path)]) => Some(PathBuf::from(path.as_ref())),
        _ => std::fs::read_link(format!("/proc/{postmaster}/cwd")).ok(),
    })
}
