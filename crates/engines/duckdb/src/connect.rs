//! The database, opened as the target says, and connections to it.

use std::path::Path;
use std::sync::Arc;

use engine::Result;

use crate::capi::{Connection, Database, Library};
use crate::setting::Settings;

/// Opens the database that was claimed.
pub(crate) fn open(library: Library, database: &Path, settings: &Settings) -> Result<Arc<Database>> {
    Database::open(library, Some(database), &settings.configuration())
}

/// A connection to an empty database in memory, of a library that nothing was said to: what it answers is the default.
pub(crate) fn untouched(library: Library) -> Result<Connection> {
    Database::open(library, None, &[])?.connect()
}
