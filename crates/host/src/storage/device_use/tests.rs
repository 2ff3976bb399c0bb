//! Test trees with every kind of use of a device.

use super::super::test_tree::tree;
use super::*;

/// Two disks: `sda` with two partitions, and `sdb`, empty.
const DISKS: &[(&str, &str)] = &[
    ("sys/devices/a/sda/dev", "8:0"),
    ("sys/devices/a/sda/size", "2048"),
    ("sys/devices/a/sda/sda1/dev", "8:1"),
    ("sys/devices/a/sda/sda1/partition", "1"),
    ("sys/devices/a/sda/sda2/dev", "8:2"),
    ("sys/devices/a/sda/sda2/partition", "2"),
    ("sys/devices/b/sdb/dev", "8:16"),
    ("sys/devices/b/sdb/size", "2048"),
    ("sys/devices/m/dm-0/dev", "253:0"),
    ("sys/class/block/sda", "-> ../../devices/a/sda"),
    ("sys/class/block/sda1", "-> ../../devices/a/sda/sda1"),
    ("sys/class/block/sda2", "-> ../../devices/a/sda/sda2"),
    ("sys/class/block/sdb", "-> ../../devices/b/sdb"),
    ("sys/class/block/dm-0", "-> ../../devices/m/dm-0"),
    ("dev/sda", ""),
    ("dev/sda1", ""),
    ("dev/sda2", ""),
    ("dev/sdb", ""),
    ("dev/dm-0", ""),
];

/// The uses of `name` on a machine of these disks and more files.
fn uses_of(name: &str, files: &[(&str, &str)]) -> Vec<String> {
    let (_scratch, root) = tree(&[DISKS, files].concat());
    uses(&root, name)
}

const PARTITIONS: &str = "has partitions: sda1, sda2";

#[test]
fn a_free_device_has_no_uses() {
    assert_eq!(uses_of("sdb", &[]), [""; 0]);
    assert_eq!(uses_of("sda1", &[]), [""; 0], "a partition has no partitions");
    assert_eq!(uses_of("sdz", &[]), [""; 0], "does not exist");
    assert_eq!(uses_of("..", &[]), [""; 0]);
}

#[test]
fn a_mount_is_found_by_number_and_by_name() {
    let mounts = "27 1 8:1 / /data rw - xfs /dev/anything rw\n28 1 0:45 / /more rw - btrfs /dev/sdb rw\n";
    let mounts = &[("proc/self/mountinfo", mounts)];
    assert_eq!(uses_of("sda", mounts), ["mounted at /data (its partition sda1)", PARTITIONS]);
    assert_eq!(uses_of("sda1", mounts), ["mounted at /data"]);
    assert_eq!(uses_of("sda2", mounts), [""; 0], "the other partition is free");
    assert_eq!(uses_of("sdb", mounts), ["mounted at /more"]);
    let whole = &[("proc/self/mountinfo", "27 1 8:0 / /data rw - xfs /dev/sda rw\n")];
    assert_eq!(uses_of("sda2", whole), ["mounted at /data (its disk sda)"]);
}

#[test]
fn the_root_device_is_found_by_its_mount_and_by_the_kernel_command_line() {
    let reason = "the root file system of this host is on it";
    let mounts = [
        ("proc/self/mountinfo", "27 1 8:1 / / rw - xfs /dev/root rw\n"),
        ("sys/dev/block/8:1", "-> ../../devices/a/sda/sda1"),
    ];
    assert_eq!(uses_of("sda", &mounts), [reason, "mounted at / (its partition sda1)", PARTITIONS]);
    let named = [("proc/cmdline", "quiet root=/dev/sdb ro\n")];
    assert_eq!(uses_of("sdb", &named), [reason]);
    assert_eq!(uses_of("sda1", &named), [""; 0]);
}

#[test]
fn the_disk_below_the_volume_of_the_root_is_a_root_device() {
    let files = [
        ("proc/self/mountinfo", "27 1 253:0 / / rw - ext4 /dev/mapper/vg-root rw\n"),
        ("sys/dev/block/253:0", "-> ../../devices/m/dm-0"),
        ("sys/devices/m/dm-0/slaves/sdb", "-> ../../../b/sdb"),
        ("sys/devices/m/dm-0/dm/name", "vg-root"),
        ("sys/devices/m/dm-0/dm/uuid", "LVM-abc"),
        ("sys/devices/b/sdb/holders/dm-0", "-> ../../../m/dm-0"),
    ];
    let expected = ["the root file system of this host is on it", "held by dm-0 (logical volume vg-root)"];
    assert_eq!(uses_of("sdb", &files), expected);
}

#[test]
fn swap_is_found_through_links() {
    let head = "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n";
    let swaps = |path: &str| format!("{head}{path}   partition\t8388604\t0\t-2\n/swapfile   file\t8\t0\t-3\n");
    assert_eq!(uses_of("sda2", &[("proc/swaps", &swaps("/dev/sda2"))]), ["in use as swap"]);
    let by_link = &[("proc/swaps", &*swaps("/dev/disk/x")), ("dev/disk/x", "-> ../sda2")];
    assert_eq!(uses_of("sda", by_link), ["in use as swap (its partition sda2)", PARTITIONS]);
    let mapped = &[("proc/swaps", &*swaps("/dev/mapper/vg-swap")), ("sys/devices/m/dm-0/dm/name", "vg-swap")];
    assert_eq!(uses_of("dm-0", mapped), ["in use as swap"]);
    let file = &[("proc/swaps", &*swaps("/files/sdb")), ("files/sdb", "")];
    assert_eq!(uses_of("sdb", file), [""; 0], "a file of the same name");
}

#[test]
fn stacked_devices_are_holders() {
    for (file, text, words) in [
        ("sys/devices/m/dm-0/dm/name", "secret", "held by dm-0 (device mapper secret)"),
        ("sys/devices/m/dm-0/md/level", "raid1", "held by dm-0 (md raid1)"),
        ("sys/devices/m/dm-0/bcache/state", "clean", "held by dm-0 (bcache)"),
        ("sys/devices/m/dm-0/size", "8", "held by dm-0"),
    ] {
        let holder = ("sys/devices/b/sdb/holders/dm-0", "-> ../../../m/dm-0");
        assert_eq!(uses_of("sdb", &[holder, (file, text)]), [words]);
    }
    let holder = ("sys/devices/a/sda/sda1/holders/dm-0", "-> ../../../../m/dm-0");
    assert_eq!(uses_of("sda", &[holder]), ["held by dm-0 (its partition sda1)", PARTITIONS]);
    assert_eq!(uses_of("sda2", &[holder]), [""; 0]);
}

#[test]
fn members_of_a_btrfs_and_loop_devices_are_found() {
    let member = ("sys/fs/btrfs/0f9a/devices/sdb", "-> ../../../../class/block/sdb");
    assert_eq!(uses_of("sdb", &[member]), ["a member of the btrfs 0f9a"]);
    let backing = ("sys/block/loop0/loop/backing_file", "/dev/sdb\n");
    assert_eq!(uses_of("sdb", &[backing]), ["held by loop0"]);
}

#[test]
fn a_writing_process_is_found_and_a_reading_one_is_not() {
    let process = |flags| {
        [
            ("proc/812/comm", "asm_dbw0\n"),
            ("proc/812/fd/5", "-> /dev/sdb"),
            ("proc/812/fd/6", "-> socket:[12]"),
            ("proc/812/fdinfo/5", flags),
        ]
    };
    let expected = ["open for writing in asm_dbw0 (process 812)"];
    assert_eq!(uses_of("sdb", &process("pos:\t0\nflags:\t0150002\nmnt_id:\t5\n")), expected);
    assert_eq!(uses_of("sdb", &process("pos:\t0\nflags:\t0100000\n")), [""; 0]);
    assert_eq!(uses_of("sdb", &process("nothing of use")), [""; 0]);
    assert_eq!(uses_of("sda1", &process("flags:\t01\n")), [""; 0], "another device");
}
