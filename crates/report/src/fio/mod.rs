//! Storage runs in the form of fio's JSON output, so that scripts that plot or compare it can read them.
//!
//! Keys, types and units are those of fio 3.x. What a record does not hold is zero, as fio leaves what it did not
//! measure, and is named in `not_measured` under the key `dbdyno` of the root, so that nobody has to guess. The
//! latency of fio's `clat_ns` and `lat_ns` is the service time (begun to done); handing over is not timed apart, so
//! that `slat_ns` is empty as with fio's synchronous engines. Response times stand under a key `dbdyno` of each
//! direction. A run that is invalid has no figures: all are zero and `error` is not, as of a job of fio that could not
//! run.

mod clock;
mod direction;
mod disk;
mod distribution;
mod job;
mod options;

use record::Record;
use serde_json::{Map, Value, json};

use crate::storage::runs;

/// Which of fio's two forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FioJson {
    /// `json`.
    Plain,
    /// `json+`: with the histogram of each latency as `bins`, nanoseconds to counts.
    Plus,
}

/// What has no source in a record: zero in the output.
const NOT_MEASURED: [&str; 11] = [
    "ctx",
    "majf",
    "minf",
    "slat_ns",
    "iodepth_submit",
    "iodepth_complete",
    "drop_ios",
    "read_merges",
    "write_merges",
    "read_sectors, write_sectors, ticks, in_queue, util: zero where the host did not count them",
    "usr_cpu: holds system time too, sys_cpu is zero",
];

/// The storage runs of `record` as JSON text of the form that fio prints; it ends with a line end.
///
/// `fio version` begins with `fio-` and a version, since scripts test for the first and read the second; the rest says
/// who wrote it. Options that all jobs share stand in `global options` and again in each job, since scripts look in
/// one place or the other.
pub fn fio_json(record: &Record, form: FioJson) -> String {
    let entries: Vec<job::Entry<'_>> =
        runs(record).flat_map(|(run, storage)| job::entries(record, run, storage)).collect();
    let ended_ms = record.ended_at.as_ref().or(Some(&record.started_at)).and_then(clock::unix_ms).unwrap_or(0);
    let value = json!({
        "fio version": format!("fio-3.33-dbdyno-{}", record.tool.version),
        "timestamp": ended_ms / 1000,
        "timestamp_ms": ended_ms,
        "time": clock::calendar(ended_ms),
        "global options": shared(&entries),
        "jobs": entries.iter().map(|entry| job::job(entry, &entries, form)).collect::<Vec<Value>>(),
        "disk_util": disk::devices(record),
        "dbdyno": {
            "version": record.tool.version,
            "record": record.id,
            "not_measured": NOT_MEASURED,
        },
    });
    // Encoding fails only for keys that are not text, and there are none.
    serde_json::to_string_pretty(&value).expect("every key is text") + "\n"
}

/// Options that are equal in all jobs.
fn shared(entries: &[job::Entry<'_>]) -> Map<String, Value> {
    let mut all = entries.iter().map(|entry| entry.options());
    let Some(mut shared) = all.next() else { return Map::new() };
    for options in all {
        shared.retain(|key, value| options.get(key) == Some(value));
    }
    shared
}
