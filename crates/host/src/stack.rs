//! The block devices below a directory, from the one of the file system down to the disks.

use std::path::{Path, PathBuf};

use base::mount::{Mount, mount_of, mounts};
use base::root::{self, Root, inside};

/// sysfs counts in these sectors, regardless of the block size of the device.
pub(crate) const SECTOR_BYTES: u64 = 512;

/// A whole block device (never a partition).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Device {
    /// Kernel name (`vda`, `dm-0`).
    pub(crate) name: String,
    /// Its directory in sysfs.
    pub(crate) directory: PathBuf,
    /// Kernel names of the devices or partitions that it consists of.
    pub(crate) slaves: Vec<String>,
    /// Of a loop device, the file that it reads and writes.
    pub(crate) loop_file: Option<LoopFile>,
    /// Depth below the file system; 0 is the topmost.
    pub(crate) depth: u32,
}

/// The file behind a loop device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LoopFile {
    pub(crate) path: PathBuf,
    /// Whether the loop device reads and writes it past the page cache.
    pub(crate) is_direct: Option<bool>,
    /// Whether its file system is in memory.
    pub(crate) is_in_memory: bool,
    /// Kernel names of the devices of its file system, or of itself where it is a device.
    pub(crate) devices: Vec<String>,
}

impl Device {
    /// Kernel names of the devices directly below.
    pub(crate) fn below(&self) -> impl Iterator<Item = &String> {
        self.slaves.iter().chain(self.loop_file.iter().flat_map(|file| &file.devices))
    }

    /// Whether it keeps its blocks in the memory of this host: a RAM disk (brd), a compressed one (zram), a null device,
    /// or a loop device on a file in memory.
    pub(crate) fn is_memory(&self) -> bool {
        let numbered = |beginning: &str| {
            let number = self.name.strip_prefix(beginning);
            number.is_some_and(|number| !number.is_empty() && number.bytes().all(|letter| letter.is_ascii_digit()))
        };
        ["ram", "zram", "nullb"].into_iter().any(numbered)
            || self.loop_file.as_ref().is_some_and(|file| file.is_in_memory)
    }
}

/// Whether all blocks of a stack of devices are in the memory of this host.
pub(crate) fn is_in_memory(devices: &[Device]) -> bool {
    let mut lowest = devices.iter().filter(|device| device.below().next().is_none()).peekable();
    lowest.peek().is_some() && lowest.all(Device::is_memory)
}

/// File systems that are in memory, by type.
pub(crate) fn is_memory_file_system(kind: &str) -> bool {
    matches!(kind, "tmpfs" | "ramfs" | "devtmpfs" | "hugetlbfs" | "rootfs")
}

/// Maximum devices, against cycles.
const DEVICES_MAX: usize = 4096;

/// The mount of `directory`; none for a block device, whose node is unrelated to the location of its blocks.
pub(crate) fn mount(root: &Root, directory: &Path) -> Option<Mount> {
    if block_device(root, directory).is_some() {
        return None;
    }
    let path = if root.is_host() { nearest_existing(directory) } else { directory.to_owned() };
    let device = if root.is_host() { device_of(&path) } else { None };
    mount_of(&mounts(root), &path, device).cloned()
}

/// The devices below `directory`, the topmost first; none if there is none (tmpfs, network), or if it is not visible
/// (in a container). For a block device, itself and the devices below.
pub(crate) fn devices(root: &Root, directory: &Path) -> Vec<Device> {
    if let Some(number) = block_device(root, directory) {
        return devices_of(root, number);
    }
    let backing = mount(root, directory).and_then(|mount| below_overlays(root, mount, directory));
    let Some((mount, directory)) = backing else { return Vec::new() };
    below(root, &tops(root, &mount, &directory))
}

/// The device with a number and the devices below, the topmost first.
pub(crate) fn devices_of(root: &Root, number: (u32, u32)) -> Vec<Device> {
    by_number(root, number).map_or_else(Vec::new, |directory| below(root, &[directory]))
}

/// The mount and directory that an overlay writes to, if visible; any other mount is returned unchanged.
pub(crate) fn below_overlays(root: &Root, mount: Mount, directory: &Path) -> Option<(Mount, PathBuf)> {
    // The upper directory may be on another overlay.
    const OVERLAYS_MAX: usize = 8;
    let (mut mount, mut directory) = (mount, directory.to_owned());
    for _ in 0..OVERLAYS_MAX {
        if mount.kind != "overlay" {
            return Some((mount, directory));
        }
        directory = PathBuf::from(mount.option("upperdir")?);
        if !inside(&root.top, &directory.to_string_lossy()).is_dir() {
            return None;
        }
        mount = self::mount(root, &directory)?;
    }
    None
}

/// The devices of some sysfs directories and the devices below.
fn below(root: &Root, tops: &[PathBuf]) -> Vec<Device> {
    let mut found: Vec<Device> = Vec::new();
    for directory in tops {
        push(&mut found, read(root, directory, 0));
    }
    let mut next = 0;
    while let Some(device) = found.get(next).cloned() {
        for name in device.below() {
            if let Some(directory) = by_name(root, name)
                && found.len() < DEVICES_MAX
            {
                push(&mut found, read(root, &directory, device.depth + 1));
            }
        }
        next += 1;
    }
    found
}

fn push(found: &mut Vec<Device>, device: Option<Device>) {
    if let Some(device) = device
        && !found.iter().any(|known| known.name == device.name)
    {
        found.push(device);
    }
}

/// The sysfs directories of the devices of the file system: one, or several if it spans devices itself (btrfs).
fn tops(root: &Root, mount: &Mount, directory: &Path) -> Vec<PathBuf> {
    let members = if mount.kind == "btrfs" { btrfs_members(root, mount) } else { Vec::new() };
    if !members.is_empty() {
        return members;
    }
    let by_mount = by_number(root, mount.device);
    let by_path = || if root.is_host() { by_number(root, device_of(directory)?) } else { None };
    by_mount.or_else(by_path).or_else(|| by_source(root, &mount.source)).into_iter().collect()
}

/// The devices of the btrfs of `mount`, whose device number is not that of a block device.
fn btrfs_members(root: &Root, mount: &Mount) -> Vec<PathBuf> {
    let Some(source) = by_source(root, &mount.source) else { return Vec::new() };
    let Some(name) = source.file_name().and_then(|name| name.to_str()) else { return vec![source] };
    let all = root.sys.join("fs/btrfs");
    let members = root::names(&all).into_iter().map(|id| root::names(all.join(id).join("devices")));
    let own = members.into_iter().find(|members| members.iter().any(|member| member == name));
    own.map_or_else(
        || vec![source.clone()],
        |members| members.iter().filter_map(|member| by_name(root, member)).collect(),
    )
}

/// Major and minor number of the device of a sysfs directory.
pub(crate) fn device_number(directory: &Path) -> Option<(u32, u32)> {
    let text = root::text(directory.join("dev"))?;
    let (major, minor) = text.split_once(':')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

/// The sysfs directory of a device or partition, by its number.
pub(crate) fn by_number(root: &Root, (major, minor): (u32, u32)) -> Option<PathBuf> {
    if major == 0 {
        return None;
    }
    root.sys.join(format!("dev/block/{major}:{minor}")).canonicalize().ok()
}

/// The same by kernel name.
pub(crate) fn by_name(root: &Root, name: &str) -> Option<PathBuf> {
    // Names with a slash (cciss/c0d0) have an exclamation mark in sysfs.
    let name = name.replace('/', "!");
    let plain = !name.is_empty() && name != "." && name != "..";
    let directories = ["class/block", "block"].map(|directory| root.sys.join(directory).join(&name));
    directories.into_iter().filter(|_| plain).find_map(|directory| directory.canonicalize().ok())
}

/// The same by mount source: `/dev/sda2`, `/dev/mapper/vg-data`.
fn by_source(root: &Root, source: &str) -> Option<PathBuf> {
    let name = source.strip_prefix("/dev/")?;
    if let Some(found) = by_name(root, name) {
        return Some(found);
    }
    let name = name.strip_prefix("mapper/")?;
    let mapped = |device: &String| {
        device.starts_with("dm-")
            && root::text(root.sys.join("block").join(device).join("dm/name")).as_deref() == Some(name)
    };
    by_name(root, root::names(root.sys.join("block")).iter().find(|device| mapped(device))?)
}

/// The device of a sysfs directory; for a partition, its disk.
fn read(root: &Root, directory: &Path, depth: u32) -> Option<Device> {
    let is_partition = directory.join("partition").exists();
    let directory = if is_partition { directory.parent()? } else { directory };
    let name = directory.file_name()?.to_str()?.to_owned();
    let (slaves, loop_file) = (root::names(directory.join("slaves")), loop_file(root, directory));
    Some(Device { name, directory: directory.to_owned(), slaves, loop_file, depth })
}

/// The file behind the loop device of a sysfs directory.
fn loop_file(root: &Root, directory: &Path) -> Option<LoopFile> {
    let path = PathBuf::from(root::text(directory.join("loop/backing_file"))?);
    let is_direct = root::switch(directory.join("loop/dio"));
    let name = |directory: &PathBuf| Some(directory.file_name()?.to_str()?.to_owned());
    let of = |tops: Vec<PathBuf>| tops.iter().filter_map(name).collect();
    if let Some(device) = by_source(root, &path.to_string_lossy()) {
        return Some(LoopFile { path, is_direct, is_in_memory: false, devices: of(vec![device]) });
    }
    let backing = mount(root, &path).and_then(|mount| below_overlays(root, mount, &path));
    let devices = backing.as_ref().map(|(mount, path)| of(tops(root, mount, path))).unwrap_or_default();
    let is_in_memory = backing.is_some_and(|(mount, _)| is_memory_file_system(&mount.kind));
    Some(LoopFile { path, is_direct, is_in_memory, devices })
}

/// The directory itself, or its nearest ancestor that exists, canonical.
pub(crate) fn nearest_existing(directory: &Path) -> PathBuf {
    let absolute = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    absolute.ancestors().find_map(|step| step.canonicalize().ok()).unwrap_or(absolute)
}

/// Major and minor number of the block device `path`, on this host.
fn block_device(root: &Root, path: &Path) -> Option<(u32, u32)> {
    let found = rustix::fs::stat(path).ok().filter(|_| root.is_host())?;
    let is_device = rustix::fs::FileType::from_raw_mode(found.st_mode).is_block_device();
    is_device.then(|| (rustix::fs::major(found.st_rdev), rustix::fs::minor(found.st_rdev)))
}

/// Major and minor number of the device that contains `path`.
fn device_of(path: &Path) -> Option<(u32, u32)> {
    let found = rustix::fs::stat(path).ok()?;
    Some((rustix::fs::major(found.st_dev), rustix::fs::minor(found.st_dev)))
}
