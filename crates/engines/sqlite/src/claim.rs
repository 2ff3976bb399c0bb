//! The files of the database: made, recognised as ours, removed.
//!
//! A database is ours where its header says so: the application id, and the user version as our mark. The header is
//! read without opening the database, because opening one changes it (a log that was left is played back).

use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use engine::{Error, Kind, Result};
use rusqlite::Connection;

use crate::failure;
use crate::setting::Settings;

/// `dbDy`.
const APPLICATION_ID: u32 = 0x6462_4479;
/// User version of a database that may be removed.
const TEMPORARY: u32 = 1;
/// User version of one that was asked to be kept.
const KEPT: u32 = 2;

/// What the first bytes of a file say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// No file, or one without a byte.
    Nothing,
    /// A database of ours.
    Ours {
        /// Its page size.
        page_bytes: u32,
        /// Whether it is to stay.
        kept: bool,
    },
    /// Anything else.
    Foreign,
}

/// Where the files are.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) directory: PathBuf,
    pub(crate) database: PathBuf,
}

impl Files {
    /// In the measured directory.
    pub(crate) fn below(workspace: &Path) -> Files {
        let directory = workspace.join("sqlite");
        let database = directory.join("dbdyno.db");
        Files { directory, database }
    }

    /// Makes the database, or takes the one of ours that is there.
    pub(crate) fn claim(&self, settings: &Settings, keep: bool) -> Result<()> {
        match fs::create_dir_all(&self.directory) {
            Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotADirectory) => {
                return Err(self.foreign());
            }
            made => made.map_err(|error| self.space(&error))?,
        }
        let page_bytes = match self.found()? {
            Found::Foreign => return Err(self.foreign()),
            Found::Ours { page_bytes, .. } if settings.page_bytes_wanted && page_bytes != settings.page_bytes => {
                let path = self.database.display();
                let wanted = settings.page_bytes;
                let error = Error::new(Kind::Usage, format!("{path} has a page size of {page_bytes}, not {wanted}"));
                return Err(error.hint(format!("remove it, or give page_size={page_bytes}")));
            }
            Found::Ours { page_bytes, .. } => page_bytes,
            Found::Nothing => settings.page_bytes,
        };
        let mark = if keep { KEPT } else { TEMPORARY };
        self.set_up(settings, page_bytes, mark).map_err(|error| match failure::of_rusqlite(&error) {
            refused if refused.kind == Kind::Lost => self.space(&refused),
            refused => refused,
        })
    }

    /// The mark is written in one transaction with a rollback journal, and the journal mode set after it: so the
    /// header on disk says what it is from the first commit on, and whatever a crash leaves is told apart.
    fn set_up(&self, settings: &Settings, page_bytes: u32, mark: u32) -> rusqlite::Result<()> {
        let connection = Connection::open(&self.database)?;
        connection.busy_timeout(settings.busy_timeout)?;
        connection.pragma_update(None, "page_size", page_bytes)?;
        connection.pragma_update_and_check(None, "journal_mode", "delete", |_| Ok(()))?;
        connection.execute_batch(&format!(
            "begin immediate; pragma application_id = {APPLICATION_ID}; pragma user_version = {mark}; commit"
        ))?;
        connection.pragma_update_and_check(None, "journal_mode", settings.journal_mode, |_| Ok(()))?;
        connection.close().map_err(|(_, error)| error)
    }

    /// Removes the database, its log and journal, and the directory if nothing else is in it.
    pub(crate) fn remove(&self) -> Result<()> {
        for ending in ["-journal", "-shm", "-wal", ""] {
            let mut path = self.database.clone().into_os_string();
            path.push(ending);
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(self.space(&error)),
                _ => {}
            }
        }
        match fs::remove_dir(&self.directory) {
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::DirectoryNotEmpty) => {
                Err(self.space(&error))
            }
            _ => Ok(()),
        }
    }

    /// Removes a database that an invocation did not live to remove; says so.
    pub(crate) fn remove_orphan(&self) -> Result<Vec<String>> {
        match self.found()? {
            Found::Ours { kept: false, .. } => {
                self.remove()?;
                Ok(vec![format!("removed {}, left by an invocation that did not end", self.database.display())])
            }
            _ => Ok(Vec::new()),
        }
    }

    fn found(&self) -> Result<Found> {
        let mut file = match File::open(&self.database) {
            Ok(file) => file,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
                return Ok(Found::Nothing);
            }
            Err(error) => return Err(self.space(&error)),
        };
        let mut header = Vec::with_capacity(100);
        // What cannot be read (a directory of this name) is not ours.
        match file.by_ref().take(100).read_to_end(&mut header) {
            Ok(_) => Ok(recognise(&header)),
            Err(_) => Ok(Found::Foreign),
        }
    }

    fn foreign(&self) -> Error {
        let error = Error::new(Kind::NotOurs, format!("{} was not made by dbdyno", self.database.display()));
        error.hint("move it away, or give another directory with --dir")
    }

    fn space(&self, error: &dyn std::fmt::Display) -> Error {
        let error = Error::new(Kind::Space, format!("{} cannot be written: {error}", self.directory.display()));
        error.hint("free space, or give another directory with --dir")
    }
}

/// Reads the header of a database (the file format has it in the first 100 bytes, big-endian: page size at 16, user
/// version at 60, application id at 68).
fn recognise(header: &[u8]) -> Found {
    if header.is_empty() {
        return Found::Nothing;
    }
    if header.len() < 100 || !header.starts_with(b"SQLite format 3\0") {
        return Found::Foreign;
    }
    let number = |at: usize| header[at..at + 4].iter().fold(0, |number, byte| number << 8 | u32::from(*byte));
    let page_bytes = match u32::from(header[16]) << 8 | u32::from(header[17]) {
        1 => 65536,
        size => size,
    };
    match (number(68), number(60)) {
        (APPLICATION_ID, TEMPORARY) => Found::Ours { page_bytes, kept: false },
        (APPLICATION_ID, KEPT) => Found::Ours { page_bytes, kept: true },
        _ => Found::Foreign,
    }
}
