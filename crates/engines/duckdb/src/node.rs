//! The node: one database file, opened once, and the sessions on it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{Caps, Error, Kind, Node, Processes, Result, Session, Workspace};
use record::EngineInventory;

use crate::capi::{Database, Library};
use crate::claim::Files;
use crate::counter::{Reader, Tally};
use crate::session::DuckDbSession;
use crate::setting::Settings;
use crate::{connect, dialect, inventory};

pub(crate) struct DuckDbNode {
    library: Library,
    settings: Settings,
    files: Files,
    keep: bool,
    tally: Arc<Tally>,
    /// From the claim on.
    opened: Mutex<Option<Opened>>,
}

/// What is open. The fields are dropped in this order.
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

    /// Of the file that would be measured: it is made where there is none yet.
    fn inventory(&self) -> Result<EngineInventory> {
        self.claim()?;
        self.with_opened(|opened| inventory::read(self.library, &opened.database.connect()?, &self.settings))
    }

    fn counters(&self, _session: &mut dyn Session) -> Result<(BTreeMap<String, u64>, u64)> {
        self.with_opened(|opened| opened.reader.read(&self.tally))
    }

    /// Writes what the log holds into the database.
    fn settle(&self, session: &mut dyn Session) -> Result<()> {
        session.batch("checkpoint")
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
            // As the library does by itself where it is closed in order; here a refusal is heard.
            return opened.database.connect()?.run("checkpoint");
        }
        // The work would be for nothing.
        opened.database.connect()?.run("pragma disable_checkpoint_on_shutdown")?;
        drop(opened);
        self.files.remove()
    }
}
