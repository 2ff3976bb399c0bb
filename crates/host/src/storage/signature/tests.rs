//! Formats on a device, and near misses.

use std::fs::File;
use std::process::Command;

use proptest::prelude::*;

use super::*;

const SIZE: usize = 4 << 20;

/// The formats on a device with `bytes` at `offset` and zeros elsewhere.
fn found_at(offset: usize, bytes: &[u8]) -> Vec<&'static str> {
    let mut device = vec![0; SIZE];
    device[offset..offset + bytes.len()].copy_from_slice(bytes);
    found_on(&device)
}

fn found_on(device: &[u8]) -> Vec<&'static str> {
    let edge = EDGE_BYTES.min(device.len());
    signatures(&device[..edge], &device[device.len() - edge..], device.len() as u64)
}

#[test]
fn each_format_is_found_at_its_offset() {
    for magic in MAGICS {
        assert_eq!(found_at(magic.offset, magic.bytes), [magic.name]);
        assert_eq!(found_at(magic.offset + 1, magic.bytes), [""; 0], "{} at the wrong offset", magic.name);
    }
    for (offset, bytes, name) in [
        (512, &b"LABELONE\x01\0\0\0\0\0\0\0____\x20\0\0\0LVM2 001"[..], "an LVM physical volume"),
        (4096 - 10, b"SWAPSPACE2", "a swap area"),
        (65_536 - 10, b"SWAPSPACE2", "a swap area"),
        (128 << 10, &UBERBLOCKS[0], "a ZFS pool"),
        ((384 << 10) + 4096, &UBERBLOCKS[1], "a ZFS pool"),
        (SIZE - (128 << 10), &UBERBLOCKS[0], "a ZFS pool"),
        (SIZE - 0x1_0000, &MD, "a member of an md RAID"),
        (SIZE - 8192, &MD, "a member of an md RAID"),
        (512, b"EFI PART", "a GPT partition table"),
        (4096, b"EFI PART", "a GPT partition table"),
        (SIZE - 512, b"EFI PART", "a GPT partition table"),
        (SIZE - 4096, b"EFI PART", "a GPT partition table"),
        (510, &BOOT, "the boot sector of a partition table or file system"),
    ] {
        assert_eq!(found_at(offset, bytes), [name], "at {offset}");
    }
}

#[test]
fn the_end_is_found_on_a_device_of_odd_size() {
    let size = SIZE + 3 * 512;
    for offset in [SIZE - 0x1_0000, SIZE - 8192] {
        let mut device = vec![0; size];
        device[offset..offset + 4].copy_from_slice(&MD);
        assert_eq!(found_on(&device), ["a member of an md RAID"]);
    }
    let mut device = vec![0; size];
    device[SIZE - (128 << 10)..][..8].copy_from_slice(&UBERBLOCKS[0]);
    assert_eq!(found_on(&device), ["a ZFS pool"], "labels end at a multiple of their size");
}

#[test]
fn a_partition_table_has_a_valid_entry() {
    let mut sector = [0; 512];
    sector[510..].copy_from_slice(&BOOT);
    sector[446..462].copy_from_slice(&[0x80, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0, 1, 0]);
    assert_eq!(found_at(0, &sector), ["a DOS partition table"]);
    sector[462] = 0x42;
    assert_eq!(found_at(0, &sector), ["the boot sector of a partition table or file system"]);
}

#[test]
fn an_ext_file_system_is_more_than_its_two_bytes() {
    assert_eq!(found_at(1024 + 0x38, &[0x53, 0xef]), ["an ext2, ext3 or ext4 file system"], "of the oldest kind");
    let mut superblock = [0; 128];
    superblock[0x38..0x3a].copy_from_slice(&[0x53, 0xef]);
    superblock[0x4c] = 77;
    assert_eq!(found_at(1024, &superblock), [""; 0]);
}

/// With the mkfs programs that are installed.
#[test]
fn real_formats_are_found() {
    for (program, arguments, name) in [
        ("mkfs.ext4", &["-q", "-F"][..], "an ext2, ext3 or ext4 file system"),
        ("mkfs.xfs", &["-q", "-f"], "an xfs file system"),
        ("mkfs.btrfs", &["-q", "-f"], "a btrfs file system"),
        ("mkswap", &["-q"], "a swap area"),
        ("mkfs.vfat", &[], "a FAT file system"),
    ] {
        let scratch = tempfile::NamedTempFile::new().expect("a file");
        // The minimum of xfs.
        File::set_len(scratch.as_file(), 320 << 20).expect("length");
        let made = Command::new(program).args(arguments).arg(scratch.path()).output();
        if !made.is_ok_and(|output| output.status.success()) {
            continue;
        }
        let mut first = vec![0; EDGE_BYTES];
        let mut last = first.clone();
        let read =
            |bytes: &mut [u8], offset| std::os::unix::fs::FileExt::read_exact_at(scratch.as_file(), bytes, offset);
        read(&mut first, 0).expect("read");
        read(&mut last, (320 << 20) - EDGE_BYTES as u64).expect("read");
        let found = signatures(&first, &last, 320 << 20);
        assert!(found.contains(&name), "{program}: {found:?}");
    }
}

#[test]
fn nothing_is_found_on_nothing() {
    for length in [0, 1, 511, 512, 513, 4096, SIZE] {
        assert_eq!(found_on(&vec![0; length]), [""; 0], "{length} zeros");
    }
}

proptest! {
    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..5000), size in any::<u64>()) {
        let _ = signatures(&bytes, &bytes, size);
        let _ = signatures(&[], &bytes, size);
    }
}
