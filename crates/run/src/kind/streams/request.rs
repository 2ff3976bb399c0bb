//! What is asked for, already parsed.

use std::path::PathBuf;

use record::{Build, Bytes, Nanos, Placement, Plan, Preset};

use super::stream_run::StreamRuns;
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
    /// Requests of a transaction; none for a whole file.
    pub requests_per_commit: Option<u64>,
    /// Whether files on the file system pass the page cache by; none for where they can.
    pub direct: Option<bool>,
    /// The longest window; none for as long as the files take.
    pub window: Option<Nanos>,
    /// How large the cache of a server of dbdyno's own is.
    pub preset: Preset,
    /// Directory below which the measured directory is made.
    pub directory: PathBuf,
    /// What all data are drawn from.
    pub seed: u64,
    /// Where jobs run.
    pub placement: Placement,
    /// Whether somebody looks at what the sessions of the engine are doing.
    pub looks: bool,
    /// Where the record goes.
    pub record: PathBuf,
    /// The version of the program, for the record.
    pub version: String,
    /// What the program was built from and with, for the record.
    pub build: Option<Build>,
}

impl StreamsRequest {
    /// Requests of a file.
    pub(super) fn requests(&self) -> u64 {
        self.file_bytes.0 / self.request_bytes.0.max(1)
    }

    /// Requests of a transaction.
    pub(super) fn per_commit(&self) -> u64 {
        self.requests_per_commit.unwrap_or(u64::MAX).min(self.requests()).max(1)
    }

    fn window_max(&self) -> Nanos {
        self.window.unwrap_or(Plan::OPEN_WINDOW_NS)
    }

    /// As one would ask for tests of the catalogue: what opens directory and engine needs.
    pub(super) fn request(&self) -> Request {
        Request {
            directory: self.directory.clone(),
            degrees: Some(self.streams.clone()),
            preset: self.preset,
            window: Some(self.window_max()),
            seed: self.seed,
            placement: self.placement,
            looks: self.looks,
            ..Request::bare(&self.record, &self.version, self.build.as_ref())
        }
    }

    /// The plan: a run for each of `stream_runs`.
    pub(super) fn plan(&self, target: &str, directory: &std::path::Path, stream_runs: &StreamRuns) -> Plan {
        Plan {
            window_ns: self.window_max(),
            seed: self.seed,
            placement: self.placement,
            runs: stream_runs.planned(),
            skipped: stream_runs.skipped.clone(),
            ..Plan::new(target, directory.display().to_string(), self.preset)
        }
    }
}
