//! The files of the database: creation, ownership, removal.
//!
//! A database was created by dbdyno if its header has the application id and a user version of dbdyno. The header is
//! read without opening the database, because that would change it (a leftover log is recovered).

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
/// User version of a database that is to be kept.
const KEPT: u32 = 2;

/// Kind of a database file, from its header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// No file, or an empty one.
    Nothing,
    /// A database of dbdyno.
    Ours {
        /// Its page size.
        page_bytes: u32,
        /// Whether it is to be kept.
        kept: bool,
    },
    /// Anything else.
    Foreign,
}

/// Paths of the files.
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

    /// The index of the write-ahead log.
    pub(crate) fn log_index(&self) -> PathBuf {
        self.directory.join("dbdyno.db-shm")
    }

    /// Creates the database, or reuses an existing one of dbdyno.
    pub(crate) fn claim(&self, settings: &Settings, keep: bool) -> Result<()> {
        match fs::create_dir_all(&self.directory) {
            Err(error) if matches!(error.kind(), ErrorKind::AlreadyExists | ErrorKind::NotADirectory) => {
                return Err(self.not_ours());
            }
            made => made.map_err(|error| self.space(&error))?,
        }
        let page_bytes = match self.found()? {
            Found::Foreign => return Err(self.not_ours()),
            Found::Ours { page_bytes, .. } if settings.page_bytes_requested && page_bytes != settings.page_bytes => {
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
            invalid if invalid.kind == Kind::Lost => self.space(&invalid),
            invalid => invalid,
        })
    }

    /// Application id and user version are written in one transaction with a rollback journal, before the journal mode
    /// is set: so the header on disk is complete from the first commit on, and files left by a crash are recognised.
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
        for suffix in ["-journal", "-shm", "-wal", ""] {
            let mut path = self.database.clone().into_os_string();
            path.push(suffix);
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

    /// Removes a database that a crashed invocation left; returns a line if so.
    pub(crate) fn remove_leftover(&self) -> Result<Vec<String>> {
        match self.found()? {
            Found::Ours { kept: false, .. } => {
                self.remove()?;
                Ok(vec![format!("removed {}, left by a crashed invocation", self.database.display())])
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
        // Unreadable (for example a directory of this name).
        match file.by_ref().take(100).read_to_end(&mut header) {
            Ok(_) => Ok(recognise(&header)),
            Err(_) => Ok(Found::Foreign),
        }
    }

    fn not_ours(&self) -> Error {
        let error = Error::new(Kind::NotOurs, format!("{} was not created by dbdyno", self.database.display()));
        error.hint("move it away, or give another directory with --dir")
    }

    fn space(&self, error: &dyn std::fmt::Display) -> Error {
        let error = Error::new(Kind::Space, format!("{} cannot be written: {error}", self.directory.display()));
        error.hint("free space, or give another directory with --dir")
    }
}

/// Parses the header of a database (the first 100 bytes, big-endian: page size at 16, user version at 60, application
/// id at 68).
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
