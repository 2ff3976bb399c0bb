//! File streams: each job has a file of its own, kept in the engine or on the file system, and goes through it once,
//! request by request.
//!
//! Each request is a statement of its own; a transaction holds a whole file, or so many requests. What it answers: what
//! it costs to keep files in the database. What it does not: how fast many small files are.

mod buffer;
mod compare;
mod content;
mod file;
mod job;
mod place;

pub use compare::{Comparing, compare};
pub use content::{Content, Signature};
pub use file::FilePlace;
pub use job::{Progress, StreamJob, StreamShape, steps};
pub use place::{EnginePlace, Place};

/// The code of runs of file streams; behind an `@`, the form and which way bytes go.
pub const CODE: &str = "S100";

/// The form of files that are kept on the file system.
pub const FILE_SYSTEM: &str = "file-system";

/// A request is so many bytes, or a multiple of it: each page of a file has a stamp, and direct I/O wants whole blocks.
pub const PAGE_BYTES: u64 = 4096;

/// More streams than these are a slip of the finger.
pub const STREAMS_MAX: u32 = 4096;
