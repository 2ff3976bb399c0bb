//! Opening of the database, and connections to it.

use std::path::Path;
use std::sync::Arc;

use engine::Result;

use crate::capi::{Connection, Database, Library};
use crate::setting::Settings;

/// Opens the claimed database.
pub(crate) fn open(library: Library, database: &Path, settings: &Settings) -> Result<Arc<Database>> {
    Database::open(library, Some(database), &settings.configuration())
}

/// A connection to an empty in-memory database without settings, which reports the defaults.
pub(crate) fn default_connection(library: Library) -> Result<Connection> {
    Database::open(library, None, &[])?.connect()
}
