//! An engine, and a node of it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use record::{Bytes, DataReads, DatabaseState, EngineInventory, SettlingStep};

use crate::{
    Address, Caps, Description, Dialect, Durability, Error, FileLayer, Kind, ObjectForm, ObjectSession, Result,
    Session, SessionSample, Target,
};

/// The list of an engine's [`StatementFile`](crate::StatementFile)s by name: each is the file `../sql/NAME.sql`, relative to the source file
/// that lists it.
#[macro_export]
macro_rules! statement_files {
    ($($name:literal)*) => {
        &[$($crate::StatementFile { name: $name, sql: include_str!(concat!("../sql/", $name, ".sql")) }),*]
    };
}

/// Directory on this host in which an engine may create files, and requirements on the engine.
#[derive(Clone, Debug)]
pub struct Workspace {
    /// The measured directory: it exists and is owned by dbdyno.
    pub directory: PathBuf,
    /// Whether the database is kept when the node is closed.
    pub keep: bool,
    /// Size of the buffer cache that the plan assumes; does not apply to an engine that dbdyno does not start.
    pub cache_bytes: Option<Bytes>,
    /// Maximum number of concurrently open sessions.
    pub sessions_max: u32,
}

/// The processes in which an engine works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Processes {
    /// This process: the engine's CPU time cannot be separated from that of dbdyno.
    InProcess,
    /// The process trees below these processes, on this host.
    Local(Vec<u32>),
    /// On another host.
    Remote,
}

/// A database engine: everything that needs no connection.
pub trait Engine: Sync {
    /// What it is and can do.
    fn about(&self) -> &Description;

    /// Its name in a target.
    fn name(&self) -> &'static str {
        self.about().name
    }

    /// Its name as its vendor writes it.
    fn title(&self) -> &'static str {
        self.about().title
    }

    /// Its SQL dialect.
    fn dialect(&self) -> &'static Dialect {
        self.about().dialect
    }

    /// A script for the client of its servers that dumps their counters, in the form in which `history` reads them; its comments say
    /// how it is used. Absent for an engine without a server, or whose statistics come as reports.
    fn statistics_script(&self) -> Option<&'static str> {
        None
    }

    /// Connects to the engine at `target`; for a local target, starts a temporary server in `workspace`. Does not
    /// change an existing database.
    ///
    /// # Errors
    /// `Unreachable`, `Access`, `Missing`, `Usage`, `Space`.
    fn open(&self, target: &Target, workspace: &Workspace) -> Result<Box<dyn Node>>;

    /// How its durability is weakened and checked; `None` where a proof of it is not possible.
    fn durability(&self) -> Option<&'static Durability> {
        None
    }

    /// As [`Engine::open`], for an engine in this process whose calls on files are handed to `layer`.
    ///
    /// # Errors
    /// `Usage` for an engine that does not hand them on.
    fn open_above(&self, target: &Target, workspace: &Workspace, layer: Arc<dyn FileLayer>) -> Result<Box<dyn Node>> {
        let _ = (target, workspace, layer);
        Err(Error::new(Kind::Usage, format!("{} does not hand on what it does to its files", self.title())))
    }

    /// Connects to every node that `target` names, each as by [`Engine::open`]; returns at least one, in no particular
    /// order. All are nodes of one database: what is committed on one becomes visible on all. If one cannot be opened,
    /// none stays open.
    ///
    /// # Errors
    /// As for [`Engine::open`]; with more than one node the error names the node.
    fn open_all(&self, target: &Target, workspace: &Workspace) -> Result<Vec<Box<dyn Node>>> {
        if target.addresses.len() < 2 {
            return Ok(vec![self.open(target, workspace)?]);
        }
        let twice = |(index, address): &(usize, &Address)| target.addresses[..*index].contains(address);
        if let Some((_, address)) = target.addresses.iter().enumerate().find(twice) {
            let error = Error::new(Kind::Usage, format!("node {address} is given twice in {target}"));
            return Err(error.hint("name each node once"));
        }
        let mut nodes: Vec<Box<dyn Node>> = Vec::with_capacity(target.addresses.len());
        for address in &target.addresses {
            let one = Target { addresses: vec![address.clone()], ..target.clone() };
            match self.open(&one, workspace) {
                Ok(node) => nodes.push(node),
                Err(error) => {
                    // The first error is the one to report.
                    let _ = close_all(nodes);
                    return Err(Error { message: format!("node {address}: {}", error.message), ..error });
                }
            }
        }
        Ok(nodes)
    }

    /// As [`Engine::open_all`] of servers that it starts, whose data all stay when they are closed, and are those of the next start:
    /// as an administrator starts a cluster whose nodes have all ended, whatever way.
    ///
    /// # Errors
    /// As for [`Engine::open_all`].
    fn open_cluster(&self, target: &Target, workspace: &Workspace) -> Result<Vec<Box<dyn Node>>> {
        self.open_all(target, workspace)
    }

    /// Stops and removes what a crashed invocation left in `directory`; returns a description of each as a line.
    fn clean_up(&self, directory: &Path) -> Result<Vec<String>> {
        let _ = directory;
        Ok(Vec::new())
    }
}

/// Moves the first of `nodes` that accepts writes to the front, keeping the order of the others; returns whether there
/// is one.
pub fn writer_first(nodes: &mut [Box<dyn Node>]) -> bool {
    let first = nodes.iter().position(|node| node.takes_writes());
    first.inspect(|first| nodes[..=*first].rotate_right(1)).is_some()
}

/// Closes all of `nodes`, the first one last: the others may depend on it.
///
/// # Errors
/// The first error; the remaining nodes are closed nevertheless.
pub fn close_all(nodes: Vec<Box<dyn Node>>) -> Result<()> {
    nodes.into_iter().rev().map(Node::close).fold(Ok(()), Result::and)
}

/// One running instance of an engine.
pub trait Node: Send + Sync {
    /// Its capabilities.
    fn caps(&self) -> &Caps;

    /// Name that distinguishes it from other nodes, for example its address; empty if the engine has only one node.
    fn name(&self) -> String {
        String::new()
    }

    /// Whether its sessions may change the database; false for a read-only replica.
    fn takes_writes(&self) -> bool {
        true
    }

    /// Creates the schema (or file) that dbdyno works in, or reuses one that dbdyno created earlier.
    ///
    /// # Errors
    /// `NotOurs` if it was not created by dbdyno, `Access` if creating one is not permitted.
    fn claim(&self) -> Result<()>;

    /// Claims the schema again, after the session by which this node keeps others out of it may have been lost. Another dbdyno
    /// may come between.
    ///
    /// # Errors
    /// As for [`Node::claim`].
    fn claim_again(&self) -> Result<()> {
        Ok(())
    }

    /// Uses the schema that another node of the same database has claimed, and waits until it is visible on this node.
    ///
    /// # Errors
    /// `NotOurs` if it does not become visible: the node belongs to another database. `Usage` if the engine supports
    /// one node only.
    fn join(&self) -> Result<()> {
        let error = Error::new(Kind::Usage, "this engine is measured on one node, and the target names several");
        Err(error.hint("give a target with one address"))
    }

    /// A target, without a password, by which another process reaches the database of this node and may join it; `None`
    /// if only this process reaches it.
    fn joined_by(&self) -> Option<String> {
        None
    }

    /// Whether its count of commits is right for sessions of other processes, too: false where what sessions of this
    /// process know of themselves is a part of it.
    fn counts_commits_of_others(&self) -> bool {
        true
    }

    /// Waits until everything that the node of `first` has committed so far is visible on this node; `here` is a
    /// session of this node. Called before each run, on every node except the first.
    ///
    /// # Errors
    /// `Unreachable` if that takes longer than a minute.
    fn catch_up(&self, here: &mut dyn Session, first: &mut dyn Session) -> Result<()> {
        let _ = (here, first);
        Ok(())
    }

    /// Opens a session in the claimed schema.
    fn connect(&self) -> Result<Box<dyn Session>>;

    /// Statements by which a session of it finds tables of the user by their bare names. With `has_own` the session uses tables of
    /// the claimed schema, too: where an engine looks into one place only, it is that schema.
    fn user_tables(&self, has_own: bool) -> Vec<String> {
        let _ = has_own;
        Vec::new()
    }

    /// Opens a session that stores files in `form`, one of [`Description::object_forms`], in the claimed schema.
    ///
    /// # Errors
    /// `Usage` if the engine has no such form; errors of the engine.
    fn object_session(&self, form: &ObjectForm) -> Result<Box<dyn ObjectSession>> {
        Err(Error::new(Kind::Usage, format!("this engine does not store files as {}", form.name)))
    }

    /// Version, configuration and settings.
    fn inventory(&self) -> Result<EngineInventory>;

    /// Current values of its counters, by the names of [`record::name`] and names with the engine's prefix. `session`
    /// is not used by any job. The second value is the number of transactions that the engine will have counted for
    /// this call itself by the next one.
    fn counters(&self, session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)>;

    /// Switches statement timing of a temporary server on or off, if timing is too expensive for plain runs:
    /// [`record::name::DATABASE_TIME_NS`] is among its counters while it is on. No effect on a server that dbdyno did
    /// not start, or if there is nothing to switch.
    ///
    /// # Errors
    /// Errors of the engine.
    fn time_statements(&self, on: bool) -> Result<()> {
        let _ = on;
        Ok(())
    }

    /// Sample of the active sessions of the same database, without `session`, which runs the query and is not used by
    /// any job. Sessions that wait for a request of their client are not active. `None` if the engine does not report
    /// sessions. The first call on a session may cost more transactions than it returns: it is made before anything is
    /// counted.
    ///
    /// # Errors
    /// `Lost`, and errors that affect this query only.
    fn active_sessions(&self, session: &mut dyn Session) -> Result<Option<SessionSample>> {
        let _ = session;
        Ok(None)
    }

    /// Makes its sessions bypass the page cache of the operating system on reads, or restores the previous mode;
    /// returns the mode now in effect: [`DataReads::Dropped`] if the node cannot bypass it, and dropping its files from
    /// the page cache is left to the caller.
    fn data_reads(&self, past_page_cache: bool) -> DataReads {
        let _ = past_page_cache;
        DataReads::Dropped
    }

    /// Whether every session has a buffer cache of its own; otherwise the sessions share one.
    fn has_cache_per_session(&self) -> bool {
        false
    }

    /// Brings the node into the same state before each run (a checkpoint, if the engine has one); returns what it did for
    /// that, in order.
    ///
    /// # Errors
    /// Errors of the engine.
    fn settle(&self, session: &mut dyn Session) -> Result<Vec<SettlingStep>>;

    /// Makes a checkpoint while sessions work: all pages that were changed before are in the data files when it returns. `session` is
    /// not used by any job. The value is the number of transactions that the engine counts for that; `None` if it makes none on
    /// request.
    ///
    /// # Errors
    /// `Access` where it may not be asked for one; errors of the engine.
    fn checkpoint(&self, session: &mut dyn Session) -> Result<Option<u64>> {
        let _ = session;
        Ok(None)
    }

    /// The state of its database, as far as it is known without disturbing it; `session` is not used by any job. Called
    /// directly before the counters are read at the begin of a window, and after they were read at its end: transactions of
    /// its own lie outside of the window.
    ///
    /// # Errors
    /// `Lost`. What the engine refuses is absent.
    fn state(&self, session: &mut dyn Session) -> Result<DatabaseState> {
        let _ = session;
        Ok(DatabaseState::default())
    }

    /// The processes it runs in.
    fn processes(&self) -> Processes;

    /// The port of its server that a session reached; `None` without one.
    fn port(&self) -> Option<u16> {
        None
    }

    /// Its data directory, if on this host.
    fn data_directory(&self) -> Option<&Path>;

    /// Closes it: removes what dbdyno created unless the workspace is to be kept, stops a server that dbdyno started.
    fn close(self: Box<Self>) -> Result<()>;
}
