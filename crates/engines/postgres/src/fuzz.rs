//! Entries of the fuzz targets: what others wrote, read as it is read in earnest.

use std::io;
use std::path::Path;
use std::sync::Arc;

use engine::{Error, Kind, Result, Target, TargetError};
use record::Location;
use transport::fuzz::{ask_statements, speaker};
use transport::{Surroundings, Way, plain};

pub use transport::fuzz::Questions;

use crate::ability::Abilities;
use crate::activity;
use crate::connect::{Login, Opened, Server};
use crate::counter::CounterQuery;
use crate::inventory::{self, Seen};
use crate::session::PostgresSession;
use crate::wire::Wire;

/// Who logs in.
const TARGET: &str = "postgres://ann:word@%2Fnowhere/shop";

/// Asks a server of version `major`, which says `said` and then ends the connection.
///
/// # Errors
/// Whatever went wrong first.
pub fn ask(questions: Questions, major: u8, said: &[u8]) -> Result<()> {
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
            let server = Server { version: major.to_string(), major: major.into(), ..Server::default() };
            Opened { wire, server, way: Way::default() }
        }
    };
    let mut session = PostgresSession::start(opened, login)?;
    match questions {
        Questions::Login | Questions::Statements => ask_statements(&mut session),
        Questions::Node => ask_node(&mut session),
    }
}

fn ask_node(session: &mut PostgresSession) -> Result<()> {
    let abilities = Abilities::of(session)?;
    let counters = CounterQuery::of_server(session)?;
    let _ = (activity::is_told(session), activity::look(session), counters.read(session));
    let seen = Seen {
        location: Location::UnixSocket,
        encryption: None,
        temporary: false,
        version: session.server().version.clone(),
        nodes: 1,
        unlocked: false,
    };
    inventory::read(session, &abilities, seen).map(drop)
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
