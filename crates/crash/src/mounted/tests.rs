use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;

use super::*;
use crate::{Image, Policy, Syncs, Volume};

/// O_DSYNC, as Linux numbers it.
const O_DSYNC: i32 = 0o10_000;

/// A mount of a new volume, as far as this user may have one.
fn mounted() -> Option<(tempfile::TempDir, SharedVolume, Mounted)> {
    let scratch = tempfile::tempdir().expect("temporary directory");
    may_mount(can_mount()).then(|| {
        let volume = SharedVolume::new(Volume::new(Image::empty(), Syncs::Honest));
        let mounted = Mounted::at(scratch.path(), &volume).expect("mounted");
        (scratch, volume, mounted)
    })
}

/// Data of a name, of what is left when nothing survives that was not synced.
fn left(volume: &SharedVolume, name: &str) -> Option<Vec<u8>> {
    let image = volume.lock().survivors(Policy::AllLost, 1);
    Some(image.data(image.lookup(crate::ROOT, name.as_bytes())?)?.to_vec())
}

#[test]
fn calls_of_a_program_become_changes_and_its_syncs_are_syncs() {
    let Some((scratch, volume, mounted)) = mounted() else { return };
    let path = |name: &str| scratch.path().join(name);
    let mut file = fs::File::create(path("a")).expect("create");
    file.write_all(b"first").expect("write");
    assert_eq!(left(&volume, "a"), None, "nothing was synced");
    file.sync_data().expect("fdatasync");
    assert_eq!(left(&volume, "a").as_deref(), Some(&b"first"[..]));
    file.write_all(b" second").expect("write");
    assert_eq!(left(&volume, "a").as_deref(), Some(&b"first"[..]));
    // Each write of a file that was opened so is synced.
    let mut synced = OpenOptions::new().append(true).custom_flags(O_DSYNC).open(path("a")).expect("open");
    synced.write_all(b" third").expect("write");
    assert_eq!(left(&volume, "a").as_deref(), Some(&b"first second third"[..]));
    fs::rename(path("a"), path("b")).expect("rename");
    assert_eq!(left(&volume, "b"), None);
    fs::File::open(scratch.path()).and_then(|directory| directory.sync_all()).expect("sync of a directory");
    assert_eq!(left(&volume, "b").as_deref(), Some(&b"first second third"[..]));
    assert_eq!(fs::read(path("b")).expect("read"), b"first second third");
    fs::create_dir(path("d")).expect("directory");
    assert!(fs::remove_dir(path("d")).is_ok() && fs::remove_file(path("b")).is_ok());
    mounted.end().expect("unmount");
    assert_eq!(fs::read_dir(scratch.path()).expect("entries").count(), 0);
}

#[test]
fn a_frozen_volume_answers_nothing_and_can_be_unmounted() {
    let Some((scratch, volume, mounted)) = mounted() else { return };
    let path = scratch.path().join("a");
    let mut file = fs::File::create(&path).expect("create");
    volume.freeze();
    let writer = std::thread::spawn(move || file.write_all(b"late"));
    std::thread::sleep(std::time::Duration::from_millis(50));
    assert!(!writer.is_finished(), "there is no power");
    mounted.end().expect("unmount");
    assert!(writer.join().expect("thread").is_err());
    let mountinfo = fs::read_to_string("/proc/self/mountinfo").expect("mounts");
    assert!(!is_mounted(&mountinfo, scratch.path()));
}

#[test]
fn the_power_goes_off_at_a_sync_of_enough_bytes() {
    let Some((scratch, volume, mounted)) = mounted() else { return };
    let mut file = fs::File::create(scratch.path().join("a")).expect("create");
    volume.lock().trip_at(6);
    file.write_all(b"first").and_then(|()| file.sync_data()).expect("too small");
    file.write_all(b"second").expect("write");
    let waiter = std::thread::spawn(move || file.sync_data());
    while !volume.lock().is_frozen() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    assert!(!waiter.is_finished(), "it has no answer");
    assert_eq!(left(&volume, "a").as_deref(), Some(&b"first"[..]));
    mounted.end().expect("unmount");
    assert!(waiter.join().expect("thread").is_err());
}
