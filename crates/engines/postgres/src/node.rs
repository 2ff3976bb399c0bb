//! A running server: a temporary one, or one that dbdyno did not start.

mod catch_up;
mod schema;
mod state;
mod vacuum;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{
    Caps, Error, Kind, Node, ObjectForm, ObjectSession, Processes, Result, Session, SessionSample, Target, Workspace,
};
use record::{DatabaseState, EngineInventory, SettlingStep};
use transport::{Environment, Route};

use crate::activity;
use crate::capability::{self, Capabilities};
use crate::connect::{Login, SOCKET_DIRECTORIES};
use crate::counter::CounterQuery;
use crate::dialect::USER_TABLES;
use crate::discovery;
use crate::flavour::Flavour;
use crate::inventory::{self, ConnectionInfo};
use crate::objects::PostgresObjects;
use crate::process;
use crate::server::{self, Cluster, Kept};
use crate::session::PostgresSession;

use self::state::StateQuery;

/// The schema that dbdyno works in.
const SCHEMA: &str = "dbdyno";
/// The oldest supported version of PostgreSQL.
const VERSION_MIN: u32 = 13;
/// Timeout until changes of the first node are visible on another node.
const TIMEOUT: Duration = Duration::from_secs(60);
/// Time between two checks of that.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// One server.
pub(crate) struct PostgresNode {
    login: Arc<Login>,
    /// Name among the nodes of a target.
    name: String,
    /// The server that dbdyno started, if any, and the number of started nodes.
    cluster: Option<Cluster>,
    started: u32,
    keep: bool,
    /// Whether sessions use the schema: it was claimed here or on another node.
    in_schema: AtomicBool,
    /// Whether there is no lock against another measurement in the same database.
    unlocked: AtomicBool,
    /// Holds the lock of the schema as long as the node that claimed it is open.
    guard: Mutex<Option<PostgresSession>>,
    capabilities: Capabilities,
    counters: CounterQuery,
    states: StateQuery,
    /// Whether the server reports active sessions.
    reports_activity: bool,
    version: String,
    route: Route,
    /// The postmaster process, if visible.
    postmaster: Option<u32>,
    data_directory: Option<PathBuf>,
}

/// Connects to the server at `target`, or starts one in `workspace`.
pub(crate) fn open(target: &Target, workspace: &Workspace) -> Result<PostgresNode> {
    let mut nodes = open_all(target, workspace, Kept::Primary)?;
    match (nodes.pop(), nodes.len()) {
        (Some(node), 0) => Ok(node),
        (_, more) => Err(Error::new(Kind::Usage, format!("target {target} has {} nodes, expected one", more + 1))
            .hint("omit replicas, or give one host")),
    }
}

/// Connects to every node of `target`, or starts them in `workspace`, where data are `kept`.
pub(crate) fn open_all(target: &Target, workspace: &Workspace, kept: Kept) -> Result<Vec<PostgresNode>> {
    if target.local {
        // Dropping a cluster on an error stops it.
        let clusters = server::start_all(target, workspace, kept)?;
        let count = clusters.len() as u32;
        let open = |cluster: Cluster| PostgresNode::of(cluster.login(), Some(cluster), count, workspace.keep);
        return clusters.into_iter().map(open).collect();
    }
    let environment = Environment::here(&SOCKET_DIRECTORIES);
    let targets = discovery::of(target, &environment)?;
    let several = targets.len() > 1;
    let open = |one: &Target| {
        let connected = Login::of(one, &environment).and_then(|login| PostgresNode::of(login, None, 0, workspace.keep));
        connected.map_err(|error| match one.addresses.first() {
            Some(address) if several => Error { message: format!("node {address}: {}", error.message), ..error },
            _ => error,
        })
    };
    // A dropped node has not changed anything yet.
    targets.iter().map(open).collect()
}

impl PostgresNode {
    fn of(login: Login, cluster: Option<Cluster>, started: u32, keep: bool) -> Result<PostgresNode> {
        let login = Arc::new(login);
        let (mut session, mut capabilities) = first_session(&login)?;
        // Behind a pooler a session cannot have the server process publish what it has counted.
        capabilities.caps.counts_read_commits &= !login.is_pooled;
        let (route, server) = (session.route().clone(), session.server().clone());
        let found = process::of_session(server.process, &route).map(|(_, postmaster)| postmaster);
        let postmaster = cluster.as_ref().map(|cluster| cluster.postmaster_pid).or(found);
        let data_directory = match (&cluster, postmaster) {
            (Some(cluster), _) => Some(cluster.data_directory.clone()),
            (None, Some(postmaster)) => capability::data_directory(&mut session, postmaster)?,
            (None, None) => None,
        };
        Ok(PostgresNode {
            name: cluster.as_ref().map_or_else(|| login.address.short(), |cluster| cluster.name.clone()),
            counters: CounterQuery::of_server(&mut session)?,
            states: StateQuery::of_server(&mut session, cluster.is_some())?,
            reports_activity: activity::is_reported(&mut session)?,
            login,
            cluster,
            started,
            keep,
            in_schema: AtomicBool::new(false),
            unlocked: AtomicBool::new(false),
            guard: Mutex::new(None),
            capabilities,
            version: server.version,
            route,
            postmaster,
            data_directory,
        })
    }

    fn session(&self, schema: Option<&str>) -> Result<PostgresSession> {
        let mut session = PostgresSession::start(self.login.open(schema)?, self.login.clone())?;
        let process = process::of_session(session.server().process, session.route()).map(|(number, _)| number);
        session.set_process(process);
        if self.capabilities.identity.flavour != Flavour::None {
            session.allow_missing_features();
        }
        Ok(session)
    }
}

/// The first session, which detects the capabilities.
fn first_session(login: &Arc<Login>) -> Result<(PostgresSession, Capabilities)> {
    let opened = login.open(None)?;
    let server = opened.server.clone();
    let detected = PostgresSession::start(opened, login.clone()).and_then(|mut session| {
        let capabilities = Capabilities::of(&mut session)?;
        Ok((session, capabilities))
    });
    let is_compatible = |detected: &Result<(PostgresSession, Capabilities)>| {
        detected.as_ref().is_ok_and(|(_, capabilities)| capabilities.identity.flavour != Flavour::None)
    };
    if server.major >= VERSION_MIN || is_compatible(&detected) {
        return detected;
    }
    let message = format!(
        "PostgreSQL {} at {} is older than {VERSION_MIN}, the oldest supported version",
        server.version, login.address
    );
    Err(Error::new(Kind::Usage, message).hint("use a newer server"))
}

impl Node for PostgresNode {
    fn caps(&self) -> &Caps {
        &self.capabilities.caps
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn takes_writes(&self) -> bool {
        !self.capabilities.in_recovery
    }

    fn claim(&self) -> Result<()> {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        if guard.is_some() {
            return Ok(());
        }
        let mut session = self.session(None)?;
        if self.login.is_pooled {
            // A lock would stay with a server process, and the tables are those of the user.
            self.unlocked.store(true, Ordering::SeqCst);
            *guard = Some(session);
            return Ok(());
        }
        let locked = self.lock_schema(&mut session)?;
        self.unlocked.store(!locked, Ordering::SeqCst);
        self.make_schema(&mut session)?;
        // Its work must not be counted in a later window.
        session.publish_counters()?;
        self.in_schema.store(true, Ordering::SeqCst);
        *guard = Some(session);
        Ok(())
    }

    fn claim_again(&self) -> Result<()> {
        let lost = self.guard.lock().unwrap_or_else(PoisonError::into_inner).take();
        drop(lost);
        self.claim()
    }

    fn join(&self) -> Result<()> {
        let mut session = self.session(None)?;
        let start = Instant::now();
        while !self.find_schema(&mut session)? {
            if start.elapsed() > TIMEOUT {
                let message = format!("schema {SCHEMA} is not visible within {} s", TIMEOUT.as_secs());
                return Err(Error::new(Kind::NotOurs, message)
                    .hint("check that all nodes of the target belong to one cluster, and that its replicas replay"));
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        self.in_schema.store(true, Ordering::SeqCst);
        Ok(())
    }

    fn joined_by(&self) -> Option<String> {
        // Of a server that was given, the target as it was given says more.
        self.cluster.as_ref().map(|_| self.login.target())
    }

    fn catch_up(&self, here: &mut dyn Session, first: &mut dyn Session) -> Result<()> {
        match self.capabilities.in_recovery {
            true => catch_up::wait(here, first),
            // It participates in every commit.
            false => Ok(()),
        }
    }

    fn connect(&self) -> Result<Box<dyn Session>> {
        let schema = self.in_schema.load(Ordering::SeqCst).then_some(SCHEMA);
        Ok(Box::new(self.session(schema)?))
    }

    fn user_tables(&self, _has_own: bool) -> Vec<String> {
        vec![USER_TABLES.to_owned()]
    }

    fn object_session(&self, form: &ObjectForm) -> Result<Box<dyn ObjectSession>> {
        let schema = self.in_schema.load(Ordering::SeqCst).then_some(SCHEMA);
        Ok(Box::new(PostgresObjects::new(self.session(schema)?, form)?))
    }

    fn inventory(&self) -> Result<EngineInventory> {
        let connection = ConnectionInfo {
            location: self.route.location(),
            encryption: self.route.encryption.clone(),
            temporary: self.cluster.is_some(),
            version: self.version.clone(),
            nodes: self.started.max(1),
            unlocked: self.unlocked.load(Ordering::SeqCst),
        };
        inventory::read(&mut self.session(None)?, &self.capabilities, connection)
    }

    fn counters(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        self.counters.read(session)
    }

    fn active_sessions(&self, session: &mut dyn Session) -> Result<Option<SessionSample>> {
        self.reports_activity.then(|| activity::sample(session)).transpose()
    }

    fn settle(&self, session: &mut dyn Session) -> Result<Vec<SettlingStep>> {
        let is_postgres = self.capabilities.identity.flavour == Flavour::None;
        let has_tables = is_postgres && !self.capabilities.in_recovery && self.in_schema.load(Ordering::SeqCst);
        let vacuumed = has_tables && vacuum::vacuum(session)?;
        let mut steps: Vec<SettlingStep> = vacuumed.then_some(SettlingStep::Vacuum).into_iter().collect();
        if !self.capabilities.may_checkpoint {
            return Ok(steps);
        }
        match session.prepare("checkpoint") {
            Ok(checkpoint) => session.execute(checkpoint, &[]).map(drop)?,
            // A flavour without checkpoints.
            Err(error) if !is_postgres && error.kind == Kind::Statement => return Ok(steps),
            Err(error) => return Err(error),
        }
        steps.push(SettlingStep::Checkpoint);
        Ok(steps)
    }

    /// An immediate one: it is not spread out.
    fn checkpoint(&self, session: &mut dyn Session) -> Result<Option<u64>> {
        if !self.capabilities.may_checkpoint || self.capabilities.identity.flavour != Flavour::None {
            return Ok(None);
        }
        session.batch("checkpoint").map(|()| Some(1))
    }

    fn state(&self, session: &mut dyn Session) -> Result<DatabaseState> {
        self.states.read(session)
    }

    fn processes(&self) -> Processes {
        match self.postmaster {
            Some(postmaster) => Processes::Local(vec![postmaster]),
            None => Processes::Remote,
        }
    }

    fn port(&self) -> Option<u16> {
        self.route.peer.map(|peer| peer.port())
    }

    fn data_directory(&self) -> Option<&Path> {
        self.data_directory.as_deref()
    }

    fn close(self: Box<Self>) -> Result<()> {
        let mut node = *self;
        let guard = node.guard.get_mut().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(cluster) = node.cluster {
            return cluster.stop(node.keep);
        }
        // The node that claimed the schema removes it.
        if node.keep || node.login.is_pooled || guard.is_none() {
            return Ok(());
        }
        let removed = node.remove_schema();
        // The lock is held until the schema is removed.
        drop(guard);
        removed
    }
}
