//! The files of the database: creation, ownership, removal.
//!
//! A directory was created by dbdyno if it contains a marker file. The database itself cannot be marked, because
//! reading the mark would need opening it, which changes it (a leftover log is recovered).

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use engine::{Error, Kind, Result};

/// Marker of a database that is to be kept.
const KEPT: &str = "made by dbdyno, kept\n";
/// Marker of a database that may be removed.
const TEMPORARY: &str = "made by dbdyno, may be removed\n";
/// Name of the database; also the prefix of all other files of the library.
const DATABASE: &str = "dbdyno.duckdb";

/// Kind of the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// No directory, or an empty one.
    Nothing,
    /// Created by dbdyno.
    Ours { kept: bool },
    /// Anything else.
    Foreign,
}

/// Paths of the files.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) directory: PathBuf,
    pub(crate) database: PathBuf,
    mark: PathBuf,
}

impl Files {
    /// In the measured directory.
    pub(crate) fn below(workspace: &Path) -> Files {
        let directory = workspace.join("duckdb");
        Files { database: directory.join(DATABASE), mark: directory.join("mark"), directory }
    }

    /// The write-ahead log.
    pub(crate) fn log(&self) -> PathBuf {
        self.directory.join(format!("{DATABASE}.wal"))
    }

    /// Creates the directory, or reuses an existing one of dbdyno, and marks it.
    pub(crate) fn claim(&self, keep: bool) -> Result<()> {
        match self.found()? {
            Found::Foreign => {
                let message = format!("{} was not created by dbdyno", self.directory.display());
                return Err(
                    Error::new(Kind::NotOurs, message).hint("move it away, or give another directory with --dir")
                );
            }
            Found::Ours { .. } | Found::Nothing => {}
        }
        fs::create_dir_all(&self.directory).map_err(|error| Error::of_path("create", &self.directory, &error))?;
        let mark = if keep { KEPT } else { TEMPORARY };
        fs::write(&self.mark, mark).map_err(|error| Error::of_path("write", &self.mark, &error))
    }

    /// Removes the database with all its files, and the directory if it is empty.
    pub(crate) fn remove(&self) -> Result<()> {
        for path in self.entries()?.iter().filter(|path| is_of_database(path)) {
            let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            absent_is_fine(removed).map_err(|error| Error::of_path("remove", path, &error))?;
        }
        // Last, so that leftovers of a crash are still recognised.
        absent_is_fine(fs::remove_file(&self.mark)).map_err(|error| Error::of_path("remove", &self.mark, &error))?;
        match absent_is_fine(fs::remove_dir(&self.directory)) {
            Err(error) if error.kind() != ErrorKind::DirectoryNotEmpty => {
                Err(Error::of_path("remove", &self.directory, &error))
            }
            _ => Ok(()),
        }
    }

    /// Removes a database that a crashed invocation left; returns a line if so.
    pub(crate) fn remove_leftover(&self) -> Result<Vec<String>> {
        match self.found()? {
            Found::Ours { kept: false } => {
                self.remove()?;
                Ok(vec![format!("removed {}, left by a crashed invocation", self.database.display())])
            }
            _ => Ok(Vec::new()),
        }
    }

    fn found(&self) -> Result<Found> {
        match fs::read_to_string(&self.mark) {
            // A marker that was truncated by a crash is accepted: no database was created yet.
            Ok(text) if KEPT.starts_with(&text) || TEMPORARY.starts_with(&text) => {
                return Ok(Found::Ours { kept: text == KEPT });
            }
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return Err(Error::of_path("read", &self.mark, &error));
            }
            _ => {}
        }
        match self.entries() {
            Ok(entries) if entries.is_empty() => Ok(Found::Nothing),
            Ok(_) => Ok(Found::Foreign),
            Err(_) if self.directory.exists() => Ok(Found::Foreign),
            Err(error) => Err(error),
        }
    }

    fn entries(&self) -> Result<Vec<PathBuf>> {
        match fs::read_dir(&self.directory) {
            Ok(entries) => Ok(entries.filter_map(|entry| Some(entry.ok()?.path())).collect()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(Error::of_path("read", &self.directory, &error)),
        }
    }
}

fn is_of_database(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(DATABASE))
}

fn absent_is_fine(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        result => result,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &Files) -> Vec<String> {
        let entries = files.entries().expect("entries");
        entries.iter().map(|path| path.file_name().expect("a name").to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn a_foreign_directory_is_not_touched() {
        let workspace = tempfile::tempdir().expect("a directory");
        let files = Files::below(workspace.path());
        fs::write(&files.directory, "a file").expect("write");
        assert_eq!(files.claim(false).expect_err("a file").kind, Kind::NotOurs);
        fs::remove_file(&files.directory).expect("remove");
        fs::create_dir(&files.directory).expect("create");
        fs::write(&files.database, "a database of somebody").expect("write");
        assert_eq!(files.claim(false).expect_err("foreign").kind, Kind::NotOurs);
        assert!(files.remove_leftover().expect("nothing of ours").is_empty());
        fs::write(&files.mark, "a mark of somebody").expect("write");
        assert_eq!(files.claim(false).expect_err("foreign").kind, Kind::NotOurs);
        assert_eq!(names(&files).len(), 2);
    }

    #[test]
    fn leftovers_are_removed_and_kept_databases_are_not() {
        let workspace = tempfile::tempdir().expect("a directory");
        let files = Files::below(workspace.path());
        assert!(files.remove_leftover().expect("nothing there").is_empty());
        files.claim(true).expect("claim");
        fs::write(&files.database, "").expect("write");
        assert!(files.remove_leftover().expect("kept").is_empty());
        assert!(files.database.exists());
        files.claim(false).expect("claim again");
        fs::write(files.directory.join("dbdyno.duckdb.wal"), "").expect("write");
        fs::create_dir(files.directory.join("dbdyno.duckdb.tmp")).expect("create");
        assert_eq!(files.remove_leftover().expect("an orphan").len(), 1);
        assert!(!files.directory.exists());
    }

    #[test]
    fn other_files_in_the_directory_are_not_removed() {
        let workspace = tempfile::tempdir().expect("a directory");
        let files = Files::below(workspace.path());
        files.claim(false).expect("claim");
        fs::write(files.directory.join("notes.txt"), "mine").expect("write");
        files.remove().expect("remove");
        assert_eq!(names(&files), ["notes.txt"]);
    }
}
