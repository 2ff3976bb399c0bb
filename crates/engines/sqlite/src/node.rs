//! The node: one database file and the sessions on it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{
    Caps, Error, FileLayer, Kind, Node, ObjectForm, ObjectSession, Processes, Result, Session, Value, Workspace,
};
use record::{Bytes, DataReads, DatabaseState, EngineInventory, FailureKind, SettlingStep};

use crate::claim::Files;
use crate::connect::{self, Link};
use crate::counter::{SessionShard, Tally};
use crate::objects::SqliteObjects;
use crate::session::SqliteSession;
use crate::setting::Settings;
use crate::vfs::{DirectFiles, Vfs};
use crate::wal_index::WalIndex;
use crate::{dialect, failure, inventory};

/// Pages in use.
const USED_BYTES: &str = "select (page_count - freelist_count) * page_size \
     from pragma_page_count(), pragma_freelist_count(), pragma_page_size()";

pub(crate) struct SqliteNode {
    settings: Settings,
    files: Files,
    keep: bool,
    /// Whether the database is to be removed.
    claimed: AtomicBool,
    tally: Arc<Tally>,
    direct: Arc<DirectFiles>,
    vfs: Arc<Vfs>,
}

impl SqliteNode {
    /// Calls on files are handed to `layer`, if there is one.
    pub(crate) fn new(
        settings: Settings,
        workspace: &Workspace,
        layer: Option<Arc<dyn FileLayer>>,
    ) -> Result<SqliteNode> {
        let files = Files::below(&workspace.directory);
        let tally = Arc::new(Tally::new());
        let direct = Arc::new(DirectFiles::default());
        let vfs = Arc::new(Vfs::register(Arc::clone(&tally), Arc::clone(&direct), layer, &files.directory)?);
        Ok(SqliteNode { settings, files, keep: workspace.keep, claimed: AtomicBool::new(false), tally, direct, vfs })
    }

    fn link(&self) -> Result<Link> {
        if !self.claimed.load(Ordering::Acquire) {
            return Err(Error::new(Kind::Usage, "the database was not claimed before a session was opened"));
        }
        connect::open(&self.files.database, &self.settings, &self.vfs, SessionShard::of(&self.tally))
    }

    /// Runs a truncating checkpoint of the log; does nothing in other journal modes. It uses a connection of its own,
    /// because the caller's does not return whether the checkpoint was blocked.
    fn checkpoint(&self) -> Result<()> {
        let link = self.link()?;
        let blocked = link.connection.query_row("pragma wal_checkpoint(truncate)", [], |row| row.get::<_, i64>(0));
        match blocked.map_err(|error| failure::of_rusqlite(&error))? {
            0 => Ok(()),
            _ => {
                let error = Error::new(Kind::Step(FailureKind::LockTimeout), "a transaction blocked the checkpoint");
                Err(error.hint("end all transactions before the database is settled"))
            }
        }
    }
}

impl Node for SqliteNode {
    fn caps(&self) -> &Caps {
        &dialect::CAPS
    }

    fn claim(&self) -> Result<()> {
        if !self.claimed.load(Ordering::Acquire) {
            self.files.claim(&self.settings, self.keep)?;
            self.claimed.store(true, Ordering::Release);
        }
        Ok(())
    }

    fn connect(&self) -> Result<Box<dyn Session>> {
        Ok(Box::new(SqliteSession::new(self.link()?)?))
    }

    fn object_session(&self, form: &ObjectForm) -> Result<Box<dyn ObjectSession>> {
        Ok(Box::new(SqliteObjects::new(SqliteSession::new(self.link()?)?, form)?))
    }

    /// Creates the database file if it does not exist.
    fn inventory(&self) -> Result<EngineInventory> {
        self.claim()?;
        let link = self.link()?;
        inventory::read(&link.connection, &self.settings).map_err(|error| failure::of_rusqlite(&error))
    }

    /// Reads atomics only. Counts of the page caches are included as far as sessions have published them: at their end,
    /// on request, and after every few thousand statements.
    fn counters(&self, _session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        Ok((self.tally.values(), 0))
    }

    fn settle(&self, _session: &mut dyn Session) -> Result<Vec<SettlingStep>> {
        self.checkpoint().map(|()| vec![SettlingStep::Checkpoint])
    }

    /// One that waits for nobody: what a session still reads stays in the log. It is no transaction.
    fn checkpoint(&self, session: &mut dyn Session) -> Result<Option<u64>> {
        session.batch("pragma wal_checkpoint(passive)").map(|()| Some(0))
    }

    /// The log begins again, in the same file, after a checkpoint that reached its end: a window has parts of it that were
    /// written before, and parts that were not. Caches belong to the sessions, which alone know them.
    fn state(&self, session: &mut dyn Session) -> Result<DatabaseState> {
        let statement = session.prepare(USED_BYTES)?;
        let table_bytes = match session.query(statement, &[])?.first().map(Vec::as_slice) {
            Some([Value::Int(bytes)]) => u64::try_from(*bytes).ok().map(Bytes),
            _ => None,
        };
        // Absent in other journal modes.
        let log = WalIndex::read(&self.files.log_index());
        Ok(DatabaseState {
            table_bytes,
            log_position_bytes: log.map(|log| Bytes(log.length_bytes())),
            log_since_checkpoint_bytes: log.map(|log| Bytes(log.since_checkpoint_bytes())),
            ..DatabaseState::default()
        })
    }

    fn has_cache_per_session(&self) -> bool {
        true
    }

    fn data_reads(&self, past_page_cache: bool) -> DataReads {
        let refusal = match &self.settings {
            Settings { direct: false, .. } => Some("direct=off".to_owned()),
            Settings { mmap_bytes: 1.., .. } => Some("mmap_size is not 0".to_owned()),
            Settings { page_bytes: ..4096, .. } => Some("page_size is less than 4096".to_owned()),
            _ => DirectFiles::refusal(&self.files.database),
        };
        self.direct.switch(past_page_cache && refusal.is_none());
        match refusal {
            Some(reason) => DataReads::PageCache { reason },
            None => DataReads::Direct,
        }
    }

    fn processes(&self) -> Processes {
        Processes::InProcess
    }

    fn data_directory(&self) -> Option<&Path> {
        Some(&self.files.directory)
    }

    fn close(self: Box<Self>) -> Result<()> {
        match (self.claimed.load(Ordering::Acquire), self.keep) {
            (false, _) => Ok(()),
            // Sessions leave the log: the kept database is whole without it.
            (true, true) => self.checkpoint(),
            (true, false) => self.files.remove(),
        }
    }
}
