//! Entry points of the fuzz targets.

use std::io;
use std::path::Path;
use std::sync::Arc;

use engine::{Error, Kind, Result, Target, TargetError};
use record::Location;
use transport::fuzz::{ask_statements, replay};
use transport::{Deadline, Environment, Route, plain_message};

pub use transport::fuzz::Questions;

use crate::activity;
use crate::capability::Capabilities;
use crate::connect::{Login, Opened, Server};
use crate::counter::CounterQuery;
use crate::inventory::{self, ConnectionInfo};
use crate::session::PostgresSession;
use crate::wire::Wire;

/// The target of the login.
const TARGET: &str = "postgres://ann:word@%2Fnowhere/shop";

/// Asks a server of version `major`, which sends `replies` and then closes the connection.
///
/// # Errors
/// The first error.
pub fn ask(questions: Questions, major: u8, replies: &[u8]) -> Result<()> {
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
            let server = Server { version: major.to_string(), major: major.into(), ..Server::default() };
            Opened { wire, server, route: Route::default() }
        }
    };
    let mut session = PostgresSession::start(opened, login)?;
    match questions {
        Questions::Login | Questions::Statements => ask_statements(&mut session),
        Questions::Node => ask_node(&mut session),
    }
}

fn ask_node(session: &mut PostgresSession) -> Result<()> {
    let capabilities = Capabilities::of(session)?;
    let counters = CounterQuery::of_server(session)?;
    let _ = (activity::is_reported(session), activity::sample(session), counters.read(session));
    let connection = ConnectionInfo {
        location: Location::UnixSocket,
        encryption: None,
        temporary: false,
        version: session.server().version.clone(),
        nodes: 1,
        unlocked: false,
    };
    inventory::read(session, &capabilities, connection).map(drop)
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
