//! Counters of the block device below the measured directory.

use std::path::{Path, PathBuf};

use base::root::{self, Root};
use record::name;

use super::source::Source;
use crate::stack::{self, Device, SECTOR_BYTES};

/// The device whose counters are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedDevice {
    /// Kernel name. Always a whole device: foreign I/O on it, also on another partition, is included.
    pub name: String,
    /// Whether flush requests are counted separately from data writes. Stacked devices (LVM, dm-crypt, md) count a
    /// flush as a write.
    pub counts_flushes: bool,
    /// Devices between the file system and this one.
    pub depth: u32,
}

/// Reads the counters of one device.
#[derive(Debug)]
pub(super) struct DeviceCounters {
    device: CountedDevice,
    stats: Stats,
}

/// The `stat` file of a device, or those of its paths; empty if the device does not count.
#[derive(Debug)]
pub(super) struct Stats(Vec<Source>);

impl Stats {
    /// Those of `device`.
    pub(super) fn of(device: &Device) -> Stats {
        Stats::in_directories(&sources(device))
    }

    fn in_directories(directories: &[PathBuf]) -> Stats {
        Stats(directories.iter().map(|directory| Source::new(directory.join("stat"))).collect())
    }

    /// The sum of all of them; none where one of them cannot be read.
    pub(super) fn read(&mut self) -> Option<Stat> {
        let stats: Option<Vec<Stat>> = self.0.iter_mut().map(|source| source.read().and_then(parse)).collect();
        stats?.into_iter().reduce(Stat::with)
    }
}

impl DeviceCounters {
    /// Counters of the device below `directory`: the topmost one that counts flushes and that all I/O passes; if the
    /// stack spreads over several devices above such a one, the topmost of all. A loop device and what is above it count
    /// also what the page cache of its file serves: below it is the first device whose I/O is that of a device.
    pub(super) fn below(root: &Root, directory: &Path) -> Option<DeviceCounters> {
        let mut devices = stack::devices(root, directory);
        let is_file = |device: &&Device| device.loop_file.as_ref().is_some_and(|file| !file.devices.is_empty());
        if let Some(file) = devices.iter().filter(is_file).map(|device| device.depth).max()
            && devices.iter().filter(|device| device.depth == file + 1).count() == 1
        {
            devices.retain(|device| device.depth > file);
        }
        let with_stat: Vec<&Device> = devices.iter().filter(|device| device.directory.join("stat").is_file()).collect();
        let alone = |device: &&&Device| devices.iter().filter(|other| other.depth == device.depth).count() == 1;
        // All I/O passes a device that is the only one of its depth, as are all those above it.
        let chain = with_stat.iter().take_while(alone);
        let chosen = chain.copied().find(|device| counts_flushes(device)).or(with_stat.first().copied())?;
        let sources = sources(chosen);
        let counts_flushes = sources.iter().all(|directory| directory.join("mq").is_dir()) && chosen.slaves.is_empty();
        let counted = CountedDevice { name: chosen.name.clone(), counts_flushes, depth: chosen.depth };
        Some(DeviceCounters { device: counted, stats: Stats::in_directories(&sources) })
    }

    pub(super) fn device(&self) -> &CountedDevice {
        &self.device
    }

    /// The counters now, by name.
    pub(super) fn read(&mut self) -> Vec<(&'static str, u64)> {
        let Some(stat) = self.stats.read() else { return Vec::new() };
        let flushes = stat.flushes.filter(|_| self.device.counts_flushes);
        let mut values = vec![
            (name::DEVICE_READ_COUNT, stat.reads),
            (name::DEVICE_READ_BYTES, stat.read_sectors.saturating_mul(SECTOR_BYTES)),
            // Each flush is also counted as a write of 0 sectors: once for each sync that was merged into it, at least
            // one.
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

/// The kernel sums nanoseconds and prints milliseconds.
pub(super) fn milliseconds_ns(milliseconds: u64) -> u64 {
    milliseconds.saturating_mul(1_000_000)
}

/// The sysfs directories with the `stat` of `device`: its own, or those of its paths. None if `iostats` is off.
///
/// With native multipath an NVMe namespace has a head device above its paths. Before Linux 6.9 the head counts nothing,
/// even with `iostats` on; its paths, which are hidden devices, do.
fn sources(device: &Device) -> Vec<PathBuf> {
    let is_silent = |stat: Option<Stat>| stat.is_none_or(|stat| stat.reads == 0 && stat.writes == 0);
    let own = || root::text(device.directory.join("stat")).as_deref().and_then(parse);
    let paths = paths(device);
    if !paths.is_empty() && is_silent(own()) {
        return paths;
    }
    match root::switch(device.directory.join("queue/iostats")) {
        Some(false) => Vec::new(),
        _ => vec![device.directory.clone()],
    }
}

/// The paths of an NVMe namespace with native multipath, `nvme5c0n1` and `nvme5c1n1` of `nvme5n1`: in the directories
/// of the controllers of its subsystem.
fn paths(device: &Device) -> Vec<PathBuf> {
    let of_head = |path: &str| -> Option<bool> {
        let (instance, namespace) = device.name.strip_prefix("nvme")?.split_once('n')?;
        let (controller, number) =
            path.strip_prefix("nvme")?.strip_prefix(instance)?.strip_prefix('c')?.split_once('n')?;
        Some(number == namespace && controller.bytes().all(|letter| letter.is_ascii_digit()))
    };
    let Some(subsystem) = device.directory.parent() else { return Vec::new() };
    let controllers =
        root::names(subsystem).into_iter().filter(|name| name.starts_with("nvme") && *name != device.name);
    let inside = controllers.flat_map(|controller| {
        let directory = subsystem.join(controller);
        root::names(&directory).into_iter().map(move |name| (directory.join(&name), name))
    });
    inside
        .filter(|(path, name)| of_head(name) == Some(true) && path.join("stat").is_file())
        .map(|(path, _)| path)
        .collect()
}

/// Only devices with hardware queues run the flush state machine that counts flushes (block/blk-flush.c); drivers
/// that pass requests on to other devices do not.
fn counts_flushes(device: &Device) -> bool {
    device.directory.join("mq").is_dir() && device.slaves.is_empty()
}

/// The fields of `stat` that are used (Documentation/admin-guide/iostats.rst).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) reads: u64,
    pub(super) read_sectors: u64,
    pub(super) read_ms: u64,
    pub(super) writes: u64,
    pub(super) written_sectors: u64,
    pub(super) write_ms: u64,
    busy_ms: u64,
    in_queue_ms: u64,
    /// Absent before Linux 4.18, like the next one.
    discards: Option<u64>,
    discarded_sectors: Option<u64>,
    /// Absent before Linux 5.5, like the next one.
    flushes: Option<u64>,
    flush_ms: Option<u64>,
}

impl Stat {
    /// The sum of two paths to one device. Their busy times overlap: the device is busy at least as long as the busier
    /// one.
    fn with(self, other: Stat) -> Stat {
        let both = |one: Option<u64>, other: Option<u64>| Some(one?.saturating_add(other?));
        Stat {
            reads: self.reads.saturating_add(other.reads),
            read_sectors: self.read_sectors.saturating_add(other.read_sectors),
            read_ms: self.read_ms.saturating_add(other.read_ms),
            writes: self.writes.saturating_add(other.writes),
            written_sectors: self.written_sectors.saturating_add(other.written_sectors),
            write_ms: self.write_ms.saturating_add(other.write_ms),
            busy_ms: self.busy_ms.max(other.busy_ms),
            in_queue_ms: self.in_queue_ms.saturating_add(other.in_queue_ms),
            discards: both(self.discards, other.discards),
            discarded_sectors: both(self.discarded_sectors, other.discarded_sectors),
            flushes: both(self.flushes, other.flushes),
            flush_ms: both(self.flush_ms, other.flush_ms),
        }
    }
}

/// Parses `/sys/block/X/stat`: 11 fields, 15 since Linux 4.18, 17 since 5.5.
pub(super) fn parse(text: &str) -> Option<Stat> {
    let fields: Vec<u64> = text.split_ascii_whitespace().map_while(|field| field.parse().ok()).collect();
    // All fields that a kernel version added, or none of them.
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
    use std::fs;

    use super::*;

    /// An NVMe namespace over two paths on Linux 6.1 in sysfs, with the `stat` of its head device.
    fn multipath(head: &str, iostats: &str) -> (tempfile::TempDir, Device) {
        let sys = tempfile::tempdir().expect("temporary directory");
        let subsystem = sys.path().join("nvme-subsys5");
        let file = |name: &str, text: &str| {
            let path = subsystem.join(name);
            fs::create_dir_all(path.parent().expect("a directory")).expect("made");
            fs::write(path, text).expect("written");
        };
        file("nvme5n1/stat", head);
        file("nvme5n1/queue/iostats", iostats);
        file("nvme5/nvme5c5n1/stat", "10 0 80 1 2 0 16 1 0 5 2 0 0 0 0 3 1\n");
        file("nvme6/nvme5c6n1/stat", "30 0 240 1 4 0 32 1 0 7 2 0 0 0 0 5 1\n");
        for path in ["nvme5/nvme5c5n1/mq", "nvme6/nvme5c6n1/mq"] {
            fs::create_dir(subsystem.join(path)).expect("made");
        }
        // Another namespace, and a controller's node.
        file("nvme5/nvme5c5n11/stat", "900 0 900 0 900 0 900 0 0 0 0\n");
        file("nvme5/nvme5c5n1p/stat", "900 0 900 0 900 0 900 0 0 0 0\n");
        let directory = subsystem.join("nvme5n1");
        (sys, Device { name: "nvme5n1".to_owned(), directory, slaves: Vec::new(), loop_file: None, depth: 0 })
    }

    fn read(device: &Device) -> Vec<(&'static str, u64)> {
        let stats = Stats::of(device);
        let counted = CountedDevice { name: device.name.clone(), counts_flushes: true, depth: 0 };
        DeviceCounters { device: counted, stats }.read()
    }

    #[test]
    fn a_head_that_counts_nothing_is_counted_by_its_paths() {
        let zeros = "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n";
        for iostats in ["0\n", "1\n"] {
            let (_sys, device) = multipath(zeros, iostats);
            let values = read(&device);
            let of = |name: &str| values.iter().find(|(other, _)| *other == name).map(|(_, value)| *value);
            assert_eq!((of(name::DEVICE_READ_COUNT), of(name::DEVICE_READ_BYTES)), (Some(40), Some(320 * 512)));
            assert_eq!((of(name::DEVICE_FLUSH_COUNT), of(name::DEVICE_IO_TICKS_NS)), (Some(8), Some(7_000_000)));
        }
    }

    #[test]
    fn the_counters_of_a_head_that_counts_are_used() {
        let (_sys, device) = multipath("7 0 56 1 2 0 16 1 0 5 2 0 0 0 0 3 1\n", "1\n");
        assert_eq!(read(&device)[0], (name::DEVICE_READ_COUNT, 7));
    }

    #[test]
    fn a_device_with_iostats_off_has_no_counters() {
        let (sys, device) = multipath("0 0 0 0 0 0 0 0 0 0 0\n", "0\n");
        fs::remove_dir_all(sys.path().join("nvme-subsys5/nvme5")).expect("removed");
        fs::remove_dir_all(sys.path().join("nvme-subsys5/nvme6")).expect("removed");
        assert_eq!(read(&device), Vec::new());
    }

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
