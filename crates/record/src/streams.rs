//! What a run of file streams has beside other runs: files kept in the engine, or on the file system beside it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Latency, Ratio};

/// Which way the bytes of a file stream go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamDirection {
    /// Files are written.
    Write,
    /// Files are read.
    Read,
}

impl StreamDirection {
    /// As it stands in codes.
    pub fn word(self) -> &'static str {
        match self {
            StreamDirection::Write => "write",
            StreamDirection::Read => "read",
        }
    }
}

/// Who keeps the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamBackend {
    /// The engine, as objects of a form.
    Engine,
    /// The file system, past the page cache.
    FileSystemDirect,
    /// The file system, through the page cache.
    FileSystemCached,
}

/// A file that was read once more after the window, and compared byte by byte with what was written into it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComparedFile {
    /// The stream that it belongs to, counted from 1.
    pub stream: u32,
    /// How long it is.
    pub size_bytes: Bytes,
    /// CRC-32C of what was written.
    pub written_crc32c: u32,
    /// CRC-32C of what was read.
    pub read_crc32c: u32,
    /// Whether they are the same, byte by byte.
    pub equal: bool,
}

/// What a run of file streams was like. Each job is a stream: it has a file of its own and goes through it once, request
/// by request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileStreams {
    /// The form in which files are kept, or `file-system`.
    pub form: String,
    /// What that is, and how it is written and read, as a clause.
    pub means: String,
    /// Who keeps them.
    pub backend: StreamBackend,
    /// Which way bytes go.
    pub direction: StreamDirection,
    /// Size of each request.
    pub request_bytes: Bytes,
    /// Size that each file is to have.
    pub file_bytes: Bytes,
    /// Requests of a transaction; on a file system, those between two syncs.
    pub requests_per_commit: u64,
    /// Files that are as long as they are to be.
    pub whole_files: u32,
    /// Share of the engine's files that lay in the page cache just before reads began; absent where nobody looked.
    pub page_cached: Option<Ratio>,
    /// Whether the files of a run without the engine lie on the device of the engine's data; absent of other runs, and
    /// where it is not known.
    pub same_device: Option<bool>,
    /// Begun to done of each request.
    pub requests: Latency,
    /// Begun to done of what stands before the requests of a transaction: its beginning, and opening or creating.
    pub openings: Latency,
    /// Begun to done of what stands behind them: closing, and the commit or sync.
    pub commits: Latency,
    /// Requests in which a page was not the one that belongs there.
    pub wrong_requests: u64,
    /// Bytes of all files as the engine itself counts them after a write; absent where it was not asked.
    pub counted_bytes: Option<Bytes>,
    /// The comparison that follows a read.
    pub compared: Vec<ComparedFile>,
}
