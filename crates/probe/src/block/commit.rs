//! P331  Commits: a write of 8 KiB and the fdatasync after it as one operation, one at a time in each job.
//!
//! Answers:         how long it takes until what was written is safe, and how many a second as many jobs get: the
//!                  ceiling of commits that each wait for their own, T311 and T716.
//! Does not answer: what a log writer adds that bundles commits of many sessions (group commit): a database may do more
//!                  transactions than this many commits. Whether the device tells the truth: see the check of flushes.
//! Cost:            writes and flushes as fast as it can for warm-up and window of each run, over and over the same
//!                  file: flash wears by that. The file that all probes of storage share.
//! Limits:          each job overwrites a part of the file of its own from end to end, as a log does that uses its files
//!                  again: a log whose file grows pays for the file system's journal as well. pwrite and fdatasync, as
//!                  databases do it: an io_uring hands a sync to another thread first, which would be measured too.

use record::{IoJob, IoMode, Layer, SyncEvery, Unit};

use super::{Access, BLOCK_BYTES, job, parameters};
use crate::{Context, Form, Probe};

/// Its code: commits of engines are held against it.
pub const CODE: &str = "P331";
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
