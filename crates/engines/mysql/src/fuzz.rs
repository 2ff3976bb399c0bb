//! Entries of the fuzz targets: what others wrote, read as it is read in earnest.

use std::io;
use std::path::Path;
use std::sync::Arc;

use engine::{Address, Error, Kind, Result, Target, TargetError};
use record::Location;
use transport::fuzz::{ask_statements, speaker};
use transport::{Surroundings, Way, plain};

pub use transport::fuzz::Questions;

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
            wire.messages.trust().map_err(refused)?;
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

fn ask_node(session: &mut MysqlSession, counts: &SessionCounts) -> Result<()> {
    let server = session.server().clone();
    let _ = caps(session, &server)?;
    let replication = Replication::of(session)?;
    let counters = CounterQuery::of(&server, replication, session)?;
    let activity = ActivityQuery::of(session)?;
    let _ = (activity.map(|activity| activity.look(session)), counters.read(session, counts.total()));
    let _ = replication::addresses(session, &Address { host: "h".to_owned(), port: None });
    let cluster_nodes = replication::cluster_nodes(session).ok();
    let seen = Seen { location: Location::UnixSocket, encryption: None, temporary: false, cluster_nodes };
    inventory::read(session, seen).map(drop)
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
