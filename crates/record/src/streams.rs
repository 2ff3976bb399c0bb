//! Runs of file streams: files in the engine, or on the file system for comparison.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Latency, Ratio};

/// Direction of a file stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamDirection {
    /// Files are written.
    Write,
    /// Files are read.
    Read,
}

impl StreamDirection {
    /// Its name in codes.
    pub fn word(self) -> &'static str {
        match self {
            StreamDirection::Write => "write",
            StreamDirection::Read => "read",
        }
    }
}

/// Backend of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamBackend {
    /// The engine.
    Engine,
    /// The file system, direct I/O.
    FileSystemDirect,
    /// The file system, buffered I/O.
    FileSystemCached,
}

/// A file that was read again after the window and compared byte by byte with the written data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ComparedFile {
    /// Its stream, counted from 1.
    pub stream: u32,
    /// Its size.
    pub size_bytes: Bytes,
    /// CRC-32C of the written data.
    pub written_crc32c: u32,
    /// CRC-32C of the data read.
    pub read_crc32c: u32,
    /// Whether all bytes are equal.
    pub equal: bool,
}

/// A run of file streams. Each job is a stream: it writes or reads its own file once, in requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FileStreams {
    /// Storage form of the engine, or `file-system`.
    pub form: String,
    /// How files are stored, written and read, as a clause.
    pub means: String,
    /// Backend.
    pub backend: StreamBackend,
    /// Direction.
    pub direction: StreamDirection,
    /// Request size.
    pub request_bytes: Bytes,
    /// File size.
    pub file_bytes: Bytes,
    /// Requests per transaction; on a file system, between two syncs.
    pub requests_per_commit: u64,
    /// Number of complete files.
    pub whole_files: u32,
    /// Share of the engine's files in the page cache before the reads; absent if not measured.
    pub page_cached: Option<Ratio>,
    /// Whether the files of a run without the engine are on the device of the engine's data; absent for other runs and
    /// if unknown.
    pub same_device: Option<bool>,
    /// From start to end of each request.
    pub requests: Latency,
    /// Time before the requests of a transaction: begin, and open or create.
    pub openings: Latency,
    /// Time after the requests: close, and commit or sync.
    pub commits: Latency,
    /// Requests with a misplaced page.
    pub wrong_requests: u64,
    /// Bytes of all files counted by the engine after a write; absent if not queried.
    pub counted_bytes: Option<Bytes>,
    /// Files compared after a read.
    pub compared: Vec<ComparedFile>,
}
