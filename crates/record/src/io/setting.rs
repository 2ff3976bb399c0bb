//! The values that an I/O job is described with.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Bytes, Ratio};

/// A number of bytes, or a share of a file or device.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Amount {
    /// Bytes.
    Bytes(Bytes),
    /// A share of the file or device, in [0, 1].
    Share(Ratio),
}

/// Sequential or random, per kind of I/O.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoOrder {
    /// Share of reads that jump to a random block; the others follow the one before.
    pub read_random: Ratio,
    /// Share of writes that jump.
    pub write_random: Ratio,
    /// Share of trims that jump.
    pub trim_random: Ratio,
}

/// Shares of the kinds of I/O; they add up to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IoMix {
    /// Reads.
    pub read: Ratio,
    /// Writes.
    pub write: Ratio,
    /// Trims (discards).
    pub trim: Ratio,
}

impl IoOrder {
    /// Every block jumps.
    pub const RANDOM: IoOrder = IoOrder { read_random: Ratio(1.0), write_random: Ratio(1.0), trim_random: Ratio(1.0) };
    /// Every block follows the one before.
    pub const SEQUENTIAL: IoOrder =
        IoOrder { read_random: Ratio(0.0), write_random: Ratio(0.0), trim_random: Ratio(0.0) };
}

impl IoMix {
    /// Reads alone.
    pub const READ: IoMix = IoMix { read: Ratio(1.0), write: Ratio(0.0), trim: Ratio(0.0) };
    /// Writes alone.
    pub const WRITE: IoMix = IoMix { read: Ratio(0.0), write: Ratio(1.0), trim: Ratio(0.0) };

    /// Whether it changes what is stored.
    pub fn changes_data(&self) -> bool {
        self.write.0 > 0.0 || self.trim.0 > 0.0
    }
}

/// How large the blocks of one kind of I/O are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Blocks {
    /// Sizes with their shares, which add up to 1; one entry where all are equal.
    Split(Vec<BlockShare>),
    /// Any multiple of `min_bytes` from `min_bytes` to `max_bytes`, all alike.
    Range {
        /// The smallest.
        min_bytes: Bytes,
        /// The largest.
        max_bytes: Bytes,
    },
}

impl Blocks {
    /// All blocks of one size.
    pub fn all(size_bytes: Bytes) -> Blocks {
        Blocks::Split(vec![BlockShare { size_bytes, share: Ratio(1.0) }])
    }
}

/// A block size and how often it occurs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockShare {
    /// The size.
    pub size_bytes: Bytes,
    /// Its share of the I/Os, in [0, 1].
    pub share: Ratio,
}

/// Where random I/O goes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// Every block alike.
    Uniform,
    /// Zipf's law: the k-th most popular block in proportion to 1/k^theta.
    Zipf {
        /// The exponent, above 0 and not 1.
        theta: f64,
    },
    /// Pareto's law.
    Pareto {
        /// The share of popular blocks, in (0, 1).
        h: f64,
    },
    /// The normal distribution around the middle of the region.
    Normal {
        /// Standard deviation, as a share of the region.
        deviation: Ratio,
    },
    /// Zones (a hot spot is one of two): each with its share of the I/O and of the region, in the order of the region.
    Zoned(Vec<Zone>),
}

/// A part of the region and how much of the I/O goes there.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Share of the I/O.
    pub io: Ratio,
    /// Share of the region.
    pub region: Ratio,
}

/// Whether random I/O visits every block of the region once before it visits one again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// No block twice until all were visited: a permutation of the blocks.
    Full,
    /// Each block is drawn anew.
    Free,
}

/// What lies between one block and the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SequenceStep {
    /// Random I/O: so many blocks in sequence before the next jump, at least 1.
    pub blocks_per_jump: u32,
    /// Sequential I/O: bytes left out between two blocks; negative goes back.
    pub gap_bytes: i64,
}

/// How I/O is handed to the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IoMode {
    /// An io_uring per clone.
    Ring,
    /// pread and pwrite, one at a time.
    Synchronous,
    /// Not at all: measures the generator.
    Null,
}

/// What is asked of an io_uring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RingOptions {
    /// Buffers are registered once instead of being mapped for each I/O.
    pub fixed_buffers: bool,
    /// Files are registered once.
    pub registered_files: bool,
    /// Completions are polled for (IORING_SETUP_IOPOLL).
    pub polled: bool,
    /// A kernel thread picks up submissions (IORING_SETUP_SQPOLL).
    pub submission_polled: bool,
    /// Where that thread runs.
    pub submission_processor: Option<u32>,
}

/// Whether each write is forced to stable storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OpenSync {
    /// No.
    None,
    /// The file is opened with O_DSYNC.
    Dsync,
    /// The file is opened with O_SYNC.
    Sync,
    /// Each write carries RWF_DSYNC.
    WriteDsync,
}

/// A sync after so many writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SyncEvery {
    /// Writes between two syncs, at least 1.
    pub writes: u32,
    /// fdatasync, or else fsync.
    pub data_only: bool,
}

/// Which of several files the next I/O goes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileChoice {
    /// One after the other.
    RoundRobin,
    /// Any.
    Random,
    /// The next one when the region of this one was visited.
    Sequential,
}

/// In which state a file is when the run begins. A device, or a file that is there already, is taken as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// Every block was written with data that cannot be compressed.
    Written,
    /// Space is reserved and was never written (fallocate).
    Allocated,
    /// It has its length and no blocks.
    Sparse,
    /// It is empty and grows.
    Empty,
}

/// What is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BufferContent {
    /// Random bytes: neither compressible nor equal to any other block.
    Random,
    /// Zeros.
    Zero,
    /// This pattern, repeated.
    Pattern(Vec<u8>),
    /// Random bytes of which a share is zeros, in chunks of so many bytes.
    Compressible {
        /// Share of zeros, in [0, 1].
        share: Ratio,
        /// Bytes of a chunk.
        chunk_bytes: Bytes,
    },
    /// Random blocks of which a share repeats earlier ones.
    Repeated {
        /// Share of blocks that repeat another one, in [0, 1].
        share: Ratio,
    },
}

/// Whether what was written is read again and checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// No.
    None,
    /// After the run, outside its window, every block of the region.
    After,
    /// Each block as it is read; one that was never written by dbdyno is an error.
    OnRead,
}
