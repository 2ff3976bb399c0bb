//! One I/O job, as a job file, a profile, a probe or the command line asks for it. Every value is resolved: what was
//! inherited, defaulted or computed stands here as a number.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::setting::{
    Amount, Blocks, BufferContent, Coverage, Distribution, FileChoice, IoMix, IoMode, IoOrder, Layout, OpenSync,
    RingOptions, SequenceStep, SyncEvery, Verification,
};
use crate::{Bytes, Nanos, Pace, Ratio};

/// All that one invocation does to storage, in the order in which it is done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoPlan {
    /// One after the other.
    pub phases: Vec<IoPhase>,
    /// What was asked for and has no effect here, a clause each: `exitall (line 7): jobs of a phase end by themselves`.
    pub ignored: Vec<String>,
    /// What does not do what it seems to, a clause each, with the line where there is one.
    pub lints: Vec<String>,
}

/// Jobs that run at the same time: one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoPhase {
    /// What it is called: the names of its jobs, or that of the profile.
    pub name: String,
    /// The jobs.
    pub jobs: Vec<IoJob>,
}

/// One job: the same I/O by one or more clones, each a thread with a queue of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoJob {
    /// Its name.
    pub name: String,
    /// What its author says of it.
    pub description: Option<String>,
    /// Threads that do the same (fio's `numjobs`), at least 1.
    pub clones: u32,
    /// Jobs with the same number are reported as one stream per kind of I/O (fio's `group_reporting`, `new_group`).
    pub report_group: u32,
    /// Whether the clones, and other jobs of the same report group, are reported as one.
    pub grouped: bool,

    /// Sequential or random.
    pub order: IoOrder,
    /// Which share of the I/O reads, writes, trims.
    pub mix: IoMix,
    /// Block sizes of reads.
    pub read_blocks: Blocks,
    /// Block sizes of writes.
    pub write_blocks: Blocks,
    /// Block sizes of trims.
    pub trim_blocks: Blocks,
    /// Random offsets are multiples of this; absent for the smallest block size.
    pub align_bytes: Option<Bytes>,
    /// Where random I/O goes.
    pub distribution: Distribution,
    /// Whether random I/O visits every block once before it visits one again.
    pub coverage: Coverage,
    /// Between sequential blocks, or between random jumps.
    pub sequence: SequenceStep,

    /// How I/O is handed to the kernel.
    pub mode: IoMode,
    /// What is asked of an io_uring.
    pub ring: RingOptions,
    /// I/Os in flight per clone, at least 1.
    pub depth: u32,
    /// I/Os that are handed over together; 0 for as many as there are.
    pub batch_submit: u32,
    /// Completions that are waited for before new I/O is made, at least 1.
    pub batch_complete_min: u32,
    /// Past the page cache (O_DIRECT).
    pub direct: bool,
    /// Whether each write is forced to stable storage by how the file is opened or written.
    pub open_sync: OpenSync,
    /// A sync after so many writes.
    pub sync_every: Option<SyncEvery>,
    /// Whether a write and the sync after it are one operation with one latency: a commit. Needs `sync_every` of 1
    /// write, or an `open_sync`.
    pub commit: bool,
    /// One fsync at the end of the job, within its run.
    pub end_sync: bool,

    /// The files, each relative to the measured directory; `$jobnum` in a name stands for the number of the clone,
    /// so that each has files of its own. A name that begins with `/` is a device, or a file that is there already.
    pub files: Vec<String>,
    /// Which file the next I/O goes to.
    pub file_choice: FileChoice,
    /// In which state the files are when the run begins.
    pub layout: Layout,
    /// Length of each file; absent for that of the device or file that is there, or else `offset` plus `size`.
    pub file_size: Option<Bytes>,
    /// Where the region of each file begins.
    pub offset: Amount,
    /// Added to `offset` once per clone.
    pub offset_increment: Amount,
    /// Length of the region of each file; absent for the rest of it.
    pub size: Option<Amount>,
    /// Bytes that each clone reads and writes before it is done, unless `time_based`; absent for its region once.
    pub io_bytes: Option<Amount>,
    /// How often that is repeated, at least 1.
    pub loops: u32,
    /// I/Os after which each clone is done.
    pub io_count: Option<u64>,
    /// Goes on until `run_time` is over, however much was done.
    pub time_based: bool,
    /// Ends the job, whatever is left; absent where only the amount of I/O ends it.
    pub run_time: Option<Nanos>,
    /// I/O that is done before the window and not counted.
    pub ramp_time: Nanos,
    /// The job begins so long after the others.
    pub start_delay: Nanos,

    /// When I/O is due; rates are of all clones together, in I/Os per second.
    pub pace: Pace,
    /// Share of the time in which the job is at work, and the length of one cycle: a checkpoint writes in bursts.
    /// Absent for always.
    pub burst: Option<(Ratio, Nanos)>,

    /// What is written.
    pub content: BufferContent,
    /// Whether what was written is read again and checked.
    pub verification: Verification,
    /// What random numbers are drawn from; absent for a fresh seed of each invocation.
    pub seed: Option<u64>,
    /// Processors that the clones may run on; empty for all.
    pub cpus_allowed: Vec<u32>,
    /// Whether clone i runs on the i-th of them alone.
    pub cpus_split: bool,
}

impl IoJob {
    /// I/Os that each clone can have in flight: one where they are synchronous, whatever the depth.
    pub fn slots(&self) -> u32 {
        match self.mode {
            IoMode::Synchronous => 1,
            IoMode::Ring | IoMode::Null => self.depth.max(1),
        }
    }
}

impl Default for IoJob {
    /// Random reads of 4 KiB through an io_uring, one at a time, past the page cache, of every block once; of no file
    /// yet. To be filled in.
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
            pace: Pace::AsFastAsPossible,
            burst: None,
            content: BufferContent::Random,
            verification: Verification::None,
            seed: None,
            cpus_allowed: Vec::new(),
            cpus_split: false,
        }
    }
}
