//! Results of the I/O of one run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Latency, Nanos, Pace, Rate, Ratio, Second};

/// Additional results of a run of I/O jobs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Storage {
    /// I/O modes in use, in words: `io_uring, registered files and buffers, DEFER_TASKRUN`; one entry per distinct
    /// mode.
    pub modes: Vec<String>,
    /// Requested but unavailable modes, with the reason: `polled completion: Operation not supported`.
    pub refused: Vec<String>,
    /// Operations per second of one thread with null I/O at the same depth: the ceiling of the generator. Absent if not
    /// measured.
    pub generator_per_second: Option<Rate>,
    /// Maximum scheduling delay of a sleeping thread during the window: above some milliseconds, the generator itself
    /// was delayed.
    pub scheduling_delay_ns_max: Option<Nanos>,
    /// The files and devices.
    pub files: Vec<IoFile>,
    /// One per job (or report group) and kind of I/O.
    pub streams: Vec<IoStream>,
    /// What each member of the volume below the files did during the window; empty without a volume of several devices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<MemberIo>,
    /// What the cache device below the files counted itself during the window; absent without one, or where it does not
    /// show its counters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache: Option<CacheCounts>,
    /// Rounds of preconditioning before the window, in order.
    pub rounds: Vec<Round>,
    /// The service level of a search, such as `p99=1ms`; absent without one.
    pub bound: Option<String>,
}

/// What the block layer counted of one member of a volume during the window, I/O of other programs included.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MemberIo {
    /// Kernel name of the device or partition.
    pub name: String,
    /// Completed read requests.
    pub read_count: u64,
    /// Bytes read.
    pub read_bytes: Bytes,
    /// Time of the read requests, summed (counted in milliseconds).
    pub read_ns: Nanos,
    /// Completed write requests.
    pub write_count: u64,
    /// Bytes written.
    pub write_bytes: Bytes,
    /// Time of the write requests, summed (counted in milliseconds).
    pub write_ns: Nanos,
}

/// What a cache device counted itself of the requests to it, those of other programs included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CacheCounts {
    /// Reads that the cache served.
    pub read_hits: u64,
    /// Reads that it did not serve.
    pub read_misses: u64,
    /// Blocks that were copied from the origin to the cache; absent where that is not counted.
    pub promotions: Option<u64>,
}

/// A loop device with its file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LoopFile {
    /// Kernel name of the loop device: `loop0`.
    pub device: String,
    /// The file that it reads and writes.
    pub path: String,
    /// Type of the file system of that file: `ext4`.
    pub file_system: Option<String>,
    /// Whether it does so past the page cache.
    pub is_direct: bool,
}

/// A file or device of a run, at the start of the window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoFile {
    /// The agent on whose host it is; absent where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// Absolute path.
    pub path: String,
    /// Its length.
    pub size_bytes: Bytes,
    /// Bytes in the regions of the jobs.
    pub region_bytes: Bytes,
    /// Whether it existed before and is not a file of dbdyno.
    pub found: bool,
    /// Whether it is a block device.
    pub is_device: bool,
    /// Type of its file system: `ext4`.
    pub file_system: Option<String>,
    /// Whether it is on a block device: not for tmpfs, network file systems and devices in memory.
    pub has_device: Option<bool>,
    /// Whether it is on NFS, whose client counts the requests to the server in place of a block device.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_counted_by_mount: bool,
    /// Whether a job of the run reads it; absent in records of versions that do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_read: Option<bool>,
    /// The device that keeps its blocks in the memory of the host, where it is on such a one: `ram0`, `zram1`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_device: Option<String>,
    /// The loop device that it is, or that is below it, with the file that this one reads and writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loop_file: Option<LoopFile>,
    /// Holes in the regions, bytes; absent if the file system does not report them.
    pub hole_bytes: Option<Bytes>,
    /// Unwritten extents in the regions, bytes.
    pub unwritten_bytes: Option<Bytes>,
    /// Share of the regions in the page cache at the start of the window; of a loop device, share of its file.
    pub cached: Option<Ratio>,
    /// Compression ratio (deflated size over size) of a sample of its data after the run; 1 for incompressible data.
    pub compressed: Option<Ratio>,
    /// Share of duplicate blocks in that sample.
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
    /// fsync and fdatasync, without the writes before them.
    Sync,
    /// A write and its sync as one operation.
    Commit,
}

/// I/O of one kind, of one job or of all jobs of a report group.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoStream {
    /// Name of the job; those of a report group in their order, separated by a comma and a space.
    pub job: String,
    /// Its report group.
    pub report_group: u32,
    /// The number of the thread, from 0, where threads are reported separately.
    pub clone: Option<u32>,
    /// Kind of I/O.
    pub kind: IoKind,
    /// Threads that are counted here.
    pub clones: u32,
    /// I/Os in flight per thread; the largest of a group.
    pub depth: u32,
    /// Maximum I/Os in flight of all threads together; the kinds of I/O of one job share them.
    pub slots: u32,
    /// Mean number of I/Os of the stream in flight: the time integral over its window, each I/O from its start until its
    /// completion was found. Absent in records of before it was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_flight_mean: Option<f64>,
    /// Duty cycle of the job: below 1 for bursts, whose rate is that within a burst.
    pub duty_cycle: Ratio,
    /// The smallest block.
    pub block_bytes_min: Bytes,
    /// The largest block.
    pub block_bytes_max: Bytes,
    /// Whether it is mostly random.
    pub random: bool,
    /// Direct I/O.
    pub direct: bool,
    /// Pace of all threads and all kinds of I/O of the job together.
    pub pace: Pace,
    /// From the start of the window to the end of the last I/O of the stream.
    pub window_ns: Nanos,
    /// I/Os that succeeded.
    pub operations: u64,
    /// Their bytes.
    pub bytes: Bytes,
    /// Short transfers; they are included in the failures.
    pub short: u64,
    /// I/Os that failed.
    pub failures: u64,
    /// The first error, in words.
    pub first_failure: Option<String>,
    /// I/Os that were scheduled and not started at the end.
    pub unfinished: u64,
    /// Blocks that were read and hold what was written last.
    pub verified: u64,
    /// Blocks with unexpected content.
    pub corrupt: u64,
    /// Blocks that hold what was there before a write of this invocation that succeeded: the write was lost.
    #[serde(default)]
    pub stale: u64,
    /// Blocks that were read and are neither right nor wrong: which write they have to hold is not known.
    #[serde(default)]
    pub unverified: u64,
    /// From start to end.
    pub service: Latency,
    /// From intended start to end.
    pub response: Latency,
    /// Second by second.
    #[serde(with = "crate::series::columns")]
    #[schemars(with = "crate::series::Columns")]
    pub seconds: Vec<Second>,
}

/// Between the names of jobs in [`IoStream::job`].
const JOB_SEPARATOR: &str = ", ";

impl IoStream {
    /// The name of a stream of these jobs, each of which is named once.
    pub fn name_of<'a>(jobs: impl IntoIterator<Item = &'a str>) -> String {
        let mut names: Vec<&str> = Vec::new();
        for job in jobs {
            if !names.contains(&job) {
                names.push(job);
            }
        }
        names.join(JOB_SEPARATOR)
    }

    /// The names of the jobs that are counted here.
    pub fn jobs(&self) -> impl Iterator<Item = &str> {
        self.job.split(JOB_SEPARATOR)
    }

    /// Whether I/O of the job `name` is counted here.
    pub fn is_of(&self, name: &str) -> bool {
        self.job == name || self.jobs().any(|job| job == name)
    }
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

/// One I/O of a raw log, which is a separate file and not part of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoLogEntry {
    /// Index of the stream in [`Storage::streams`].
    pub stream: u32,
    /// Intended start, from the start of the window.
    pub due_ns: Nanos,
    /// Start.
    pub start_ns: Nanos,
    /// End.
    pub end_ns: Nanos,
    /// Offset in the file.
    pub offset: u64,
    /// Size.
    pub size_bytes: Bytes,
    /// Whether it failed; failed I/Os are in no histogram.
    pub failed: bool,
}
