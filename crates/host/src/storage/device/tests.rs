//! With loop devices, if this host has them.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use tempfile::NamedTempFile;

use super::*;
use crate::Medium;

const SIZE: u64 = 16 << 20;

/// A loop device with a file of zeros, detached on drop.
struct Loop {
    path: PathBuf,
    _file: NamedTempFile,
}

impl Loop {
    /// None without root, without the driver, and in most containers.
    fn new(arguments: &[&str]) -> Option<Loop> {
        let file = NamedTempFile::new().expect("a file");
        file.as_file().set_len(SIZE).expect("length");
        let output = Command::new("losetup").args(["--find", "--show"]).args(arguments).arg(file.path()).output();
        let output = output.ok().filter(|output| output.status.success());
        let Some(output) = output else {
            // Not captured by the test harness: a skipped test is reported.
            let _ = writeln!(std::io::stderr(), "skipped: no loop device on this host");
            return None;
        };
        let path = String::from_utf8(output.stdout).expect("a path").trim().into();
        Some(Loop { path, _file: file })
    }

    fn state(&self) -> BlockDeviceState {
        let mut state = block_device(&self.path).expect("a state").expect("a block device");
        // The losetup of another test may open this device briefly.
        state.uses.retain(|reason| !reason.starts_with("open for writing in losetup"));
        state
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").arg("--detach").arg(&self.path).status();
    }
}

#[test]
fn only_block_devices_have_a_state() {
    let file = NamedTempFile::new().expect("a file");
    assert_eq!(block_device(file.path()).expect("a file"), None);
    assert_eq!(block_device(Path::new("/")).expect("a directory"), None);
    assert_eq!(block_device(Path::new("/dev/null")).expect("a character device"), None);
    let absent = block_device(Path::new("/dev/absent")).expect_err("absent");
    assert_eq!((absent.kind(), absent.to_string().contains("/dev/absent")), (io::ErrorKind::NotFound, true));
}

#[test]
fn a_free_device_is_described_and_has_no_uses() {
    let Some(device) = Loop::new(&["--sector-size", "4096"]) else { return };
    let state = device.state();
    assert_eq!(state, BlockDeviceState { size_bytes: Bytes(SIZE), read_only: false, uses: Vec::new() });
    let place = crate::place(&device.path).expect("a location");
    assert_eq!((place.medium, place.file_system), (Medium::Device, None), "not the file system of its node");
    assert_eq!(device.path.file_name().and_then(|name| name.to_str()), Some(place.devices[0].name.as_str()));
    assert_eq!(place.devices[0].logical_block_bytes, Some(Bytes(4096)));
    let file = File::open(&device.path).expect("open");
    assert_eq!(crate::extents(&file, 0, SIZE).expect("extents"), None);
    assert!(crate::cached_share(&file, 0, SIZE).is_some());
}

#[test]
fn a_read_only_device() {
    let Some(device) = Loop::new(&["--read-only"]) else { return };
    assert!(device.state().read_only);
}

#[test]
fn a_file_system_and_its_mount_are_reasons() {
    let Some(device) = Loop::new(&[]) else { return };
    let made = Command::new("mkfs.ext4").arg("-q").arg(&device.path).status();
    if !made.is_ok_and(|status| status.success()) {
        return;
    }
    assert_eq!(device.state().uses, ["has the signature of an ext2, ext3 or ext4 file system"]);
    let directory = tempfile::tempdir().expect("temporary directory");
    let mounted = Command::new("mount").arg(&device.path).arg(directory.path()).status();
    if !mounted.is_ok_and(|status| status.success()) {
        return;
    }
    let uses = device.state().uses;
    let unmounted = Command::new("umount").arg(directory.path()).status().expect("umount");
    assert!(unmounted.success());
    let expected = format!("mounted at {}", directory.path().display());
    assert!(uses.contains(&expected), "{uses:?}");
    assert!(uses.iter().any(|reason| reason.starts_with("held exclusively")), "{uses:?}");
}

#[test]
fn a_program_that_has_it_open_is_a_reason() {
    let Some(device) = Loop::new(&[]) else { return };
    let held = open(&device.path, true).expect("an exclusive hold");
    assert_eq!(device.state().uses, ["held exclusively by a mount, a volume or a program"]);
    drop(held);
    let script = "exec 3<>\"$0\"; echo ready; read line";
    let mut writer = Command::new("sh")
        .args(["-c", script])
        .arg(&device.path)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut line = String::new();
    let output = writer.stdout.take().expect("output");
    std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line).expect("ready");
    let uses = device.state().uses;
    drop(writer.stdin.take());
    writer.wait().expect("end");
    assert_eq!(uses, [format!("open for writing in sh (process {})", writer.id())]);
    assert_eq!(device.state().uses, [""; 0], "free again");
}

#[test]
fn the_disk_of_this_host_is_in_use() {
    let mount = stack::devices(&Root::host(), Path::new("/")).into_iter().next();
    let Some(disk) = mount else { return };
    match block_device(&Path::new("/dev").join(&disk.name)) {
        Ok(Some(state)) => {
            assert!(!state.uses.is_empty() && state.size_bytes > Bytes(0), "{state:?}");
            assert!(state.uses[0].contains("root file system"), "{state:?}");
        }
        // Only root may open it, and containers have no node for it.
        other => assert!(other.is_err(), "{other:?}"),
    }
}
