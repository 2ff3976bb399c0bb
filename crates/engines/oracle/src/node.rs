//! A running server: somebody's.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use engine::{Address, Caps, Error, Kind, Node, Processes, Result, Session, SessionSample, Target, Value, Workspace};
use record::{EngineInventory, Location, SettlingStep};

use crate::activity;
use crate::connect::{Login, Route};
use crate::counter::CounterQuery;
use crate::inventory::{self, Seen};
use crate::schema::{self, Found, SCHEMA};
use crate::session::OracleSession;

/// What an edition and its options can do.
pub(crate) const OPTIONS_QUESTION: &str = "select parameter, value from v$option \
     where parameter in ('Parallel execution', 'Basic Compression', 'Partitioning')";

/// Writes every changed block.
pub(crate) const CHECKPOINT: &str = "alter system checkpoint";

/// One instance.
pub(crate) struct OracleNode {
    login: Arc<Login>,
    route: Route,
    keep: bool,
    claimed: AtomicBool,
    /// Holds the schema for as long as the node is open, and knows whether dbdyno made the user.
    guard: Mutex<Option<(OracleSession, bool)>>,
    caps: Caps,
    counters: CounterQuery,
}

/// Reaches the server at `target`.
pub(crate) fn open(target: &Target, workspace: &Workspace) -> Result<OracleNode> {
    let login = Arc::new(Login::of(target, &|name| std::env::var(name).ok())?);
    let route = login.probe()?;
    let mut session = OracleSession::start(&login, None)?;
    if let Some(disks) = login.calibration_disks {
        session.batch(&inventory::calibration(disks)).map_err(|error| {
            let message = format!("the server does not calibrate its storage: {}", error.message);
            Error { message, ..error }
                .hint("it needs SYSDBA, timed_statistics and asynchronous I/O; or leave calibrate_io out")
        })?;
    }
    let caps = caps(&mut session)?;
    let counters = CounterQuery::of(&mut session)?;
    Ok(OracleNode {
        login,
        route,
        keep: workspace.keep,
        claimed: AtomicBool::new(false),
        guard: Mutex::new(None),
        caps,
        counters,
    })
}

impl OracleNode {
    fn session(&self) -> Result<OracleSession> {
        OracleSession::start(&self.login, self.claimed.load(Ordering::SeqCst).then_some(SCHEMA))
    }

    fn location(&self) -> Location {
        let Route { peer, own } = self.route;
        if peer.ip().is_loopback() || peer.ip() == own.ip() { Location::LocalTcp } else { Location::Remote }
    }
}

impl Node for OracleNode {
    fn caps(&self) -> &Caps {
        &self.caps
    }

    fn name(&self) -> String {
        self.login.addresses.first().map_or_else(String::new, |server| {
            Address { host: server.host.clone(), port: Some(server.port) }.to_string()
        })
    }

    fn claim(&self) -> Result<()> {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        if guard.is_some() {
            return Ok(());
        }
        let mut session = self.session()?;
        let is_our_user = schema::make(&mut session, self.login.tablespace.as_deref())?;
        schema::hold(&mut session)?;
        self.claimed.store(true, Ordering::SeqCst);
        *guard = Some((session, is_our_user));
        Ok(())
    }

    fn claim_again(&self) -> Result<()> {
        let lost = self.guard.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(lost);
        self.claim()
    }

    /// Instances of a cluster share one dictionary, so that there is nothing to wait for.
    fn join(&self) -> Result<()> {
        match schema::find(&mut self.session()?)? {
            Found::OurUser | Found::OurTables => {
                self.claimed.store(true, Ordering::SeqCst);
                Ok(())
            }
            Found::Nothing | Found::Empty => {
                let message = format!("the schema {SCHEMA} of the first node is not seen at {}", self.login.shown);
                Err(Error::new(Kind::NotOurs, message).hint("name instances of one and the same database"))
            }
        }
    }

    fn connect(&self) -> Result<Box<dyn Session>> {
        Ok(Box::new(self.session()?))
    }

    fn inventory(&self) -> Result<EngineInventory> {
        let encrypted = self.login.addresses.iter().any(|server| server.encrypted);
        inventory::read(&mut self.session()?, &Seen { location: self.location(), encrypted })
    }

    fn counters(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        Ok((self.counters.read(session)?, 0))
    }

    fn active_sessions(&self, session: &mut dyn Session) -> Result<Option<SessionSample>> {
        activity::sample(session)
    }

    /// A user that may not do that measures a server as it is.
    fn settle(&self, session: &mut dyn Session) -> Result<Vec<SettlingStep>> {
        match session.batch(CHECKPOINT) {
            Err(error) if error.kind == Kind::Access => Ok(Vec::new()),
            outcome => outcome.map(|()| vec![SettlingStep::Checkpoint]),
        }
    }

    fn processes(&self) -> Processes {
        Processes::Remote
    }

    fn port(&self) -> Option<u16> {
        Some(self.route.peer.port())
    }

    fn data_directory(&self) -> Option<&Path> {
        None
    }

    fn close(self: Box<Self>) -> Result<()> {
        let guard = self.guard.into_inner().unwrap_or_else(PoisonError::into_inner);
        let Some((mut session, is_our_user)) = guard else { return Ok(()) };
        if self.keep {
            return Ok(());
        }
        schema::remove(&mut session, is_our_user)
    }
}

/// What the server can do, by its edition and options.
fn caps(session: &mut OracleSession) -> Result<Caps> {
    let options = session.ask(OPTIONS_QUESTION)?;
    let has = |option: &str| {
        options.iter().any(|row| match row.as_slice() {
            [Value::Text(name), Value::Text(value)] => name == option && value == "TRUE",
            _ => false,
        })
    };
    Ok(Caps {
        procedures: true,
        decimal: true,
        table_compression: has("Basic Compression"),
        partitions: has("Partitioning"),
        lines: false,
        parallel_query: has("Parallel execution"),
        parallel_index: has("Parallel execution"),
        column_names: false,
        limit_clause: false,
        json: false,
        large_values: false,
        concurrent_writers: true,
        counts_read_commits: false,
        counts_procedure_commits: false,
        answers: true,
    })
}
