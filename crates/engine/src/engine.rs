//! An engine, and a node of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use record::{Bytes, EngineInventory};

use crate::{Caps, Dialect, Result, Session, Target};

/// A statement that this engine says in its own words: the file `sql/<code>.<statement>.sql`.
#[derive(Clone, Copy, Debug)]
pub struct StatementFile {
    /// File name without the ending: `T131.work`.
    pub name: &'static str,
    /// The statement (or, for a statement of set-up, several).
    pub sql: &'static str,
}

/// Where on this host an engine may put its files, and how it is to behave.
#[derive(Clone, Debug)]
pub struct Site {
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

    /// Reaches the engine at `target`, starting a throwaway server in `site` where the target is a local one.
    /// Changes nothing in a database that exists.
    ///
    /// # Errors
    /// `Unreachable`, `Access`, `Missing`, `Usage`, `Space`.
    fn open(&self, target: &Target, site: &Site) -> Result<Box<dyn Node>>;

    /// Stops and removes what an invocation that died left in `directory`; says what, a line each.
    fn clean_up(&self, directory: &Path) -> Result<Vec<String>> {
        let _ = directory;
        Ok(Vec::new())
    }
}

/// One running instance of an engine.
pub trait Node: Send + Sync {
    /// What it can do.
    fn caps(&self) -> &Caps;

    /// Creates the schema (or file) that dbdyno works in, or takes the one that it made before.
    ///
    /// # Errors
    /// `NotOurs` where somebody else made it, `Access` where creating one is not allowed.
    fn claim(&self) -> Result<()>;

    /// Opens a session that works in the claimed schema.
    fn connect(&self) -> Result<Box<dyn Session>>;

    /// What it is and how it is set.
    fn inventory(&self) -> Result<EngineInventory>;

    /// Its counters as they stand now, by the names of [`record::name`] and names with the engine's prefix.
    /// `session` is one that no job uses. The second value is how many transactions the engine will count for this
    /// call itself by the time of the next one.
    fn counters(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)>;

    /// Brings the node into the same state before each run (a checkpoint, where the engine has such a thing).
    fn settle(&self, session: &mut dyn Session) -> Result<()>;

    /// Where it works.
    fn processes(&self) -> Processes;

    /// Where its data lie, if on this host.
    fn data_directory(&self) -> Option<&Path>;

    /// Ends it: removes what dbdyno created unless the site says keep, stops a server that dbdyno started.
    fn close(self: Box<Self>) -> Result<()>;
}
