//! What the fuzz targets of all engines that are servers do: a server that says what stands in a text, and what it is asked.

use std::io::{self, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use engine::{Column, ColumnType, LineForm, Result, RowSink, RowSource, Session, Value};

use crate::Transport;

/// What is asked of a server that says what stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Questions {
    /// To be let in.
    Login,
    /// Statements of every kind.
    Statements,
    /// What it is and can do, its settings, counters and sessions.
    Node,
}

/// Both ends of a connection whose far end has said everything that it will ever say. Nothing waits for it.
///
/// # Errors
/// As the operating system says.
pub fn speaker(said: &[u8]) -> io::Result<(Transport, UnixStream)> {
    let (near, mut far) = UnixStream::pair()?;
    near.set_nonblocking(true)?;
    far.set_nonblocking(true)?;
    far.write_all(said)?;
    far.shutdown(Shutdown::Write)?;
    Ok((Transport::Unix(near), far))
}

/// Asks for statements of every kind.
///
/// # Errors
/// Whatever went wrong first, in the first and the last of them.
pub fn ask_statements(session: &mut dyn Session) -> Result<()> {
    let statement = session.prepare("select")?;
    // As many binds as the server wants, which it alone knows.
    for binds in [&[][..], &[Value::Int(1)], &[Value::Text("x".into()), Value::Null]] {
        let _ = (session.execute(statement, binds), session.query(statement, binds));
    }
    let _ = (session.batch("select 1; select 2"), session.begin());
    let _ = session.append("t", &mut OneRow::default());
    let form = LineForm { columns: vec!["a".to_owned()], separator: b'|', ends_with_separator: false };
    let _ = session.append_lines("t", &form, b"1\n2\n");
    let _ = (session.defer_durability(), session.commit());
    session.bulk("t", &mut OneRow::default()).map(drop)
}

/// A load of one row.
struct OneRow {
    columns: [Column; 2],
    given: bool,
}

impl Default for OneRow {
    fn default() -> OneRow {
        let column = |name: &str, kind| Column { name: name.to_owned(), kind };
        OneRow { columns: [column("a", ColumnType::Int), column("b", ColumnType::Text { size: 9 })], given: false }
    }
}

impl RowSource for OneRow {
    fn columns(&self) -> &[Column] {
        &self.columns
    }

    fn next(&mut self, sink: &mut dyn RowSink) -> bool {
        let first = !std::mem::replace(&mut self.given, true);
        if first {
            sink.int(1);
            sink.text("x");
        }
        first
    }
}
