//! Storage: I/O jobs and their results.

mod job;
mod outcome;
mod setting;

pub use job::{IoJob, IoPhase, IoPlan};
pub use outcome::{CacheCounts, IoFile, IoKind, IoLogEntry, IoStream, LoopFile, MemberIo, Round, Storage};
pub use setting::{
    Amount, BlockShare, Blocks, BufferContent, Coverage, Distribution, FileChoice, IoMix, IoMode, IoOrder, Layout,
    OpenSync, RingOptions, SequenceStep, SyncEvery, Verification, Zone,
};
