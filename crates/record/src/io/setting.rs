//! Settings of an I/O job.

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
    /// Share of reads at random offsets; the others are sequential.
    pub read_random: Ratio,
    /// Share of writes at random offsets.
    pub write_random: Ratio,
    /// Share of trims at random offsets.
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
    /// All random.
    pub const RANDOM: IoOrder = IoOrder { read_random: Ratio(1.0), write_random: Ratio(1.0), trim_random: Ratio(1.0) };
    /// All sequential.
    pub const SEQUENTIAL: IoOrder =
        IoOrder { read_random: Ratio(0.0), write_random: Ratio(0.0), trim_random: Ratio(0.0) };
}

impl IoMix {
    /// Reads only.
    pub const READ: IoMix = IoMix { read: Ratio(1.0), write: Ratio(0.0), trim: Ratio(0.0) };
    /// Writes only.
    pub const WRITE: IoMix = IoMix { read: Ratio(0.0), write: Ratio(1.0), trim: Ratio(0.0) };

    /// Whether it changes stored data.
    pub fn changes_data(&self) -> bool {
        self.write.0 > 0.0 || self.trim.0 > 0.0
    }
}

/// Block sizes of one kind of I/O.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Blocks {
    /// Sizes with their shares, which add up to 1; one entry for a single size.
    Split(Vec<BlockShare>),
    /// Multiples of `min_bytes` from `min_bytes` to `max_bytes`, with equal probability.
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

/// A block size and its share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlockShare {
    /// The size.
    pub size_bytes: Bytes,
    /// Its share of the I/Os, in [0, 1].
    pub share: Ratio,
}

/// Distribution of random offsets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Distribution {
    /// Uniform.
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

/// A part of the region with its share of the I/O.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Share of the I/O.
    pub io: Ratio,
    /// Share of the region.
    pub region: Ratio,
}

/// Whether random I/O covers all blocks of the region before it repeats one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Coverage {
    /// All blocks before a repeat: a permutation of the blocks.
    Full,
    /// Each block is drawn independently.
    Free,
}

/// Distance between consecutive blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SequenceStep {
    /// Random I/O: number of sequential blocks before the next random offset, at least 1.
    pub blocks_per_jump: u32,
    /// Sequential I/O: bytes skipped between two blocks; negative goes backwards.
    pub gap_bytes: i64,
}

/// I/O engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IoMode {
    /// One io_uring per thread.
    Ring,
    /// pread and pwrite, one at a time.
    Synchronous,
    /// No I/O: measures the generator.
    Null,
}

/// Options of io_uring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RingOptions {
    /// Registered buffers.
    pub fixed_buffers: bool,
    /// Registered files.
    pub registered_files: bool,
    /// Completions are polled (IORING_SETUP_IOPOLL).
    pub polled: bool,
    /// A kernel thread polls the submission queue (IORING_SETUP_SQPOLL).
    pub submission_polled: bool,
    /// Processor of that thread.
    pub submission_processor: Option<u32>,
}

/// Synchronous writes.
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

/// A sync after every N writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SyncEvery {
    /// Writes per sync, at least 1.
    pub writes: u32,
    /// fdatasync if true, else fsync.
    pub data_only: bool,
}

/// Selection of the next file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileChoice {
    /// One after the other.
    RoundRobin,
    /// Any.
    Random,
    /// The next one when the region of this one is complete.
    Sequential,
}

/// State of a file at the start of the run. A device or an existing file is used unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// Every block is written with incompressible data.
    Written,
    /// Space is allocated and unwritten (fallocate).
    Allocated,
    /// It has its length and no blocks (sparse).
    Sparse,
    /// It is empty and grows.
    Empty,
}

/// Content of writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BufferContent {
    /// Random bytes: neither compressible nor duplicate.
    Random,
    /// Zeros.
    Zero,
    /// A repeated pattern.
    Pattern(Vec<u8>),
    /// Random bytes with a share of zeros, per chunk.
    Compressible {
        /// Share of zeros, in [0, 1].
        share: Ratio,
        /// Bytes of a chunk.
        chunk_bytes: Bytes,
    },
    /// Random blocks with a share of duplicates.
    Repeated {
        /// Share of duplicate blocks, in [0, 1].
        share: Ratio,
    },
}

/// Verification of written data.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verification {
    /// No.
    None,
    /// After the run, outside its window, every block of the region.
    After,
    /// Each block when it is read; a block not written by dbdyno is an error.
    OnRead,
}
