//! File streams: each job has a file of its own, in the engine or on the file system, and goes through it once, request
//! by request.
//!
//! Each request is a statement; a transaction holds a whole file, or a number of requests. It shows the cost of files
//! in the database, but not the rate of many small files.

mod backend;
mod buffer;
mod compare;
mod content;
mod file_system;
mod job;

pub use backend::{EngineBackend, FileBackend};
pub use compare::{Comparing, compare};
pub use content::{Content, Signature};
pub use file_system::FileSystemBackend;
pub use job::{Progress, StreamJob, StreamShape};

/// The code of runs of file streams; followed by an `@`, the form and the direction.
pub const CODE: &str = "S100";

/// The form of files on the file system.
pub const FILE_SYSTEM: &str = "file-system";

/// Requests are multiples of this: each page of a file has a stamp, and direct I/O needs whole blocks.
pub const PAGE_BYTES: u64 = 4096;

/// The most streams; more are taken for a typing error.
pub const STREAMS_MAX: u32 = 4096;
