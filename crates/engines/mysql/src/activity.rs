//! What sessions are doing.
//!
//! Sources: MariaDB and MySQL manuals, "PROCESSLIST", "General Thread States", "Innodb_row_lock_current_waits",
//! "events_waits_current".
//!
//! - Sessions of the same user in the same database that run a statement.
//! - The list of processes says what a session is at, and not whether it waits for a row. How many do at this moment InnoDB
//!   says, and so many of those that seem to work are told to wait. On a server of somebody else's some of these waits may
//!   be of others. (InnoDB's list of transactions says of each whether it waits, and is no source: it is not made anew
//!   while it is read more often than ten times a second.)
//! - Where the performance schema keeps current waits, their names tell more. MariaDB has it off, and MySQL on without
//!   current waits, unless somebody switched them on.
//! - Nothing here is a table, so that a look is no commit.

use engine::{ActiveSession, Kind, Look, Result, Session, Value};
use record::WaitClass;

/// What a session waits for that waits for a row: as the counter of such waits is called.
const ROW_LOCK: &str = "row_lock_wait";

/// How many sessions wait for rows.
const ROW_LOCK_WAITS: &str = "show global status like 'Innodb_row_lock_current_waits'";

/// Where the server lists its sessions, by version.
const PROCESSES: [&str; 2] = ["information_schema.processlist", "performance_schema.processlist"];

/// What a session waits for now.
const WAITS: &str = " left join performance_schema.threads h on h.processlist_id = p.id \
    left join performance_schema.events_waits_current w on w.thread_id = h.thread_id and w.end_event_id is null";

/// Whether the performance schema keeps that.
const KEPT: &str = "select 1 from performance_schema.setup_consumers \
    where name in ('events_waits_current', 'thread_instrumentation', 'global_instrumentation') and enabled = 'YES' \
    having count(*) = 3";

/// The statement that asks what sessions do.
pub(crate) struct ActivityQuery {
    sql: String,
}

impl ActivityQuery {
    /// The one that tells most of what this user may ask in `session`; none where it may ask nothing.
    ///
    /// # Errors
    /// Where the session is lost.
    pub(crate) fn of(session: &mut dyn Session) -> Result<Option<ActivityQuery>> {
        let keeps_waits = asked(session, KEPT)?.is_some_and(|rows| rows.len() == 1);
        for waits in [true, false] {
            for processes in PROCESSES {
                let sql = question(processes, waits);
                if (!waits || keeps_waits) && asked(session, &sql)?.is_some() {
                    return Ok(Some(ActivityQuery { sql }));
                }
            }
        }
        Ok(None)
    }

    /// One look through `session`.
    pub(crate) fn look(&self, session: &mut dyn Session) -> Result<Look> {
        let question = session.prepare(&self.sql)?;
        let rows = session.query(question, &[])?;
        let mut sessions: Vec<ActiveSession> = rows.iter().filter_map(|row| active(row)).collect();
        if sessions.iter().any(|session| session.class == WaitClass::Cpu) {
            let question = session.prepare(ROW_LOCK_WAITS)?;
            put_to_wait(&mut sessions, number(&session.query(question, &[])?));
        }
        Ok(Look { sessions, own_commits: 0 })
    }
}

/// What a session is at, and what it waits for.
fn question(processes: &str, waits: bool) -> String {
    let (wait, of_waits) =
        if waits { ("coalesce(w.event_name, ''), coalesce(w.operation, '')", WAITS) } else { ("'', ''", "") };
    format!(
        "select coalesce(p.state, ''), {wait} from {processes} p{of_waits} \
         where p.id <> connection_id() and p.user = substring_index(user(), '@', 1) and p.db <=> database() \
         and p.command in ('Query', 'Execute', 'Prepare', 'Fetch', 'Long Data', 'Close stmt', 'Reset stmt')"
    )
}

/// The answer to `sql`; none where this user may not ask, or this server does not know what is asked.
fn asked(session: &mut dyn Session, sql: &str) -> Result<Option<Vec<Vec<Value<'static>>>>> {
    let answer = session.prepare(sql).and_then(|statement| session.query(statement, &[]));
    match answer {
        Ok(rows) => Ok(Some(rows)),
        Err(error) if matches!(error.kind, Kind::Access | Kind::Statement | Kind::Step(_)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The value of a status variable that is a number; 0 where it is not there.
fn number(rows: &[Vec<Value<'static>>]) -> usize {
    match rows.first().map(Vec::as_slice) {
        Some([_, Value::Text(text)]) => text.parse().unwrap_or(0),
        _ => 0,
    }
}

/// So many of the sessions that seem to work wait for a row.
fn put_to_wait(sessions: &mut [ActiveSession], count: usize) {
    let working = sessions.iter_mut().filter(|session| session.class == WaitClass::Cpu);
    for session in working.take(count) {
        *session = ActiveSession { class: WaitClass::Application, event: ROW_LOCK.to_owned() };
    }
}

/// What the session of a row of the answer does.
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

/// What a wait of the performance schema is called: as its counter, where there is one of its operation.
fn name_of_wait(event: &str, operation: &str) -> String {
    let known = match (event, operation) {
        ("wait/io/file/innodb/innodb_data_file", "read") => "data_file_read",
        ("wait/io/file/innodb/innodb_data_file", "write") => "data_file_write",
        ("wait/io/file/innodb/innodb_log_file", "sync") => "log_sync",
        _ => event,
    };
    known.to_owned()
}

/// The class of a wait of the performance schema.
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
        // `io/table`: the storage engine at work, whatever it does.
        Some(_) => WaitClass::Cpu,
    }
}

/// The class of what a session is at.
fn class_of_state(state: &str) -> WaitClass {
    let state = state.to_ascii_lowercase();
    let (is_of, begins) = (|part: &str| state.contains(part), |beginning: &str| state.starts_with(beginning));
    if is_of("wsrep") || is_of("certif") || is_of("replicat") {
        WaitClass::Cluster
    } else if begins("commit") || is_of("binlog") || is_of("prior transaction to commit") || is_of("semi-sync") {
        WaitClass::Commit
    } else if begins("waiting for") && is_of("lock") || begins("user lock") || begins("system lock") {
        WaitClass::Application
    } else if begins("reading from net") || begins("receiving from client") {
        // What comes next is up to the client: that is no time of the database.
        WaitClass::Idle
    } else if is_of("net") && begins("writing") || is_of("client") {
        WaitClass::Network
    } else if begins("waiting") || begins("user sleep") {
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
    fn the_more_exact_source_comes_first() {
        let found = active(&row("Updating", "wait/io/file/innodb/innodb_data_file")).expect("at work");
        assert_eq!((found.class, found.event.as_str()), (WaitClass::UserIo, "data_file_read"),);
        let found = active(&row("Updating", "wait/io/table/sql/handler")).expect("at work");
        assert_eq!((found.class, found.event.as_str()), (WaitClass::Cpu, ""));
        assert_eq!(active(&row("", "idle")), None);
        assert_eq!(active(&[Value::Null]), None);
    }

    #[test]
    fn as_many_wait_for_rows_as_the_server_says_and_nobody_who_waits_for_something_else() {
        let mut sessions: Vec<ActiveSession> =
            ["Updating", "Commit", "Updating"].iter().filter_map(|state| active(&row(state, ""))).collect();
        put_to_wait(&mut sessions, 1);
        let classes: Vec<WaitClass> = sessions.iter().map(|session| session.class).collect();
        assert_eq!(classes, [WaitClass::Application, WaitClass::Commit, WaitClass::Cpu]);
        put_to_wait(&mut sessions, 9);
        assert_eq!(sessions.iter().filter(|session| session.event == ROW_LOCK).count(), 2);
        let status = |value: &str| {
            vec![vec![Value::Text("Innodb_row_lock_current_waits".into()), Value::Text(value.to_owned().into())]]
        };
        assert_eq!((number(&status("7")), number(&status("-1")), number(&[])), (7, 0, 0));
    }
}
