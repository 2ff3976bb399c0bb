//! What sessions are doing.
//!
//! Source: PostgreSQL manual, "pg_stat_activity" and its tables of wait events. Version 17 writes the names of events in
//! other letters than those before (`WALSync`, `WalSync`), so that letters are not told apart.
//!
//! - Sessions of clients in the same database: those whose time at work `pg_stat_database.active_time` counts. The
//!   workers of a parallel statement are not among them there, and not here either.
//! - A role that may not see what sessions of others do sees its own, and these are dbdyno's.
//! - A look is one transaction, as every statement is; the first one of a session is a Parse as well, which is another.

use engine::{ActiveSession, Look, Result, Session, Value};
use record::WaitClass;

use crate::session::PostgresSession;

/// Type and name of the wait of each session at work; both empty where it waits for nothing.
const QUESTION: &str = "select coalesce(wait_event_type, ''), coalesce(wait_event, '') \
    from pg_catalog.pg_stat_activity \
    where datname = current_database() and pid <> pg_backend_pid() \
    and state in ('active', 'fastpath function call') and backend_type = 'client backend'";

/// Whether sessions say what they do at all.
const TOLD: &str = "select 1 where current_setting('track_activities', true) is distinct from 'off'";

/// Whether the server of `session` tells what its sessions do.
///
/// # Errors
/// Where the session is lost.
pub(crate) fn is_told(session: &mut PostgresSession) -> Result<bool> {
    let is_on = session.ask_if_known(TOLD)?.is_some_and(|rows| rows.len() == 1);
    Ok(is_on && session.ask_if_known(QUESTION)?.is_some())
}

/// One look through `session`.
pub(crate) fn look(session: &mut dyn Session) -> Result<Look> {
    let question = session.prepare(QUESTION)?;
    let rows = session.query(question, &[])?;
    let active = |row: &Vec<Value<'static>>| match row.as_slice() {
        [Value::Text(kind), Value::Text(event)] => {
            let class = class(kind, event);
            let event = name(kind, event);
            (class != WaitClass::Idle).then_some(ActiveSession { class, event })
        }
        _ => None,
    };
    Ok(Look { sessions: rows.iter().filter_map(active).collect(), own_commits: 1 })
}

/// What a wait is called: as its counter, where the server times it too.
fn name(kind: &str, event: &str) -> String {
    let event_lower = event.to_ascii_lowercase();
    let begins = |beginning: &str| kind.eq_ignore_ascii_case("io") && event_lower.starts_with(beginning);
    match () {
        () if kind.is_empty() => String::new(),
        () if begins("walsync") => "wal_sync".to_owned(),
        () if begins("walwrite") => "wal_write".to_owned(),
        () if begins("datafileread") || begins("aio") => "data_read".to_owned(),
        () if begins("datafileextend") => "extend".to_owned(),
        () => format!("{kind}:{event}"),
    }
}

/// The class of a wait by its type and its name.
fn class(kind: &str, event: &str) -> WaitClass {
    let (kind, event) = (kind.to_ascii_lowercase(), event.to_ascii_lowercase());
    let begins = |beginning: &str| event.starts_with(beginning);
    match kind.as_str() {
        "" => WaitClass::Cpu,
        // The log on its way to storage, by this session, by another one that it waits for, or on a replica.
        "io" if begins("walsync") || begins("walwrite") || begins("walinit") => WaitClass::Commit,
        "lwlock" if begins("walwrite") => WaitClass::Commit,
        "ipc" if begins("syncrep") => WaitClass::Commit,
        "io" => WaitClass::UserIo,
        // Another session has the read under way.
        "ipc" if begins("bufferio") => WaitClass::UserIo,
        "lock" => WaitClass::Application,
        "lwlock" | "bufferpin" | "buffer" => WaitClass::Concurrency,
        "ipc" if begins("procarraygroup") || begins("xactgroup") => WaitClass::Concurrency,
        // A statement is open, and what comes next is up to the client: that is no time of the database.
        "client" if begins("clientread") => WaitClass::Idle,
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
    fn a_wait_has_its_class_whatever_letters_a_version_writes_it_in() {
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
    fn what_the_server_times_too_is_called_as_its_counter() {
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
            assert!(!is_counter || CounterQuery::times(&counter), "{counter} is no counter");
        }
    }
}
