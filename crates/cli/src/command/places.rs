//! The records that were named one by one or by their directories.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use run::{Error, Fault, Result};
use store::Entry;

use crate::output::note;

/// A record that was asked for.
pub struct Place {
    /// Where it lies.
    pub path: PathBuf,
    /// Codes of the tests in its plan; absent where nobody has looked yet.
    pub tests: Option<Vec<String>>,
}

impl Place {
    /// A record that was named and cannot be read is the user's mistake; one that lies in a directory is noted and left
    /// out.
    ///
    /// # Errors
    /// Where it was named.
    pub fn leave_out(&self, error: store::Error) -> Result<()> {
        if self.tests.is_none() {
            return Err(unreadable(error));
        }
        note(&format!("left out: {error}"));
        Ok(())
    }
}

/// The records of `places`, in their order, those of a directory with the oldest first. What lies in a directory and
/// cannot be read is noted and left out; a file that is named twice is one record.
///
/// # Errors
/// Where a directory cannot be read, and where there is no record.
pub fn records(places: &[PathBuf]) -> Result<Vec<Place>> {
    let mut found = Vec::new();
    for place in places {
        if place.is_dir() {
            found.extend(in_directory(place)?);
        } else {
            found.push(Place { path: place.clone(), tests: None });
        }
    }
    let mut known = BTreeSet::new();
    found.retain(|place| known.insert(place.path.canonicalize().unwrap_or_else(|_| place.path.clone())));
    if found.is_empty() {
        let places: Vec<String> = places.iter().map(|place| place.display().to_string()).collect();
        return Err(Error::user(format!("there is no record in {}", places.join(", ")))
            .hint("`dbdyno list records --dir DIR` shows the records of a directory"));
    }
    Ok(found)
}

fn in_directory(directory: &Path) -> Result<Vec<Place>> {
    let mut places = Vec::new();
    for Entry { path, content } in store::list(directory)?.into_iter().rev() {
        match content {
            Ok(summary) => places.push(Place { path, tests: Some(summary.tests) }),
            Err(error) => note(&format!("left out: {error}")),
        }
    }
    Ok(places)
}

/// A record that was asked for and cannot be read is the user's mistake.
pub fn unreadable(error: store::Error) -> Error {
    Error { fault: Fault::User, ..Error::from(error) }
}
