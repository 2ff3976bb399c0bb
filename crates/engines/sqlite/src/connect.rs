//! Connections, with the settings of the target.

use std::path::Path;
use std::sync::Arc;

use engine::Result;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::counter::SessionShard;
use crate::failure;
use crate::hook::Hooks;
use crate::setting::Settings;
use crate::vfs::Vfs;

/// A connection and what must outlive it. The fields are dropped in this order.
pub(crate) struct Link {
    pub(crate) connection: Connection,
    pub(crate) hooks: Arc<Hooks>,
    _vfs: Arc<Vfs>,
}

/// Opens the claimed database. One thread at a time uses a connection, so it needs no mutex.
pub(crate) fn open(database: &Path, settings: &Settings, vfs: &Arc<Vfs>, session_shard: SessionShard) -> Result<Link> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags_and_vfs(database, flags, vfs.name().as_c_str())
        .map_err(|error| failure::of_rusqlite(&error))?;
    let hooks = Hooks::new(session_shard, settings.busy_timeout);
    // SAFETY: the connection is open, and `Link` drops it before the hooks.
    unsafe { Hooks::install(&hooks, connection.handle()) };
    // The last session of a run would write the log into the database as it ends: that is done by settling, which is timed.
    let keeps_log = connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true);
    keeps_log.map_err(|error| failure::of_rusqlite(&error))?;
    let link = Link { connection, hooks, _vfs: Arc::clone(vfs) };
    set(&link.connection, settings).map_err(|error| failure::of_rusqlite(&error))?;
    Ok(link)
}

fn set(connection: &Connection, settings: &Settings) -> rusqlite::Result<()> {
    // A negative number of pages is a size in KiB, whatever the page size.
    let cache_kib = i64::try_from(settings.cache_bytes / 1024).unwrap_or(i64::MAX).clamp(1, i64::from(i32::MAX));
    // WAL mode is stored in the database; other journal modes are set per connection.
    connection.execute_batch(&format!(
        "pragma journal_mode = {}; pragma synchronous = {}; pragma cache_size = -{cache_kib}; pragma mmap_size = {}; \
         pragma wal_autocheckpoint = {}; pragma temp_store = {}; pragma threads = 0",
        settings.journal_mode,
        settings.synchronous,
        settings.mmap_bytes,
        settings.wal_autocheckpoint,
        settings.temp_store
    ))
}
