//! What sessions are doing.
//!
//! Source: Oracle "Database Reference", `v$session`. The view of the sessions' past (`v$active_session_history`) needs the
//! Diagnostics Pack and is not read. A look changes nothing and is no commit.

use engine::{ActiveSession, Kind, Result, Session, SessionSample, Value};
use record::WaitClass;

use crate::counter;

/// Class and name of the wait of each session of the same user that runs a call; a session that does not wait is on a
/// processor, or ready for one.
pub(crate) const QUESTION: &str = "select wait_class, event, state from v$session where type = 'USER' \
    and status = 'ACTIVE' and username = sys_context('userenv', 'session_user') \
    and sid <> to_number(sys_context('userenv', 'sid'))";

/// One look through `session`; none where this user may not read the view.
pub(crate) fn sample(session: &mut dyn Session) -> Result<Option<SessionSample>> {
    let asked = session.prepare(QUESTION).and_then(|question| session.query(question, &[]));
    match asked {
        Ok(rows) => {
            Ok(Some(SessionSample { sessions: rows.iter().filter_map(|row| active(row)).collect(), own_commits: 0 }))
        }
        Err(error) if matches!(error.kind, Kind::Access | Kind::Statement) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What the session of a row of the answer does.
fn active(row: &[Value<'static>]) -> Option<ActiveSession> {
    let [class, event, Value::Text(state)] = row else { return None };
    let text = |value: &Value<'static>| match value {
        Value::Text(text) => text.clone().into_owned(),
        _ => String::new(),
    };
    if state != "WAITING" {
        return Some(ActiveSession { class: WaitClass::Cpu, event: String::new() });
    }
    let class = class_of(&text(class));
    let event = text(event);
    // As its counter is called, where there is one.
    let event = counter::name_of_wait(&event).map_or(event, str::to_owned);
    (class != WaitClass::Idle).then_some(ActiveSession { class, event })
}

/// The class that the server itself puts a wait into.
fn class_of(name: &str) -> WaitClass {
    match name {
        "User I/O" => WaitClass::UserIo,
        "System I/O" => WaitClass::SystemIo,
        "Commit" => WaitClass::Commit,
        "Concurrency" => WaitClass::Concurrency,
        "Application" => WaitClass::Application,
        "Network" => WaitClass::Network,
        "Cluster" => WaitClass::Cluster,
        "Idle" => WaitClass::Idle,
        _ => WaitClass::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(class: &str, event: &str, state: &str) -> Vec<Value<'static>> {
        [class, event, state].map(|text| Value::Text(text.to_owned().into())).to_vec()
    }

    #[test]
    fn a_session_waits_only_while_it_waits() {
        let found = active(&row("Commit", "log file sync", "WAITING")).expect("at work");
        assert_eq!((found.class, found.event.as_str()), (WaitClass::Commit, "log_sync"));
        // What it waited for last.
        let found = active(&row("Commit", "log file sync", "WAITED SHORT TIME")).expect("at work");
        assert_eq!((found.class, found.event.as_str()), (WaitClass::Cpu, ""));
        assert_eq!(active(&row("Idle", "SQL*Net message from client", "WAITING")), None);
        assert_eq!(active(&[Value::Null, Value::Null, Value::Null]), None);
        assert_eq!(
            active(&row("Configuration", "log buffer space", "WAITING")).expect("at work").class,
            WaitClass::Other
        );
    }
}
