//! The storage below a path: file system and devices.

use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use base::root::Root;
use record::{BlockDevice, FileSystem};

use crate::inventory;
use crate::stack;

/// The storage below a path.
#[derive(Clone, Debug, PartialEq)]
pub struct StorageLocation {
    /// The canonical path; if it does not exist, that of its nearest ancestor.
    pub path: PathBuf,
    /// Its file system, with mount point, options and free space; absent if the path is a block device.
    pub file_system: Option<FileSystem>,
    /// The medium below the file system.
    pub medium: Medium,
    /// The whole block devices below, the topmost first; empty if there is none or none is visible.
    pub devices: Vec<BlockDevice>,
}

/// The medium below a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Medium {
    /// Block devices of this host, whose counters include the I/O.
    Device,
    /// Memory of this host: a file system in memory, or one on devices that keep their blocks there.
    Memory,
    /// Another host by NFS, whose client counts what it exchanges with the server.
    Nfs,
    /// Another host, or the host of this virtual machine, by another network file system (SMB, 9P, virtiofs).
    Remote,
    /// A program on this host (FUSE) with unknown storage.
    Program,
    /// Unknown: layers that are not visible, file systems that do not show their devices (ZFS).
    Unknown,
}

impl Medium {
    /// Whether the I/O passes the block layer of this host; none if unknown.
    pub fn has_device(self) -> Option<bool> {
        match self {
            Medium::Device => Some(true),
            Medium::Memory | Medium::Nfs | Medium::Remote => Some(false),
            Medium::Program | Medium::Unknown => None,
        }
    }
}

impl StorageLocation {
    /// The topmost device.
    pub fn top(&self) -> Option<&BlockDevice> {
        self.devices.first()
    }
}

/// The storage below `path` on this host. A path that does not exist has the storage of its nearest ancestor.
///
/// # Errors
///
/// Those of the operating system, with the path; and [`io::ErrorKind::NotFound`] if no mount contains it.
pub fn place(path: &Path) -> io::Result<StorageLocation> {
    location_at(&Root::host(), path)
}

/// The same on the machine below `root`; `path` is a path on that machine.
fn location_at(root: &Root, path: &Path) -> io::Result<StorageLocation> {
    let path = if root.is_host() { stack::nearest_existing(path) } else { path.to_owned() };
    if !root.is_host() {
        return on_file_system(root, path);
    }
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    let metadata = path.metadata().map_err(named)?;
    if metadata.file_type().is_block_device() {
        let number = metadata.rdev();
        let devices = stack::devices_of(root, (rustix::fs::major(number), rustix::fs::minor(number)));
        let medium = if stack::is_in_memory(&devices) { Medium::Memory } else { Medium::Device };
        let devices = devices.iter().map(inventory::block_device).collect();
        return Ok(StorageLocation { path, file_system: None, medium, devices });
    }
    on_file_system(root, path)
}

/// Whether files in `one` and in `other` are on the same device of this host.
pub fn is_same_device(one: &Path, other: &Path) -> bool {
    let device = |path: &Path| Some(place(path).ok()?.top()?.name.clone());
    device(one).is_some_and(|device_of_one| device(other) == Some(device_of_one))
}

fn on_file_system(root: &Root, path: PathBuf) -> io::Result<StorageLocation> {
    let no_mount = || io::Error::new(io::ErrorKind::NotFound, format!("{}: no mount contains it", path.display()));
    let file_system = inventory::file_system(root, &path).ok_or_else(no_mount)?;
    let stack = stack::devices(root, &path);
    let devices: Vec<BlockDevice> = stack.iter().map(inventory::block_device).collect();
    let backing = stack::mount(root, &path).and_then(|mount| stack::below_overlays(root, mount, &path));
    let medium = match backing {
        _ if stack::is_in_memory(&stack) => Medium::Memory,
        _ if !devices.is_empty() => Medium::Device,
        Some((mount, _)) => medium_of(&mount.kind),
        None => Medium::Unknown,
    };
    Ok(StorageLocation { path, file_system: Some(file_system), medium, devices })
}

/// The medium of a file system without a block device, by its type.
fn medium_of(kind: &str) -> Medium {
    match kind {
        _ if stack::is_memory_file_system(kind) => Medium::Memory,
        "nfs" | "nfs4" => Medium::Nfs,
        "cifs" | "smb3" | "smbfs" | "ceph" | "9p" | "virtiofs" | "afs" | "coda" | "lustre" | "beegfs" | "orangefs"
        | "pvfs2" | "vboxsf" | "vmhgfs" | "prl_fs" => Medium::Remote,
        _ if kind == "fuse" || kind.starts_with("fuse.") => Medium::Program,
        _ => Medium::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use record::Bytes;

    use super::super::test_tree::tree;
    use super::*;

    const MOUNTS: &str = "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n\
                          25 22 0:23 / /dev/shm rw - tmpfs tmpfs rw\n\
                          26 22 0:24 / /net rw - nfs4 server:/export rw\n\
                          27 22 0:25 / /mine rw - fuse.sshfs server: rw\n\
                          28 22 0:26 / /pool rw - zfs pool/data rw\n\
                          29 22 0:27 / /seen rw - overlay overlay rw,upperdir=/upper\n\
                          30 22 0:28 / /hidden rw - overlay overlay rw,upperdir=/nowhere\n\
                          31 22 0:29 / /fast rw - overlay overlay rw,upperdir=/dev/shm/upper\n\
                          32 22 0:30 / /round rw - overlay overlay rw,upperdir=/round/upper\n";

    fn machine() -> (tempfile::TempDir, Root) {
        tree(&[
            ("proc/self/mountinfo", MOUNTS),
            ("upper/file", ""),
            ("dev/shm/upper/file", ""),
            ("round/upper/file", ""),
            ("sys/dev/block/254:0/size", "2048"),
            ("sys/dev/block/254:0/queue/logical_block_size", "512"),
            ("sys/dev/block/254:0/queue/write_cache", "write back"),
        ])
    }

    #[test]
    fn a_drive_is_described_and_not_the_file_system_of_its_node() {
        let names = base::root::names("/sys/block");
        let drives = names.iter().map(|name| (name, Path::new("/dev").join(name)));
        // Drives without a node are skipped.
        for (name, path) in
            drives.filter(|(_, path)| path.metadata().is_ok_and(|found| found.file_type().is_block_device()))
        {
            let inventory = inventory::inventory(&path);
            assert_eq!(inventory.file_system, None, "{name}");
            assert_eq!(inventory.devices.first().map(|device| &device.name), Some(name));
            // What is counted below a loop device is the device of its file.
            if inventory.devices.first().is_some_and(|device| device.backing_file.is_none()) {
                assert_eq!(crate::Counters::new(&path).device().map(|device| &device.name), Some(name));
            }
        }
    }

    #[test]
    fn media_by_file_system() {
        let (_scratch, root) = machine();
        for (path, medium, has_device) in [
            ("/home/x", Medium::Device, Some(true)),
            ("/dev/shm/x", Medium::Memory, Some(false)),
            ("/net/x", Medium::Nfs, Some(false)),
            ("/mine/x", Medium::Program, None),
            ("/pool/x", Medium::Unknown, None),
            ("/seen/x", Medium::Device, Some(true)),
            ("/hidden/x", Medium::Unknown, None),
            ("/fast/x", Medium::Memory, Some(false)),
            ("/round/x", Medium::Unknown, None),
        ] {
            let location = location_at(&root, Path::new(path)).expect("a location");
            assert_eq!((location.medium, location.medium.has_device()), (medium, has_device), "{path}");
            assert_eq!(location.top().is_some(), medium == Medium::Device, "{path}");
        }
        let (_scratch, root) = tree(&[]);
        assert!(location_at(&root, Path::new("/")).expect_err("no mounts").to_string().contains("no mount"));
    }

    #[test]
    fn devices_in_memory_and_loop_devices_are_what_they_are_made_of() {
        let mounts = "22 1 254:0 / / rw - ext4 /dev/vda rw\n\
                      23 22 0:23 / /dev/shm rw - tmpfs tmpfs rw\n\
                      24 22 1:0 / /ram rw - ext4 /dev/ram0 rw\n\
                      25 22 253:1 / /zram rw - ext4 /dev/zram1 rw\n\
                      26 22 7:0 / /image rw - ext4 /dev/loop0 rw\n\
                      27 22 7:1 / /shared rw - ext4 /dev/loop1 rw\n\
                      28 22 7:2 / /over rw - ext4 /dev/loop2 rw\n\
                      29 22 252:0 / /mapped rw - ext4 /dev/mapper/m rw\n";
        let stat = "1 0 8 1 1 0 8 1 0 1 1 0 0 0 0 5 1\n";
        let (_scratch, root) = tree(&[
            ("proc/self/mountinfo", mounts),
            ("sys/devices/vda/stat", stat),
            ("sys/devices/vda/mq/0/cpu_list", "0"),
            ("sys/devices/ram0/size", "8"),
            ("sys/devices/zram1/size", "8"),
            ("sys/devices/loop0/loop/backing_file", "/srv/disk.img\n"),
            ("sys/devices/loop0/loop/dio", "0\n"),
            ("sys/devices/loop0/stat", stat),
            ("sys/devices/loop0/mq/0/cpu_list", "0"),
            ("sys/devices/loop1/loop/backing_file", "/dev/shm/disk.img\n"),
            ("sys/devices/loop2/loop/backing_file", "/dev/ram0\n"),
            ("sys/devices/loop2/loop/dio", "1\n"),
            ("sys/devices/dm-0/slaves/loop0", "-> ../../loop0"),
            ("sys/devices/dm-0/stat", stat),
            ("sys/dev/block/254:0", "-> ../../devices/vda"),
            ("sys/dev/block/1:0", "-> ../../devices/ram0"),
            ("sys/dev/block/253:1", "-> ../../devices/zram1"),
            ("sys/dev/block/7:0", "-> ../../devices/loop0"),
            ("sys/dev/block/7:1", "-> ../../devices/loop1"),
            ("sys/dev/block/7:2", "-> ../../devices/loop2"),
            ("sys/dev/block/252:0", "-> ../../devices/dm-0"),
            ("sys/class/block/vda", "-> ../../devices/vda"),
            ("sys/class/block/ram0", "-> ../../devices/ram0"),
            ("sys/class/block/loop0", "-> ../../devices/loop0"),
        ]);
        for (path, medium, names) in [
            ("/x", Medium::Device, &["vda"][..]),
            ("/ram/x", Medium::Memory, &["ram0"]),
            ("/zram/x", Medium::Memory, &["zram1"]),
            ("/image/x", Medium::Device, &["loop0", "vda"]),
            ("/shared/x", Medium::Memory, &["loop1"]),
            ("/over/x", Medium::Memory, &["loop2", "ram0"]),
            ("/mapped/x", Medium::Device, &["dm-0", "loop0", "vda"]),
        ] {
            let location = location_at(&root, Path::new(path)).expect("a location");
            let found: Vec<&str> = location.devices.iter().map(|device| device.name.as_str()).collect();
            assert_eq!((location.medium, found.as_slice()), (medium, names), "{path}");
        }
        let devices = location_at(&root, Path::new("/image")).expect("a location").devices;
        assert_eq!(
            (devices[0].backing_file.as_deref(), devices[0].backing_is_direct),
            (Some("/srv/disk.img"), Some(false))
        );
        for path in ["/image", "/mapped"] {
            let counted = crate::Counters::at(root.clone(), Path::new(path));
            assert_eq!(counted.device().map(|device| device.name.as_str()), Some("vda"), "{path}: below the file");
        }
    }

    #[test]
    fn devices_are_those_of_the_inventory() {
        let (_scratch, root) = machine();
        let location = location_at(&root, Path::new("/")).expect("a location");
        let top = location.top().expect("a device");
        assert_eq!(top.logical_block_bytes, Some(Bytes(512)));
        assert_eq!(top.write_cache.as_deref(), Some("write back"));
    }

    #[test]
    fn paths_of_this_host() {
        let scratch = tempfile::tempdir().expect("temporary directory");
        let file = scratch.path().join("file");
        std::fs::write(&file, "x").expect("write");
        let of_file = place(&file).expect("a location");
        let later = place(&scratch.path().join("not/there/yet")).expect("a location");
        assert_eq!(later.path, scratch.path().canonicalize().expect("path"));
        assert_eq!((of_file.medium, &of_file.devices), (later.medium, &later.devices));
        let system = of_file.file_system.expect("a file system");
        assert!(system.free_bytes.is_some() && !system.options.is_empty());
        if Path::new("/dev/shm").is_dir() {
            assert_eq!(place(Path::new("/dev/shm/x")).expect("a location").medium, Medium::Memory);
        }
    }

    #[test]
    fn a_directory_is_on_its_own_device_and_memory_on_none() {
        let memory = Path::new("/dev/shm");
        if place(memory).is_ok_and(|place| place.medium.has_device() == Some(false)) {
            assert!(!is_same_device(memory, memory), "none at all");
        }
        let directory = tempfile::tempdir_in(env!("CARGO_MANIFEST_DIR")).unwrap();
        if place(directory.path()).is_ok_and(|place| place.top().is_some()) {
            assert!(is_same_device(directory.path(), Path::new(env!("CARGO_MANIFEST_DIR"))));
            assert!(!is_same_device(directory.path(), memory));
        }
    }
}
