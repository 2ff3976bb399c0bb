//! Whether there is room for all files before the first of them is written.

use std::path::Path;

use super::request::StreamsRequest;
use super::stream_run::{Backend, StreamRuns};
use crate::{Error, Result};

/// How many times its size a file in a database takes at most while it is written: the data, the log of it, and what it
/// is filled with before.
const TIMES_IN_ENGINE: u64 = 3;

/// Refuses a measurement whose files do not fit: on the file system those of `folder`, in the engine those of `data`
/// where they lie on this host.
///
/// # Errors
/// Names the need and what is free.
pub(super) fn check(
    request: &StreamsRequest,
    stream_runs: &StreamRuns,
    folder: &Path,
    data: Option<&Path>,
) -> Result<()> {
    let needed = |times: u64, is_meant: &dyn Fn(Backend) -> bool| {
        let streams = stream_runs
            .stream_runs
            .iter()
            .filter(|stream_run| is_meant(stream_run.backend))
            .map(|stream_run| u64::from(stream_run.streams))
            .max();
        streams.unwrap_or(0).saturating_mul(request.file_bytes.0).saturating_mul(times)
    };
    let of_files = needed(1, &|backend| backend == Backend::FileSystem);
    let of_engine = needed(TIMES_IN_ENGINE, &|backend| backend != Backend::FileSystem);
    for (place, needed) in [(Some(folder), of_files), (data, of_engine)] {
        let Some(place) = place else { continue };
        let Some(free) = free_bytes(place).filter(|free| *free < needed) else { continue };
        let message = format!("{} has {free} bytes free, and the files of all streams need {needed}", place.display());
        return Err(Error::environment(message).hint("give a smaller --file, fewer --streams, or another --dir"));
    }
    Ok(())
}

/// What is free at `place`, as far as it can be told.
fn free_bytes(place: &Path) -> Option<u64> {
    rustix::fs::statvfs(place).ok().map(|found| found.f_bavail.saturating_mul(found.f_frsize))
}
