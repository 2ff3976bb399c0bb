//! I/O jobs of job files, profiles, probes and the command line, with all values resolved.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::setting::{
    Amount, Blocks, BufferContent, Coverage, Distribution, FileChoice, IoMix, IoMode, IoOrder, Layout, OpenSync,
    RingOptions, SequenceStep, SyncEvery, Verification,
};
use crate::{Bytes, Nanos, Pace, Ratio};

/// The I/O of one invocation, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoPlan {
    /// Phases, one after the other.
    pub phases: Vec<IoPhase>,
    /// Options without effect here, a clause each: `exitall (line 7): jobs of a phase end by themselves`.
    pub ignored: Vec<String>,
    /// Options that do not do what they seem to, a clause each, with the line if there is one.
    pub lints: Vec<String>,
}

/// Concurrent jobs: one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoPhase {
    /// Its name: the names of its jobs, or of the profile.
    pub name: String,
    /// The jobs.
    pub jobs: Vec<IoJob>,
}

/// One job: identical I/O by `clones` threads (fio's `numjobs`), each with its own queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoJob {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// Number of identical threads (fio's `numjobs`), at least 1.
    pub clones: u32,
    /// Jobs with the same number are reported as one stream per kind of I/O (fio's `group_reporting`, `new_group`).
    pub report_group: u32,
    /// Whether all threads of the job, and other jobs of the same report group, are reported as one.
    pub grouped: bool,

    /// Sequential or random.
    pub order: IoOrder,
    /// Shares of reads, writes and trims.
    pub mix: IoMix,
    /// Block sizes of reads.
    pub read_blocks: Blocks,
    /// Block sizes of writes.
    pub write_blocks: Blocks,
    /// Block sizes of trims.
    pub trim_blocks: Blocks,
    /// Random offsets are multiples of this; absent for the smallest block size.
    pub align_bytes: Option<Bytes>,
    /// Distribution of random offsets.
    pub distribution: Distribution,
    /// Whether random I/O covers all blocks before it repeats one.
    pub coverage: Coverage,
    /// Blocks between random jumps, and gaps between sequential blocks.
    pub sequence: SequenceStep,

    /// I/O engine.
    pub mode: IoMode,
    /// Options of io_uring.
    pub ring: RingOptions,
    /// I/Os in flight per thread, at least 1.
    pub depth: u32,
    /// I/Os per submission; 0 for all that are ready.
    pub batch_submit: u32,
    /// Minimum number of completions per wait, at least 1.
    pub batch_complete_min: u32,
    /// Direct I/O (O_DIRECT).
    pub direct: bool,
    /// Synchronous writes by open or write flags.
    pub open_sync: OpenSync,
    /// A sync after every N writes.
    pub sync_every: Option<SyncEvery>,
    /// Whether a write and its sync are one operation with one latency, a commit. Needs `sync_every` of 1 write, or an
    /// `open_sync`.
    pub commit: bool,
    /// One fsync at the end of the job, within its run.
    pub end_sync: bool,

    /// The files, relative to the measured directory; `$jobnum` in a name stands for the number of the thread. An
    /// absolute path is a device or an existing file.
    pub files: Vec<String>,
    /// Selection of the next file.
    pub file_choice: FileChoice,
    /// State of the files at the start of the run.
    pub layout: Layout,
    /// Length of each file; absent for that of the device or existing file, or else `offset` plus `size`.
    pub file_size: Option<Bytes>,
    /// Start of the region in each file.
    pub offset: Amount,
    /// Added to `offset` per thread.
    pub offset_increment: Amount,
    /// Length of the region; absent for the rest of the file.
    pub size: Option<Amount>,
    /// Bytes of I/O per thread, unless `time_based`; absent for one pass over the region.
    pub io_bytes: Option<Amount>,
    /// Number of passes, at least 1.
    pub loops: u32,
    /// Number of I/Os after which each thread ends.
    pub io_count: Option<u64>,
    /// Runs until `run_time` is over, regardless of the amount of I/O.
    pub time_based: bool,
    /// Time limit of the job; absent if only the amount of I/O ends it.
    pub run_time: Option<Nanos>,
    /// Warm-up before the window.
    pub ramp_time: Nanos,
    /// Delay of the start of the job.
    pub start_delay: Nanos,

    /// Pace; rates are of all threads together, in I/Os per second.
    pub pace: Pace,
    /// Duty cycle, and the length of one cycle: a checkpoint writes in bursts. Absent for continuous I/O.
    pub burst: Option<(Ratio, Nanos)>,

    /// Content of writes.
    pub content: BufferContent,
    /// Verification of written data.
    pub verification: Verification,
    /// Random seed; absent for a new seed in each invocation.
    pub seed: Option<u64>,
    /// Allowed processors of the threads; empty for all.
    pub cpus_allowed: Vec<u32>,
    /// Whether thread i only runs on the i-th of them.
    pub cpus_split: bool,
}

impl IoJob {
    /// I/Os that each thread can have in flight: one for synchronous I/O, whatever the depth.
    pub fn slots(&self) -> u32 {
        match self.mode {
            IoMode::Synchronous => 1,
            IoMode::Ring | IoMode::Null => self.depth.max(1),
        }
    }
}

impl Default for IoJob {
    /// Random direct reads of 4 KiB by io_uring, one at a time, every block once, without a file.
    fn default() -> IoJob {
        let blocks = Blocks::all(Bytes::KIB.times(4));
        IoJob {
            name: String::new(),
            description: None,
            clones: 1,
            report_group: 0,
            grouped: true,
            order: IoOrder::RANDOM,
            mix: IoMix::READ,
            read_blocks: blocks.clone(),
            write_blocks: blocks.clone(),
            trim_blocks: blocks,
            align_bytes: None,
            distribution: Distribution::Uniform,
            coverage: Coverage::Full,
            sequence: SequenceStep { blocks_per_jump: 1, gap_bytes: 0 },
            mode: IoMode::Ring,
            ring: RingOptions {
                fixed_buffers: true,
                registered_files: true,
                polled: false,
                submission_polled: false,
                submission_processor: None,
            },
            depth: 1,
            batch_submit: 0,
            batch_complete_min: 1,
            direct: true,
            open_sync: OpenSync::None,
            sync_every: None,
            commit: false,
            end_sync: false,
            files: Vec::new(),
            file_choice: FileChoice::RoundRobin,
            layout: Layout::Written,
            file_size: None,
            offset: Amount::Bytes(Bytes(0)),
            offset_increment: Amount::Bytes(Bytes(0)),
            size: None,
            io_bytes: None,
            loops: 1,
            io_count: None,
            time_based: false,
            run_time: None,
            ramp_time: Nanos(0),
            start_delay: Nanos(0),
            pace: Pace::Unthrottled,
            burst: None,
            content: BufferContent::Random,
            verification: Verification::None,
            seed: None,
            cpus_allowed: Vec::new(),
            cpus_split: false,
        }
    }
}
