//! What an I/O engine does: takes requests and returns their completions.

use std::io;
use std::os::fd::RawFd;

use record::Nanos;

/// Type of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    Read,
    Write,
    /// Deallocates the blocks.
    Trim,
    /// fdatasync where `data_only`, fsync otherwise.
    Sync {
        data_only: bool,
    },
    /// A write, followed by the sync that makes it durable.
    Commit {
        data_only: bool,
    },
}

/// One request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IoRequest {
    pub operation: Operation,
    /// Index of the file in [`IoEngineSettings::files`].
    pub file: u32,
    pub offset: u64,
    pub length: u32,
    /// Data buffer; owned by the slot until the request completes.
    pub memory: *mut u8,
}

/// Settings of an I/O engine.
#[derive(Clone, Debug)]
pub(crate) struct IoEngineSettings {
    pub depth: u32,
    /// Entries of the submission queue; a commit takes two.
    pub entries: u32,
    pub files: Vec<RawFd>,
    /// All memory of all slots, for registration.
    pub memory: (*mut u8, usize),
    pub write_dsync: bool,
}

/// Executes requests, at most one per slot at a time.
pub(crate) trait IoEngine {
    /// Queues a request; it starts at once or with [`IoEngine::submit`].
    fn queue(&mut self, slot: u32, request: &IoRequest) -> io::Result<()>;

    /// Submits all queued requests, and waits for `least` completions, or until `until`.
    fn submit(&mut self, least: u32, until: Option<Nanos>) -> io::Result<()>;

    /// Completions that are known and not yet reaped.
    fn found(&self) -> u32;

    /// A completion: the slot, and the number of bytes or the negative error number.
    fn reap(&mut self) -> Option<(u32, i32)>;
}
