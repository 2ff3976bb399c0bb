//! The state of the database: tables, buffer cache, log, dead rows.
//!
//! Sources: PostgreSQL manual, "System Administration Functions", "The Cumulative Statistics System", and "pg_buffercache".
//! The extension is created on servers that dbdyno has started, and used elsewhere where it is there already. A WAL segment
//! was used before, or is filled with zeros before it is used (`wal_init_zero`); without that, it is not known which.

use engine::{Result, Session, Value};
use record::{Bytes, DatabaseState};

use crate::session::PostgresSession;

/// One value of the state, by an expression.
type StateValue = (fn(&mut DatabaseState, u64), &'static str);

/// The values that need no extension.
const VALUES: [StateValue; 6] = [
    (
        |state, bytes| state.table_bytes = Some(Bytes(bytes)),
        "(select coalesce(sum(pg_catalog.pg_total_relation_size(c.oid)), 0) from pg_catalog.pg_class c \
         join pg_catalog.pg_namespace n on n.oid = c.relnamespace where n.nspname = 'dbdyno' and c.relkind in ('r', 'm'))",
    ),
    (
        |state, bytes| state.log_position_bytes = Some(Bytes(bytes)),
        "case when not pg_catalog.pg_is_in_recovery() then \
         pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), '0/0') end",
    ),
    (
        |state, bytes| state.log_since_checkpoint_bytes = Some(Bytes(bytes)),
        "case when not pg_catalog.pg_is_in_recovery() then pg_catalog.pg_wal_lsn_diff( \
         pg_catalog.pg_current_wal_insert_lsn(), (select redo_lsn from pg_catalog.pg_control_checkpoint())) end",
    ),
    (
        |state, is_filled| state.is_log_written_before = Some(is_filled != 0),
        "case when current_setting('wal_init_zero')::bool then 1 end",
    ),
    (
        |state, count| state.dead_row_count = Some(count),
        "(select coalesce(sum(n_dead_tup), 0) from pg_catalog.pg_stat_user_tables where schemaname = 'dbdyno')",
    ),
    (
        |state, count| state.vacuum_count = Some(count),
        "(select coalesce(sum(vacuum_count + autovacuum_count), 0) from pg_catalog.pg_stat_user_tables \
         where schemaname = 'dbdyno')",
    ),
];

/// The schema of the extension, which sessions need not have in their search path.
const EXTENSION_SCHEMA: &str =
    "select extnamespace::regnamespace::text from pg_catalog.pg_extension where extname = 'pg_buffercache'";

/// Used and dirty buffers from version 16 on, and before: the older way locks each buffer for a moment.
const BUFFERS: [&str; 2] = [
    "select buffers_used::int8 * s, buffers_dirty::int8 * s from {schema}.pg_buffercache_summary(), \
     (select current_setting('block_size')::int8 s) b",
    "select count(relfilenode) * s, (count(*) filter (where isdirty)) * s from {schema}.pg_buffercache, \
     (select current_setting('block_size')::int8 s) b group by s",
];

/// The statements that read the state of one server.
pub(super) struct StateQuery {
    values: Vec<StateValue>,
    buffers: Option<String>,
}

impl StateQuery {
    /// For the server of `session`, `is_own` if dbdyno has started it. Values that the server does not have, or this role may
    /// not read, are left out.
    pub(super) fn of_server(session: &mut PostgresSession, is_own: bool) -> Result<StateQuery> {
        if is_own {
            // Absent where the server was installed without its contributed modules.
            session.query_if_supported("create extension if not exists pg_buffercache")?;
        }
        let mut values = Vec::new();
        for value in VALUES {
            if session.query_if_supported(&selection(&[value]))?.is_some() {
                values.push(value);
            }
        }
        let schema = session.query_if_supported(EXTENSION_SCHEMA)?;
        let [Value::Text(schema)] = schema.iter().flatten().next().map_or(&[][..], Vec::as_slice) else {
            return Ok(StateQuery { values, buffers: None });
        };
        for sql in BUFFERS.map(|sql| sql.replace("{schema}", schema)) {
            if session.query_if_supported(&sql)?.is_some() {
                return Ok(StateQuery { values, buffers: Some(sql) });
            }
        }
        Ok(StateQuery { values, buffers: None })
    }

    /// Reads it.
    pub(super) fn read(&self, session: &mut dyn Session) -> Result<DatabaseState> {
        let mut state = DatabaseState::default();
        if !self.values.is_empty() {
            let read = row(session, &selection(&self.values))?;
            let known = self.values.iter().zip(read).filter_map(|((set, _), value)| Some((set, value?)));
            known.for_each(|(set, value)| set(&mut state, value));
        }
        if let Some(sql) = &self.buffers
            && let [cached, dirty] = row(session, sql)?[..]
        {
            (state.cached_bytes, state.dirty_bytes) = (cached.map(Bytes), dirty.map(Bytes));
        }
        Ok(state)
    }
}

fn selection(values: &[StateValue]) -> String {
    let values: Vec<String> = values.iter().map(|(_, sql)| format!("({sql})::int8")).collect();
    format!("select {}", values.join(", "))
}

/// The numbers of the row of `sql`; None for what is null.
fn row(session: &mut dyn Session, sql: &str) -> Result<Vec<Option<u64>>> {
    let statement = session.prepare(sql)?;
    let number = |value: &Value<'_>| match value {
        Value::Int(number) => u64::try_from(*number).ok(),
        _ => None,
    };
    let rows = session.query(statement, &[])?;
    Ok(rows.first().map_or(Vec::new(), |row| row.iter().map(number).collect()))
}
