//! The block devices below a directory, from the one that the file system lies on down to the disks.

use std::path::{Path, PathBuf};

use base::mount::{Mount, mount_of, mounts};
use base::root::{self, Root, inside};

/// A whole block device (never a partition).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Device {
    /// Name by the kernel (`vda`, `dm-0`).
    pub(crate) name: String,
    /// Its directory in sysfs.
    pub(crate) directory: PathBuf,
    /// What it is made of, by kernel name, partitions as such.
    pub(crate) slaves: Vec<String>,
    /// How far below the file system it lies; 0 is the topmost.
    pub(crate) depth: u32,
}

/// More layers or devices than any machine stacks: a limit for a tree that leads back to itself.
const DEVICES_MAX: usize = 4096;

/// The mount that `directory` lies in; none of a block device, whose node says nothing of where its blocks are.
pub(crate) fn mount(root: &Root, directory: &Path) -> Option<Mount> {
    if block_device(root, directory).is_some() {
        return None;
    }
    let path = if root.is_host() { nearest_existing(directory) } else { directory.to_owned() };
    let device = if root.is_host() { device_of(&path) } else { None };
    mount_of(&mounts(root), &path, device).cloned()
}

/// The devices below `directory`, the topmost first; none where it does not lie on one (tmpfs, network), or where the
/// one it lies on is out of sight (a container). Of a block device itself and what it is made of.
pub(crate) fn devices(root: &Root, directory: &Path) -> Vec<Device> {
    if let Some(number) = block_device(root, directory) {
        return devices_of(root, number);
    }
    let ground = mount(root, directory).and_then(|mount| ground(root, mount, directory));
    let Some((mount, directory)) = ground else { return Vec::new() };
    below(root, &tops(root, &mount, &directory))
}

/// The device of a number and what lies below it, the topmost first.
pub(crate) fn devices_of(root: &Root, number: (u32, u32)) -> Vec<Device> {
    by_number(root, number).map_or_else(Vec::new, |directory| below(root, &[directory]))
}

/// What an overlay writes to: the mount and the directory in it, if they are in sight from here. Any other mount is
/// its own ground.
pub(crate) fn ground(root: &Root, mount: Mount, directory: &Path) -> Option<(Mount, PathBuf)> {
    // The upper directory may lie on another overlay.
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

/// The devices of some sysfs directories and what lies below them.
fn below(root: &Root, tops: &[PathBuf]) -> Vec<Device> {
    let mut found: Vec<Device> = Vec::new();
    for directory in tops {
        push(&mut found, read(directory, 0));
    }
    let mut next = 0;
    while let Some(device) = found.get(next).cloned() {
        for slave in &device.slaves {
            if let Some(directory) = by_name(root, slave)
                && found.len() < DEVICES_MAX
            {
                push(&mut found, read(&directory, device.depth + 1));
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

/// Sysfs directories of what the file system lies on directly: one, or several where it spans devices itself (btrfs).
fn tops(root: &Root, mount: &Mount, directory: &Path) -> Vec<PathBuf> {
    let members = if mount.kind == "btrfs" { btrfs_members(root, mount) } else { Vec::new() };
    if !members.is_empty() {
        return members;
    }
    let by_mount = by_number(root, mount.device);
    let by_path = || if root.is_host() { by_number(root, device_of(directory)?) } else { None };
    by_mount.or_else(by_path).or_else(|| by_source(root, &mount.source)).into_iter().collect()
}

/// The devices of the btrfs that `mount` is of; its own device number is no block device's.
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

/// The sysfs directory of a device number, of a partition that of the partition.
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

/// By what is mounted: `/dev/sda2`, `/dev/mapper/vg-data`.
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

/// Reads the device of a sysfs directory; of a partition the disk that it is a part of.
fn read(directory: &Path, depth: u32) -> Option<Device> {
    let is_partition = directory.join("partition").exists();
    let directory = if is_partition { directory.parent()? } else { directory };
    let name = directory.file_name()?.to_str()?.to_owned();
    Some(Device { name, directory: directory.to_owned(), slaves: root::names(directory.join("slaves")), depth })
}

/// The directory itself, or the nearest one above it that exists, without links.
pub(crate) fn nearest_existing(directory: &Path) -> PathBuf {
    let absolute = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
    absolute.ancestors().find_map(|step| step.canonicalize().ok()).unwrap_or(absolute)
}

/// Major and minor number of the block device that `path` is itself, on this host.
fn block_device(root: &Root, path: &Path) -> Option<(u32, u32)> {
    let found = rustix::fs::stat(path).ok().filter(|_| root.is_host())?;
    let is_device = rustix::fs::FileType::from_raw_mode(found.st_mode).is_block_device();
    is_device.then(|| (rustix::fs::major(found.st_rdev), rustix::fs::minor(found.st_rdev)))
}

/// Major and minor number of the device that holds `path`, as the file system says.
fn device_of(path: &Path) -> Option<(u32, u32)> {
    let found = rustix::fs::stat(path).ok()?;
    Some((rustix::fs::major(found.st_dev), rustix::fs::minor(found.st_dev)))
}
