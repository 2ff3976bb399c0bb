//! Records named by path or by directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use run::{Error, Result};
use store::Entry;

use crate::output::note;
use crate::subject::unreadable;

/// A record to read.
pub struct RecordPath {
    /// Its path.
    pub path: PathBuf,
    /// Codes of the tests in its plan; absent where the record was named by path.
    pub tests: Option<Vec<String>>,
}

impl RecordPath {
    /// Skips an unreadable record of a directory with a note; one that was named by path is the user's mistake.
    ///
    /// # Errors
    /// Where it was named by path.
    pub fn skip(&self, error: store::Error) -> Result<()> {
        if self.tests.is_none() {
            return Err(unreadable(error));
        }
        note(&format!("skipped: {error}"));
        Ok(())
    }
}

/// The records of `paths`, in this order, those of a directory with the oldest first. Unreadable files of a directory
/// are skipped with a note; a file that is named twice is one record.
///
/// # Errors
/// Where a directory cannot be read, and where there is no record.
pub fn records(paths: &[PathBuf]) -> Result<Vec<RecordPath>> {
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(in_directory(path)?);
        } else {
            found.push(RecordPath { path: path.clone(), tests: None });
        }
    }
    let mut known = BTreeSet::new();
    found.retain(|record| known.insert(record.path.canonicalize().unwrap_or_else(|_| record.path.clone())));
    if found.is_empty() {
        let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(Error::user(format!("there is no record in {}", paths.join(", ")))
            .hint("`dbdyno list records --dir DIR` shows the records of a directory"));
    }
    Ok(found)
}

fn in_directory(directory: &Path) -> Result<Vec<RecordPath>> {
    let mut found = Vec::new();
    for Entry { path, content } in store::list(directory)?.into_iter().rev() {
        match content {
            Ok(summary) => found.push(RecordPath { path, tests: Some(summary.tests) }),
            Err(error) => note(&format!("skipped: {error}")),
        }
    }
    Ok(found)
}
