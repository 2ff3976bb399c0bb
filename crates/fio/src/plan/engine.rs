//! The I/O engine: `ioengine`, depth, batches, and io_uring features.

use record::{IoMode, OpenSync, RingOptions, SyncEvery};

use super::notes::Notes;
use crate::error::{Error, Result};
use crate::io_engine::{AS_RING, mode_of};
use crate::options::Options;

/// Maximum entries of an io_uring.
const DEPTH_MAX: u32 = 32_768;
/// The same for commits, which take two entries, for the write and the sync.
const COMMIT_DEPTH_MAX: u32 = DEPTH_MAX / 2;
/// The default of fio on Linux.
pub(crate) const ENGINE_DEFAULT: &str = "psync";

/// The settings of the I/O engine.
pub(crate) struct Engine {
    pub(crate) mode: IoMode,
    pub(crate) ring: RingOptions,
    pub(crate) depth: u32,
    pub(crate) batch_submit: u32,
    pub(crate) batch_complete_min: u32,
    pub(crate) direct: bool,
}

/// Parses the settings of the I/O engine.
pub(crate) fn engine(options: &Options, notes: &mut Notes) -> Result<Engine> {
    let mode = mode(options, notes)?;
    let depth = options.number_within("iodepth", 1, DEPTH_MAX)?.unwrap_or(1);
    let batch = |key: &str| -> Result<Option<u32>> {
        Ok(options.number_within(key, 0, DEPTH_MAX)?.map(|batch| batch.min(depth)))
    };
    // By default all queued I/Os are submitted at once.
    let batch_submit = batch("iodepth_batch")?.unwrap_or(0);
    let batch_complete_min = batch("iodepth_batch_complete_min")?.unwrap_or(1).max(1);
    Ok(Engine {
        mode,
        ring: ring(options)?,
        depth: if mode == IoMode::Synchronous { 1 } else { depth },
        batch_submit,
        batch_complete_min,
        direct: direct(options),
    })
}

/// Checks that the commits of a job fit its queue.
pub(crate) fn commits_fit(options: &Options, engine: &Engine) -> Result<()> {
    match engine.depth {
        depth if engine.mode == IoMode::Ring && depth > COMMIT_DEPTH_MAX => {
            let error = Error::new(format!("{depth} is more than {COMMIT_DEPTH_MAX} for commits"));
            let hint = format!("use {COMMIT_DEPTH_MAX} or less; without commit=1, {DEPTH_MAX} or less");
            Err(options.error("iodepth", error.hint(hint)))
        }
        _ => Ok(()),
    }
}

fn mode(options: &Options, notes: &mut Notes) -> Result<IoMode> {
    let name = options.text("ioengine").unwrap_or(ENGINE_DEFAULT);
    if AS_RING.contains(&name) {
        notes.ignored(format!("ioengine={name}{}: io_uring is used instead", options.at("ioengine")));
    }
    mode_of(name).map_err(|error| options.error("ioengine", error))
}

fn ring(options: &Options) -> Result<RingOptions> {
    Ok(RingOptions {
        fixed_buffers: options.switch("fixedbufs").unwrap_or(true),
        registered_files: options.switch("registerfiles").unwrap_or(true),
        polled: options.is_on("hipri"),
        submission_polled: options.is_on("sqthread_poll") || options.last("sqthread_poll_cpu").is_some(),
        submission_processor: options.number_within("sqthread_poll_cpu", 0, super::processors::PROCESSORS_MAX)?,
    })
}

/// Direct I/O: the later of the two keys applies.
fn direct(options: &Options) -> bool {
    match options.later("direct", "buffered") {
        Some("buffered") => !options.is_on("buffered"),
        _ => options.is_on("direct"),
    }
}

/// The open flags that make each write durable.
pub(crate) fn open_sync(options: &Options) -> OpenSync {
    match options.text("sync") {
        Some("sync" | "1") => OpenSync::Sync,
        Some("dsync") => OpenSync::Dsync,
        Some("rwf_dsync") => OpenSync::WriteDsync,
        _ => OpenSync::None,
    }
}

/// Sync after a number of writes. If both keys are set, the lower number applies, and fsync if they are equal.
pub(crate) fn sync_every(options: &Options, notes: &mut Notes) -> Result<Option<SyncEvery>> {
    let every = |key: &str| options.number_within(key, 0, u32::MAX).map(|writes| writes.filter(|writes| *writes > 0));
    let full = every("fsync")?.map(|writes| SyncEvery { writes, data_only: false });
    let data = every("fdatasync")?.map(|writes| SyncEvery { writes, data_only: true });
    match (full, data) {
        (Some(full), Some(data)) => {
            let (kept, dropped) = if data.writes < full.writes { (data, "fsync") } else { (full, "fdatasync") };
            notes.lint(format!("{dropped}{} is not supported: a job syncs in one way", options.at(dropped)));
            Ok(Some(kept))
        }
        (full, data) => Ok(full.or(data)),
    }
}
