//! Statistics of a host, as sysstat's programs write them.
//!
//! Its rates are those of all programs of the host. Only whole devices count, and of stacked ones (md, dm, bonds) only those
//! below: what passes through both would count twice.

mod iostat;
mod json;
mod sar;

use std::collections::BTreeMap;

use record::Bytes;
use record::load_profile::{DoubtKind, Elsewhere, LoadQuantity};

use crate::found::{Found, add};
use crate::part::{Amounts, Part, Span, put};

pub(crate) use iostat::read as iostat;
pub(crate) use json::{iostat as iostat_json, sadf};
pub(crate) use sar::read as sar;

/// A sample of a host; what it does not have is absent.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sample {
    /// Share of the processors that was idle, waiting for I/O included, in percent.
    idle_percent: Option<f64>,
    reads: Option<f64>,
    read_bytes: Option<f64>,
    writes: Option<f64>,
    write_bytes: Option<f64>,
    received_bytes: Option<f64>,
    sent_bytes: Option<f64>,
    free_bytes: Option<f64>,
}

impl Sample {
    fn span(&self, ended_at_ms: i64, seconds: f64) -> Span {
        use LoadQuantity::*;
        let mut amounts = Amounts::new();
        put(&mut amounts, PhysicalReadsPerSecond, self.reads);
        put(&mut amounts, PhysicalReadBytesPerSecond, self.read_bytes);
        put(&mut amounts, PhysicalWritesPerSecond, self.writes);
        put(&mut amounts, PhysicalWriteBytesPerSecond, self.write_bytes);
        put(&mut amounts, HostBusyShare, self.idle_percent.map(|idle| (1.0 - idle / 100.0).max(0.0)));
        put(&mut amounts, NetworkReceivedBytesPerSecond, self.received_bytes);
        put(&mut amounts, NetworkSentBytesPerSecond, self.sent_bytes);
        put(&mut amounts, HostFreeMemoryBytes, self.free_bytes);
        Span { started_at_ms: ended_at_ms - (seconds * 1e3) as i64, seconds, amounts }
    }
}

/// Adds `value` to `sum`, which begins where there is one.
fn accumulate(sum: &mut Option<f64>, value: Option<f64>) {
    if let Some(value) = value {
        *sum = Some(sum.unwrap_or(0.0) + value);
    }
}

/// Whether traffic of an interface is that of the host with others, and of no other interface.
fn is_outer_interface(name: &str) -> bool {
    let inner = ["lo", "veth", "docker", "virbr", "br-", "bond", "ifb", "tun", "tap", "vnet", "cni", "flannel", "team"];
    !inner.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a device is none that lies on others.
fn is_lowest_device(name: &str) -> bool {
    let stacked = ["dm-", "md", "loop", "zram", "ram", "sr", "drbd", "bcache", "zd"];
    !stacked.iter().any(|prefix| name.starts_with(prefix)) && !name.contains('/')
}

/// Sums over devices: each whole one once.
#[derive(Debug, Default)]
struct Devices {
    rows: BTreeMap<String, [Option<f64>; 4]>,
}

impl Devices {
    /// Takes reads, bytes read, writes and bytes written of a device.
    fn take(&mut self, name: &str, figures: [Option<f64>; 4]) {
        if self.rows.len() < crate::limit::ROWS_MAX {
            self.rows.insert(name.to_owned(), figures);
        }
    }

    /// Whether `name` is a partition of a device that is there, too: `sda1`, `nvme0n1p1`.
    fn is_partition(&self, name: &str) -> bool {
        let device = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        let bare = device.strip_suffix('p').filter(|bare| bare.ends_with(|letter: char| letter.is_ascii_digit()));
        device.len() < name.len()
            && (self.rows.contains_key(device) || bare.is_some_and(|bare| self.rows.contains_key(bare)))
    }

    fn add_to(&self, sample: &mut Sample) {
        let whole = || self.rows.iter().filter(|(name, _)| !self.is_partition(name));
        let has_lowest = whole().any(|(name, _)| is_lowest_device(name));
        for (_, figures) in whole().filter(|(name, _)| !has_lowest || is_lowest_device(name)) {
            accumulate(&mut sample.reads, figures[0]);
            accumulate(&mut sample.read_bytes, figures[1]);
            accumulate(&mut sample.writes, figures[2]);
            accumulate(&mut sample.write_bytes, figures[3]);
        }
    }
}

/// Memory of a host of what a sample has of it, in kilobytes. What counts as used has changed with the version of sysstat, so
/// that the sum is the one that agrees with the share that is used.
fn memory_bytes(free: f64, used: f64, used_percent: f64, cached: [Option<f64>; 3]) -> Option<Bytes> {
    let caches: f64 = cached.into_iter().flatten().sum();
    let agrees = |total: &f64| *total > 0.0 && (used / total * 100.0 - used_percent).abs() <= 0.02;
    let total = [free + used, free + used + caches].into_iter().find(agrees)?;
    crate::number::whole(total * 1024.0).map(Bytes)
}

/// What holds for all samples of hosts.
fn warn(part: &mut Part) {
    if !part.spans.is_empty() {
        add(&mut part.doubts, Found::warning(DoubtKind::WholeHost));
    }
}

/// Where to get a quantity that statistics of a host lack.
pub(crate) fn elsewhere(_: LoadQuantity) -> Elsewhere {
    Elsewhere::HostStatistics
}
