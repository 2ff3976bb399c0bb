//! An engine, and a node of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use record::{Bytes, DataReads, EngineInventory};

use crate::{Address, Caps, Dialect, Error, Kind, Look, ObjectForm, ObjectSession, Result, Session, Target};

/// A statement that this engine says in its own words: the file `sql/<code>.<statement>.sql`.
#[derive(Clone, Copy, Debug)]
pub struct StatementFile {
    /// File name without the ending: `T131.work`.
    pub name: &'static str,
    /// The statement (or, for a statement of set-up, several).
    pub sql: &'static str,
}

/// The list of an engine's [`StatementFile`]s, by their names: each is the file `../sql/NAME.sql` beside the source file that
/// lists it.
#[macro_export]
macro_rules! statement_files {
    ($($name:literal)*) => {
        &[$($crate::StatementFile { name: $name, sql: include_str!(concat!("../sql/", $name, ".sql")) }),*]
    };
}

/// Where on this host an engine may put its files, and how it is to behave.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The measured directory: exists, belongs to dbdyno.
    pub directory: PathBuf,
    /// Whether the database is to stay when the node is closed.
    pub keep: bool,
    /// Size of the buffer cache that the plan counts on; an engine that dbdyno does not start has its own.
    pub cache_bytes: Option<Bytes>,
    /// Sessions that will be open at the same time, at most.
    pub sessions_max: u32,
}

/// The processes in which an engine works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Processes {
    /// In this one: its processor time cannot be told from ours.
    InProcess,
    /// In the process tree below these, on this host.
    Local(Vec<u32>),
    /// Out of sight.
    Remote,
}

/// A database engine: what is known before a connection is made.
pub trait Engine: Sync {
    /// Short name, as in a target (`local:NAME`).
    fn name(&self) -> &'static str;

    /// Name as its makers write it.
    fn title(&self) -> &'static str;

    /// One line for `dbdyno list engines`: what it is measured through, and what was tested.
    fn summary(&self) -> &'static str;

    /// URL schemes of a target that mean this engine.
    fn schemes(&self) -> &'static [&'static str];

    /// Its words.
    fn dialect(&self) -> &'static Dialect;

    /// The statements that it says in its own words.
    fn statement_files(&self) -> &'static [StatementFile];

    /// The forms in which it keeps files that are written and read piece by piece; a clause that says why where it has
    /// none.
    fn object_forms(&self) -> std::result::Result<&'static [ObjectForm], &'static str> {
        Err("keeps no files that are written and read piece by piece")
    }

    /// Reaches the engine at `target`, starting a temporary server in `site` where the target is a local one.
    /// Changes nothing in a database that exists.
    ///
    /// # Errors
    /// `Unreachable`, `Access`, `Missing`, `Usage`, `Space`.
    fn open(&self, target: &Target, workspace: &Workspace) -> Result<Box<dyn Node>>;

    /// Reaches every node that `target` names, as [`Engine::open`] reaches one; at least one, in no order that
    /// matters. All of them are nodes of one database: what is committed on one can be read on all, sooner or later.
    /// Where one is not to be had, none stays open.
    ///
    /// # Errors
    /// As for [`Engine::open`]; with more than one node the error says of which.
    fn open_all(&self, target: &Target, workspace: &Workspace) -> Result<Vec<Box<dyn Node>>> {
        if target.addresses.len() < 2 {
            return Ok(vec![self.open(target, workspace)?]);
        }
        let twice = |(index, address): &(usize, &Address)| target.addresses[..*index].contains(address);
        if let Some((_, address)) = target.addresses.iter().enumerate().find(twice) {
            let error = Error::new(Kind::Usage, format!("node {address} stands twice in {target}"));
            return Err(error.hint("name each node once"));
        }
        let mut nodes: Vec<Box<dyn Node>> = Vec::with_capacity(target.addresses.len());
        for address in &target.addresses {
            let one = Target { addresses: vec![address.clone()], ..target.clone() };
            match self.open(&one, workspace) {
                Ok(node) => nodes.push(node),
                Err(error) => {
                    // The first error is the one to tell.
                    let _ = close_all(nodes);
                    return Err(Error { message: format!("node {address}: {}", error.message), ..error });
                }
            }
        }
        Ok(nodes)
    }

    /// Stops and removes what an invocation that died left in `directory`; says what, a line each.
    fn clean_up(&self, directory: &Path) -> Result<Vec<String>> {
        let _ = directory;
        Ok(Vec::new())
    }
}

/// Puts the first of `nodes` that takes writes before the others, whose order stays; whether there is one.
pub fn writer_first(nodes: &mut [Box<dyn Node>]) -> bool {
    let first = nodes.iter().position(|node| node.takes_writes());
    first.inspect(|first| nodes[..=*first].rotate_right(1)).is_some()
}

/// Ends all of `nodes`, the first last: the others may depend on it.
///
/// # Errors
/// The first that one of them says; the others are ended nevertheless.
pub fn close_all(nodes: Vec<Box<dyn Node>>) -> Result<()> {
    nodes.into_iter().rev().map(Node::close).fold(Ok(()), Result::and)
}

/// One running instance of an engine.
pub trait Node: Send + Sync {
    /// What it can do.
    fn caps(&self) -> &Caps;

    /// What it is called beside other nodes, its address say; empty where it is never beside others.
    fn name(&self) -> String {
        String::new()
    }

    /// Whether its sessions may change the database. A replica that only reads does not.
    fn takes_writes(&self) -> bool {
        true
    }

    /// Creates the schema (or file) that dbdyno works in, or takes the one that it made before.
    ///
    /// # Errors
    /// `NotOurs` where somebody else made it, `Access` where creating one is not allowed.
    fn claim(&self) -> Result<()>;

    /// Works from now on in the schema that another node of the same database has claimed, and waits until it can be
    /// seen here.
    ///
    /// # Errors
    /// `NotOurs` where it is not seen: the node belongs to another database. `Usage` where the engine knows no nodes.
    fn join(&self) -> Result<()> {
        let error = Error::new(Kind::Usage, "this engine is measured on one node, and the target names several");
        Err(error.hint("give a target with one address"))
    }

    /// Waits until everything that the node of `first` has committed so far can be read here; `here` is a session of
    /// this node. Called before each run, on every node but the first.
    ///
    /// # Errors
    /// `Unreachable` where that takes longer than a minute.
    fn catch_up(&self, here: &mut dyn Session, first: &mut dyn Session) -> Result<()> {
        let _ = (here, first);
        Ok(())
    }

    /// Opens a session that works in the claimed schema.
    fn connect(&self) -> Result<Box<dyn Session>>;

    /// Opens a session that keeps files in `form`, one of [`Engine::object_forms`], in the claimed schema.
    ///
    /// # Errors
    /// `Usage` where the engine has no such form, and what it says.
    fn object_session(&self, form: &ObjectForm) -> Result<Box<dyn ObjectSession>> {
        Err(Error::new(Kind::Usage, format!("this engine keeps no files as {}", form.name)))
    }

    /// What it is and how it is set.
    fn inventory(&self) -> Result<EngineInventory>;

    /// Its counters as they stand now, by the names of [`record::name`] and names with the engine's prefix.
    /// `session` is one that no job uses. The second value is how many transactions the engine will count for this
    /// call itself by the time of the next one.
    fn counters(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)>;

    /// Has a server of our own time its statements, or leave it again, where that costs so much that it is not done in plain
    /// runs: [`record::name::DATABASE_TIME_NS`] is among its counters as long as it does. On somebody else's server, and
    /// where nothing is to be switched, nothing changes.
    ///
    /// # Errors
    /// What the engine says.
    fn time_statements(&self, on: bool) -> Result<()> {
        let _ = on;
        Ok(())
    }

    /// What the sessions that work in the same database are doing at this moment, but for `session`, which asks and is
    /// one that no job uses. Sessions that wait for their client to ask for something are not at work. None where the
    /// engine does not tell. The first call of a session may cost the engine more transactions than it says: it is made
    /// before anything is counted.
    ///
    /// # Errors
    /// `Lost`, and what else keeps the engine from answering this once.
    fn active_sessions(&self, session: &mut dyn Session) -> Result<Option<Look>> {
        let _ = session;
        Ok(None)
    }

    /// Has its sessions read data past the page cache of the operating system from now on, or again as they did before,
    /// and says how they read now: [`DataReads::Dropped`] where the node has no way of its own, and dropping its files
    /// out of the page cache is left to the caller.
    fn data_reads(&self, past_page_cache: bool) -> DataReads {
        let _ = past_page_cache;
        DataReads::Dropped
    }

    /// Brings the node into the same state before each run (a checkpoint, where the engine has such a thing).
    fn settle(&self, session: &mut dyn Session) -> Result<()>;

    /// Where it works.
    fn processes(&self) -> Processes;

    /// Where its data lie, if on this host.
    fn data_directory(&self) -> Option<&Path>;

    /// Ends it: removes what dbdyno created unless the workspace says keep, stops a server that dbdyno started.
    fn close(self: Box<Self>) -> Result<()>;
}
