//! Storage runs in the form of fio's JSON output, so that scripts that plot or compare it can read them.
//!
//! Keys, types and units are those of fio 3.x. What a record does not hold is zero, as in fio for what it did not
//! measure, and is listed in `not_measured` under the key `dbdyno` of the root. `clat_ns` and `lat_ns` are the service
//! time (start to end); submission is not timed separately, so `slat_ns` is empty as with fio's synchronous engines.
//! Response times are under a key
//! `dbdyno` of each direction. An invalid run has no figures: all are zero and `error` is not, as for a failed job of
//! fio.

mod direction;
mod distribution;
mod job;
mod options;

use model::delta;
use record::{Record, Run, name};
use serde_json::{Map, Value, json};

use crate::clock;
use crate::storage::runs;

/// Which of fio's two forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FioJson {
    /// `json`.
    Plain,
    /// `json+`: with the histogram of each latency as `bins`, nanoseconds to counts.
    Plus,
}

/// Keys without a source in a record: zero in the output.
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
/// `fio version` starts with `fio-` and a version, which scripts parse; the rest names dbdyno. Options that all jobs
/// share are in
/// `global options` and in each job, since scripts read either.
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
        "disk_util": devices(record),
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

/// Bytes of a sector as the kernel counts them.
const SECTOR_BYTES: u64 = 512;

/// One entry, of the topmost device: its I/O in the windows of all storage runs. None where no device is known.
fn devices(record: &Record) -> Vec<Value> {
    let Some(device) = record.host.devices.first() else { return Vec::new() };
    let sum = |name: &str| {
        let rises = runs(record).filter_map(|(run, _): (&Run, _)| delta(run, name));
        rises.fold(0u64, u64::saturating_add)
    };
    let milliseconds = |name: &str| sum(name) / 1_000_000;
    let windows_ms = runs(record).fold(0u64, |sum, (run, _)| sum.saturating_add(run.window_ns.0)) / 1_000_000;
    let busy_ms = milliseconds(name::DEVICE_IO_TICKS_NS);
    let util = if windows_ms > 0 { (busy_ms as f64 / windows_ms as f64 * 100.0).min(100.0) } else { 0.0 };
    vec![json!({
        "name": device.name,
        "read_ios": sum(name::DEVICE_READ_COUNT),
        "write_ios": sum(name::DEVICE_WRITE_COUNT),
        "read_sectors": sum(name::DEVICE_READ_BYTES) / SECTOR_BYTES,
        "write_sectors": sum(name::DEVICE_WRITE_BYTES) / SECTOR_BYTES,
        "read_merges": 0,
        "write_merges": 0,
        "read_ticks": milliseconds(name::DEVICE_READ_NS),
        "write_ticks": milliseconds(name::DEVICE_WRITE_NS),
        "in_queue": milliseconds(name::DEVICE_IN_QUEUE_NS),
        "util": util,
    })]
}
