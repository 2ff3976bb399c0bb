//! Entries of the fuzz targets: what others wrote, read as it is read in earnest.

use std::io::{self, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;

use engine::{
    Address, Column, ColumnType, Error, Kind, LineForm, Result, RowSink, RowSource, Session, Target, TargetError, Value,
};
use record::Location;
use transport::{Surroundings, Transport, Way, plain};

use crate::activity::ActivityQuery;
use crate::caps::caps;
use crate::connect::{Login, Opened, Server};
use crate::counter::CounterQuery;
use crate::flavour::Flavour;
use crate::inventory::{self, Seen};
use crate::replication::{self, Replication};
use crate::session::{MysqlSession, SessionCounts};
use crate::wire::Wire;

/// Who logs in.
const TARGET: &str = "mysql://ann:word@%2Fnowhere/shop";

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

/// Asks a server, MariaDB or MySQL, which says `said` and then ends the connection.
///
/// # Errors
/// Whatever went wrong first.
pub fn ask(questions: Questions, is_mariadb: bool, said: &[u8]) -> Result<()> {
    let refused = |error: io::Error| Error::new(Kind::Lost, plain(&error));
    // An end that is closed would refuse the questions.
    let (transport, _far) = speaker(said).map_err(refused)?;
    let target: Target = TARGET.parse().map_err(|error: TargetError| Error::new(Kind::Usage, error.to_string()))?;
    let login = Arc::new(login(&target)?);
    let opened = match questions {
        Questions::Login => login.open_over(transport)?,
        Questions::Statements | Questions::Node => {
            let mut wire = Wire::new(transport, None).map_err(refused)?;
            wire.trust().map_err(refused)?;
            let (release, flavour) = match is_mariadb {
                true => ((11, 4), Flavour::MariaDb),
                false => ((8, 4), Flavour::MySql),
            };
            let version = format!("{}.{}", release.0, release.1);
            // As the servers of each product have it.
            let server = Server { version, release, flavour, connection: 7, caches_columns: is_mariadb };
            Opened { wire, server, way: Way::default() }
        }
    };
    let counts = SessionCounts::default();
    let mut session = MysqlSession::start(opened, login, &counts)?;
    match questions {
        Questions::Login | Questions::Statements => ask_statements(&mut session),
        Questions::Node => ask_node(&mut session, &counts),
    }
}

fn ask_statements(session: &mut MysqlSession) -> Result<()> {
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

fn ask_node(session: &mut MysqlSession, counts: &SessionCounts) -> Result<()> {
    let server = session.server().clone();
    let _ = caps(session, &server)?;
    let replication = Replication::of(session)?;
    let counters = CounterQuery::of(&server, replication, session)?;
    let activity = ActivityQuery::of(session)?;
    let _ = (activity.map(|activity| activity.look(session)), counters.read(session, counts.total()));
    let _ = replication::addresses(session, &Address { host: "h".to_owned(), port: None });
    let cluster_nodes = replication::cluster_nodes(session).ok();
    let seen = Seen { location: Location::UnixSocket, encryption: None, throwaway: false, cluster_nodes };
    inventory::read(session, seen).map(drop)
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

/// Completes `target` as a connection does.
///
/// # Errors
/// The user's mistakes.
pub fn complete(target: &Target) -> Result<()> {
    login(target).map(drop)
}

fn login(target: &Target) -> Result<Login> {
    Login::of(target, &Surroundings::of(&[], Path::new("/nowhere"), &["."]))
}

/// Both ends of a connection whose far end has said everything that it will ever say. Nothing waits for it.
fn speaker(said: &[u8]) -> io::Result<(Transport, UnixStream)> {
    let (near, mut far) = UnixStream::pair()?;
    near.set_nonblocking(true)?;
    far.set_nonblocking(true)?;
    far.write_all(said)?;
    far.shutdown(Shutdown::Write)?;
    Ok((Transport::Unix(near), far))
}
