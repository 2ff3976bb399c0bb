use std::fs::{self, OpenOptions};
use std::io::Write;

use super::*;
use crate::mounted::may_mount;
use crate::survivors::Policy;

const SIZE_BYTES: u64 = 400 << 20;

/// A file system on a disk, where this user may have it.
struct Stand {
    scratch: tempfile::TempDir,
    file_system: FileSystem,
}

impl Stand {
    fn new(file_system: FileSystem) -> Option<Stand> {
        may_mount(can_mount_disk(file_system))
            .then(|| Stand { scratch: tempfile::tempdir().expect("temporary directory"), file_system })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    fn mount(&self, image: Image) -> (SharedVolume, MountedDisk) {
        let volume = SharedVolume::new(Volume::new(image, Syncs::Honest));
        let mounted = MountedDisk::at(self.scratch.path(), &volume, self.file_system).expect("mounted");
        (volume, mounted)
    }
}

#[test]
fn what_a_file_system_has_flushed_survives_and_no_more() {
    for file_system in FileSystem::ALL {
        let Some(stand) = Stand::new(file_system) else { continue };
        let image = formatted(file_system, SIZE_BYTES, stand.scratch.path()).expect("made");
        let (volume, mounted) = stand.mount(image);
        fs::write(stand.path("synced"), b"kept").expect("write");
        OpenOptions::new().write(true).open(stand.path("synced")).and_then(|file| file.sync_all()).expect("fsync");
        let mut late = fs::File::create(stand.path("late")).expect("create");
        late.write_all(b"lost").expect("write");
        drop(late);
        mounted.end().expect("without power");
        let left = volume.lock().survivors(Policy::AllLost, 1);
        let (_, mounted) = stand.mount(left);
        let found = fs::read(stand.path("synced"));
        assert_eq!(found.ok().as_deref(), Some(&b"kept"[..]), "{}", file_system.name());
        assert!(!stand.path("late").exists(), "{}", file_system.name());
        mounted.finish().expect("unmounted");
    }
}
