//! The settings of a lane.

use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use record::{Bytes, IoJob, IoKind, OpenSync};

use super::address::Region;
use super::generations::Generations;
use super::io_engine::IoEngineSettings;
use super::permutation::mix;

/// Settings of a lane, one clone of a job.
#[derive(Clone, Debug)]
pub struct LaneSetting {
    /// The job.
    pub job: Arc<IoJob>,
    /// The number of the lane in its run, from 0.
    pub lane: u32,
    /// The files, opened as the job requires.
    pub files: Vec<Arc<File>>,
    /// The part of each file that the clone uses; none smaller than the largest block.
    pub regions: Vec<Region>,
    /// The verification unit of the files, if their content can be verified: see [`unit_bytes`](super::unit_bytes).
    pub unit: Option<Bytes>,
    /// Which writes the units of each file may hold; none, or shorter than the files, where nothing is verified.
    pub generations: Vec<Option<Arc<Generations>>>,
    /// Identifies this invocation in the written data.
    pub writer: u64,
    /// Seed of addresses and data.
    pub seed: u64,
    /// The kinds of I/O of the job, each with the number of its stream.
    pub streams: Vec<(IoKind, usize)>,
    /// Bytes after which the clone ends; absent where only time or the count of I/Os ends it.
    pub bytes_max: Option<Bytes>,
    /// Capacity of the log in I/Os; 0 for no log.
    pub log_room: usize,
    /// Each I/O is an io_uring NOP: measures the generator.
    pub idle: bool,
}

impl LaneSetting {
    /// Seed of the addresses of this clone.
    pub(crate) fn address_seed(&self) -> u64 {
        mix(self.seed ^ mix(u64::from(self.lane)))
    }

    /// The generations of file `file`, where they are of its unit.
    #[inline]
    pub(crate) fn generations(&self, file: u32) -> Option<&Generations> {
        self.generations.get(file as usize)?.as_deref()
    }

    /// I/Os after which the clone ends.
    pub(crate) fn ios_max(&self) -> u64 {
        self.job.io_count.unwrap_or(u64::MAX)
    }

    pub(crate) fn engine_settings(&self, memory: (*mut u8, usize)) -> IoEngineSettings {
        IoEngineSettings {
            depth: self.job.slots(),
            entries: self.job.slots().saturating_mul(if self.job.commit { 2 } else { 1 }),
            files: self.files.iter().map(|file| file.as_raw_fd()).collect(),
            memory,
            write_dsync: self.job.open_sync == OpenSync::WriteDsync,
        }
    }
}

/// The kinds of I/O of `job`, one stream each.
pub fn kinds(job: &IoJob) -> Vec<IoKind> {
    let mut kinds = Vec::new();
    if job.mix.read.0 > 0.0 {
        kinds.push(IoKind::Read);
    }
    if job.mix.write.0 > 0.0 {
        kinds.push(if job.commit { IoKind::Commit } else { IoKind::Write });
    }
    if job.mix.trim.0 > 0.0 {
        kinds.push(IoKind::Trim);
    }
    if (job.sync_every.is_some() && !job.commit && job.mix.write.0 > 0.0) || job.end_sync {
        kinds.push(IoKind::Sync);
    }
    kinds
}
