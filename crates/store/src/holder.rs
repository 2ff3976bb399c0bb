//! Who holds the lock of a file.

use std::fs::{self, File, Metadata};
use std::os::unix::fs::MetadataExt;

/// The process that holds the lock of `file`, as the kernel lists it; None where that is not known. Whoever may read a file can
/// lock it, so the name of the culprit is worth something.
pub(crate) fn holder(file: &File) -> Option<u32> {
    let found = file.metadata().ok()?;
    holder_in(&fs::read_to_string("/proc/locks").ok()?, &found)
}

/// The same in the text of the kernel: `1: FLOCK  ADVISORY  WRITE 4711 fd:01:1234567 0 EOF`, with the device as hexadecimal numbers.
fn holder_in(locks: &str, file: &Metadata) -> Option<u32> {
    let (major, minor) = (major_of(file.dev()), minor_of(file.dev()));
    let place = format!("{major:02x}:{minor:02x}:{}", file.ino());
    let mut lines = locks.lines().map(|line| line.split_whitespace().collect::<Vec<&str>>());
    lines.find_map(|words| match words[..] {
        [_, "FLOCK", _, _, process, at, ..] if at == place => process.parse().ok().filter(|process| *process > 0),
        _ => None,
    })
}

/// The major number in a number of a device, as the C library takes it apart.
fn major_of(device: u64) -> u64 {
    (device >> 8) & 0xfff | (device >> 32) & !0xfff
}

/// The minor number.
fn minor_of(device: u64) -> u64 {
    device & 0xff | (device >> 12) & !0xff
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_process_of_a_lock_is_found_by_device_and_number_of_the_file() {
        let file = tempfile::tempfile().unwrap();
        let found = file.metadata().unwrap();
        let (major, minor, number) = (major_of(found.dev()), minor_of(found.dev()), found.ino());
        let at = format!("{major:02x}:{minor:02x}:{number}");
        let locks = format!("1: POSIX  ADVISORY  WRITE 7 {at} 0 EOF\n2: FLOCK  ADVISORY  READ 8 {at}9 0 EOF\n");
        assert_eq!(holder_in(&locks, &found), None);
        let locks = locks + &format!("3: FLOCK  ADVISORY  WRITE 4711 {at} 0 EOF\n");
        assert_eq!(holder_in(&locks, &found), Some(4711));
        assert_eq!((major_of(0xfd01), minor_of(0xfd01)), (0xfd, 1));
    }
}
