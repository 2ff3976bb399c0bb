//! The files of the database: made, recognised as ours, removed.
//!
//! A directory is ours where a file beside the database says so. The database has no place for such a mark that can
//! be read without opening it, and opening it changes it (a log that was left is played back).

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use engine::{Error, Kind, Result};

/// What the mark of a database says that is to stay.
const KEPT: &str = "made by dbdyno, kept\n";
/// What it says otherwise.
const TEMPORARY: &str = "made by dbdyno, may be removed\n";
/// Name of the database; all that the library puts beside it begins with the same.
const DATABASE: &str = "dbdyno.duckdb";

/// What is in the directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// No directory, or an empty one.
    Nothing,
    /// What we made.
    Ours { kept: bool },
    /// Anything else.
    Foreign,
}

/// Where the files are.
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

    /// Makes the directory, or takes the one of ours that is there, and marks it.
    pub(crate) fn claim(&self, keep: bool) -> Result<()> {
        match self.found()? {
            Found::Foreign => {
                let message = format!("{} was not made by dbdyno", self.directory.display());
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

    /// Removes the database with all that belongs to it, and the directory if nothing else is in it.
    pub(crate) fn remove(&self) -> Result<()> {
        for path in self.entries()?.iter().filter(|path| is_of_database(path)) {
            let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            absent_is_fine(removed).map_err(|error| Error::of_path("remove", path, &error))?;
        }
        // Last, so that what a crash leaves is still known as ours.
        absent_is_fine(fs::remove_file(&self.mark)).map_err(|error| Error::of_path("remove", &self.mark, &error))?;
        match absent_is_fine(fs::remove_dir(&self.directory)) {
            Err(error) if error.kind() != ErrorKind::DirectoryNotEmpty => {
                Err(Error::of_path("remove", &self.directory, &error))
            }
            _ => Ok(()),
        }
    }

    /// Removes a database that an invocation did not live to remove; says so.
    pub(crate) fn remove_orphan(&self) -> Result<Vec<String>> {
        match self.found()? {
            Found::Ours { kept: false } => {
                self.remove()?;
                Ok(vec![format!("removed {}, left by an invocation that did not end", self.database.display())])
            }
            _ => Ok(Vec::new()),
        }
    }

    fn found(&self) -> Result<Found> {
        match fs::read_to_string(&self.mark) {
            // What a crash cut short is a mark all the same, and was not yet followed by a database.
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
    fn a_directory_of_somebody_else_is_refused_and_left_alone() {
        let workspace = tempfile::tempdir().expect("a directory");
        let files = Files::below(workspace.path());
        fs::write(&files.directory, "a file").expect("write");
        assert_eq!(files.claim(false).expect_err("a file").kind, Kind::NotOurs);
        fs::remove_file(&files.directory).expect("remove");
        fs::create_dir(&files.directory).expect("create");
        fs::write(&files.database, "a database of somebody").expect("write");
        assert_eq!(files.claim(false).expect_err("foreign").kind, Kind::NotOurs);
        assert!(files.remove_orphan().expect("nothing of ours").is_empty());
        fs::write(&files.mark, "a mark of somebody").expect("write");
        assert_eq!(files.claim(false).expect_err("foreign").kind, Kind::NotOurs);
        assert_eq!(names(&files).len(), 2);
    }

    #[test]
    fn what_a_killed_invocation_left_is_removed_and_what_is_kept_stays() {
        let workspace = tempfile::tempdir().expect("a directory");
        let files = Files::below(workspace.path());
        assert!(files.remove_orphan().expect("nothing there").is_empty());
        files.claim(true).expect("claim");
        fs::write(&files.database, "").expect("write");
        assert!(files.remove_orphan().expect("kept").is_empty());
        assert!(files.database.exists());
        files.claim(false).expect("claim again");
        fs::write(files.directory.join("dbdyno.duckdb.wal"), "").expect("write");
        fs::create_dir(files.directory.join("dbdyno.duckdb.tmp")).expect("create");
        assert_eq!(files.remove_orphan().expect("an orphan").len(), 1);
        assert!(!files.directory.exists());
    }

    #[test]
    fn what_lies_beside_the_database_and_is_not_of_it_stays() {
        let workspace = tempfile::tempdir().expect("a directory");
        let files = Files::below(workspace.path());
        files.claim(false).expect("claim");
        fs::write(files.directory.join("notes.txt"), "mine").expect("write");
        files.remove().expect("remove");
        assert_eq!(names(&files), ["notes.txt"]);
    }
}
