//! Sampling of active sessions.
//!
//! Source: PostgreSQL manual, "pg_stat_activity" and its tables of wait events. Version 17 changed the case of event
//! names (`WALSync`, `WalSync`), so that they are compared case-insensitively.
//!
//! - Client backends in the same database: those that `pg_stat_database.active_time` counts. It does not include
//!   parallel workers, and neither does this.
//! - A role without privileges on other sessions sees its own, which are those of dbdyno.
//! - A sample is one transaction; the first one of a session also needs a Parse, which is another.

use engine::{ActiveSession, Result, Session, SessionSample, Value};
use record::WaitClass;

use crate::session::PostgresSession;

/// Wait event type and wait event of each active session; empty if it does not wait.
const ACTIVE_SESSIONS: &str = "select coalesce(wait_event_type, ''), coalesce(wait_event, '') \
    from pg_catalog.pg_stat_activity \
    where datname = current_database() and pid <> pg_backend_pid() \
    and state in ('active', 'fastpath function call') and backend_type = 'client backend'";

/// Whether activity is tracked.
const TRACKING_ENABLED: &str = "select 1 where current_setting('track_activities', true) is distinct from 'off'";

/// Whether the server of `session` reports active sessions.
pub(crate) fn is_reported(session: &mut PostgresSession) -> Result<bool> {
    let is_on = session.query_if_supported(TRACKING_ENABLED)?.is_some_and(|rows| rows.len() == 1);
    Ok(is_on && session.query_if_supported(ACTIVE_SESSIONS)?.is_some())
}

/// One sample, taken by `session`.
pub(crate) fn sample(session: &mut dyn Session) -> Result<SessionSample> {
    let statement = session.prepare(ACTIVE_SESSIONS)?;
    let rows = session.query(statement, &[])?;
    let active = |row: &Vec<Value<'static>>| match row.as_slice() {
        [Value::Text(kind), Value::Text(event)] => {
            let class = class(kind, event);
            let event = name(kind, event);
            (class != WaitClass::Idle).then_some(ActiveSession { class, event })
        }
        _ => None,
    };
    Ok(SessionSample { sessions: rows.iter().filter_map(active).collect(), own_commits: 1 })
}

/// Name of a wait: that of its counter, if the server also times it.
fn name(kind: &str, event: &str) -> String {
    let event_lower = event.to_ascii_lowercase();
    let starts_with = |prefix: &str| kind.eq_ignore_ascii_case("io") && event_lower.starts_with(prefix);
    match () {
        () if kind.is_empty() => String::new(),
        () if starts_with("walsync") => "wal_sync".to_owned(),
        () if starts_with("walwrite") => "wal_write".to_owned(),
        () if starts_with("datafileread") || starts_with("aio") => "data_read".to_owned(),
        () if starts_with("datafileextend") => "extend".to_owned(),
        () => format!("{kind}:{event}"),
    }
}

/// Class of a wait by its type and name.
fn class(kind: &str, event: &str) -> WaitClass {
    let (kind, event) = (kind.to_ascii_lowercase(), event.to_ascii_lowercase());
    let starts_with = |prefix: &str| event.starts_with(prefix);
    match kind.as_str() {
        "" => WaitClass::Cpu,
        // WAL flush, by this session, by another one that it waits for, or on a replica.
        "io" if starts_with("walsync") || starts_with("walwrite") || starts_with("walinit") => WaitClass::Commit,
        "lwlock" if starts_with("walwrite") => WaitClass::Commit,
        "ipc" if starts_with("syncrep") => WaitClass::Commit,
        "io" => WaitClass::UserIo,
        // The read is in progress in another session.
        "ipc" if starts_with("bufferio") => WaitClass::UserIo,
        "lock" => WaitClass::Application,
        "lwlock" | "bufferpin" | "buffer" => WaitClass::Concurrency,
        "ipc" if starts_with("procarraygroup") || starts_with("xactgroup") => WaitClass::Concurrency,
        // A statement is open and waits for the client: this is not database time.
        "client" if starts_with("clientread") => WaitClass::Idle,
        "client" => WaitClass::Network,
        "activity" => WaitClass::Idle,
        _ => WaitClass::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::counter::CounterQuery;

    #[test]
    fn waits_have_their_class_in_any_case() {
        for (kind, event, expected) in [
            ("", "", WaitClass::Cpu),
            ("IO", "WALSync", WaitClass::Commit),
            ("IO", "WalSync", WaitClass::Commit),
            ("IO", "WALWrite", WaitClass::Commit),
            ("LWLock", "WALWrite", WaitClass::Commit),
            ("IPC", "SyncRep", WaitClass::Commit),
            ("IO", "DataFileRead", WaitClass::UserIo),
            ("IO", "AioIoCompletion", WaitClass::UserIo),
            ("IPC", "BufferIO", WaitClass::UserIo),
            ("Lock", "transactionid", WaitClass::Application),
            ("LWLock", "WALInsert", WaitClass::Concurrency),
            ("LWLock", "BufferContent", WaitClass::Concurrency),
            ("BufferPin", "BufferPin", WaitClass::Concurrency),
            ("Client", "ClientRead", WaitClass::Idle),
            ("Client", "ClientWrite", WaitClass::Network),
            ("Activity", "CheckpointerMain", WaitClass::Idle),
            ("Timeout", "PgSleep", WaitClass::Other),
            ("IPC", "ExecuteGather", WaitClass::Other),
            ("Extension", "Extension", WaitClass::Other),
        ] {
            assert_eq!(class(kind, event), expected, "{kind}:{event}");
        }
    }

    #[test]
    fn timed_waits_have_the_name_of_their_counter() {
        for (kind, event, expected) in [
            ("", "", ""),
            ("IO", "WALSync", "wal_sync"),
            ("IO", "WalSync", "wal_sync"),
            ("IO", "WalWrite", "wal_write"),
            ("IO", "DataFileRead", "data_read"),
            ("IO", "AioIoCompletion", "data_read"),
            ("IO", "DataFileExtend", "extend"),
            ("LWLock", "WALWrite", "LWLock:WALWrite"),
            ("IO", "DataFileWrite", "IO:DataFileWrite"),
            ("Lock", "transactionid", "Lock:transactionid"),
        ] {
            let found = name(kind, event);
            assert_eq!(found, expected, "{kind}:{event}");
            let is_counter = !found.is_empty() && !found.contains(':');
            let counter = format!("postgres_wait_{found}_ns");
            assert!(!is_counter || CounterQuery::times(&counter), "{counter} is not a counter");
        }
    }
}
