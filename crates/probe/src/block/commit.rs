//! S31  Commits: a write of 8 KiB and the fdatasync after it as one operation, one at a time in each job.
//!
//! Answers:         the latency of a durable write, and how many of them per second as many jobs get: the ceiling of
//!                  commits without group commit, T311 and T716.
//! Does not answer: the effect of group commit: a database may do more transactions per second than this many commits.
//!                  Whether the device really flushes: see the check of flushes.
//! Cost:            writes and flushes continuously for warm-up and window of each run, always to the same file: wears
//!                  flash. The file that all storage probes share.
//! Limits:          each job overwrites its own part of the file sequentially, like a log that recycles its files: a
//!                  log whose file grows also pays for the journal of the file system. pwrite and fdatasync, like most
//!                  databases: an io_uring passes a sync to another thread first, which would be measured as well.

use record::{IoJob, IoMode, Layer, SyncEvery, Unit};

use super::{Access, BLOCK_BYTES, job, parameters};
use crate::{Context, Form, Probe};

/// Its code: commits of engines are compared with it.
pub const CODE: &str = "S31";
const TITLE: &str = "storage, commit: write 8 KiB and fdatasync";
const ACCESS: Access = Access { writes: true, random: false, block: BLOCK_BYTES, depth: 1 };

pub(crate) const PROBE: Probe = Probe {
    code: CODE,
    title: TITLE,
    layer: Layer::Storage,
    unit: Unit::Operation,
    form: Form::Io(commit),
    parameters: |context| parameters(context, &ACCESS),
};

fn commit(context: &Context) -> IoJob {
    IoJob {
        commit: true,
        sync_every: Some(SyncEvery { writes: 1, data_only: true }),
        mode: IoMode::Synchronous,
        ..job(context, CODE, TITLE, &ACCESS)
    }
}
