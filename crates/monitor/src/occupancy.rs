//! Sessions and size of a server that is watched, where its engine has a statement that tells them.

use engine::{Engine, Session, Value};

use crate::table::statement_file;

/// Sessions at one moment, without the one that asks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SessionCount {
    pub connected: f64,
    /// Those in a statement.
    pub active: f64,
}

/// The statements that tell them. One that the server refuses is not sent again.
#[derive(Debug)]
pub(crate) struct Occupancy {
    sessions: Option<&'static str>,
    size: Option<&'static str>,
}

impl Occupancy {
    pub(crate) fn of(engine: &dyn Engine) -> Occupancy {
        Occupancy { sessions: statement_file(engine, "M100.sessions"), size: statement_file(engine, "M100.size") }
    }

    /// The sessions; absent where the server does not tell them.
    pub(crate) fn sessions(&mut self, session: &mut dyn Session) -> Option<SessionCount> {
        let found = numbers(session, self.sessions?);
        let [connected, active] = found.unwrap_or_default()[..] else {
            self.sessions = None;
            return None;
        };
        Some(SessionCount { connected: (connected - 1.0).max(0.0), active: (active - 1.0).max(0.0) })
    }

    /// Bytes on disk; absent where the server does not tell them.
    pub(crate) fn size_bytes(&mut self, session: &mut dyn Session) -> Option<u64> {
        let found = numbers(session, self.size?);
        let [size] = found.unwrap_or_default()[..] else {
            self.size = None;
            return None;
        };
        (size > 0.0).then_some(size as u64)
    }

    /// Whether a reading of sessions is a transaction of the engine: a query is, and what only shows its status is not.
    pub(crate) fn is_transaction(&self) -> bool {
        self.sessions.is_some_and(|sql| sql.lines().any(|line| line.trim_start().starts_with("select")))
    }
}

/// The numbers that `sql` answers, row by row; absent where it is refused.
fn numbers(session: &mut dyn Session, sql: &str) -> Option<Vec<f64>> {
    let statement = session.prepare(sql).ok()?;
    let rows = session.query(statement, &[]).ok()?;
    let number = |value: Value<'static>| match value {
        Value::Int(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        Value::Decimal(text) | Value::Text(text) => text.parse().ok(),
        Value::Null => None,
    };
    Some(rows.into_iter().flatten().filter_map(number).collect())
}
