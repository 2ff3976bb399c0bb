//! Counters of the members of a volume: what each of the devices did that it consists of.

use std::path::Path;

use base::root::{self, Root};
use record::{Bytes, MemberIo, Nanos};

use super::device::{Stat, Stats, milliseconds_ns};
use crate::stack::{self, Device, SECTOR_BYTES};

/// Kernel names of the members of the volume below `path`, a directory or a block device: the devices or partitions of
/// the topmost device that consists of several, or those of a file system that spans several. Failed members and spares
/// of an array are none. Empty without such a volume.
pub fn members(path: &Path) -> Vec<String> {
    members_at(&Root::host(), path)
}

/// The same on the machine below `root`.
pub fn members_at(root: &Root, path: &Path) -> Vec<String> {
    let devices = stack::devices(root, path);
    let tops: Vec<&Device> = devices.iter().filter(|device| device.depth == 0).collect();
    if tops.len() > 1 {
        return tops.iter().map(|device| device.name.clone()).collect();
    }
    let volume = devices.iter().find(|device| device.slaves.len() > 1 || device.directory.join("md").is_dir());
    volume.map_or_else(Vec::new, |volume| {
        volume.slaves.iter().filter(|name| is_used(&volume.directory, name)).cloned().collect()
    })
}

/// Whether the member `name` of the volume in `directory` takes part in it, as far as an array tells.
fn is_used(directory: &Path, name: &str) -> bool {
    let state = root::text(directory.join(format!("md/dev-{name}/state"))).unwrap_or_default();
    !state.split(',').any(|word| matches!(word.trim(), "faulty" | "spare"))
}

/// Reads the counters of the members of one volume.
#[derive(Debug)]
pub struct MemberCounters {
    members: Vec<(String, Stats)>,
}

impl MemberCounters {
    /// The members of the volume below `path`; none without a volume of several devices.
    pub fn below(path: &Path) -> Option<MemberCounters> {
        MemberCounters::at(&Root::host(), path)
    }

    /// The same on the machine below `root`.
    pub fn at(root: &Root, path: &Path) -> Option<MemberCounters> {
        let counted = |name: String| {
            let directory = stack::by_name(root, &name)?;
            let member = Device { name: name.clone(), directory, slaves: Vec::new(), loop_file: None, depth: 0 };
            Some((name, Stats::of(&member)))
        };
        let members: Vec<(String, Stats)> = members_at(root, path).into_iter().filter_map(counted).collect();
        (!members.is_empty()).then_some(MemberCounters { members })
    }

    /// The counters now, of the members that are still there.
    pub fn read(&mut self) -> Vec<MemberIo> {
        let read = |(name, stats): &mut (String, Stats)| Some(counted(name, stats.read()?));
        self.members.iter_mut().filter_map(read).collect()
    }
}

fn counted(name: &str, stat: Stat) -> MemberIo {
    let bytes = |sectors: u64| Bytes(sectors.saturating_mul(SECTOR_BYTES));
    let nanoseconds = |milliseconds: u64| Nanos(milliseconds_ns(milliseconds));
    MemberIo {
        name: name.to_owned(),
        read_count: stat.reads,
        read_bytes: bytes(stat.read_sectors),
        read_ns: nanoseconds(stat.read_ms),
        write_count: stat.writes,
        write_bytes: bytes(stat.written_sectors),
        write_ns: nanoseconds(stat.write_ms),
    }
}
