//! What a server can be asked for, found out by asking: a table of versions would be wrong for PostgreSQL's relatives,
//! and for roles that may not look everywhere. A question that is refused is an answer.

use std::path::PathBuf;

use engine::{Caps, Result, Value};

use crate::dialect;
use crate::relative::{self, Identified, Relative};
use crate::session::PostgresSession;

/// A body in the procedural language with what the tests' functions are made of. It changes nothing.
const PROCEDURE: &str = "do language plpgsql $$ \
    declare a bigint[] := array_fill(0::bigint, array[2]); x bigint := 42; item text collate \"C\" := ''; \
    begin \
      for k in 1 .. 2 loop x := (x * 48271 + 11) % 2147483647; a[k] := x; end loop; \
      while a[1] < 0 loop exit when a[1] >= x; end loop; \
      item := item || substr(x::text, 2); \
      if x < 2 then return; end if; \
    end $$";

/// What was found out.
#[derive(Clone, Debug)]
pub(crate) struct Abilities {
    pub(crate) identified: Identified,
    pub(crate) caps: Caps,
    /// Whether it only repeats what another node wrote.
    pub(crate) in_recovery: bool,
    pub(crate) may_checkpoint: bool,
    /// Settings that dbdyno's words name and this server does not know.
    pub(crate) unknown_settings: Vec<String>,
}

impl Abilities {
    /// Asks, in small questions, each of which may be refused.
    ///
    /// # Errors
    /// Where the session is lost.
    pub(crate) fn of(session: &mut PostgresSession) -> Result<Abilities> {
        let identified = relative::identify(session)?;
        let in_recovery = is_true(session, "select pg_catalog.pg_is_in_recovery()")?;
        let unknown_settings = match identified.relative {
            Relative::None => Vec::new(),
            _ => unknown_settings(session)?,
        };
        Ok(Abilities {
            caps: caps(session, identified.relative)?,
            may_checkpoint: may_checkpoint(session)?,
            identified,
            in_recovery,
            unknown_settings,
        })
    }
}

/// Whether a question is answered with yes.
fn is_true(session: &mut PostgresSession, sql: &str) -> Result<bool> {
    Ok(session.ask_if_known(sql)?.is_some_and(|rows| rows == [[Value::Int(1)]]))
}

fn caps(session: &mut PostgresSession, relative: Relative) -> Result<Caps> {
    let workers = is_true(
        session,
        "select current_setting('max_worker_processes')::int4 > 0 and current_setting('max_parallel_workers')::int4 > 0",
    )?;
    Ok(Caps {
        procedures: session.ask_if_known(PROCEDURE)?.is_some(),
        decimal: true,
        table_compression: false,
        partitions: is_true(session, "select pg_catalog.to_regproc('pg_catalog.pg_partition_tree') is not null")?,
        lines: true,
        parallel_query: workers,
        parallel_index: workers,
        concurrent_writers: true,
        counts_read_commits: relative.stores_alike() || relative == Relative::Aurora,
        answers: true,
    })
}

/// Superusers may, and from version 15 on members of a role made for it.
fn may_checkpoint(session: &mut PostgresSession) -> Result<bool> {
    Ok(is_true(session, "select current_setting('is_superuser') = 'on'")?
        || is_true(session, "select pg_catalog.pg_has_role('pg_checkpoint', 'usage')")?)
}

fn unknown_settings(session: &mut PostgresSession) -> Result<Vec<String>> {
    let names = dialect::settings();
    let list: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    let sql = format!("select name::text from pg_catalog.pg_settings where name in ({})", list.join(", "));
    let known = session.ask_if_known(&sql)?.unwrap_or_default();
    let is_known = |name: &str| known.iter().any(|row| row.first() == Some(&Value::Text(name.into())));
    Ok(names.into_iter().filter(|name| !is_known(name)).collect())
}

/// As the server says; where it tells only privileged roles, as the first process shows: it works in that directory.
///
/// # Errors
/// Where the session is lost.
pub(crate) fn data_directory(session: &mut PostgresSession, postmaster: u32) -> Result<Option<PathBuf>> {
    let sql = "select setting from pg_catalog.pg_settings where name = 'data_directory'";
    let rows = session.ask_if_known(sql)?.unwrap_or_default();
    Ok(match rows.first().map(Vec::as_slice) {
        Some([Value::Text(path)]) => Some(PathBuf::from(path.as_ref())),
        _ => std::fs::read_link(format!("/proc/{postmaster}/cwd")).ok(),
    })
}
