//! Sampling of active sessions.
//!
//! Sources: MariaDB and MySQL manuals, "PROCESSLIST", "General Thread States", "Innodb_row_lock_current_waits",
//! "events_waits_current".
//!
//! - Sessions of the same user that run a statement in the database of dbdyno, or in that of the target, where scripts work.
//! - The process list has the state of a session, but not whether it waits for a row lock. InnoDB reports the number of
//!   row lock waits, and as many of the sessions without another wait are marked as waiting. On a shared server some of
//!   these waits may belong to other sessions. (InnoDB's list of transactions has the state of each, but its cache is
//!   not refreshed if it is read more than ten times a second.)
//! - If the performance schema collects current waits, their names are used. By default it is off in MariaDB, and on
//!   without current waits in MySQL.
//! - No table is accessed, so that a sample is not a commit.

use engine::{ActiveSession, Kind, Result, Session, SessionSample, Value};
use record::WaitClass;

use crate::dialect::literal;

/// Name of a row lock wait: that of its counter.
const ROW_LOCK: &str = "row_lock_wait";

/// Number of sessions that wait for row locks.
const ROW_LOCK_WAITS: &str = "show global status like 'Innodb_row_lock_current_waits'";

/// Process lists, by version.
const PROCESSES: [&str; 2] = ["information_schema.processlist", "performance_schema.processlist"];

/// Joins for the current wait of a session.
const WAITS: &str = " left join performance_schema.threads h on h.processlist_id = p.id \
    left join performance_schema.events_waits_current w on w.thread_id = h.thread_id and w.end_event_id is null";

/// Whether the performance schema collects current waits.
const WAITS_COLLECTED: &str = "select 1 from performance_schema.setup_consumers \
    where name in ('events_waits_current', 'thread_instrumentation', 'global_instrumentation') and enabled = 'YES' \
    having count(*) = 3";

/// The query for active sessions.
pub(crate) struct ActivityQuery {
    sql: String,
}

impl ActivityQuery {
    /// The most detailed query that this user may run for sessions in the database of `session`, or in `database`; `None` if there
    /// is none.
    pub(crate) fn of(session: &mut dyn Session, database: Option<&str>) -> Result<Option<ActivityQuery>> {
        let collects_waits = rows_if_permitted(session, WAITS_COLLECTED)?.is_some_and(|rows| rows.len() == 1);
        for waits in [true, false] {
            for processes in PROCESSES {
                let sql = activity_sql(processes, waits, database);
                if (!waits || collects_waits) && rows_if_permitted(session, &sql)?.is_some() {
                    return Ok(Some(ActivityQuery { sql }));
                }
            }
        }
        Ok(None)
    }

    /// One sample, taken by `session`.
    pub(crate) fn sample(&self, session: &mut dyn Session) -> Result<SessionSample> {
        let statement = session.prepare(&self.sql)?;
        let rows = session.query(statement, &[])?;
        let mut sessions: Vec<ActiveSession> = rows.iter().filter_map(|row| active(row)).collect();
        if sessions.iter().any(|session| session.class == WaitClass::Cpu) {
            let statement = session.prepare(ROW_LOCK_WAITS)?;
            mark_row_lock_waits(&mut sessions, number(&session.query(statement, &[])?));
        }
        Ok(SessionSample { sessions, own_commits: 0 })
    }
}

/// A query for state and wait of active sessions.
fn activity_sql(processes: &str, waits: bool, database: Option<&str>) -> String {
    let of_target = database.map_or_else(String::new, |name| format!(" or p.db = {}", literal(name)));
    let (wait, of_waits) =
        if waits { ("coalesce(w.event_name, ''), coalesce(w.operation, '')", WAITS) } else { ("'', ''", "") };
    format!(
        "select coalesce(p.state, ''), {wait} from {processes} p{of_waits} \
         where p.id <> connection_id() and p.user = substring_index(user(), '@', 1) and (p.db <=> database(){of_target}) \
         and p.command in ('Query', 'Execute', 'Prepare', 'Fetch', 'Long Data', 'Close stmt', 'Reset stmt')"
    )
}

/// The rows of `sql`; `None` if this user may not run it, or this server does not support it.
fn rows_if_permitted(session: &mut dyn Session, sql: &str) -> Result<Option<Vec<Vec<Value<'static>>>>> {
    let response = session.prepare(sql).and_then(|statement| session.query(statement, &[]));
    match response {
        Ok(rows) => Ok(Some(rows)),
        Err(error) if matches!(error.kind, Kind::Access | Kind::Statement | Kind::Step(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The value of a numeric status variable; 0 if it is missing.
fn number(rows: &[Vec<Value<'static>>]) -> usize {
    match rows.first().map(Vec::as_slice) {
        Some([_, Value::Text(text)]) => text.parse().unwrap_or(0),
        _ => 0,
    }
}

/// Marks `count` of the sessions without another wait as waiting for row locks.
fn mark_row_lock_waits(sessions: &mut [ActiveSession], count: usize) {
    let working = sessions.iter_mut().filter(|session| session.class == WaitClass::Cpu);
    for session in working.take(count) {
        *session = ActiveSession { class: WaitClass::Application, event: ROW_LOCK.to_owned() };
    }
}

/// The session of a result row.
fn active(row: &[Value<'static>]) -> Option<ActiveSession> {
    let [Value::Text(state), Value::Text(wait), Value::Text(operation)] = row else { return None };
    let of_wait = class_of_wait(wait);
    if of_wait != WaitClass::Cpu {
        return (of_wait != WaitClass::Idle)
            .then(|| ActiveSession { class: of_wait, event: name_of_wait(wait, operation) });
    }
    let class = class_of_state(state);
    let event = if class == WaitClass::Cpu { String::new() } else { state.clone().into_owned() };
    Some(ActiveSession { class, event })
}

/// Name of a wait of the performance schema: that of the counter for its operation, if there is one.
fn name_of_wait(event: &str, operation: &str) -> String {
    let known = match (event, operation) {
        ("wait/io/file/innodb/innodb_data_file", "read") => "data_file_read",
        ("wait/io/file/innodb/innodb_data_file", "write") => "data_file_write",
        ("wait/io/file/innodb/innodb_log_file", "sync") => "log_sync",
        _ => event,
    };
    known.to_owned()
}

/// Class of a wait of the performance schema.
fn class_of_wait(event: &str) -> WaitClass {
    let is_of = |part: &str| event.contains(part);
    match event.strip_prefix("wait/") {
        _ if event == "idle" => WaitClass::Idle,
        None => WaitClass::Cpu,
        Some(_) if is_of("innodb_log_file") || is_of("binlog") || is_of("BIN_LOG") => WaitClass::Commit,
        Some(rest) if rest.starts_with("io/file/") => WaitClass::UserIo,
        Some(rest) if rest.starts_with("io/socket/") => WaitClass::Network,
        Some(rest) if rest.starts_with("lock/") => WaitClass::Application,
        Some(rest) if rest.starts_with("synch/") && (is_of("wsrep") || is_of("galera")) => WaitClass::Cluster,
        Some(rest) if rest.starts_with("synch/") => WaitClass::Concurrency,
        // `io/table`: work of the storage engine of any kind.
        Some(_) => WaitClass::Cpu,
    }
}

/// Class of a session state.
fn class_of_state(state: &str) -> WaitClass {
    let state = state.to_ascii_lowercase();
    let (is_of, starts_with) = (|part: &str| state.contains(part), |prefix: &str| state.starts_with(prefix));
    if is_of("wsrep") || is_of("certif") || is_of("replicat") {
        WaitClass::Cluster
    } else if starts_with("commit") || is_of("binlog") || is_of("prior transaction to commit") || is_of("semi-sync") {
        WaitClass::Commit
    } else if starts_with("waiting for") && is_of("lock") || starts_with("user lock") || starts_with("system lock") {
        WaitClass::Application
    } else if starts_with("reading from net") || starts_with("receiving from client") {
        // Waits for the client: this is not database time.
        WaitClass::Idle
    } else if is_of("net") && starts_with("writing") || is_of("client") {
        WaitClass::Network
    } else if starts_with("waiting") || starts_with("user sleep") {
        WaitClass::Other
    } else {
        WaitClass::Cpu
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(state: &str, wait: &str) -> Vec<Value<'static>> {
        [state, wait, "read"].map(|text| Value::Text(text.to_owned().into())).to_vec()
    }

    #[test]
    fn a_state_has_its_class() {
        for (state, expected) in [
            ("", WaitClass::Cpu),
            ("Updating", WaitClass::Cpu),
            ("Sending data", WaitClass::Cpu),
            ("Commit", WaitClass::Commit),
            ("Waiting for prior transaction to commit", WaitClass::Commit),
            ("Waiting for table metadata lock", WaitClass::Application),
            ("Waiting for table level lock", WaitClass::Application),
            ("User lock", WaitClass::Application),
            ("Reading from net", WaitClass::Idle),
            ("Receiving from client", WaitClass::Idle),
            ("Writing to net", WaitClass::Network),
            ("Sending to client", WaitClass::Network),
            ("Waiting for certification", WaitClass::Cluster),
            ("User sleep", WaitClass::Other),
        ] {
            assert_eq!(class_of_state(state), expected, "{state}");
        }
    }

    #[test]
    fn a_wait_has_its_class() {
        for (event, expected) in [
            ("", WaitClass::Cpu),
            ("idle", WaitClass::Idle),
            ("wait/io/file/innodb/innodb_log_file", WaitClass::Commit),
            ("wait/io/file/sql/binlog", WaitClass::Commit),
            ("wait/synch/cond/sql/MYSQL_BIN_LOG::COND_done", WaitClass::Commit),
            ("wait/io/file/innodb/innodb_data_file", WaitClass::UserIo),
            ("wait/io/socket/sql/client_connection", WaitClass::Network),
            ("wait/io/table/sql/handler", WaitClass::Cpu),
            ("wait/lock/metadata/sql/mdl", WaitClass::Application),
            ("wait/synch/mutex/innodb/buf_pool_mutex", WaitClass::Concurrency),
        ] {
            assert_eq!(class_of_wait(event), expected, "{event}");
        }
    }

    #[test]
    fn a_wait_takes_precedence_over_a_state() {
        let found = active(&row("Updating", "wait/io/file/innodb/innodb_data_file")).expect("at work");
        assert_eq!((found.class, found.event.as_str()), (WaitClass::UserIo, "data_file_read"),);
        let found = active(&row("Updating", "wait/io/table/sql/handler")).expect("at work");
        assert_eq!((found.class, found.event.as_str()), (WaitClass::Cpu, ""));
        assert_eq!(active(&row("", "idle")), None);
        assert_eq!(active(&[Value::Null]), None);
    }

    #[test]
    fn row_lock_waits_are_assigned_to_sessions_without_another_wait() {
        let mut sessions: Vec<ActiveSession> =
            ["Updating", "Commit", "Updating"].iter().filter_map(|state| active(&row(state, ""))).collect();
        mark_row_lock_waits(&mut sessions, 1);
        let classes: Vec<WaitClass> = sessions.iter().map(|session| session.class).collect();
        assert_eq!(classes, [WaitClass::Application, WaitClass::Commit, WaitClass::Cpu]);
        mark_row_lock_waits(&mut sessions, 9);
        assert_eq!(sessions.iter().filter(|session| session.event == ROW_LOCK).count(), 2);
        let status = |value: &str| {
            vec![vec![Value::Text("Innodb_row_lock_current_waits".into()), Value::Text(value.to_owned().into())]]
        };
        assert_eq!((number(&status("7")), number(&status("-1")), number(&[])), (7, 0, 0));
    }
}
