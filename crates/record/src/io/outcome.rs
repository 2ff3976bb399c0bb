//! What came of the I/O of one run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Latency, Nanos, Pace, Rate, Ratio, Second};

/// What a run of storage has beside the columns of every run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    /// What was really used, in words: `io_uring, registered files and buffers, DEFER_TASKRUN`; one entry per
    /// different mode of its jobs.
    pub modes: Vec<String>,
    /// What was asked for and not to be had, with the reason: `polled completion: Operation not supported`.
    pub refused: Vec<String>,
    /// Operations per second of one thread that does nothing, through the same path at the same depth: the
    /// generator's own ceiling. Absent where it was not measured.
    pub generator_per_second: Option<Rate>,
    /// The longest that a thread of ours which only sleeps woke up late during the window: above some milliseconds,
    /// the generator itself was held up.
    pub stall_ns_max: Option<Nanos>,
    /// The files and devices.
    pub files: Vec<IoFile>,
    /// One per job (or report group) and kind of I/O.
    pub streams: Vec<IoStream>,
    /// Preconditioning: the rounds before the window, in order; empty where there was none.
    pub rounds: Vec<Round>,
    /// The service level that a search holds this run against, `p99=1ms`; absent where there is none.
    pub bound: Option<String>,
}

/// A file or device of a run, as found when the window began.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoFile {
    /// Absolute path.
    pub path: String,
    /// Its length.
    pub size_bytes: Bytes,
    /// Bytes of it that lie in the regions of the jobs.
    pub region_bytes: Bytes,
    /// Whether it was there before and is not ours.
    pub found: bool,
    /// Whether it is a block device.
    pub is_device: bool,
    /// Type of the file system that it lies in: `ext4`.
    pub file_system: Option<String>,
    /// Whether the block layer lies below it at all: not so in memory (tmpfs) and over a network.
    pub has_device: Option<bool>,
    /// Bytes of the regions without blocks; absent where the file system does not tell.
    pub hole_bytes: Option<Bytes>,
    /// Bytes of the regions that are reserved and were never written.
    pub unwritten_bytes: Option<Bytes>,
    /// Share of the regions in the page cache when the window began.
    pub cached: Option<Ratio>,
    /// Size of a sample of what it holds when the run has ended, after deflating it, over its size before; 1 for what
    /// cannot be compressed.
    pub compressed: Option<Ratio>,
    /// Share of equal blocks in that sample, all of them but one of each kind.
    pub repeated: Option<Ratio>,
}

/// A kind of I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IoKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Trims (discards).
    Trim,
    /// fsync and fdatasync, apart from the writes before them.
    Sync,
    /// A write and the sync after it as one.
    Commit,
}

/// I/O of one kind, of one job or of all jobs of a report group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoStream {
    /// Name of the job.
    pub job: String,
    /// Its report group.
    pub report_group: u32,
    /// The number of the clone, from 0, where clones are reported one by one.
    pub clone: Option<u32>,
    /// What it does.
    pub kind: IoKind,
    /// Clones that are counted here.
    pub clones: u32,
    /// I/Os in flight per clone; the largest of a group.
    pub depth: u32,
    /// I/Os in flight at most, of all clones together; kinds of I/O of one job share them.
    pub slots: u32,
    /// Share of the time in which the job is at work: below 1 for one that works in bursts, whose rate is that within
    /// a burst.
    pub at_work: Ratio,
    /// The smallest block.
    pub block_bytes_min: Bytes,
    /// The largest block.
    pub block_bytes_max: Bytes,
    /// Whether most of it jumps.
    pub random: bool,
    /// Past the page cache.
    pub direct: bool,
    /// When it was due: all clones together, all kinds of I/O of the job together.
    pub pace: Pace,
    /// From the release to the end of the last I/O of the stream.
    pub window_ns: Nanos,
    /// I/Os that succeeded.
    pub operations: u64,
    /// Bytes of them.
    pub bytes: Bytes,
    /// I/Os that transferred less than was asked for; they count among the failures.
    pub short: u64,
    /// I/Os that failed.
    pub failures: u64,
    /// The first error, in words.
    pub first_failure: Option<String>,
    /// I/Os that were due and had not begun at the end.
    pub unfinished: u64,
    /// Blocks whose content was checked.
    pub verified: u64,
    /// Blocks that did not hold what they should.
    pub corrupt: u64,
    /// Begun to done.
    pub service: Latency,
    /// Due to done.
    pub response: Latency,
    /// Second by second.
    #[serde(with = "crate::series::columns")]
    #[schemars(with = "crate::series::Columns")]
    pub seconds: Vec<Second>,
}

/// One round of preconditioning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Round {
    /// Its length.
    pub length_ns: Nanos,
    /// I/Os per second in it.
    pub operations_per_second: Rate,
}

/// One I/O, as a raw log has it. Not part of a record: a log is a file of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoMark {
    /// Index of the stream in [`Storage::streams`].
    pub stream: u32,
    /// When it was due, counted from the beginning of the window.
    pub due_ns: Nanos,
    /// When it began.
    pub start_ns: Nanos,
    /// When it was done.
    pub end_ns: Nanos,
    /// Where in the file.
    pub offset: u64,
    /// How much.
    pub size_bytes: Bytes,
    /// Whether it failed; it stands in no histogram then.
    pub failed: bool,
}
