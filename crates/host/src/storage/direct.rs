//! What direct I/O asks of a file.

use std::fs::File;

use record::Bytes;
use rustix::fs::{AtFlags, StatxFlags, statx};

/// Whether a file can be read and written past the page cache, and how it must be aligned then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DirectIo {
    /// The kernel (before Linux 6.1) or the file system does not tell.
    #[default]
    Unknown,
    /// The file cannot be opened so.
    Refused,
    /// It can.
    Aligned {
        /// Buffers begin at multiples of this.
        memory_bytes: Bytes,
        /// Offsets and lengths are multiples of this.
        offset_bytes: Bytes,
    },
}

/// Asks for it, with `STATX_DIOALIGN` (statx(2)). Only a file or a device has an answer, a directory has none.
pub fn direct_io(file: &File) -> DirectIo {
    let Ok(found) = statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN) else { return DirectIo::Unknown };
    if found.stx_mask & StatxFlags::DIOALIGN.bits() == 0 {
        return DirectIo::Unknown;
    }
    match (found.stx_dio_mem_align, found.stx_dio_offset_align) {
        (0, _) | (_, 0) => DirectIo::Refused,
        (memory, offset) => {
            DirectIo::Aligned { memory_bytes: Bytes(u64::from(memory)), offset_bytes: Bytes(u64::from(offset)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alignment_is_a_power_of_two() {
        let file = tempfile::tempfile().expect("a file");
        if let DirectIo::Aligned { memory_bytes, offset_bytes } = direct_io(&file) {
            assert!(memory_bytes.0.is_power_of_two() && offset_bytes.0.is_power_of_two());
            assert!(offset_bytes.0 <= 65_536, "{offset_bytes:?}");
        }
        let directory = File::open("/").expect("a directory");
        assert!(!matches!(direct_io(&directory), DirectIo::Aligned { .. }));
    }
}
