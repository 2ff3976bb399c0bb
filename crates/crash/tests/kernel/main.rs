//! The layer below real file systems of this kernel: short programs on ext4, XFS and btrfs, the power cut after each, and what is
//! left held against what calls promise.
//!
//! Two things are asked of each program. What it has synced is there by every policy, or the layer loses too much. What it
//! has not is gone when nothing survives that was not flushed, or the layer loses too little, and its verdicts are worth nothing.

mod script;

use std::io::Cursor;
use std::path::Path;
use std::time::Duration;

use dbdyno_crash::{
    FileSystem, Image, MountedDisk, Policy, ROOT, SharedVolume, Syncs, Volume, can_mount_disk, formatted,
    replay_log_writes,
};

use crate::script::{SCRIPTS, Script};

const SIZE_BYTES: u64 = 320 << 20;

/// What may be left, with the seed by which it is drawn.
const FATES: [(Policy, u64); 7] = [
    (Policy::AllLost, 1),
    (Policy::Prefix, 1),
    (Policy::Prefix, 2),
    (Policy::Subset, 1),
    (Policy::Subset, 2),
    (Policy::TornDisk, 1),
    (Policy::TornDisk, 2),
];

/// A file system on a disk, where this user may have it.
struct Stand {
    scratch: tempfile::TempDir,
    file_system: FileSystem,
    empty: Image,
}

impl Stand {
    fn new(file_system: FileSystem) -> Option<Stand> {
        if let Err(error) = can_mount_disk(file_system) {
            // Nothing would have been tested.
            assert!(!rustix::process::geteuid().is_root(), "{} cannot be mounted by root: {error}", file_system.name());
            return None;
        }
        let scratch = tempfile::tempdir().expect("temporary directory");
        let empty = formatted(file_system, SIZE_BYTES, scratch.path()).expect("made");
        Some(Stand { scratch, file_system, empty })
    }

    fn directory(&self) -> &Path {
        self.scratch.path()
    }

    fn mount(&self, volume: &SharedVolume) -> MountedDisk {
        MountedDisk::at(self.directory(), volume, self.file_system).expect("mounted")
    }

    /// The volume after `script`, without power.
    fn after(&self, script: &Script, syncs: Syncs) -> SharedVolume {
        let volume = SharedVolume::new(Volume::new(self.empty.clone(), syncs));
        let mounted = self.mount(&volume);
        (script.prepare)(self.directory()).expect(script.name);
        let root = std::fs::File::open(self.directory()).expect("directory");
        rustix::fs::syncfs(&root).expect("syncfs");
        drop(root);
        volume.lock().rebase();
        (script.act)(self.directory()).expect(script.name);
        mounted.end().expect("without power");
        volume
    }

    /// What `look` says of what is left.
    fn left<T>(&self, volume: &SharedVolume, fate: (Policy, u64), look: impl FnOnce(&Path) -> T) -> T {
        let image = volume.lock().survivors(fate.0, fate.1);
        let volume = SharedVolume::new(Volume::new(image, Syncs::Honest));
        let mounted = MountedDisk::at(self.directory(), &volume, self.file_system)
            .unwrap_or_else(|error| panic!("{fate:?}: {error}"));
        let found = look(self.directory());
        mounted.finish().expect("unmounted");
        found
    }
}

fn hold_against_promises(file_system: FileSystem) {
    let Some(stand) = Stand::new(file_system) else { return };
    for script in SCRIPTS {
        let volume = stand.after(script, Syncs::Honest);
        for fate in FATES {
            let is_kept = stand.left(&volume, fate, script.promised);
            assert!(is_kept, "{}, {}: what was promised is gone by {fate:?}", file_system.name(), script.name);
        }
        if let Some(is_lost) = script.lost {
            let is_lost = stand.left(&volume, (Policy::AllLost, 1), is_lost);
            assert!(is_lost, "{}, {}: what nobody synced is there", file_system.name(), script.name);
        }
    }
}

#[test]
fn ext4_keeps_what_was_synced_and_no_more() {
    hold_against_promises(FileSystem::Ext4);
}

#[test]
fn xfs_keeps_what_was_synced_and_no_more() {
    hold_against_promises(FileSystem::Xfs);
}

#[test]
fn btrfs_keeps_what_was_synced_and_no_more() {
    hold_against_promises(FileSystem::Btrfs);
}

#[test]
fn a_disk_that_ignores_flushes_breaks_promises() {
    let Some(stand) = Stand::new(FileSystem::Ext4) else { return };
    let script = SCRIPTS.iter().find(|script| script.name == "create, write, fsync").expect("a script");
    let volume = stand.after(script, Syncs::Lying { every: 1 });
    assert!(!stand.left(&volume, (Policy::AllLost, 1), script.promised));
}

#[test]
fn a_log_that_is_exported_replays_to_the_same_disk() {
    let Some(stand) = Stand::new(FileSystem::Ext4) else { return };
    let volume = stand.after(&SCRIPTS[0], Syncs::Honest);
    let mut exported = Cursor::new(Vec::new());
    let count = volume.lock().export_log_writes(&mut exported).expect("exported");
    let replayed = replay_log_writes(&mut exported.get_ref().as_slice(), count, SIZE_BYTES).expect("replayed");
    let image = volume.lock().survivors(Policy::All, 1);
    let (_, disk) = image.entries(ROOT).next().expect("a disk");
    assert!(image.data(disk) == Some(&replayed));
}

#[test]
fn no_mount_and_no_loop_device_is_left() {
    let Some(stand) = Stand::new(FileSystem::Ext4) else { return };
    let volume = stand.after(&SCRIPTS[0], Syncs::Honest);
    stand.left(&volume, (Policy::All, 1), |_| ());
    let place = stand.directory().display().to_string();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").expect("mounts");
    assert!(!mounts.contains(&place), "{mounts}");
    // A device is free again soon after its last file system was unmounted.
    let is_used = || {
        let devices = std::fs::read_dir("/sys/block").expect("devices").flatten();
        let backing = devices.map(|device| std::fs::read_to_string(device.path().join("loop/backing_file")));
        backing.flatten().any(|backing| backing.contains(&place))
    };
    let is_free = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        !is_used()
    });
    assert!(is_free);
}
