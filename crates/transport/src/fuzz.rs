//! Common parts of the fuzz targets of all server engines: a server whose replies are the fuzz input, and the requests
//! to it.

use std::io::{self, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;

use engine::{Column, ColumnType, LineForm, Result, RowSink, RowSource, Session, Value};

use crate::Transport;

/// Requests to the simulated server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Questions {
    /// A login.
    Login,
    /// Statements of every kind.
    Statements,
    /// Version, capabilities, settings, counters and sessions.
    Node,
}

/// Both ends of a connection whose far end has sent `replies` and closed its side. Reads never block.
///
/// # Errors
/// As the operating system says.
pub fn replay(replies: &[u8]) -> io::Result<(Transport, UnixStream)> {
    let (near, mut far) = UnixStream::pair()?;
    near.set_nonblocking(true)?;
    far.set_nonblocking(true)?;
    far.write_all(replies)?;
    far.shutdown(Shutdown::Write)?;
    Ok((Transport::Unix(near), far))
}

/// Runs statements of every kind.
///
/// # Errors
/// The error of the first or the last of them.
pub fn ask_statements(session: &mut dyn Session) -> Result<()> {
    let statement = session.prepare("select")?;
    // The number of binds is defined by the server.
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

/// A row source of one row.
struct OneRow {
    columns: [Column; 2],
    given: bool,
}

impl Default for OneRow {
    fn default() -> OneRow {
        let column = |name: &str, kind| Column::new(name, kind);
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
