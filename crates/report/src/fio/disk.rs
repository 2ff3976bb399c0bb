//! The block device below the measured directory, in fio's keys.

use model::delta;
use record::{Record, Run, name};
use serde_json::{Value, json};

use crate::storage::runs;

/// Bytes of a sector as the kernel counts them.
const SECTOR_BYTES: u64 = 512;

/// One entry, of the topmost device: what it did in the windows of all storage runs. None where no device is known.
pub(super) fn devices(record: &Record) -> Vec<Value> {
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
