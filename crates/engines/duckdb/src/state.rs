//! The state of the database: the file and its log, and what of it is in memory.
//!
//! Source: DuckDB documentation, "Pragmas" (`database_size`) and "Meta-Table Functions" (`duckdb_memory`). The log begins again
//! with each checkpoint, in a new file; what it holds is text of a size with its unit, so its file is looked at.

use engine::{Result, Session, Value};
use record::{Bytes, DatabaseState};

use crate::claim::Files;

/// Blocks in use.
const TABLES: &str =
    "select (used_blocks * block_size)::bigint from pragma_database_size() where database_name = current_database()";

/// Blocks of tables and indexes in memory.
const CACHED: &str =
    "select sum(memory_usage_bytes)::bigint from duckdb_memory() where tag in ('BASE_TABLE', 'ART_INDEX')";

/// The state of the database in `files`.
pub(crate) fn of(session: &mut dyn Session, files: &Files) -> Result<DatabaseState> {
    let mut bytes = |sql: &str| -> Result<Option<Bytes>> {
        let statement = session.prepare(sql)?;
        let rows = session.query(statement, &[])?;
        Ok(match rows.first().map(Vec::as_slice) {
            Some([Value::Int(number)]) => u64::try_from(*number).ok().map(Bytes),
            _ => None,
        })
    };
    let log_bytes = Bytes(std::fs::metadata(files.log()).map_or(0, |log| log.len()));
    Ok(DatabaseState {
        table_bytes: bytes(TABLES)?,
        cached_bytes: bytes(CACHED)?,
        log_position_bytes: Some(log_bytes),
        log_since_checkpoint_bytes: Some(log_bytes),
        is_log_written_before: Some(false),
        ..DatabaseState::default()
    })
}
