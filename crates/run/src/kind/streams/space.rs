//! Check of the free space before the first file is written.

use std::path::Path;

use record::Bytes;

use super::request::StreamsRequest;
use super::stream_run::{Backend, StreamRuns};
use crate::{Result, space};

/// The most space of a file in a database while it is written, relative to its size: the data, the log, and the fill
/// before it.
const TIMES_IN_ENGINE: u64 = 3;

/// Refuses a measurement whose files exceed the free space: on the file system in `folder`, and in the engine in `data`
/// if that is on this host.
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
    for (directory, needed) in [(Some(folder), of_files), (data, of_engine)] {
        let Some(directory) = directory else { continue };
        let hint = "give a smaller --file, fewer --streams, or another --dir";
        space::check(directory, Bytes(needed), "the files of all streams", hint)?;
    }
    Ok(())
}
