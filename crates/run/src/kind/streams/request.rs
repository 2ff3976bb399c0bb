//! The request, parsed.

use record::{Bytes, Nanos, Plan};

use crate::Setup;

/// A measurement of file streams.
#[derive(Clone, Debug)]
pub struct StreamsRequest {
    /// What every kind of run is asked for.
    pub setup: Setup,
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
}
