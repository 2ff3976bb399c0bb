//! Files of which parts are reserved and were never written.

use std::fs::File;
use std::io;

use rustix::fs::{SeekFrom, seek};

/// Whether every part of `file` was written. A part that was only reserved (`fallocate`) is a hole to `SEEK_HOLE`: its first
/// write also changes the metadata of the file system. On file systems that do not tell, every part counts as written.
///
/// # Errors
/// Where its length or its holes cannot be read.
pub fn is_written(file: &File) -> io::Result<bool> {
    let length = file.metadata()?.len();
    Ok(length == 0 || seek(file, SeekFrom::Hole(0))? >= length)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::fs::FileExt;

    use rustix::fs::{FallocateFlags, fallocate};

    use super::*;

    #[test]
    fn a_reserved_part_is_not_written_until_it_is() {
        // The file system of the sources: one in memory keeps no unwritten parts apart.
        let mut file = tempfile::tempfile_in(env!("CARGO_MANIFEST_DIR")).expect("a file");
        assert!(is_written(&file).expect("seek"), "nothing is unwritten in an empty file");
        fallocate(&file, FallocateFlags::empty(), 0, 1 << 20).expect("reserve");
        file.write_all(&[7; 4096]).expect("write");
        file.sync_all().expect("on the device");
        assert!(!is_written(&file).expect("seek"));
        file.write_all_at(&vec![0; (1 << 20) - 4096], 4096).expect("write");
        file.sync_all().expect("on the device");
        assert!(is_written(&file).expect("seek"));
    }
}
