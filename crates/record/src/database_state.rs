//! The state of a database when the window of a run begins and ends.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Bytes;

/// What a database is like at one moment: the size of its tables, what of them is cached, and what is still to be written. What
/// its engine does not tell is absent, never zero. Of several nodes it is that of the first one of the run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DatabaseState {
    /// Size of the tables of dbdyno with their indexes; of an engine with one file, the part of it that is in use.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub table_bytes: Option<Bytes>,
    /// Pages of tables and indexes in the buffer cache of the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_bytes: Option<Bytes>,
    /// Those of them that were changed and are not written yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dirty_bytes: Option<Bytes>,
    /// Bytes of the files of the engine in the page cache of its host, without those of the log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub page_cached_bytes: Option<Bytes>,
    /// Position in the log: bytes that were written to it since it exists (LSN); of a log that begins again after each
    /// checkpoint, its length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_position_bytes: Option<Bytes>,
    /// Log since the last checkpoint: what a recovery would read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_since_checkpoint_bytes: Option<Bytes>,
    /// Whether the part of the log that comes next was written before. Where it was not, each flush also changes the metadata
    /// of the file system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_log_written_before: Option<bool>,
    /// Versions of rows that no transaction needs any more and whose space is not reclaimed: dead rows; where the engine keeps them in an
    /// undo log, its transactions (history list length).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dead_row_count: Option<u64>,
    /// How often the tables were vacuumed so far, by dbdyno or by the engine itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vacuum_count: Option<u64>,
}
