//! Entry points of the fuzz targets.

use std::io;
use std::path::Path;
use std::sync::Arc;

use engine::{Address, Error, Kind, Result, Target, TargetError};
use record::Location;
use transport::fuzz::{ask_statements, replay};
use transport::{Deadline, Environment, Route, plain_message};

pub use transport::fuzz::Questions;

use crate::activity::ActivityQuery;
use crate::caps::caps;
use crate::connect::{Login, Opened, Server};
use crate::counter::CounterQuery;
use crate::flavour::Flavour;
use crate::inventory::{self, ConnectionInfo};
use crate::replication::{self, Replication};
use crate::session::{MysqlSession, SessionCounts};
use crate::wire::Wire;

/// The target of the login.
const TARGET: &str = "mysql://ann:word@%2Fnowhere/shop";

/// Asks a server, MariaDB or MySQL, which sends `replies` and then closes the connection.
///
/// # Errors
/// The first error.
pub fn ask(questions: Questions, is_mariadb: bool, replies: &[u8]) -> Result<()> {
    let rejected = |error: io::Error| Error::new(Kind::Lost, plain_message(&error));
    // A closed end would reject requests.
    let (transport, _far) = replay(replies).map_err(rejected)?;
    let target: Target = TARGET.parse().map_err(|error: TargetError| Error::new(Kind::Usage, error.to_string()))?;
    let login = Arc::new(login(&target)?);
    let opened = match questions {
        Questions::Login => login.open_over(transport)?,
        Questions::Statements | Questions::Node => {
            let mut wire = Wire::new(transport, Deadline::NONE);
            wire.messages.enter_session();
            let (release, flavour) = match is_mariadb {
                true => ((11, 4), Flavour::MariaDb),
                false => ((8, 4), Flavour::MySql),
            };
            let version = format!("{}.{}", release.0, release.1);
            // As for real servers of each product.
            let server = Server { version, release, flavour, connection: 7, caches_columns: is_mariadb };
            Opened { wire, server, route: Route::default() }
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
    let activity = ActivityQuery::of(session, Some("shop"))?;
    let _ = (activity.map(|activity| activity.sample(session)), counters.read(session, counts.total()));
    let _ = replication::addresses(session, &Address { host: "h".to_owned(), port: None });
    let cluster_nodes = replication::cluster_nodes(session).ok();
    let connection =
        ConnectionInfo { location: Location::UnixSocket, encryption: None, temporary: false, cluster_nodes };
    inventory::read(session, connection).map(drop)
}

/// Completes `target` as a connection does.
///
/// # Errors
/// `Usage` errors.
pub fn complete(target: &Target) -> Result<()> {
    login(target).map(drop)
}

fn login(target: &Target) -> Result<Login> {
    Login::of(target, &Environment::of(&[], Path::new("/nowhere"), &["."]))
}
