//! The request, parsed.

use std::path::PathBuf;

use record::{Build, Bytes, Nanos, Placement, Plan, Preset};

use crate::Request;

/// A measurement of file streams.
#[derive(Clone, Debug)]
pub struct StreamsRequest {
    /// Names of the forms; empty for the file system and every form of the engine.
    pub forms: Vec<String>,
    /// Numbers of streams, each at least 1.
    pub streams: Vec<u32>,
    /// Size of each request, a multiple of [`workload::streams::PAGE_BYTES`].
    pub request_bytes: Bytes,
    /// Size of the file of each stream, a multiple of the request.
    pub file_bytes: Bytes,
    /// Requests per transaction; none for a whole file.
    pub requests_per_commit: Option<u64>,
    /// Whether files on the file system use direct I/O; none for direct I/O where it is supported.
    pub direct: Option<bool>,
    /// The longest window; none for no limit.
    pub window: Option<Nanos>,
    /// The preset: cache size of a temporary server.
    pub preset: Preset,
    /// Directory below which the measured directory is made.
    pub directory: PathBuf,
    /// Seed of all data.
    pub seed: u64,
    /// Placement of jobs on processors.
    pub placement: Placement,
    /// Whether the sessions of the engine are sampled during runs.
    pub sample_sessions: bool,
    /// Path of the record.
    pub record: PathBuf,
    /// The version of the program, for the record.
    pub version: String,
    /// What the program was built from and with, for the record.
    pub build: Option<Build>,
}

impl StreamsRequest {
    /// Requests per file.
    pub(super) fn requests(&self) -> u64 {
        self.file_bytes.0 / self.request_bytes.0.max(1)
    }

    /// Requests per transaction.
    pub(super) fn per_commit(&self) -> u64 {
        self.requests_per_commit.unwrap_or(u64::MAX).min(self.requests()).max(1)
    }

    pub(super) fn window_max(&self) -> Nanos {
        self.window.unwrap_or(Plan::OPEN_WINDOW_NS)
    }

    /// As a request for the catalogue: what opens directory and engine needs.
    pub(super) fn request(&self) -> Request {
        Request {
            directory: self.directory.clone(),
            degrees: Some(self.streams.clone()),
            preset: self.preset,
            window: Some(self.window_max()),
            seed: self.seed,
            placement: self.placement,
            sample_sessions: self.sample_sessions,
            ..Request::bare(&self.record, &self.version, self.build.as_ref())
        }
    }
}
