//! Runs of file streams.

use record::{FileStreams, Run};

use super::{Validity, at_least_one, latency, share};

/// Checks the `streams` of `run`.
pub(super) fn streams(run: &Run, streams: &FileStreams) -> Validity {
    let (request, file) = (streams.request_bytes.0, streams.file_bytes.0);
    for (name, count) in [("request_bytes", request), ("requests_per_commit", streams.requests_per_commit)] {
        if count == 0 {
            return Err(format!("{name} 0, minimum 1"));
        }
    }
    if file < request {
        return Err(format!("file_bytes {file}, smaller than request_bytes {request}"));
    }
    if streams.form.is_empty() {
        return Err("form \"\", a form must have a name".to_owned());
    }
    streams.page_cached.map_or(Ok(()), |ratio| share("page_cached", ratio))?;
    for file in &streams.compared {
        at_least_one("stream of a compared file", file.stream)?;
        if file.equal && file.written_crc32c != file.read_crc32c {
            let (written, read) = (file.written_crc32c, file.read_crc32c);
            return Err(format!(
                "the file of stream {} is marked as equal, with checksums {written} and {read}",
                file.stream
            ));
        }
    }
    latency("service of requests", &streams.requests)?;
    latency("service of openings", &streams.openings)?;
    latency("service of commits", &streams.commits)?;
    let kinds = [&streams.requests, &streams.openings, &streams.commits];
    let counted: u128 = kinds.into_iter().map(|kind| u128::from(kind.count)).sum();
    match counted > u128::from(run.totals.steps) {
        true => Err(format!("{counted} requests, openings and commits, the run has {} steps", run.totals.steps)),
        false => Ok(()),
    }
}
