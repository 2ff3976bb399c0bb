//! The path of a new record.

use std::path::{Path, PathBuf};

use run::{Error, Result};

/// The default path of a record: in the current directory, named by time and host.
pub fn default_record() -> PathBuf {
    PathBuf::from(store::default_name(std::time::SystemTime::now(), &host::host_name()))
}

/// Refuses to overwrite a record.
///
/// # Errors
/// Where `path` exists.
pub fn refuse_existing(path: &Path) -> Result<()> {
    match path.exists() {
        true => Err(Error::user(format!("record {} exists", path.display())).hint("give another --record")),
        false => Ok(()),
    }
}

/// The path of the record: `given`, or the default.
///
/// # Errors
/// Where it exists.
pub fn record_path(given: Option<&Path>) -> Result<PathBuf> {
    let path = given.map_or_else(default_record, Path::to_owned);
    refuse_existing(&path).map(|()| path)
}
