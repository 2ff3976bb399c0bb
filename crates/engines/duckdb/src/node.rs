//! The node: one database file, opened once, and the sessions on it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{Caps, Error, Kind, Node, Processes, Result, Session, Workspace};
use record::{DatabaseState, EngineInventory, SettlingStep};

use crate::capi::{Database, Library};
use crate::claim::Files;
use crate::counter::{Reader, Tally};
use crate::session::DuckDbSession;
use crate::setting::Settings;
use crate::{connect, dialect, inventory, state};

pub(crate) struct DuckDbNode {
    library: Library,
    settings: Settings,
    files: Files,
    keep: bool,
    tally: Arc<Tally>,
    /// Open once it is claimed.
    opened: Mutex<Option<Opened>>,
}

/// The open database. The fields are dropped in this order.
struct Opened {
    reader: Reader,
    database: Arc<Database>,
}

impl DuckDbNode {
    pub(crate) fn new(settings: Settings, workspace: &Workspace) -> Result<DuckDbNode> {
        let library = Library::load(&settings.source)?;
        let files = Files::below(&workspace.directory);
        let opened = Mutex::new(None);
        Ok(DuckDbNode { library, settings, files, keep: workspace.keep, tally: Arc::new(Tally::default()), opened })
    }

    fn opened(&self) -> MutexGuard<'_, Option<Opened>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_opened<T>(&self, act: impl FnOnce(&Opened) -> Result<T>) -> Result<T> {
        match &*self.opened() {
            Some(opened) => act(opened),
            None => Err(Error::new(Kind::Usage, "the database was not claimed before a session was opened")),
        }
    }
}

impl Node for DuckDbNode {
    fn caps(&self) -> &Caps {
        &dialect::CAPS
    }

    fn claim(&self) -> Result<()> {
        let mut opened = self.opened();
        if opened.is_none() {
            self.files.claim(self.keep)?;
            let database = connect::open(self.library, &self.files.database, &self.settings)?;
            *opened = Some(Opened { reader: Reader::new(database.connect()?)?, database });
        }
        Ok(())
    }

    fn connect(&self) -> Result<Box<dyn Session>> {
        let connection = self.with_opened(|opened| opened.database.connect())?;
        Ok(Box::new(DuckDbSession::new(connection, Arc::clone(&self.tally))?))
    }

    /// Creates the database file if it does not exist.
    fn inventory(&self) -> Result<EngineInventory> {
        self.claim()?;
        self.with_opened(|opened| inventory::read(self.library, &opened.database.connect()?, &self.settings))
    }

    fn counters(&self, _session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        self.with_opened(|opened| opened.reader.read(&self.tally))
    }

    /// Runs a checkpoint.
    fn settle(&self, session: &mut dyn Session) -> Result<Vec<SettlingStep>> {
        session.batch("checkpoint").map(|()| vec![SettlingStep::Checkpoint])
    }

    fn state(&self, session: &mut dyn Session) -> Result<DatabaseState> {
        state::of(session, &self.files)
    }

    fn processes(&self) -> Processes {
        Processes::InProcess
    }

    fn data_directory(&self) -> Option<&Path> {
        Some(&self.files.directory)
    }

    fn close(self: Box<Self>) -> Result<()> {
        let Some(opened) = self.opened().take() else { return Ok(()) };
        if self.keep {
            // The library does that at close too; here errors are returned.
            return opened.database.connect()?.run("checkpoint");
        }
        // The data are removed.
        opened.database.connect()?.run("pragma disable_checkpoint_on_shutdown")?;
        drop(opened);
        self.files.remove()
    }
}
