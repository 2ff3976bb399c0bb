//! Requests and bytes of the block device below the measured directory.

use std::path::Path;

use record::name;

use super::source::Source;
use crate::root::Root;
use crate::stack::{self, Device};

/// The kernel counts in these, whatever the device's blocks are.
const SECTOR_BYTES: u64 = 512;

/// The device whose counters are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedDevice {
    /// Kernel name. Always a whole device: I/O of others on it, on another partition too, is included.
    pub name: String,
    /// Whether flush requests are counted on their own, so that data writes can be told from them. Devices made of
    /// others (LVM, dm-crypt, md) count a flush as a write and not as a flush.
    pub counts_flushes: bool,
    /// Devices between the file system and this one.
    pub depth: u32,
}

/// Its counters.
#[derive(Debug)]
pub(super) struct DeviceCounters {
    device: CountedDevice,
    stat: Source,
}

impl DeviceCounters {
    /// Those of the device below `directory`: the topmost one that counts flushes and that everything goes through;
    /// where the stack spreads over several devices before there is one, the topmost of all.
    pub(super) fn below(root: &Root, directory: &Path) -> Option<DeviceCounters> {
        let devices = stack::devices(root, directory);
        let with_stat: Vec<&Device> = devices.iter().filter(|device| device.directory.join("stat").is_file()).collect();
        let alone = |device: &&&Device| devices.iter().filter(|other| other.depth == device.depth).count() == 1;
        // One alone at its depth has nothing beside it; what lies above must be alone at its own depth, too.
        let chain = with_stat.iter().take_while(alone);
        let chosen = chain.copied().find(|device| counts_flushes(device)).or(with_stat.first().copied())?;
        let counted =
            CountedDevice { name: chosen.name.clone(), counts_flushes: counts_flushes(chosen), depth: chosen.depth };
        Some(DeviceCounters { device: counted, stat: Source::new(chosen.directory.join("stat")) })
    }

    pub(super) fn device(&self) -> &CountedDevice {
        &self.device
    }

    /// The counters now.
    pub(super) fn read(&mut self) -> Vec<(&'static str, u64)> {
        let Some(stat) = self.stat.read().and_then(parse) else { return Vec::new() };
        let flushes = stat.flushes.filter(|_| self.device.counts_flushes);
        let mut values = vec![
            (name::DEVICE_READ_COUNT, stat.reads),
            (name::DEVICE_READ_BYTES, stat.read_sectors.saturating_mul(SECTOR_BYTES)),
            // Each flush is also counted as a write of no sectors: once for each sync that it was made of, of which we
            // know at least one.
            (name::DEVICE_WRITE_COUNT, stat.writes.saturating_sub(flushes.unwrap_or(0))),
            (name::DEVICE_WRITE_BYTES, stat.written_sectors.saturating_mul(SECTOR_BYTES)),
        ];
        values.extend(flushes.map(|flushes| (name::DEVICE_FLUSH_COUNT, flushes)));
        values.extend(flushes.and(stat.flush_ms).map(|time| (name::DEVICE_FLUSH_NS, milliseconds_ns(time))));
        values.extend(stat.discards.map(|discards| (name::DEVICE_DISCARD_COUNT, discards)));
        let discarded = stat.discarded_sectors;
        values.extend(discarded.map(|sectors| (name::DEVICE_DISCARD_BYTES, sectors.saturating_mul(SECTOR_BYTES))));
        values.extend([
            (name::DEVICE_READ_NS, milliseconds_ns(stat.read_ms)),
            (name::DEVICE_WRITE_NS, milliseconds_ns(stat.write_ms)),
            (name::DEVICE_IO_TICKS_NS, milliseconds_ns(stat.busy_ms)),
            (name::DEVICE_IN_QUEUE_NS, milliseconds_ns(stat.in_queue_ms)),
        ]);
        values
    }
}

/// The kernel adds nanoseconds up and prints milliseconds.
fn milliseconds_ns(milliseconds: u64) -> u64 {
    milliseconds.saturating_mul(1_000_000)
}

/// Only devices with hardware queues run the flush state machine that counts flushes (block/blk-flush.c); drivers
/// that pass requests on to other devices do not.
fn counts_flushes(device: &Device) -> bool {
    device.directory.join("mq").is_dir() && device.slaves.is_empty()
}

/// What we need of the fields of `stat` (Documentation/admin-guide/iostats.rst).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    reads: u64,
    read_sectors: u64,
    read_ms: u64,
    writes: u64,
    written_sectors: u64,
    write_ms: u64,
    busy_ms: u64,
    in_queue_ms: u64,
    /// Absent before Linux 4.18, like the next one.
    discards: Option<u64>,
    discarded_sectors: Option<u64>,
    /// Absent before Linux 5.5, like the next one.
    flushes: Option<u64>,
    flush_ms: Option<u64>,
}

/// Reads `/sys/block/X/stat`: 11 fields, 15 since Linux 4.18, 17 since 5.5.
pub(super) fn parse(text: &str) -> Option<Stat> {
    let fields: Vec<u64> = text.split_ascii_whitespace().map_while(|field| field.parse().ok()).collect();
    // All fields of a kernel, or none of those that came with it.
    let since = |count: usize, index: usize| fields.get(index).copied().filter(|_| fields.len() >= count);
    Some(Stat {
        reads: since(11, 0)?,
        read_sectors: since(11, 2)?,
        read_ms: since(11, 3)?,
        writes: since(11, 4)?,
        written_sectors: since(11, 6)?,
        write_ms: since(11, 7)?,
        busy_ms: since(11, 9)?,
        in_queue_ms: since(11, 10)?,
        discards: since(15, 11),
        discarded_sectors: since(15, 13),
        flushes: since(17, 15),
        flush_ms: since(17, 16),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_kernels_do_not_count_flushes() {
        let long =
            "175752 13025 14476490 271933 18535 38684 6991096 16787 0 14532 289846 11637 12 1643248 1005 3633 119\n";
        let stat = parse(long).expect("17 fields");
        assert_eq!(
            (stat.reads, stat.read_sectors, stat.writes, stat.written_sectors),
            (175_752, 14_476_490, 18_535, 6_991_096)
        );
        assert_eq!((stat.read_ms, stat.write_ms, stat.busy_ms, stat.in_queue_ms), (271_933, 16_787, 14_532, 289_846));
        assert_eq!((stat.discards, stat.discarded_sectors), (Some(11_637), Some(1_643_248)));
        assert_eq!((stat.flushes, stat.flush_ms), (Some(3633), Some(119)));
        let oldest = parse("1 2 3 4 5 6 7 8 9 10 11\n").expect("11 fields");
        assert_eq!((oldest.discards, oldest.discarded_sectors, oldest.flushes), (None, None, None));
        let older = parse("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n").expect("15 fields");
        assert_eq!((older.discards, older.discarded_sectors, older.flushes), (Some(12), Some(14), None));
        assert_eq!(parse("1 2 3\n"), None);
    }
}
