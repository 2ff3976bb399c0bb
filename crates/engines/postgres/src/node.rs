//! A running server: ours for the time of the measurement, or somebody's.

mod catch_up;
mod schema;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use engine::{Caps, Error, Kind, Look, Node, ObjectForm, ObjectSession, Processes, Result, Session, Target, Workspace};
use record::EngineInventory;
use transport::{Surroundings, Way};

use self::schema::SCHEMA;
use crate::ability::{self, Abilities};
use crate::activity;
use crate::connect::{Login, SOCKET_DIRECTORIES};
use crate::counter::CounterQuery;
use crate::inventory::{self, Seen};
use crate::membership;
use crate::objects::PostgresObjects;
use crate::process;
use crate::relative::Relative;
use crate::server::{self, Cluster};
use crate::session::PostgresSession;

/// The oldest version of PostgreSQL itself that is measured.
const VERSION_MIN: u32 = 13;
/// How long another node may take to see what the first one did.
const TIMEOUT: Duration = Duration::from_secs(60);
/// How often it is asked whether it does.
const PAUSE: Duration = Duration::from_millis(20);

/// One server.
pub(crate) struct PostgresNode {
    login: Arc<Login>,
    /// What it is called beside others.
    name: String,
    /// The server that dbdyno started, if it did, and how many nodes it started.
    cluster: Option<Cluster>,
    started: u32,
    keep: bool,
    /// Whether sessions work in the schema: it was claimed here or on another node.
    in_schema: AtomicBool,
    /// Whether nothing keeps others from measuring in the same database.
    unlocked: AtomicBool,
    /// Holds the lock of the schema for as long as the node that claimed it is open.
    guard: Mutex<Option<PostgresSession>>,
    abilities: Abilities,
    counters: CounterQuery,
    /// Whether the server tells what its sessions do.
    tells_activity: bool,
    version: String,
    way: Way,
    /// The server's first process, where it is in sight.
    postmaster: Option<u32>,
    data_directory: Option<PathBuf>,
}

/// Reaches the server at `target`, or starts one in `site`.
///
/// # Errors
/// As [`engine::Engine::open`]; `Usage` where the target has several nodes.
pub(crate) fn open(target: &Target, workspace: &Workspace) -> Result<PostgresNode> {
    let mut nodes = open_all(target, workspace)?;
    match (nodes.pop(), nodes.len()) {
        (Some(node), 0) => Ok(node),
        (_, more) => Err(Error::new(Kind::Usage, format!("target {target} has {} nodes where one is due", more + 1))
            .hint("leave replicas away, or name one host")),
    }
}

/// Reaches every node of `target`, or starts them in `site`.
///
/// # Errors
/// As [`engine::Engine::open_all`].
pub(crate) fn open_all(target: &Target, workspace: &Workspace) -> Result<Vec<PostgresNode>> {
    if target.local {
        // Dropping a cluster on an error stops it.
        let clusters = server::start_all(target, workspace)?;
        let count = clusters.len() as u32;
        let open = |cluster: Cluster| PostgresNode::of(cluster.login(), Some(cluster), count, workspace.keep);
        return clusters.into_iter().map(open).collect();
    }
    let surroundings = Surroundings::here(&SOCKET_DIRECTORIES);
    let targets = membership::of(target, &surroundings)?;
    let several = targets.len() > 1;
    let open = |one: &Target| {
        let reached = Login::of(one, &surroundings).and_then(|login| PostgresNode::of(login, None, 0, workspace.keep));
        reached.map_err(|error| match one.addresses.first() {
            Some(address) if several => Error { message: format!("node {address}: {}", error.message), ..error },
            _ => error,
        })
    };
    // A node that is dropped has changed nothing yet.
    targets.iter().map(open).collect()
}

impl PostgresNode {
    fn of(login: Login, cluster: Option<Cluster>, started: u32, keep: bool) -> Result<PostgresNode> {
        let login = Arc::new(login);
        let (mut session, abilities) = first_session(&login)?;
        let (way, server) = (session.way().clone(), session.server().clone());
        let found = process::of_session(server.process, &way).map(|(_, postmaster)| postmaster);
        let postmaster = cluster.as_ref().map(|cluster| cluster.postmaster_pid).or(found);
        let data_directory = match (&cluster, postmaster) {
            (Some(cluster), _) => Some(cluster.data_directory.clone()),
            (None, Some(postmaster)) => ability::data_directory(&mut session, postmaster)?,
            (None, None) => None,
        };
        Ok(PostgresNode {
            name: cluster.as_ref().map_or_else(|| login.place.short(), |cluster| cluster.name.clone()),
            counters: CounterQuery::of_server(&mut session)?,
            tells_activity: activity::is_told(&mut session)?,
            login,
            cluster,
            started,
            keep,
            in_schema: AtomicBool::new(false),
            unlocked: AtomicBool::new(false),
            guard: Mutex::new(None),
            abilities,
            version: server.version,
            way,
            postmaster,
            data_directory,
        })
    }

    fn session(&self, schema: Option<&str>) -> Result<PostgresSession> {
        let mut session = PostgresSession::start(self.login.open(schema)?, self.login.clone())?;
        let process = process::of_session(session.server().process, session.way()).map(|(number, _)| number);
        session.set_process(process);
        if self.abilities.identified.relative != Relative::None {
            session.tolerate();
        }
        Ok(session)
    }
}

/// A session that has asked the server what it is and can do.
fn first_session(login: &Arc<Login>) -> Result<(PostgresSession, Abilities)> {
    let opened = login.open(None)?;
    let server = opened.server.clone();
    let asked = PostgresSession::start(opened, login.clone()).and_then(|mut session| {
        let abilities = Abilities::of(&mut session)?;
        Ok((session, abilities))
    });
    let is_relative = |asked: &Result<(PostgresSession, Abilities)>| {
        asked.as_ref().is_ok_and(|(_, abilities)| abilities.identified.relative != Relative::None)
    };
    if server.major >= VERSION_MIN || is_relative(&asked) {
        return asked;
    }
    let message = format!(
        "PostgreSQL {} at {} is older than {VERSION_MIN}, the oldest version that dbdyno measures",
        server.version, login.place
    );
    Err(Error::new(Kind::Usage, message).hint("measure a newer server"))
}

impl Node for PostgresNode {
    fn caps(&self) -> &Caps {
        &self.abilities.caps
    }

    fn name(&self) -> String {
        self.name.clone()
    }

    fn takes_writes(&self) -> bool {
        !self.abilities.in_recovery
    }

    fn claim(&self) -> Result<()> {
        let mut guard = self.guard.lock().unwrap_or_else(PoisonError::into_inner);
        if guard.is_some() {
            return Ok(());
        }
        let mut session = self.session(None)?;
        let locked = self.lock_schema(&mut session)?;
        self.unlocked.store(!locked, Ordering::SeqCst);
        self.make_schema(&mut session)?;
        // What it has done must not be counted into somebody's window later.
        session.publish_counters()?;
        self.in_schema.store(true, Ordering::SeqCst);
        *guard = Some(session);
        Ok(())
    }

    fn join(&self) -> Result<()> {
        let mut session = self.session(None)?;
        let begun = Instant::now();
        while !self.find_schema(&mut session)? {
            if begun.elapsed() > TIMEOUT {
                let message = format!("schema {SCHEMA} is not seen within {} s", TIMEOUT.as_secs());
                return Err(Error::new(Kind::NotOurs, message)
                    .hint("check that all nodes of the target belong to one cluster, and that its replicas replay"));
            }
            std::thread::sleep(PAUSE);
        }
        self.in_schema.store(true, Ordering::SeqCst);
        Ok(())
    }

    fn catch_up(&self, here: &mut dyn Session, first: &mut dyn Session) -> Result<()> {
        match self.abilities.in_recovery {
            true => catch_up::wait(here, first),
            // It takes part in every commit itself.
            false => Ok(()),
        }
    }

    fn connect(&self) -> Result<Box<dyn Session>> {
        let schema = self.in_schema.load(Ordering::SeqCst).then_some(SCHEMA);
        Ok(Box::new(self.session(schema)?))
    }

    fn object_session(&self, form: &ObjectForm) -> Result<Box<dyn ObjectSession>> {
        let schema = self.in_schema.load(Ordering::SeqCst).then_some(SCHEMA);
        Ok(Box::new(PostgresObjects::new(self.session(schema)?, form)?))
    }

    fn inventory(&self) -> Result<EngineInventory> {
        let seen = Seen {
            location: self.way.location(),
            encryption: self.way.encryption.clone(),
            temporary: self.cluster.is_some(),
            version: self.version.clone(),
            nodes: self.started.max(1),
            unlocked: self.unlocked.load(Ordering::SeqCst),
        };
        inventory::read(&mut self.session(None)?, &self.abilities, seen)
    }

    fn counters(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        self.counters.read(session)
    }

    fn active_sessions(&self, session: &mut dyn Session) -> Result<Option<Look>> {
        self.tells_activity.then(|| activity::look(session)).transpose()
    }

    fn settle(&self, session: &mut dyn Session) -> Result<()> {
        if !self.abilities.may_checkpoint {
            return Ok(());
        }
        match session.prepare("checkpoint") {
            Ok(checkpoint) => session.execute(checkpoint, &[]).map(|_| ()),
            // A relative that knows no such thing.
            Err(error) if self.abilities.identified.relative != Relative::None && error.kind == Kind::Statement => {
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    fn processes(&self) -> Processes {
        match self.postmaster {
            Some(postmaster) => Processes::Local(vec![postmaster]),
            None => Processes::Remote,
        }
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
        // The one that claimed the schema removes it.
        if node.keep || guard.is_none() {
            return Ok(());
        }
        let removed = node.remove_schema();
        // The lock is held until nothing is left to be measured.
        drop(guard);
        removed
    }
}
